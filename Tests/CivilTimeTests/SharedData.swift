import FoundationEssentials

@testable import CivilTime

/// The project's shared truth files. They lie beside the repository (or where `DAYBOOK_SHARED` says), not in it.
enum SharedData {
    static let folder: String = {
        if let folder = environmentVariable("DAYBOOK_SHARED"), !folder.isEmpty { return folder }
        // The sources may be linked into another package: the real path counts.
        let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        let root = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.deletingLastPathComponent().appending(path: "shared").path
    }()

    /// Tests that need the truth files run when they are there; on CI they run, and fail, in any case.
    static var isExpected: Bool {
        environmentVariable("CI") != nil || fileExists("data/time/hard-cases.csv")
    }

    /// Whether the zone data is of a version for which there are digests.
    static var hasDigests: Bool {
        environmentVariable("CI") != nil || fileExists(digestsPath)
    }

    static var isExhaustive: Bool { environmentVariable("DAYBOOK_EXHAUSTIVE") == "1" }

    static var digestsPath: String { "data/time/digests-\(Zone.dataVersion ?? "unknown").csv" }

    /// The rows of a CSV file after its heading, by column name.
    static func rows(_ path: String) throws -> [[String: String]] {
        guard case .bytes(let bytes) = readWholeFile(folder + "/" + path, sizeMax: 1 << 24) else {
            throw Missing(path: folder + "/" + path)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(fields)
        guard let heading = lines.first else { return [] }
        return lines.dropFirst().map { line in
            Dictionary(uniqueKeysWithValues: zip(heading, line))
        }
    }

    struct Missing: Error {
        let path: String
    }

    private static func fileExists(_ path: String) -> Bool {
        if case .bytes = readWholeFile(folder + "/" + path, sizeMax: 1 << 24) { return true }
        return false
    }

    /// The fields of a line; those in double quotes may hold commas.
    private static func fields(_ line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}
