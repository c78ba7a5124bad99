import CivilTime
import Tasks

/// How one task reads in a comparison.
enum LabLine {
    static func text(_ number: Int, day: Day?, state: TaskState, completedAt: Instant?, _ noteLength: Int) -> String {
        let place = day.map(\.description) ?? "inbox"
        let completion = completedAt.map { " at \($0)" } ?? ""
        return "\(place): \(number) \(state.name)\(completion)\(noteLength == 0 ? "" : " note \(noteLength)")"
    }
}
