import GRDB

/// The record in the guide's other form, "optimized for fetching performance": columns by number.
struct NumberedTask: FetchableRecord, TableRecord {
    static let databaseTableName = "task"
    static let columns = """
        id, text, state, createdAt, updatedAt, completedAt, completedZone, completedOffsetSeconds, day, position, notes, \
        category, completionEpoch, dueAt, dueIsAllDay, reminderAt, listID, listOrder, region, bucket, planOrder, \
        autoCarry, isSticky, expiresAt, archivedAt, isRecurring, recurringPattern, parentRecurringID, carriedFromDay, \
        carryCount, extra
        """

    let task: TaskFields

    init(row: Row) {
        task = TaskFields(
            id: row[0], text: row[1], state: row[2], createdAt: row[3], updatedAt: row[4], completedAt: row[5],
            completedZone: row[6], completedOffsetSeconds: row[7], day: row[8], position: row[9], notes: row[10],
            category: row[11], completionEpoch: row[12], dueAt: row[13], dueIsAllDay: row[14], reminderAt: row[15],
            listID: row[16], listOrder: row[17], region: row[18], bucket: row[19], planOrder: row[20],
            autoCarry: row[21], isSticky: row[22], expiresAt: row[23], archivedAt: row[24], isRecurring: row[25],
            recurringPattern: row[26], parentRecurringID: row[27], carriedFromDay: row[28], carryCount: row[29],
            extra: row[30])
    }
}

/// The record as GRDB's guide recommends: Codable provides both directions.
extension TaskFields: FetchableRecord, PersistableRecord {
    static let databaseTableName = "task"
}
