import FoundationEssentials
import Glibc

/// One mutation once more: its input as a file, and what comes of it, here and without limits.
enum Replay {
    /// Returns whether nothing was found.
    static func run(_ reader: FuzzReader, seed: UInt64, number: Int) async throws -> Bool {
        let folder = try ScratchFolder.make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let target = try await reader.target(seed: seed, in: folder)
        var random = FuzzRandom(seed: seed, reader: reader.name, number: number)
        let input = try target.input(&random)
        let path = "/tmp/daybook-fuzz-\(reader.name)-\(seed)-\(number)"
        try ScratchFolder.write(input, to: path)
        print("input: \(path), \(input.count) bytes")
        // Before it may crash.
        fflush(nil)
        do {
            print("\(try target.read(input, &random)); peak \(Limits.peak >> 20) MiB")
            return Limits.peak <= Limits.peakBytes
        } catch let finding as Finding {
            print("FOUND \(finding.kind): \(finding.text)")
            return false
        }
    }
}
