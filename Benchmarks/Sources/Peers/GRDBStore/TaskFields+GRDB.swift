import GRDB

/// The record as GRDB's guide recommends: Codable provides both directions.
extension TaskFields: FetchableRecord, PersistableRecord {
    static let databaseTableName = "task"
}
