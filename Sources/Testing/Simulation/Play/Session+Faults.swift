import Daybook

extension Session {
    /// The waits before each new try that a store makes (requirement S-41).
    private static let waits: [Int64] = [500_000, 1_000_000, 1_500_000]

    /// Whether the operation failed by the fault that was set, as it has to when every try met it. Looks at the number of
    /// tries and at the time that they took.
    func judgeFault(_ found: String?, since before: ModelMoment) throws -> Bool {
        let hits = machine.faultsHit - faultsBefore
        faultsBefore = machine.faultsHit
        guard hits > 0 else { return false }
        let waited = moment.monotonic.microseconds(since: before.monotonic)
        let expected = Self.waits.prefix(hits).reduce(0, +)
        guard waited == expected else {
            throw StoryFailure(
                "waits before new tries", expected: "\(expected) microseconds after \(hits) failures",
                found: "\(waited) microseconds")
        }
        let failed = hits > Self.waits.count
        let codes = ["disk-full", "busy"]
        guard failed == codes.contains(found ?? "") else {
            throw StoryFailure(
                "the step under a fault", expected: failed ? "a failure" : "success after \(hits) new tries",
                found: found ?? "success")
        }
        return failed
    }
}
