import CivilTime
import FoundationEssentials
import Glibc
import KeyValue
import Processes

/// A run of many mutations: starts workers one after another, and detects crashes and hangs.
package struct FuzzRun {
    /// The time limit of a mutation that uses no CPU time because it waits.
    private static let idleSeconds = 60
    /// The maximum number of findings of one reader.
    private static let findingLimit = 10

    private let runs: Int
    private let seconds: Int?
    private let seed: UInt64
    private let readers: [FuzzReader]
    private let clock: any TimeSource
    private let program: String
    private var tallies: [String: Tally] = [:]
    private var findings: [String: Int] = [:]
    private let start: MonotonicTime
    private let folder: String
    private let notes: Int32

    /// - Parameters:
    ///   - runs: the number of mutations; by default a million, or as many as fit into the time.
    ///   - folder: an empty folder.
    ///   - program: a program that runs a ``FuzzWorker`` for the arguments of the command `fuzz`.
    package init(
        runs: Int?, seconds: Int?, seed: UInt64, only reader: FuzzReader?, in folder: String, program: String,
        clock: any TimeSource
    ) {
        self.runs = runs ?? (seconds == nil ? 1_000_000 : 1 << 40)
        self.seconds = seconds
        self.seed = seed
        readers = reader.map { [$0] } ?? FuzzReader.all
        self.clock = clock
        self.program = program
        start = clock.monotonic
        self.folder = folder
        // The signal identifies a crash. A crash report for each would take seconds; a replay has one.
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        notes = open("\(folder)/\(FuzzWorker.notes)", O_RDWR | O_CREAT | O_TRUNC, 0o600)
    }

    /// Returns whether nothing was found.
    package mutating func run() throws -> Bool {
        let total = readers.reduce(0) { $0 + $1.share }
        let deadline = seconds.map { start.advanced(byMicroseconds: Int64($0) * 1_000_000) }
        // In rounds, so that all readers share a time budget.
        let round = seconds == nil ? max(runs / 10, 20_000) : 20_000
        var done = 0
        while done < runs, deadline.map({ clock.monotonic < $0 }) ?? true {
            let upTo = min(runs, done + round)
            for reader in readers {
                try run(reader, from: done * reader.share / total, to: upTo * reader.share / total, deadline)
            }
            done = upTo
        }
        report()
        return findings.isEmpty
    }

    private mutating func run(
        _ reader: FuzzReader, from: Int, to: Int, _ deadline: MonotonicTime?
    ) throws {
        var next = from
        while next < to, findings[reader.name, default: 0] < Self.findingLimit {
            var arguments = ["fuzz", "--worker", "\(next):\(to):\(folder)"]
            arguments += ["--only", reader.name, "--seed", "\(seed)"]
            if let deadline {
                let left = deadline.microseconds(since: clock.monotonic) / 1_000_000
                guard left > 0 else { return }
                arguments += ["--seconds", "\(left)"]
            }
            if let plant = Plant.active { arguments += ["--plant", plant.rawValue] }
            next = try run(reader, arguments, from: next)
        }
    }

    /// Runs one worker to its end. Returns the number of the next mutation.
    private mutating func run(_ reader: FuzzReader, _ arguments: [String], from first: Int) throws -> Int {
        note(first)
        let begun = clock.monotonic
        let child = try ChildProcess(program, arguments)
        let output = gather(child)
        let ending = try child.wait()
        var tally = tallies[reader.name] ?? Tally()
        tally.seconds += Double(clock.monotonic.microseconds(since: begun)) / 1e6
        var next: Int?
        for line in output.text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            switch words.first {
            case "finding" where findings[reader.name, default: 0] < Self.findingLimit:
                found(reader, Int(words[1]) ?? 0, "\(words[2])", words.count > 3 ? "\(words[3])" : "")
            case "finding": break
            case "next": next = Int(words[1])
            default: tally.add(line: line)
            }
        }
        tallies[reader.name] = tally
        if let next, ending == .exited(0) { return next }
        let number = noted()
        tallies[reader.name]?.lost += number + 1 - first
        switch ending {
        case _ where output.isIdle: found(reader, number, "hang", "it waits for \(Self.idleSeconds) s")
        case .killed(SIGPROF): found(reader, number, "hang", "more than \(Limits.seconds) s of the processor's time")
        case .killed(let signal): found(reader, number, "crash", "signal \(signal)")
        case .exited(let code): found(reader, number, "crash", "exit \(code): \(output.text.suffix(300))")
        }
        return number + 1
    }

    /// Returns the worker's output. Ends the worker if it stays at one mutation for too long.
    private func gather(_ child: ChildProcess) -> (text: String, isIdle: Bool) {
        var all: [UInt8] = []
        var isIdle = false
        var seen = (number: noted(), at: clock.monotonic)
        while true {
            var descriptor = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, 1_000) > 0 {
                guard let part = child.nextOutput() else { break }
                all += part
            }
            if noted() != seen.number { seen = (noted(), clock.monotonic) }
            if clock.monotonic.microseconds(since: seen.at) > Int64(Self.idleSeconds) * 1_000_000 {
                isIdle = true
                child.kill()
            }
        }
        return (String(decoding: all, as: UTF8.self), isIdle)
    }

    private func note(_ number: Int) {
        var number = Int64(number)
        pwrite(notes, &number, 8, 0)
    }

    private func noted() -> Int {
        var number: Int64 = 0
        pread(notes, &number, 8, 0)
        return Int(number)
    }

    private mutating func found(_ reader: FuzzReader, _ number: Int, _ kind: String, _ text: String) {
        findings[reader.name, default: 0] += 1
        print("FOUND \(kind) in \(reader.name): \(text)")
        print("  replay: Scripts/fuzz --replay \(reader.name):\(seed):\(number)")
        fflush(nil)
    }

    private func report() {
        func column(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        print("reader        mutations  accepted  refused     /s  peak MiB  refused as")
        for reader in readers {
            let tally = tallies[reader.name] ?? Tally()
            let rate = Int(Double(tally.count) / max(tally.seconds, 0.001))
            let kinds = tally.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            print(
                reader.name + column("\(tally.count)", 23 - reader.name.count) + column("\(tally.accepted)", 10)
                    + column("\(tally.refused.values.reduce(0, +))", 9) + column("\(rate)", 7)
                    + column("\(tally.peakBytes >> 20)", 10) + "  " + kinds.joined(separator: ", "))
        }
        let count = tallies.values.reduce(0) { $0 + $1.count }
        let seconds = clock.monotonic.microseconds(since: start) / 1_000_000
        let number = findings.values.reduce(0, +)
        print(
            number == 0
                ? "fuzz: seed \(seed), \(count) mutations in \(seconds) s: nothing found"
                : "fuzz: seed \(seed), \(count) mutations in \(seconds) s: \(number) FOUND")
    }
}

/// The results of one reader.
struct Tally {
    var accepted = 0
    var refused: [String: Int] = [:]
    /// The mutations that ended their process.
    var lost = 0
    var peakBytes = 0
    var seconds = 0.0

    var count: Int { accepted + refused.values.reduce(0, +) + lost }

    mutating func add(_ verdict: Verdict) {
        switch verdict {
        case .accepted: accepted += 1
        case .refused(let kind): refused[kind, default: 0] += 1
        }
    }

    /// The results for the parent process, as lines of a word and numbers.
    var lines: [String] {
        ["accepted \(accepted)", "peak \(peakBytes)"] + refused.map { "refused \($0.key) \($0.value)" }
    }

    mutating func add(line: Substring) {
        let words = line.split(separator: " ")
        guard let last = words.last, let number = Int(last) else { return }
        switch words[0] {
        case "accepted": accepted += number
        case "peak": peakBytes = max(peakBytes, number)
        case "refused": refused[String(words[1]), default: 0] += number
        default: break
        }
    }
}
