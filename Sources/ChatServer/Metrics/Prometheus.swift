/// The text format that Prometheus reads.
///
/// - Source: Prometheus, "Exposition formats", text version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    mutating func counter(_ name: String, _ help: String, _ value: some BinaryInteger) {
        sample(name, "counter", help, "\(value)")
    }

    mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        sample(name, "gauge", help, "\(value)")
    }

    /// Writes a number; `nil` for one that there is not.
    mutating func gauge(_ name: String, _ help: String, ifAny value: Int?) {
        guard let value else { return head(name, "gauge", help) }
        sample(name, "gauge", help, "\(value)")
    }

    mutating func counter(_ name: String, _ help: String, _ value: Double) {
        sample(name, "counter", help, "\(value)")
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        sample(name, "gauge", help, "\(value)")
    }

    /// Writes one number for each value of a label.
    mutating func gauges(_ name: String, _ help: String, by label: String, _ values: [(String, UInt64)]) {
        head(name, "gauge", help)
        for (value, count) in values { text += "\(name){\(label)=\"\(value)\"} \(count)\n" }
    }

    mutating func counters(_ name: String, _ help: String, by label: String, _ values: [(String, UInt64)]) {
        head(name, "counter", help)
        for (value, count) in values { text += "\(name){\(label)=\"\(value)\"} \(count)\n" }
    }

    mutating func counters(_ name: String, _ help: String, by label: String, _ family: Family) {
        counters(name, help, by: label, family.all)
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        self.histogram(name, help, histogram.bounds, histogram.reading)
    }

    mutating func histogram(_ name: String, _ help: String, _ bounds: [Double], _ reading: Histogram.Reading) {
        let total = reading.cumulative.last ?? 0
        head(name, "histogram", help)
        for (bound, count) in zip(bounds, reading.cumulative) {
            text += "\(name)_bucket{le=\"\(bound)\"} \(count)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(total)\n\(name)_sum \(reading.sum)\n\(name)_count \(total)\n"
    }

    private mutating func sample(_ name: String, _ type: String, _ help: String, _ value: String) {
        head(name, type, help)
        text += "\(name) \(value)\n"
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }
}
