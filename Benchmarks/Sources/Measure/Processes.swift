import Daybook
import FoundationEssentials
import Glibc
import Workloads

/// Measures processes from outside: whole commands, opening, wake-ups, memory, disk.
struct Processes {
    let stores: Stores
    let large: Int
    /// The programs to time, with a label of the build.
    let programs: [(build: String, path: String, limit: Double)]

    func run(into report: inout Report) async throws {
        try opening(into: &report)
        try commands(into: &report)
        try idle(into: &report)
        try memory(into: &report)
        try await disk(into: &report)
    }

    private func opening(into report: inout Report) throws {
        var samples = Samples()
        for _ in 0..<30 {
            samples.add(
                try ContinuousClock().measure {
                    let daybook = try stores.open("large")
                    _ = try daybook.tasks.today()
                    daybook.close()
                })
        }
        report.add(
            "open a store of \(large) to the first Today", target: "under 10 ms", measured: shown(samples.median),
            holds: samples.median < 10e6)
    }

    private func commands(into report: inout Report) throws {
        for program in programs {
            var samples = Samples()
            for number in 0..<60 {
                let words = ["add", "Buy milk and bread", "\(number)", "--store", stores.path("large")]
                let elapsed = try ContinuousClock().measure { try Self.run(program.path, words) }
                if number >= 5 { samples.add(elapsed) }
            }
            report.add(
                "`daybook add`, durable, in a store of \(large), \(program.build)",
                target: "median under \(rounded(program.limit / 1e6)) ms", measured: shown(samples.median),
                holds: samples.median < program.limit)
        }
    }

    private static func run(_ program: String, _ words: [String]) throws {
        let process = try spawn(program, words)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else { throw BenchmarkError.unexpected("\(program) ended with \(status)") }
    }

    private static func spawn(_ program: String, _ words: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = ([program] + words).map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, nil, &arguments, environ)
        guard code == 0 else { throw BenchmarkError.unexpected("cannot run \(program): \(code)") }
        return process
    }

    /// Compares with a process that has run a task and is then idle: on Linux, Dispatch wakes up once a second in every
    /// program that has run one.
    private func idle(into report: inout Report) throws {
        let program = CommandLine.arguments[0]
        let processes = [
            try Self.spawn(program, ["idle", stores.path("small")]), try Self.spawn(program, ["idle", "-"]),
        ]
        defer {
            for process in processes {
                kill(process, SIGKILL)
                var status: Int32 = 0
                waitpid(process, &status, 0)
            }
        }
        // The threads that the runtime has started end after five seconds.
        sleep(8)
        let before = try processes.map(Self.wakeUps)
        sleep(10)
        let after = try processes.map(Self.wakeUps)
        let ours = after[0] - before[0]
        let control = after[1] - before[1]
        report.add(
            "wake-ups in 10 s of an idle process with an open store and a live view",
            target: "none beyond those of Swift's runtime",
            measured: "\(ours), of a process without a store \(control)", holds: ours <= control + 1)
    }

    /// Returns the number of voluntary context switches of all threads of a process.
    private static func wakeUps(of process: pid_t) throws -> Int {
        let threads = "/proc/\(process)/task"
        var sum = 0
        for thread in try FileManager.default.contentsOfDirectory(atPath: threads) {
            let status = try String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)
            for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches") {
                sum += Int(line.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0
            }
        }
        return sum
    }

    private func memory(into report: inout Report) throws {
        let daybook = try stores.open("small")
        defer { daybook.close() }
        for _ in 0..<10_000 { _ = try daybook.tasks.today() }
        let before = try Self.residentBytes()
        for _ in 0..<100_000 { _ = try daybook.tasks.today() }
        let growth = try Self.residentBytes() - before
        report.add(
            "memory growth over 100000 views", target: "none", measured: "\(growth / 1024) KiB",
            holds: growth <= 64 * 1024)
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4096
    }

    private func disk(into report: inout Report) async throws {
        try stores.remove("disk")
        let daybook = try stores.open("disk", at: Stores.historyEnd)
        try await daybook.generate(taskCount: 1000, seed: 2)
        daybook.close()
        var bytes = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: stores.path("disk")) {
            var information = stat()
            if stat("\(stores.path("disk"))/\(name)", &information) == 0 { bytes += Int(information.st_blocks) * 512 }
        }
        report.add(
            "1000 tasks on the disk, allocated", target: "under 1 MB", measured: "\(bytes / 1000) kB",
            holds: bytes < 1_000_000)
    }
}

/// The idle process: with an open store and a live view, or with neither.
enum IdleProcess {
    static func run(_ path: String) async throws {
        guard path != "-" else {
            await Task.detached {}.value
            return try await Task.sleep(for: .seconds(3600))
        }
        let daybook = try DaybookStore.open(at: path)
        for try await _ in daybook.tasks.changes(in: .today) {}
    }
}
