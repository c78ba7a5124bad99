import FileSystem
import Foundation

@testable import CivilTime

/// Builds valid and invalid zone files.
enum ZoneFileMaker {
    static func bytes(
        transitions: [(second: Int64, type: UInt8)] = [], offsets: [Int32] = [0], footer: String = "UTC0",
        version: Character = "2"
    ) -> [UInt8] {
        var bytes = header(version: version, times: 0, types: 1)
        bytes += [UInt8](repeating: 0, count: 6 + 4)
        bytes += header(version: version, times: transitions.count, types: offsets.count)
        for transition in transitions { bytes += bigEndian(UInt64(bitPattern: transition.second), count: 8) }
        bytes += transitions.map(\.type)
        for offset in offsets { bytes += bigEndian(UInt64(UInt32(bitPattern: offset)), count: 4) + [0, 0] }
        bytes += Array("ABC\0".utf8)
        return bytes + Array("\n\(footer)\n".utf8)
    }

    static func rules(_ bytes: [UInt8]) throws -> ZoneRules {
        ZoneRules(identifier: "Made/Up", file: try ZoneFile(bytes))
    }

    static func header(version: Character, leaps: Int = 0, times: Int, types: Int, characters: Int = 4) -> [UInt8] {
        var bytes = Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15)
        for count in [0, 0, leaps, times, types, characters] { bytes += bigEndian(UInt64(count), count: 4) }
        return bytes
    }

    private static func bigEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }
}

/// Returns the number of open descriptors of a kind, by the kernel's name for it. Linux only.
func openFiles(_ kind: String) -> Int {
    let folder = "/proc/self/fd"
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return descriptors.count { FileTree.linkTarget("\(folder)/\($0)")?.contains(kind) == true }
}
