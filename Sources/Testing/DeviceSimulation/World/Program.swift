import Sync

/// What a device asks of its hub.
enum DeviceQuestion: Sendable {
    case sync(SyncRequest)
    case records(RecordsRequest)
}

/// What comes back.
enum DeviceReply: Sendable {
    case answer(SyncAnswer)
    case records(RecordsAnswer)
    case refusal(SyncRefusal)
}

typealias DeviceTurns = Turns<DeviceQuestion, DeviceReply, SyncLoop.Ending>

/// The way from a device to the simulated network.
struct SimulatedTransport: SyncTransport {
    let turns: DeviceTurns

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        switch await turns.ask(.sync(request)) {
        case .answer(let answer): return answer
        case .refusal(let refusal): throw refusal
        case .records: throw .malformed
        }
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        switch await turns.ask(.records(request)) {
        case .records(let answer): return answer
        case .refusal(let refusal): throw refusal
        case .answer: throw .malformed
        }
    }

    /// The simulation calls no loop for news: see `SpaceRun.watch`.
    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { sequence }
}

/// A program that syncs one store whenever something has changed, here or at the hub, as `daybook-sync watch` does.
final class Program {
    let number: Int
    let device: SimulatedDevice
    let process: DeviceProcess
    /// The run of its loop that is under way.
    var turns: DeviceTurns?
    /// The message that the loop waits for.
    var message: Int?
    /// Whether one more run is needed.
    var hasNews = false
    /// Whether it waits for its next try, or for a person.
    var isWaiting = false
    /// What its last try ended with, if that was a refusal.
    var lastRefusal: SyncRefusal?
    /// Whether its process is there.
    var isOpen = true
    /// The number of its pending request for changes, and the latest head that it has seen.
    var watch = 0
    var head: Int64 = -1

    init(_ number: Int, _ device: SimulatedDevice, _ process: DeviceProcess) {
        self.number = number
        self.device = device
        self.process = process
    }
}

/// A program's question for news, where it waits.
struct Watcher {
    let number: Int
    let head: Int64
    let hub: Int
}

typealias HubTurns = Turns<HubStatement, StatementFault?, Result<DeviceReply, SyncRefusal>>

/// A request that a hub process is carrying out.
final class RunningCall {
    let number: Int
    let hub: Int
    /// The place of the device that asks.
    let device: Int
    let turns = HubTurns()
    let question: DeviceQuestion
    /// The clock of the hub process.
    let time: Int64
    /// Whether its process has died, or its database was replaced: nothing of it is done any more.
    var isDoomed = false
    /// Whether its units are committed.
    var isCommitted = false

    init(_ number: Int, _ hub: Int, _ question: DeviceQuestion, from device: Int, at time: Int64) {
        self.number = number
        self.hub = hub
        self.device = device
        self.question = question
        self.time = time
    }
}
