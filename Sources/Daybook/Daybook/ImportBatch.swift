import CivilTime
import Exchange
import FoundationEssentials
import Tasks

/// The records of one transaction of an import.
struct ImportBatch: Sendable {
    /// Other writers wait for one batch.
    static let recordLimit = 1000
    /// Long texts make a batch shorter, so that memory stays bounded.
    private static let byteLimit = 8 << 20

    let format: TaskFormat
    let zone: Zone
    let now: Instant
    private var records: [TaskRecord] = []
    private var byteCount = 0
    /// The ids of the records that do not say when they were changed. Of two of the same id neither is the newer one, and
    /// each would take back what the other says at every run: the first one counts.
    private var undated: Set<UUID> = []
    /// Which records of this batch are not the first ones.
    private var repeated: Set<Int> = []
    /// How many records came in the batches before.
    private var start = 0
    private let recordLimit: Int

    init(format: TaskFormat, zone: Zone, now: Instant, recordLimit: Int = Self.recordLimit) {
        self.recordLimit = recordLimit
        self.format = format
        self.zone = zone
        self.now = now
    }

    var count: Int { records.count }

    var isFull: Bool { records.count >= recordLimit || byteCount >= Self.byteLimit }

    mutating func append(_ record: TaskRecord) {
        records.append(record)
        guard case .task(let task) = record else { return }
        if task.isUndated, !task.gaps.id, !undated.insert(task.id).inserted { repeated.insert(records.count - 1) }
        byteCount += task.text.utf8.count + (task.notes?.utf8.count ?? 0) + (task.extra?.utf8.count ?? 0)
    }

    /// Begins the next batch.
    mutating func removeAll() {
        start += records.count
        records.removeAll(keepingCapacity: true)
        repeated.removeAll()
        byteCount = 0
    }

    /// Writes what is news to the store; returns how many records were.
    func merge(into transaction: TaskTransaction, at places: inout ImportPlaces) throws -> Int {
        var written = 0
        for (offset, record) in records.enumerated() {
            switch record {
            case .task(let document):
                guard !repeated.contains(offset),
                    let task = try task(of: document, number: start + offset, transaction.reading)
                else { continue }
                if try transaction.merge(task, in: &places) { written += 1 }
            case .tombstone(let document):
                if try transaction.merge(document.tombstone) { written += 1 }
            case .invalid: break
            }
        }
        return written
    }

    /// How many records would be written.
    func countNews(in reading: TaskReading) throws -> Int {
        try records.enumerated().count { offset, record in
            if repeated.contains(offset) { return false }
            let verdict: ImportVerdict
            switch record {
            case .task(let document):
                guard let task = try task(of: document, number: 0, reading) else { return false }
                verdict = try reading.verdict(on: task)
            case .tombstone(let document): verdict = try reading.verdict(on: document.tombstone)
            case .invalid: return false
            }
            if case .staysAsItIs = verdict { return false }
            return true
        }
    }

    /// The task to merge; nil when a file that does not say when it was changed, or which task it is, has nothing to change.
    private func task(of document: TaskDocument, number: Int, _ reading: TaskReading) throws -> ImportedTask? {
        var task = document.imported
        if document.gaps.id {
            // The content is what was brought in before; what was done with the task since stays.
            guard try reading.get(document.id) == nil, try reading.tombstone(of: document.id) == nil else { return nil }
        } else if document.isUndated {
            if let stored = try reading.get(document.id) {
                let known = TaskDocument(stored, sortOrder: 0)
                guard var revised = known.revised(by: document, in: format, zone: zone, now: now) else { return nil }
                revised.updatedAt = max(now, stored.updatedAt.advanced(byMicroseconds: 1))
                task = revised.imported
            } else if try reading.tombstone(of: document.id) != nil {
                return nil
            }
        }
        task.sortOrder = document.sortOrder
        task.number = number
        return task
    }
}
