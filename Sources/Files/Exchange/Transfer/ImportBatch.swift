import CivilTime
import FoundationEssentials
import Tasks

/// The records of one transaction of an import.
struct ImportBatch: Sendable {
    /// The number of records of a batch at most. Other writers wait for one batch.
    static let recordLimit = 1000
    /// The number of records of the first batch. In a large store whose pages are not in memory a record takes 20 times as
    /// long as in a small one, so that each batch is chosen by the time that the one before it took.
    private static let firstLimit = 16
    /// The number of records of a batch at least: fewer would take hardly less time, because each commit costs the same.
    private static let leastLimit = 4
    /// How long a batch should take, in microseconds: a create beside it waits for one batch, and may take 100 ms.
    private static let wanted: Int64 = 30_000
    /// The length of the texts of a batch, so that memory stays bounded.
    private static let byteLimit = 8 << 20

    let format: ImportFormat
    let zone: Zone
    let now: Instant
    private var records: [TaskRecord] = []
    /// The lists come first, and are not counted as records.
    private var lists: [CustomList] = []
    private var byteCount = 0
    /// The ids of records without a time of change. Of two with the same id neither is newer, and each would revert the
    /// other in every run: the first one counts.
    private var undated: Set<UUID> = []
    /// The records of this batch that are not the first with their id.
    private var repeated: Set<Int> = []
    /// The number of records in the batches before.
    private var start = 0
    private let recordLimit: Int
    /// The number of records of this batch.
    private var limit: Int

    init(format: ImportFormat, zone: Zone, now: Instant, recordLimit: Int = Self.recordLimit) {
        self.recordLimit = recordLimit
        limit = min(Self.firstLimit, recordLimit)
        self.format = format
        self.zone = zone
        self.now = now
    }

    var count: Int { records.count }

    var isEmpty: Bool { records.isEmpty && lists.isEmpty }

    var isFull: Bool { records.count >= limit || byteCount >= Self.byteLimit }

    mutating func append(_ record: TaskRecord) {
        if case .list(let list) = record {
            lists.append(list)
            byteCount += 256 + list.name.utf8.count
            return
        }
        records.append(record)
        guard case .task(let task) = record else { return }
        let isRepeated = task.isUndated && !task.gaps.id && !undated.insert(task.task.id).inserted
        if isRepeated { repeated.insert(records.count - 1) }
        for text in [task.task.text, task.task.notes, task.task.extra] { byteCount += text?.utf8.count ?? 0 }
    }

    /// Starts the next batch, after one that took so many microseconds.
    mutating func removeAll(after elapsed: Int64) {
        // As many records as would have taken the wanted time, but at most twice as many: the next ones may be on other pages.
        let count = records.isEmpty ? limit : records.count
        let fitting = Int(Int64(count) * Self.wanted / max(elapsed, 1))
        limit = min(max(min(fitting, limit * 2), Self.leastLimit), recordLimit)
        removeAll()
    }

    /// Starts the next batch.
    mutating func removeAll() {
        start += records.count
        records.removeAll(keepingCapacity: true)
        lists.removeAll()
        repeated.removeAll()
        byteCount = 0
    }

    /// Writes the records that are new to the store. Returns their number.
    func merge(into transaction: TaskTransaction, at places: inout ImportPlaces) throws -> Int {
        var written = 0
        for list in lists { try transaction.merge(list) }
        for (offset, record) in records.enumerated() {
            switch record {
            case .task(let document):
                guard !repeated.contains(offset),
                    let task = try task(of: document, number: start + offset, transaction.reading)
                else { continue }
                if try transaction.merge(task, in: &places) { written += 1 }
            case .tombstone(let tombstone):
                if try transaction.merge(tombstone) { written += 1 }
            case .list, .invalid: break
            }
        }
        return written
    }

    /// Returns the number of records that would be written.
    func countNews(in reading: TaskReading) throws -> Int {
        try records.enumerated().count { offset, record in
            if repeated.contains(offset) { return false }
            let verdict: ImportVerdict
            switch record {
            case .task(let document):
                guard let task = try task(of: document, number: 0, reading) else { return false }
                verdict = try reading.verdict(on: task)
            case .tombstone(let tombstone): verdict = try reading.verdict(on: tombstone)
            case .list, .invalid: return false
            }
            if case .keepExisting = verdict { return false }
            return true
        }
    }

    /// Returns the task to merge; nil if a file that does not say when a task was changed, or which task it is, changes
    /// nothing.
    private func task(of file: ImportedTask, number: Int, _ reading: TaskReading) throws -> ImportedTask? {
        var task = file
        if file.gaps.id {
            // The id stands for the content that was imported before; later changes of that task stay.
            guard try reading.get(file.task.id) == nil, try reading.tombstone(of: file.task.id) == nil else {
                return nil
            }
        } else if file.isUndated {
            if let stored = try reading.get(file.task.id) {
                // As an export has it: its lines state its links.
                // A file that cannot be written has nothing to be compared with: the stored task stays.
                guard let format = format.written else { return nil }
                var known = ImportedTask(stored, blockedBy: try reading.blockerIDs(of: stored.id))
                try known.stateLinks(in: format, reading)
                guard var revised = known.revised(by: file, in: format, zone: zone, now: now) else { return nil }
                revised.task.updatedAt = max(now, stored.updatedAt.advanced(byMicroseconds: 1))
                task = revised
            } else if try reading.tombstone(of: file.task.id) != nil {
                return nil
            }
        }
        task.sortOrder = file.sortOrder
        task.number = number
        return task
    }
}
