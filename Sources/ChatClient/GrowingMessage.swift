public import ChatWire

/// A message that its author writes piece by piece.
///
/// ```swift
/// let answer = try await lobby.write("Let me see: ")
/// for await piece in assistant { try await answer.append(piece) }
/// try await answer.close()
/// ```
///
/// A moderator may stop it, and so may the people whom it mentions. The server then refuses the next piece as `notOpen`.
///
/// Readers see each piece once it is durable. The pieces that are appended before the server has answered are sent as one. After a
/// loss of the connection the message goes on where it was. If the server refuses a piece, the message is closed as failed.
public actor GrowingMessage {
    public nonisolated let id: MessageID
    private let room: ClientRoom
    /// The size of the text that the server has, in bytes of UTF-8.
    private var size: Int
    /// The text that was appended and is not sent.
    private var waiting = ""
    private var sending: Task<Void, Never>?
    private var failure: (any Error)?

    /// The text that may wait to be sent, in bytes. Above it ``append(_:)`` waits.
    private static let most = 4_096

    init(_ id: MessageID, in room: ClientRoom, size: Int) {
        (self.id, self.room, self.size) = (id, room, size)
    }

    /// Adds text to the end of the message. Returns at once, unless more than 4,096 bytes wait; then once they are sent.
    ///
    /// - Errors: the server's refusal of this or an earlier piece, a `WireError`; a `CancellationError` if the task is cancelled.
    public func append(_ text: String) async throws {
        if let failure { throw failure }
        waiting += text
        let sending = self.sending ?? Task { await sendAll() }
        self.sending = sending
        guard waiting.utf8.count > Self.most else { return }
        await sending.value
        if let failure { throw failure }
    }

    /// Sends the text that waits, and ends the message.
    ///
    /// - Parameter ending: the reason why the text is not complete; `nil` if it is.
    /// - Errors: as of ``append(_:)``. The message is closed then, if it can be.
    public func close(_ ending: Growth.Ending? = nil) async throws {
        await sending?.value
        let rest = waiting
        waiting = ""
        await send(rest)
        if let failure { throw failure }
        try await room.grow(id, .close(ending))
    }

    private func sendAll() async {
        defer { sending = nil }
        while failure == nil, let piece = nextPiece() { await send(piece) }
    }

    /// Takes the text that waits. Half a line end stays, because the other half makes it another character.
    private func nextPiece() -> String? {
        var piece = waiting.unicodeScalars
        waiting = piece.last == "\r" ? String(piece.removeLast()) : ""
        return piece.isEmpty ? nil : String(piece)
    }

    private func send(_ piece: String) async {
        let text = EnteredText(piece).text
        guard failure == nil, !text.isEmpty else { return }
        do {
            try await room.grow(id, .append(text, at: size))
            size += text.utf8.count
        } catch {
            failure = error
            // Readers should not wait for the rest. A message that is gone cannot be closed.
            try? await room.grow(id, .close(.failed))
        }
    }
}

extension ClientRoom {
    /// Sends the beginning of a message that is written piece by piece. See ``GrowingMessage``.
    ///
    /// The errors are those of ``send(_:)-(String)``.
    public func write(_ beginning: MessageContent) async throws -> GrowingMessage {
        var content = beginning.entered
        content.growth = .open
        let id = try await send(content)
        return GrowingMessage(id, in: self, size: content.text.utf8.count)
    }

    fileprivate func grow(_ message: MessageID, _ step: GrowthStep) async throws {
        try await client.send(Command(id: .random(), room: name, action: .grow(message, step)))
    }
}
