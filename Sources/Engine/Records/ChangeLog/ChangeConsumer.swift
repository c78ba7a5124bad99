import CivilTime
import KeyValue

/// A consumer of changes that is registered in the store, by a name and a position: the last change that it has dealt
/// with. It continues there after a restart, and no process trims the changes after it.
///
///     let consumer = try await store.consumer("search-index")
///     for try await change in consumer.changes() {
///         try await store.write { transaction in
///             …                                                       // what follows from the change
///             try transaction.advance(consumer, to: change.sequence)  // both or neither
///         }
///     }
///
/// An abandoned consumer does not keep the log forever: ``ChangeLogRetention`` has limits for its age and for the size of
/// the log. One that has missed changes stays registered. Its feed throws `changesTrimmed`; it then reads the present state
/// and advances to the sequence number of that state.
public struct ChangeConsumer: Sendable {
    /// A registered consumer and how far it has come.
    public struct Status: Sendable, Equatable {
        /// The consumer's name.
        public let name: String
        /// The sequence number of the last change that it has dealt with.
        public let position: UInt64
        /// The number of changes after its position.
        public let changesBehind: UInt64
        /// The wall clock when it was registered or last moved.
        public let movedAt: Instant
        /// Whether some of the changes after its position were trimmed.
        public let hasMissedChanges: Bool
    }

    let consumerName: ConsumerName
    let store: RecordStore

    /// The name under which it is registered.
    public var name: String { consumerName.text }

    /// The sequence number of the last change that it has dealt with, as the store has it now.
    ///
    /// - Throws: `unknownConsumer` when it is not registered any more.
    public var position: UInt64 {
        get throws(RecordsError) {
            try rethrowing { try store.read { try $0.position(of: self) } }
        }
    }

    /// Returns the changes after its position, in order, each once, as any process commits them.
    ///
    /// The position is read with the first change, and the feed does not move it. The feed does not end; it throws
    /// `changesTrimmed` when the next change has left the log.
    public func changes() -> ChangeFeed {
        ChangeFeed(store: store, start: .positionOf(consumerName))
    }

    /// Notes that it has dealt with all changes up to a sequence number. This is durable when the call returns, and writes
    /// nothing into the change log.
    ///
    /// A crash before it repeats changes, and never skips one. See ``WriteTransaction/advance(_:to:)`` for the
    /// alternative. Each call is a commit: advance after a batch of changes rather than after each.
    ///
    /// - Returns: whether it moved; false if its position is not lower.
    /// - Throws: `changeNotReached` for a number that no change has yet, `unknownConsumer` when it is not registered.
    @discardableResult
    public func advance(to sequence: UInt64) async throws -> Bool {
        try await store.write { try $0.advance(self, to: sequence) }
    }

    /// Notes on the calling thread that it has dealt with all changes up to a sequence number.
    @discardableResult
    public func advance(to sequence: UInt64) throws -> Bool {
        try store.write { try $0.advance(self, to: sequence) }
    }

    /// Removes its registration; returns false when there was none.
    @discardableResult
    public func unregister() async throws -> Bool {
        try await store.write { try $0.unregister(consumerName) }
    }

    /// Removes its registration on the calling thread; returns false when there was none.
    @discardableResult
    public func unregister() throws -> Bool {
        try store.write { try $0.unregister(consumerName) }
    }
}

extension RecordStore {
    /// Returns the consumer of a name, and registers it if the store has none of that name.
    ///
    /// - Parameters:
    ///   - name: 1 to 48 bytes of UTF-8. It is not private: statistics and reports show it.
    ///   - sequence: where a new consumer begins: after this change. By default it begins with the first change; if that
    ///     has left the log, its feed throws `changesTrimmed`, and it reads the present state first.
    /// - Throws: `badDeclaration` for an unusable name, `changeNotReached` for a number that no change has yet.
    public func consumer(_ name: String, after sequence: UInt64 = 0) async throws -> ChangeConsumer {
        let name = try ConsumerName(name)
        if try !isRegistered(name) { try await write { try $0.register(name, after: sequence) } }
        return ChangeConsumer(consumerName: name, store: self)
    }

    /// Returns the consumer of a name on the calling thread, and registers it if the store has none of that name.
    public func consumer(_ name: String, after sequence: UInt64 = 0) throws -> ChangeConsumer {
        let name = try ConsumerName(name)
        if try !isRegistered(name) { try write { try $0.register(name, after: sequence) } }
        return ChangeConsumer(consumerName: name, store: self)
    }

    /// The registered consumers of changes, by name, except those whose entries are damaged, which `verify` reports.
    public var consumers: [ChangeConsumer.Status] {
        get throws(RecordsError) {
            try rethrowing {
                try read { try $0.withEngine { try ConsumerRegistry(schema: schema).statuses(in: $0) } }
            }
        }
    }

    private func isRegistered(_ name: ConsumerName) throws -> Bool {
        try read { transaction in
            try transaction.withEngine { try ConsumerRegistry(schema: schema).found(name, in: $0) != nil }
        }
    }
}

extension ReadTransaction {
    /// The sequence number of the last change that a consumer has dealt with. Cost: one look-up.
    ///
    /// - Throws: `unknownConsumer` when it is not registered.
    public func position(of consumer: ChangeConsumer) throws -> UInt64 {
        try withEngine { engine in
            try ConsumerRegistry(schema: schema).registration(of: consumer.consumerName, in: engine).position
        }
    }
}

extension WriteTransaction {
    /// Notes that a consumer has dealt with all changes up to a sequence number, in the same transaction as what it
    /// derived from them: a crash neither skips nor repeats a change.
    ///
    /// It writes nothing into the change log. What the consumer derives is a change like any other, and its feed returns
    /// it, too; use a label or a collection to recognize it. Two processes with the same consumer compare
    /// ``ReadTransaction/position(of:)`` first.
    ///
    /// - Returns: whether it moved; false if its position is not lower.
    /// - Throws: `changeNotReached` for a number that no change has yet, `unknownConsumer` when it is not registered.
    @discardableResult
    public func advance(_ consumer: ChangeConsumer, to sequence: UInt64) throws -> Bool {
        guard try position(of: consumer) < sequence else { return false }
        try put(consumer.consumerName, at: sequence)
        return true
    }

    func register(_ name: ConsumerName, after sequence: UInt64) throws {
        // Another process may have registered it since.
        let isRegistered = try withEngine { try ConsumerRegistry(schema: schema).found(name, in: $0) != nil }
        if !isRegistered { try put(name, at: sequence) }
    }

    func unregister(_ name: ConsumerName) throws -> Bool {
        try withWriter { try $0.delete(Meta.consumerKey(name).bytes, in: schema.meta.table) }
    }

    private func put(_ name: ConsumerName, at sequence: UInt64) throws {
        let last = try lastSequence()
        guard sequence <= last else { throw RecordsError.changeNotReached(last: last) }
        let registration = ConsumerRegistration(position: sequence, movedAt: context.clock.wall)
        try withWriter { _ = try schema.meta.put(Meta.consumerKey(name), registration.encoded, in: $0) }
    }
}
