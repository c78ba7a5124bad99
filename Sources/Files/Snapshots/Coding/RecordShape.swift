/// Which fields a record has and in which form: most records of a collection have one of a few shapes.
struct RecordShape: Equatable {
    /// For each field its number in the high byte, its form in the low one, ascending.
    var fields: [UInt16]
    /// For each field the number of its column.
    var columns: [Int]

    /// A record that is not a row of fields, and is kept as it is.
    static let raw = 0
    /// A record that is gone.
    static let removed = 1
    /// The first number of a shape that has fields.
    static let first = 2

    /// More shapes than this are not told apart in one block: further ones are kept as they are.
    static let limit = 4_096
}
