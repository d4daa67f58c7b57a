import ChatWire
import CommandLineFlags
import Foundation
import WebSocketTransport

do {
    try load(
        program.begin(
            environment: ProcessInfo.processInfo.environment, version: diffroomVersion, understand: Options.init
        ).options)
} catch {
    fail("\(error)")
}

func load(_ options: Options) throws {
    raiseDescriptorLimit()
    if let part = Parts.own {
        return try write(Harness(options, part: part).run(progress: { _ in }))
    }
    let report =
        options.processes > 1
        ? try Parts.run(options)
        : try Harness(options, part: Load.Part(index: 0, count: 1)).run(progress: showProgress)
    showProgress("")
    if options.wantsJSON { try write(Summary(report, options)) } else { try Console.print(report.table(options)) }
    if !report.isAllRight { exit(1) }
}

func write(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try Console.print(String(decoding: encoder.encode(value), as: UTF8.self))
}

/// Writes a line over the last one, on a terminal.
func showProgress(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(line)".utf8))
}

func fail(_ what: String) -> Never {
    Console.writeError("diffroom-load: \(what)")
    exit(1)
}
