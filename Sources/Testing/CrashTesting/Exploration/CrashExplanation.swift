import DiskRecording

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
