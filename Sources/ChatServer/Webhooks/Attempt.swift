import ChatRoom
import ChatWire
import Foundation
import RoomStore
import Tokens
import Webhooks

/// Telling what one room has to be told next.
struct Attempt: Sendable {
    let room: RoomName
    let store: any RoomStore
    let deliveries: any Deliveries
    let webhook: WebhookConfiguration

    enum Result: Sendable {
        case told(more: Bool)
        case failed(String)
        /// The store does not say any more how far rooms were told.
        case lost(RoomStoreError)
    }

    /// Holds its thread until there is an answer.
    func carryOut(with poster: Poster, _ metrics: WebhookMetrics) -> Result {
        do throws(RoomStoreError) {
            // The room's revision comes first: what its operations lack up to there will never come.
            guard let state = try deliveries.state(of: room), state.isBehind else { return .told(more: false) }
            let (operations, epoch) = try store.ofOneEpoch { () throws(RoomStoreError) in
                try store.operations(room, since: state.told, limit: WebhookBody.limits.operations)
            }
            guard !operations.isEmpty else {
                try deliveries.told(room, upTo: state.revision)
                return .told(more: false)
            }
            let body = WebhookBody(operations, of: room, epoch)
            let headers = webhook.secret.headers(body.bytes, id: body.id, time: Int64(Date.now.timeIntervalSince1970))
            switch poster.post(body.bytes, headers: headers) {
            case .answered(let status) where (200..<300).contains(status):
                metrics.posts.count("delivered")
                metrics.operations.add(operations.count { $0.revision <= body.revision })
                try deliveries.told(room, upTo: body.revision)
                return .told(more: body.revision < state.revision)
            case .answered(let status):
                metrics.posts.count("failed")
                return .failed("answered with status \(status)")
            case .failed(let why):
                metrics.posts.count("failed")
                return .failed(why)
            }
        } catch {
            // It waits for itself alone.
            if case .damagedRoom = error { return .failed("\(error)") }
            return .lost(error)
        }
    }
}

/// What is counted of the webhook.
final class WebhookMetrics: Sendable {
    let posts = Family(["delivered", "failed"])
    let operations = Metrics.Counter()
}
