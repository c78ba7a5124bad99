import GRDB

/// The record as GRDB's guide has it: Codable gives both ways.
extension TaskFields: FetchableRecord, PersistableRecord {
    static let databaseTableName = "task"
}
