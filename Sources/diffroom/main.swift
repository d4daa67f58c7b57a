import ChatClient
import ChatWire
import CommandLineFlags
import Dispatch
import Foundation
import TerminalUI

let environment = ProcessInfo.processInfo.environment
/// Exports or imports a room, and ends the program.
func carry(_ transfer: Transfer) -> Never {
    let words = [transfer.program.name] + ProcessArguments.all.dropFirst(2)
    let (options, values) = transfer.program.begin(
        words, environment: environment, version: diffroomVersion, of: program,
        understand: { values throws(FlagError) in try TransferOptions(transfer, values, environment: environment) })
    let output = Output(.plain, environment: environment)
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

/// Chats on the whole screen. Returns if there is none.
func chatOnScreen(_ options: Options) {
    do {
        let screen = try FullScreen(options, environment: environment)
        screen.start()
        withExtendedLifetime(screen) { dispatchMain() }
    } catch let error as ChatClientError {
        refuse(error, Output(options.format, environment: environment))
    } catch {
        // Go on with lines. A missing terminal is normal; report one that cannot be used.
        if error as? TerminalError != .noTerminal { Output(.plain, environment: environment).say("\(error)") }
    }
}

/// Chats until the end of input, on a queue of its own. This thread reads the input.
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

/// Reads lines while fewer of them wait for their answers than there are credits.
func readInput(into chat: LineChat, _ credits: DispatchSemaphore) {
    while true {
        credits.wait()
        let line = readLine()
        chat.read(line)
        if line == nil { return }
    }
}

if let transfer = Transfer(ProcessArguments.all) { carry(transfer) }
let options = program.begin(environment: environment, version: diffroomVersion) { values throws(FlagError) in
    try Options(values, environment: environment, isInteractive: isatty(STDIN_FILENO) == 1)
}.options
if options.wantsScreen { chatOnScreen(options) }
chat(options)
