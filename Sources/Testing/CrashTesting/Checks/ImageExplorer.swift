/// Builds the images that crashes of recorded runs could leave, and has each opened once.
final class ImageExplorer {
    private let pool: ChildPool
    private let scratch: String
    private let seed: UInt64
    private let coverage: Coverage
    /// What was found in the images that were opened, by the digest of what LMDB can reach of them: the digest of the
    /// state that they showed.
    private var found: [UInt64: UInt64] = [:]
    /// Those that wait for such an answer.
    private var waiting: [UInt64: [(CrashRecipe, ImageRules)]] = [:]
    /// Digests of all bytes, to tell how many different images there were.
    private var different: Set<UInt64> = []
    private(set) var violations: [CrashViolation] = []
    /// How many recoveries had been interrupted when this workload's turn came.
    private var recoveriesBefore = 0

    /// Of the images that differ only in bytes which LMDB cannot reach, one in so many is opened all the same: the
    /// claim that they are equal is tried, too.
    private static let repeatedSample = 256

    init(pool: ChildPool, scratch: String, seed: UInt64, coverage: Coverage) {
        self.pool = pool
        self.scratch = scratch
        self.coverage = coverage
        self.seed = seed
    }

    /// Explores every crash point of a recording after the transaction `first` was issued, until told to stop.
    func explore(
        _ recording: Recording, of workload: LabWorkload, from first: Int = 0, limits: ExplorationLimits,
        while goesOn: () -> Bool
    ) throws {
        recoveriesBefore = coverage.recoveriesInterrupted
        var history = DiskHistory(recording.start)
        var progress = RunProgress()
        for (index, entry) in recording.entries.enumerated() {
            switch entry {
            case .mark(let kind, let value, _):
                progress.take(kind, value)
                // Between the promise and the next call, which after the last transaction never comes.
                guard LabMark(rawValue: kind) == .acknowledged, progress.issued >= first else { continue }
                guard goesOn() else { return }
                coverage.count("crash points", "acknowledged")
                let point = CrashPoint(index: index, moment: .after, rules: progress.rules(of: recording, workload))
                try explore(history, at: point, of: recording, limits: limits, while: goesOn)
            case .call(let call):
                if call.changesDisk, progress.issued >= first {
                    for moment in CrashMoment.worthTrying(of: call) {
                        guard goesOn() else { return }
                        var crashed = history
                        if moment == .during { crashed.begin(call) } else { crashed.apply(call) }
                        coverage.count("crash points", "\(call.kind)")
                        let point = CrashPoint(
                            index: index, moment: moment, rules: progress.rules(of: recording, workload))
                        guard recording.entries.isLast(index, ofCallsThatPend: call) else {
                            // What the next call leaves pending includes all that this one does.
                            try judgeProcessDeath(crashed, at: point, of: recording)
                            continue
                        }
                        try explore(crashed, at: point, of: recording, limits: limits, while: goesOn)
                    }
                }
                history.apply(call)
            }
        }
        // A workload may be done before the last of its answers are in; the rest comes with the next one's.
    }

    /// Draws for the next image: the same for the same seed, whenever the answers of children come in.
    private func draws(for purpose: UInt64) -> SeededBits {
        SeededBits(seed: seed &+ UInt64(coverage.imagesBuilt) << 20 &+ purpose << 60)
    }

    private struct CrashPoint {
        let index: Int
        let moment: CrashMoment
        let rules: ImageRules
    }

    private func explore(
        _ history: DiskHistory, at point: CrashPoint, of recording: Recording, limits: ExplorationLimits,
        while goesOn: () -> Bool
    ) throws {
        for image in RecipeSource(history: history, limits: limits, seed: UInt64(point.index)) {
            guard goesOn() else { return }
            var draws = draws(for: 1)
            let lock = LockFile.allCases[draws.number(below: LockFile.allCases.count)]
            let recipe = CrashRecipe(
                workload: point.rules.workload, point: point.index, moment: point.moment, image: image, lock: lock)
            let keepsAll = image == .all(of: history.units.count)
            coverage.count("images", image.className(of: history.units.count))
            try judge(
                history.image(image), recipe, point.rules, stale: recording.lockFile,
                // Worth it once for each state.
                undoesAll: keepsAll)
        }
    }

    /// What is left when the process dies and the system goes on: everything.
    private func judgeProcessDeath(_ history: DiskHistory, at point: CrashPoint, of recording: Recording) throws {
        let image = ImageRecipe.all(of: history.units.count)
        let recipe = CrashRecipe(
            workload: point.rules.workload, point: point.index, moment: point.moment, image: image, lock: .stale)
        coverage.count("images", image.className(of: history.units.count))
        try judge(history.image(image), recipe, point.rules, stale: recording.lockFile, undoesAll: false)
    }

