import Glibc
import Injection
import KeyValue
import Records

/// Several processes on one store, of which the first is stopped between two of its system calls while the others go on,
/// and then killed or resumed.
///
/// Processes that take turns cannot show what happens when one dies in the middle of what another waits for; LMDB's
/// opening is such a place (Documentation/Durability.md).
struct OpeningRace: Hashable, Sendable {
    /// What a process does.
    enum Work: String, CaseIterable, Sendable {
        /// Opens the store, creates a task, closes it.
        case write
        /// Opens it for reading only, looks for every task, closes it.
        case read
        /// Opens it and writes more than its map holds.
        case grow
        /// Has the store open already, and creates a task.
        case openWrite = "open-write"
        /// Has it open already, and looks for every task.
        case openRead = "open-read"
        /// Has it open already, and writes more than its map holds.
        case openGrow = "open-grow"

        var hasStoreOpen: Bool { [.openWrite, .openRead, .openGrow].contains(self) }
        var reads: Bool { self == .read || self == .openRead }
    }

    /// What the first process does.
    let first: Work
    /// Whether the first process is a program without Daybook's locks.
    let firstIsForeign: Bool
    /// What the others do.
    let others: [Work]
    /// How many of the others go on before the first one is killed or resumed.
    let othersBefore: Int
    /// Whether the first process is killed; it is resumed otherwise.
    let killsFirst: Bool

    /// Every race that the lab runs: one and two others that open, read and write, in every order, beside a process that
    /// is killed; and the orders that differ beside one that is resumed, or that is another program.
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

    /// Those in which a broken promise has to show: the gate's beside processes that have one, the check's beside those that
    /// have none.
    static func showing(_ sabotage: InjectionPoint) -> [OpeningRace] {
        all.filter { $0.killsFirst && $0.firstIsForeign == (sabotage == .ignoresStaleLock) }
    }

    /// The race's name, by which it is counted: what the first process is and what becomes of it.
    var kind: String {
        "\(firstIsForeign ? "another program" : "Daybook"), \(first.rawValue), \(killsFirst ? "killed" : "continued")"
    }

    /// What replays one of its steps.
    func recipe(step: Int) -> String {
        [
            "race", first.rawValue, firstIsForeign ? "foreign" : "daybook",
            others.map(\.rawValue).joined(separator: ","),
            "\(othersBefore)", killsFirst ? "killed" : "continued", "\(step)",
        ].joined(separator: "|")
    }

    /// The race and step of a recipe; nil when it is of something else.
    static func parse(_ recipe: String) -> (race: OpeningRace, step: Int)? {
        guard let step = recipe.split(separator: "|").last.flatMap({ Int($0) }) else { return nil }
        return all.first { $0.recipe(step: step) == recipe }.map { ($0, step) }
    }
}

extension OpeningRace {
    /// What a step of a race showed.
    enum Outcome: Equatable {
        /// Everything acknowledged is there, and nobody met an error.
        case held
        /// The first process ends before that many system calls.
        case pastTheEnd
        case broken(String)
    }

    /// The number of the first task that a race creates; the base store's are lower.
    static let firstNumber = 5_000
    static let baseNumbers = 100..<110
    static let mapSize = 1 << 18

    /// Makes the store that races begin with: small, so that growing is quick.
    static func makeBase(at path: String) throws {
        let store = try LabStore(at: path, options: options(nil))
        for number in baseNumbers { try store.perform(.create(number, on: nil, noteLength: 100)) }
        store.close()
    }

    static func options(_ sabotage: InjectionPoint?, isReadOnly: Bool = false) -> StoreOptions {
        var options = StoreOptions(isReadOnly: isReadOnly)
        options.initialMapSize = mapSize
        options.injectionPoint = ArmedInjectionPoints(sabotage)
        return options
    }

