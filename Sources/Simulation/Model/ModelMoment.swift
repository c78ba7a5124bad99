import Daybook

/// When and where something happens to the model.
struct ModelMoment: Sendable {
    var wall: Instant
    var monotonic: MonotonicTime
    var zone: Zone

    var today: Day { zone.day(of: wall) }
}
