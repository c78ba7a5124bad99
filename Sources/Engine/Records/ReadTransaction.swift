import CivilTime
import KeyValue

/// A consistent view of the store at one moment. It ends with the closure that it was given to.
///
/// Records, indexes and roll-ups are reached by what they were declared with: `transaction[TaskItem.self]`,
/// `transaction[TaskItem.byDay]`, `transaction[Reading.perDay]`.
public class ReadTransaction {
    let schema: BoundSchema
    /// What the transaction was opened with: clock, zone, random source.
    public let context: Context
    private var engine: RawReadTransaction?

    init(schema: BoundSchema, context: Context, engine: consuming RawReadTransaction) {
        self.schema = schema
        self.context = context
        self.engine = consume engine
    }

    /// Runs a closure with the engine's transaction; throws when this one has ended.
    func withEngine<Result>(_ body: (borrowing RawReadTransaction) throws -> Result) throws(RecordsError)
        -> Result
    {
        switch engine {
        case .some(let engine): return try rethrowing { try body(engine) }
        case .none: throw .transactionEnded
        }
    }

    /// The same for a closure whose own errors are to pass through as they are.
    func lendEngine<Result>(_ body: (borrowing RawReadTransaction) throws -> Result) throws -> Result {
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

    /// The sequence number of the last change; 0 before the first. Cost: one look-up.
    public func lastSequence() throws(RecordsError) -> UInt64 {
        try withEngine { try ChangeLog(schema: schema).lastSequence(in: $0) }
    }
}
