/// What a person needs to see of a broken promise: the log up to the crash, what the disk kept, and what should be there.
struct CrashExplanation {
    let recipe: CrashRecipe
    let recording: Recording

    var lines: [String] {
        var history = DiskHistory(recording.start)
        var progress = RunProgress()
        var log: [String] = []
        for (index, entry) in recording.entries.enumerated() where index <= recipe.point {
            switch entry {
            case .mark(let kind, let value, _):
                progress.take(kind, value)
                if let mark = LabMark(rawValue: kind), mark == .issued || mark == .acknowledged {
                    log.append("\(index): \(mark) \(value)")
                }
            case .call(let call):
                if call.changesDisk { log.append("\(index): \(Self.text(of: call))") }
                if index == recipe.point, recipe.moment == .during {
                    history.begin(call)
                } else {
                    history.apply(call)
                }
            }
        }
        log.append(recipe.moment == .during ? "<- the crash, during this" : "<- the crash, after this")
        let units = history.units.enumerated().map { index, unit in
            "\(index): \(unit) \(recipe.image.fate(of: index))"
        }
        let rules = progress.rules(of: recording, recipe.workload)
        let model = recipe.workload.model(after: rules.allowed.lowerBound).state.lines
        return ["the log, from 24 calls before:"] + log.suffix(24)
            + ["what was not flushed then:"] + (units.isEmpty ? ["nothing"] : units)
            + ["the model after \(rules.allowed.lowerBound) acknowledged:"] + model
    }

    static func text(of call: DiskCall) -> String {
        let place = call.kind == .write ? " at \(call.offset), \(call.bytes.count) bytes" : ""
        let other = call.otherPath.isEmpty ? "" : " to \(call.otherPath)"
        return "\(call.kind) \(call.path)\(other)\(place)\(call.isSynchronous ? ", synchronous" : "")"
            + (call.hasFailed ? " failed (error \(call.error))" : "")
    }
}
