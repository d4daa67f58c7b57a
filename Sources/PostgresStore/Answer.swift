import CPostgres
import ChatRoom
import ChatWire

/// The result of one statement, freed with this value.
final class Answer {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        PQclear(handle)
    }

    var rows: [Row] {
        (0..<PQntuples(handle)).map { Row(answer: self, index: $0) }
    }
}

/// One row of an answer. Its columns are in the binary format.
struct Row {
    let answer: Answer
    let index: Int32

    func isNull(_ column: Int32) -> Bool {
        PQgetisnull(answer.handle, index, column) == 1
    }

    func integer(_ column: Int32) throws(PostgresFailure) -> Int64 {
        try value(column, as: Int64.self)
    }

    func revision(_ column: Int32) throws(PostgresFailure) -> Revision {
        try natural(column)
    }

    func time(_ column: Int32) throws(PostgresFailure) -> Milliseconds {
        Milliseconds(try natural(column))
    }

    func activity(_ column: Int32) throws(PostgresFailure) -> ActivityStamp {
        guard let stamp = ActivityStamp(known: try integer(column)) else { throw senseless(column) }
        return stamp
    }

    /// Returns an integer that fits the wire. No version of this program writes another one as a revision, a time or a
    /// count.
    func natural(_ column: Int32) throws(PostgresFailure) -> UInt64 {
        guard let value = UInt64(exactly: try integer(column)), value < WireInteger.limit else {
            throw senseless(column)
        }
        return value
    }

    func id(_ column: Int32) throws(PostgresFailure) -> UniqueID {
        let bytes = bytes(column)
        guard bytes.count == 16 else { throw senseless(column) }
        return UniqueID(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.suffix(8)))
    }

    func text(_ column: Int32) -> String {
        String(decoding: raw(column), as: UTF8.self)
    }

    /// Returns the bytes; NULL is no bytes.
    func bytes(_ column: Int32) -> [UInt8] {
        Array(raw(column))
    }

    /// Returns the failure for a value that no version of this program writes, with the room that the row names.
    func senseless(_ column: Int32) -> PostgresFailure {
        let name = PQfnumber(answer.handle, "name")
        return .senseless(
            column: PQfname(answer.handle, column).map { String(cString: $0) } ?? "\(column)",
            room: name < 0 || name == column ? nil : RoomName(known: text(name)))
    }

    private func raw(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = PQgetvalue(answer.handle, index, column)
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(answer.handle, index, column)))
    }

    private func value<Value: FixedWidthInteger>(_ column: Int32, as: Value.Type) throws(PostgresFailure) -> Value {
        let bytes = raw(column)
        guard bytes.count == MemoryLayout<Value>.size else { throw senseless(column) }
        return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
