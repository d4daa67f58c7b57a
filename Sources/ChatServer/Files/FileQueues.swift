import Files
import Synchronization

/// Serial queues for the work of requests about files, one after the other in turn: as many as the work may wait for something.
final class FileQueues: Sendable {
    private let queues: [BoundedQueue]
    private let turn = Atomic(0)

    private static let most = 1_024

    init(_ label: String, count: Int) {
        queues = (0..<count).map { BoundedQueue("\(label).\($0)", most: Self.most / count) }
    }

    private var next: BoundedQueue {
        queues[Int(UInt(bitPattern: turn.wrappingAdd(1, ordering: .relaxed).oldValue) % UInt(queues.count))]
    }

    /// Does the work, unless too much waits already. Returns whether it will be done.
    func offer(_ work: @escaping @Sendable () -> Void) -> Bool { next.offer(work) }

    /// Does work of which there is only so much anyway.
    func put(_ work: @escaping @Sendable () -> Void) { next.put(work) }
}

extension UploadTarget {
    /// The requests that may wait for the place of the files at one time: a store over the network takes several at once.
    var parallelRequests: Int {
        switch self {
        case .folder: 1
        case .bucket: 16
        }
    }

    /// The methods of the address of an upload.
    var methods: String {
        switch self {
        case .folder: "PUT, HEAD, OPTIONS"
        case .bucket: "POST, OPTIONS"
        }
    }
}
