/// What Linux tells of its processors, as in /proc/cpuinfo.
struct ProcessorText {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The name of the first one. Those of ARM have none there, only the numbers of who made it and what it is.
    var name: String {
        if let name = value("model name") ?? value("Model") ?? value("cpu model") { return name }
        guard let implementer = value("CPU implementer"), let part = value("CPU part") else { return "unknown" }
        guard implementer == "0x41", let core = Self.coresOfARM[part] else {
            return "CPU implementer \(implementer) part \(part)"
        }
        return "ARM \(core)"
    }

    private func value(_ key: String) -> String? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, Self.trimmed(parts[0]) == key else { continue }
            let value = Self.trimmed(parts[1])
            if !value.isEmpty { return value }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }

    /// The cores that rented machines have today.
    private static let coresOfARM = [
        "0xd08": "Cortex-A72", "0xd0b": "Cortex-A76", "0xd0c": "Neoverse N1", "0xd40": "Neoverse V1",
        "0xd49": "Neoverse N2", "0xd4f": "Neoverse V2",
    ]
}
