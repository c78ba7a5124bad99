import FoundationEssentials

/// The content of one of the kernel's files about this process or the machine.
package struct KernelText {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Reads a file; one that cannot be read is empty.
    package init(of path: String) {
        text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns the value of the first line `name: value` that has one, with single blanks.
    private func value(_ name: String) -> String? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, Self.trimmed(parts[0]) == name else { continue }
            let value = Self.trimmed(parts[1])
            if !value.isEmpty { return value }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }

    /// Returns the bytes of a line such as `VmHWM:    1234 kB`; 0 without one.
    package func bytes(_ name: String) -> Int {
        value(name)?.split(separator: " ").first.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    }

    /// The name of the first processor of /proc/cpuinfo. ARM processors only have numbers for implementer and part.
    var processor: String {
        if let name = value("model name") ?? value("Model") ?? value("cpu model") { return name }
        guard let implementer = value("CPU implementer"), let part = value("CPU part") else { return "unknown" }
        guard implementer == "0x41", let core = Self.coresOfARM[part] else {
            return "CPU implementer \(implementer) part \(part)"
        }
        return "ARM \(core)"
    }

    /// The cores of common cloud machines.
    private static let coresOfARM = [
        "0xd08": "Cortex-A72", "0xd0b": "Cortex-A76", "0xd0c": "Neoverse N1", "0xd40": "Neoverse V1",
        "0xd49": "Neoverse N2", "0xd4f": "Neoverse V2",
    ]

    /// The number of cores that the process of /proc/self/status may use (its affinity). Does not include a container's CPU
    /// quota.
    var allowedCores: Int {
        (value("Cpus_allowed_list") ?? "").split(separator: ",").reduce(0) { $0 + Self.count($1) }
    }

    /// Returns the number of cores in a range: four for `0-3`.
    private static func count(_ range: Substring) -> Int {
        let ends = range.split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, let last = ends.last, last >= first else { return 0 }
        return last - first + 1
    }

    /// Returns the file system type and the device of a folder by /proc/self/mountinfo, such as "ext4 on /dev/vda1".
    ///
    /// - Parameter folder: an absolute path without links.
    func disk(below folder: String) -> String {
        var best: (point: String, disk: String)?
        // Of two mounts at one point, the later one hides the earlier.
        for line in text.split(separator: "\n") {
            guard let mount = Self.mount(line), Self.holds(mount.point, folder) else { continue }
            if mount.point.utf8.count >= best?.point.utf8.count ?? 0 { best = mount }
        }
        return best?.disk ?? "unknown"
    }

    /// `36 35 98:0 /root /point options... - type device options`
    private static func mount(_ line: Substring) -> (point: String, disk: String)? {
        let words = line.split(separator: " ")
        guard words.count > 5, let dash = words[5...].firstIndex(of: "-"), dash + 2 < words.count else { return nil }
        let (kind, device) = (words[dash + 1], unescaped(words[dash + 2]))
        // Without a device it is "none" or repeats the type.
        let disk = device == kind || device == "none" ? String(kind) : "\(kind) on \(device)"
        return (unescaped(words[4]), disk)
    }

    private static func holds(_ point: String, _ folder: String) -> Bool {
        point == "/" || folder == point || folder.hasPrefix(point + "/")
    }

    /// Decodes blanks, tabs, line ends and backslashes, which are escaped as `\040`.
    private static func unescaped(_ word: Substring) -> String {
        guard word.utf8.contains(UInt8(ascii: "\\")) else { return String(word) }
        var bytes: [UInt8] = []
        var rest = Array(word.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
