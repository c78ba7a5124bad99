import Glibc

/// The second process of a workload. It is forked before the first has opened the store, opens the store itself, and
/// performs steps on request, in the same recording.
final class PeerProcess {
    private let process: pid_t
    private let orders: Int32
    private let answers: Int32

    init(of run: LabRun) throws {
        var down: [Int32] = [-1, -1]
        var up: [Int32] = [-1, -1]
        guard pipe(&down) == 0, pipe(&up) == 0 else {
            throw CrashLabError.system(operation: "make a pipe", code: errno)
        }
        let child = try DiskLog.fork()
        if child == 0 {
            close(down[1])
            close(up[0])
            Self.serve(run, orders: down[0], answers: up[1])
        }
        process = child
        close(down[0])
        close(up[1])
        orders = down[1]
        answers = up[0]
    }

    /// Performs a step of the workload in the second process; returns when it is durable.
    func perform(_ index: Int) throws {
        var answer: UInt8 = 0
        guard write(orders, [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)], 2) == 2,
            read(answers, &answer, 1) == 1, answer == 1
        else { throw CrashLabError.peerProcessFailed }
    }

    func end() {
        close(orders)
        close(answers)
        waitpid(process, nil, 0)
    }

    private static func serve(_ run: LabRun, orders: Int32, answers: Int32) -> Never {
        do {
            let store = try LabStore(at: run.path, of: run.workload.pack, options: run.workload.options)
            var model = run.workload.model(of: run.workload.base)
            var next = 0
            var order: [UInt8] = [0, 0]
            while read(orders, &order, 2) == 2 {
                let index = Int(order[0]) | Int(order[1]) << 8
                // Steps of the other process are applied to the model only.
                for number in next...index {
                    guard let action = model.action(for: run.workload.steps[number], at: number + 1) else { continue }
                    if number == index {
                        store.setStep(number + 1)
                        try store.perform(action)
                    }
                    model.apply(action)
                }
                next = index + 1
                guard write(answers, [1], 1) == 1 else { break }
            }
            store.close()
            _exit(0)
        } catch {
            run.reporter.report("error", "second process: \(error)")
            _exit(1)
        }
    }
}

/// Runs work in a forked child and returns its answer.
///
/// The child has only the calling thread, so the work must not use Swift concurrency, nor a lock that another thread
/// may hold.
enum SecondProcess {
    static func run(timeLimitMilliseconds: Int32 = 60_000, _ body: () -> String) throws -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CrashLabError.system(operation: "make a pipe", code: errno) }
        let child: Int32
        do {
            child = try DiskLog.fork()
        } catch {
            for end in ends { close(end) }
            throw error
        }
        if child == 0 {
            close(ends[0])
            let hasAnswered = send(Array(body().utf8), to: ends[1])
            // Without the parent's exit handlers.
            _exit(hasAnswered ? 0 : 1)
        }
        close(ends[1])
        let answer = receive(from: ends[0], timeLimitMilliseconds: timeLimitMilliseconds)
        close(ends[0])
        if answer == nil { kill(child, SIGKILL) }
        let way = ChildPool.Ending.Way(of: child)
        guard let answer else { throw CrashLabError.noAnswer("exceeded its time limit") }
        switch way {
        case .finished, .timedOut: break
        case .killed(let signal): throw CrashLabError.noAnswer("was killed by signal \(signal)")
        case .exited(let code): throw CrashLabError.noAnswer("ended with code \(code)")
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func send(_ bytes: [UInt8], to pipe: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = write(pipe, Array(bytes[sent...]), bytes.count - sent)
            guard count > 0 || errno == EINTR else { return false }
            sent += max(0, count)
        }
        return true
    }

    /// Reads until the other end is closed; returns nil on a timeout.
    private static func receive(from pipe: Int32, timeLimitMilliseconds: Int32) -> [UInt8]? {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var descriptor = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, timeLimitMilliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = read(pipe, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += chunk.prefix(count)
        }
    }
}
