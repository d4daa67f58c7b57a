import ChatClient
import ChatWire
import Dispatch
import TerminalUI

/// The commands in lines that send files and show where they are.
extension LineChat {
    /// The size from which the beginning of an upload is reported, too.
    private static let long = 1 << 20

    func begin(_ line: FileLine) {
        let upload = Upload(line, to: target, by: client, options.url, authorities: options.authorities)
        self.upload = upload
        upload.start(home: environment["HOME"]) { [self] event in queue.async { self.handle(event, of: upload) } }
    }

    private func handle(_ event: Upload.Event, of upload: Upload) {
        switch event {
        case .progressed(let file, 0) where file.size > Self.long:
            output.report("uploading \(file.name), \(file.size.bytesInWords)")
        case .progressed: return
        case .waits(let file, let why): output.report("the upload of \(file.name) goes on later: \(why)")
        case .uploaded(let files):
            send(files, of: upload)
            ended()
        case .failed(let why):
            fail(why)
            credits.signal()
            ended()
        case .cancelled: ended()
        }
    }

    private func send(_ files: [Attachment], of upload: Upload) {
        let text = upload.line.text
        let content = MessageContent(files, text, mentions: mentions(in: text))
        for file in files { output.report("uploaded \(file.line)") }
        sent(client.send(content, to: upload.room, as: upload.message))
    }

    private func ended() {
        upload = nil
        handleLines()
        endIfDone()
    }

    // MARK: - Links

    func requestLinks(_ which: InputLine.Which?) throws(InputError) {
        let message = try message(with: which)
        let (room, client) = (target, client)
        here.queries.requestLinks()
        credits.signal()
        Task { [self] in
            let links = await client.links(to: message, in: room)
            queue.async { self.answered(links, to: message, in: room) }
        }
    }

    private func answered(_ links: Result<FileLinks, WireError>, to message: Message, in room: RoomName) {
        rooms[room]?.queries.linksAnswered()
        switch links {
        case .success(let links):
            let addresses = links.urls.map { webAddress($0, on: options.url) }
            output.print(addresses, until: links.until, to: message, in: labels[room])
        case .failure(let error): fail(error.message)
        }
        endIfDone()
    }

    private func message(with which: InputLine.Which?) throws(InputError) -> Message {
        guard let which else {
            guard let last = here.view?.messages.last(where: { !$0.content.files.isEmpty }) else {
                throw InputError("none of the messages shown has files")
            }
            return last
        }
        let id = try find(which)
        guard let message = here.view?[id], !message.content.files.isEmpty else {
            throw InputError("this message has no files")
        }
        return message
    }
}

extension ChatClient {
    /// Returns links to all files of a message, or the refusal.
    func links(to message: Message, in room: RoomName) async -> Result<FileLinks, WireError> {
        let places = message.content.files.map { FilePlace(message: message.id, file: $0.id) }
        do {
            return .success(try await self.room(room).links(to: places))
        } catch {
            let cancelled = WireError(.overloaded, "there was no answer")
            return .failure(error as? WireError ?? cancelled)
        }
    }
}
