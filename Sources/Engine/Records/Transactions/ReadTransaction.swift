import CivilTime
import Injection
import KeyValue

/// A consistent view of the store at one moment. It ends with its closure.
///
/// Access records, indexes, roll-ups and tallies by their declarations: `transaction[TaskItem.self]`,
/// `transaction[TaskItem.byDay]`, `transaction[Reading.perDay]`, `transaction[Reading.perSensor]`. The functions of a
/// transaction and of its readers throw `RecordsError`, and pass errors of a closure through unchanged.
public class ReadTransaction {
    let schema: BoundSchema
    /// The fault injection points of the store.
    package var injectionPoint: ArmedInjectionPoints { schema.injectionPoint }
    /// The context of the store: clock, zone, random source.
    public let context: Context
    private var engine: RawReadTransaction?
    /// Records that are shown in place of the stored ones.
    var overlay = RecordOverlay()

    init(schema: BoundSchema, context: Context, engine: consuming RawReadTransaction) {
        self.schema = schema
        self.context = context
        self.engine = consume engine
    }

    /// Runs a closure with the engine's transaction; throws when this one has ended. Errors of the engine become
    /// `RecordsError`, so that a transaction's closure can catch them; others are passed through unchanged.
    func withEngine<Result>(_ body: (borrowing RawReadTransaction) throws -> Result) throws -> Result {
        switch engine {
        case .some(let engine):
            do {
                return try body(engine)
            } catch let error as KeyValueError {
                throw RecordsError.engine(error)
            }
        case .none: throw RecordsError.transactionEnded
        }
    }

    /// The bytes of a record as this transaction shows it, checked, and their hash.
    func stored<R: Record>(
        _ key: KeyBytes, in collection: BoundCollection<R>
    ) throws -> (bytes: [UInt8], hash: UInt64)? {
        if let edit = overlay.edit(of: key, in: collection.number) { return edit.bytes.map { ($0, edit.hash) } }
        return try withEngine { try collection.stored(key, in: $0) }
    }

    /// A record as this transaction shows it; nil when there is none. Cost: one look-up.
    func record<R: Record>(_ key: KeyBytes, in collection: BoundCollection<R>) throws -> R? {
        if let edit = overlay.edit(of: key, in: collection.number) {
            return try edit.bytes.map { try collection.decode(key.bytes, $0.span.bytes) }
        }
        return try withEngine { try collection.record(key, in: $0) }
    }

    /// The changes of a tally that are not in its table yet.
    func tallyChanges(in table: String) -> [KeyBytes: TallyValue] { [:] }

    /// Whether pages of the state may have been reused while it was read.
    var isLost: Bool {
        switch engine {
        case .some(let engine): engine.isLost
        case .none: false
        }
    }

    func end() {
        engine = nil
    }

    /// What this transaction has done so far, counted exactly.
    public var counters: OperationCounters {
        switch engine {
        case .some(let engine): engine.counters
        case .none: OperationCounters()
        }
    }

    /// The records of a type, by their ids.
    public subscript<R: Record>(_ type: R.Type) -> RecordReader<R> { RecordReader(transaction: self) }

    /// The records of a type, in the order of an index.
    public subscript<R: Record, Key: OrderedKey>(_ index: Index<R, Key>) -> IndexReader<R, Key> {
        IndexReader(transaction: self, index: index)
    }

    /// The counts of a roll-up.
    public subscript<R: Record>(_ rollUp: RollUp<R>) -> RollUpReader<R> {
        RollUpReader(transaction: self, rollUp: rollUp)
    }

    /// The counts of a tally.
    public subscript<R: Record, Key: OrderedKey>(_ tally: Tally<R, Key>) -> TallyReader<R, Key> {
        TallyReader(transaction: self, tally: tally)
    }

    /// The records that name others, in the order of the ids that they name.
    public subscript<R: Record, Target: Record>(_ reference: Reference<R, Target>) -> IndexReader<R, Target.ID> {
        IndexReader(transaction: self, index: reference.index)
    }

    /// The sequence number of the last change; 0 before the first. Cost: one look-up.
    public func lastSequence() throws -> UInt64 {
        try withEngine { try ChangeLog(schema: schema).lastSequence(in: $0) }
    }
}

