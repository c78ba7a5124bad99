import CivilTime
import Injection
import KeyValue

/// The right to change records, for the length of one closure. If the closure throws, nothing that it did is kept.
///
/// Index entries that change, the roll-ups, the counts and one row of the change log are written in the same transaction.
public final class WriteTransaction: ReadTransaction {
    /// The label of this transaction in the change log.
    public var label: ChangeLabel
    /// New ids, ascending in the order in which they are made.
    public let identifiers: IdentifierGenerator
    private var writer: RawWriteTransaction?
    /// Counts and history, written when the closure ends.
    var pending = PendingChanges()
    let retention: ChangeLogRetention
    /// The oldest change that a consumer still has to read.
    let oldestNeeded: UInt64
    /// Set by undo and redo, which write their own links.
    var restoration: (kind: ChangeRow.Kind, history: ChangeRow.History)?
    /// Whether undo or redo has restored records under changes that are not on its stack, such as those of sync: others may
    /// have taken their places since.
    package internal(set) var restoresUnderOtherChanges = false
    /// Of how many records the last undo or redo has left something as it is, because sync, a rollover or an expiry has changed
    /// it since, or what a rule of references or of unique keys needs for it.
    public internal(set) var keptByUndo = 0
    /// The operations that the last undo or redo has passed over, because nothing of them was left to take back; the newest first.
    public internal(set) var passedOverByUndo: [ChangeLabel] = []
    /// The first row of this transaction's operation, once a row was written.
    var operationStart: UInt64?
    /// Whether the rules of references are being applied: what they delete is found by the same loop.
    var isApplyingRules = false
    /// The row that this transaction continues: an operation of several transactions is undone as one.
    let continuedOperation: UInt64?
    /// The record that was read last; nil before the first one.
    var lastRead: LastRead?
    /// Nil unless a fault injection point postpones writes.
    let postponed: PostponedWrites?
    /// False only where a fault injection point says so.
    private let reversesCounts: Bool
    /// What a draft has changed; nil in a transaction that writes.
    var draft: RecordDraft?
    /// Set when the change log was repaired: the highest sequence number that it had given, as far as it is known. A row
    /// is then written even if nothing else changed.
    var lastSequenceBeforeRepair: UInt64?
    /// Whether a row is written to the change log even if no record changed, so that feeds notice.
    var hasNewProblems = false

    init(
        schema: BoundSchema, context: Context, identifiers: IdentifierGenerator, label: ChangeLabel,
        retention: ChangeLogRetention, oldestNeeded: UInt64, continuing operation: UInt64?,
        postponed: PostponedWrites? = nil, reversesCounts: Bool = true, engine: consuming RawWriteTransaction
    ) {
        self.label = label
        self.identifiers = identifiers
        self.retention = retention
        self.oldestNeeded = oldestNeeded
        self.continuedOperation = operation
        self.postponed = postponed
        self.reversesCounts = reversesCounts
        let reads = engine.reads
        self.writer = consume engine
        super.init(schema: schema, context: context, engine: reads)
    }

    /// A transaction that writes nothing: it shows its changes, over an overlay, to itself.
    init(
        draftIn store: RecordStore, over overlay: RecordOverlay, _ terms: WriteTerms,
        engine: consuming RawReadTransaction
    ) {
        label = ChangeLabel()
        identifiers = IdentifierGenerator(repeating: terms.identifiers, then: store.identifiers)
        retention = store.retention
        oldestNeeded = .max
        continuedOperation = nil
        postponed = nil
        reversesCounts = true
        draft = RecordDraft()
        super.init(schema: store.schema, context: terms.context, engine: engine)
        self.overlay = overlay
    }

    /// Lends LMDB's transaction for writing.
    func withWriter<Result>(_ body: (borrowing RawWriteTransaction) throws -> Result) throws -> Result {
        switch writer {
        case .some(let writer):
            do {
                return try body(writer)
            } catch let error as KeyValueError {
                throw RecordsError.engine(error)
            }
        case .none:
            if draft != nil { throw NotInDraft() }
            throw RecordsError.transactionEnded
        }
    }

    override func record<R: Record>(_ key: KeyBytes, in collection: BoundCollection<R>) throws -> R? {
        try draft == nil ? read(key, in: collection) : super.record(key, in: collection)
    }

    override func stored<R: Record>(
        _ key: KeyBytes, in collection: BoundCollection<R>
    ) throws -> (bytes: [UInt8], hash: UInt64)? {
        if draft == nil, let lastRead = try lastRead(key, in: collection) { return (lastRead.bytes, lastRead.hash) }
        return try super.stored(key, in: collection)
    }

