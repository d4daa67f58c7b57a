#if canImport(UIKit) && !os(watchOS)
    import Diffable
    import UIKit

    extension ListUpdate {
        /// Performs the change in stages, because UIKit refuses some batches. A view without a window reads everything
        /// again.
        ///
        /// - Parameters:
        ///   - reload: reads everything again.
        ///   - batch: performs one stage in a batch of the view, and calls the closure when the batch is done.
        @MainActor
        func perform(
            in view: UIView, reload: () -> Void,
            batch: @escaping (ChangeStage<Section, Item>, @escaping () -> Void) -> Void,
            completion: @escaping () -> Void
        ) {
            let stages = stages()
            guard view.window != nil, let last = stages.last else {
                commit()
                reload()
                return completion()
            }
            let batches = {
                for stage in stages {
                    batch(stage) { if stage.purpose == last.purpose { completion() } }
                }
            }
            if isAnimated { batches() } else { UIView.performWithoutAnimation(batches) }
        }
    }
#endif
