/// What Linux tells of a process, as in /proc/self/status.
struct ProcessText {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The cores that the process may run on, its affinity. A share of time that a container is held to is not in it.
    var allowedCores: Int {
        let key = "Cpus_allowed_list:"
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else { return 0 }
        let ranges = line.dropFirst(key.count).split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" })
        return ranges.reduce(0) { $0 + Self.count($1) }
    }

    /// `0-3` are four.
    private static func count(_ range: Substring) -> Int {
        let ends = range.split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, let last = ends.last, last >= first else { return 0 }
        return last - first + 1
    }
}