    override func tallyChanges(in table: String) -> [KeyBytes: TallyValue] { pending.tallies[table] ?? [:] }

    override func end() {
        super.end()
        writer = nil
    }

    // MARK: Records

    /// Writes a record, replacing an older one with its id. Writes nothing when nothing changed.
    public func put<R: Record>(_ record: R) throws {
        let collection = try schema.collection(of: R.self)
        let key = record.id.keyBytes
        let old = try stored(key, in: collection)
        var encoder = FieldEncoder()
        if let old { encoder.carryOver(from: old.bytes) }
        record.encode(into: &encoder)
        encoder.finish()
        try replace(key, old: old, with: encoder.bytes, as: record, in: collection)
    }

    /// Writes a record whose id must be new. Throws `duplicate` when it is not.
    public func insert<R: Record>(_ record: R) throws {
        let collection = try schema.collection(of: R.self)
        let key = record.id.keyBytes
        let isThere =
            try overlay.edit(of: key, in: collection.number).map { $0.bytes != nil }
            ?? withEngine { try $0.contains(key.bytes, in: collection.records.table) }
        if isThere {
            throw RecordsError.duplicate(collection: collection.name, key: key.hexadecimal)
        }
        try put(record)
    }

    /// Removes the record with an id; returns false when there was none.
    @discardableResult
    public func delete<R: Record>(_ type: R.Type, id: R.ID) throws -> Bool {
        let collection = try schema.collection(of: type)
        let key = id.keyBytes
        guard let old = try stored(key, in: collection) else { return false }
        try replace(key, old: old, with: nil, as: nil, in: collection)
        try applyDeletionRules(restricting: false)
        return true
    }

    /// The ids of the records of a type that this transaction has changed so far.
    package func changedIDs<R: Record>(of type: R.Type) throws -> [R.ID] {
        let number = try schema.collection(of: type).number
        var ids: [R.ID] = []
        let changed = pending.spilled + pending.entries.map { .init(collection: $0.collection, key: $0.key) }
        for entry in changed where entry.collection == number {
            let key = KeyBytes(entry.key)
            var decoder = KeyDecoder(key.bytes)
            ids.append(try R.ID(decoding: &decoder))
        }
        return ids
    }

    /// Replaces the stored bytes of a record and updates everything that is derived from it.
    ///
    /// - Parameters:
    ///   - old: the stored bytes so far, nil when there is no such record.
    ///   - bytes: the new bytes; nil removes the record.
    ///   - record: the record that the new bytes encode.
    func replace<R: Record>(
        _ key: KeyBytes, old: (bytes: [UInt8], hash: UInt64)?, with bytes: [UInt8]?, as record: R?,
        in collection: BoundCollection<R>
    ) throws {
        if let old, let bytes, old.bytes == bytes { return }
        if draft != nil {
            let hash = bytes.map { collection.records.hash(key: key.bytes, value: $0.span.bytes) } ?? 0
            let edit = RecordOverlay.Edit(bytes: bytes, hash: hash)
            overlay.set(edit, for: key, in: collection.number)
            draft?.changes.set(edit, for: key, in: collection.number)
            // The rules of references are applied at the store.
            if bytes == nil, schema.referrers[collection.number] != nil { draft?.isComplete = false }
            return
        }
        var oldRecord: R?
        if let old {
            oldRecord = try lastRead(key, in: collection)?.record ?? collection.decode(key.bytes, old.bytes.span.bytes)
        }
        try moveIndexEntries(key, from: oldRecord, to: record, in: collection)
        if !collection.multiIndexes.isEmpty { try moveMultiEntries(key, from: oldRecord, to: record, in: collection) }
        countRollUps(from: oldRecord, to: record, in: collection)
        if !collection.tallies.isEmpty { countTallies(from: oldRecord, to: record, in: collection) }
        var count = RecordCount()
        if let old {
            count.count -= 1
            count.digest &-= old.hash
        }
        if let bytes {
            count.count += 1
            count.digest &+= try withWriter { try collection.records.put(key, bytes, in: $0) }
        } else {
            try withWriter { _ = try $0.delete(key.bytes, in: collection.records.table) }
        }
        pending.count(count, in: collection.number)
        if bytes == nil, schema.referrers[collection.number] != nil {
            pending.removedTargets.append(.init(collection: collection.number, key: key.array))
        }
        guard collection.isTracked || schema.injectionPoint(.tracksUntracked) else { return }
        pending.note(.init(collection: collection.number, key: key.array), from: old?.bytes, to: bytes)
        guard pending.isRowFull else { return }
        let row = pending.spill()
        try followChanges(row)
        try appendRow(row)
    }

