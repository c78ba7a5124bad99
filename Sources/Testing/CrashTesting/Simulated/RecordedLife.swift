/// One watched folder: what it held at first, and the calls since.
struct RecordedLife: Sendable {
    let folder: String
    private let start: DiskImage
    private var counter = CallReader()
    /// The disk after the calls that were read so far.
    private var history: DiskHistory
    private var reader = CallReader()

    init(folder: String, start: DiskImage) {
        self.folder = folder
        self.start = start
        history = DiskHistory(start)
    }

    /// How many calls were made that can change what a disk holds.
    mutating func callCount() -> Int {
        counter.skipAll()
        return counter.count
    }

    /// A moment of the recording, as a crash finds it.
    struct Moment {
        var history: DiskHistory
        /// For instance "after call 5 of 9".
        var words: String
    }

    /// Now, after everything that was recorded.
    mutating func now() throws -> Moment {
        while let call = reader.next() { history.apply(call) }
        return try Moment(history: checked(history), words: "after all calls")
    }

    /// The moments at which a crash may come: after each of some calls, and during those that are durable by themselves.
    /// One of them is drawn.
    mutating func moment(within range: Range<Int>, isProcess: Bool, _ draws: inout SeededBits) throws -> Moment {
        let count = callCount()
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw CrashLabError.noSuchCalls(range, of: count)
        }
        if reader.count > range.lowerBound { restart() }
        // What comes before the range comes before each moment of it, so the next question begins here.
        while reader.count < range.lowerBound, let call = reader.next() { history.apply(call) }

        var calls: [DiskCall] = []
        var moments: [(end: Int, moment: CrashMoment)] = []
        var ahead = reader
        while ahead.count < range.upperBound, let call = ahead.next() {
            calls.append(call)
            guard call.changesDisk else { continue }
            // For the death of a process it is all the same whether a call is under way.
            let worthTrying = isProcess ? [.after] : CrashMoment.worthTrying(of: call)
            moments += worthTrying.map { (calls.count, $0) }
        }
        let (end, moment) = moments[draws.number(below: moments.count)]
        var crashed = history
        for call in calls[..<(end - 1)] { crashed.apply(call) }
        if moment == .during { crashed.begin(calls[end - 1]) } else { crashed.apply(calls[end - 1]) }
        let number = calls[..<end].count { $0.changesDisk }
        return try Moment(
            history: checked(crashed),
            words: "\(moment == .during ? "during" : "after") call \(number) of \(range.count)")
    }

    private mutating func restart() {
        history = DiskHistory(start)
        reader = CallReader()
    }

    private func checked(_ history: DiskHistory) throws -> DiskHistory {
        guard !DiskLog.hasOverflowed else { throw CrashLabError.logOverflowed }
        if let call = history.strayCalls.first { throw CrashLabError.strayCall("\(call.kind) on \(call.path)") }
        return history
    }
}
