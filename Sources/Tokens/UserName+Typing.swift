package import ChatWire
import Foundation

extension UserName {
    /// Makes a name of typed text.
    ///
    /// Keyboards and files write some letters as two characters, where a name has one.
    package init?(typed text: String) {
        self.init(text.precomposedStringWithCanonicalMapping)
    }
}
