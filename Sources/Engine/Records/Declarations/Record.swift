import CivilTime
import FoundationEssentials
import Synchronization

/// A value that a store keeps under an id. Its `collection` declares what is stored of it and how.
public protocol Record: Sendable, Identifiable where ID: OrderedKey {
    /// Where such records are kept: the name, the indexes and the roll-ups.
    static var collection: RecordCollection<Self> { get }

    /// Reads what `encode` wrote, the fields in ascending order of their numbers.
    init(id: ID, fields: inout FieldDecoder) throws(RecordsError)

    /// Writes the fields, in ascending order of their numbers. A number never changes its meaning; a field that is
    /// removed leaves its number unused.
    func encode(into fields: inout FieldEncoder)

    /// Called when undo or redo restores this state in place of a later one, so that a modification time can advance.
    mutating func restored(replacing current: Self?, at now: Instant)

    /// Deletes the record because the one that it names was deleted, by a reference with the rule `cascade`. Does nothing
    /// but that by default; a type that keeps a tombstone writes it here.
    func deleteByReference(in transaction: WriteTransaction) throws

    /// The violated invariants of the record, in words without any of its content; for `verify`.
    var brokenInvariants: [String] { get }

    /// Decodes a record and adds it to a list. Do not implement it: the default implementation is specialized for your
    /// type in your module, at half the cost of a generic call from the engine.
    static func append(decoding key: RawSpan, _ value: RawSpan, to list: inout [Self]) throws(RecordsError)
}

extension Record {
    /// Does nothing: the state comes back exactly as it was.
    public mutating func restored(replacing current: Self?, at now: Instant) {}

    /// Decodes a record and adds it to a list.
    @inlinable
    public static func append(
        decoding key: RawSpan, _ value: RawSpan, to list: inout [Self]
    ) throws(RecordsError) {
        var decoder = KeyDecoder(key)
        let id = try ID(decoding: &decoder)
        var fields = try FieldDecoder(value)
        list.append(try Self(id: id, fields: &fields))
    }

    /// Deletes the record.
    public func deleteByReference(in transaction: WriteTransaction) throws {
        try transaction.delete(Self.self, id: id)
    }

    /// None.
    public var brokenInvariants: [String] { [] }
}

extension Record {
    /// The encoded fields without the checksum: for benchmarks of the codec.
    package var fieldBytes: [UInt8] {
        var encoder = FieldEncoder()
        encode(into: &encoder)
        encoder.finish()
        return encoder.bytes
    }
}

/// Makes UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of the wall clock in milliseconds, then random bits.
///
/// Within one process ids ascend in the order in which they are made, also within a millisecond and when the clock goes
/// back: the 12 bits after the version count up then, and the time runs ahead when they overflow. So records that are
/// created one after another are stored side by side.
public final class IdentifierGenerator: Sendable {
    private let context: Context
    /// Of the last id: the milliseconds, then 12 bits that count within one. Without a lock, which the child of a fork
    /// could find taken by a thread that it does not have.
    private let last = Atomic<UInt64>(0)

    /// The ids that another run of the same work has taken, and how many of them were given again.
    private let repeated: (taken: TakenIdentifiers, generator: IdentifierGenerator)?
    private let position = Atomic(0)

    /// A generator with the clock and the random source of a context.
    public init(context: Context) {
        self.context = context
        repeated = nil
    }

    /// A generator that gives ids that were taken before, and then new ones of another generator.
    init(repeating taken: TakenIdentifiers, then generator: IdentifierGenerator) {
        context = generator.context
        repeated = (taken, generator)
    }

    /// A new id.
    public func next() -> UUID {
        if let repeated {
            let position = position.wrappingAdd(1, ordering: .relaxed).oldValue
            return repeated.taken.identifier(at: position, or: repeated.generator.next)
        }
        let random = context.random.next()
        let wall = UInt64(max(0, context.clock.wall.microsecondsSince1970 / 1000))
        var before = last.load(ordering: .relaxed)
        var stamp: UInt64
        var isTaken = false
        repeat {
            // Starting in the lower half leaves room to count; starting at random keeps two processes apart. A count
            // that overflows carries into the milliseconds.
            stamp = wall > before >> 12 ? wall << 12 | context.random.next() & 0x7FF : before + 1
            (isTaken, before) = last.compareExchange(expected: before, desired: stamp, ordering: .relaxed)
        } while !isTaken
        let high = (stamp >> 12) << 16 | 0x7000 | stamp & 0xFFF
        let low = random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUID(high: high, low: low)
    }
}
