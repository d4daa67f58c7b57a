import ChatClient
import ChatWire
import CommandLineFlags
import Dispatch
import Foundation

let environment = ProcessInfo.processInfo.environment
do throws(FlagError) {
    let values = try program.parse(CommandLine.arguments, environment: environment)
    if values.isOn("help") {
        print(program.help)
    } else if values.isOn("version") {
        print("diffroom \(diffroomVersion)")
    } else {
        let isInteractive = isatty(STDIN_FILENO) == 1
        chat(try Options(values, login: environment["USER"], isInteractive: isInteractive))
    }
} catch {
    Output(.plain, environment: environment).say("\(error)")
    exit(Output.ExitStatus.usage.rawValue)
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
        output.say("\(error)")
        switch error {
        case .badURL: exit(Output.ExitStatus.usage.rawValue)
        case .cannotStart: exit(Output.ExitStatus.failed.rawValue)
        }
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
