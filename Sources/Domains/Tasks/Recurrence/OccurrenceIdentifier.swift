import CivilTime
import FoundationEssentials
import Records

extension UUID {
    /// The id of the task for one day of a recurring task, so that generating it twice, or on two devices, gives one task
    /// (Documentation/Format.md).
    public init(occurrenceOf parent: UUID, on day: Day) {
        self.init(derivedFrom: "occurrence\n\(parent.lowercased)\n\(day)".utf8)
    }
}