/// Every transaction. A domain extends it where its property of a `WriteTransaction` has the same name and another type, which a
/// property of the class would forbid.
public protocol ReadableTransaction: ReadTransaction {}

extension ReadTransaction: ReadableTransaction {}

/// The records of a type, by their ids. Obtained from a transaction: `transaction[TaskItem.self]`. Its functions throw
/// `RecordsError`.
public struct RecordReader<R: Record> {
    let transaction: ReadTransaction

    /// The record of an id, nil when there is none. Cost: one look-up.
    public func get(_ id: R.ID) throws -> R? {
        try transaction.record(id.keyBytes, in: transaction.schema.collection(of: R.self))
    }

    /// How many records there are. Cost: one look-up.
    public func count() throws -> Int {
        let collection = try transaction.schema.collection(of: R.self)
        return try transaction.withEngine { engine in
            let key = Meta.countKey(collection.number)
            var count = Int(
                try transaction.schema.meta.get(key, in: engine) { value, _ in RecordCount(value).count } ?? 0)
            for (key, edit) in transaction.overlay[collection.number] {
                if try engine.contains(key.bytes, in: collection.records.table) { count -= 1 }
                if edit.bytes != nil { count += 1 }
            }
            return count
        }
    }

    /// Calls a closure with each record in the order of the ids, after the given one, until it returns false. Cost: one
    /// step a record; nothing is held in memory. Errors of the closure are rethrown unchanged.
    public func forEach(after id: R.ID? = nil, _ body: (R) throws -> Bool) throws {
        let collection = try transaction.schema.collection(of: R.self)
        try transaction.withEngine { engine in
            let start = id?.keyBytes
            let edits = transaction.overlay[collection.number]
            let shown = edits.keys.filter { key in start.map { $0 < key } ?? true }.sorted()
            var merged = MergedWalk(shown)
            func passEdit(_ key: KeyBytes) throws -> Bool {
                guard let bytes = edits[key]?.bytes else { return true }
                return try body(collection.decode(key.bytes, bytes.span.bytes))
            }
            let range = KeyRange(lower: start, upper: nil)
            let isAtEnd = try collection.records.forEachEntry(range, in: engine) { key, checksummed in
                if let start, start.bytes.isEqual(to: key) { return true }
                guard try merged.pass(before: key, to: passEdit) else { return false }
                return try edits.hidesEntry(key, idWidth: key.byteCount)
                    || body(Self.open(collection, key, checksummed))
            }
            if isAtEnd { _ = try merged.pass(before: nil, to: passEdit) }
        }
    }

    /// Up to `limit` records after an id, in the order of the ids: one page. Records that are added or removed between
    /// two pages neither repeat nor hide others.
    public func page(after id: R.ID? = nil, limit: Int = 20) throws -> [R] {
        var records: [R] = []
        guard limit > 0 else { return records }
        try forEach(after: id) { record in
            records.append(record)
            return records.count < limit
        }
        return records
    }

    /// The ids that begin with the given bits, up to `limit`: for ids that a person has shortened.
    public func ids(beginning prefix: [UInt8], limit: Int) throws -> [R.ID] {
        let collection = try transaction.schema.collection(of: R.self)
        let edits = transaction.overlay[collection.number]
        return try transaction.withEngine { engine in
            var ids: [R.ID] = []
            for (key, edit) in edits where edit.bytes != nil && key.bytes.starts(with: prefix.span.bytes) {
                guard ids.count < limit else { return ids }
                var decoder = KeyDecoder(key.bytes)
                ids.append(try R.ID(decoding: &decoder))
            }
            guard ids.count < limit else { return ids }
            try collection.records.forEachEntry(KeyRange(prefix: KeyBytes(prefix)), in: engine) { key, _ in
                var decoder = KeyDecoder(key)
                if !edits.hidesEntry(key, idWidth: key.byteCount) { ids.append(try R.ID(decoding: &decoder)) }
                return ids.count < limit
            }
            return ids
        }
    }

    private static func open(
        _ collection: BoundCollection<R>, _ key: RawSpan, _ checksummed: RawSpan
    ) throws -> R {
        try collection.reportingDamage(of: key) {
            try collection.records.open(key: key, checksummed: checksummed) { value, _ in
                try collection.decode(key, value)
            }
        }
    }
}
