import Glibc
import JSON

extension Program {
    /// Reads the file that `--config` names, or the user's own. It sets only what no other source has set.
    ///
    /// - Parameter parent: the program that this is a subcommand of; the file may belong to it.
    func readFile(into values: inout FlagValues, _ environment: [String: String], of parent: Program?) {
        guard let path = values["config"] ?? (parent ?? self).userFile(environment) else { return }
        let root: JSONValue
        do throws(FlagError) { root = try object(in: path) } catch { return values.note(error, about: ["config"]) }
        var lines: [String: Int] = [:]
        for (key, line, value) in root.members {
            do throws(FileFault) {
                if let earlier = lines.updateValue(line, forKey: key) { throw .twice(key, earlier: earlier) }
                let isOfParent = parent?.flags.contains { $0.name == key } ?? false
                if isOfParent, !flags.contains(where: { $0.name == key }) { continue }
                let texts = try setting(key).texts(of: value)
                if values.given[key] != nil { continue }
                values.given[key] = FlagValues.Setting(texts: texts, source: .file(path, line: line))
            } catch {
                values.note(.badFile(path, line: line, error.description), about: error.flag.map { [$0] } ?? [])
            }
        }
    }

    /// Returns the path of the user's file of settings; `nil` if there is none.
    ///
    /// - Source: the XDG Base Directory Specification.
    private func userFile(_ environment: [String: String]) -> String? {
        guard let userFile else { return nil }
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let path = (folder ?? environment["HOME"].map { "\($0)/.config" }).map { "\($0)/\(userFile)" }
        return path.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    }

    private func object(in path: String) throws(FlagError) -> JSONValue {
        let root: JSONValue
        let bytes = try contents(of: path)
        do throws(JSONError) {
            root = try JSONTape(bytes).root
        } catch {
            throw .badFile(path, line: error.line(in: bytes), error.message)
        }
        guard root.kind == .object else {
            throw .badFile(path, line: 1, "found \(root.article), must be an object: {\"\(flags[0].name)\": …}")
        }
        return root
    }

    private func setting(_ key: String) throws(FileFault) -> Flag {
        let settings = flags.filter { !$0.has(.request) && $0.name != "config" }
        if let flag = settings.first(where: { $0.name == key }) { return flag }
        if flags.contains(where: { $0.name == key }) { throw .noSetting(key) }
        throw .unknown(key, nearest: nearest(to: key, among: settings))
    }
}

/// A mistake in one line of a file.
private enum FileFault: Error, CustomStringConvertible {
    case unknown(String, nearest: String?)
    case noSetting(String)
    case twice(String, earlier: Int)
    case wrongType(String, found: String, expected: String)
    case masked(String)
    case empty(String, String)

    /// The flag that was meant.
    var flag: String? {
        switch self {
        case .unknown(_, let nearest): nearest
        case .noSetting(let key), .twice(let key, _), .wrongType(let key, _, _), .masked(let key),
            .empty(let key, _):
            key
        }
    }

    var description: String {
        switch self {
        case .unknown(let key, let nearest):
            "there is no setting '\(key)'\(nearest.map { "; did you mean '\($0)'?" } ?? ""); --help lists them all"
        case .noSetting(let key): "'\(key)' can only be given on the command line"
        case .twice(let key, let earlier): "'\(key)' stands on line \(earlier) already"
        case .wrongType(let key, let found, let expected): "\(key): found \(found), must be \(expected)"
        case .masked(let key): "\(key): '\(FlagError.mask)' stands for a secret that was not printed: write it out"
        case .empty(let key, let value): "\(key) needs a value: \(value)"
        }
    }
}

extension Flag {
    fileprivate func texts(of json: JSONValue) throws(FileFault) -> [String] {
        guard value != nil else {
            guard let isOn = json.boolean else { throw wrongType(json, "true or false") }
            return isOn ? [""] : []
        }
        if has(.repeatable), let elements = json.elements {
            var texts: [String] = []
            for element in elements { texts += try values(in: element) }
            return texts
        }
        return try values(in: json)
    }

    private func values(in json: JSONValue) throws(FileFault) -> [String] {
        let expected = "a string or a number" + (has(.repeatable) ? ", or an array of them" : "")
        guard let text = json.string ?? json.numeral else { throw wrongType(json, expected) }
        if has(.secret), text == FlagError.mask { throw .masked(name) }
        let texts = texts(of: text)
        guard !texts.isEmpty else { throw .empty(name, value ?? "") }
        return texts
    }

    private func wrongType(_ found: JSONValue, _ expected: String) -> FileFault {
        .wrongType(name, found: found.article, expected: expected)
    }
}

extension JSONValue {
    fileprivate var numeral: String? {
        kind == .natural || kind == .number ? source : nil
    }
}

/// Returns the whole contents of a file.
private func contents(of path: String) throws(FlagError) -> [UInt8] {
    guard let file = fopen(path, "r") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    guard ferror(file) == 0 else { throw unreadable(path) }
    return bytes
}

private func unreadable(_ path: String) -> FlagError {
    .badFile(path, line: nil, "cannot be read: \(String(cString: strerror(errno)))")
}
