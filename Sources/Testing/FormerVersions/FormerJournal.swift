import CivilTime
import FoundationEssentials
import Records

/// A version of journals before today's: opens, fills, changes and reads stores with the declarations of that version, none of
/// which are today's. `Tests/Fixtures/Journals` was made by them.
package enum FormerJournal: String, CaseIterable, Comparable, Sendable {
    /// Threads and entries.
    case version10 = "1.0"
    /// Entries can be edited and deleted.
    case version11 = "1.1"
    /// Threads can be deleted.
    case version12 = "1.2"
    /// Threads have custom fields, and entries have values for them.
    case version13 = "1.3"

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Its records.
    private var declarations: any FormerDeclarations {
        switch self {
        case .version10: Declarations<Version10>()
        case .version11: Declarations<Version11>()
        case .version12: Declarations<Version12>()
        case .version13: Declarations<Version13>()
        }
    }

    /// Opens a store as that version did. Clock and random numbers are fixed, so that equal steps make equal stores.
    package func open(at path: String, options: StoreOptions = StoreOptions()) throws -> RecordStore {
        let context = Context(
            clock: SettableClock(Instant(secondsSince1970: 1000)), random: SeededRandomSource(seed: 1),
            currentZone: { .utc }, weekStart: .monday)
        return try RecordStore(at: path, schema: declarations.schema, context: context, options: options)
    }

    /// The numbers of the threads of a filled store.
    package static let threads = 1...3
    /// The numbers of the entries of a golden store. They belong to the threads alternately.
    package static let entries = 10..<30

    /// The number of the thread that an entry belongs to.
    package static func thread(ofEntry number: Int) -> Int { 1 + number % 3 }
    /// The id of a record of a number.
    package static func id(_ number: Int) -> UUID { UUID(high: 0x4000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    /// Fills a new store with threads and entries. In versions that can do so, every fourth entry is edited, every fifth and the
    /// last thread are deleted, and an entry has a value for a field.
    package func fill(
        _ store: RecordStore, entries: Range<Int> = Self.entries, content: (Int) -> String = { "entry \($0)" }
    ) throws {
        try declarations.addThreads(to: store)
        for batch in stride(from: entries.lowerBound, to: entries.upperBound, by: 10_000) {
            try declarations.addEntries(batch..<min(batch + 10_000, entries.upperBound), to: store, content)
        }
    }

    /// Adds a thread with an entry. In a store that began as a golden one, also makes a change of each other kind that the version
    /// has: other contents, records that are gone, times of deletion.
    package func change(_ store: RecordStore) throws { try declarations.change(store) }

    /// The records of a store as that version reads them, in the lines of ``JournalLines``.
    package func lines(of store: RecordStore) throws -> [String] { try store.read { try declarations.lines(in: $0) } }
}

/// What `FormerJournal` needs of the records of a version.
private protocol FormerDeclarations {
    var schema: Schema { get }
    func addThreads(to store: RecordStore) throws
    func addEntries(_ numbers: Range<Int>, to store: RecordStore, _ content: (Int) -> String) throws
    func change(_ store: RecordStore) throws
    func lines(in transaction: ReadTransaction) throws -> [String]
}

private struct Declarations<Version: FormerVersion>: FormerDeclarations {
    typealias Thread = FormerThread<Version>
    typealias Entry = FormerEntry<Version>

    var schema: Schema {
        let schema = Schema(domain: "journals").adding(Thread.collection).adding(Entry.collection)
        guard Version.hasFields else { return schema }
        return schema.adding(FormerField.collection).adding(FormerValue.collection)
    }

    func addThreads(to store: RecordStore) throws {
        try store.write { transaction in
            for number in FormerJournal.threads {
                var thread = Thread(number)
                if Version.deletesThreads, number == FormerJournal.threads.upperBound {
                    thread.deletedAt = Instant(secondsSince1970: 900)
                }
                try transaction.put(thread)
            }
            if Version.hasFields { try transaction.put(FormerField(5, in: 1)) }
        }
    }

    func addEntries(_ numbers: Range<Int>, to store: RecordStore, _ content: (Int) -> String) throws {
        try store.write { transaction in
            for number in numbers {
                var entry = Entry(number, in: FormerJournal.thread(ofEntry: number), content(number))
                if Version.changesEntries {
                    if number % 5 == 0 { entry.deletedAt = Instant(secondsSince1970: 800) }
                    if number % 4 == 0 { entry.lastEditedAt = Instant(secondsSince1970: 700) }
                }
                try transaction.put(entry)
            }
            if Version.hasFields, numbers.contains(12) { try transaction.put(FormerValue(entry: 12, field: 5)) }
        }
    }

    func change(_ store: RecordStore) throws {
        let number = 100 * Version.number
        let now = Instant(secondsSince1970: Int64(2000 + number))
        try store.write { transaction in
            try transaction.put(Thread(number))
            try transaction.put(Entry(number + 1, in: number, "new"))
            guard try transaction[Thread.self].get(FormerJournal.id(1)) != nil else { return }
            try change(transaction, number, now)
        }
    }

    /// Changes the records of a golden store.
    private func change(_ transaction: WriteTransaction, _ number: Int, _ now: Instant) throws {
        try transaction.put(Entry(number + 2, in: 1, "new in an old thread"))
        try transaction.update(Thread.self, FormerJournal.id(1)) {
            $0.title += " and \(number)"
            $0.updatedAt = now
        }
        try transaction.delete(Entry.self, id: FormerJournal.id(20 + Version.number))
        if Version.changesEntries {
            try transaction.update(Entry.self, FormerJournal.id(11)) {
                $0.content += ", edited"
                $0.lastEditedAt = now
            }
            try transaction.update(Entry.self, FormerJournal.id(13 + Version.number)) { $0.deletedAt = now }
        }
        if Version.deletesThreads {
            try transaction.update(Thread.self, FormerJournal.id(2)) { $0.deletedAt = $0.deletedAt == nil ? now : nil }
        }
        if Version.hasFields {
            try transaction.put(FormerField(number + 3, in: 2))
            try transaction.put(FormerValue(entry: 10, field: number + 3))
        }
    }

    func lines(in transaction: ReadTransaction) throws -> [String] {
        var lines: [String] = []
        try lines.add(Thread.self, in: transaction) {
            JournalLines.thread($0.id, $0.title, created: $0.createdAt, updated: $0.updatedAt, deleted: $0.deletedAt)
        }
        try lines.add(Entry.self, in: transaction) {
            JournalLines.entry(
                $0.id, in: $0.thread, $0.content, at: $0.timestamp, edited: $0.lastEditedAt, deleted: $0.deletedAt)
        }
        guard Version.hasFields else { return lines }
        try lines.add(FormerField.self, in: transaction) {
            JournalLines.field($0.id, in: $0.thread, $0.name, position: $0.position)
        }
        try lines.add(FormerValue.self, in: transaction) {
            JournalLines.value(of: $0.id.entry, for: $0.id.field, $0.value)
        }
        return lines
    }
}

extension WriteTransaction {
    /// Changes a record; nothing if it is not there.
    fileprivate func update<R: Record>(_ type: R.Type, _ id: R.ID, _ change: (inout R) -> Void) throws {
        guard var record = try self[R.self].get(id) else { return }
        change(&record)
        try put(record)
    }
}
