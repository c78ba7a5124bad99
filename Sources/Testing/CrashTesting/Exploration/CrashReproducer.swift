import DiskRecording

/// Everything that determines a crash image, with a one-line text form that reproduces it.
struct CrashReproducer: Sendable {
    var workload: LabWorkload
    /// The index of the recorded entry at which the crash happens.
    var point: Int
    var moment: CrashMoment
    /// What became of the unflushed changes.
    var image: CrashOutcome
    var lock: LockFile

    /// For example `small:create,complete|17+|keep=0-3|stale`.
    var text: String { "\(workload.text)|\(point)\(moment.rawValue)|\(image)|\(lock.name)" }

    init(workload: LabWorkload, point: Int, moment: CrashMoment, image: CrashOutcome, lock: LockFile) {
        self.workload = workload
        self.point = point
        self.moment = moment
        self.image = image
        self.lock = lock
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, let workload = LabWorkload(parts[0]), let sign = parts[1].last,
            let moment = CrashMoment(rawValue: String(sign)), let point = Int(parts[1].dropLast()), point >= 0,
            let image = CrashOutcome(String(parts[2])),
            let lock = LockFile.allCases.first(where: { $0.name == parts[3] })
        else { return nil }
        self.init(workload: workload, point: point, moment: moment, image: image, lock: lock)
    }
}

extension CrashReproducer {
    /// Describes the crash in a recording of the workload: the log, what the disk kept, and the expected content.
    func explanation(in recording: Recording) -> [String] {
        guard let crash = CrashPoint(at: point, moment, of: recording.entries, from: recording.start) else { return [] }
        let rules = crash.progress.rules(of: recording, workload)
        return CrashExplanation.lines(of: recording.entries, at: crash, image)
            + ["the model after \(rules.allowed.lowerBound) acknowledged:"]
            + (workload.model(after: rules.allowed.lowerBound)?.lines ?? [])
    }
}

/// The context of a broken promise: the log up to the crash and what the disk kept.
enum CrashExplanation {
    static func lines(of entries: [DiskLog.Entry], at point: CrashPoint, _ outcome: CrashOutcome) -> [String] {
        let log = entries.prefix(point.index + 1).enumerated().compactMap { index, entry -> String? in
            switch entry {
            case .mark(let kind, let value, _):
                guard let mark = LabMark(rawValue: kind), mark == .issued || mark == .acknowledged else { return nil }
                return "\(index): \(mark) \(value)"
            case .call(let call): return call.changesDisk ? "\(index): \(text(of: call))" : nil
            }
        }
        let crash = point.moment == .during ? "<- the crash, during this" : "<- the crash, after this"
        let units = point.history.units.enumerated().map { "\($0): \($1) \(outcome.fate(of: $0))" }
        return ["the log, from 24 calls before:"] + log.suffix(24) + [crash, "what was not flushed then:"]
            + (units.isEmpty ? ["nothing"] : units)
    }

    private static func text(of call: DiskCall) -> String {
        let place = call.kind == .write ? " at \(call.offset), \(call.bytes.count) bytes" : ""
        let other = call.otherPath.isEmpty ? "" : " to \(call.otherPath)"
        return "\(call.kind) \(call.path)\(other)\(place)\(call.isSynchronous ? ", synchronous" : "")"
            + (call.hasFailed ? " failed (error \(call.error))" : "")
    }
}
