import Daybook

/// A store from its opening to its closing or its crash, and those who look at it.
struct Life {
    let daybook: DaybookStore
    /// People in other zones, who look through a store of their own over the same folder.
    let lookers: [DaybookStore]
    let followers: [LiveFollower]
    let feed: FeedFollower

    init(
        at path: String, of scenario: Scenario, after sequence: Int, records: Schema, options: StoreOptions,
        in world: SimulatedWorld
    ) throws {
        let daybook = try DaybookStore.open(at: path, context: world.context, records: records, options: options)
        lookers = try scenario.lookers.map { try Self.looker(from: $0, at: path, of: records, in: world) }
        followers = scenario.follows.map { LiveFollower($0, of: daybook.tasks, in: world) }
        feed = FeedFollower(of: daybook.tasks, after: sequence, in: world)
        self.daybook = daybook
    }

    /// The same store as someone in another zone sees it.
    static func looker(
        from zone: String, at path: String, of records: Schema, in world: SimulatedWorld
    ) throws -> DaybookStore {
        var context = world.context
        context.zones = SettableZone(try Zone(zone))
        return try DaybookStore.open(at: path, context: context, records: records)
    }

    func end() {
        for follower in followers { follower.stop() }
        feed.stop()
        daybook.close()
    }
}
