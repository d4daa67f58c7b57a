import Dispatch
import Foundation
import Synchronization

/// Waits for SIGTERM or SIGINT: the first ends the program through `end`, a second one at once.
func endOnSignal(_ end: @escaping @Sendable () -> Void) -> Never {
    let isEnding = Shared(Atomic(false))
    let sources = [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler {
            guard !isEnding.value.exchange(true, ordering: .relaxed) else { _exit(1) }
            DispatchQueue.global().async {
                end()
                exit(0)
            }
        }
        source.activate()
        return source
    }
    withExtendedLifetime(sources) { dispatchMain() }
}

/// What several closures hold together.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) {
        self.value = value
    }
}
