import DiskRecording
import Injection

/// The result of a crash lab run.
public struct CrashReport: Sendable {
    /// The options of the run.
    public let options: CrashLabOptions
    /// The broken promises.
    public internal(set) var violations: [CrashViolation] = []
    /// Whether the lab detected each promise that was broken on purpose.
    public internal(set) var negativeControls: [NegativeControlResult] = []
    /// Whether every small workload was explored completely.
    public internal(set) var smallWorkloadsAreComplete = false
    /// The required kinds that were not tried.
    public internal(set) var unreached: [String] = []
    /// The number of kinds that a full run must try; 0 for a run of selected phases.
    public internal(set) var requiredKinds = 0
    /// Whether every call of every operation was made to fail in every way.
    public internal(set) var faultsAreComplete = false
    /// Whether every damage was tried: 2,720, of which 2,040 are flipped bits.
    public internal(set) var damagesAreComplete = false
    /// How often each kind of thing was tried, by group.
    public internal(set) var coverage: [String: [String: Int]] = [:]
    /// The number of crash images built.
    public internal(set) var imagesBuilt = 0
    /// Those that differ from every other image in some byte.
    public internal(set) var imagesDifferent = 0
    /// Those that were opened; the others are equal to one of these in everything LMDB can reach.
    public internal(set) var imagesOpened = 0
    /// Images whose recovery was crashed at each of its calls.
    public internal(set) var recoveriesInterrupted = 0
    /// Images of interrupted recoveries, all of which were opened.
    public internal(set) var imagesOfRecoveries = 0
    /// Opened images of small stores, including those of interrupted recoveries.
    public internal(set) var smallImagesOpened = 0
    /// The time spent building and opening these.
    public internal(set) var smallImagesSeconds = 0.0
    /// The number of races between processes.
    public internal(set) var races = 0
    /// Whether every race was run at every system call.
    public internal(set) var racesAreComplete = false
    /// Whether the system permits PID namespaces; nil where that was not tried.
    public internal(set) var permitsNamespaces: Bool?
    /// The number of races between processes of several namespaces.
    public internal(set) var namespaceRaces = 0
    /// The largest number of system calls at which one process was stopped.
    public internal(set) var callsRaced = 0
    /// The result of killing processes at random moments.
    public internal(set) var kills = KillResult()
    /// The duration of each phase that was run.
    public internal(set) var secondsByPhase: [CrashPhase: Double] = [:]
    /// The duration of the run.
    public internal(set) var seconds = 0.0

    init(options: CrashLabOptions) {
        self.options = options
    }

    /// Whether no promise is broken, nothing required was missed and all negative controls were detected.
    public var isClean: Bool {
        violations.isEmpty && unreached.isEmpty && negativeControls.allSatisfy { $0.trialsUntilFound != nil }
    }

    mutating func take(_ coverage: Coverage, seconds: Double) {
        self.coverage = coverage.counts
        imagesBuilt = coverage.imagesBuilt
        imagesDifferent = coverage.imagesDifferent
        imagesOpened = coverage.imagesOpened
        recoveriesInterrupted = coverage.recoveriesInterrupted
        imagesOfRecoveries = coverage.imagesOfRecoveries
        self.seconds = seconds
    }
}

/// A broken promise and its reproducer.
public struct CrashViolation: Sendable, Equatable {
    /// The argument for `daybook crashtest --replay`.
    public let reproducer: String
    /// What is wrong, without content of any record that is not the lab's own.
    public let problem: String
    /// The log around the crash and what the disk kept.
    public var details: [String] = []
}

extension NegativeControlResult {
    /// - Parameter trials: the number of trials until the finding.
    init(_ injectionPoint: InjectionPoint, _ finding: CrashViolation?, trials: Int) {
        self.init(
            name: injectionPoint.name, trialsUntilFound: finding == nil ? nil : trials,
            finding: finding?.problem ?? "not found")
    }
}

/// Counts of what the lab has tried, by kind.
final class Coverage {
    private(set) var counts: [String: [String: Int]] = [:]
    /// Crash images built.
    var imagesBuilt = 0
    /// Those that differ from every other image in some byte.
    var imagesDifferent = 0
    /// Those that were opened and judged.
    var imagesOpened = 0
    /// Images whose recovery was crashed at each of its calls, and the images of those crashes.
    var recoveriesInterrupted = 0
    var imagesOfRecoveries = 0

    func count(_ group: String, _ name: String, _ number: Int = 1) {
        counts[group, default: [:]][name, default: 0] += number
    }
}

/// What every full run must try at least once. A kind that is never reached is a failure of the lab.
enum RequiredCoverage {
    static func unreached(in coverage: Coverage) -> [String] {
        var unreached: [String] = []
        for (group, names) in groups {
            for name in names where coverage.counts[group]?[name] == nil { unreached.append("\(group): \(name)") }
        }
        // Not where the system permits no namespaces; the report says so.
        if coverage.counts[NamespaceRace.group] != nil {
            let kinds = NamespaceRace.Work.allCases.map(\.rawValue)
            for kind in kinds where coverage.counts[NamespaceRace.group]?[kind] == nil {
                unreached.append("\(NamespaceRace.group): \(kind)")
            }
        }
        if coverage.recoveriesInterrupted == 0 { unreached.append("a recovery that is interrupted") }
        return unreached
    }

    /// The number of kinds; the last one is an interrupted recovery.
    static var count: Int { groups.reduce(1) { $0 + $1.value.count } }

    static let groups: KeyValuePairs<String, [String]> = [
        "crash points": [DiskCall.Kind.flush, .flushData, .link, .makeFolder, .open, .rename, .write].map { "\($0)" }
            + [
                "acknowledged"
            ],
        "images": [
            "everything kept: the death of a process", "nothing unsynced kept", "all but one kept", "only one kept",
            "some kept", "torn write", "some kept, zeros in the extension", "some kept, garbage in the extension",
        ],
        "lock file": LockFile.allCases.map(\.name),
        "workloads": LifecycleWorkloads.all.map(\.name) + (1...3).map { "small, of \($0)" }
            + SmallWorkloads.others.flatMap { other in
                (1...SmallWorkloads.longestOfOthers).map { "\(other.name), of \($0)" }
            }
            + FileOperation.all.filter(\.hasImages).map(\.name)
            + CrashLab.requiredKinds
            + SyncWorkload.named.map(\.name) + ["sync, of 1", "sync, of 2", "sync, long"]
            + (0..<LongWorkloads.forms).map { "long, \(LongWorkloads.formName($0))" },
        "faults": DiskFault.kinds.map(\.name),
        "answers to faults": [
            "committed", "not committed, writing continues", "not committed, writing stopped",
            "unknown, writing stopped",
        ],
        "file faults": DiskFault.fileKinds.map(\.name),
        "file faults by operation": FileOperation.all.map(\.name),
        "answers to file faults": ["done", "an error"],
        "bit rot: domains": LabPack.allCases.map(\.rawValue),
        // No signal: the page reader has ended those of readers.
        "bit rot: answers": ["found by verify", "refused to open", "harmless"],
        "opening races": Set(OpeningRace.all.map(\.kind)).sorted(),
        "sync": SyncRun.events,
        "situations": Situation.allCases.map(\.rawValue),
    ]
}
