import Glibc

/// A second process of a workload. It is forked before the first has opened the store, opens the store itself, and
/// performs the steps that it is told, in the same recording.
final class LabPeer {
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

    /// Has it perform a step of the workload, and returns when that is durable.
    func perform(_ index: Int) throws {
        var answer: UInt8 = 0
        guard write(orders, [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)], 2) == 2,
            read(answers, &answer, 1) == 1, answer == 1
        else { throw CrashLabError.peerFailed }
    }

    func end() {
        close(orders)
        close(answers)
        waitpid(process, nil, 0)
    }

    private static func serve(_ run: LabRun, orders: Int32, answers: Int32) -> Never {
        do {
            let store = try LabStore(at: run.path, options: run.workload.options)
            var model = LabWorkload.Base.model(of: run.workload.base)
            var next = 0
            var order: [UInt8] = [0, 0]
            while read(orders, &order, 2) == 2 {
                let index = Int(order[0]) | Int(order[1]) << 8
                // What the other process has done meanwhile only happens in the model.
                for number in next...index {
                    guard let action = model.action(for: run.workload.steps[number]) else { continue }
                    if number == index {
                        store.setStep(number + 1)
                        try store.perform(action)
                    }
                    model.apply(action, at: LabStore.instant(ofStep: number + 1))
                }
                next = index + 1
                guard write(answers, [1], 1) == 1 else { break }
            }
            store.close()
            _exit(0)
        } catch {
            run.voice.say("error", "second process: \(error)")
            _exit(1)
        }
    }

    /// Runs something in a process of its own, and waits for it.
    static func runApart(_ work: () throws -> Void) throws {
        let child = try DiskLog.fork()
        if child == 0 {
            do {
                try work()
                _exit(0)
            } catch {
                _exit(1)
            }
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw CrashLabError.peerFailed }
    }
}
