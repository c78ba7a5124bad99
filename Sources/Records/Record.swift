import CivilTime

/// A value that a store keeps under an id. What is stored of it, and how, stands in its `collection`.
public protocol Record: Sendable, Identifiable where ID: OrderedKey {
    /// Where such records are kept: the name, the indexes and the roll-ups.
    static var collection: Collection<Self> { get }

    /// Reads what `encode` wrote, the fields in ascending order of their numbers.
    init(id: ID, fields: inout FieldDecoder) throws(RecordsError)

    /// Writes the fields, in ascending order of their numbers. A number keeps its meaning for ever; a field that is
    /// given up leaves its number unused.
    func encode(into fields: inout FieldEncoder)

    /// Called when undo or redo puts this state back in place of a later one, to let a time of last change go on.
    mutating func restored(replacing current: Self?, at now: Instant)

    /// What is wrong with the record in itself, in words without any of its content; for `verify`.
    var brokenInvariants: [String] { get }
}

extension Record {
    /// Does nothing: the state comes back exactly as it was.
    public mutating func restored(replacing current: Self?, at now: Instant) {}

    /// None.
    public var brokenInvariants: [String] { [] }
}
