import Daybook
import Dispatch
import FoundationEssentials
import Synchronization

/// Work on a store that takes a while: at most one at a time, in a process of its own. A page of the store's file that cannot be
/// read ends the process that reads it, and the server has to go on.
final class InsideJob: Sendable {
    /// How far it is.
    struct State: Sendable {
        var phase = "running"
        var (done, total): (Int, Int?) = (0, nil)
        var text = ""
        var problems: [String] = []
        /// What a person can do, as a name of `Remedy`.
        var remedy: String?
        var seconds = 0.0
    }

    let id: String
    let kind: String
    private let state = Mutex(State())
    private let cancellation = Mutex<(isCancelled: Bool, action: (@Sendable () -> Void)?)>((false, nil))
    private let began = ContinuousClock.now

    init(_ kind: String, _ number: Int) { (self.kind, id) = (kind, "\(number)") }

    var current: State { state.withLock { $0 } }
    var isRunning: Bool { current.phase == "running" }
    var isCancelled: Bool { cancellation.withLock { $0.isCancelled } }

    func cancel() {
        let action = cancellation.withLock { cancellation in
            cancellation.isCancelled = true
            return cancellation.action
        }
        action?()
    }

    /// Sets what a cancellation calls, and calls it if that has come already.
    func onCancel(_ action: @escaping @Sendable () -> Void) {
        let isCancelled = cancellation.withLock { cancellation in
            cancellation.action = action
            return cancellation.isCancelled
        }
        if isCancelled { action() }
    }

    /// Notes the progress.
    func update(_ done: Int, of total: Int?) {
        state.withLock { ($0.done, $0.total) = (done, total ?? $0.total) }
    }

    /// Runs the work on a thread that serves nothing else, and notes how it ended.
    func run(_ work: @escaping @Sendable (InsideJob) -> JobEnd) {
        DispatchQueue(label: "daybook.inside").async { [self] in
            let end = work(self)
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            state.withLock {
                ($0.phase, $0.text, $0.problems, $0.remedy) = (end.phase, end.text, end.problems, end.remedy)
                $0.seconds = seconds
                if end.phase == "done" { $0.done = $0.total ?? $0.done }
            }
        }
    }

    var json: JSONTree {
        let state = current
        let running = (ContinuousClock.now - began) / .seconds(1)
        return .object([
            "id": .text(id), "kind": .text(kind), "phase": .text(state.phase), "done": .number(state.done),
            "total": state.total.map { .number($0) } ?? .null, "text": .text(state.text),
            "problems": .list(Array(state.problems.prefix(StoreInspector.pageLimit))), "remedy": .text(state.remedy),
            "milliseconds": .number(Int((isRunning ? running : state.seconds) * 1000)),
        ])
    }
}

/// The jobs of a store, and the size that it had when its inside was first shown.
final class InsideJobs: Sendable {
    private struct State {
        var jobs: [InsideJob] = []
        var count = 0
        var first: (bytes: Int, at: Instant)?
    }

    private static let all = Mutex<[String: InsideJobs]>([:])
    private let state = Mutex(State())

    /// Those of a store: a store that is opened again keeps them.
    static func of(_ store: DaybookStore) -> InsideJobs {
        all.withLock { all in
            let jobs = all[store.path] ?? InsideJobs()
            all[store.path] = jobs
            return jobs
        }
    }

    var latest: InsideJob? { state.withLock { $0.jobs.last } }

    func job(_ id: String) -> InsideJob? { state.withLock { $0.jobs.first { $0.id == id } } }

    /// - Throws: `Problem` while another job runs.
    func start(_ kind: String) throws -> InsideJob {
        try state.withLock { state in
            guard state.jobs.last?.isRunning != true else {
                throw Problem(
                    code: "busy", text: "Something else is running. Wait for it, or cancel it.",
                    remedy: Remedy.retry.rawValue)
            }
            state.count += 1
            let job = InsideJob(kind, state.count)
            state.jobs = state.jobs.suffix(9) + [job]
            return job
        }
    }

    func growth(to bytes: Int, at now: Instant) -> Growth {
        state.withLock { state in
            let first = state.first ?? (bytes, now)
            state.first = first
            return Growth(bytes: bytes - first.bytes, since: first.at)
        }
    }

    /// How much larger a store has become.
    struct Growth {
        let bytes: Int
        let since: Instant

        func text(in zone: Zone) -> String {
            let since = ValueText(zone: zone).text(of: since).prefix(19)
            return "\(bytes < 0 ? "" : "+")\(bytes.asBytes) since \(since), when this page was first opened"
        }
    }
}
