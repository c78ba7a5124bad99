import DiskRecording

/// Whether a crash happens during a call or after it has returned.
enum CrashMoment: String, Sendable {
    case during = "-"
    case after = "+"

    /// Whatever a call may leave while in progress it may leave afterwards as well, unless it makes something durable by
    /// itself.
    static func relevant(of call: DiskCall) -> [CrashMoment] {
        call.isSynchronous ? [.during, .after] : [.after]
    }
}

/// The progress of a run at a crash point.
struct RunProgress {
    private(set) var issued = 0
    private(set) var acknowledged = 0
    private(set) var isOpen = false

    /// The states that an image may show: from the last acknowledged transaction to the last issued one.
    var allowed: ClosedRange<Int> { acknowledged...max(acknowledged, issued) }

    mutating func take(_ kind: UInt32, _ value: Int64) {
        switch LabMark(rawValue: kind) {
        case .issued: issued = Int(value)
        case .acknowledged:
            acknowledged = Int(value)
            isOpen = true
        default: break
        }
    }
}

/// A point of a recording at which a crash can happen, and the disk history up to it.
struct CrashPoint {
    /// The index of the entry at which the crash happens.
    let index: Int
    let moment: CrashMoment
    let history: DiskHistory
    let progress: RunProgress
    /// Whether the next entry is something other than one more call with pending changes.
    let isLast: Bool
    /// The kind of call, as counted in the coverage table.
    let kind: String

    var isAcknowledged: Bool { progress.acknowledged > 0 }

    /// Returns the outcomes to try. The next call's pending changes include all of this one's, except for the death of
    /// the process.
    func outcomes(limits: ExplorationLimits, seed: UInt64 = 0) -> AnySequence<CrashOutcome> {
        isLast
            ? AnySequence(CrashOutcomes(history: history, limits: limits, seed: seed &+ UInt64(index)))
            : AnySequence([.all(of: history.units.count)])
    }
}

extension CrashPoint {
    /// Returns the crash point at an entry, whether or not exploration would try it; nil beyond the end.
    init?(at index: Int, _ moment: CrashMoment, of entries: [DiskLog.Entry], from start: DiskImage) {
        guard entries.indices.contains(index) else { return nil }
        var history = DiskHistory(start)
        var progress = RunProgress()
        for (number, entry) in entries[...index].enumerated() {
            switch entry {
            case .mark(let kind, let value, _): progress.take(kind, value)
            case .call(let call) where number == index && moment == .during: history.begin(call)
            case .call(let call): history.apply(call)
            }
        }
        self.init(index: index, moment: moment, history: history, progress: progress, isLast: true, kind: "replay")
    }
}

/// The crash points of a recording: each call that changes the disk, and each acknowledgment.
struct CrashPoints: Sequence, IteratorProtocol {
    private let entries: [DiskLog.Entry]
    private let first: Int
    private var history: DiskHistory
    private var progress = RunProgress()
    private var index = 0
    private var waiting: [CrashPoint] = []

    /// - Parameters:
    ///   - start: the recorded folder before.
    ///   - first: the number of the transaction that must have been issued.
    init(of entries: [DiskLog.Entry], from start: DiskImage, after first: Int = 0) {
        self.entries = entries
        self.first = first
        history = DiskHistory(start)
    }

    mutating func next() -> CrashPoint? {
        while waiting.isEmpty, index < entries.count {
            switch entries[index] {
            case .mark(let kind, let value, _):
                progress.take(kind, value)
                // The point between the acknowledgment and the next call, which never comes after the last transaction.
                if LabMark(rawValue: kind) == .acknowledged, progress.issued >= first {
                    add(.after, history, isLast: true, kind: "acknowledged")
                }
            case .call(let call):
                let moments = call.changesDisk && progress.issued >= first ? CrashMoment.relevant(of: call) : []
                for moment in moments where moment == .during {
                    var crashed = history
                    crashed.begin(call)
                    add(moment, crashed, isLast: entries.isLast(index, ofPendingCalls: call), kind: "\(call.kind)")
                }
                history.apply(call)
                if !moments.isEmpty {
                    add(.after, history, isLast: entries.isLast(index, ofPendingCalls: call), kind: "\(call.kind)")
                }
            }
            index += 1
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private mutating func add(_ moment: CrashMoment, _ history: DiskHistory, isLast: Bool, kind: String) {
        waiting.append(
            CrashPoint(
                index: index, moment: moment, history: history, progress: progress, isLast: isLast, kind: kind))
    }
}
