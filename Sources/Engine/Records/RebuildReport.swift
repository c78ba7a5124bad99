/// What a rebuild did, and what it could not repair.
public struct RebuildReport: Sendable, Equatable {
    /// How many index entries and counters were written.
    public internal(set) var entriesWritten = 0
    /// The damaged records, as "collection key". They were set aside; only a backup can bring them back.
    public internal(set) var recordsSetAside: [String] = []
    /// How many records are missing whole, by collection: they were counted, and nothing of them is there. Only a backup
    /// can bring them back.
    public internal(set) var missingRecords: [String: Int] = [:]
    /// The collections whose records can all be read, but are not those that were written last: an older page stands
    /// where a newer one should.
    public internal(set) var outdatedCollections: [String] = []
    /// How many rows of the change log went, the damaged ones and those before them. What they tell can no longer be
    /// undone; no record is lost by it.
    public internal(set) var changesRemoved = 0

    /// Whether every record is there as it was written last.
    public var isComplete: Bool { recordsSetAside.isEmpty && missingRecords.isEmpty && outdatedCollections.isEmpty }
}
