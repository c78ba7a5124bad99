/// What a number is expected to be, so that only the difference has to be written.
enum Prediction: Equatable {
    /// Nothing is expected.
    case zero
    /// The number of the record before that has this field.
    case previous
    /// The time in the record's key, in microseconds.
    case keyTime
    /// Another number of the same record, by its column.
    case sameRecord(Int)
    /// The day of UTC of another number of the same record, which is an instant.
    case day(Int)
    /// What this field was in the last record in which another number was the same: a place in a list follows the place
    /// before it in that list.
    case sameGroup(Int)

    /// Groups farther apart than this have no table.
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

    /// The column that it looks at.
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

/// What a prediction looks at, for each number of a column.
struct References {
    /// The key's time, or the other column's number in the same record; 0 where there is none.
    var values: [UInt64] = []
    /// Whether there is one; empty when there always is.
    var isPresent: [Bool] = []
}

/// The expected numbers of one column, one after another.
struct Predictor {
    private let prediction: Prediction
    private let references: References
    private var previous: UInt64 = 0
    // By group: the one of records that are in no group comes first.
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

    /// What the number of a place is expected to be. Places are asked for in order, each followed by `note`.
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

    /// Notes what it is.
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
