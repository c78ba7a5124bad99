import DiskRecording
import Injection

/// Everything that determines one trial of the lab, with a one-line text form that reproduces it.
enum Reproducer: Sendable {
    /// For example `small:create,complete|17+|keep=0-3|stale`.
    case crash(LabWorkload, RecordedCrash)
    /// For example `sync|joined:edit,round|17+|keep=0-3|stale`.
    case syncCrash(SyncWorkload, RecordedCrash)
    /// For example `archive|export|17+|keep=0-3` or `archive|export!skipsFileFlush|17+|keep=none`.
    case fileCrash(FileOperation, InjectionPoint?, RecordedCrash)
    /// For example `fault|small:create|write.fails.28.any.1|3`; the last number is the first failing call of the last operation,
    /// or of opening if there is none.
    case fault(LabWorkload, DiskFault)
    /// For example `archive|export|write.fails.28.any.1|3`.
    case fileFault(FileOperation, DiskFault)
    /// For example `rot|1|flip:12.331.4` or `rot|garden@1|flip:12.331.4`.
    case damage(BitRotTrial)
    /// For example `situation|map full`.
    case situation(Situation)
    /// For example `namespaces|write|open|killed|12`; the last number is the system call at which the first process is stopped.
    case race(any SteppedRace, step: Int)

    var text: String {
        let words: [String] =
            switch self {
            case .crash(let workload, let crash): [workload.text, crash.text]
            case .syncCrash(let workload, let crash): ["sync", workload.text, crash.text]
            case .fileCrash(let operation, let injectionPoint, let crash):
                ["archive", operation.name + (injectionPoint.map { "!\($0.name)" } ?? ""), crash.text]
            case .fault(let workload, let fault): ["fault", workload.text, fault.text, "\(fault.first)"]
            case .fileFault(let operation, let fault): ["archive", operation.name, fault.text, "\(fault.first)"]
            case .damage(let trial):
                ["rot", (trial.pack == .tasks ? "" : "\(trial.pack.rawValue)@") + "\(trial.seed)", trial.damage.text]
            case .situation(let situation): ["situation", situation.rawValue]
            case .race(let race, let step): race.words + ["\(step)"]
            }
        return words.joined(separator: "|")
    }

    init?(_ text: String) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        // A text that no report would print contains a mistake.
        guard let read = Self.read(parts), read.text == text else { return nil }
        self = read
    }

    private static func read(_ parts: [String]) -> Self? {
        switch parts[0] {
        case "sync" where parts.count == 5:
            guard let workload = SyncWorkload(parts[1]), let crash = RecordedCrash(parts[2...]) else { return nil }
            return .syncCrash(workload, crash)
        case "archive" where parts.count == 4:
            let names = parts[1].split(separator: "!", maxSplits: 1)
            guard let operation = names.first.flatMap({ FileOperation.named($0) }) else { return nil }
            let injectionPoint = names.last.flatMap { InjectionPoint(named: $0, among: InjectionPoint.ofFiles) }
            if let crash = RecordedCrash(parts[2...]) { return .fileCrash(operation, injectionPoint, crash) }
            return DiskFault(parts[2], first: parts[3]).map { .fileFault(operation, $0) }
        case "fault" where parts.count == 4:
            guard let workload = LabWorkload(parts[1]) else { return nil }
            return DiskFault(parts[2], first: parts[3]).map { .fault(workload, $0) }
        case "rot" where parts.count == 3:
            let store = parts[1].split(separator: "@", maxSplits: 1)
            guard let pack = store.count == 2 ? LabPack(rawValue: String(store[0])) : .tasks,
                let seed = store.last.flatMap({ UInt64($0) }), let damage = PageDamage(parts[2])
            else { return nil }
            return .damage(BitRotTrial(seed: seed, pack: pack, damage: damage))
        case "situation" where parts.count == 2: return Situation(rawValue: parts[1]).map { .situation($0) }
        case "race", "logged-race", "namespaces":
            let races: [any SteppedRace] = OpeningRace.all + OpeningRace.logged + NamespaceRace.all
            guard let race = races.first(where: { $0.words.elementsEqual(parts.dropLast()) }) else { return nil }
            return parts.last.flatMap { Int($0) }.map { .race(race, step: $0) }
        default:
            guard parts.count == 4, let workload = LabWorkload(parts[0]), let crash = RecordedCrash(parts[1...]) else {
                return nil
            }
            return .crash(workload, crash)
        }
    }
}

/// Where a recorded run is crashed, and what the disk keeps, as the end of a reproducer.
struct RecordedCrash: Sendable {
    /// The index of the recorded entry at which the crash happens.
    var point: Int
    var moment: CrashMoment
    /// What became of the unflushed changes.
    var outcome: CrashOutcome
    /// Nil for runs whose images have no lock file.
    var lock: LockFile?

    /// For example `17+|keep=0-3|stale`.
    var text: String { "\(point)\(moment.rawValue)|\(outcome)" + (lock.map { "|\($0.name)" } ?? "") }

    init(point: Int, moment: CrashMoment, outcome: CrashOutcome, lock: LockFile? = nil) {
        self.point = point
        self.moment = moment
        self.outcome = outcome
        self.lock = lock
    }

    init?(_ parts: ArraySlice<String>) {
        let parts = Array(parts)
        guard (2...3).contains(parts.count), let moment = parts[0].last.flatMap({ CrashMoment(rawValue: String($0)) }),
            let point = Int(parts[0].dropLast()), point >= 0, let outcome = CrashOutcome(parts[1])
        else { return nil }
        self.init(point: point, moment: moment, outcome: outcome)
        guard parts.count == 3 else { return }
        lock = LockFile.allCases.first { $0.name == parts[2] }
        if lock == nil { return nil }
    }
}
