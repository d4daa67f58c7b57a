/// The content codings that a client can read, from its `accept-encoding` header (RFC 9110, 12.5.3).
struct AcceptedCodings: Equatable {
    /// Whether an answer may be compressed by gzip. A coding with a weight of 0 is refused, and `*` is each that is not named.
    let containGzip: Bool

    /// - Parameter field: the header's value; `nil` when the client sent none, which gets the plain bytes.
    init(_ field: String?) {
        let codings = (field ?? "").lowercased().split(separator: ",").map(Self.coding)
        let wanted = codings.first { ["gzip", "x-gzip"].contains($0.name) } ?? codings.first { $0.name == "*" }
        containGzip = wanted?.isRefused == false
    }

    private static func coding(_ part: Substring) -> (name: String, isRefused: Bool) {
        let pieces = part.split(separator: ";").map { String($0.filter { $0 != " " && $0 != "\t" }) }
        let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
        return (pieces.first ?? "", weight <= 0)
    }
}
