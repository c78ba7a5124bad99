import CivilTime
import Records

/// Where an import puts the tasks that are new to their day: after those that the day had when the import came to it, in
/// the order of the file's `sortOrder`, equal ones in the order of the file. Which batch a task comes in does not matter,
/// so that nobody has to hold and sort all of them.
public struct ImportPlaces: Sendable {
    /// A `sortOrder` beyond this counts as this one.
    private static let orderLimit: Int64 = 1 << 29
    /// Between two of the same `sortOrder`; beyond this many records of a file, ids decide.
    private static let tieGap: Int64 = 1 << 9
    private static let tieLimit: Int64 = 1 << 23
    /// No place is given beyond this one; what comes after has room for 2^30 tasks more.
    private static let limit: Int64 = 1 << 62

    /// The last place of each day before the import.
    private var ends: [DayPart: Int64] = [:]

    /// No day yet.
    public init() {}

    /// The place of a task that is new to its day. Cost: three steps for the first of a day, none for others.
    mutating func position(of imported: ImportedTask, in transaction: ReadTransaction) throws -> Int64 {
        let part = DayPart(day: imported.task.scheduledDate)
        let end: Int64
        if let known = ends[part] {
            end = known
        } else {
            end = try DayPositions(transaction: transaction, day: part.day).last() - DayPositions.gap
            ends[part] = end
        }
        let order = min(max(Int64(imported.sortOrder), 0), Self.orderLimit)
        let tie = min(Int64(imported.number), Self.tieLimit) * Self.tieGap
        if end >= Self.limit { return end + DayPositions.gap }
        return min(end + (order + 1) * DayPositions.gap + tie, Self.limit)
    }
}
