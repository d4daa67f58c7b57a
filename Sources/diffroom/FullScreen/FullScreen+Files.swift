import ChatClient
import ChatWire
import Dispatch
import TerminalUI

/// The files that are sent from the screen, one message after the other.
extension FullScreen {
    func upload(_ line: FileLine, to room: RoomScreen) {
        guard hasPlace else { return showNotice("no room is open yet: Ctrl-K opens one") }
        let upload = Upload(line, to: room.name, by: client, options.url, authorities: options.authorities)
        hideNotice()
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
            restoreLine(of: upload)
            showNotice(why)
            ended(by: why)
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
    private func restoreLine(of upload: Upload) {
        guard let room = rooms[upload.room] else { return }
        if room.controls.draft.isEmpty { room.controls.draft.set("/upload \(upload.line.written)") }
    }

    /// - Parameter fault: the reason why the files were not sent; `nil` if they were, or the user has cancelled it.
    private func ended(by fault: String? = nil) {
        uploads.removeFirst()
        status.upload = nil
        if let next = uploads.first { return begin(next) }
        if isQuitting, unanswered.isEmpty { end(fault == nil ? .done : .failed, fault) }
    }
}
