import CivilTime
import DiskRecording
import Glibc
import LabSupport
import Synchronization

/// Runs work in forked child processes, a few at a time, and collects how each ended. A signal is a result, not the end
/// of the lab.
///
/// The process must have no other active thread: a child has only the thread that forked.
final class ChildPool {
    /// How a child ended and what it had reported until then.
    struct Ending {
        enum Way: Equatable {
            case finished
            case killed(signal: Int32)
            case exited(code: Int32)
            case timedOut
        }

        var way: Way
        var lines: [String]
    }

    private struct Child {
        let process: pid_t
        let pipe: Int32
        var patience: Patience
        let slot: Int
        let finish: (Ending) -> Void
        var output: [UInt8] = []
    }

    /// The number of children that run in parallel.
    let width: Int
    private let clock: any TimeSource
    private let timeLimitMicroseconds: Int64
    private var children: [Child] = []
    /// Where the children work; nil where a full file system counts as a failure.
    private let scratch: String?
    private var scratchFull: ScratchFull?

    init(
        width: Int, clock: any TimeSource, timeLimitMicroseconds: Int64 = 20_000_000, scratch: String? = nil
    ) {
        self.scratch = scratch
        self.width = max(1, width)
        self.clock = clock
        self.timeLimitMicroseconds = timeLimitMicroseconds
    }

    deinit {
        abandon()
    }

    private func abandon() {
        for child in children {
            kill(child.process, SIGKILL)
            waitpid(child.process, nil, 0)
            close(child.pipe)
        }
        children = []
    }

    /// Starts work as soon as a slot is free. The slot's number, from 0, can name a folder for the child; `finish` is
    /// called during a later call of this object.
    func start(_ work: (_ slot: Int, _ reporter: ChildReporter) throws -> Void, then finish: @escaping (Ending) -> Void)
        throws
    {
        while children.count >= width { try gather() }
        let taken = Set(children.map(\.slot))
        let slot = (0..<width).first { !taken.contains($0) } ?? 0
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CrashLabError.system(operation: "make a pipe", code: errno) }
        let process = try DiskLog.fork()
        if process == 0 {
            close(ends[0])
            // What libc prints when a process that read damaged pages ends is not part of the report.
            let nowhere = open("/dev/null", O_WRONLY)
            if nowhere >= 0 { dup2(nowhere, STDERR_FILENO) }
            let reporter = ChildReporter(pipe: ends[1])
            do {
                try work(slot, reporter)
                _exit(0)
            } catch {
                reporter.report("error", "\(error)")
                _exit(1)
            }
        }
        close(ends[1])
        children.append(
            Child(
                process: process, pipe: ends[0], patience: Patience(microseconds: timeLimitMicroseconds), slot: slot,
                finish: finish))
    }

    /// Waits until every child has ended.
    func finishAll() throws {
        while !children.isEmpty { try gather() }
    }

    /// Waits until one more child has ended; returns false if none is running.
    func finishOne() throws -> Bool {
        guard !children.isEmpty else { return false }
        try gather()
        return true
    }

    /// Runs work in a child and waits for it.
    func run(_ work: (_ slot: Int, _ reporter: ChildReporter) throws -> Void) throws -> Ending {
        var ending: Ending?
        try start(work) { ending = $0 }
        while ending == nil { try gather() }
        return ending ?? Ending(way: .timedOut, lines: [])
    }

    /// Runs work without which the lab cannot go on.
    @discardableResult
    func perform(_ name: String, _ work: (ChildReporter) throws -> Void) throws -> Ending {
        let ending = try run { _, reporter in try work(reporter) }
        if let failure = ending.failure { throw CrashLabError.workloadFailed(name, failure) }
        return ending
    }

    /// Reads from children until at least one of them has ended.
    private func gather() throws {
        var hasEnded = false
        while !hasEnded {
            let before = clock.monotonic
            var descriptors = children.map { pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0) }
            let count = poll(&descriptors, nfds_t(descriptors.count), Int32(Patience.slice / 1000))
            let waited = clock.monotonic.microseconds(since: before)
            if Interruption.hasCome {
                abandon()
                throw CrashLabError.interrupted
            }
            guard count >= 0 || errno == EINTR else { throw CrashLabError.system(operation: "wait", code: errno) }
            for index in descriptors.indices.reversed() {
                children[index].patience.spend(microseconds: waited)
                if descriptors[index].revents != 0, read(from: index) { continue }
                if descriptors[index].revents != 0 {
                    end(index, timedOut: false)
                    hasEnded = true
                } else if children[index].patience.isOver {
                    kill(children[index].process, SIGKILL)
                    end(index, timedOut: true)
                    hasEnded = true
                }
            }
            if let scratchFull {
                abandon()
                throw scratchFull
            }
        }
    }

    /// Reads from a child; returns false at the end.
    private func read(from index: Int) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(children[index].pipe, &chunk, chunk.count)
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { return false }
        children[index].output += chunk.prefix(count)
        return true
    }

    private func end(_ index: Int, timedOut: Bool) {
        let child = children.remove(at: index)
        close(child.pipe)
        let way = Ending.Way(of: child.process)
        let lines = String(decoding: child.output, as: UTF8.self).split(separator: "\n").map(String.init)
        let ending = Ending(way: timedOut ? .timedOut : way, lines: lines)
        // While the child's files are there: the next child replaces them.
        if let scratch, ending.failure != nil {
            do throws(ScratchFull) { try ScratchFull.check(scratch) } catch { scratchFull = error }
        }
        child.finish(ending)
    }
}

