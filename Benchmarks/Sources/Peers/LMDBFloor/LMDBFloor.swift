import CRawLMDB
import Daybook

/// Plain LMDB in C on the bytes that Daybook stores: what no layer above LMDB can be faster than.
final class LMDBFloor {
    private let store: OpaquePointer
    private let today: [UInt8]
    private let tomorrow: [UInt8]

    /// Read-only takes no locks, so it can stand beside the open store.
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

    /// A day at the beginning of a key.
    private static func key(_ day: Day) -> [UInt8] {
        let number = UInt32(bitPattern: day.daysSince1970) ^ (1 << 31)
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
    }

    /// Today: every byte of the records is read, nothing is decoded.
    func viewToday() throws -> Int {
        var sum: UInt64 = 0
        return Int(raw_view(store, "tasks.byDay", "tasks", today, today.count, &sum))
    }

    /// The same of all later days.
    func viewUpcoming() throws -> Int {
        var sum: UInt64 = 0
        return Int(raw_rest(store, "tasks.byDay", "tasks", tomorrow, tomorrow.count, &sum))
    }

    /// The row of counts of each day of UTC from one on: what the statistics read.
    func readCounts(_ days: Range<Day>) throws {
        var day = days.lowerBound
        while day < days.upperBound {
            let key = Self.key(day)
            _ = raw_look_up(store, "completions.counts", key, key.count)
            day = day.advanced(by: 1)
        }
    }

    /// What has to be written here to become the same as another.
    func changes(from original: LMDBFloor) throws -> RecordedChanges {
        guard let changes = raw_difference(original.store, store) else {
            throw PeerFailure("cannot compare two stores")
        }
        return RecordedChanges(changes)
    }

    /// Writes them in one durable transaction.
    func apply(_ changes: RecordedChanges) throws {
        let code = raw_apply(store, changes.changes)
        guard code == 0 else { throw PeerFailure("plain LMDB cannot commit: \(code)") }
    }
}

/// The keys and bytes that operations of Daybook wrote.
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
