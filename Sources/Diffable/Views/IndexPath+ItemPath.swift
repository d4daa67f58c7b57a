#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit
#elseif canImport(AppKit)
    public import AppKit
    public import Diffable
#endif

#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    extension IndexPath {
        /// The same place in the terms of UIKit and AppKit.
        public init(_ path: ItemPath) {
            self.init(item: path.item, section: path.section)
        }
    }

    extension ItemPath {
        /// The same place in Diffable's terms.
        public init(_ path: IndexPath) {
            self.init(section: path.section, item: path.item)
        }
    }
#endif
