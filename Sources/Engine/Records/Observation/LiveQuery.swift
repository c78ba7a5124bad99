/// The result of a read, and every change of it: a count of a tally, a total, a record, whatever a closure reads in one
/// transaction. It is read again when any process has committed, at midnight, when the clock steps, and when the zone changes,
/// so that a query may depend on the day.
///
///     for try await today in store.observe({ try $0[Reading.perSensor].count(of: roof) }) { show(today.value) }
///
/// Cost of a commit: reading once more. Use it for what is cheap to read, such as tallies, roll-ups and single records, and
/// `observe(_:in:)` for lists.
public struct LiveQuery<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// A result, and the last change that it contains.
    public struct Element: Sendable, Equatable {
        /// What the closure returned.
        public let value: Value
        /// The number of the last change that the value contains: the place to resume from.
        public let sequence: UInt64
    }

    let store: RecordStore
    var session: OptimisticSession?
    let after: UInt64?
    let query: @Sendable (ReadTransaction) throws -> Value

    /// Starts to follow the result.
    public func makeAsyncIterator() -> Iterator { Iterator(live: self) }

    /// Reads after each commit and at each midnight, and returns what differs from the last result.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let live: LiveQuery
        private var last: Value?
        /// When the query was read last; nil before that. It is not read again before there is news, also where a result equals
        /// nothing, not even itself, as one with a NaN does.
        private var moment: ReadingMoment?

        init(live: LiveQuery) {
            self.live = live
        }

        /// Waits for the next result that differs from the last one, and returns it; the first at once, unless the query
        /// resumes and nothing was changed since.
        ///
        /// - Throws: What the closure throws, `RecordsError` if the store fails or is closed, `CancellationError` when the
        ///   task is cancelled.
        public mutating func next() async throws -> Element? {
            while true {
                if let moment { try await live.store.waitForNews(since: moment) }
                let (new, query) = (try live.store.moment(), live.query)
                let read = { (transaction: ReadTransaction) in (try query(transaction), try transaction.lastSequence())
                }
                let (value, sequence) = try live.session?.read(read) ?? live.store.read(read)
                let isKnown = moment == nil && live.after == sequence
                defer { (last, moment) = (value, new) }
                if !isKnown, last != value { return Element(value: value, sequence: sequence) }
            }
        }
    }
}

extension RecordStore {
    /// Follows the result of a read.
    ///
    /// - Parameter sequence: the number of the last change that the application has shown already, to resume without a first
    ///   result; nil to begin with the present one. For queries that do not depend on the day.
    public func observe<Value: Sendable & Equatable>(
        after sequence: UInt64? = nil, _ query: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> LiveQuery<Value> {
        LiveQuery(store: self, after: sequence, query: query)
    }
}
