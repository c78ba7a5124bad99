import DiskRecording
import Glibc

/// The second process of a workload. It is forked before the first has opened the store, opens the store itself, and
/// performs steps on request, in the same recording.
final class PeerProcess {
    private let process: pid_t
    private let orders: Int32
    private let answers: Int32
    private var hasEnded = false
    private var isOver = false
    /// The order to close the store and to exit.
    private static let ending = [UInt8](repeating: 0xFF, count: 6)

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

    /// The processes that a workload needs, in their order: one for each step that kills it, and one more for other steps. All are
    /// forked now, since this process may have other threads later.
    static func all(of run: LabRun) throws -> [PeerProcess] {
        let steps = run.workload.steps.filter(\.runsInPeer)
        let kills = steps.filter { $0.killedAt != nil }.count
        return try (0..<(steps.isEmpty ? 0 : kills + 1)).map { _ in try PeerProcess(of: run) }
    }

    /// Performs a step of the workload in the second process; returns when it is durable, or the process was killed.
    ///
    /// - Parameter lost: earlier steps that the store does not have, since their process was killed.
    /// - Returns: whether it was performed.
    @discardableResult
    func perform(_ index: Int, without lost: Set<Int> = []) throws -> Bool {
        let mask = lost.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
        let order = [index, index >> 8, Int(mask), Int(mask >> 8), Int(mask >> 16), Int(mask >> 24)]
        var answer: UInt8 = 0
        guard write(orders, order.map { UInt8(truncatingIfNeeded: $0) }, order.count) == order.count else {
            throw CrashLabError.peerProcessFailed
        }
        if read(answers, &answer, 1) == 1, answer == 1 { return true }
        guard isKilled else { throw CrashLabError.peerProcessFailed }
        return false
    }

    /// Whether it was killed, as a step of the workload says.
    private var isKilled: Bool {
        hasEnded = true
        return ChildPool.Ending.Way(of: process) == .killed(signal: SIGKILL)
    }

    func end() {
        guard !isOver else { return }
        isOver = true
        // Other processes have a copy of this end, so closing it says nothing.
        if !hasEnded { _ = write(orders, Self.ending, Self.ending.count) }
        close(orders)
        close(answers)
        if !hasEnded { waitpid(process, nil, 0) }
    }

    private static func serve(_ run: LabRun, orders: Int32, answers: Int32) -> Never {
        do {
            // One that is to be killed opens the store when it is asked to.
            let opensLater = run.workload.steps.contains { $0.killedAt != nil }
            var store =
                opensLater ? nil : try LabStore(at: run.path, of: run.workload.pack, options: run.workload.options)
            var model = run.workload.model(of: run.workload.base)
            var next = 0
            var order = [UInt8](repeating: 0, count: 6)
            while read(orders, &order, order.count) == order.count, order != ending {
                let index = Int(order[0]) | Int(order[1]) << 8
                let lost = (0..<4).reduce(UInt32(0)) { $0 | UInt32(order[2 + $1]) << UInt32(8 * $1) }
                // Steps of the other process are applied to the model only.
                for number in next...index where number > 31 || lost & 1 << UInt32(number) == 0 {
                    let step = run.workload.steps[number]
                    guard let action = model.action(for: step, at: number + 1) else { continue }
                    if number == index {
                        if let call = step.killedAt {
                            DiskLog.setFault(DiskFault(kind: .write, effect: .kills, first: call, error: 0))
                        }
                        let opened =
                            try store
                            ?? LabStore(
                                at: run.path, of: run.workload.pack, options: run.workload.options)
                        store = opened
                        opened.setStep(number + 1)
                        try opened.perform(action)
                        DiskLog.clearFault()
                    }
                    model.apply(action)
                }
                next = index + 1
                guard write(answers, [1], 1) == 1 else { break }
            }
            store?.close()
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
    static func run(timeLimitMicroseconds: Int64 = 60_000_000, _ body: () -> String) throws -> String {
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
        let answer = receive(from: ends[0], Patience(microseconds: timeLimitMicroseconds))
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

    /// Reads until the other end is closed; returns nil when the patience is over.
    private static func receive(from pipe: Int32, _ patience: Patience) -> [UInt8]? {
        var patience = patience
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while patience.wait(forInputFrom: pipe) {
            let count = read(pipe, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += chunk.prefix(count)
        }
        return nil
    }
}
