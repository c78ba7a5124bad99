import ByteStreams
import DiskRecording
import Exchange
import FoundationEssentials
import Injection
import Snapshots

/// Builds the crash images of operations on files and judges each.
final class FileExplorer {
    private let pool: ChildPool
    private let recorder: Recorder
    private let coverage: Coverage
    private(set) var violations: [CrashViolation] = []
    /// Images judged already, combined with the promises made by then.
    private var seen: Set<UInt64> = []

    init(recorder: Recorder, coverage: Coverage) {
        pool = recorder.pool
        self.recorder = recorder
        self.coverage = coverage
    }

    /// Records an operation without faults.
    func record(_ operation: FileOperation, injectionPoint: InjectionPoint? = nil) throws -> FileRecording {
        let place = OperationFolder(folder: "\(recorder.scratch)/recording", injectionPoint: injectionPoint)
        try FolderFiles.replace(place.folder, with: recorder.bases.small)
        try run("preparing \(operation.name)") { _ in try operation.prepare(place) }
        let start = try FolderFiles.image(of: place.folder).withoutLockFiles
        try FolderFiles.replace(place.folder, with: start)
        try DiskLog.begin(folder: place.folder)
        defer { DiskLog.end() }
        try run(operation.name) { _ in try FileRun(operation: operation, place: place).run() }
        return FileRecording(
            operation: operation, injectionPoint: injectionPoint, start: start,
            entries: try DiskLog.entries().normalized)
    }

    private func run(_ name: String, _ work: (ChildReporter) throws -> Void) throws {
        let ending = try pool.run { _, reporter in try work(reporter) }
        if let failure = ending.failure { throw CrashLabError.workloadFailed(name, failure) }
    }

    /// Explores every crash point of an operation, as long as the closure allows. Tries more images of a file than of a
    /// store, which has to be opened.
    func explore(_ recording: FileRecording, limits: ExplorationLimits? = nil, while shouldContinue: () -> Bool) throws
    {
        seen = []
        for point in recording.crashPoints {
            coverage.count("crash points", point.kind)
            for image in point.outcomes(limits: limits ?? recording.operation.promise.limits) {
                guard shouldContinue() else { return }
                coverage.count("images", image.className(of: point.history.units.count))
                coverage.imagesBuilt += 1
                try judge(image, at: point, of: recording)
            }
        }
        try pool.finishAll()
    }

    /// Builds and judges one image again.
    func replay(_ image: CrashOutcome, point index: Int, _ moment: CrashMoment, of recording: FileRecording) throws {
        guard let point = CrashPoint(at: index, moment, of: recording.entries, from: recording.start) else {
            throw CrashLabError.invalidReproducer("\(index)\(moment.rawValue)")
        }
        try judge(image, at: point, of: recording)
        try pool.finishAll()
    }

    private func judge(_ outcome: CrashOutcome, at point: CrashPoint, of recording: FileRecording) throws {
        let image = point.history.image(outcome)
        guard seen.insert(image.digest ^ (point.isAcknowledged ? 1 : 0)).inserted else { return }
        coverage.imagesDifferent += 1
        let judge = FileJudge(recording: recording, isAcknowledged: point.isAcknowledged)
        let text = FileReproducer.crash(
            recording.operation, recording.injectionPoint, point: point.index, point.moment, outcome
        ).text
        if let problem = judge.problem(of: image) {
            violate(problem, text, outcome, at: point, of: recording)
            return
        }
        guard recording.operation.promise.isOfFolder else { return }
        coverage.imagesOpened += 1
        try pool.start { [recorder] slot, reporter in
            DiskLog.detach()
            let place = OperationFolder(folder: "\(recorder.scratch)/image-\(slot)")
            try FolderFiles.replace(place.folder, with: image)
            try judge.checkStores(at: place, reporter: reporter)
            // Leftovers of a crash must not prevent repeating the operation. An existing store is not replaced unless
            // asked.
            let isThere = recording.operation.changedStore(at: place).map(FileJudge.isStore) == true
            if case .gone = recording.operation.promise {
                reporter.report("stage", "repeating the operation")
                return try judge.repeatRemoval(at: place)
            }
            guard recording.contentBefore != nil || !isThere else { return }
            reporter.report("stage", "repeating the operation")
            try recording.operation.begin(place)()
            var again = judge
            again.isAcknowledged = true
            try again.checkStores(at: place, reporter: reporter)
        } then: { [self] ending in
            if let failure = ending.failure { violate(failure, text, outcome, at: point, of: recording) }
        }
    }

    /// Adds a violation; the first one includes its log.
    private func violate(
        _ problem: String, _ text: String, _ image: CrashOutcome, at point: CrashPoint,
        of recording: FileRecording
    ) {
        let details = violations.isEmpty ? CrashExplanation.lines(of: recording.entries, at: point, image) : []
        violations.append(CrashViolation(reproducer: text, problem: problem, details: details))
    }
}

extension FileOperation.Promise {
    fileprivate var limits: ExplorationLimits {
        if case .file = self { ExplorationLimits() } else { .long }
    }
}

extension DiskImage {
    var withoutLockFiles: DiskImage {
        var image = self
        for path in files.keys where DiskImage.name(of: path) == LockFile.fileName { image.removeFile(path) }
        return image
    }
}

/// A crash or a failing call of an operation on files, with a one-line text form that reproduces it.
enum FileReproducer: Sendable {
    /// The crash happens at this entry of the recording, during the call or after it.
    case crash(FileOperation, InjectionPoint?, point: Int, CrashMoment, CrashOutcome)
    case fault(FileOperation, DiskFault)

    /// For example `archive|export|17+|keep=0-3`, `archive|export!skipsFileFlush|17+|keep=none`,
    /// `archive|export|write.fails.28.any.1|3`; the last number is the first failing call.
    var text: String {
        switch self {
        case .crash(let operation, let injectionPoint, let point, let moment, let image):
            let broken = injectionPoint.map { "!\($0.rawValue)" } ?? ""
            return "archive|\(operation.name)\(broken)|\(point)\(moment.rawValue)|\(image)"
        case .fault(let operation, let fault):
            return "archive|\(operation.name)|\(fault.text)|\(fault.first)"
        }
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "archive" else { return nil }
        let names = parts[1].split(separator: "!", maxSplits: 1)
        guard let name = names.first, let operation = FileOperation.named(name) else { return nil }
        var injectionPoint: InjectionPoint?
        if names.count == 2 {
            guard let named = InjectionPoint(named: names[1], among: InjectionPoint.ofFiles) else { return nil }
            injectionPoint = named
        }
        if let sign = parts[2].last, let moment = CrashMoment(rawValue: String(sign)),
            let point = Int(parts[2].dropLast()), point >= 0, let image = CrashOutcome(String(parts[3]))
        {
            self = .crash(operation, injectionPoint, point: point, moment, image)
        } else if injectionPoint == nil, var fault = DiskFault(parts[2]), let first = Int(parts[3]), first > 0 {
            fault.first = first
            self = .fault(operation, fault)
        } else {
            return nil
        }
        guard self.text == text else { return nil }
    }
}
