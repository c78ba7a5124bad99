import CivilTime
import DiskRecording
import DomainPacks
import Glibc
import Injection
import KeyValue
import LabSupport

/// What processes killed at random moments have left.
public struct KillResult: Sendable {
    /// The number of killed processes.
    public internal(set) var kills = 0
    /// Tasks whose creation was acknowledged before their process was killed.
    public internal(set) var acknowledged = 0
    /// How often a process found LMDB's lock file out of date and reopened LMDB.
    public internal(set) var staleOpenings = 0
    /// What is wrong; empty if everything acknowledged is there.
    var problems: [String] = []
}

/// Processes that repeatedly open a store, create a task and close it, until each is killed at a random moment and
/// replaced. Nothing acknowledged may be lost.
///
/// `OpeningRaces` runs races in a known order; this finds unforeseen ones.
final class KillStress {

    /// The maximum number of parallel processes.
    static let width = 8
    /// Kills between two checks of the whole store.
    private static let killsPerRound = 500
    /// A larger store is replaced by a new one, so that checks stay quick.
    private static let tasksPerStore = 10_000

    private let folder: String
    private let injectionPoint: InjectionPoint?
    private let isLogged: Bool
    private var random: SeededGenerator
    private(set) var result = KillResult()
    /// The next task's number in each slot; those before it were begun.
    private var nextNumbers: [Int] = []
    /// The acknowledged tasks of the current store.
    private var acknowledged: Set<Int> = []

    init(seed: UInt64, folder: String, injectionPoint: InjectionPoint?, isLogged: Bool = false) {
        self.isLogged = isLogged
        self.folder = folder
        self.injectionPoint = injectionPoint
        random = SeededGenerator(seed: seed)
    }

    /// Kills processes as long as the closure allows another round; stops after the first round with a problem.
    func run(kills: Int, while shouldContinue: () -> Bool, reportProgress: (KillResult) -> Void) throws {
        while result.kills < kills, result.problems.isEmpty, shouldContinue() {
            if acknowledged.isEmpty || acknowledged.count > Self.tasksPerStore { try beginStore() }
            try runRound(kills: min(Self.killsPerRound, kills - result.kills))
            result.problems += try OpeningRace.problems(
                at: path, acknowledged: acknowledged, creating: OpeningRace.firstNumber + result.kills)
            reportProgress(result)
        }
    }

    private var path: String { "\(folder)/\(Recording.storePath)" }

    private func beginStore() throws {
        try FolderFiles.replace(folder, with: DiskImage(folders: ["home"]))
        try OpeningRace.makeBase(at: path, isLogged: isLogged)
        acknowledged = Set(OpeningRace.baseNumbers)
        nextNumbers = (0..<Self.width).map { ($0 + 1) * 1_000_000 }
    }

    private func runRound(kills: Int) throws {
        // With few processes, one opens the store alone more often; with many, they collide more often.
        let width = 2 + random.number(below: Self.width - 1)
        var members = try (0..<width).map { try (place: $0, process: start(in: $0)) }
        for _ in 0..<kills {
            var pause = timespec(tv_sec: 0, tv_nsec: random.number(below: 800_000))
            nanosleep(&pause, nil)
            if Interruption.hasCome {
                for member in members { try end(member) }
                throw CrashLabError.interrupted
            }
            let index = random.number(below: width)
            try end(members[index])
            result.kills += 1
            members[index].process = try start(in: members[index].place)
        }
        for member in members { try end(member) }
    }

    private func start(in place: Int) throws -> RaceProcess {
        let first = nextNumbers[place]
        let (path, injectionPoint, isLogged) = (path, injectionPoint, isLogged)
        return try RaceProcess(isStepped: false, isReadyAtOnce: true) { reporter, _ in
            for number in first... {
                var options = OpeningRace.options(injectionPoint, isLogged: isLogged)
                options.createIfMissing = false
                let store = try LabStore(at: path, options: options)
                reporter.report("begun", "\(number)")
                try store.perform(.create(number, on: nil, noteLength: number % 100))
                reporter.report("acknowledged", "\(number)")
                let stale = store.store.environment.staleOpenings
                if stale > 0 { reporter.report("stale", "\(stale)") }
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
        // The kill may have truncated the last line.
        let begun = report.values(of: "begun").compactMap { Int($0) }.max() ?? 0
        nextNumbers[member.place] = max(nextNumbers[member.place], begun + 1)
        if case .killed(SIGKILL) = report.way { return }
        result.problems.append(report.failure ?? "a process ended by itself")
    }
}
