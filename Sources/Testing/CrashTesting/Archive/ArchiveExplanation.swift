/// What a person needs to see of a broken promise about files: the log up to the crash, and what of it the disk kept.
struct ArchiveExplanation {
    let recording: ArchiveRecording
    let moment: ArchiveMoment
    let image: ImageRecipe

    var lines: [String] {
        let log = recording.entries.prefix(moment.point + 1).compactMap { entry -> String? in
            guard case .call(let call) = entry, call.changesDisk else { return nil }
            return CrashExplanation.text(of: call)
        }
        let crash = moment.sign == .during ? "<- the crash, during this" : "<- the crash, after this"
        let units = moment.history.units.enumerated().map { index, unit in "\(index): \(unit) \(image.fate(of: index))"
        }
        return ["the log, from 24 calls before:"] + log.suffix(24) + [crash, "what was not flushed then:"]
            + (units.isEmpty ? ["nothing"] : units)
    }
}
