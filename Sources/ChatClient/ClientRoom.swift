public import ChatWire
import Dispatch
public import Publishing

/// One room of a client.
///
/// ```swift
/// let lobby = client.room(RoomName("lobby")!)
/// try await lobby.send("hello")
/// for await change in lobby.changes {
///     for message in change.view.messages { print("\(message.author): \(message.text)") }
/// }
/// ```
///
/// The calls that wait return once the server has answered. Meanwhile the command is kept, and is sent again after each loss
/// of the connection. A cancelled task waits no more, and the command is sent all the same.
public struct ClientRoom: Sendable {
    public let name: RoomName
    let client: ChatClient

    /// The room's changes, as a sequence that begins with all that is held. A loop that is slower than the room gets one
    /// net change for all that came meanwhile.
    ///
    /// It opens the room, as ``ChatClient/open(_:limit:)`` does.
    public var changes: PublishedValues<RoomChange> {
        client.open(name)
        return client.didChange
            .receive(on: .global(), policy: .merge { $0.merged(with: $1) })
            .filter { [name] in $0.room == name }
            .values
    }

    /// Sends a message.
    ///
    /// - Errors: a `WireError` if the server refuses it, a `CancellationError` if the task is cancelled.
    /// - Returns: the message's id, once it is durable.
    @discardableResult
    public func send(_ text: String) async throws -> MessageID {
        try await send(MessageContent(text))
    }

    /// Sends a message with all its fields. See ``send(_:)-(String)``.
    ///
    /// - Parameter id: the message's id, which its files were uploaded for; a new one by default.
    @discardableResult
    public func send(_ content: MessageContent, as id: MessageID = .random()) async throws -> MessageID {
        try await client.send(Command(id: id, room: name, action: .send(content.entered)))
        return id
    }

    /// Edits a message. The errors are those of ``send(_:)-(String)``.
    public func edit(_ message: MessageID, _ edit: ContentEdit) async throws {
        try await perform(.edit(message, edit.entered))
    }

    /// Deletes a message. The errors are those of ``send(_:)-(String)``.
    public func delete(_ message: MessageID) async throws {
        try await perform(.delete(message))
    }

    /// Ends a message that grows: one's own, or another user's that mentions the user by name, or, as a moderator, any.
    /// The errors are those of ``send(_:)-(String)``.
    public func stop(_ message: MessageID) async throws {
        try await perform(.grow(message, .close(.stopped)))
    }

    /// Adds the user's reaction to a message, or takes it back. The errors are those of ``send(_:)-(String)``.
    public func react(to message: MessageID, with emoji: String, _ direction: ClientFrame.Switch = .on) async throws {
        try await perform(.react(message, emoji: emoji, direction))
    }

    /// Makes the user a member of the room. The errors are those of ``send(_:)-(String)``.
    public func join() async throws {
        try await perform(.join)
    }

    /// Ends the user's membership of the room. The errors are those of ``send(_:)-(String)``.
    public func leave() async throws {
        try await perform(.leave)
    }

    /// Moderates the room. The errors are those of ``send(_:)-(String)``.
    public func moderate(_ moderation: Moderation) async throws {
        try await perform(.moderate(moderation))
    }

    /// Asks where a file is to be uploaded, for a message that has this id and is sent afterwards.
    ///
    /// ```swift
    /// let id = MessageID.random()
    /// let permit = try await lobby.permit(file, for: id)
    /// let attachment = try await upload(file, permit)  // a PUT of its bytes, whose answer Attachment(uploaded:) reads
    /// try await lobby.send(MessageContent(file.name, files: [attachment]), as: id)
    /// ```
    ///
    /// A permit that has ``UploadPermit/confirm`` leads to a store: the `PUT` has the permit's headers, and the answer to be read is
    /// that to an empty `POST` at ``UploadPermit/confirm``.
    ///
    /// The errors are those of ``send(_:)-(String)``. After a loss of the connection the client asks again.
    public func permit(_ file: FileDescription, for message: MessageID) async throws -> UploadPermit {
        let request = UploadRequest(room: name, message: message, file: file)
        let answer = try await client.answer { $0.upload(request, id: $1) }
        guard case .uploading(let permit, _) = answer else { throw CancellationError() }
        return permit
    }

