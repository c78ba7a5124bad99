import CivilTime

/// What a reader has to know beside the file.
struct ReadingContext: Sendable {
    /// Where days that a format knows only as instants are, and instants that it knows only as days.
    var zone: Zone
    /// When a task was created that does not say so; without it, such a task is refused.
    var now: Instant?
}
