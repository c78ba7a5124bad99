/// What was done to the disk while a workload ran, and what the store held after each transaction.
struct Recording: Sendable {
    /// The folder before.
    let start: DiskImage
    let entries: [DiskLog.Entry]
    /// The numbers of each state by its digest: state k is that after k transactions, and some change nothing.
    let states: [UInt64: [Int]]
    /// How many operations can be undone in each state.
    let undoDepths: [Int]
    /// What an export of the store holds when an import has ended, as a digest; nil without an import.
    let content: UInt64?
    /// The lock file as the workload left it.
    let lockFile: [UInt8]

    /// Where the store lies below the recorded folder. Its parent folder is the store's own to make.
    static let storePath = "home/store"
    static let dataPath = "home/store/data.mdb"
    static let lockPath = "home/store/lock.mdb"

    /// A recording of prepared entries; what the store held is what the run said between the calls.
    init(start: DiskImage, entries: [DiskLog.Entry], lockFile: [UInt8]) {
        self.start = start
        self.entries = entries
        self.lockFile = lockFile
        var states: [UInt64: [Int]] = [:]
        var depths: [Int] = []
        var number = 0
        var content: UInt64?
        for case .mark(let kind, let value, _) in entries {
            switch LabMark(rawValue: kind) {
            case .state: number = Int(value)
            case .digest: states[UInt64(bitPattern: value), default: []].append(number)
            case .undoDepth: depths.append(Int(value))
            case .content: content = UInt64(bitPattern: value)
            default: break
            }
        }
        self.content = content
        self.states = states
        undoDepths = depths
    }
}

/// What a workload says between the calls: everything stands in one order.
enum LabMark: UInt32 {
    /// A transaction is about to be asked for; the value is the number of the state it leads to.
    case issued = 1
    /// The call for it has returned.
    case acknowledged
    /// The two halves of what is known of a state: its number, then its digest.
    case state
    case digest
    /// How many operations can be undone in the state that was named last.
    case undoDepth
    /// A digest of what an export holds.
    case content
}

extension DiskLog {
    static func note(_ mark: LabMark, _ value: Int64) {
        note(kind: mark.rawValue, value: value)
    }
}

extension [DiskLog.Entry] {
    /// The calls, without what was said between them.
    var calls: [DiskCall] {
        compactMap { entry in
            if case .call(let call) = entry { call } else { nil }
        }
    }

    /// Whether after a call something else comes than one more call that leaves things pending: a flush, a promise, the end.
    func isLast(_ index: Int, ofCallsThatPend call: DiskCall) -> Bool {
        guard !call.isSynchronous, call.kind != .flush, call.kind != .flushData else { return true }
        for entry in self[(index + 1)...] {
            switch entry {
            case .mark(let kind, _, _): if kind <= LabMark.acknowledged.rawValue { return true }
            case .call(let next):
                guard next.changesDisk else { continue }
                return next.isSynchronous || next.kind == .flush || next.kind == .flushData
            }
        }
        return true
    }

    /// The calls as the lab wants them, see `CallPreparation`, and what was said between them.
    var prepared: Self {
        var preparation = CallPreparation()
        return compactMap { entry in
            guard case .call(let call) = entry else { return entry }
            return preparation.prepared(call).map { .call($0) }
        }
    }
}
