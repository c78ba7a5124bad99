import Daybook
import Dispatch
import FoundationEssentials
import Synchronization

/// Work on a store that takes a while: at most one at a time, on a thread that serves nothing else.
final class InsideJob: Sendable {
    /// How far it is.
    struct State: Sendable {
        var phase = "running"
        var (done, total): (Int, Int?) = (0, nil)
        var text = ""
        var problems: [String] = []
        var seconds = 0.0
    }

    let id: String
    let kind: String
    private let state = Mutex(State())
    private let isCancelled = Mutex(false)
    private let began = ContinuousClock.now

    init(_ kind: String, _ number: Int) { (self.kind, id) = (kind, "\(number)") }

    var current: State { state.withLock { $0 } }
    var isRunning: Bool { current.phase == "running" }

    func cancel() { isCancelled.withLock { $0 = true } }

    /// Notes the progress.
    ///
    /// - Throws: `CancellationError` when it was cancelled.
    func update(_ done: Int, of total: Int?) throws {
        if isCancelled.withLock({ $0 }) { throw CancellationError() }
        state.withLock { ($0.done, $0.total) = (done, total ?? $0.total) }
    }

    /// Runs the work, which returns a sentence and what is wrong.
    func run(_ work: @escaping @Sendable (InsideJob) throws -> (text: String, problems: [String])) {
        DispatchQueue(label: "daybook.inside").async { [self] in
            let (phase, text, problems): (String, String, [String])
            do {
                (text, problems) = try work(self)
                phase = "done"
            } catch is CancellationError {
                (phase, text, problems) = ("cancelled", "It was cancelled.", [])
            } catch {
                (phase, text, problems) = ("failed", InsideJob.text(of: error), [])
            }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            state.withLock {
                ($0.phase, $0.text, $0.problems, $0.seconds) = (phase, text, problems, seconds)
                if phase == "done" { $0.done = $0.total ?? $0.done }
            }
        }
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as FileError: error.description
        case let error as RecordsError: error.description
        case let refusal as Refusal: refusal.text
        default: EnglishTexts().text(for: StoreFailure(error, during: .load))
        }
    }

    var json: JSONTree {
        let state = current
        let running = (ContinuousClock.now - began) / .seconds(1)
        return .object([
            "id": .text(id), "kind": .text(kind), "phase": .text(state.phase), "done": .number(state.done),
            "total": state.total.map { .number($0) } ?? .null, "text": .text(state.text),
            "problems": .list(Array(state.problems.prefix(StoreInspector.pageLimit))),
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

// Checks with progress.
extension StoreInspector {
    var jobs: InsideJobs { .of(store) }

    /// Begins a job.
    func start(_ kind: String, _ request: WebRequest) throws -> JSONTree? {
        let work: @Sendable (InsideJob) throws -> (text: String, problems: [String])
        let store = store
        switch kind {
        case "verify":
            let total = try store.inspect { try $0.collections().reduce(0) { $0 + $1.count } }
            work = { job in
                try job.update(0, of: total)
                let report = try store.verify { try job.update($0, of: max(total, $0)) }
                let count = "\(report.records.of("record")), \(report.indexEntries) index entries checked"
                return ("\(Self.result(of: report.problems)): \(count)", report.problems)
            }
        case "scrub":
            let total = try store.information().tables.reduce(0) { $0 + $1.entries }
            work = { job in
                var problems: [String] = []
                while true {
                    let report = try store.scrub(bytes: 1 << 20)
                    problems += report.problems.prefix(Self.pageLimit - problems.count)
                    try job.update(report.progress.entries, of: max(total, report.progress.entries))
                    guard report.isAtEnd else { continue }
                    let count = "\(report.progress.entries) entries checked, up to the end"
                    return ("\(Self.result(of: problems)): \(count)", problems)
                }
            }
        case "compact":
            work = { _ in
                let report: CompactionReport = try store.compact()
                return ("The data file has \(report.bytesAfter.asBytes) and had \(report.bytesBefore.asBytes).", [])
            }
        case "snapshot", "check", "restore": work = try snapshotWork(kind, request.decoded())
        default: return nil
        }
        let job = try jobs.start(kind)
        job.run(work)
        return job.json
    }

    private static func result(of problems: [String]) -> String {
        problems.isEmpty ? "Everything is right" : problems.count.of("problem")
    }
}
