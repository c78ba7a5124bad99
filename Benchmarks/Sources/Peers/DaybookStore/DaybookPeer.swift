import Daybook
import FoundationEssentials
import Workloads

/// Daybook through its public interface.
final class DaybookPeer: Peer {
    let daybook: DaybookStore

    init(folder: String, now: Instant) throws {
        daybook = try DaybookStore.open(at: folder, context: Self.context(at: now))
    }

    /// Opens a store that never commits through the commit log.
    init(direct folder: String, now: Instant) throws {
        daybook = try DaybookStore.openDirectly(at: folder, context: Self.context(at: now))
    }

    private static func context(at now: Instant) throws -> Context {
        let zone = try Moments.zone()
        return Context(
            clock: SettableClock(now), random: SystemRandomSource(), currentZone: { zone }, weekStart: .monday)
    }

    func close() { daybook.close() }

    func today() throws -> Int { try daybook.tasks.today().count }

    func upcoming() throws -> Int { try daybook.tasks.upcoming().reduce(0) { $0 + $1.tasks.count } }

    func ids(of view: PeerView) throws -> [UUID] {
        switch view {
        case .today: try daybook.tasks.today().map(\.id)
        case .upcoming: try daybook.tasks.upcoming().flatMap(\.tasks).map(\.id)
        }
    }

    func counts() throws -> [Int] {
        let statistics = try daybook.tasks.statistics()
        return [statistics.today, statistics.week, statistics.month, statistics.lastMonth]
    }

    func counts(of month: Month) throws -> [Int] {
        let statistics = try daybook.tasks.statistics(of: month)
        return statistics.days.map(\.completed) + [statistics.previousMonth]
    }

    func create(_ text: String, on day: Day) throws {
        try daybook.write { _ = try $0.tasks.create(text, on: day) }
    }

    /// Creates a task by the asynchronous call, which passes the work to the writer thread.
    func createAwaited(_ text: String, on day: Day) async throws {
        try await daybook.tasks.create(text, on: day)
    }

    func create(writers: Int, each: Int, on day: Day) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask { [daybook] in
                    for number in 0..<each {
                        try await daybook.tasks.create(Sentences.create(writer: writer, number), on: day)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    func setState(_ id: UUID, to state: TaskState) throws {
        try daybook.write { _ = try $0.tasks.setState(id, to: state) }
    }

    func reorder(_ id: UUID, after other: UUID) throws {
        try daybook.write { _ = try $0.tasks.reorder(id, to: .after(other)) }
    }

    func add(_ tasks: [TaskItem]) async throws {
        var file = TaskImport()
        file.tasks = tasks.enumerated().map { ImportedTask($1, sortOrder: $0) }
        _ = try await daybook.files.import(file)
    }

    func export(to path: String) throws {
        let file = try OutputFile(path)
        defer { file.close() }
        try daybook.files.export(as: .json) { (bytes) throws(FileError) in file.write(bytes) }
        guard file.isWhole else { throw PeerFailure("the export could not be written") }
    }
}
