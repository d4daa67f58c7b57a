#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    extension IndexPath {
        /// The same place in UIKit's words.
        public init(_ path: ItemPath) {
            self.init(item: path.item, section: path.section)
        }
    }

    extension ItemPath {
        /// The same place in the words of Diffable.
        public init(_ path: IndexPath) {
            self.init(section: path.section, item: path.item)
        }
    }
#endif
