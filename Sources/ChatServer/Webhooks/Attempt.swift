import ChatRoom
import ChatWire
import Foundation
import HTTPClient
import RoomStore
import Tokens

/// One attempt to deliver a room's next operations.
struct Attempt: Sendable {
    let room: RoomName
    let store: any RoomStore
    let deliveries: any Deliveries
    let webhook: WebhookConfiguration

    enum Result: Sendable {
        case delivered(more: Bool)
        case failed(String)
        /// The store no longer provides the state of the deliveries.
        case lost(RoomStoreError)
    }

    /// Posts, and blocks its thread until there is an answer.
    func perform(with poster: HTTPPoster, _ metrics: WebhookMetrics) -> Result {
        do throws(RoomStoreError) {
            // Read the room's revision first: operations that are missing up to there will never come.
            guard let state = try deliveries.state(of: room), state.isBehind else { return .delivered(more: false) }
            let (operations, epoch) = try store.ofOneEpoch { () throws(RoomStoreError) in
                try store.operations(room, since: state.delivered, limit: WebhookBody.limits.operations)
            }
            guard !operations.isEmpty else {
                try deliveries.noteDelivered(room, upTo: state.revision)
                return .delivered(more: false)
            }
            let body = WebhookBody(operations, of: room, epoch)
            guard body.count > 0 else {
                try deliveries.noteDelivered(room, upTo: body.revision)
                return .delivered(more: body.revision < state.revision)
            }
            let headers = webhook.secret.headers(body.bytes, id: body.id, time: Int64(Date.now.timeIntervalSince1970))
            switch poster.post(body.bytes, headers: headers) {
            case .answered(let status) where (200..<300).contains(status):
                metrics.posts.count("delivered")
                metrics.operations.add(body.count)
                try deliveries.noteDelivered(room, upTo: body.revision)
                return .delivered(more: body.revision < state.revision)
            case .answered(let status):
                metrics.posts.count("failed")
                return .failed("answered with status \(status)")
            case .failed(let why):
                metrics.posts.count("failed")
                return .failed(why)
            }
        } catch {
            // A damaged room delays no other one.
            if case .damagedRoom = error { return .failed("\(error)") }
            return .lost(error)
        }
    }
}

/// The metrics of the webhook.
final class WebhookMetrics: Sendable {
    let posts = Family(["delivered", "failed"])
    let operations = Metrics.Counter()
}