    private func countTallies<R: Record>(from old: R?, to new: R?, in collection: BoundCollection<R>) {
        for (position, tally) in collection.tallies.enumerated() {
            let share = collection.tallyShares[position]
            var (before, after): (TallyShare?, TallyShare?)
            if let old { before = share(old) }
            if let new { after = share(new) }
            if let before, let after, before.key == after.key, before.value == after.value { continue }
            if let before { pending.count(TallyShare(key: before.key, value: -before.value), in: tally.table.name) }
            if let after { pending.count(after, in: tally.table.name) }
        }
    }

    private func countRollUps<R: Record>(from old: R?, to new: R?, in collection: BoundCollection<R>) {
        var (instantsBefore, instantsAfter): ([Instant?]?, [Instant?]?)
        if let old { instantsBefore = collection.instants(of: old) }
        if let new { instantsAfter = collection.instants(of: new) }
        for (position, rollUp) in collection.rollUps.enumerated() {
            let before = instantsBefore?[position]
            let after = instantsAfter?[position]
            guard before != after else { continue }
            if let before, reversesCounts { pending.count(-1, at: before, in: rollUp.table.name) }
            if let after { pending.count(1, at: after, in: rollUp.table.name) }
        }
    }

    /// Writes only the entries whose key changed.
    private func moveIndexEntries<R: Record>(
        _ key: KeyBytes, from old: R?, to new: R?, in collection: BoundCollection<R>
    ) throws {
        // All keys of a record at once: a record is large, and each access to an optional one copies it.
        var keysBefore: [KeyBytes?]?
        if let old { keysBefore = collection.keys(of: old) }
        var keysAfter: [KeyBytes?]?
        if let new { keysAfter = collection.keys(of: new) }
        for reference in collection.references {
            guard let named = keysAfter?[reference.position], keysBefore?[reference.position] != named else { continue }
            pending.namedTargets.insert(
                .init(
                    target: .init(collection: reference.target, key: named.array),
                    reference: collection.indexes[reference.position].table.name))
        }
        for (position, index) in collection.indexes.enumerated() {
            let before = keysBefore?[position]
            let after = keysAfter?[position]
            if let before, let after, before.bytes.isEqual(to: after.bytes) { continue }
            if before == nil, after == nil { continue }
            if let after { noteAdded(after, in: index, of: collection.number) }
            let table = index.table
            if let postponed, postponed.takes(.indexOutsideTransaction) {
                postponed.add { try Self.moveEntry(of: key, from: before, to: after, in: table, engine: $0) }
            } else {
                try withWriter { try Self.moveEntry(of: key, from: before, to: after, in: table, engine: $0) }
            }
        }
    }

    private func moveMultiEntries<R: Record>(
        _ key: KeyBytes, from old: R?, to new: R?, in collection: BoundCollection<R>
    ) throws {
        for (position, index) in collection.multiIndexes.enumerated() {
            let keys = collection.multiKeys[position]
            if let old, let new, keys.areUnchanged?(old, new) == true { continue }
            let before = if let old { BoundCollection.entries(of: old, key, keys) } else { [KeyBytes]() }
            let after = if let new { BoundCollection.entries(of: new, key, keys) } else { [KeyBytes]() }
            let (isNew, limit) = (old == nil, schema.pendingListLimit)
            if let postponed, postponed.takes(.searchIndexOutsideTransaction) {
                postponed.add { engine in
                    try index.move(key, from: before, to: after, isNew: isNew, pendingListLimit: limit, in: engine)
                }
                continue
            }
            if index.isUnique {
                for entry in after where !before.contains(entry) {
                    noteAdded(entry.prefix(entry.count - index.idWidth), in: index, of: collection.number)
                }
            }
            try withWriter { engine in
                try index.move(key, from: before, to: after, isNew: isNew, pendingListLimit: limit, in: engine)
            }
        }
    }

    /// Notes a key of a unique index, to be checked at the end.
    private func noteAdded(_ key: KeyBytes, in index: BoundPart, of collection: UInt32) {
        guard index.isUnique else { return }
        pending.uniqueKeys[.init(collection: collection, table: index.table.name, key: key)] = index
    }

    private static func moveEntry(
        of key: KeyBytes, from before: KeyBytes?, to after: KeyBytes?, in table: ChecksummedTable,
        engine: borrowing RawWriteTransaction
    ) throws {
        if var before {
            before.append(contentsOf: key)
            try engine.delete(before.bytes, in: table.table)
        }
        if var after {
            after.append(contentsOf: key)
            try table.put(after, in: engine)
        }
    }
}
