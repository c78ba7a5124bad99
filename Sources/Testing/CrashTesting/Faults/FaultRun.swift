import KeyValue
import Records
import Tasks

/// One run in which the disk refuses a call: what the caller is told, and whether it is true, at once, after a reopen, and
/// after a power cut on top of it.
struct FaultRun {
    let recipe: FaultRecipe
    /// The same workload without the fault, and one more operation after it.
    let reference: Recording
    let folder: String
    let voice: ChildVoice

    /// The operation that goes on afterwards.
    static let afterwards = LabStep(.create, draw: 2)

    private var path: String { "\(folder)/\(Recording.storePath)" }
    private var workload: LabWorkload { recipe.workload }

    /// Says `hit` when a call was refused, and `told`: what the caller heard. Throws what is wrong.
    func run() throws {
        try FolderFiles.replace(folder, with: reference.start)
        try DiskLog.begin(folder: folder)
        var attempt = FaultAttempt(workload: workload, path: path, states: reference.states)
        try attempt.prepare()

        voice.say("stage", "\(recipe.fault.name), call \(recipe.fault.first)")
        DiskLog.setFault(recipe.fault)
        let told = attempt.strike()
        let hits = DiskLog.faultHit
        DiskLog.clearFault()
        voice.say("told", told.name)
        if hits == 0 {
            if case .isIn = told { return }
            throw FaultViolation.failsWithoutFault
        }
        voice.say("hit", "\(hits)")

        voice.say("stage", "going on after \(recipe.fault.name), call \(recipe.fault.first), told \(told.name)")
        try attempt.goOn(after: told)
        let entries = try DiskLog.entries().prepared
        DiskLog.end()
        try cutPower(entries)
    }

    /// Every state that a power cut after the fault could leave: what a failed flush was about may be on the disk or not.
    private func cutPower(_ entries: [DiskLog.Entry]) throws {
        var history = DiskHistory(reference.start)
        var progress = RunProgress()
        var seen: Set<UInt64> = []
        var isAfterFault = false
        for (index, entry) in entries.enumerated() {
            guard case .call(let call) = entry else {
                if case .mark(let kind, let value, _) = entry { progress.take(kind, value) }
                continue
            }
            history.apply(call)
            isAfterFault = isAfterFault || call.hasFailed
            guard isAfterFault, call.changesDisk else { continue }
            let rules = progress.rules(of: reference, workload)
            for image in RecipeSource(history: history, limits: .fault, seed: UInt64(index)) {
                var crashed = history.image(image)
                LockFile.allCases[seen.count % LockFile.allCases.count].put(into: &crashed, stale: [])
                // The same bytes under another promise are another question.
                let promise = UInt64(rules.allowed.lowerBound) << 8 | UInt64(rules.allowed.upperBound)
                guard seen.insert(crashed.imageDigest() ^ promise &* 0x9E37_79B9_7F4A_7C15).inserted else { continue }
                voice.say("stage", "a power cut at \(index) that kept \(image)")
                try ImageCheck(rules: rules, folder: folder, voice: voice).judge(crashed)
            }
        }
        voice.say("cuts", "\(seen.count)")
    }
}

/// What the caller of a write, or of opening, was told.
enum FaultAnswer {
    case isIn
    /// Nothing was written; `stops` when writing has stopped until a reopen.
    case isOut(stops: Bool, String)
    case isUnknown(String)
    /// An error that says nothing of what it means.
    case untyped(String)

    init(_ error: any Error) {
        switch error {
        case let error as RecordsError: self.init(error)
        case let error as KeyValueError: self.init(.engine(error))
        case TaskError.store(let error): self.init(error)
        default: self = .untyped("\(error)")
        }
    }

    private init(_ error: RecordsError) {
        switch error {
        case .engine(.commitUnknown): self = .isUnknown(error.description)
        case .engine(.commitFailed), .engine(.writingStopped), .engine(.closed):
            self = .isOut(stops: true, error.description)
        default: self = .isOut(stops: false, error.description)
        }
    }

    var name: String {
        switch self {
        case .isIn: "in"
        case .isOut(let stops, _): stops ? "out, writing stopped" : "out, writing goes on"
        case .isUnknown: "unknown, writing stopped"
        case .untyped: "untyped"
        }
    }
}

/// What a fault showed to be wrong.
enum FaultViolation: Error, CustomStringConvertible {
    case failsWithoutFault
    case untyped(String)
    case wrongState(String, String)
    case writesAfterFailure
    case notClean(String)

    var description: String {
        switch self {
        case .failsWithoutFault: "an operation fails although no call was refused"
        case .untyped(let error): "the error has no type that says what it means: \(error)"
        case .wrongState(let told, let found): "the caller was told \(told), but \(found)"
        case .writesAfterFailure: "writing goes on after a failed flush, without a reopen"
        case .notClean(let problem): "verify finds: \(problem)"
        }
    }
}
