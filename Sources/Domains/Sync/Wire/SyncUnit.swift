import FoundationEssentials

/// One value of one record as the hub keeps it: a row of a register store. The hub compares the keys and reads nothing else.
public struct SyncUnit: Sendable, Hashable {
    /// Which record: a keyed hash of its collection and id, so that the hub learns neither.
    public var record: UUID
    /// Which part of the record; the numbers are listed in Format.md and never change.
    public var unit: UInt16
    /// The bytes of a `MergeKey`. Of two values the one with the larger key stays.
    public var key: [UInt8]
    /// See `SyncUnit.Flags`.
    public var flags: Flags
    /// The sealed value. That of a purge is sealed as well, although its content is empty: the hub could make one up
    /// otherwise.
    public var body: [UInt8]

    /// What is true of a value besides its content.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The stored bits.
        public let rawValue: UInt16

        /// Flags of their bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// A rollover or an expiry made the change, not a person: it never brings a deleted record back.
        public static let automatic = Flags(rawValue: 1)
    }

    /// The number of the unit that says whether a record exists. Its purge erases the record's other units.
    public static let existence: UInt16 = 0
    /// The number of the unit that holds a whole record as it was created.
    public static let base: UInt16 = 1

    /// A unit.
    public init(record: UUID, unit: UInt16, key: [UInt8], flags: Flags = [], body: [UInt8]) {
        self.record = record
        self.unit = unit
        self.key = key
        self.flags = flags
        self.body = body
    }

    /// Whether it erases the other units of its record.
    public var isPurge: Bool {
        if unit == Self.existence, case .purge = MergeKey(key) { true } else { false }
    }

    /// The share of this unit in a space's digest: the first 8 bytes of a hash that is the same on every platform. The digest
    /// is the sum over all units, modulo 2^64, so that it can be kept while units come and go in any order.
    public var digest: UInt64 { Self.digest(record: record, unit: unit, key: key) }

    /// Returns the digest of a unit whose body is not at hand. FNV-1a over record, unit and key, then the finalizer of MurmurHash3:
    /// a sum of plain FNV values would cancel for keys that differ in few bits.
    public static func digest(record: UUID, unit: UInt16, key: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in record.bytes + [UInt8(unit >> 8), UInt8(unit & 0xFF)] + key {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ hash >> 33
    }

    func write(to writer: inout WireWriter) {
        writer.put(record)
        writer.put(UInt64(unit))
        writer.put(key)
        writer.put(UInt64(flags.rawValue))
        writer.put(body)
    }

    init(from reader: inout WireReader) throws(MalformedMessage) {
        record = try reader.uuid()
        unit = try reader.small()
        key = try reader.data()
        flags = Flags(rawValue: try reader.small())
        body = try reader.data()
    }
}

/// A unit with its place in the order in which the hub accepted them.
public struct NumberedUnit: Sendable, Hashable {
    /// The unit.
    public var unit: SyncUnit
    /// Its number within the space: ascending in the order of commits.
    public var sequence: Int64
    /// The device that sent it.
    public var device: UInt64

    /// A unit with its number.
    public init(_ unit: SyncUnit, sequence: Int64, device: UInt64) {
        self.unit = unit
        self.sequence = sequence
        self.device = device
    }

    func write(to writer: inout WireWriter) {
        unit.write(to: &writer)
        writer.put(sequence)
        writer.putFixed(device)
    }

    init(from reader: inout WireReader) throws(MalformedMessage) {
        unit = try SyncUnit(from: &reader)
        sequence = try reader.signed()
        device = try reader.fixed()
    }
}
