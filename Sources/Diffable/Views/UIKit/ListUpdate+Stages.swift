#if canImport(UIKit) && !os(watchOS)
    import Diffable
    import UIKit

    extension ListUpdate {
        /// Carries the change out in stages: no batch holds what UIKit refuses. A view that is in no window reads everything anew.
        ///
        /// - Parameters:
        ///   - reload: reads everything anew.
        ///   - batch: carries out one stage in a batch of the view, and calls the closure when the batch is done.
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
