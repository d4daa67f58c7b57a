/// Stops the program because its own code broke a rule of this module, and says which identifier it broke it with.
///
/// `precondition` leaves its message out of release builds; this does not.
@usableFromInline
func misuse(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}
