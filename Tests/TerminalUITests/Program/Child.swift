import Foundation
import TestSupport

/// A running program whose standard output is read.
final class Child {
    private let process: ChildProcess
    private let output: FileHandle

    init(_ program: String, _ arguments: [String], input: Int32? = nil) throws {
        let pipe = try ChildPipe()
        process = try ChildProcess(program, arguments, input: input, output: pipe.writing.fileDescriptor)
        try pipe.writing.close()
        output = pipe.reading
    }

    func readLine() -> String {
        var text = ""
        while !text.contains("\n"), case let data = output.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
        }
        return text
    }

    /// Returns all its output until it ends.
    func readToEnd() -> String {
        let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        process.wait()
        return text
    }

    func signal(_ number: Int32) {
        process.kill(number)
    }

    func kill() {
        process.kill(SIGKILL)
        process.wait()
    }
}

/// Runs a program to its end and returns what it wrote.
func output(of program: String, _ arguments: [String], input: String = "") throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forReadingFrom: file)
    return try Child(program, arguments, input: handle.fileDescriptor).readToEnd()
}
