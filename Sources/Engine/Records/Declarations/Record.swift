import CivilTime

/// A value that a store keeps under an id. What is stored of it, and how, stands in its `collection`.
public protocol Record: Sendable, Identifiable where ID: OrderedKey {
    /// Where such records are kept: the name, the indexes and the roll-ups.
    static var collection: RecordCollection<Self> { get }

    /// Reads what `encode` wrote, the fields in ascending order of their numbers.
    init(id: ID, fields: inout FieldDecoder) throws(RecordsError)

    /// Writes the fields, in ascending order of their numbers. A number keeps its meaning for ever; a field that is
    /// given up leaves its number unused.
    func encode(into fields: inout FieldEncoder)

    /// Called when undo or redo puts this state back in place of a later one, to let a time of last change go on.
    mutating func restored(replacing current: Self?, at now: Instant)

    /// What is wrong with the record in itself, in words without any of its content; for `verify`.
    var brokenInvariants: [String] { get }

    /// Decodes a record and adds it to a list. Do not write one of your own: that which comes with the protocol is
    /// compiled into your module for your type, where the engine could only call it for any type, at twice the time.
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

    /// None.
    public var brokenInvariants: [String] { [] }
}
