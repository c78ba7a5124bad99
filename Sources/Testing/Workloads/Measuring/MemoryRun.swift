import Daybook
import FoundationEssentials

/// What a process takes that shows Today and the statistics and creates a thousand tasks: to be run in one of its own.
public struct MemoryRun: Sendable, Equatable, Codable {
    /// Bytes that this process has for itself, at the most that was seen. Pages of files are not among them, the store's
    /// neither: they are the system's cache, mapped, and it takes them back when it needs the room.
    public private(set) var privateBytes = 0
    /// Bytes in memory at the most, the store's file included.
    public private(set) var residentBytes = 0

    /// Does the work in a store that `BenchStore.make` has made. Nil where the system does not tell.
    public static func run(in path: String) async throws -> MemoryRun? {
        var memory = MemoryRun()
        let store = try BenchStore(at: path)
        defer { store.close() }
        for round in 0..<1000 {
            if round % 100 == 0 {
                _ = try store.daybook.tasks.today()
                _ = try store.daybookAtHistoryEnd.tasks.statistics()
                guard memory.look() else { return nil }
            }
            try await store.daybook.tasks.create("Task \(round), written down in a hurry", on: BenchStore.plannedDay)
        }
        return memory.look() ? memory : nil
    }

    private mutating func look() -> Bool {
        guard let map = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8),
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        else { return false }
        privateBytes = max(privateBytes, Self.bytes(of: "Private_Dirty:", in: map))
        residentBytes = max(residentBytes, Self.bytes(of: "VmHWM:", in: status))
        return privateBytes > 0
    }

    /// The value of a line such as `VmHWM:    1234 kB`.
    private static func bytes(of name: String, in text: String) -> Int {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0) * 1024
        }
        return 0
    }
}