extension ChildPool.Ending.Way {
    /// Decodes a status of waitpid. The macros of <sys/wait.h> are not imported into Swift.
    init(status: Int32) {
        let signal = status & 0x7F
        let code = status >> 8 & 0xFF
        self = signal != 0 ? .killed(signal: signal) : code != 0 ? .exited(code: code) : .finished
    }

    /// Waits until a child process has ended.
    init(of process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        self.init(status: status)
    }
}

/// Sends lines of a key and a value from a child to the lab, each immediately, so that they are not lost when the child
/// dies.
struct ChildReporter {
    let pipe: Int32

    func report(_ word: String, _ value: String = "") {
        let line = value.replacing("\n", with: " ")
        let bytes = Array("\(word) \(line)\n".utf8)
        var sent = 0
        while sent < bytes.count {
            let count = Glibc.write(pipe, Array(bytes[sent...]), bytes.count - sent)
            guard count > 0 || errno == EINTR else { return }
            sent += max(0, count)
        }
    }
}

extension ChildPool.Ending {
    /// Returns the last value reported for a key.
    func value(of word: String) -> String? { values(of: word).last }

    /// Returns every value reported for a key.
    func values(of word: String) -> [String] {
        lines.compactMap { $0.hasPrefix(word + " ") ? String($0.dropFirst(word.count + 1)) : nil }
    }

    /// What went wrong; nil for a child that completed its work. Excludes the folder it worked in, so that the same
    /// problem reads the same everywhere.
    var failure: String? {
        failureText?.replacing(/\/[^ ]*\/(image|rot)-[0-9]+\//, with: "")
    }

    private var failureText: String? {
        let stage = value(of: "stage").map { " while \($0)" } ?? ""
        return switch way {
        case .finished: nil
        case .killed(let signal): "the process was killed by signal \(signal)\(stage)"
        case .exited(let code):
            value(of: "error").map { "\($0)\(stage)" } ?? "the process ended with code \(code)\(stage)"
        case .timedOut: "exceeded the time limit\(stage)"
        }
    }
}

/// Whether the program received a signal to end. It first ends its children and removes its folder.
enum Interruption {
    private static let isAsked = Atomic<Bool>(false)

    static var hasCome: Bool { isAsked.load(ordering: .relaxed) }

    static func watch() {
        // The first access initializes the variable, which a signal handler must not do.
        isAsked.store(false, ordering: .relaxed)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.isAsked.store(true, ordering: .relaxed) }
            sigaddset(&signals, number)
        }
        // The parent process may have blocked them, and a mask is inherited.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