    /// Builds one image again and opens it, whatever is known of equal ones.
    func replay(_ recipe: CrashRecipe, of recording: Recording) throws {
        var history = DiskHistory(recording.start)
        var progress = RunProgress()
        for (index, entry) in recording.entries.enumerated() {
            switch entry {
            case .mark(let kind, let value, _):
                progress.take(kind, value)
            case .call(let call):
                if index == recipe.point, recipe.moment == .during { history.begin(call) } else { history.apply(call) }
            }
            guard index == recipe.point else { continue }
            return try judge(
                history.image(recipe.image), recipe, progress.rules(of: recording, recipe.workload),
                stale: recording.lockFile, undoesAll: true)
        }
        throw CrashLabError.badRecipe(recipe.text)
    }

    /// Judges one image by what is known of an equal one, else by opening it.
    private func judge(
        _ image: DiskImage, _ recipe: CrashRecipe, _ rules: ImageRules, stale: [UInt8], undoesAll: Bool
    ) throws {
        var draws = draws(for: 2)
        coverage.imagesBuilt += 1
        let meaning = Self.meaning(of: image)
        let isDifferent = different.insert(image.digest).inserted
        if isDifferent { coverage.imagesDifferent += 1 }
        let isSample = isDifferent && draws.number(below: Self.repeatedSample) == 0
        guard !rules.mustExist || image.files[Recording.dataPath] != nil else {
            violations.append(CrashViolation(recipe: recipe.text, problem: "\(ImageViolation.storeIsGone)"))
            return
        }
        if !isSample {
            if let state = found[meaning] { return settle(state, recipe, rules) }
            if waiting[meaning] != nil {
                waiting[meaning]?.append((recipe, rules))
                return
            }
        }
        waiting[meaning] = waiting[meaning] ?? []
        coverage.count("lock file", recipe.lock.name)
        coverage.imagesOpened += 1
        var opened = image
        recipe.lock.put(into: &opened, stale: stale)
        // Recoveries of one workload are much alike, so of many only some are interrupted.
        let interrupts =
            coverage.recoveriesInterrupted < recoveriesBefore + 24 || draws.number(below: 16) == 0
        try pool.start { [scratch] slot, voice in
            DiskLog.leave()
            let check = ImageCheck(
                rules: rules, folder: "\(scratch)/image-\(slot)", voice: voice, undoesAll: undoesAll,
                interruptsRecovery: interrupts)
            try check.run(opened)
        } then: { [self] ending in
            take(ending, of: meaning, recipe, rules)
        }
    }

    private func take(_ ending: ChildPool.Ending, of meaning: UInt64, _ recipe: CrashRecipe, _ rules: ImageRules) {
        if let nested = ending.value(of: "nested").flatMap({ Int($0) }) {
            coverage.recoveriesInterrupted += 1
            coverage.imagesOfRecoveries += nested
        }
        let others = waiting.removeValue(forKey: meaning) ?? []
        if let failure = ending.failure {
            let interrupted =
                ending.value(of: "interrupted").flatMap { $0 == "none" ? nil : $0 }.map {
                    ", recovery interrupted at \($0)"
                } ?? ""
            violations.append(CrashViolation(recipe: recipe.text, problem: failure + interrupted))
            return
        }
        guard let state = ending.value(of: "state").flatMap({ UInt64($0) }) else { return }
        if let before = found.updateValue(state, forKey: meaning), before != state {
            let problem = "images that LMDB should not be able to tell apart show different states"
            violations.append(CrashViolation(recipe: recipe.text, problem: problem))
        }
        for (recipe, rules) in others { settle(state, recipe, rules) }
    }

    /// What decides how opening an image goes: what LMDB can reach of the data file. Where the store is not there, the
    /// bytes of a creation that was cut off decide nothing, only the names that are to be cleared away.
    private static func meaning(of image: DiskImage) -> UInt64 {
        if image.files[Recording.dataPath] != nil { return image.imageDigest() }
        return image.digest { _, _ in 0 }
    }

    /// An image that is equal to one that was opened: only what was promised by then may differ.
    private func settle(_ state: UInt64, _ recipe: CrashRecipe, _ rules: ImageRules) {
        do {
            try rules.check(state) { nil }
        } catch {
            violations.append(CrashViolation(recipe: recipe.text, problem: "\(error)"))
        }
    }
}
