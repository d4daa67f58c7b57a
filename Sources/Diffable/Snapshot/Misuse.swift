/// Stops the program because its code broke a rule of this module, with a message that names the identifier.
///
/// `precondition` leaves its message out of release builds. This function does not.
@usableFromInline
func misuse(_ message: String, _ caller: CallSite) -> Never {
    fatalError(message, file: caller.file, line: caller.line)
}

/// Stops the program because identifiers break the rule on which every lookup depends.
@usableFromInline
func unequalHashes(of type: Any.Type) -> Never {
    fatalError(
        """
        Equal identifiers of type \(type) have different hashes. The type violates Hashable's requirements, or an \
        identifier that is an object has changed since it was added to a list.
        """)
}

/// The line of the program that called this module.
@frozen
@usableFromInline
struct CallSite {
    @usableFromInline var file: StaticString
    @usableFromInline var line: UInt

    @inlinable
    init(_ file: StaticString = #fileID, _ line: UInt = #line) {
        self.file = file
        self.line = line
    }
}
