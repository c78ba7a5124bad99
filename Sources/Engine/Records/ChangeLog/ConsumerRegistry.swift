import CivilTime
import KeyValue

/// The name of a registered consumer, of a length that fits into a key of `meta`.
struct ConsumerName: Sendable, Hashable {
    static let byteLimit = 48

    let text: String

    init(_ text: String) throws(RecordsError) {
        guard 1...Self.byteLimit ~= text.utf8.count else {
            throw .badDeclaration("a consumer of changes needs a name of 1 to \(Self.byteLimit) bytes")
        }
        self.text = text
    }
}

/// What the store has about a registered consumer.
struct ConsumerRegistration: Equatable {
    /// The last change that it has dealt with.
    var position: UInt64
    /// The wall clock when it was registered or last moved.
    var movedAt: Instant

    init(position: UInt64, movedAt: Instant) {
        self.position = position
        self.movedAt = movedAt
    }

    /// The first change that it needs.
    var next: UInt64 { position == .max ? .max : position + 1 }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: position)
        bytes.append(littleEndian: movedAt.microsecondsSince1970)
        return bytes
    }

    /// Nil when the bytes are not a registration.
    init?(decoding bytes: RawSpan) {
        guard bytes.byteCount >= 16 else { return nil }
        position = bytes.littleEndian(at: 0)
        movedAt = Instant(microsecondsSince1970: bytes.littleEndian(at: 8))
    }
}

/// The registered consumers of changes, in the table `meta`.
struct ConsumerRegistry {
    let schema: BoundSchema

    /// The registration of a name; nil when there is none.
    func found(_ name: ConsumerName, in engine: borrowing RawReadTransaction) throws -> ConsumerRegistration? {
        let key = Meta.consumerKey(name)
        return try schema.meta.get(key, in: engine) { value, _ in
            guard let registration = ConsumerRegistration(decoding: value) else { throw schema.meta.damage(key.bytes) }
            return registration
        }
    }

    /// The registration of a name.
    ///
    /// - Throws: `unknownConsumer` when there is none; `changeNotReached` when the log ends before its position, since
    ///   changes with numbers up to it would be skipped.
    func registration(
        of name: ConsumerName, in engine: borrowing RawReadTransaction
    ) throws -> ConsumerRegistration {
        guard let registration = try found(name, in: engine) else {
            throw RecordsError.unknownConsumer(name: name.text)
        }
        let last = try ChangeLog(schema: schema).lastSequence(in: engine)
        guard registration.position <= last else { throw RecordsError.changeNotReached(last: last) }
        return registration
    }

    /// Calls a closure with each registration, in the order of the names. Leaves out damaged entries: `verify` reports
    /// them, and a consumer that uses one gets an error.
    func forEach(
        in engine: borrowing RawReadTransaction, _ body: (_ name: String, ConsumerRegistration) throws -> Void
    ) throws {
        try schema.meta.forEachEntry(KeyRange(prefix: Meta.consumerPrefix), in: engine) { key, checksummed in
            if let registration = decoded(key, checksummed) { try body(name(of: key), registration) }
            return true
        }
    }

    /// Each registered consumer and how far it has come.
    func statuses(in engine: borrowing RawReadTransaction) throws -> [ChangeConsumer.Status] {
        let log = ChangeLog(schema: schema)
        let (first, last) = try (log.firstSequence(in: engine), log.lastSequence(in: engine))
        var statuses: [ChangeConsumer.Status] = []
        try forEach(in: engine) { name, registration in
            statuses.append(
                ChangeConsumer.Status(
                    name: name, position: registration.position,
                    changesBehind: last > registration.position ? last - registration.position : 0,
                    movedAt: registration.movedAt, hasMissedChanges: registration.next < first))
        }
        return statuses
    }

    /// The highest position of a consumer, also in a damaged table; 0 when there is none.
    func highestPosition(in engine: borrowing RawReadTransaction) throws -> UInt64 {
        var highest: UInt64 = 0
        _ = try schema.meta.walk(searching: true, in: engine) { key, checksummed, state in
            guard state.isValid, key.starts(with: Meta.consumerPrefix.bytes),
                let position = decoded(key, checksummed)?.position, position < 1 << 62
            else { return }
            highest = max(highest, position)
        }
        return highest
    }

    /// Compares the positions with the end of the log. The checksums are verified with the rest of `meta`.
    func verify(into audit: inout Audit, in engine: borrowing RawReadTransaction) throws {
        let last = try ChangeLog(schema: schema).lastSequence(in: engine)
        try forEach(in: engine) { name, registration in
            if registration.position > last {
                audit.problem(
                    "consumer \(name): its position \(registration.position) is after the last change, \(last)")
            }
        }
    }

    private func decoded(_ key: RawSpan, _ checksummed: RawSpan) -> ConsumerRegistration? {
        (try? schema.meta.open(key: key, checksummed: checksummed) { value, _ in
            ConsumerRegistration(decoding: value)
        }) ?? nil
    }

    private func name(of key: RawSpan) -> String {
        String(decoding: key.extracting(Meta.consumerPrefix.count..<key.byteCount).copied, as: UTF8.self)
    }
}
