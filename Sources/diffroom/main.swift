import ChatClient
import ChatWire
import CommandLineFlags
import Dispatch
import Foundation
import TerminalUI

let environment = ProcessInfo.processInfo.environment
do throws(FlagError) {
    if let transfer = Transfer(CommandLine.arguments) { try carry(transfer) }
    let values = try program.parse(CommandLine.arguments, environment: environment)
    if values.isOn("help") {
        print(program.help)
    } else if values.isOn("version") {
        print("diffroom \(diffroomVersion)")
    } else {
        let isInteractive = isatty(STDIN_FILENO) == 1
        let options = try Options(values, login: environment["USER"], isInteractive: isInteractive)
        if options.wantsScreen { chatOnScreen(options) }
        chat(options)
    }
} catch {
    Output(.plain, environment: environment).say("\(error)")
    exit(Output.ExitStatus.usage.rawValue)
}

/// Exports or imports a room, or says how.
func carry(_ transfer: Transfer) throws(FlagError) -> Never {
    let words = [transfer.program.name] + CommandLine.arguments.dropFirst(2)
    let values = try transfer.program.parse(words, environment: environment)
    if values.isOn("help") || values.isOn("version") {
        print(values.isOn("help") ? transfer.program.help : "diffroom \(diffroomVersion)")
        exit(0)
    }
    let output = Output(.plain, environment: environment)
    let options = try TransferOptions(values)
    do {
        switch transfer {
        case .export: try Export(options, as: values.user(), output: output).start()
        case .import: Import(try exportedMessages { readLine() }, options, output: output).start()
        }
    } catch let error as ChatClientError {
        refuse(error, output)
    } catch {
        output.say("\(error)")
        output.end(.usage)
    }
    dispatchMain()
}

/// Chats on the whole screen; returns if there is none to have.
func chatOnScreen(_ options: Options) {
    do {
        let screen = try FullScreen(options, environment: environment)
        screen.start()
        withExtendedLifetime(screen) { dispatchMain() }
    } catch let error as ChatClientError {
        refuse(error, Output(options.format, environment: environment))
    } catch {
        // Lines, then. No terminal is no news; one that cannot do it is.
        if error as? TerminalError != .noTerminal { Output(.plain, environment: environment).say("\(error)") }
    }
}

/// Chats until the end of input, on a queue of its own; this thread reads the input.
func chat(_ options: Options) -> Never {
    let output = Output(options.format, environment: environment)
    let linesAtOnce = 1_000
    let credits = DispatchSemaphore(value: linesAtOnce)
    do throws(ChatClientError) {
        let chat = try LineChat(options, output: output, credits: credits)
        chat.start()
        readInput(into: chat, credits)
        withExtendedLifetime(chat) { dispatchMain() }
    } catch {
        refuse(error, output)
    }
}

func refuse(_ error: ChatClientError, _ output: Output) -> Never {
    output.say("\(error)")
    switch error {
    case .badURL: output.end(.usage)
    case .cannotStart: output.end(.failed)
    }
}

/// Reads on while no more lines wait for their answers than there are credits.
func readInput(into chat: LineChat, _ credits: DispatchSemaphore) {
    while true {
        credits.wait()
        let line = readLine()
        chat.read(line)
        if line == nil { return }
    }
}
