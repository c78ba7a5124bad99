import Foundation
import TestSupport
import Testing

/// Runs the helper `AllocatingProcess` to its end.
enum AllocatingProcess {
    /// False on systems other than Linux, and under a sanitizer with its own malloc.
    static let shouldCount: Bool = {
        #if os(Linux)
            guard let program = try? Data(contentsOf: Programs.url(of: "AllocatingProcess")) else { return true }
            return ["__asan_init", "__tsan_init"].allSatisfy { program.range(of: Data($0.utf8)) == nil }
        #else
            return false
        #endif
    }()

    /// The lines of output.
    static func run(_ arguments: String...) throws -> [String] {
        let process = SpawnedProcess()
        let output = Pipe()
        process.executableURL = Programs.url(of: "AllocatingProcess")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
