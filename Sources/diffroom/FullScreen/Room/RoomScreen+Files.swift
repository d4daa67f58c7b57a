import ChatClient
import ChatWire
import Dispatch
import Foundation
import TerminalUI

/// The files of a room's messages, and those that a line names.
extension RoomScreen {
    /// Completes a path as far as all names in its folder agree.
    func complete(_ path: PathCompletion) {
        let folder = path.folder.expandingTilde(home: environment["HOME"])
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        let marked = names.map { name in
            var isFolder = ObjCBool(false)
            _ = unsafe files.fileExists(atPath: folder + name, isDirectory: &isFolder)
            return isFolder.boolValue ? name + "/" : name
        }
        guard let (text, found) = path.completed(among: marked) else {
            return showNotice("no file is called \(path.path)")
        }
        controls.editor.replace(last: path.typed.count, with: text[...])
        if found.count > 1 { showNotice(found.prefix(9).joined(separator: "  ")) }
    }

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
            let phrase =
                copied.count == 1 ? "the address, good until" : "the list of \(copied.count) addresses, good until"
            screen.copy(copied.joined(separator: "\n"), called: "\(phrase) \(look.calendar.time(links.until)),")
        }
        setNeedsDrawing()
    }
}
