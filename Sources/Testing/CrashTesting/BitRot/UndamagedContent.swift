import CivilTime
import DiskImages
import DomainPacks
import FoundationEssentials
import KeyValue
import Records
import Tasks

/// What the undamaged store returns, kept in memory by each child process for comparison.
struct UndamagedContent {
    /// The bytes of every record of every collection, whatever its domain.
    let records: [RecordName: [UInt8]]
    /// What the domain shows through its indexes, tallies and roll-ups.
    let lines: [String]
    let tasks: [UUID: TaskItem]
    let views: [String: [TaskItem]]
    let counts: [String: Int]
    /// The tasks after one undo.
    let tasksAfterUndo: [UUID: TaskItem]
    let raw: RawContent
    /// The pages that each record is on.
    let places: [RecordName: Set<Int>]

    /// A record by its collection and key.
    struct RecordName: Hashable {
        let collection: UInt32
        let key: [UInt8]
    }

    /// Reads an undamaged store, then undoes its last operation.
    init(of path: String, _ pack: LabPack) throws {
        raw = try RawContent(of: path, pack)
        let store = try LabStore(at: path, of: pack)
        defer { store.close() }
        records = try store.store.read { transaction in
            var records: [RecordName: [UInt8]] = [:]
            for collection in transaction.collectionNumbers {
                try transaction.forEachStored(in: collection) { key, value in
                    records[RecordName(collection: collection, key: key)] = value
                    return true
                }
            }
            return records
        }
        places = try Self.places(of: records.keys, in: path, store)
        lines = try store.lines()
        tasks = try Self.tasks(of: store)
        views = try store.tasks.read { views in
            try Dictionary(uniqueKeysWithValues: Self.views.map { ($0.name, try $0.read(views)) })
        }
        counts = try store.store.read { transaction in
            try Dictionary(uniqueKeysWithValues: Self.counts.map { ($0.name, try $0.read(transaction)) })
        }
        try store.perform(.undo)
        tasksAfterUndo = try Self.tasks(of: store)
    }

    private static func tasks(of store: LabStore) throws -> [UUID: TaskItem] {
        var tasks: [UUID: TaskItem] = [:]
        try store.tasks.read { views in try views.forEach { task, _ in tasks[task.id] = task } }
        return tasks
    }

    private static func places(
        of records: some Sequence<RecordName>, in path: String, _ store: LabStore
    ) throws -> [RecordName: Set<Int>] {
        let survey = try PageSurvey(of: "\(path)/data.mdb", orderedBy: "changes")
        var numbers: [String: UInt32] = [:]
        for number in Set(records.map(\.collection)) {
            if let name = try store.store.read({ $0.collectionName(of: number) }) { numbers[name] = number }
        }
        let collections = survey.tables.map { numbers[$0.name] }
        var places: [RecordName: Set<Int>] = [:]
        survey.forEachPage(wanting: { $0.map { collections[$0] != nil } ?? false }) { page in
            guard let collection = page.table.flatMap({ collections[$0] }) else { return }
            for number in 0..<page.count {
                let key = page.withEntry(number) { key, _ in key.copied }
                places[RecordName(collection: collection, key: key)] = Set(page.positions(ofEntry: number))
            }
        }
        return places
    }

    /// How many records are on no page that a damage has touched: the least that must come back.
    func untouched(by damage: PageDamage) -> Int {
        records.keys.count { places[$0, default: []].isDisjoint(with: damage.pages) }
    }

    // MARK: What is asked of a store

    static let views: [(name: String, read: @Sendable (TaskReading) throws -> [TaskItem])] = [
        ("inbox", { try $0.inbox() }),
        ("today", { try $0.today().tasks }),
        ("upcoming", { try $0.upcoming().flatMap(\.tasks) }),
        ("past", { try $0.past() }),
        ("open past", { try $0.past(openOnly: true) }),
    ]

    static let counts: [(name: String, read: @Sendable (ReadTransaction) throws -> Int)] = [
        ("tasks", { try $0.tasks.count() }),
        ("active", { try $0.tasks.count(in: .active) }),
        ("not started", { try $0.tasks.count(in: .notStarted) }),
        ("completed", { try $0.tasks.count(in: .completed) }),
        ("completions today", { try $0.tasks.statistics().today }),
        ("completions this week", { try $0.tasks.statistics().week }),
        ("completions this month", { try $0.tasks.statistics().month }),
        ("completions of the month", { try $0.tasks.statistics(of: LabStore.today.monthOfYear).completed }),
        ("last change", { Int(clamping: try $0.lastSequence()) }),
    ]
}

/// The content of a store as LMDB alone returns it: each entry by position and by key, and LMDB's own counts.
struct RawContent: Equatable, Sendable {
    private(set) var digest: UInt64 = 0
    /// LMDB's page count of each table, which no reader depends on.
    private(set) var pageCounts: [Int] = []
    /// Entries that a cursor visits but a search does not find, or finds with another value.
    private(set) var lost = 0

    /// Reads a store that no one has open.
    init(of path: String, _ pack: LabPack) throws {
        var configuration = EnvironmentConfiguration()
        configuration.isReadOnly = true
        let environment = try Environment.open(at: path, configuration: configuration)
        defer { environment.close() }
        let tables = try environment.openTables(pack.schema.tableNames)
        try environment.read { transaction in
            var digest = ContentDigest()
            var running = RunningDigest(seed: 5)
            for table in tables {
                try digest.take(table, in: transaction)
                running.mix(try transaction.entryCount(of: table))
                pageCounts.append(try transaction.pageCount(of: table))
                try transaction.withCursor(over: table) { cursor in
                    var isOnEntry = try cursor.moveToFirst()
                    while isOnEntry {
                        let isFound = try cursor.withEntry { key, value in
                            try transaction.get(key, in: table) { $0.isEqual(to: value) } ?? false
                        }
                        if !isFound { lost += 1 }
                        isOnEntry = try cursor.moveToNext()
                    }
                }
            }
            running.mix(digest.value)
            self.digest = running.value
        }
    }
}