    /// Requests links to files, one for each, in their order.
    ///
    /// ```swift
    /// let places = message.content.files.map { FilePlace(message: message.id, file: $0.id) }
    /// for url in try await lobby.links(to: places).urls { print(url) }
    /// ```
    ///
    /// The links work for anybody until ``ChatWire/FileLinks/until``. The errors are those of ``send(_:)-(String)``.
    ///
    /// - Parameter files: 1 to ``ChatWire/LinksRequest/most``.
    public func links(to files: [FilePlace]) async throws -> FileLinks {
        let request = LinksRequest(room: name, files: files)
        let answer = try await client.answer { $0.links(request, id: $1) }
        guard case .links(let links, _) = answer else { throw CancellationError() }
        return links
    }

    /// Requests people who belong to the room, in the order of their names: members and invited people, also those without a row in
    /// the list.
    ///
    /// ```swift
    /// var page = try await lobby.members(MembersSearch("ann", limit: 20))
    /// while let last = page.after { page = try await lobby.members(MembersSearch("ann", after: last, limit: 20)) }
    /// ```
    ///
    /// The errors are those of ``send(_:)-(String)``. After a loss of the connection the client asks again.
    public func members(_ search: MembersSearch) async throws -> MembersPage {
        let answer = try await client.answer { $0.members(of: name, search, id: $1) }
        guard case .members(let page, _) = answer else { throw CancellationError() }
        return page
    }

    private func perform(_ action: RoomAction) async throws {
        try await client.send(Command(id: .random(), room: name, action: action))
    }
}

extension ChatClient {
    /// A room by its name, with calls that wait for the server. See ``ClientRoom``.
    public func room(_ name: RoomName) -> ClientRoom { ClientRoom(name: name, client: self) }

    /// Sends a command, and returns once the server has answered it. A command that was answered before has no further
    /// effect, and gets the same answer.
    ///
    /// - Errors: a `WireError` if the server refuses it, a `CancellationError` if the task is cancelled.
    /// - Returns: the changed list and its revision; `nil` if nothing changed.
    @discardableResult
    public func send(_ command: Command) async throws -> ServerFrame.Effect? {
        // Subscribed before the command is sent, so that its answer is not missed.
        var answers = self.answers
            .receive(on: .global(), policy: .keepAll(upTo: 1))
            .filter { $0.command.id == command.id }
            .values.makeAsyncIterator()
        perform(command)
        guard let answer = await answers.next() else { throw CancellationError() }
        switch answer.outcome {
        case .done(let effect): return effect
        case .refused(let error): throw error
        }
    }

    /// Searches messages, newest first, and returns once the server has answered.
    ///
    /// ```swift
    /// let page = try await client.search(try SearchRequest("deploy* from:ann"))
    /// for result in page.results { print("\(result.room): \(result.row.text)") }
    /// ```
    ///
    /// A request without a room searches the user's rooms and the open ones that the client follows.
    ///
    /// - Errors: a `WireError` if the server refuses it, a `CancellationError` if the task is cancelled.
    public func search(_ request: SearchRequest) async throws -> SearchPage {
        let answer = try await answer { $0.search(request, id: $1) }
        guard case .found(let page, _) = answer else { throw CancellationError() }
        return page
    }

    /// Asks a question by its id, and returns its answer.
    ///
    /// - Errors: a `WireError` if the server refuses it, a `CancellationError` if the task is cancelled.
    func answer(to ask: (ChatClient, UniqueID) -> Void) async throws -> SessionNotice {
        let id = UniqueID.random()
        // Subscribed before the question is asked, so that its answer is not missed.
        var answers =
            notices
            .receive(on: .global(), policy: .keepAll(upTo: 1))
            .filter { $0.question == id }
            .values.makeAsyncIterator()
        ask(self, id)
        switch await answers.next() {
        case .searchRefused(let error, _)?, .uploadRefused(let error, _)?, .linksRefused(let error, _)?,
            .membersRefused(let error, _)?:
            throw error
        case let answer?: return answer
        case nil: throw CancellationError()
        }
    }
}

extension SessionNotice {
    /// The id of the question that the notice answers; `nil` if it answers none with an id.
    fileprivate var question: UniqueID? {
        switch self {
        case .found(_, let id), .searchRefused(_, let id), .uploading(_, let id), .uploadRefused(_, let id),
            .links(_, let id), .linksRefused(_, let id), .members(_, let id), .membersRefused(_, let id):
            id
        default: nil
        }
    }
}
