/// Leaves out one flush at a time.
extension ProgramCrashTest {
    private static let imagesOfFlush = 400

    /// Lists the flushes without which no image was broken.
    func leaveOutEachFlush(_ recording: ProgramRecording, _ pool: CheckerPool) throws {
        guard let model = options.disks.max() else { return }
        var needless: [String] = []
        for flush in recording.events where flush.isFlush {
            progress("without \(flush.words)")
            let number = flush.number
            var explorer = ImageExplorer(
                recording: recording, seed: options.seed, isIgnored: { $0.number == number })
            explorer.isWanted = { moment, _ in moment.event.number >= number }
            let result = try explorer.explore(
                model,
                shouldContinue: {
                    try checkpoint()
                    return true
                })
            let chosen = result.new.sorted {
                ($0.value.priority, $0.value.recipe.event, $0.key.digest)
                    < ($1.value.priority, $1.value.recipe.event, $1.key.digest)
            }.prefix(Self.imagesOfFlush)
            var isNeeded = false
            try pool.check(
                Dictionary(uniqueKeysWithValues: chosen.map { ($0.key, $0.value) }), of: explorer,
                shouldContinue: {
                    try checkpoint()
                    return !isNeeded
                }
            ) { _, _, outcome in
                if outcome.isBroken { isNeeded = true }
            }
            if !isNeeded { needless.append("\(number) \(flush.words)") }
        }
        report.needlessFlushes = needless
    }
}
