import DomainPacks
import Glibc
import Injection
import KeyValue
import Records

/// Several processes on one store. The first is stopped between two of its system calls while others run, and then
/// killed or resumed.
///
/// Processes that alternate cannot show what happens when one dies in the middle of something that another waits for,
/// as in LMDB's opening (Documentation/Commits.md).
struct OpeningRace: Hashable, Sendable {
    /// The work of a process.
    enum Work: String, CaseIterable, Sendable {
        /// Opens the store, creates a task, closes it.
        case write
        /// Opens the store for reading, looks up every task, closes it.
        case read
        /// Opens the store and writes more than its map holds.
        case grow
        /// Creates a task in a store that is already open.
        case openWrite = "open-write"
        /// Looks up every task in a store that is already open.
        case openRead = "open-read"
        /// Writes more than the map holds in a store that is already open.
        case openGrow = "open-grow"

        var hasStoreOpen: Bool { [.openWrite, .openRead, .openGrow].contains(self) }
        var reads: Bool { self == .read || self == .openRead }
    }

    /// The work of the first process.
    let first: Work
    /// Whether the first process is a program without Daybook's locks.
    let firstIsForeign: Bool
    /// The work of the others.
    let others: [Work]
    /// How many of the others run before the first one is killed or resumed.
    let othersBefore: Int
    /// Whether the first process is killed; otherwise it is resumed.
    let killsFirst: Bool
    /// Whether all processes commit through the commit log.
    var isLogged = false

    /// Every race of the lab: one and two others that open, read and write, in every order, beside a process that is
    /// killed; and the orders that differ beside one that is resumed or foreign.
    static let all: [OpeningRace] = {
        let few: [[Work]] = [[.write], [.read], [.openWrite], [.openGrow], [.write, .write]]
        let many =
            few + [[.openRead], [.write, .read], [.read, .write], [.openWrite, .write], [.openRead, .write]]
        var races: [OpeningRace] = []
        func add(_ first: Work, isForeign: Bool, killed: Bool, beside companies: [[Work]]) {
            for others in companies {
                for before in 1...others.count {
                    races.append(
                        OpeningRace(
                            first: first, firstIsForeign: isForeign, others: others, othersBefore: before,
                            killsFirst: killed))
                }
            }
        }
        for first in [Work.write, .read, .grow] {
            add(first, isForeign: false, killed: true, beside: many)
            add(first, isForeign: false, killed: false, beside: few)
        }
        for first in [Work.write, .read] {
            add(first, isForeign: true, killed: true, beside: few)
            add(first, isForeign: true, killed: false, beside: few)
        }
        return races
    }()

    /// The races through the commit log. A foreign program does not use it.
    static let logged: [OpeningRace] = all.map { race in
        var race = race
        race.isLogged = true
        return race
    }

    /// The races that must detect a broken promise: a missing gate beside Daybook processes, a missing check beside
    /// foreign ones.
    static func showing(_ injectionPoint: InjectionPoint) -> [OpeningRace] {
        all.filter { $0.killsFirst && $0.firstIsForeign == (injectionPoint == .ignoresStaleLock) }
    }

    /// The name under which the race is counted.
    var kind: String {
        "\(firstIsForeign ? "another program" : "Daybook"), \(first.rawValue), \(killsFirst ? "killed" : "continued")"
            + (isLogged ? ", logged" : "")
    }

    var words: [String] {
        [
            isLogged ? "logged-race" : "race", first.rawValue, firstIsForeign ? "foreign" : "daybook",
            others.map(\.rawValue).joined(separator: ","),
            "\(othersBefore)", killsFirst ? "killed" : "continued",
        ]
    }
}

extension OpeningRace {
    /// The result of one step of a race.
    enum Outcome: Equatable {
        /// Everything acknowledged is there, and no process met an error.
        case held
        /// The first process makes fewer system calls.
        case pastTheEnd
        case broken(String)
    }

    /// The number of the first task that a race creates; those of the base store are lower.
    static let firstNumber = 5_000
    static let baseNumbers = 100..<110
    static let mapSize = 1 << 18

    /// Creates the store that races start with: small, so that growing is quick.
    static func makeBase(at path: String, isLogged: Bool = false) throws {
        let store = try LabStore(at: path, options: options(nil, isLogged: isLogged))
        for number in baseNumbers { try store.perform(.create(number, on: nil, noteLength: 100)) }
        store.close()
    }

    static func options(
        _ injectionPoint: InjectionPoint?, isReadOnly: Bool = false, isLogged: Bool = false
    ) -> StoreOptions {
        var options = StoreOptions(isReadOnly: isReadOnly)
        options.initialMapSize = mapSize
        options.injectionPoint = ArmedInjectionPoints(injectionPoint)
        options.commitLog = isLogged ? .ofLab : .never
        return options
    }

