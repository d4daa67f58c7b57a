import FoundationEssentials

// The frames as Codable types, as one would write them with Foundation. They check less than ours: no names, no ranges,
// no `type`. The caller knows the type of each frame before decoding it.

struct SendMirror: Codable {
    var type: String
    var room: String
    var id: UUID
    var text: String
    var replyTo: UUID?
    var ref: UInt64
}

struct ReactionMirror: Codable {
    var emoji: String
    var users: [String]
}

struct MessageMirror: Codable {
    var id: UUID
    var section: String?
    var sort: UInt64
    var rev: UInt64
    var author: String
    var time: Int64
    var text: String
    var edited: Int64?
    var replyTo: UUID?
    var reactions: [ReactionMirror]?
}

struct DiffMirror: Codable {
    var type: String
    var list: String
    var epoch: String
    var from: UInt64
    var to: UInt64
    var del: [UUID]?
    var ins: [MessageMirror]?
    var rel: [MessageMirror]?
    var count: Int
    var digest: UInt32
    var ref: UInt64?
}

struct SectionMirror: Codable {
    var id: String
    var rows: [MessageMirror]
}

struct SnapshotMirror: Codable {
    var type: String
    var list: String
    var epoch: String
    var revision: UInt64
    var joined: UInt64
    var why: String
    var sections: [SectionMirror]
    var more: Bool
    var count: Int
    var digest: UInt32
    var ref: UInt64?
}
