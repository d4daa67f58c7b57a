/// The state of a text that is not complete: it still grows, or it ended early.
///
/// ```swift
/// MessageContent("Let me see", growth: .open)   // an assistant goes on with it
/// ```
public enum Growth: Equatable, Sendable {
    case open
    case ended(Ending)

    package var ending: Ending? {
        if case .ended(let ending) = self { ending } else { nil }
    }

    /// The reason why a text is not complete.
    public enum Ending: String, Sendable, CaseIterable {
        /// Its author ended it early.
        case stopped
        /// Its author could not go on.
        case failed
        /// Its author was silent for a minute. Only the server says so.
        case interrupted

        /// Those that an author may give.
        package static let given: [Ending] = [.stopped, .failed]
    }
}

/// A step by which an author goes on with an open message, or closes it.
///
/// ```swift
/// GrowthStep.append(" world", at: 5)   // to a text of five bytes
/// GrowthStep.close()                   // it is complete
/// ```
public enum GrowthStep: Equatable, Sendable {
    /// Adds a text to the end. `at` is the size of the text before, in bytes of UTF-8.
    case append(String, at: Int)
    /// Ends the growth. `nil` if the text is complete.
    case close(Growth.Ending? = nil)

    /// The size of what it adds, in bytes.
    package var size: Int {
        switch self {
        case .append(let text, _): text.utf8.count
        case .close: 0
        }
    }

    /// Returns whether all is equal, the text byte by byte.
    package func isSame(as other: GrowthStep) -> Bool {
        switch (self, other) {
        case (.append(let text, let size), .append(let before, let sizeBefore)):
            size == sizeBefore && text.hasBytes(of: before)
        case _: self == other
        }
    }
}

extension MessageContent {
    /// Returns the content after a step; `nil` if it is not open, or if its text has another size than the step says.
    package func grown(by step: GrowthStep) -> MessageContent? {
        guard growth == .open else { return nil }
        var grown = self
        switch step {
        case .append(let added, let size):
            guard text.utf8.count == size else { return nil }
            grown.text += added
        case .close(let ending): grown.growth = ending.map(Growth.ended)
        }
        return grown
    }
}
