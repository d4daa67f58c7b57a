import Diffable
import FoundationEssentials

// The names that the code of the guide uses, and that an app has.

enum GuideSection: CaseIterable {
    case history
    case socket
    case inbox
    case archive

    var title: String { "\(self)" }
}

enum Message {
    typealias ID = UUID
}

enum Song {
    typealias ID = String
}

/// The texts of messages.
final class GuideStore {
    var texts: [Message.ID: String] = [:]
    var fixed: Set<Song.ID> = []

    func text(of id: Message.ID) -> String { texts[id] ?? "?" }

    func title(of id: Song.ID) -> String { "♪ " + id }

    func isMine(_ id: Song.ID) -> Bool { !fixed.contains(id) }

    func add(_ texts: String...) -> [Message.ID] {
        texts.map { text in
            let id = Message.ID()
            self.texts[id] = text
            return id
        }
    }
}

extension GuideTests {
    typealias ChatSection = GuideSection
    typealias SongTable = RecordingTable<Int, Song.ID>
}
