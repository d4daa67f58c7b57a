import ChatRoom
import ChatWire
import Files
import RoomStore
import WebSocketTransport

extension ChatServer {
    /// Answers a connection's request about files, once the store has said whether the user may.
    func answer(_ request: FileRequest, of user: UserName, ref: UInt64, _ connection: ConnectionID) {
        let (arrival, room) = (ContinuousClock.now, request.room)
        let grant = sessions.role(of: connection, in: room)
        storeReads.load(about: room) { (store) throws(RoomStoreError) in
            try store.standing(of: user, in: room).refusal(request.least, in: room, granted: grant)
        } then: { [self] (refusal: Result<WireError?, WireError>) in
            let answer: ServerFrame
            switch refusal {
            case .success(nil): answer = self.answer(to: request, of: user, ref: ref)
            case .success(let error?), .failure(let error): answer = .error(ref: ref, error)
            }
            guard case .error = answer, room.kind != .open else { return send(answer, asAnswerTo: connection) }
            onRefusalTick(since: arrival) { [self] in send(answer, asAnswerTo: connection) }
        }
    }

    private func answer(to request: FileRequest, of user: UserName, ref: UInt64) -> ServerFrame {
        guard let keeper = configuration.files else {
            return .error(ref: ref, WireError(.noFiles, "this server keeps no files"))
        }
        switch request {
        case .upload(let upload):
            do throws(FileRefusal) {
                return .uploading(ref: ref, try keeper.permit(upload, by: user, at: .now))
            } catch {
                return .error(ref: ref, WireError(error))
            }
        case .links(let links): return .links(ref: ref, keeper.tickets.links(links, at: .now))
        }
    }
}
