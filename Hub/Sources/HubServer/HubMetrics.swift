import Synchronization

/// Counters and times in the text format of Prometheus. No label carries a space, a device or an address.
final class HubMetrics: Sendable {
    private struct Series: Hashable {
        let name: String
        let labels: String
    }

    private struct Histogram {
        var counts: [Int]
        var sum = 0.0
        var count = 0
    }

    private struct State {
        var counters: [Series: Double] = [:]
        var histograms: [Series: Histogram] = [:]
    }

    /// The upper ends of the buckets of times, in seconds.
    private static let buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

    private static let help = [
        "hub_requests_total": "Requests by route and status.",
        "hub_request_seconds": "Time from the request to its answer.",
        "hub_received_bytes_total": "Bytes of the bodies of sync requests.",
        "hub_sent_bytes_total": "Bytes of the bodies of sync answers.",
        "hub_pushed_units_total": "Units that were pushed, by result.",
        "hub_pulled_units_total": "Units that were sent to devices.",
        "hub_storage_events_total": "Retries by SQLSTATE, lost connections, unknown outcomes.",
        "hub_watchers": "Devices that wait for changes.",
        "hub_listening": "1 while announcements of other hubs arrive, 0 while their changes are only polled.",
        "hub_storage_waiting": "Requests that wait for the storage.",
        "hub_spaces": "Spaces.", "hub_devices": "Devices, revoked ones included.",
        "hub_stored_bytes": "What all units take up.",
    ]

    private let state = Mutex(State())

    func add(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: Double = 1) {
        let series = Series(name: name, labels: Self.text(labels))
        state.withLock { $0.counters[series, default: 0] += value }
    }

    func observe(_ name: String, _ labels: KeyValuePairs<String, String>, seconds: Double) {
        let series = Series(name: name, labels: Self.text(labels))
        state.withLock { state in
            var histogram = state.histograms[series] ?? Histogram(counts: Self.buckets.map { _ in 0 })
            if let bucket = Self.buckets.firstIndex(where: { seconds <= $0 }) { histogram.counts[bucket] += 1 }
            histogram.sum += seconds
            histogram.count += 1
            state.histograms[series] = histogram
        }
    }

    /// All series, with the values of this moment.
    func text(gauges: [(name: String, value: Double)], storage: [String: Int64]) -> String {
        let (counters, histograms) = state.withLock { ($0.counters, $0.histograms) }
        var lines: [String] = []
        var all = counters
        for (event, count) in storage {
            all[Series(name: "hub_storage_events_total", labels: Self.text(["event": event]))] = Double(count)
        }
        for (name, series) in Dictionary(grouping: all, by: \.key.name).sorted(by: { $0.key < $1.key }) {
            lines += Self.head(of: name, "counter")
            for (key, value) in series.sorted(by: { $0.key.labels < $1.key.labels }) {
                lines.append("\(name)\(Self.braced(key.labels)) \(Self.number(value))")
            }
        }
        for (name, series) in Dictionary(grouping: histograms, by: \.key.name).sorted(by: { $0.key < $1.key }) {
            lines += Self.head(of: name, "histogram")
            for (key, value) in series.sorted(by: { $0.key.labels < $1.key.labels }) {
                var sum = 0
                for (end, count) in zip(Self.buckets, value.counts) {
                    sum += count
                    lines.append("\(name)_bucket{\(key.labels),le=\"\(Self.number(end))\"} \(sum)")
                }
                lines.append("\(name)_bucket{\(key.labels),le=\"+Inf\"} \(value.count)")
                lines.append("\(name)_sum\(Self.braced(key.labels)) \(value.sum)")
                lines.append("\(name)_count\(Self.braced(key.labels)) \(value.count)")
            }
        }
        for gauge in gauges {
            lines += Self.head(of: gauge.name, "gauge")
            lines.append("\(gauge.name) \(Self.number(gauge.value))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func head(of name: String, _ kind: String) -> [String] {
        ["# HELP \(name) \(help[name] ?? "")", "# TYPE \(name) \(kind)"]
    }

    private static func text(_ labels: KeyValuePairs<String, String>) -> String {
        labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    }

    private static func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
