package import ChatWire

/// The pinned messages of a room, in the order that its moderators gave them.
///
/// ```swift
/// var pins = Pins()
/// try pins.put(rules, at: 7, .last, most: 100)
/// try pins.put(agenda, at: 9, .before(rules), most: 100)
/// pins.map(\.message)   // agenda, rules
/// ```
///
/// - Shape: the entries ascend by place.
public struct Pins: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let message: MessageID
        /// The message's own sort key in the room.
        package let sort: UInt64
        /// The sort key of its row in the list of pinned messages.
        package let place: UInt64

        package init(message: MessageID, sort: UInt64, place: UInt64) {
            (self.message, self.sort, self.place) = (message, sort, place)
        }
    }

    package private(set) var entries: [Entry]

    /// The distance between two places at first. Between them twenty messages can be put, one before the other, until
    /// all get new places.
    package static let distance: UInt64 = 1 << 20

    /// - Returns: `nil` unless the entries ascend by place, and are of different messages.
    package init?(_ entries: [Entry]) {
        guard zip(entries, entries.dropFirst()).allSatisfy({ $0.place < $1.place }),
            entries.allSatisfy({ $0.place < WireInteger.limit }), Set(entries.map(\.message)).count == entries.count
        else { return nil }
        self.entries = entries
    }

    public init() {
        entries = []
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// Pins a message, or moves it.
    ///
    /// - Parameters:
    ///   - sort: the message's own sort key.
    ///   - most: the number of pinned messages that there may be.
    /// - Complexity: O(entries).
    package mutating func put(
        _ message: MessageID, at sort: UInt64, _ place: PinPlace, most: Int
    ) throws(Refusal) {
        let old = entries.firstIndex { $0.message == message }
        if old != nil, place == .last { return }
        guard old != nil || entries.count < most else { throw .tooManyPins(most: most) }
        var others = entries
        if let old { others.remove(at: old) }
        let index = try index(for: place, among: others)
        guard index != old else { return }
        let free = Self.freePlace(at: index, among: others)
        others.insert(Entry(message: message, sort: sort, place: free ?? 0), at: index)
        entries = free == nil ? Self.spread(others) : others
    }

    /// - Returns: whether it was pinned.
    package mutating func remove(_ message: MessageID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.message == message }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Returns the pins without those of messages that were trimmed.
    ///
    /// - Parameter start: the first sort key that the room has kept.
    package func since(_ start: UInt64) -> Pins {
        var pins = self
        if entries.contains(where: { $0.sort < start }) { pins.entries.removeAll { $0.sort < start } }
        return pins
    }

    private func index(for place: PinPlace, among others: [Entry]) throws(Refusal) -> Int {
        let (anchor, step) =
            switch place {
            case .last: (nil as MessageID?, 0)
            case .before(let id): (id, 0)
            case .after(let id): (id, 1)
            }
        guard let anchor else { return others.count }
        guard let index = others.firstIndex(where: { $0.message == anchor }) else { throw .notPinned(anchor) }
        return index + step
    }

    /// Returns a place between two entries; `nil` if there is none.
    private static func freePlace(at index: Int, among others: [Entry]) -> UInt64? {
        let low = index > 0 ? others[index - 1].place : 0
        guard index < others.count else {
            let place = low + distance
            return place < WireInteger.limit ? place : nil
        }
        let high = others[index].place
        return high - low > 1 ? low + (high - low) / 2 : nil
    }

    private static func spread(_ entries: [Entry]) -> [Entry] {
        entries.enumerated().map { index, entry in
            Entry(message: entry.message, sort: entry.sort, place: UInt64(index + 1) * distance)
        }
    }
}
