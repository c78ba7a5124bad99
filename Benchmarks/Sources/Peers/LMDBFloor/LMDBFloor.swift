import CRawLMDB
import Daybook

/// Plain LMDB in C on the bytes that Daybook stores: a lower bound for every layer above LMDB.
final class LMDBFloor {
    private let store: OpaquePointer
    private let today: [UInt8]
    private let tomorrow: [UInt8]

    /// Opens read-only without locks, so that the store may be open.
    init(folder: String, readOnly: Bool) throws {
        guard let store = raw_open(folder, readOnly ? 1 : 0) else {
            throw PeerFailure("plain LMDB cannot open \(folder)")
        }
        self.store = store
        let day = try Moments.plannedDay()
        today = Self.key(day)
        tomorrow = Self.key(day.advanced(by: 1))
    }

    deinit { raw_close(store) }

    /// Returns a day as the beginning of a key.
    private static func key(_ day: Day) -> [UInt8] {
        let number = UInt32(bitPattern: day.daysSince1970) ^ (1 << 31)
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
    }

    /// Reads Today: every byte of the records, without decoding.
    func viewToday() throws -> Int {
        var sum: UInt64 = 0
        return Int(raw_view(store, "tasks.byDay", "tasks", today, today.count, &sum))
    }

    /// Reads the same of all later days.
    func viewUpcoming() throws -> Int {
        var sum: UInt64 = 0
        return Int(raw_rest(store, "tasks.byDay", "tasks", tomorrow, tomorrow.count, &sum))
    }

    /// Reads the row of counts of each day of UTC from one on, like the statistics.
    func readCounts(_ days: Range<Day>) throws {
        var day = days.lowerBound
        while day < days.upperBound {
            let key = Self.key(day)
            _ = raw_look_up(store, "completions.counts", key, key.count)
            day = day.advanced(by: 1)
        }
    }

    /// Returns the changes that make this store equal to another.
    func changes(from original: LMDBFloor) throws -> RecordedChanges {
        guard let changes = raw_difference(original.store, store) else {
            throw PeerFailure("cannot compare two stores")
        }
        return RecordedChanges(changes)
    }

    /// Writes changes in one durable transaction.
    func apply(_ changes: RecordedChanges) throws {
        let code = raw_apply(store, changes.changes)
        guard code == 0 else { throw PeerFailure("plain LMDB cannot commit: \(code)") }
    }
}

/// The keys and values that operations of Daybook wrote.
final class RecordedChanges {
    fileprivate let changes: OpaquePointer

    fileprivate init(_ changes: OpaquePointer) {
        self.changes = changes
    }

    deinit { raw_free_changes(changes) }

    var puts: Int { raw_put_count(changes) }
    var deletes: Int { raw_delete_count(changes) }
    var bytes: Int { raw_byte_count(changes) }
}
