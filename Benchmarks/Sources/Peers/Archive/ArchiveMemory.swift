import Glibc

/// Measures the anonymous memory of commands in the large store.
struct ArchiveMemory {
    let arena: ArchiveArena

    private static let limit = Double(128 << 20)
    private static let importLimit = 8e9

    func run(into report: inout Report) throws {
        let large = arena.large
        let size = "\(large.taskCount.grouped) tasks"
        report.begin(
            "Memory of a process, \(size)",
            "Anonymous memory (`RssAnon`), the highest sample, sampled every two milliseconds; and the time "
                + "of the sampled command, once. The store's mapped pages are the system's cache and not in it."
        )
        let (restored, exported) = (arena.path("restored"), arena.path("exported.json"))
        let lines = arena.path("exported.ndjson")
        let commands: [(String, [String])] = [
            ("snapshot create", arena.create(large)),
            ("snapshot verify", ["snapshot", "verify", arena.snapshot(large)]),
            ("snapshot restore", ["snapshot", "restore", arena.snapshot(large), "--to", restored]),
            ("export", ["export", "-o", exported, "--force"] + arena.store(large.path(.daybook))),
            ("import", ["import", exported] + arena.store(restored)),
            (
                "export of NDJSON",
                ["export", "--format", "ndjson", "-o", lines, "--force"] + arena.store(large.path(.daybook))
            ),
            ("import of NDJSON", ["import", lines] + arena.store(restored)),
        ]
        for (name, words) in commands {
            try Folder.remove(restored)
            let clock = ContinuousClock()
            var (peak, resident) = (0, 0)
            let time = try clock.measure { (peak, resident) = try Self.peak(of: arena.program, words) }
            report.add(
                "`\(name)`",
                [Contestants.daybook: Report.Cell(median: Double(peak).bytes, ratio: "in \(time.nanoseconds.time)")])
            report.add(
                "memory of `\(name)`, \(size)", target: "under 128 MiB", measured: Double(peak).bytes,
                holds: peak > 0 ? Double(peak) < Self.limit : nil)
            guard name == "import of NDJSON" else { continue }
            report.add(
                "maximum resident set of `\(name)`, \(size), mapped pages included", target: "under 128 MiB",
                measured: Double(resident).bytes, holds: Double(resident) < Self.limit)
            report.add(
                "`\(name)`, \(size)", target: "under \(Self.importLimit.time)",
                measured: time.nanoseconds.time,
                holds: time.nanoseconds < Self.importLimit)
        }
        try Folder.remove(restored)
        try Folder.remove(exported)
        try Folder.remove(lines)
    }

    /// The highest anonymous memory, and the maximum resident set.
    private static func peak(of program: String, _ words: [String]) throws -> (anonymous: Int, resident: Int) {
        let child = try RunningProgram(program, words)
        var peak = 0
        while try !child.hasEnded() {
            peak = max(peak, child.anonymousBytes())
            usleep(2000)
        }
        return (peak, child.maximumResidentBytes)
    }
}
