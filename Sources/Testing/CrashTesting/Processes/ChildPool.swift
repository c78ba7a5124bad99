import CivilTime
import Glibc

/// Runs pieces of work in forked children, a few at a time, and hears how each of them ended. A signal is a verdict, not
/// the end of the lab.
///
/// The process must have no other thread that works meanwhile: a child has the forking thread only.
final class ChildPool {
    /// How a child ended, and the lines that it had said until then.
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
        let deadline: MonotonicTime
        let slot: Int
        let finish: (Ending) -> Void
        var output: [UInt8] = []
    }

    /// How many children work at once.
    let width: Int
    private let clock: any TimeSource
    private let timeLimitMicroseconds: Int64
    private var children: [Child] = []

    init(width: Int, clock: any TimeSource, timeLimitMicroseconds: Int64 = 20_000_000) {
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

    /// Starts a piece of work as soon as a place is free. It is told its place, from 0, so that it can have a folder to
    /// itself; `finish` is called from a later call of this object's.
    func start(_ work: (_ slot: Int, _ voice: ChildVoice) throws -> Void, then finish: @escaping (Ending) -> Void)
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
            // What libc has to say at the end of a process that read damaged pages is no part of the report.
            let nowhere = open("/dev/null", O_WRONLY)
            if nowhere >= 0 { dup2(nowhere, STDERR_FILENO) }
            let voice = ChildVoice(pipe: ends[1])
            do {
                try work(slot, voice)
                _exit(0)
            } catch {
                voice.say("error", "\(error)")
                _exit(1)
            }
        }
        close(ends[1])
        children.append(
            Child(
                process: process, pipe: ends[0],
                deadline: clock.monotonic.advanced(byMicroseconds: timeLimitMicroseconds), slot: slot, finish: finish))
    }

    /// Waits until every child has ended.
    func finishAll() throws {
        while !children.isEmpty { try gather() }
    }

    /// Waits until one more child has ended; false when none is at work.
    func finishOne() throws -> Bool {
        guard !children.isEmpty else { return false }
        try gather()
        return true
    }

    /// Runs one piece of work and waits for it.
    func run(_ work: (_ slot: Int, _ voice: ChildVoice) throws -> Void) throws -> Ending {
        var ending: Ending?
        try start(work) { ending = $0 }
        while ending == nil { try gather() }
        return ending ?? Ending(way: .timedOut, lines: [])
    }

    /// Reads what children say until at least one of them has ended.
    private func gather() throws {
        var hasEnded = false
        while !hasEnded {
            let now = clock.monotonic
            var descriptors = children.map { pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0) }
            let next = children.map { $0.deadline.microseconds(since: now) }.min() ?? 0
            let count = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: max(0, next) / 1000 + 1))
            if Interruption.hasCome {
                abandon()
                throw CrashLabError.interrupted
            }
            guard count >= 0 || errno == EINTR else { throw CrashLabError.system(operation: "wait", code: errno) }
            for index in descriptors.indices.reversed() {
                if descriptors[index].revents != 0, read(from: index) { continue }
                if descriptors[index].revents != 0 {
                    end(index, timedOut: false)
                    hasEnded = true
                } else if children[index].deadline < clock.monotonic {
                    kill(children[index].process, SIGKILL)
                    end(index, timedOut: true)
                    hasEnded = true
                }
            }
        }
    }

    /// Takes in what a child has said; false at the end.
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
        var status: Int32 = 0
        while waitpid(child.process, &status, 0) < 0, errno == EINTR {}
        // What the macros of <sys/wait.h> say, which Swift does not import.
        let signal = status & 0x7F
        let code = status >> 8 & 0xFF
        let way: Ending.Way =
            timedOut ? .timedOut : signal != 0 ? .killed(signal: signal) : code != 0 ? .exited(code: code) : .finished
        let lines = String(decoding: child.output, as: UTF8.self).split(separator: "\n").map(String.init)
        child.finish(Ending(way: way, lines: lines))
    }
}
