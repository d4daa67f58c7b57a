import ChatWire
import RoomStore

/// The contents of a ``ControlFile``.
///
/// - Shape: in the file, five little-endian numbers of 8 bytes after a word that names the format, and FNV-1a/64 over
///   all of them. It is smaller than a sector, so a power cut leaves the old record or the new.
struct ControlRecord: Equatable {
    /// The last session of the data.
    var session: Int64 = 0
    /// The session that was about to begin.
    var next: Int64 = 0
    /// The room, by its id in the file, and the revision that a commit gave it.
    var room: Int64 = 0
    var revision: Revision = 0
    var copying = Copying.done

    enum Copying: Int64 {
        case done = 0
        case underWay = 1
    }

    private static let name = Array("DfRmCtl1".utf8)
    static let size = 56
}

extension ControlRecord {
    var bytes: [UInt8] {
        var bytes = Self.name
        bytes.reserveCapacity(Self.size)
        for number in [session, next, room, Int64(clamping: revision), copying.rawValue] {
            bytes.append(number: UInt64(bitPattern: number))
        }
        bytes.append(number: Self.checksum(bytes))
        return bytes
    }

    /// `nil` for an incomplete record.
    init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size, bytes.starts(with: Self.name) else { return nil }
        let numbers = stride(from: Self.name.count, to: Self.size, by: 8).map { start in
            bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard numbers[5] == Self.checksum(bytes.dropLast(8)) else { return nil }
        guard let copying = Copying(rawValue: Int64(bitPattern: numbers[4])) else { return nil }
        session = Int64(bitPattern: numbers[0])
        next = Int64(bitPattern: numbers[1])
        room = Int64(bitPattern: numbers[2])
        revision = numbers[3]
        self.copying = copying
    }

    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }
}
