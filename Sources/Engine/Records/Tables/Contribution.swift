import CivilTime
import KeyValue

/// What a record adds to one of the tables that are derived from it.
enum Contribution {
    /// The entry of an index with one key for a record, which ends in the record's own key.
    case entry(KeyBytes)
    /// The entries of an index with several.
    case entries([KeyBytes])
    /// When the record counts in a roll-up.
    case instant(Instant)
    /// What the record adds to a tally.
    case share(TallyShare)
}

extension BoundCollection {
    /// Passes what a record adds to the derived tables to a closure, with the place of each table in `derivedTables`.
    ///
    /// - Parameters:
    ///   - isWanted: leaves tables out, whose keys are then not made.
    ///   - isInOrder: whether the entries of an index with several are in order, each once.
    func forEachContribution(
        of record: R, _ key: KeyBytes, where isWanted: (_ place: Int) -> Bool = { _ in true },
        inOrder isInOrder: Bool = true,
        _ body: (_ place: Int, Contribution) throws -> Void
    ) rethrows {
        // Counted by hand: `enumerated()` over closures of a generic type would instantiate its type for each record.
        var place = 0
        for indexKey in indexKeys {
            if isWanted(place), var entry = indexKey(record) {
                entry.append(contentsOf: key)
                try body(place, .entry(entry))
            }
            place += 1
        }
        for keys in multiKeys {
            if isWanted(place) {
                try body(place, .entries(Self.entries(of: record, key, keys, inOrder: isInOrder)))
            }
            place += 1
        }
        for instant in rollUpInstants {
            if isWanted(place), let instant = instant(record) { try body(place, .instant(instant)) }
            place += 1
        }
        for share in tallyShares {
            if isWanted(place), let share = share(record) { try body(place, .share(share)) }
            place += 1
        }
    }
}

/// The rows of roll-ups and tallies that records add up to, by the names of their tables.
struct DerivedCounts {
    private(set) var rollUps: [String: [Int32: RollUpRow]] = [:]
    private(set) var tallies: [String: [KeyBytes: TallyValue]] = [:]

    mutating func add(_ instant: Instant, in table: String) {
        let (day, quarter) = RollUpRow.cell(of: instant)
        _ = rollUps[table, default: [:]][day, default: RollUpRow()].add(1, toQuarter: quarter)
    }

    mutating func add(_ share: TallyShare, in table: String) {
        tallies[table, default: [:]][share.key, default: TallyValue()] += share.value
    }
}
