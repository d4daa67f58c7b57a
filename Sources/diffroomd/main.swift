import ChatServer
import ChatWire
import CommandLineFlags
import Foundation
import SQLiteStore
import WebSocketTransport

do {
    let values = try program.parse(CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
    if values.isOn("help") {
        print(program.help)
    } else if values.isOn("version") {
        print("diffroomd \(diffroomVersion)")
    } else {
        try serve(try Options(values, isTerminal: isatty(STDERR_FILENO) == 1))
    }
} catch let error as FlagError {
    complain(error, status: 2)
} catch {
    complain(error, status: 1)
}

/// Serves until a signal ends it.
func serve(_ options: Options) throws -> Never {
    try AddressSpace.check()
    var signals = EndingSignals()
    let log = ServerLog(format: options.logFormat, level: options.logLevel)
    let store = try SQLiteStore(path: options.data)
    let server = try ChatServer(configuration: options.server, store: store, log: log)
    announce(server, options, log)
    signals.wait { server.drain() }
}

/// Says on standard output where it listens, for people and for scripts.
func announce(_ server: ChatServer, _ options: Options, _ log: ServerLog) {
    let host = options.server.transport.host
    let address = "\(host.contains(":") ? "[\(host)]" : host):\(server.port)"
    let client = CommandLine.arguments[0].replacing(/d$/, with: "")
    let text = """
        diffroomd \(diffroomVersion) is listening on ws://\(address)
        In a browser: http://\(address)/?room=lobby
        In another terminal: \(client) ws://\(address) --room lobby --user ann

        """
    FileHandle.standardOutput.write(Data(text.utf8))
    log(.info, "listening", ["address": address, "data": options.data])
    log(.warning, "there are no tokens: a user's name is only a claim, and anybody who connects may make it")
}

func complain(_ error: any Error, status: Int32) -> Never {
    FileHandle.standardError.write(Data("diffroomd: \(error)\n".utf8))
    exit(status)
}
