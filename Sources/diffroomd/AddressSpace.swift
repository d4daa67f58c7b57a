import Foundation

/// The limit on the program's address space.
enum AddressSpace {
    /// The least limit in KiB, as `ulimit -v` counts.
    ///
    /// Under load the program was seen to map 880,000 KiB, mostly stacks and the allocator's reserve.
    static let least: rlim_t = 1 << 20

    /// The limit is too low: Dispatch would wait for ever for a thread that cannot be created.
    struct TooSmall: Error, CustomStringConvertible {
        let limit: rlim_t

        var description: String {
            "the address space is limited to \(limit) KiB (ulimit -v): at least \(least) are needed, or 'unlimited'"
        }
    }

    /// - Throws: ``TooSmall``.
    static func check() throws {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return }
        if limit.rlim_cur / 1_024 < least { throw TooSmall(limit: limit.rlim_cur / 1_024) }
    }
}
