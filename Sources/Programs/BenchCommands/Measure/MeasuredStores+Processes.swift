import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import LabSupport
import Measuring
import PerformanceTesting
import Processes
import Workloads

extension MeasuredStores {
    /// Measures processes from outside: opening, whole commands, wake-ups, memory, disk.
    func measureProcesses(_ programs: [NamedProgram], into table: inout [MeasuredRow]) async throws {
        try await measureOpening(into: &table)
        for program in programs { try measure(program, into: &table) }
        try measureIdle(into: &table)
        try measureMemory(into: &table)
        try await measureDisk(into: &table)
    }

    private func measureOpening(into table: inout [MeasuredRow]) async throws {
        let (store, opening) = (try open("large"), try operation("open"))
        defer { store.close() }
        try progress.step(opening.title)
        var times: [Int64] = []
        for round in 0..<30 { times.append(try await opening.time(in: store, round: round)) }
        let median = Timings(times).median
        table.add(
            "open a store of \(large) to the first Today", target: "under 10 ms", measured: Figures.time(median),
            holds: median < 10_000_000)
    }

    private func measure(_ program: NamedProgram, into table: inout [MeasuredRow]) throws {
        try progress.step(program.path)
        let limit: Int64 = program.label == "static" ? 6_000_000 : 10_000_000
        let run = ProcessRun(path: program.path, words: ["add", "Buy milk and bread", "--store", path("large")])
        let median = Timings(try run.times(rounds: 55, warmUp: 5)).median
        table.add(
            "`daybook add`, durable, in a store of \(large), \(program.label) build",
            target: "median under \(Figures.time(limit))", measured: Figures.time(median), holds: median < limit)
    }

    /// Compares with a process that has run a task and is then idle: on Linux, Dispatch wakes up once a second in every
    /// program that has run one.
    private func measureIdle(into table: inout [MeasuredRow]) throws {
        try progress.step("idle processes")
        let processes = try ["small", nil].map { name in
            try ChildProcess(ProgramComparison.thisProgram, ["measure", "--idle", name.map(path) ?? "-"])
        }
        defer {
            for process in processes {
                process.kill()
                _ = try? process.wait()
            }
        }
        // The threads that the runtime has started end after five seconds.
        try IdleProcess.wait(seconds: 8, watching: processes)
        let before = try processes.map(IdleProcess.wakeUps)
        try IdleProcess.wait(seconds: 10, watching: processes)
        let counts = try zip(processes.map(IdleProcess.wakeUps), before).map { $0 - $1 }
        table.add(
            "wake-ups in 10 s of an idle process with a live view", target: "none beyond those of Swift's runtime",
            measured: "\(counts[0]), without a store \(counts[1])", holds: counts[0] <= counts[1] + 1)
    }

    private func measureMemory(into table: inout [MeasuredRow]) throws {
        try progress.step("memory of views")
        let store = try open("small")
        defer { store.close() }
        let views = rounds * 25
        for _ in 0..<views / 10 { _ = try store.daybook.tasks.today() }
        let before = try Self.residentBytes()
        for _ in 0..<views { _ = try store.daybook.tasks.today() }
        let growth = try Self.residentBytes() - before
        table.add(
            "memory growth over \(views) views", target: "none", measured: "\(growth / 1024) KiB",
            holds: growth <= 64 * 1024)
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    private func measureDisk(into table: inout [MeasuredRow]) async throws {
        try progress.step("bytes on the disk")
        let folder = path("disk")
        if FileManager.default.fileExists(atPath: folder) { try FileManager.default.removeItem(atPath: folder) }
        let daybook = try DaybookStore.open(at: folder, context: BenchStore.context(at: BenchStore.historyEnd))
        try await daybook.generate(taskCount: Self.small, seed: 2)
        daybook.close()
        let bytes = try DiskProbe.allocatedBytes(of: folder)
        table.add(
            "1000 tasks on the disk, allocated", target: "under 1 MB", measured: "\(bytes / 1000) kB",
            holds: bytes < 1_000_000)
    }
}

/// A process that does nothing: with an open store and a live view, or with neither.
enum IdleProcess {
    /// Is idle until the process is killed, for a minute at most.
    ///
    /// - Parameter store: the path of a store; `-` for none.
    static func run(_ store: String) async throws {
        alarm(60)
        guard store != "-" else {
            await Task.detached {}.value
            let (nothing, end) = AsyncStream<Void>.makeStream()
            for await _ in nothing {}
            return end.finish()
        }
        let daybook = try DaybookStore.open(at: store)
        for try await _ in daybook.tasks.changes(in: .today) {}
    }

    /// Waits, unless a process writes something or ends, or a signal asks to stop.
    static func wait(seconds: Int32, watching processes: [ChildProcess]) throws {
        var outputs = processes.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
        let count = poll(&outputs, nfds_t(outputs.count), seconds * 1000)
        try Interruption.check()
        guard count == 0 else { throw CommandError.unusable("An idle process ended. Try again.") }
    }

    /// Returns the number of voluntary context switches of all threads of a process.
    static func wakeUps(of process: ChildProcess) throws -> Int {
        let threads = "/proc/\(process.identifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: threads).reduce(0) { sum, thread in
            let status = try String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
            return sum + (Int(line?.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0)
        }
    }
}
