import Daybook
import FoundationEssentials
import Threading

/// A store to measure in: a history, fifty tasks that are planned for one day long after it, and a list of five hundred
/// on another.
///
/// Clock and random numbers are fixed, so that the same operations write the same bytes on every machine.
public final class BenchStore: Sendable {
    /// What the store is filled with.
    public enum Content: Sendable {
        /// A generated history.
        case history(taskCount: Int, seed: UInt64)
        /// The tasks of a file.
        case file(TaskImport)
    }

    /// The store's folder.
    public let path: String
    /// The ids of the fifty.
    let today: [UUID]
    /// The ids of the five hundred.
    let list: [UUID]

    /// When the history ends.
    static let historyEnd = Instant(secondsSince1970: 1_770_739_200)  // 2026-02-10T16:00:00Z
    /// A moment long after it: the Today of that day has what is planned for it here, whatever the history's length.
    static let plannedMoment = Instant(secondsSince1970: 1_805_529_600)  // 2027-03-20T08:00:00Z
    /// The month before the one in which the history ends.
    static let lastMonth = Zone.utc.day(of: historyEnd).adding(months: -1).monthOfYear
    /// Tasks of the list that is fetched and reordered.
    static let listLength = 500
    /// Tasks of Today.
    static let todayLength = 50

    /// Fills a new store in a folder that does not exist, and tells how many tasks its history has. Some 12 s a million.
    @discardableResult
    public static func make(at path: String, _ content: Content, progress: (Int) throws -> Void = { _ in }) async throws
        -> Int
    {
        let history = try DaybookStore.open(at: path, context: context(at: historyEnd))
        let taskCount =
            switch content {
            case .history(let count, let seed):
                try await history.generate(taskCount: count, seed: seed, progress: progress)
            case .file(let file): try await history.import(file).imported
            }
        history.close()
        let daybook = try DaybookStore.open(at: path, context: context(at: plannedMoment))
        defer { daybook.close() }
        try await planToday(in: daybook, taskCount: taskCount)
        try await daybook.tasks.create(
            (0..<listLength).map { NewTask("Task \($0) of a long list", on: dayOfList) })
        return taskCount
    }

    /// Fifty tasks from all over the history, so that their records lie far from each other.
    private static func planToday(in daybook: DaybookStore, taskCount: Int) async throws {
        var ids: [UUID] = []
        let step = max(taskCount / todayLength, 1)
        try daybook.read { transaction in
            var number = 0
            try transaction[TaskItem.self].forEach { task in
                if number % step == 0, task.archivedAt == nil { ids.append(task.id) }
                number += 1
                return ids.count < todayLength
            }
        }
        let planned = ids
        try await daybook.tasks.write { transaction in
            for (number, id) in planned.enumerated() {
                try transaction.setState(id, to: number % 5 == 0 ? .completed : number % 8 == 1 ? .active : .notStarted)
                try transaction.schedule(id, on: .today)
            }
            for number in planned.count..<max(todayLength, planned.count) {
                try transaction.create("Task \(number) of today", on: plannedDay)
            }
        }
    }

    private let options: StoreOptions
    private let handles: ForkSafeMutex<(planned: DaybookStore, history: DaybookStore)>

    /// Opens what `make` has made.
    public init(at path: String, options: StoreOptions = StoreOptions()) throws {
        self.path = path
        self.options = options
        let (planned, history) = try Self.open(path, options)
        (today, list) = try planned.read { transaction in
            (
                try transaction.tasks.today().tasks.map(\.id),
                try transaction.tasks.tasks(on: Self.dayOfList).map(\.id)
            )
        }
        handles = ForkSafeMutex((planned, history))
    }

    private static func open(_ path: String, _ options: StoreOptions) throws -> (
        planned: DaybookStore, history: DaybookStore
    ) {
        let history = try DaybookStore.open(at: path, context: context(at: historyEnd), options: options)
        // The clock stands still, so the ids of new tasks must differ from those of the run before by their random bits.
        let seed = try history.information().lastSequence
        let context = context(at: plannedMoment, seed: seed)
        return (try DaybookStore.open(at: path, context: context, options: options), history)
    }

    /// Open on the day that the fifty tasks are planned for.
    public var daybook: DaybookStore { handles.withLock(\.planned) }

    /// Open when the history has just ended.
    var daybookAtHistoryEnd: DaybookStore { handles.withLock(\.history) }

    func daybook(at moment: Operation.Moment) -> DaybookStore {
        switch moment {
        case .plannedDay: daybook
        case .historyEnd: daybookAtHistoryEnd
        }
    }

    /// Runs something while this process has the store closed.
    func whileClosed<Result>(_ body: () throws -> Result) throws -> Result {
        close()
        let result = try body()
        let (planned, history) = try Self.open(path, options)
        handles.withLock { $0 = (planned, history) }
        return result
    }

    /// Opens the store once more, as a program does that has just begun.
    func openedAnew() throws -> DaybookStore {
        try DaybookStore.open(at: path, context: Self.context(at: Self.plannedMoment))
    }

    /// Lets go of the store.
    public func close() {
        handles.withLock {
            $0.planned.close()
            $0.history.close()
        }
    }

    /// The day that the fifty tasks are planned for.
    static let plannedDay = Zone.utc.day(of: plannedMoment)
    /// The day that has nothing but the list of five hundred.
    static let dayOfList = plannedDay.adding(months: 24)

    /// UTC, so that the counts are the same whatever the machine knows of time zones.
    static func context(at moment: Instant, seed: UInt64 = 1) -> Context {
        Context(
            clock: SettableClock(moment), random: SeededRandomSource(seed: seed), currentZone: { .utc },
            weekStart: .monday)
    }
}
