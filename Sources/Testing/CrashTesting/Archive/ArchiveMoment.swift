/// A moment at which a machine could stop, and what is durable then.
struct ArchiveMoment {
    let point: Int
    let sign: CrashMoment
    let history: DiskHistory
    let isAcknowledged: Bool
    /// Whether something else comes next than one more call that leaves things pending.
    let isLast: Bool
    let kind: String

    /// What to try. What the next call leaves pending includes all that this one does, but for the death of the process.
    func recipes(limits: ExplorationLimits) -> AnySequence<ImageRecipe> {
        isLast
            ? AnySequence(RecipeSource(history: history, limits: limits, seed: UInt64(point)))
            : AnySequence([.all(of: history.units.count)])
    }
}

extension ArchiveRecording {
    /// Behind each call and each promise from the beginning of the work on.
    var moments: [ArchiveMoment] {
        var moments: [ArchiveMoment] = []
        var history = DiskHistory(start)
        var progress = RunProgress()
        for (index, entry) in entries.enumerated() {
            switch entry {
            case .mark(let kind, let value, _):
                progress.take(kind, value)
                guard LabMark(rawValue: kind) == .acknowledged else { continue }
                moments.append(
                    ArchiveMoment(
                        point: index, sign: .after, history: history, isAcknowledged: true, isLast: true,
                        kind: "acknowledged"))
            case .call(let call):
                for sign in CrashMoment.worthTrying(of: call) where call.changesDisk && progress.issued > 0 {
                    var crashed = history
                    if sign == .during { crashed.begin(call) } else { crashed.apply(call) }
                    moments.append(
                        ArchiveMoment(
                            point: index, sign: sign, history: crashed, isAcknowledged: progress.acknowledged > 0,
                            isLast: entries.isLast(index, ofCallsThatPend: call), kind: "\(call.kind)"))
                }
                history.apply(call)
            }
        }
        return moments
    }
}
