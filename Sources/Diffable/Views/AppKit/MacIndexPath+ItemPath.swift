#if canImport(AppKit) && !canImport(UIKit)
    public import Diffable
    public import AppKit

    extension IndexPath {
        /// The same place in AppKit's words.
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
