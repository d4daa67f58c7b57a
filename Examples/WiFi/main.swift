// The Wi-Fi list of a phone's settings: networks come and go, signals change, and a switch removes them all.

import Diffable
import ExampleTerminal

enum WiFiSection: Hashable, Sendable {
    case settings
    case networks
}

enum WiFiRow: Hashable, Sendable {
    case wifiSwitch
    case current
    case network(String)
}

struct Radio {
    var isOn = false
    var joined: String?
    var signals: [String: Int] = [:]

    /// The strongest first, and the joined one apart.
    var others: [String] {
        signals.keys.filter { $0 != joined }.sorted { (signals[$1]!, $0) < (signals[$0]!, $1) }
    }

    func cell(_ row: WiFiRow) -> String {
        switch row {
        case .wifiSwitch: "Wi-Fi  \(isOn ? "[on ]" : "[off]")"
        case .current: "✓ \(joined ?? "")"
        case .network(let name): "  \(name)  \(String(repeating: "▂", count: signals[name] ?? 0))"
        }
    }
}

var radio = Radio()
let table = TerminalTable<WiFiSection, WiFiRow>()
let source = DiffableDataSource<TerminalTable<WiFiSection, WiFiRow>, WiFiSection, WiFiRow>(view: table) {
    _, _, row, _ in radio.cell(row)
}
source.sectionHeaderProvider = { _, _, section in section == .networks ? "NETWORKS" : nil }
table.source = source

/// Builds the whole list from the current state; the data source finds the changes.
@MainActor
func updateUI(_ title: String) {
    print(title)
    var snapshot = Snapshot<WiFiSection, WiFiRow>()
    snapshot.appendSections([.settings])
    snapshot.appendItems([.wifiSwitch])
    if radio.isOn {
        if radio.joined != nil { snapshot.appendItems([.current]) }
        snapshot.appendSections([.networks])
        snapshot.appendItems(radio.others.map(WiFiRow.network))
    }
    let there = source.snapshot()
    snapshot.reconfigureItems(snapshot.itemIdentifiers.filter(there.contains))
    source.apply(snapshot)
}

updateUI("Off")
radio.isOn = true
radio.signals = ["Harbour": 2, "Café": 4, "Library": 3]
updateUI("On: three networks are found")
radio.signals["Harbour"] = 5
radio.signals["Attic"] = 1
radio.signals["Library"] = nil
updateUI("A scan later one is stronger, one is gone, one is new")
radio.joined = "Café"
updateUI("Joined")
radio.isOn = false
updateUI("Off again")
