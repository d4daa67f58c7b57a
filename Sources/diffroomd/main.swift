import ChatServer
import ChatWire
import CommandLineFlags
import Foundation
import Tokens
import WebSocketTransport

program.runSubcommand()
do {
    let (options, values) = program.begin(
        environment: ProcessInfo.processInfo.environment, version: diffroomVersion, understand: Options.init,
        check: { options throws(FlagError) in
            try options.check()
            for exposure in options.exposures { Console.writeError("diffroomd: \(exposure)") }
        })
    try serve(options, values)
} catch {
    fail(with: error)
}

func fail(with error: any Error) -> Never {
    Console.writeError("diffroomd: \(error)")
    exit(1)
}

/// Serves until a signal ends the program.
func serve(_ options: Options, _ values: FlagValues) throws -> Never {
    try AddressSpace.check()
    var signals = ProcessSignals()
    let log = ServerLog(format: options.logFormat, level: options.logLevel)
    let store = try options.place.open(log)
    let configuration = try options.configuration()
    let server = try ChatServer(
        configuration: configuration, store: store, log: log,
        whenOutgrown: { error in
            log.finish(within: .seconds(1))
            fail(with: error)
        })
    announce(server, options, configuration.keyring, log)
    let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    manager.notify("READY=1")
    manager.watch(server)
    var reloading = Reloading(
        values, log: log,
        hooks: [
            { log.level = $0.logLevel },
            { server.reconfigure($0.server) },
            { _ in try configuration.keyring?.reload() },
            { _ in try configuration.admin?.token.reload() },
            { _ in try configuration.webhook?.secret.reload() },
            { if $0.server.transport.certificate != nil { try server.reloadCertificate() } },
        ])
    signals.wait(
        reload: { manager.reloading { reloading.reload() } },
        end: {
            manager.notify("STOPPING=1")
            server.drain()
            store.close(log)
            log.finish(within: .seconds(1))
        })
}

/// Prints the server's address on standard output, for people and for scripts.
func announce(_ server: ChatServer, _ options: Options, _ keyring: Keyring?, _ log: ServerLog) {
    let host = options.server.transport.host
    let address = "\(host.contains(":") ? "[\(host)]" : host):\(server.port)"
    let secure = options.server.transport.certificate == nil ? "" : "s"
    let invitation = Invitation(
        program: ProcessArguments.all.first ?? "diffroomd", url: "ws\(secure)://\(address)", keys: options.keys)
    let text = """
        diffroomd \(diffroomVersion) is listening on ws\(secure)://\(address)
        In a browser: http\(secure)://\(address)/
        In another terminal: \(invitation.command)
        """
    do throws(Console.Unwritable) {
        try Console.print(text, patience: Console.patience)
    } catch {
        log(.warning, "the server cannot report where it listens", ["why": "\(error)"])
    }
    log(.info, "listening", ["address": address, "data": "\(options.place)"])
    guard let keyring else {
        return log(.warning, "there are no keys: a user's name is only a claim, and any client may make it")
    }
    log(.info, "tokens are checked", ["keys": "\(keyring.count)"])
    for why in keyring.passedOver { log(.warning, "a key is passed over", ["why": why]) }
}
