import Injection

/// How a damaged store is salvaged.
public struct SalvageOptions: Sendable {
    /// Whether to take what was deleted or purged, and earlier versions of what is lost, as far as the file still has them.
    public var takesDeleted: Bool
    /// The fault injection points that are armed; none outside of tests and labs.
    package var injectionPoint = ArmedInjectionPoints()

    /// By default only what was in the store at last.
    public init(takesDeleted: Bool = false) {
        self.takesDeleted = takesDeleted
    }
}

/// What was salvaged from a damaged store, and what was not.
public struct SalvageReport: Sendable, Equatable {
    /// What became of a collection.
    public struct Collection: Sendable, Equatable {
        /// Its name.
        public let name: String
        /// How many records are in the new store.
        public package(set) var records = 0
        /// How many are there because a former copy of them was proved to be the last version.
        public package(set) var provedCopies = 0
        /// The records of which one byte was damaged and is right again: the sum of all hashes proves it.
        public package(set) var correctedKeys: [String] = []
        /// How many records are missing, at least: by the store's own count, or by entries of indexes that name them.
        public package(set) var missing = 0
        /// The keys of missing records as far as indexes or the change log name them, in hexadecimal.
        public package(set) var missingKeys: [String] = []
        /// The records that are damaged. Their bytes are in quarantine; only a backup can bring them back.
        public package(set) var quarantinedKeys: [String] = []
        /// The records of which only an earlier version, or a deleted one, was found and taken.
        public package(set) var formerKeys: [String] = []
        /// Whether the store's own count and sum of all records agree with what was salvaged: every record is there as it was
        /// written last. Nil when the count itself is lost.
        public package(set) var isProvedComplete: Bool?

        package init(name: String) {
            self.name = name
        }
    }

    /// The collections that have, or had, records.
    public package(set) var collections: [Collection] = []
    /// How many changes of the change log were kept; with them undo goes on.
    public package(set) var changes = 0
    /// How many changes were found and not kept.
    public package(set) var changesLost = 0
    /// How many pages in use cannot be read or are invalid.
    public package(set) var damagedPages = 0
    /// In how many places of a snapshot blocks cannot be trusted.
    public package(set) var damagedBlocks = 0
    /// The snapshot that a damaged one continues, if it is not in the same folder or nothing of it can be trusted: only what was
    /// changed since was saved.
    public package(set) var missingBase: String?

    /// Whether the count and the sum of all hashes of every collection prove that everything is there as it was written last. Only
    /// then a store that is synced stays so.
    public package(set) var isProvedComplete = false

    package init() {}

    /// How many records are in the new store.
    public var records: Int { collections.reduce(0) { $0 + $1.records } }
    /// How many records are missing, at least.
    public var missing: Int { collections.reduce(0) { $0 + $1.missing } }
    /// Whether everything is there as it was written last, as far as anything in the file shows.
    public var isComplete: Bool {
        guard damagedBlocks == 0 && missingBase == nil || isProvedComplete else { return false }
        return collections.allSatisfy {
            $0.missing == 0 && $0.quarantinedKeys.isEmpty && $0.formerKeys.isEmpty && $0.isProvedComplete != false
        }
    }
}
