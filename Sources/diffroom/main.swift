import ChatClient
import ChatWire
import CommandLineFlags
import Dispatch
import Foundation
import TerminalUI

let environment = ProcessInfo.processInfo.environment

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
        if error as? TerminalError != .noTerminal { Output(.plain, environment: environment).report("\(error)") }
    }
}

/// Chats until the end of input, on a queue of its own. This thread reads the input.
func chat(_ options: Options) -> Never {
    let output = Output(
        options.format, rooms: options.rooms.count == 1 ? .one : .several, environment: environment)
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

/// Sends the input as one message.
func stream(_ options: Options) -> Never {
    let output = Output(options.format, environment: environment)
    do throws(ChatClientError) { try StreamChat(options, output: output).run() } catch { refuse(error, output) }
}

func refuse(_ error: ChatClientError, _ output: Output) -> Never {
    output.report("\(error)")
    switch error {
    case .badURL: output.end(.usage)
    case .cannotStart: output.end(.failed)
    }
}

/// Reads lines while fewer of them wait for their answers than there are credits.
func readInput(into chat: LineChat, _ credits: DispatchSemaphore) {
    var lines = InputLines()
    while true {
        credits.wait()
        let line = lines.next()
        chat.read(line)
        if line == nil { return }
    }
}

program.runSubcommand()
let options = program.begin(environment: environment, version: diffroomVersion) { values throws(FlagError) in
    try Options(values, environment: environment, isInteractive: isatty(STDIN_FILENO) == 1)
}.options
if options.streams { stream(options) }
if options.wantsScreen { chatOnScreen(options) }
chat(options)
