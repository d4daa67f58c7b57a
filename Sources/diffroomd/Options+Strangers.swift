import CommandLineFlags
import WebSocketTransport

/// What is said of whom the server lets near it.
extension Options {
    static func origins(_ values: FlagValues) throws(FlagError) -> [String]? {
        guard let origins = list(values, "origin") else { return nil }
        for origin in origins where origin != "*" && origin.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\/]+/) == nil
        {
            throw .badValue("origin", origin, "must be an origin, such as https://chat.example, without a path; or *")
        }
        return origins
    }

    /// The values of a flag, and their parts that are separated by commas; `nil` when it was not given.
    static func list(_ values: FlagValues, _ name: String) -> [String]? {
        let parts = values.all(name).flatMap { $0.split(separator: /,\s*/) }
        return parts.isEmpty ? nil : parts.map { String($0) }
    }
}
