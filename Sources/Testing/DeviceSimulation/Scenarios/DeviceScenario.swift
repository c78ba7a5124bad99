import Sync
import Tasks

/// What happens to some devices and their hub, step by step: a written run, where `SyncSimulation` draws one.
package struct DeviceScenario: Sendable {
    /// What it shows, in a sentence.
    package var name: String
    /// The requirements that it checks.
    package var requirements: [String] = []
    /// How many devices there are in the beginning. They are numbered from 1.
    package var devices: Int
    /// The devices that run a version which does not know the planner.
    package var older: Set<Int> = []
    /// How many units an answer of the hub has at most.
    package var pageLimit = SyncProtocol.unitLimit
    /// How many processes the hub has.
    package var hubProcesses = 1
    package var steps: [Step] = []

    package init(name: String, devices: Int) {
        self.name = name
        self.devices = devices
    }

    /// A step with its line in the file.
    package struct Step: Sendable {
        package let line: Int
        package let action: Action

        package init(_ action: Action, line: Int) {
            self.line = line
            self.action = action
        }
    }

    /// What happens.
    package enum Action: Sendable {
        /// A person changes something on a device.
        case change(device: Int, Change)
        /// A device is taken from the network, or back.
        case setReachable(device: Int, Bool)
        /// Time passes, in microseconds.
        case advance(Int64)
        /// Time passes while no program runs.
        case close(Int64)
        /// Everything happens that follows; while a device is unreachable, a minute passes.
        case sync
        /// A device dies: at once, or when it has read or written so many units in transactions.
        case die(device: Int, units: Int?)
        /// A backup of a device is made, or restored.
        case back(up: Int)
        case restore(device: Int)
        /// A copy of a device is one more, with the next number.
        case copy(device: Int)
        /// One more device joins.
        case join
        case upgrade(device: Int)
        /// The clock of a device steps, in microseconds.
        case step(clock: Int, Int64)
        case hub(HubEvent)
        /// Messages of a device do not arrive.
        case lose(ScriptedFaults.Message, of: Int, times: Int)
        /// The hub refuses requests of a device.
        case refuse(Refusal, of: Int, times: Int)
        /// The next statements of the hub's database fail, or one of a device's request takes longer.
        case fail(HubStatement, StatementFault, times: Int)
        case delay(HubStatement, of: Int, Int64)
        case expect(Expectation)
    }

    /// What happens to the hub.
    package enum HubEvent: String, Sendable, CaseIterable {
        case save, restore, empty, restart
        /// Its database is restored, and its epoch stays.
        case restoreSilently = "restore silently"
    }

    /// Why the hub refuses a request.
    package enum Refusal: String, Sendable, CaseIterable {
        case unavailable, busy, full, unauthorized

        var refusal: SyncRefusal {
            switch self {
            case .unavailable: .unavailable
            case .busy: .busy(retryAfter: 5)
            case .full: .full
            case .unauthorized: .unauthorized
            }
        }
    }

    /// What a person does. Tasks and lists are named by the text that they were created with.
    package enum Change: Sendable {
        case create(String, list: String?)
        case edit(String, text: String)
        case annotate(String, notes: String)
        case setState(String, TaskState)
        case setSticky(String, Bool)
        case delete(String)
        case purge(String)
        case createList(String)
        case renameList(String, to: String)
        case deleteList(String)
        case move(String, list: String)
        case undo
        case redo
    }

    /// What must be true of some devices; nil for what is not compared.
    package struct Expectation: Sendable {
        /// Nil for all.
        package var device: Int?
        /// The texts of all tasks.
        package var tasks: [String]?
        package var completed: [String]?
        package var sticky: [String]?
        /// The notes of tasks, by text.
        package var notes: [(task: String, notes: String)] = []
        /// The texts of the tasks in each list, by the list's name: all lists.
        package var lists: [(list: String, tasks: [String])]?
        /// How many texts were kept as they lost.
        package var conflicts: Int?
        /// How many units are to be sent.
        package var pending: Int?
        /// How often everything was pulled again.
        package var fullPulls: Int?
        /// How many units the hub has.
        package var units: Int?

        package init() {}
    }
}

/// Faults that happen when a scenario says so, whatever the seed.
package struct ScriptedFaults: Sendable {
    package enum Message: String, Sendable, CaseIterable {
        case requests, answers
    }

    private var lost: [Message: [Int: Int]] = [:]
    private var refusals: [Int: (refusal: SyncRefusal, times: Int)] = [:]
    private var statements: [HubStatement: (fault: StatementFault, times: Int)] = [:]
    private var delays: [Int: (statement: HubStatement, microseconds: Int64)] = [:]

    mutating func lose(_ message: Message, of device: Int, times: Int) { lost[message, default: [:]][device] = times }

    mutating func refuse(_ refusal: SyncRefusal, of device: Int, times: Int) { refusals[device] = (refusal, times) }

    mutating func fail(_ statement: HubStatement, _ fault: StatementFault, times: Int) {
        statements[statement] = (fault, times)
    }

    mutating func delay(_ statement: HubStatement, of device: Int, _ microseconds: Int64) {
        delays[device] = (statement, microseconds)
    }

    mutating func loses(_ message: Message, of device: Int) -> Bool {
        guard let times = lost[message]?[device], times > 0 else { return false }
        lost[message]?[device] = times - 1
        return true
    }

    mutating func refusal(of device: Int) -> SyncRefusal? {
        guard let entry = refusals[device], entry.times > 0 else { return nil }
        refusals[device]?.times -= 1
        return entry.refusal
    }

    mutating func fault(of statement: HubStatement) -> StatementFault? {
        guard let entry = statements[statement], entry.times > 0 else { return nil }
        statements[statement]?.times -= 1
        return entry.fault
    }

    mutating func delay(of statement: HubStatement, for device: Int) -> Int64 {
        guard let entry = delays[device], entry.statement == statement else { return 0 }
        delays[device] = nil
        return entry.microseconds
    }
}
