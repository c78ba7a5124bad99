import Daybook
import FoundationEssentials
import Threading

/// A store for measurements: a history, fifty tasks scheduled for one day long after it, and a list of five hundred on
/// another.
///
/// Clock and random numbers are fixed, so that the same operations write the same bytes on every machine.
public final class BenchStore: Sendable {
    /// The content of the history.
    public enum Content: Sendable {
        /// A generated history.
        case history(taskCount: Int, seed: UInt64)
        /// The tasks of a file.
        case file(TaskImport)
    }

    /// The store's folder.
    public let path: String
    /// The ids of the fifty tasks.
    let today: [UUID]
    /// Those of them that were not started when the store was opened.
    let notStarted: [UUID]
    /// The ids of the list.
    let list: [UUID]

    /// The end of the history.
    package static let historyEnd = Instant(secondsSince1970: 1_770_739_200)  // 2026-02-10T16:00:00Z
    /// A time long after the history: Today contains only the fifty tasks then.
    static let plannedMoment = Instant(secondsSince1970: 1_805_529_600)  // 2027-03-20T08:00:00Z
    /// The month before the end of the history.
    static let lastMonth = Zone.utc.day(of: historyEnd).adding(months: -1).monthOfYear
    /// The length of the list that is fetched and reordered.
    static let listLength = 500
    /// The number of tasks in Today.
    package static let todayLength = 50

    /// Creates and fills a store in a new folder, and returns the number of tasks in its history. About 12 s per
    /// million.
    ///
    /// - Parameter hasList: whether the store gets the list of five hundred.
    @discardableResult
    public static func make(
        at path: String, _ content: Content, hasList: Bool = true, progress: (Int) throws -> Void = { _ in }
    ) async throws -> Int {
        let history = try DaybookStore.open(at: path, context: context(at: historyEnd))
        let taskCount =
            switch content {
            case .history(let count, let seed):
                try await history.generate(taskCount: count, seed: seed, progress: progress)
            case .file(let file): try await history.files.import(file).imported
            }
        history.close()
        let daybook = try DaybookStore.open(at: path, context: context(at: plannedMoment))
        defer { daybook.close() }
        try await planToday(in: daybook, taskCount: taskCount)
        guard hasList else { return taskCount }
        try await daybook.tasks.create(
            (0..<listLength).map { NewTask("Task \($0) of a long list", on: dayOfList) })
        return taskCount
    }

    /// Schedules fifty tasks from all over the history, so that their records are far apart.
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

    /// The size of the journal that is made beside it.
    let journalSize: JournalSize
    private let options: StoreOptions
    private let zone: Zone
    private let handles: ForkSafeMutex<(planned: DaybookStore, history: DaybookStore)>
    /// A live view of Past, and what it has shown; nil until it is needed.
    private let past = ForkSafeMutex<(updates: LiveView.Iterator, shown: RecordList<TaskItem>)?>(nil)
    private let tokens = ForkSafeMutex<[Int: PageToken?]>([:])

    /// Opens a store that `make` created.
    public init(
        at path: String, options: StoreOptions = StoreOptions(), zone: Zone = .utc,
        journalSize: JournalSize = JournalSize()
    ) throws {
        self.path = path
        self.journalSize = journalSize
        self.options = options
        self.zone = zone
        let (planned, history) = try Self.open(path, options, zone)
        let today: [TaskItem]
        (today, list) = try planned.read { transaction in
            (try transaction.tasks.today().tasks, try transaction.tasks.tasks(on: Self.dayOfList).map(\.id))
        }
        self.today = today.map(\.id)
        notStarted = today.filter(\.isNotStarted).map(\.id)
        handles = ForkSafeMutex((planned, history))
    }

    private static func open(
        _ path: String, _ options: StoreOptions, _ zone: Zone
    ) throws -> (planned: DaybookStore, history: DaybookStore) {
        let history = try DaybookStore.open(at: path, context: context(at: historyEnd, in: zone), options: options)
        // The clock does not advance, so only random bits distinguish the ids of this run from those of the previous one.
        let seed = try history.information().lastSequence
        let context = context(at: plannedMoment, in: zone, seed: seed)
        return (try DaybookStore.open(at: path, context: context, options: options), history)
    }

    /// The store on the day of the fifty tasks.
    public var daybook: DaybookStore { handles.withLock(\.planned) }

