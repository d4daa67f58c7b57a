package import ChatWire
import Foundation

extension UserName {
    /// As somebody typed it: keyboards and files write some letters as two characters, where a name has one.
    package init?(typed text: String) {
        self.init(text.precomposedStringWithCanonicalMapping)
    }
}
