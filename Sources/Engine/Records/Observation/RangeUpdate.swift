/// A change of the records in an index range.
public struct RangeUpdate<R: Record>: Sendable {
    /// One step from the previous records to these, in the order in which the steps are applied: removals from the back,
    /// insertions and moves from the front, updates.
    public enum Step: Sendable {
        /// The record at an index of the previous records is no longer in the range.
        case removed(R.ID, at: Int)
        /// A record came into the range, at an index of the new records.
        case inserted(R, at: Int)
        /// A record has another place, and perhaps changed: from an index of the previous records to one of the new ones.
        case moved(R, from: Int, to: Int)
        /// The record at an index of the new records changed in place.
        case updated(R, at: Int)
    }

    /// The steps from the previous update; in the first one every record is inserted.
    public let steps: [Step]
    /// How many records the range has now.
    public let count: Int
    /// The number of the last change that the update contains.
    public let sequence: UInt64

    /// Applies the steps to the records before. Cost: as for inserting into and removing from an array.
    public func apply(to records: inout [R]) {
        let leaving = steps.compactMap { step -> Int? in
            switch step {
            case .removed(_, let index), .moved(_, let index, _): index
            case .inserted, .updated: nil
            }
        }
        for index in leaving.sorted(by: >) { records.remove(at: index) }
        for step in steps {
            switch step {
            case .removed: break
            case .inserted(let record, let index), .moved(let record, _, let index): records.insert(record, at: index)
            case .updated(let record, let index): records[index] = record
            }
        }
    }
}

/// The shortest way from one order to another.
enum OrderedDifference {
    /// Which of some different numbers stay where they are, relative to each other: a longest ascending subsequence
    /// (patience sorting), by position. Cost: n log n.
    static func unmoved(_ numbers: [Int]) -> Set<Int> {
        // For each length the position of the smallest number that ends an ascending sequence of that length.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[position] = ends[low - 1] }
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var result: Set<Int> = []
        var position = ends.last ?? -1
        while position >= 0 {
            result.insert(position)
            position = before[position]
        }
        return result
    }
}
