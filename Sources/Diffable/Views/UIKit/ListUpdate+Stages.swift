#if canImport(UIKit) && !os(watchOS)
    import Diffable
    import UIKit

    extension ListUpdate {
        /// Performs the change in stages, because UIKit refuses some batches. A view without a window reads everything
        /// again.
        ///
        /// - Parameters:
        ///   - reload: reads everything again.
        ///   - batch: has the view perform a batch, then calls the second closure.
        ///   - apply: performs the changes of a stage, within a batch.
        @MainActor
        func perform(
            in view: UIView, reload: () -> Void, completion: @escaping () -> Void,
            batch: @escaping (_ updates: @escaping () -> Void, _ completion: @escaping (Bool) -> Void) -> Void,
            apply: @escaping (ChangeSet) -> Void
        ) {
            let stages = view.window == nil ? [] : stages()
            guard let last = stages.last else {
                commit()
                reload()
                return completion()
            }
            let batches = {
                for stage in stages {
                    batch {
                        commit(stage)
                        apply(stage.changes)
                    } _: { _ in
                        if stage.purpose == last.purpose { completion() }
                    }
                }
            }
            if isAnimated { batches() } else { UIView.performWithoutAnimation(batches) }
        }
    }
#endif