    /// Stops the first process before its system call `step`, counted from 1, and runs the race to its end.
    ///
    /// - Parameter sabotage: the promise that the processes break, except a foreign one.
    func run(step: Int, at path: String, sabotage: InjectionPoint?) throws -> Outcome {
        let company = try others.enumerated().map { index, work in
            try RaceProcess(isStepped: false) { voice, ready in
                try Self.live(work, number: Self.firstNumber + 1 + index, at: path, sabotage, voice, ready)
            }
        }
        let firstSabotage = firstIsForeign ? InjectionPoint.opensUnprotected : sabotage
        let process = try RaceProcess(isStepped: true) { voice, ready in
            try Self.live(first, number: Self.firstNumber, at: path, firstSabotage, voice, ready)
        }
        for _ in 0..<step {
            guard try process.step() else {
                return process.report.failure.map { .broken("the first process, alone: \($0)") } ?? .pastTheEnd
            }
        }
        for other in company.prefix(othersBefore) {
            other.resume()
            _ = other.waitUntilEndedOrWaiting()
        }
        if killsFirst { process.end(by: SIGKILL) } else { try process.release() }
        for other in company.dropFirst(othersBefore) {
            other.resume()
            _ = other.waitUntilEndedOrWaiting()
        }
        for member in [process] + company { member.waitUntilEnded() }

        var problems: [String] = []
        var acknowledged = Set(Self.baseNumbers)
        for (index, member) in ([process] + company).enumerated() {
            let report = member.report
            let name = index == 0 ? "the first process" : "process \(index + 1)"
            acknowledged.formUnion(report.values(of: "acknowledged").compactMap { Int($0) })
            // What LMDB itself answers to another program is not Daybook's to promise.
            if index == 0, killsFirst || firstIsForeign { continue }
            if let failure = report.failure { problems.append("\(name): \(failure)") }
            if let missing = report.value(of: "missing") { problems.append("\(name) does not see tasks \(missing)") }
            // With the gate, LMDB never works with an older state; beside other programs the check has to notice.
            if !firstIsForeign, let times = report.value(of: "stale") {
                problems.append("\(name) found the lock file out of date \(times) times")
            }
        }
        problems += try Self.problems(
            at: path, acknowledged: acknowledged, creating: Self.firstNumber + company.count + 1)
        return problems.isEmpty ? .held : .broken(problems.joined(separator: "; "))
    }

    /// What one process does.
    private static func live(
        _ work: Work, number: Int, at path: String, _ sabotage: InjectionPoint?, _ voice: ChildVoice,
        _ ready: () -> Void
    ) throws {
        let options = options(sabotage, isReadOnly: work.reads)
        let opened = work.hasStoreOpen ? try LabStore(at: path, options: options) : nil
        ready()
        let store = try opened ?? LabStore(at: path, options: options)
        switch work {
        case .write, .openWrite:
            try store.perform(.create(number, on: nil, noteLength: 0))
            voice.say("acknowledged", "\(number)")
        case .grow, .openGrow:
            try store.perform(.create(number, on: nil, noteLength: 2 * mapSize))
            voice.say("acknowledged", "\(number)")
        case .read, .openRead:
            let missing = try store.missing(of: Set(baseNumbers))
            if !missing.isEmpty { voice.say("missing", "\(missing)") }
        }
        let stale = store.store.environment.staleOpenings
        if stale > 0 { voice.say("stale", "\(stale)") }
        store.close()
    }

    /// What is wrong with the store afterwards: what was acknowledged and is not there, and what `verify` finds.
    ///
    /// - Parameter number: a task that is created then, to see that writing goes on.
    static func problems(at path: String, acknowledged: Set<Int>, creating number: Int) throws -> [String] {
        let store = try LabStore(at: path, options: options(nil))
        defer { store.close() }
        var problems = try store.problems()
        let missing = try store.missing(of: acknowledged)
        if !missing.isEmpty { problems.append("acknowledged and lost: tasks \(missing)") }
        if let repair = store.store.environment.repair { problems.append("\(repair)") }
        try store.perform(.create(number, on: nil, noteLength: 0))
        if try !store.missing(of: [number]).isEmpty { problems.append("a new task is not there") }
        return problems
    }
}

extension LabStore {
    /// Those of the tasks that are not there, in order.
    func missing(of numbers: Set<Int>) throws -> [Int] {
        try store.read { transaction in
            let views = transaction.tasks
            return try numbers.sorted().filter { try views.get(LabAction.id($0)) == nil }
        }
    }
}
