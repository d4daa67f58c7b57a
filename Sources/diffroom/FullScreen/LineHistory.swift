import Foundation

/// A file of the lines that the user has written. ↑ brings them back after the next start.
///
/// - Shape: each line of the file is a JSON string. Only the user can read the file.
struct LineHistory {
    /// The most lines that are read.
    static let limit = 200
    /// The bytes above which the file is written anew with the lines that were read.
    private static let largest = 1 << 20

    /// The lines of earlier starts, the latest last.
    let lines: [String]
    private let file: FileHandle?

    /// - Parameter path: `nil` for a history that is not kept. One that cannot be opened is not kept, either.
    init(_ path: String?) {
        let contents = path.flatMap { FileManager.default.contents(atPath: $0) } ?? Data()
        let decoder = JSONDecoder()
        lines = contents.split(separator: UInt8(ascii: "\n")).suffix(Self.limit)
            .compactMap { try? decoder.decode(String.self, from: $0) }
        file = path.flatMap { Self.open($0, isTooLarge: contents.count > Self.largest) }
        if contents.count > Self.largest { for line in lines { append(line) } }
    }

    private static func open(_ path: String, isTooLarge: Bool) -> FileHandle? {
        try? FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try? FileHandle(appendingTo: path, isEmptied: isTooLarge)
    }

    /// Adds a line. A full disk is no reason to end a chat.
    func append(_ line: String) {
        guard let file, let json = try? JSONEncoder().encode(line) else { return }
        try? file.write(contentsOf: json + [UInt8(ascii: "\n")])
    }
}
