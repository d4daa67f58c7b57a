import ChatClient
import ChatWire
import Dispatch
import TerminalUI

/// The files that are sent from the screen, one message after the other.
extension FullScreen {
    func upload(_ line: FileLine, to room: RoomScreen) {
        guard hasPlace else { return showNotice("no room is open yet: Ctrl-K opens one") }
        let upload = Upload(line, to: room.name, by: client, options.url, authorities: options.authorities)
        uploads.append(upload)
        if uploads.count == 1 { begin(upload) } else { showNotice("it is sent after the upload before it") }
    }

    private func begin(_ upload: Upload) {
        status.upload = "↑ " + upload.line.names.joined(separator: ", ")
        setNeedsDrawing()
        upload.start(home: environment["HOME"]) { [self] event in
            queue.async {
                self.handle(event, of: upload)
                self.setNeedsDrawing()
            }
        }
    }

    private func handle(_ event: Upload.Event, of upload: Upload) {
        switch event {
        case .progressed(let file, let count): status.upload = "↑ \(file.name) \(count * 100 / file.size) %"
        case .waits(let file, let why): status.upload = "↑ \(file.name) waits: \(why)"
        case .uploaded(let files):
            send(files, of: upload)
            ended()
        case .failed(let why):
            giveBack(upload)
            showNotice(why)
            ended()
        case .cancelled:
            showNotice("the upload is cancelled")
            ended()
        }
    }

    private func send(_ files: [Attachment], of upload: Upload) {
        let text = upload.line.text
        let room = rooms[upload.room]
        let content = MessageContent(files, text, mentions: room?.mentions(in: text) ?? [])
        noteSent(client.send(content, to: upload.room, as: upload.message))
        room?.pending.add(upload.message, content.text)
    }

    /// Brings the line of an upload that has failed back, so that it can be corrected.
    private func giveBack(_ upload: Upload) {
        guard let room = rooms[upload.room] else { return }
        if room.controls.draft.isEmpty { room.controls.draft.set("/upload \(upload.line.written)") }
    }

    private func ended() {
        uploads.removeFirst()
        status.upload = nil
        if let next = uploads.first { return begin(next) }
        if isQuitting, unanswered.isEmpty { end(.done) }
    }
}

extension RoomScreen {
    /// Copies links to the files of a message, and shows them below it.
    ///
    /// - Parameters:
    ///   - id: `nil` for the last message that has files.
    ///   - file: the only one to copy the link of; `nil` for all.
    func copyLinks(of id: MessageID?, only file: FileID? = nil) {
        let last = view?.messages.last { !$0.content.files.isEmpty }
        guard let message = id.flatMap({ view?[$0] }) ?? (id == nil ? last : nil) else {
            return showNotice("none of the messages shown has files")
        }
        Task { [client, name, screen] in
            let links = await client.links(to: message, in: name)
            screen.queue.async { self.show(links, to: message, only: file) }
        }
    }

    private func show(_ links: Result<FileLinks, WireError>, to message: Message, only file: FileID?) {
        switch links {
        case .failure(let error): showNotice(error.message)
        case .success(let links):
            let addresses = links.urls.map { webAddress($0, on: screen.options.url) }
            for (file, address) in zip(message.content.files, addresses) {
                look.links[FilePlace(message: message.id, file: file.id)] = address
            }
            list.forgetCells { $0.message == message.id }
            let copied = zip(message.content.files, addresses).filter { file == nil || $0.0.id == file }.map(\.1)
            let phrase = copied.count == 1 ? "the address, good until" : "\(copied.count) addresses, good until"
            screen.copy(copied.joined(separator: "\n"), called: "\(phrase) \(look.calendar.time(links.until)),")
        }
        setNeedsDrawing()
    }
}
