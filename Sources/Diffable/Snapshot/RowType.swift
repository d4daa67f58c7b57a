/// The layout and the equality of a list's rows, for code that is compiled once for all types of identifiers.
///
/// Such code is not repeated in each program that uses it, which costs build time and space. It reads hashes directly,
/// and compares identifiers through ``countEqual``.
@frozen
@safe
@usableFromInline
struct RowType {
    @usableFromInline let identifier: Any.Type
    @usableFromInline let stride: Int
    /// The distance from where the rows of a page begin if they need no greater alignment than the page itself.
    @usableFromInline let start: Int
    /// The size of identifiers that are equal if their bytes are, which are the last of their rows; 0 for others.
    @usableFromInline let plainSize: Int
    /// Returns how many rows from two addresses on are equal, at most a number. The last argument is the distance to the
    /// next row, which is negative to go back.
    @usableFromInline let countEqual: (UnsafeRawPointer, UnsafeRawPointer, Int, Int) -> Int

    @inlinable
    @inline(__always)
    init<Item: Hashable>(_: Item.Type) {
        identifier = Item.self
        stride = MemoryLayout<Row<Item>>.stride
        start = max(MemoryLayout<Row<Item>>.alignment, 32) - 32
        plainSize = Item.self == Int.self || UUIDHash.isUUID(Item.self) ? MemoryLayout<Item>.size : 0
        if Item.self == String.self {
            unsafe countEqual = StringRows.countEqual
            return
        }
        unsafe countEqual = { a, b, limit, step in
            var (a, b, count) = unsafe (a, b, 0)
            while count < limit,
                unsafe a.assumingMemoryBound(to: Row<Item>.self).pointee.item
                    == b.assumingMemoryBound(to: Row<Item>.self).pointee.item
            {
                count &+= 1
                unsafe a += step
                unsafe b += step
            }
            return count
        }
    }

    /// Returns the address of the first row of a page. The page must live as long as the address is used.
    @inline(__always)
    func rows(of page: Pages<AnyIdentifier>.Page) -> UnsafeRawPointer {
        unsafe page.withUnsafeBufferPointer { unsafe UnsafeRawPointer($0.baseAddress.unsafelyUnwrapped) + start }
    }

    /// Returns the address of the first row of a page, which is not retained.
    @inline(__always)
    func rows(of number: Int, in pages: Pages<AnyIdentifier>) -> UnsafeRawPointer {
        if number == pages.openNumber { return unsafe rows(of: pages.open) }
        return unsafe rows(of: pages.tree.limbs[number >> 8][number >> 4 & 15][number & 15])
    }

    @inline(__always)
    func row(_ location: Location, of list: AnyList) -> UnsafeRawPointer {
        unsafe rows(of: location.page, in: list.pages) + location.offset * stride
    }

    /// Returns true if two rows have the same item.
    @inline(__always)
    func areSame(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        if unsafe a.rowHash != b.rowHash { return false }
        switch plainSize {
        case 8: return unsafe a.load(fromByteOffset: 8, as: UInt64.self) == b.load(fromByteOffset: 8, as: UInt64.self)
        case 16: return unsafe Self.haveSameWords(a + (stride - 16), b + (stride - 16))
        default: return unsafe countEqual(a, b, 1, 0) == 1
        }
    }

    @inline(__always)
    private static func haveSameWords(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        let (mine, theirs) = unsafe (a.loadUnaligned(as: UInt64.self), b.loadUnaligned(as: UInt64.self))
        let (next, other) = unsafe ((a + 8).loadUnaligned(as: UInt64.self), (b + 8).loadUnaligned(as: UInt64.self))
        return mine == theirs && next == other
    }
}

/// Stands for the type of an identifier in code that does not depend on it.
@frozen
@usableFromInline
struct AnyIdentifier: Hashable, Sendable {
    @usableFromInline let bits: UInt8
}

/// A list of any identifiers. Its places, counts and pages are those of the list, but it must not be asked for an
/// identifier or a row.
@usableFromInline typealias AnyList = Snapshot<AnyIdentifier, AnyIdentifier>

extension AnyList {
    /// A list that is read in place. A copy would retain every array, which takes longer than finding a change.
    @frozen
    @usableFromInline
    struct InPlace: ~Copyable {
        @usableFromInline let list: AnyList
    }
}

extension Snapshot {
    /// Calls `body` with the same list, without the types of its identifiers. All parts of a snapshot are references of
    /// the same size.
    @inlinable
    @inline(__always)
    func withAnyList<Result>(_ body: (borrowing AnyList.InPlace) -> Result) -> Result {
        unsafe withUnsafePointer(to: self) { list in
            unsafe list.withMemoryRebound(to: AnyList.InPlace.self, capacity: 1) { unsafe body($0.pointee) }
        }
    }
}

extension UnsafeRawPointer {
    /// The hash of the row at this address.
    @inline(__always)
    var rowHash: UInt32 { unsafe load(as: UInt32.self) }
}
