/// A zone that a closure tells when it is asked, and that never tells of a change by itself.
struct UnwatchedZone: ZoneSource {
    let currentZone: @Sendable () -> Zone

    var zone: Zone { currentZone() }

    func waitForChange(from zone: Zone) async throws {
        let never = Signal()
        try await never.wait(past: never.generation)
    }
}
