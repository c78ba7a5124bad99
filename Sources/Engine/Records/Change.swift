import CivilTime

/// One committed transaction, as the feed of changes tells it.
public struct Change: Sendable, Equatable {
    /// What happened to one record.
    public struct Entry: Sendable, Equatable {
        /// The kinds of change.
        public enum Kind: Sendable, Equatable {
            /// The record was not there before.
            case created
            /// The record was there and still is.
            case updated
            /// The record is gone.
            case deleted
        }

        /// The collection's name; nil for one that the store was not opened with.
        public let collection: String?
        /// The record's id, as its key's bytes.
        public let key: [UInt8]
        /// What happened.
        public let kind: Kind
        /// Which fields changed: bit n for field n.
        public let changedFields: UInt64

        /// The record's id. Throws when the key is of another type.
        public func id<ID: OrderedKey>(as type: ID.Type = ID.self) throws(RecordsError) -> ID {
            var decoder = KeyDecoder(key.span.bytes)
            return try ID(decoding: &decoder)
        }
    }

    /// The change's place in the order of all changes. It never repeats and never goes back.
    public let sequence: UInt64
    /// The wall clock when it was made.
    public let instant: Instant
    /// What the application said of it.
    public let label: ChangeLabel
    /// Whether it took back or brought back an earlier one.
    public let isUndoOrRedo: Bool
    /// The records, each once.
    public let entries: [Entry]

    init(sequence: UInt64, row: ChangeRow, schema: BoundSchema) {
        self.sequence = sequence
        instant = row.instant
        label = row.label
        isUndoOrRedo = row.kind != .edit
        entries = row.entries.map { entry in
            Entry(
                collection: schema.collection(number: entry.collection)?.name, key: entry.key,
                kind: entry.wasThere ? entry.isPresent ? .updated : .deleted : .created,
                changedFields: entry.changedFields)
        }
    }
}
