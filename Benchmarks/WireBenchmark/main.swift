import ChatWire
import FoundationEssentials

// Our JSON compared with Foundation's, on the frequent frames. Usage: see --help.

if CommandLine.arguments.contains("--help") {
    print("usage: swift run -c release --package-path Benchmarks WireBenchmark [ROUNDS, default 9]")
    print(
        "Nanoseconds per frame, the median of the rounds, ours and FoundationEssentials' JSONEncoder and JSONDecoder.")
} else {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9
    let comparison = Comparison(rounds: max(1, rounds))
    try comparison.compare("send", Samples.send.json, SendMirror.self) {
        _ = try ClientFrame(json: $0)
    } encode: {
        Samples.send.json
    }
    try comparison.compare("diff, one row", Samples.diff.json, DiffMirror.self) {
        _ = try ServerFrame(json: $0)
    } encode: {
        Samples.diff.json
    }
    try comparison.compare("snapshot, 50 rows", Samples.snapshot.json, SnapshotMirror.self) {
        _ = try ServerFrame(json: $0)
    } encode: {
        Samples.snapshot.json
    }
    try comparison.replica()
}
