// A process for the store's tests to kill, to starve and to talk to. Its first argument names its task.

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first, arguments.last.flatMap { UInt64($0) }) {
case ("commit", let path?, let seed?): try commitForEver(path: path, seed: seed)
case ("trim", let path?, let seed?): try commitForEver(path: path, seed: seed, keeping: 20)
case ("open", let path?, _): open(path)
case ("power", let path?, let seed?): try serveAgainAndAgain(path: path, seed: seed)
case ("verify", _, _): verify()
case ("full", let path?, _): try fillUp(path: path, LimitedFileSize())
case ("outgrow", let path?, _): try outgrow(path: path)
case ("disk", let path?, _): try fillUp(path: path, FilledDisk(beside: path))
default:
    fatalError(
        "commit PATH SEED | trim PATH SEED | power PATH SEED | verify | open PATH | full PATH | disk PATH | outgrow PATH"
    )
}
