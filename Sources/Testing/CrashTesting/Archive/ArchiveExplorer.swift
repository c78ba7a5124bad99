import ByteStreams
import FoundationEssentials
import Injection

/// Builds the images that crashes of operations on files could leave, and judges each.
final class ArchiveExplorer {
    private let pool: ChildPool
    private let recorder: Recorder
    private let coverage: Coverage
    private(set) var violations: [CrashViolation] = []
    /// Images that were judged already, with what was promised then.
    private var seen: Set<UInt64> = []

    init(recorder: Recorder, coverage: Coverage) {
        pool = recorder.pool
        self.recorder = recorder
        self.coverage = coverage
    }

    /// Runs an operation undisturbed.
    func record(_ operation: ArchiveOperation, sabotage: InjectionPoint? = nil) throws -> ArchiveRecording {
        let place = ArchivePlace(folder: "\(recorder.scratch)/recording", sabotage: sabotage)
        try FolderFiles.replace(place.folder, with: recorder.bases[.small] ?? DiskImage())
        try run("preparing \(operation.name)") { _ in try operation.prepare(place) }
        let start = try FolderFiles.image(of: place.folder).withoutLockFiles
        try FolderFiles.replace(place.folder, with: start)
        try DiskLog.begin(folder: place.folder)
        defer { DiskLog.end() }
        try run(operation.name) { _ in try ArchiveRun(operation: operation, place: place).run() }
        return ArchiveRecording(
            operation: operation, sabotage: sabotage, start: start, entries: try DiskLog.entries().prepared)
    }

    private func run(_ name: String, _ work: (ChildVoice) throws -> Void) throws {
        let ending = try pool.run { _, voice in try work(voice) }
        if let failure = ending.failure { throw CrashLabError.workloadFailed(name, failure) }
    }

    /// Explores every crash point from the beginning of the work, until told to stop; of a file more images than of a
    /// store, which must be opened.
    func explore(_ recording: ArchiveRecording, limits: ExplorationLimits? = nil, while goesOn: () -> Bool) throws {
        seen = []
        for moment in recording.moments {
            coverage.count("crash points", moment.kind)
            for image in moment.recipes(limits: limits ?? recording.operation.promise.limits) {
                guard goesOn() else { return }
                coverage.count("images", image.className(of: moment.history.units.count))
                coverage.imagesBuilt += 1
                try judge(image, at: moment, of: recording)
            }
        }
        try pool.finishAll()
    }

    /// Builds one image again.
    func replay(_ image: ImageRecipe, point: Int, _ sign: CrashMoment, of recording: ArchiveRecording) throws {
        guard let moment = recording.moments.first(where: { $0.point == point && $0.sign == sign }) else {
            throw CrashLabError.badRecipe("\(point)\(sign.rawValue)")
        }
        try judge(image, at: moment, of: recording)
        try pool.finishAll()
    }

    private func judge(_ recipe: ImageRecipe, at moment: ArchiveMoment, of recording: ArchiveRecording) throws {
        let image = moment.history.image(recipe)
        guard seen.insert(image.digest ^ (moment.isAcknowledged ? 1 : 0)).inserted else { return }
        coverage.imagesDifferent += 1
        let judge = ArchiveJudge(recording: recording, isAcknowledged: moment.isAcknowledged)
        let text = ArchiveRecipe.crash(
            recording.operation, recording.sabotage, point: moment.point, moment.sign, recipe
        ).text
        if let problem = judge.problem(of: image) {
            violate(problem, text, recipe, at: moment, of: recording)
            return
        }
        guard case .folder = recording.operation.promise else { return }
        coverage.imagesOpened += 1
        try pool.start { [recorder] slot, voice in
            DiskLog.leave()
            let place = ArchivePlace(folder: "\(recorder.scratch)/image-\(slot)")
            try FolderFiles.replace(place.folder, with: image)
            try judge.checkStores(at: place, voice: voice)
            // What a crash has left is no hindrance to doing it again; what is there is not replaced unasked.
            let isThere = recording.operation.changedStore(at: place).map(ArchiveJudge.isStore) == true
            guard recording.contentBefore != nil || !isThere else { return }
            voice.say("stage", "doing it again")
            try recording.operation.begin(place)()
            var again = judge
            again.isAcknowledged = true
            try again.checkStores(at: place, voice: voice)
        } then: { [self] ending in
            if let failure = ending.failure { violate(failure, text, recipe, at: moment, of: recording) }
        }
    }

    /// The first one with its log.
    private func violate(
        _ problem: String, _ text: String, _ image: ImageRecipe, at moment: ArchiveMoment,
        of recording: ArchiveRecording
    ) {
        let explanation = ArchiveExplanation(recording: recording, moment: moment, image: image)
        let details = violations.isEmpty ? explanation.lines : []
        violations.append(CrashViolation(recipe: text, problem: problem, details: details))
    }
}

extension ArchiveOperation.Promise {
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
