import Foundation
import TestSupport
import Testing

/// The list of databases in `--store`, which decides where each room is.
@Suite(.timeLimit(.minutes(5)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct DatabaseListTests {
    /// Two servers with different lists would serve two histories of the same rooms.
    @Test
    func aServerWhoseListDiffersDoesNotStart() async throws {
        let names = ["a", "b", "c"].map { "\($0)-\(UUID())" }
        let all = try names.map { try ThrowawayPostgres.shared.get().address(for: $0) }
        let first = try await Server(store: "\(all[0]),\(all[1])", host: "127.0.0.1")
        let second = try await Server(store: "\(all[0]),\(all[1])", host: "127.0.0.1")

        for wrong in [[1, 0], [0], [1], [0, 2], [2, 1], [0, 0], [0, 1, 2], [2, 0, 1]] {
            let list = wrong.map { all[$0] }.joined(separator: ",")
            let refusal = await #expect(throws: DidNotStart.self, "\(wrong)") {
                try await Server(store: list, host: "127.0.0.1")
            }
            #expect(refusal?.complaint.contains(": name ") == true, "\(wrong): \(refusal?.complaint ?? "")")
        }
        try await first.answered()
        try await second.answered()
    }
}
