import ChatClient
import ChatWire
import Dispatch
import Foundation
import Publishing
import Replicas

/// Reads a room and its threads back to their beginnings and writes them out.
final class Export: @unchecked Sendable {
    // @unchecked: all mutable state is touched on `queue` only, which receives every publisher.
    private let options: TransferOptions
    private let output: Output
    private let client: ChatClient
    private let queue = DispatchQueue(label: "diffroom.export")
    private let progress = Progress()
    private lazy var patience = Patience(options.patience, on: queue) { [output] seconds in
        output.report("no connection for \(seconds) s: giving up")
        output.end(.failed)
    }
    private var subscriptions: [Subscription] = []
    /// The room or the thread that is read now.
    private var place: RoomName
    /// The messages whose threads are to be read, the next one last.
    private var roots: [MessageID] = []

    init(_ options: TransferOptions, as user: UserName, output: Output) throws(ChatClientError) {
        (self.options, self.output, place) = (options, output, options.room)
        client = try options.credentials.client(of: options.url, as: user, authorities: options.authorities)
    }

    func start() {
        queue.async { [self] in
            subscriptions = [
                client.didChange.receive(on: queue, policy: .wait(beyond: 16)).sink { self.changed($0) },
                client.connection.receive(on: queue, policy: .wait(beyond: 16)).sink {
                    self.patience.handle($0, self.output)
                },
                client.notices.receive(on: queue, policy: .wait(beyond: 16)).sink { self.noticed($0) },
            ]
            patience.start()
            client.open(place, limit: WireLimits().rows)
        }
    }

    private func changed(_ change: RoomChange) {
        let view = change.view
        guard change.room == place else { return }
        if !place.isThread { progress.report("export", view.messages.count, of: view.count) }
        if let gap = view.gaps.last {
            return client.fill(gap.id, of: place, from: .end, limit: WireLimits().rows)
        }
        if view.hasOlder { return client.older(place, limit: WireLimits().rows) }
        write(view.messages)
        if place == options.room, !place.isThread {
            roots = view.messages.filter { $0.thread != nil }.map(\.id).reversed()
        }
        goOn()
    }

    /// Reads the next thread, or ends the program.
    private func goOn() {
        client.close(place)
        guard let root = roots.popLast() else {
            subscriptions = []  // so that the client waits for nothing here
            client.close()
            output.end(.done)
        }
        place = options.room.thread(of: root)
        client.open(place, limit: WireLimits().rows)
    }

    private func write(_ messages: [Message]) {
        let root = options.room.isThread ? nil : place.root
        let atOnce = 1_000
        for start in stride(from: 0, to: messages.count, by: atOnce) {
            var lines: [UInt8] = []
            for message in messages[start..<min(start + atOnce, messages.count)] {
                lines += ExportedMessage(message, root: root).json
                lines.append(UInt8(ascii: "\n"))
            }
            output.write(lines)
        }
    }

    private func noticed(_ notice: SessionNotice) {
        output.report("\(notice)")
        switch notice {
        case .refused(.messages, _), .pageRefused, .ended: output.end(.failed)
        case .resynchronizing, .refused, .nothingOlder, .draftRefused, .noFreshToken, .passedOver, .standing, .audit,
            .auditRefused, .found, .searchRefused, .readRefused, .uploading, .uploadRefused, .links, .linksRefused,
            .members, .membersRefused, .laterStored, .laterRefused, .blockStored, .blockRefused:
            break
        }
    }
}
