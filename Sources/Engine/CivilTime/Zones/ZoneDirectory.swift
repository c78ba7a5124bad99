import FileSystem
import Processes

/// The folder that holds the system's zone files, and the names in it.
struct ZoneDirectory {
    /// Real zone files have a few kilobytes.
    static let fileSizeMax = 1 << 20

    let path: String

    /// `$TZDIR`, else the usual place.
    static var current: ZoneDirectory {
        if let path = CurrentProcess.variable("TZDIR"), !path.isEmpty { return ZoneDirectory(path: path) }
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
            for path in FileTree.paths(matching: ZoneDirectory.escaped(self.path) + "/" + folder + "*") {
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

extension ZoneDirectory {
    /// The error for a name that no zone has, with up to three near names.
    func unknownZone(_ name: String) -> CivilTimeError {
        .unknownZone(name, suggestions: suggestions(for: name))
    }

    /// Names whose city is what was written, or contains it, or differs in few letters; the nearest first, and among
    /// equals those that are no mere aliases.
    private func suggestions(for name: String) -> [String] {
        let wanted = ZoneDirectory.plain(name)
        guard (2...40).contains(wanted.count) else { return [] }
        let principal = principalIdentifiers()
        let ranked = identifiers().compactMap { identifier -> (rank: Int, isAlias: Int, name: String)? in
            guard let rank = ZoneDirectory.distance(wanted, to: identifier) else { return nil }
            return (rank, principal.contains(identifier) ? 0 : 1, identifier)
        }
        return ranked.sorted { $0 < $1 }.prefix(3).map(\.name)
    }

    /// 0 for the same name, 1 for the same city; nil when it is not near.
    private static func distance(_ wanted: [UInt8], to identifier: String) -> Int? {
        let whole = plain(identifier)
        let city = plain(identifier.split(separator: "/").last.map(String.init) ?? identifier)
        if wanted == whole { return 0 }
        if wanted == city { return 1 }
        let allowed = max(1, wanted.count / 4)
        let edits = min(edits(wanted, whole), edits(wanted, city))
        if edits <= allowed { return edits * 2 }
        if wanted.count >= 3, city.starts(with: wanted) { return allowed * 2 + 1 }
        return nil
    }

    /// Lower-case letters, digits and signs: `New York`, `new_york` and `NewYork` are the same.
    private static func plain(_ name: String) -> [UInt8] {
        name.lowercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "_") }
    }

    /// How many letters must be added, left out or replaced to make one word the other.
    private static func edits(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }

    /// The names in `zone.tab`, which lists each zone under one name.
    private func principalIdentifiers() -> Set<String> {
        guard case .bytes(let bytes) = readWholeFile(path + "/zone.tab", sizeMax: ZoneDirectory.fileSizeMax) else {
            return []
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }
        return Set(
            lines.compactMap { line in
                let fields = line.split(separator: UInt8(ascii: "\t"))
                return fields.count > 2 ? String(decoding: fields[2], as: UTF8.self) : nil
            })
    }
}
