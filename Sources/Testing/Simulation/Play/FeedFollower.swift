import Daybook

/// Someone who follows the change feed.
final class FeedFollower: Sendable {
    private let received = Received<Change>()
    private let task: Task<Void, Never>

    init(of list: TaskList, after sequence: Int, in world: SimulatedWorld) {
        let received = received
        task = world.start {
            do {
                for try await change in list.changes(after: UInt64(sequence)) { received.append(change) }
            } catch {
                // As with a live view.
            }
        }
    }

    var count: Int { received.count }

    /// What nobody has taken yet; it stays.
    var waiting: [Change] { received.all }

    func take() -> [Change] { received.take() }

    /// The first of what has come.
    func take(_ count: Int) -> [Change] { received.take(count) }

    func stop() {
        task.cancel()
    }
}
