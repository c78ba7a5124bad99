import Daybook
import FoundationEssentials

/// The store's inside: `/store/…`. What a page shows of it, it asks for anew; nothing is followed.
///
/// Records' texts are in answers, and never in problems.
struct StoreInspector: Sendable {
    /// How many records or changes an answer has at most.
    static let pageLimit = 100

    let store: DaybookStore
    /// The program that does jobs in a process of its own; nil for this process.
    var program: String?

    var zone: Zone { store.context.zone }

    func answer(_ request: WebRequest) async throws -> WebResponse {
        do {
            guard let found = try tree(request) else { return .missing }
            return try .value(found)
        } catch let error as FileError {
            throw Problem(error, error.code, error.description)
        } catch let error as RecordsError {
            throw Problem(error, error.code, error.description)
        } catch let error as JournalError {
            throw Problem(error, during: .load, EnglishTexts())
        }
    }

    private func tree(_ request: WebRequest) throws -> JSONTree? {
        let path = request.path
        switch (path.first, path.count, request.changes) {
        case ("overview", 1, false): return try overview()
        case ("collections", 1, false): return try collections()
        case ("collections", 2, false): return try records(of: path[1], request.query)
        case ("collections", 3, false): return try record(path[2], of: path[1], request.query)
        case ("changes", 1, false): return try changes(request.query)
        case ("changes", 2, false): return try change(path[1])
        case ("snapshots", 1, false): return try snapshots(in: request.query["folder"])
        case ("jobs", 1, false): return jobs.latest?.json ?? .null
        case ("jobs", 2, false): return jobs.job(path[1])?.json
        case ("jobs", 2, true): return try start(path[1], request)
        case ("jobs", 3, true) where path[2] == "cancel":
            jobs.job(path[1])?.cancel()
            return jobs.job(path[1])?.json
        default: return nil
        }
    }
}

extension StoreInspector {
    /// Whether a request changes nothing, and is answered by a server that only shows: the checks, and ending one.
    static func isHarmless(_ request: WebRequest) -> Bool {
        guard request.path.first == "jobs" else { return false }
        return request.path.count == 2
            ? ["verify", "check"].contains(request.path[1]) : request.path.count == 3 && request.path[2] == "cancel"
    }
}

extension Problem {
    /// An error as the command line has it: its description names no content of a record.
    fileprivate init(_ error: any Error, _ code: String, _ text: String) {
        self.init(code: code, text: text, remedy: StoreFailure(error, during: .load).remedy.rawValue)
    }
}
