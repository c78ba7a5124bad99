import Daybook
import FoundationEssentials

/// How a job ended.
struct JobEnd: Codable, Sendable, Equatable {
    /// `done`, `failed` or `cancelled`.
    var phase: String
    var text: String
    var problems: [String] = []
    var remedy: String?

    /// Runs the work to its end.
    ///
    /// - Parameter update: Notes the progress; throws `CancellationError` when the work is to end.
    init(_ work: InsideWork.Run, _ update: @escaping InsideWork.Update) {
        do {
            let (text, problems) = try work(update)
            self.init(phase: "done", text: text, problems: Array(problems.prefix(StoreInspector.pageLimit)))
            if !problems.isEmpty { remedy = Remedy.restore.rawValue }
        } catch is CancellationError {
            self.init(phase: "cancelled", text: "It was cancelled.")
        } catch {
            self.init(error)
        }
    }

    init(_ error: any Error) {
        let failure = StoreFailure(error, during: .load)
        self.init(phase: "failed", text: EnglishTexts().text(for: failure), remedy: failure.remedy.rawValue)
        switch error {
        case let error as FileError: text = error.description
        case let error as RecordsError: text = error.description
        case let refusal as Refusal: (text, remedy) = (refusal.text, Remedy.change.rawValue)
        default: break
        }
    }

    init(phase: String, text: String, problems: [String] = [], remedy: String? = nil) {
        (self.phase, self.text, self.problems, self.remedy) = (phase, text, problems, remedy)
    }
}

/// The work of jobs on a store. It opens the store only for those that need it: a snapshot can be restored beside a store that
/// cannot be opened.
struct InsideWork: Sendable {
    /// The store's folder.
    let path: String
    let context: Context
    let open: @Sendable () throws -> DaybookStore

    /// Notes how much was done of how much. Throws `CancellationError` when the work is to end.
    typealias Update = @Sendable (_ done: Int, _ total: Int?) throws -> Void
    /// Returns a sentence and what is wrong.
    typealias Run = @Sendable (@escaping Update) throws -> (text: String, problems: [String])

    /// Returns the work of a kind of job; nothing for a kind that does not exist.
    ///
    /// - Throws: `InvalidRequest` for what cannot be asked for.
    func run(of kind: String, _ request: WebRequest) throws -> Run? {
        let open = open
        switch kind {
        case "verify":
            return { update in
                let store = try open()
                let total = try store.inspect { try $0.collections().reduce(0) { $0 + $1.count } }
                try update(0, total)
                let report = try store.verify { try update($0, max(total, $0)) }
                let count = "\(report.records.of("record")), \(report.indexEntries) index entries checked"
                return ("\(Self.result(of: report.problems)): \(count)", report.problems)
            }
        case "scrub":
            return { update in
                let store = try open()
                let total = try store.information().tables.reduce(0) { $0 + $1.entries }
                var problems: [String] = []
                while true {
                    let report = try store.scrub(bytes: 1 << 20)
                    problems += report.problems.prefix(StoreInspector.pageLimit - problems.count)
                    try update(report.progress.entries, max(total, report.progress.entries))
                    guard report.isAtEnd else { continue }
                    let count = "\(report.progress.entries) entries checked, up to the end"
                    return ("\(Self.result(of: problems)): \(count)", problems)
                }
            }
        case "compact":
            return { _ in
                let report: CompactionReport = try open().compact()
                return ("The data file has \(report.bytesAfter.asBytes) and had \(report.bytesBefore.asBytes).", [])
            }
        case "snapshot", "check", "restore": return try snapshots(kind, request.decoded())
        default: return nil
        }
    }

    private static func result(of problems: [String]) -> String {
        problems.isEmpty ? "Everything is right" : problems.count.of("problem")
    }
}

// Jobs of a server.
extension StoreInspector {
    var jobs: InsideJobs { .of(store) }

    /// Begins a job.
    ///
    /// - Throws: `InvalidRequest` for what cannot be asked for; `Problem` while another job runs.
    func start(_ kind: String, _ request: WebRequest) throws -> JSONTree? {
        let work = InsideWork(path: store.path, context: store.context) { [store] in store }
        guard let run = try work.run(of: kind, request) else { return nil }
        let job = try jobs.start(kind)
        if let program {
            let child = JobProcess(program: program, kind: kind, request: request, work: work)
            job.run { child.run(for: $0) }
        } else {
            job.run { job in
                JobEnd(run) { done, total in
                    if job.isCancelled { throw CancellationError() }
                    job.update(done, of: total)
                }
            }
        }
        return job.json
    }
}
