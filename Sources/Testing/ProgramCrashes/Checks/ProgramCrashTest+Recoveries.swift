import LabSupport

/// Crashes the check itself: the first opening after a crash repairs files, and may be interrupted.
extension ProgramCrashTest {
    private static let imagesOfRecovery = 150

    /// Records the check on some intact images, and crashes it at each of its calls.
    func crashRecoveries(
        _ recording: ProgramRecording, _ lines: AcknowledgedLines, _ pool: CheckerPool, _ tracer: ProgramTracer
    ) throws {
        var recoveries = ProgramCrashReport.Recoveries()
        var own = tracer
        own.acknowledgmentDescriptor = 9
        let explorer = ImageExplorer(recording: recording, seed: options.seed)
        for (key, image) in try intactImages(explorer) {
            guard let (disk, _) = explorer.disk(at: image.recipe) else { continue }
            let number = recoveries.recorded
            let name = "recovery-\(number)"
            progress("crash recovery \(number + 1)")
            try CheckerProcess.fill(tracer.folder, with: disk.image(image.recipe).imageBytes())
            let told = lines.first(key.acknowledged)
            try ReportFiles.write(told, to: "\(options.report)/\(name).lines")
            let recovery = try own.record(
                options.check, name: name, input: "\(options.report)/\(name).lines", names: names)
            recoveries.recorded += 1
            recoveries.calls += recovery.events.count(where: \.isCall)
            guard recovery.status == 0 else {
                report.notes.append("The check of \(image.recipe) ended differently when it was recorded.")
                continue
            }
            if let files = recovery.incompleteness() { throw ProgramCrashError.incomplete(files) }
            try crash(recovery, name, told, pool, &recoveries)
        }
        report.recoveries = recoveries
    }

    /// Intact images: half of them on the gentlest disk, half on the harshest.
    private func intactImages(_ explorer: ImageExplorer) throws -> [(ImageKey, ExploredImage)] {
        var random = SeededGenerator(seed: options.seed)
        var chosen: [(ImageKey, ExploredImage)] = []
        for model in Set([options.disks.min(), options.disks.max()].compactMap(\.self)).sorted() {
            let result = try explorer.explore(
                model,
                shouldContinue: {
                    try checkpoint()
                    return true
                })
            var intact = result.new.filter { outcomes[$0.key] == .kept }.sorted { $0.key.digest < $1.key.digest }
            for _ in 0..<min(intact.count, (options.recoveries + 1) / 2) where chosen.count < options.recoveries {
                let image = intact.remove(at: random.number(below: intact.count))
                chosen.append((image.key, image.value))
            }
        }
        return chosen
    }

    private func crash(
        _ recovery: ProgramRecording, _ name: String, _ told: [UInt8], _ pool: CheckerPool,
        _ recoveries: inout ProgramCrashReport.Recoveries
    ) throws {
        let explorer = ImageExplorer(recording: recovery, seed: options.seed)
        var known: Set<ImageKey> = []
        for model in Set([.killed, options.disks.max() ?? .killed]).sorted() {
            let result = try explorer.explore(model, isKnown: { known.contains($0) }) {
                try checkpoint()
                return true
            }
            let images = result.new.sorted {
                ($0.value.priority, $0.value.recipe.event, $0.key.digest)
                    < ($1.value.priority, $1.value.recipe.event, $1.key.digest)
            }.prefix(Self.imagesOfRecovery)
            known.formUnion(images.map(\.key))
            try pool.check(
                Dictionary(uniqueKeysWithValues: images.map { ($0.key, $0.value) }), of: explorer, lines: told,
                shouldContinue: {
                    try checkpoint()
                    return true
                }
            ) { _, image, outcome in
                recoveries.images += 1
                guard case .broken(let kind, let text) = outcome else { return }
                recoveries.broken[kind, default: 0] += 1
                let label = "\(kind) after a crash of the check"
                guard !report.examples.contains(where: { $0.kind == label }),
                    var example = ImageDescription.example(
                        of: image.recipe, in: explorer, kind: label, text: text, prefix: "\(name):")
                else { return }
                example.brokenOn = [model]
                example.isAllowed = options.allowed.contains(kind)
                report.examples.append(example)
            }
        }
    }
}
