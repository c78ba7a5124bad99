import CivilTime
import Journals
import Records

extension DaybookStore {
    /// Reads the store from one consistent moment without record types: every collection by its declared fields, in the order of any
    /// index, and the change log, also of collections that this program does not know. For tools that show stores.
    ///
    /// While the journal is locked, its collections are hidden. The sizes of their tables, and that they were changed, are not.
    ///
    /// - Throws: `RecordsError`; `JournalError.locked` when the journal is locked meanwhile; what the closure throws.
    public func inspect<Result>(_ body: (StoreInspection) throws -> Result) throws -> Result {
        let isLocked = journals.lock.isLocked
        let result = try store.inspect(hiding: { isLocked && Self.isOfJournals($0) }, body)
        if !isLocked, journals.lock.isLocked { throw JournalError.locked }
        return result
    }

    /// Whether a collection has journals, or what sync keeps of them.
    private static func isOfJournals(_ name: String) -> Bool {
        name.hasPrefix("sync.") || journalCollections.contains(name.prefix(while: { $0 != "." }).description)
    }

    private static let journalCollections = Set(Journal.schema.collectionNames)

    /// Checks the whole store without changing it, with progress.
    ///
    /// - Parameter progress: Called with the number of records so far, now and then. An error that it throws ends the work.
    public func verify(progress: (_ records: Int) throws -> Void) throws -> VerificationReport {
        var report = try store.verify(progress: progress)
        try checkInvariants(into: &report)
        return report
    }
}
