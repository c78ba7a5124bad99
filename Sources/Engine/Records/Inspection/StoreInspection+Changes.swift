import KeyValue

extension StoreInspection {
    /// What undoing one change would do, by the change log alone. A rule of the records can refuse it all the same.
    public enum UndoOutcome: Sendable, Hashable {
        /// It is what undo takes back next.
        case next
        /// It can be undone although others followed it.
        case possible
        /// Later changes have changed its records again: undo refuses it. Up to ten of them, the oldest first.
        case changedSince([UInt64])
        /// None of it can be restored: it has no records, or they were purged.
        case nothingLeft
        /// It changed records of a collection that this program has no type for.
        case unknownCollection
        /// It has left the change log, or never was in it.
        case notThere
    }

    /// The sequence numbers of the first and the last change that the log has; nil for an empty log.
    public func changeRange() throws -> ClosedRange<UInt64>? {
        let log = ChangeLog(schema: schema)
        let (first, last) = try transaction.withEngine { (try log.firstSequence(in: $0), try log.lastSequence(in: $0)) }
        return first > 0 && first <= last ? first...last : nil
    }

    /// Up to `limit` changes, the newest first. Collections of other programs are named, and hidden ones as well.
    ///
    /// - Parameters:
    ///   - sequence: the changes before this one; nil to begin with the newest.
    ///   - body: Whether a change is shown. Passing over one costs a step.
    ///   - stepLimit: how many changes are read at most.
    /// - Returns: the changes, and the number before which to continue; nil at the end of the log.
    public func changes(
        before sequence: UInt64? = nil, limit: Int = 50, stepLimit: Int = 20_000,
        where isShown: (Change) throws -> Bool = { _ in true }
    ) throws -> (changes: [Change], next: UInt64?) {
        guard let range = try changeRange() else { return ([], nil) }
        var number = min(sequence ?? .max, range.upperBound + 1)
        var (found, steps): ([Change], Int) = ([], 0)
        while number > range.lowerBound {
            guard found.count < limit, steps < stepLimit else { return (found, number) }
            (number, steps) = (number - 1, steps + 1)
            guard let change = try change(number), try isShown(change) else { continue }
            found.append(change)
        }
        return (found, nil)
    }

    /// One change; nil when the log does not have it.
    public func change(_ sequence: UInt64) throws -> Change? {
        try row(sequence).map { Change(sequence: sequence, row: $0, schema: schema, names: stored.names) }
    }

    /// The fields of a record before a change; nil when it was not there, or that was purged.
    public func fields(before entry: Change.Entry, in collection: CollectionSummary) -> [StoredField]? {
        isHidden(collection.name) ? nil : entry.imageBefore.map { Self.fields(of: $0, declared: collection.fields) }
    }

    /// What undoing a change would do. Nothing is changed.
    ///
    /// - Complexity: a step for each change since.
    public func undoOutcome(of sequence: UInt64) throws -> UndoOutcome {
        guard let range = try changeRange(), range.contains(sequence), let row = try row(sequence) else {
            return .notThere
        }
        if try self.row(range.upperBound)?.history.undoTop == sequence { return .next }
        let keys = Set(row.entries.map { PendingChanges.RecordKey(collection: $0.collection, key: $0.key) })
        guard row.entries.contains(where: { !$0.isPurged }) else { return .nothingLeft }
        var since: [UInt64] = []
        var number = sequence
        while number < range.upperBound, since.count < 10 {
            number += 1
            guard let later = try self.row(number) else { continue }
            if later.entries.contains(where: { keys.contains(.init(collection: $0.collection, key: $0.key)) }) {
                since.append(number)
            }
        }
        if !since.isEmpty { return .changedSince(since) }
        let isKnown = row.entries.allSatisfy { $0.isPurged || schema.collection(number: $0.collection) != nil }
        return isKnown ? .possible : .unknownCollection
    }

    private func row(_ sequence: UInt64) throws -> ChangeRow? {
        try transaction.withEngine { try ChangeLog(schema: schema).row(sequence, in: $0) }
    }
}
