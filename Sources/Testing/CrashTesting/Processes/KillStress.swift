import CivilTime
import Glibc
import Injection
import KeyValue

/// What processes that were killed at random moments have left.
public struct KillResult: Sendable {
    /// Processes that were killed.
    public internal(set) var kills = 0
    /// Tasks whose creation was acknowledged to a process before it was killed.
    public internal(set) var acknowledged = 0
    /// How often a process found LMDB's lock file out of date, and opened LMDB again.
    public internal(set) var staleOpenings = 0
    /// What is wrong; empty when everything acknowledged is there.
    var problems: [String] = []
}

/// Processes that open a store, create a task, close it, and begin again, until each is killed at a random moment and
/// another takes its place. Nothing that one of them acknowledged may be lost.
///
/// Races with a known order are run by `OpeningRaces`; this looks for those that nobody thought of.
final class KillStress {

    /// How many processes are at work at most.
    static let width = 8
    /// Kills between two looks at the whole store.
    private static let killsPerRound = 500
    /// A store with more tasks gives way to a new one, so that looking stays quick.
    private static let tasksPerStore = 10_000

    private let folder: String
    private let sabotage: InjectionPoint?
    private var random: SeededBits
    private(set) var result = KillResult()
    /// The next task's number in each place; those before it were begun.
    private var nextNumbers: [Int] = []
    /// The tasks of the store at hand that were acknowledged.
    private var acknowledged: Set<Int> = []

    init(seed: UInt64, folder: String, sabotage: InjectionPoint?) {
        self.folder = folder
        self.sabotage = sabotage
        random = SeededBits(seed: seed)
    }

    /// Kills so many processes, as long as the closure allows another round; stops at the first round in which something is
    /// wrong.
    func run(kills: Int, while shouldContinue: () -> Bool, tell: (KillResult) -> Void) throws {
        while result.kills < kills, result.problems.isEmpty, shouldContinue() {
            if acknowledged.isEmpty || acknowledged.count > Self.tasksPerStore { try beginStore() }
            try runRound(kills: min(Self.killsPerRound, kills - result.kills))
            result.problems += try OpeningRace.problems(
                at: path, acknowledged: acknowledged, creating: OpeningRace.firstNumber + result.kills)
            tell(result)
        }
    }

    private var path: String { "\(folder)/\(Recording.storePath)" }

    private func beginStore() throws {
        try FolderFiles.replace(folder, with: DiskImage(folders: ["home"]))
        try OpeningRace.makeBase(at: path)
        acknowledged = Set(OpeningRace.baseNumbers)
        nextNumbers = (0..<Self.width).map { ($0 + 1) * 1_000_000 }
    }

    private func runRound(kills: Int) throws {
        // Few processes open a store alone more often, many meet more often.
        let width = 2 + random.number(below: Self.width - 1)
        var members = try (0..<width).map { try (place: $0, process: start(in: $0)) }
        for _ in 0..<kills {
            var pause = timespec(tv_sec: 0, tv_nsec: random.number(below: 800_000))
            nanosleep(&pause, nil)
            let index = random.number(below: width)
            try end(members[index])
            result.kills += 1
            members[index].process = try start(in: members[index].place)
        }
        for member in members { try end(member) }
    }

    private func start(in place: Int) throws -> RaceProcess {
        let first = nextNumbers[place]
        let (path, sabotage) = (path, sabotage)
        return try RaceProcess(isStepped: false, isReadyAtOnce: true) { voice, _ in
            for number in first... {
                var options = OpeningRace.options(sabotage)
                options.createIfMissing = false
                let store = try LabStore(at: path, options: options)
                voice.say("begun", "\(number)")
                try store.perform(.create(number, on: nil, noteLength: number % 100))
                voice.say("acknowledged", "\(number)")
                let stale = store.store.environment.staleOpenings
                if stale > 0 { voice.say("stale", "\(stale)") }
                store.close()
            }
        }
    }

    private func end(_ member: (place: Int, process: RaceProcess)) throws {
        member.process.end(by: SIGKILL)
        let report = member.process.report
        let numbers = report.values(of: "acknowledged").compactMap { Int($0) }
        acknowledged.formUnion(numbers)
        result.acknowledged += numbers.count
        result.staleOpenings += report.values(of: "stale").compactMap { Int($0) }.reduce(0, +)
        // A line that the kill cut short is no number that was begun.
        let begun = report.values(of: "begun").compactMap { Int($0) }.max() ?? 0
        nextNumbers[member.place] = max(nextNumbers[member.place], begun + 1)
        if case .killed(SIGKILL) = report.way { return }
        result.problems.append(report.failure ?? "a process ended by itself")
    }
}
