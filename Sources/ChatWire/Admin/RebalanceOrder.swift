/// An operator's order to send connections to the servers of their rooms: `{"seconds": 60}`.
package struct RebalanceOrder: Equatable, Sendable {
    /// The time over which the connections are closed.
    package let seconds: UInt64

    private static let longest: UInt64 = 3_600

    package init(json: [UInt8]) throws(WireError) {
        let fields = try Fields(body: json)
        seconds = try fields.optionalNatural("seconds") ?? 60
        guard seconds <= Self.longest else {
            throw fields.error("seconds", "\(seconds) is not right, must be a whole number from 0 to \(Self.longest)")
        }
    }
}
