/// A change of the records in an index range, and the records after it.
public struct RangeUpdate<R: Record>: Sendable {
    /// One step from the previous records to these, in the order in which the steps are applied: removals from the back,
    /// insertions and moves from the front, updates.
    public enum Step: Sendable {
        /// The record at an index of the previous records is no longer in the range.
        case removed(R, at: Int)
        /// A record came into the range, at an index of the new records.
        case inserted(R, at: Int)
        /// A record has another place, and perhaps changed: from an index of the previous records to one of the new ones.
        case moved(R, from: Int, to: Int)
        /// The record at an index of the new records changed in place.
        case updated(R, at: Int)

        var isMove: Bool {
            if case .moved = self { true } else { false }
        }
    }

    /// The steps from the previous update; in the first one every record is inserted.
    public let steps: [Step]
    /// The records after the steps.
    public let records: RecordList<R>
    /// The number of the last change that the update contains.
    public let sequence: UInt64
    /// What a session showed in place of stored records.
    let edits: [KeyBytes: RecordOverlay.Edit]

    /// Applies the steps to the records before. Cost: as for inserting into and removing from an array.
    public func apply(to records: inout [R]) { Self.apply(steps, to: &records) }

    /// Applies steps to the records before.
    package static func apply(_ steps: [Step], to records: inout [R]) {
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

extension RangeUpdate: Equatable where R: Equatable {}
extension RangeUpdate.Step: Equatable where R: Equatable {}
