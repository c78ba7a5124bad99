import CDiskLog
import DiskRecording
import Glibc

/// A child process that stops before its work until it is resumed, so that several can be lined up.
final class RaceProcess {
    /// The state of the process as its parent sees it.
    enum Progress: Equatable {
        /// It sleeps in the kernel, waiting for a lock.
        case waiting
        case ended
    }

    private let process: pid_t
    private let pipe: Int32
    /// The end of a pipe by which a process of a namespace is resumed; -1 for others. As the first process of its namespace, it
    /// cannot stop itself with a signal.
    private var orders: Int32
    private var output: [UInt8] = []
    private var patience = Patience(microseconds: 20_000_000)
    private(set) var ending: ChildPool.Ending.Way?

    /// Forks. The work gets a reporter and a closure that stops the child until it is resumed.
    ///
    /// - Parameters:
    ///   - isStepped: whether `step` will advance it from one system call to the next.
    ///   - isReadyAtOnce: whether it does not stop at all.
    ///   - isInNamespace: whether it is process 1 of a new PID namespace.
    init(
        isStepped: Bool, isReadyAtOnce: Bool = false, isInNamespace: Bool = false,
        _ work: (_ reporter: ChildReporter, _ ready: () -> Void) throws -> Void
    ) throws {
        var ends: [Int32] = [-1, -1]
        var start: [Int32] = [-1, -1]
        let usesOrders = isInNamespace && !isStepped
        guard Glibc.pipe(&ends) == 0, !usesOrders || Glibc.pipe(&start) == 0 else {
            throw CrashLabError.system(operation: "make a pipe", code: errno)
        }
        process = try DiskLog.fork(inNamespace: isInNamespace)
        if process == 0 {
            close(ends[0])
            // Nobody ends the processes of a lab that was killed.
            alarm(600)
            let reporter = ChildReporter(pipe: ends[1])
            do {
                try work(reporter) {
                    if isStepped {
                        process_steps_offer()
                    } else if usesOrders {
                        var byte: UInt8 = 0
                        reporter.report("ready")
                        while read(start[0], &byte, 1) < 0, errno == EINTR {}
                    } else {
                        raise(SIGSTOP)
                    }
                }
                _exit(0)
            } catch {
                reporter.report("error", "\(error)")
                _exit(1)
            }
        }
        close(ends[1])
        pipe = ends[0]
        if usesOrders { close(start[0]) }
        orders = start[1]
        if isStepped {
            var status: Int32 = 0
            _ = try hasStopped(process_steps_accept(process, &status), status)
        } else if usesOrders {
            waitUntilReady()
        } else if !isReadyAtOnce {
            waitUntilStopped()
        }
    }

    deinit {
        if ending == nil { end(by: SIGKILL) }
        close(pipe)
        if orders >= 0 { close(orders) }
    }

    /// Advances it to its next system call; returns false if it has ended.
    func step() throws -> Bool {
        var status: Int32 = 0
        return try hasStopped(process_steps_next(process, &status), status)
    }

    private func hasStopped(_ code: Int32, _ status: Int32) throws -> Bool {
        guard code <= 0 else { throw CrashLabError.system(operation: "step a process", code: code) }
        if code < 0 { take(status) }
        return code == 0
    }

    /// Lets it run freely after steps.
    func release() throws {
        let code = process_steps_release(process)
        guard code == 0 else { throw CrashLabError.system(operation: "release a process", code: code) }
    }

    /// Resumes it after it was ready.
    func resume() {
        guard ending == nil else { return }
        guard orders >= 0 else {
            kill(process, SIGCONT)
            return
        }
        // Only once: afterwards it may have ended.
        _ = write(orders, [1], 1)
        close(orders)
        orders = -1
    }

    /// Kills it as a crash would.
    func end(by signal: Int32) {
        guard ending == nil else { return }
        kill(process, signal)
        waitUntilEnded()
    }

    func waitUntilEnded() {
        while ending == nil { readMore() }
    }

    /// Reads what it reports next; takes its ending when there is nothing more. One that waits for a lock forever is killed.
    private func readMore() {
        guard patience.wait(forInputFrom: pipe) else {
            kill(process, SIGKILL)
            waitForExit()
            ending = .timedOut
            return
        }
        if !readReported() { take(waitForExit()) }
    }

    /// Reads what it has reported; returns false at the end.
    private func readReported() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = read(pipe, &chunk, chunk.count)
        if count < 0, errno == EINTR { return true }
        output += chunk.prefix(max(0, count))
        return count > 0
    }

    @discardableResult
    private func waitForExit() -> Int32 {
        var status: Int32 = 0
        // The macros of <sys/wait.h>, which Swift does not import: not one that has stopped.
        while waitpid(process, &status, 0) != process || status & 0xFF == 0x7F {}
        return status
    }

    /// Returns when it has ended or sleeps, or, of one that never does either, after a million looks at it: more than a minute.
    func waitUntilEndedOrWaiting() -> Progress {
        var status: Int32 = 0
        for _ in 0..<1_000_000 where ending == nil {
            if waitpid(process, &status, WNOHANG) == process { take(status) }
            if ending == nil, isSleeping { return .waiting }
            // Not a busy wait: the child may need this CPU.
            var pause = timespec(tv_sec: 0, tv_nsec: 20_000)
            nanosleep(&pause, nil)
        }
        return ending == nil ? .waiting : .ended
    }

    private func waitUntilStopped() {
        var status: Int32 = 0
        while waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
        if status & 0xFF != 0x7F { take(status) }
    }

    /// Returns when it has reported that it is ready, or has ended.
    private func waitUntilReady() {
        while output.last != UInt8(ascii: "\n"), ending == nil { readMore() }
    }

    private var isSleeping: Bool {
        guard let line = FolderFiles.text(of: "/proc/\(process)/stat"),
            let end = line.lastIndex(of: ")")
        else { return false }
        return line[end...].dropFirst(2).first == "S"
    }

    private func take(_ status: Int32) {
        ending = ChildPool.Ending.Way(status: status)
    }

    /// What it has reported so far.
    var report: ChildPool.Ending {
        if ending != nil { while readReported() {} }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        return ChildPool.Ending(way: ending ?? .timedOut, lines: lines)
    }
}
