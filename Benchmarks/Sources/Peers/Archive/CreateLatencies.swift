import Daybook
import Glibc
import Measuring
import Workloads

/// Measures the latency of creates while another process makes a snapshot of the same store.
struct CreateLatencies {
    let arena: ArchiveArena

    /// The pause between creates, like that of a fast user: without it a single writer keeps the disk busy.
    private static let pauseMicroseconds: UInt32 = 4000
    private static let limit = 1.5

    /// The concurrent work.
    private struct Company {
        let name: String
        /// Starts the work; it is started again until there are enough creates.
        var start: (() throws -> RunningProgram)?
    }

    func run(into report: inout Report) async throws {
        let size = "\(arena.large.taskCount.grouped) tasks"
        report.begin(
            "Creates while a snapshot is made, \(size)",
            "The 99th percentile of durable creates by one writer, one every four milliseconds, \(arena.scale.creates.grouped) in "
                + "each of \(arena.scale.long) rounds, interleaved with nothing beside it, while `daybook snapshot create` of the same "
                + "store runs, again and again, and while `mdb_copy -c` of the same store does, compressed by zstd: what any copy "
                + "costs on a machine with so few cores.")
        let store = arena.path("busy")
        try Folder.copy(arena.large.path(.daybook), to: store)
        let peer = try DaybookPeer(folder: store, now: Moments.planned)
        let companies = [
            Company(name: "nothing"),
            Company(
                name: "a snapshot",
                start: {
                    // By the machine's clock: with one that stands still, a snapshot makes no pauses.
                    try RunningProgram(
                        arena.program,
                        ["snapshot", "create", arena.path("busy.snapshot"), "--force", "--store", store])
                }),
            Company(
                name: "`mdb_copy -c` and zstd",
                start: {
                    try RunningProgram(
                        "/bin/sh",
                        ["-ec", #"mdb_copy -c "$1" | zstd -q -3 -f -o "$2""#, "sh", store, arena.path("busy.zst")])
                }),
        ]
        var rounds = companies.map { _ in [Timings]() }
        for round in -1..<arena.scale.long {
            for place in companies.indices {
                let index = (place + round + 1) % companies.count
                let timings = try measure(beside: companies[index], by: peer)
                if round >= 0 { rounds[index].append(timings) }
            }
        }
        peer.close()
        try Folder.remove(store)
        add(companies.map(\.name), rounds, size, to: &report)
    }

    private func measure(beside company: Company, by peer: DaybookPeer) throws -> Timings {
        let day = try Moments.createDay()
        let clock = ContinuousClock()
        var times: [Int64] = []
        var child = try company.start?()
        while times.count < arena.scale.creates {
            if try child?.hasEnded() == true { child = try company.start?() }
            let elapsed = try clock.measure { try peer.create(Sentences.create(times.count), on: day) }
            times.append(Int64(elapsed.nanoseconds))
            usleep(Self.pauseMicroseconds)
        }
        try child?.wait()
        return Timings(times)
    }

    private func add(_ names: [String], _ rounds: [[Timings]], _ size: String, to report: inout Report) {
        let usual = rounds[0]
        for (name, timings) in zip(names, rounds) {
            let percentiles = timings.map { Double($0.percentile99) }
            let ratio = PairedRatio(zip(percentiles, usual).map { $0 / Double(max($1.percentile99, 1)) })
            let medians = timings.map { Double($0.median) }
            report.add(
                "beside \(name): p99 (p50 \(medians.median.time))",
                [
                    Contestants.daybook: Report.Cell(
                        median: percentiles.median.time, ratio: name == names[0] ? nil : ratio.text)
                ])
            guard name != names[0] else { continue }
            let isOurs = name == names[1]
            report.add(
                "p99 of a create beside \(name), \(size)",
                target: isOurs ? "at most \(Self.limit.short)x the usual p99" : "reported", measured: ratio.text,
                holds: isOurs ? ratio.median <= Self.limit : nil)
        }
    }
}
