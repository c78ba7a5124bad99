/// The folder that holds the system's zone files, and the names in it.
struct ZoneDirectory {
    /// Real zone files have a few kilobytes.
    static let fileSizeMax = 1 << 20

    let path: String

    /// `$TZDIR`, else the usual place.
    static var current: ZoneDirectory {
        if let path = environmentVariable("TZDIR"), !path.isEmpty { return ZoneDirectory(path: path) }
        return ZoneDirectory(path: "/usr/share/zoneinfo")
    }

    func path(of identifier: String) -> String {
        path + "/" + identifier
    }

    /// Whether the text has the form of an IANA name: parts of letters, digits, `_`, `-` and `+`, with single slashes
    /// between them. No dot is allowed, so neither `..` nor `zone.tab` gets through; nor do the folders and files that
    /// some systems keep beside the zones.
    static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 100, !otherNames.contains(text) else { return false }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, first != "posix", first != "right" else { return false }
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                        UInt8(ascii: "+"):
                        true
                    default: false
                    }
                }
        }
    }

    /// Zone files whose names are no names of zones.
    private static let otherNames: Set<String> = ["localtime", "posixrules"]

    /// Every name, sorted. It opens some 600 files: for tests, completion and error messages.
    func identifiers() -> [String] {
        var identifiers: [String] = []
        var folders = [""]
        while let folder = folders.popLast() {
            for path in paths(matching: ZoneDirectory.escaped(self.path) + "/" + folder + "*") {
                let name = String(path.dropFirst(self.path.count + 1))
                if name.hasSuffix("/") {
                    if ZoneDirectory.isName(String(name.dropLast())) { folders.append(name) }
                } else if ZoneDirectory.isName(name), isZoneFile(path) {
                    identifiers.append(name)
                }
            }
        }
        return identifiers.sorted()
    }

    /// The data's version, such as `2025b`: the first line of `tzdata.zi` is `# version 2025b`.
    var dataVersion: String? {
        guard case .bytes(let bytes) = readWholeFile(path + "/tzdata.zi", sizeMax: ZoneDirectory.fileSizeMax) else {
            return nil
        }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let prefix = "# version "
        return line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : nil
    }

    private func isZoneFile(_ path: String) -> Bool {
        guard case .bytes(let bytes) = readWholeFile(path, sizeMax: ZoneDirectory.fileSizeMax) else { return false }
        return bytes.starts(with: "TZif".utf8)
    }

    /// A path in which no character means a pattern.
    private static func escaped(_ path: String) -> String {
        String(path.flatMap { "*?[\\".contains($0) ? ["\\", $0] : [$0] })
    }
}
