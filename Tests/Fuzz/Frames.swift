import ChatWire

// Frames from anybody: reading one never traps, and what can be read can be written and read again.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let json = Array(UnsafeBufferPointer(start: start, count: count))
    if let frame = try? ClientFrame(json: json) {
        guard let again = try? ClientFrame(json: frame.json), again == frame else { fatalError("\(frame)") }
    }
    if let frame = (try? ServerFrame(json: json))?.written {
        guard let again = try? ServerFrame(json: frame.json), again == frame else { fatalError("\(frame)") }
    }
    return 0
}

extension ServerFrame {
    /// The frame as a server of this version writes it: what it inserts stands in the section `socket`, and it has no
    /// operation of a later version.
    fileprivate var written: ServerFrame {
        guard case .diff(let ref, let list, let epoch, var diff as ListDiff<Message>) = self else { return self }
        diff.unknownOperation = nil
        for index in diff.insertions.indices { diff.insertions[index].section = .socket }
        return .diff(ref: ref, list, epoch, diff)
    }
}
