import DiskRecording
import LabSupport

/// Builds the crash images of recorded runs and has each distinct one opened.
final class ImageExplorer {
    private let pool: ChildPool
    private let scratch: String
    private let seed: UInt64
    private let coverage: Coverage
    /// The state digests of images opened so far, by the digest of what LMDB can reach in them.
    private var found: [UInt64: UInt64] = [:]
    /// Reproducers that wait for the result of an equal image.
    private var waiting: [UInt64: [(CrashReproducer, ImageRules)]] = [:]
    /// Digests of all bytes, to count distinct images.
    private var different: Set<UInt64> = []
    private(set) var violations: [CrashViolation] = []
    /// The number of interrupted recoveries when the current workload began.
    private var recoveriesBefore = 0

    /// One in this many images that differ only in bytes LMDB cannot reach is opened anyway, to test that they are
    /// equal.
    private static let repeatedSample = 256

    init(pool: ChildPool, scratch: String, seed: UInt64, coverage: Coverage) {
        self.pool = pool
        self.scratch = scratch
        self.coverage = coverage
        self.seed = seed
    }

    /// Explores every crash point of a recording after transaction `first` was issued, as long as the closure allows.
    func explore(
        _ recording: Recording, of workload: LabWorkload, from first: Int = 0, limits: ExplorationLimits,
        while shouldContinue: () -> Bool
    ) throws {
        recoveriesBefore = coverage.recoveriesInterrupted
        for point in CrashPoints(of: recording.entries, from: recording.start, after: first) {
            guard shouldContinue() else { return }
            coverage.count("crash points", point.kind)
            let rules = point.progress.rules(of: recording, workload)
            for image in point.outcomes(limits: limits) {
                guard shouldContinue() else { return }
                // When only the process dies, everything it wrote remains.
                var draws = draws(for: 1)
                let lock = point.isLast ? LockFile.allCases[draws.number(below: LockFile.allCases.count)] : .stale
                let reproducer = CrashReproducer(
                    workload: workload, point: point.index, moment: point.moment, image: image, lock: lock)
                coverage.count("images", image.className(of: point.history.units.count))
                try judge(
                    point.history.image(image), reproducer, rules, stale: recording.lockFile,
                    limits: limits,
                    // Once per state is enough.
                    undoesAll: point.isLast && image == .all(of: point.history.units.count))
            }
        }
        // The last results of a workload may arrive while the next one is explored.
    }

    /// Returns random numbers for the next image that do not depend on when results of child processes arrive.
    private func draws(for purpose: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed &+ UInt64(coverage.imagesBuilt) << 20 &+ purpose << 60)
    }

    /// Builds one image again and opens it, even if an equal one was opened.
    func replay(_ reproducer: CrashReproducer, of recording: Recording) throws {
        let entries = recording.entries
        guard let point = CrashPoint(at: reproducer.point, reproducer.moment, of: entries, from: recording.start) else {
            throw CrashLabError.invalidReproducer(reproducer.text)
        }
        try judge(
            point.history.image(reproducer.image), reproducer, point.progress.rules(of: recording, reproducer.workload),
            stale: recording.lockFile, undoesAll: true)
    }

    /// Judges an image by the result of an equal one, or opens it.
    private func judge(
        _ image: DiskImage, _ reproducer: CrashReproducer, _ rules: ImageRules, stale: [UInt8],
        limits: ExplorationLimits = ExplorationLimits(), undoesAll: Bool
    ) throws {
        var draws = draws(for: 2)
        coverage.imagesBuilt += 1
        let reachableDigest = Self.reachableDigest(of: image, rules.workload.pack)
        let isDifferent = different.insert(image.digest).inserted
        if isDifferent { coverage.imagesDifferent += 1 }
        let isSample = isDifferent && draws.number(below: Self.repeatedSample) == 0
        guard !rules.mustExist || image.files[Recording.dataPath] != nil else {
            violations.append(CrashViolation(reproducer: reproducer.text, problem: "\(ImageViolation.storeIsGone)"))
            return
        }
        if !isSample {
            if let state = found[reachableDigest] { return settle(state, reproducer, rules) }
            if waiting[reachableDigest] != nil {
                waiting[reachableDigest]?.append((reproducer, rules))
                return
            }
        }
        waiting[reachableDigest] = waiting[reachableDigest] ?? []
        coverage.count("lock file", reproducer.lock.name)
        coverage.imagesOpened += 1
        var opened = image
        reproducer.lock.put(into: &opened, stale: stale)
        // Recoveries of one workload are alike, so only a sample is interrupted.
        let interrupts =
            coverage.recoveriesInterrupted < recoveriesBefore + limits.interruptions
            || draws.number(below: limits.interruptedShare) == 0
        try pool.start { [scratch] slot, reporter in
            DiskLog.detach()
            let check = ImageCheck(
                rules: rules, folder: "\(scratch)/image-\(slot)", reporter: reporter, undoesAll: undoesAll,
                interruptsRecovery: interrupts)
            try check.run(opened)
        } then: { [self] ending in
            take(ending, of: reachableDigest, reproducer, rules)
        }
    }

    private func take(
        _ ending: ChildPool.Ending, of reachableDigest: UInt64, _ reproducer: CrashReproducer, _ rules: ImageRules
    ) {
        if let nested = ending.value(of: "nested").flatMap({ Int($0) }) {
            coverage.recoveriesInterrupted += 1
            coverage.imagesOfRecoveries += nested
        }
        let others = waiting.removeValue(forKey: reachableDigest) ?? []
        if let failure = ending.failure {
            let interrupted =
                ending.value(of: "interrupted").flatMap { $0 == "none" ? nil : $0 }.map {
                    ", recovery interrupted at \($0)"
                } ?? ""
            violations.append(CrashViolation(reproducer: reproducer.text, problem: failure + interrupted))
            return
        }
        guard let state = ending.value(of: "state").flatMap({ UInt64($0) }) else { return }
        if let before = found.updateValue(state, forKey: reachableDigest), before != state {
            let problem = "images with equal reachable pages show different states"
            violations.append(CrashViolation(reproducer: reproducer.text, problem: problem))
        }
        for (reproducer, rules) in others { settle(state, reproducer, rules) }
    }

    /// What determines the result of opening an image: the reachable part of the data file. Without a data file only
    /// the names of leftovers of an interrupted creation matter, not their bytes.
    private static func reachableDigest(of image: DiskImage, _ pack: LabPack) -> UInt64 {
        let digest = image.files[Recording.dataPath] != nil ? image.imageDigest() : image.digest { _, _ in 0 }
        // Opening creates what the domain declares.
        var running = RunningDigest(seed: digest)
        running.mix(pack.rawValue)
        return running.value
    }

    /// Judges an image that is equal to one already opened: only the promises made by then may differ.
    private func settle(_ state: UInt64, _ reproducer: CrashReproducer, _ rules: ImageRules) {
        do {
            try rules.check(state) { nil }
        } catch {
            violations.append(CrashViolation(reproducer: reproducer.text, problem: "\(error)"))
        }
    }
}
