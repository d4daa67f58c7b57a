/// Stops the program because its own code broke a rule of this module, and says which identifier it broke it with.
///
/// `precondition` leaves its message out of release builds; this does not.
@usableFromInline
func misuse(_ message: String, _ caller: CallSite) -> Never {
    fatalError(message, file: caller.file, line: caller.line)
}

/// The line of the program that broke the rule: the one that called this module.
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