    /// The store at the end of the history.
    var daybookAtHistoryEnd: DaybookStore { handles.withLock(\.history) }

    func daybook(at moment: Operation.Moment) -> DaybookStore {
        switch moment {
        case .plannedDay: daybook
        case .historyEnd: daybookAtHistoryEnd
        }
    }

    /// Runs a closure while this process has the store closed.
    func whileClosed<Result>(_ body: () throws -> Result) throws -> Result {
        past.withLock { $0 = nil }
        close()
        let result = try body()
        let (planned, history) = try Self.open(path, options, zone)
        handles.withLock { $0 = (planned, history) }
        return result
    }

    /// Opens the store again, like a program that starts.
    func openedAnew() throws -> DaybookStore {
        try DaybookStore.open(at: path, context: Self.context(at: Self.plannedMoment, in: zone))
    }

    /// Closes the store.
    public func close() {
        handles.withLock {
            $0.planned.close()
            $0.history.close()
        }
    }

    /// The day of the fifty tasks.
    static let plannedDay = Zone.utc.day(of: plannedMoment)
    /// The day of the list.
    static let dayOfList = plannedDay.adding(months: 24)

    /// By default in UTC, so that counts do not depend on the machine's zone data.
    package static func context(at moment: Instant, in zone: Zone = .utc, seed: UInt64 = 1) -> Context {
        Context(
            clock: SettableClock(moment), random: SeededRandomSource(seed: seed), currentZone: { zone },
            weekStart: .monday)
    }
}

// Views of Past.
extension BenchStore {
    /// The number of tasks on a page.
    static let pageLength = 20

    /// Changes a task of Past, which a live view follows.
    func editPast(_ round: Int) async throws {
        if past.withLock({ $0 == nil }) {
            var updates = daybook.tasks.changes(in: .past).makeAsyncIterator()
            guard let shown = try await updates.next()?.tasks, !shown.isEmpty else { return }
            past.withLock { [updates] in $0 = (updates, shown) }
        }
        guard let shown = past.withLock({ $0?.shown }) else { return }
        try await daybook.tasks.edit(shown[round * 7919 % shown.count].id) { $0.notes = "Round \(round)" }
    }

    /// Waits for the next update of the live view. The one before is kept, as an application that shows it does.
    func showPast() async throws {
        guard var updates = past.withLock({ $0?.updates }), let shown = try await updates.next()?.tasks else { return }
        past.withLock { [updates] in $0 = (updates, shown) }
    }

    /// Returns the place before a page of Past, or before the last full page if there are fewer; nil for the first.
    func token(beforePage number: Int) throws -> PageToken? {
        if let known = tokens.withLock({ $0[number] }) { return known }
        let token = try daybook.read { transaction in
            let count = try transaction.tasks.past().count
            let before = min(number - 1, max(count / Self.pageLength - 1, 0)) * Self.pageLength
            return before == 0 ? nil : try transaction.tasks.page(of: .past, limit: before).next
        }
        tokens.withLock { $0[number] = .some(token) }
        return token
    }
}

extension BenchStore {
    private var snapshotPath: String { path + SnapshotFile.suffix }
    private var restoredPath: String { path + "-restored" }

    /// Writes a snapshot beside the store's folder, replacing the previous one, and returns its size in bytes.
    @discardableResult
    public func snapshot() throws -> Int {
        try daybook.files.snapshot(to: snapshotPath, options: SnapshotOptions(overwrite: true)).bytes
    }

    /// Writes it unless there is one: what is restored may be older than the store, and making it takes longer than restoring it.
    func makeSnapshotIfMissing() throws {
        if !FileManager.default.fileExists(atPath: snapshotPath) { try snapshot() }
    }

    /// Restores that snapshot into a new store beside this one.
    func restoreSnapshot() throws {
        try StoreFiles.restore(snapshotPath, to: restoredPath, context: Self.context(at: Self.plannedMoment))
    }

    /// Removes the restored store.
    func removeRestored() throws {
        guard FileManager.default.fileExists(atPath: restoredPath) else { return }
        try FileManager.default.removeItem(atPath: restoredPath)
    }
}

/// The codec of records on its own, which cannot be timed between a transaction and LMDB.
public enum RecordCodec {
    /// Returns a record's fields as a store writes them, without the checksum. `Record.append(decoding:_:to:)` decodes
    /// them.
    public static func encode(_ record: some Record) -> [UInt8] {
        record.fieldBytes
    }
}