    /// Stops the first process before its system call `step`, counted from 1, and runs the race to its end.
    ///
    /// - Parameter injectionPoint: the fault to inject into all but foreign processes.
    func run(step: Int, at path: String, injectionPoint: InjectionPoint?) throws -> Outcome {
        let competitors = try others.enumerated().map { index, work in
            try RaceProcess(isStepped: false) { reporter, ready in
                try runProcess(
                    work, number: Self.firstNumber + 1 + index, at: path, injectionPoint, reporter, ready)
            }
        }
        let firstInjectionPoint = firstIsForeign ? InjectionPoint.opensUnprotected : injectionPoint
        let process = try RaceProcess(isStepped: true) { reporter, ready in
            try runProcess(first, number: Self.firstNumber, at: path, firstInjectionPoint, reporter, ready)
        }
        for _ in 0..<step {
            guard try process.step() else {
                return process.report.failure.map { .broken("\(OpeningRace.alone)\($0)") } ?? .pastTheEnd
            }
        }
        for other in competitors.prefix(othersBefore) {
            other.resume()
            _ = other.waitUntilEndedOrWaiting()
        }
        if killsFirst { process.end(by: SIGKILL) } else { try process.release() }
        for other in competitors.dropFirst(othersBefore) {
            other.resume()
            _ = other.waitUntilEndedOrWaiting()
        }
        for member in [process] + competitors { member.waitUntilEnded() }

        var problems: [String] = []
        var acknowledged = Set(Self.baseNumbers)
        for (index, member) in ([process] + competitors).enumerated() {
            let report = member.report
            let name = index == 0 ? "the first process" : "process \(index + 1)"
            acknowledged.formUnion(report.values(of: "acknowledged").compactMap { Int($0) })
            // Daybook makes no promise about what LMDB returns to another program.
            if index == 0, killsFirst || firstIsForeign { continue }
            if let failure = report.failure { problems.append("\(name): \(failure)") }
            if let missing = report.value(of: "missing") { problems.append("\(name) does not see tasks \(missing)") }
            // With the gate, LMDB never uses an outdated state; beside other programs the check has to detect it.
            if !firstIsForeign, let times = report.value(of: "stale") {
                problems.append("\(name) found the lock file out of date \(times) times")
            }
        }
        problems += try Self.problems(
            at: path, acknowledged: acknowledged, creating: Self.firstNumber + competitors.count + 1)
        return problems.isEmpty ? .held : .broken(problems.joined(separator: "; "))
    }

    /// Performs the work of one process.
    private func runProcess(
        _ work: Work, number: Int, at path: String, _ injectionPoint: InjectionPoint?, _ reporter: ChildReporter,
        _ ready: () -> Void
    ) throws {
        let options = Self.options(injectionPoint, isReadOnly: work.reads, isLogged: isLogged)
        let opened = work.hasStoreOpen ? try LabStore(at: path, options: options) : nil
        ready()
        let store = try opened ?? LabStore(at: path, options: options)
        switch work {
        case .write, .openWrite:
            try store.perform(.create(number, on: nil, noteLength: 0))
            reporter.report("acknowledged", "\(number)")
        case .grow, .openGrow:
            try store.perform(.create(number, on: nil, noteLength: 2 * Self.mapSize))
            reporter.report("acknowledged", "\(number)")
        case .read, .openRead:
            let missing = try store.missing(of: Set(Self.baseNumbers))
            if !missing.isEmpty { reporter.report("missing", "\(missing)") }
        }
        let stale = store.store.environment.staleOpenings
        if stale > 0 { reporter.report("stale", "\(stale)") }
        store.close()
    }

    /// Returns what is wrong with the store afterwards: missing acknowledged tasks and the findings of `verify`.
    ///
    /// - Parameter number: a task to create, to check that writing works.
    static func problems(at path: String, acknowledged: Set<Int>, creating number: Int) throws -> [String] {
        let store = try LabStore(at: path, options: options(nil))
        defer { store.close() }
        var problems = try store.problems()
        let missing = try store.missing(of: acknowledged)
        if !missing.isEmpty { problems.append("acknowledged and lost: tasks \(missing)") }
        if let repair = store.store.environment.repair { problems.append("\(repair)") }
        try store.perform(.create(number, on: nil, noteLength: 0))
        if try !store.missing(of: [number]).isEmpty { problems.append("a new task is missing") }
        return problems
    }
}

extension LabStore {
    /// Returns those of the tasks that are missing, in order.
    func missing(of numbers: Set<Int>) throws -> [Int] {
        try store.read { transaction in
            let views = transaction.tasks
            return try numbers.sorted().filter { try views.get(TaskAction.id($0)) == nil }
        }
    }
}
