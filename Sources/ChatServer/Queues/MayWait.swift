import Dispatch
import WebSocketTransport

/// Marks the queues where nothing may wait.
let mayNotWait = DispatchSpecificKey<Bool>()

/// Traps, in a debug build, on an event loop's thread and on a queue of rooms. There hundreds of others would wait,
/// too, for a disk, a database or a lock that is held over work.
func assertMayWait() {
    assert(!WebSocketServer.isOnEventLoop, "this waits, on an event loop's thread")
    assert(DispatchQueue.getSpecific(key: mayNotWait) == nil, "this waits, on a queue of rooms")
}
