package import JSON

extension JSONWriter {
    package mutating func id(_ key: String? = nil, _ id: UniqueID) {
        plainString(key) { id.append(to: &$0) }
    }
}
