/// The expected value of a number, so that only the difference is written.
enum Prediction: Equatable {
    /// No prediction.
    case zero
    /// The number of the previous record that has this field.
    case previous
    /// The time in the record's key, in microseconds.
    case keyTime
    /// Another number of the same record, by its column.
    case sameRecord(Int)
    /// The day of UTC of another number of the same record, which is an instant.
    case day(Int)
    /// The number of this field in the last record with the same number in another column: a position in a list follows
    /// the previous position in that list.
    case sameGroup(Int)

    /// The largest span of groups for which a table is kept.
    static let groupLimit: UInt64 = 1 << 17

    var code: UInt8 {
        switch self {
        case .zero: 0
        case .previous: 1
        case .keyTime: 2
        case .sameRecord: 3
        case .day: 4
        case .sameGroup: 5
        }
    }

    /// The column that the prediction depends on.
    var column: Int? {
        switch self {
        case .zero, .previous, .keyTime: nil
        case .sameRecord(let column), .day(let column), .sameGroup(let column): column
        }
    }

    init?(code: UInt8, column: () throws(SnapshotDamage) -> Int) throws(SnapshotDamage) {
        switch code {
        case 0: self = .zero
        case 1: self = .previous
        case 2: self = .keyTime
        case 3: self = .sameRecord(try column())
        case 4: self = .day(try column())
        case 5: self = .sameGroup(try column())
        default: return nil
        }
    }
}

/// The input of a prediction for each number of a column.
struct References {
    /// The time in the key, or the number of the other column in the same record; 0 where there is none.
    var values: [UInt64] = []
    /// Whether there is an input; empty when there always is.
    var isPresent: [Bool] = []
}

/// The expected numbers of one column in order.
struct Predictor {
    private let prediction: Prediction
    private let references: References
    private var previous: UInt64 = 0
    // By group; records without a group come first.
    private var lasts: [UInt64] = []
    private var lowest: UInt64 = 0

    /// Nil when the groups are too far apart.
    init?(_ prediction: Prediction, _ references: References) {
        self.prediction = prediction
        self.references = references
        guard case .sameGroup = prediction else { return }
        var lowest = Int64.max
        var highest = Int64.min
        for (index, value) in references.values.enumerated() where references.isPresent[index] {
            lowest = min(lowest, Int64(bitPattern: value))
            highest = max(highest, Int64(bitPattern: value))
        }
        if lowest > highest { (lowest, highest) = (0, 0) }
        self.lowest = UInt64(bitPattern: lowest)
        let width = UInt64(bitPattern: highest) &- self.lowest
        guard width < Prediction.groupLimit else { return nil }
        lasts = [UInt64](repeating: 0, count: Int(width) + 2)
    }

    /// Returns the expected number of a position. Ask for positions in order, and call `note` after each.
    @inline(__always)
    func expected(at index: Int) -> UInt64 {
        switch prediction {
        case .zero: return 0
        case .previous: return previous
        case .keyTime: return references.values[index] &* 1_000
        case .sameRecord: return references.isPresent[index] ? references.values[index] : previous
        case .day: return references.isPresent[index] ? Self.day(of: references.values[index]) : previous
        case .sameGroup: return lasts[group(at: index)]
        }
    }

    /// Records the actual number.
    @inline(__always)
    mutating func note(_ number: UInt64, at index: Int) {
        previous = number
        if case .sameGroup = prediction { lasts[group(at: index)] = number }
    }

    @inline(__always)
    private func group(at index: Int) -> Int {
        references.isPresent[index] ? Int(truncatingIfNeeded: references.values[index] &- lowest) + 1 : 0
    }

    private static func day(of instant: UInt64) -> UInt64 {
        let microseconds = Int64(bitPattern: instant)
        let day = microseconds / 86_400_000_000
        return UInt64(bitPattern: microseconds < 0 && microseconds % 86_400_000_000 != 0 ? day - 1 : day)
    }
}
