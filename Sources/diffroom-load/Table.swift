import ChatWire

extension Report {
    /// Returns the report for people.
    func table(_ options: Options) -> String {
        let heading =
            "\(options.rooms) rooms, \(options.subscribers) readers and \(options.publishers) writers in each, "
            + "\(Int(options.rate)) commands/s of \(options.size) bytes for \(options.duration) s"
        let herd = herdTime.map { [("all back in", "\(rounded($0)) s")] } ?? []
        let lines = work + server + trouble + herd + (options.inbox > 0 ? lists(options) : []) + verdict
        let width = lines.map(\.0.count).max() ?? 0
        let rows = lines.map { name, value in
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(value)"
        }
        let wrong = complaints.sorted { $0.value > $1.value }.prefix(20).map { "  \($0.value) × \($0.key)" }
        let end = isAllRight ? "all is right" : "NOT all is right\n" + wrong.joined(separator: "\n")
        return ([heading] + rows + [end]).joined(separator: "\n")
    }

    private var work: [(String, String)] {
        [
            ("joined", "\(connections) connections in \(rounded(joinTime)) s"),
            ("commands", "\(sent) sent, \(acknowledged) acknowledged, \(heldBack) held back"),
            ("deliveries", "\(deliveries), \(Int(Double(deliveries) / max(runTime, 0.001)))/s, in \(frames) frames"),
            ("send to ok", latency(sendToOK)),
            ("send to seen", latency(sendToSeen)),
        ]
    }

    private var server: [(String, String)] {
        var lines: [(String, String)] = []
        if let serverJoinCPU {
            lines.append(("server CPU", "\(rounded(serverJoinCPU * 1e6 / Double(max(1, connections)))) µs a join"))
        }
        if let serverCPU {
            let perDelivery = serverCPU * 1e6 / Double(max(1, deliveries))
            let share = serverCPU / max(runTime, 0.001) * 100
            lines.append(("server CPU", "\(rounded(perDelivery)) µs a delivery, \(Int(share)) % of a core"))
        }
        if let serverMemory {
            let each = memoryPerConnection.map { ", \($0) bytes a connection" } ?? ""
            lines.append(("server memory", "\(serverMemory >> 20) MiB\(each)"))
        }
        return lines + [("own CPU", "\(rounded(ownCPU)) s")]
    }

    private var trouble: [(String, String)] {
        let epochs = resumedBySnapshot[ServerFrame.SnapshotReason.epoch.rawValue].map { ", \($0) in another epoch" }
        return [
            ("reconnections", "\(reconnections), \(stalls) stalls"),
            ("caught up", "\(resumedByDiff) by diff, with \(gaps) gaps\(epochs ?? "")"),
            ("settled in", "\(rounded(settleTime)) s"),
        ]
    }

    private func lists(_ options: Options) -> [(String, String)] {
        [
            ("own lists", "\(options.inbox) members, \(inboxFrames) changes, \(recounts) rows recounted on the way"),
            ("", "\(wrongStates) states wrong on the way, \(wrongLists) members' lists wrong at the end"),
        ]
    }

    private var verdict: [(String, String)] {
        [
            ("content", "\(lost) lost, \(doubled) doubled, \(disordered) disordered, \(diverged) diverged"),
            ("frames", "\(digestMismatches) digest mismatches, \(torn) torn"),
            (
                "else",
                "\(startedOver) started over, \(behind) behind, \(refused) refused, \(lostConnections) connections lost"
            ),
        ]
    }

    private func latency(_ histogram: Histogram) -> String {
        let shares = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]
        let parts = shares.map { "\($0.0) \(milliseconds(histogram.percentile($0.1)))" }
        return (parts + ["max \(milliseconds(histogram.max))"]).joined(separator: "  ")
    }

    private func rounded(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
