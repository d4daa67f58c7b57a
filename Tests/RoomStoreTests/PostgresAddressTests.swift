import TestSupport
import Testing

@testable import PostgresStore

/// Addresses of databases, which may hold a password.
struct PostgresAddressTests {
    /// Returns all that may be logged of an address: its place and machines, or its fault.
    private func shown(_ text: String) -> String {
        do {
            let address = try PostgresAddress(text)
            return "\(address.place) \(address.hosts.map(\.name))"
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("postgres://u:hun%zzter2@h/db", "%25"), ("postgres://u:hun@ter2@h/db", "%40"),
        ("postgres://u:hun/ter2@h/db", "%2F"), ("postgres://u:hun?ter2@h/db", "%3F"),
        ("postgres://u:hunter2/db", "number"), ("postgres://h/db?hunter2", "NAME=VALUE"),
        ("postgres://u:1?hun=ter2@h/db", "NAME=VALUE"), ("postgres://h/?colour=blue", "'colour'"),
        ("postgres://h:54x2/db", "number"), ("postgres://[::1]:x/db", "number"),
    ])
    func aFaultIsNamedWithWhatWouldBeRight(text: String, hint: String) {
        let error = #expect(throws: PostgresAddressError.self) { try PostgresAddress(text) }

        #expect(error?.description.contains(hint) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("postgres://chat@db1,db2/chat", "database chat at db1,db2"),
        ("postgres://u:hun%40ter%2F2%25@h:5432/db?sslmode=verify-full", "database db at h:5432"),
        ("postgresql://u:p:q[r]#s,t@[::1]:5432,h2:5433/db", "database db at ::1,h2:5432,5433"),
        ("postgres:///db?user=ann@cloud&host=/run/pg", "database db at /run/pg"),
        ("postgres://h?ssl=true", "database of the user's name at h"),
    ])
    func aRightOneHasAPlace(text: String, place: String) throws {
        #expect(try PostgresAddress(text).place == place)
    }

    /// Passwords with any signs, not written as codes.
    @Test func noPieceOfAPasswordIsShown() {
        var random = SplitMix64(seed: 1)
        let signs = Array("@/?%:,#&=[] 1;'\"+")
        for _ in 0..<2_000 {
            let pieces = ["QaX", "ZbY", "KcW"]
            let password = pieces.reduce("") { text, piece in
                let count = Int.random(in: 0...2, using: &random)
                return text + String((0..<count).map { _ in signs.randomElement(using: &random)! }) + piece
            }
            let user = Bool.random(using: &random) ? "u:" : "u:\(signs.randomElement(using: &random)!)"

            let shown = shown("postgres://\(user)\(password)@host/base")

            #expect(!pieces.contains { shown.contains($0) }, "\(password): \(shown)")
        }
    }
}
