/// What Linux tells of what is mounted where, as in /proc/self/mountinfo.
struct MountText {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The kind of file system and the device that a folder lies on, such as "ext4 on /dev/vda1".
    ///
    /// - Parameter folder: its whole path, without links.
    func disk(below folder: String) -> String {
        var best: (point: String, disk: String)?
        // Of two on one place, the later one hides the earlier.
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
        // What has no device says "none", or its kind again.
        let disk = device == kind || device == "none" ? String(kind) : "\(kind) on \(device)"
        return (unescaped(words[4]), disk)
    }

    private static func holds(_ point: String, _ folder: String) -> Bool {
        point == "/" || folder == point || folder.hasPrefix(point + "/")
    }

    /// Blanks, tabs, line ends and backslashes stand there as `\040`.
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
