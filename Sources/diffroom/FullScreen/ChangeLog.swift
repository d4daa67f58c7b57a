import ChatClient
import Foundation

/// A file of the changes that come while rooms are on the screen, as ``PlainText`` formats them.
struct ChangeLog {
    private let file: FileHandle
    private var text = PlainText(colours: .off, rooms: .several, clock: localTime)

    init(_ path: String) throws(FileError) {
        file = try FileHandle(appendingTo: path)
    }

    /// Adds a change, unless it shows messages that were there before.
    ///
    /// - Throws: the reason why the file cannot be written, such as a full disk.
    mutating func append(_ change: RoomChange) throws {
        guard change.cause == .live || change.cause == .caughtUp else { return }
        let lines = text.lines(for: change)
        if !lines.isEmpty { try file.write(contentsOf: Data(lines.utf8)) }
    }
}
