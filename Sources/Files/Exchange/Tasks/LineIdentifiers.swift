import FoundationEssentials

/// Ids for the records of a text file that have none: of the content, and of how many equal ones came before it, since
/// two equal lines of a list are two tasks.
struct LineIdentifiers {
    private var counts: [UUID: Int] = [:]

    /// The id of the next record with this content.
    mutating func next(for content: String, in format: TaskFormat) -> UUID {
        let first = ContentIdentifier.id(of: "\(format.rawValue)\n\(content)")
        let count = counts[first, default: 0]
        counts[first] = count + 1
        return count == 0 ? first : ContentIdentifier.id(of: "\(format.rawValue)\n\(count)\n\(content)")
    }
}
