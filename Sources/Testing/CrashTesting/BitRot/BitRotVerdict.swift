/// What one damaged store answered, gathered from the children that asked it.
struct BitRotVerdict {
    let trial: BitRotTrial
    /// The signal that ended a stage.
    private(set) var signals: [BitRotStage: Int32] = [:]
    private(set) var failures: [String] = []
    private var words: [String: [String]] = [:]

    init(_ trial: BitRotTrial) {
        self.trial = trial
    }

    mutating func take(_ word: String, _ value: String) {
        words[word, default: []].append(value)
    }

    mutating func ended(_ stage: BitRotStage, _ ending: ChildPool.Ending) {
        switch ending.way {
        case .killed(let signal): signals[stage] = signal
        case .finished, .exited, .timedOut: failures.append(ending.failure ?? "the process ended while \(stage.name)")
        }
    }

    private func values(_ word: String) -> [String] { words[word] ?? [] }

    // MARK: Answers

    /// Nothing that LMDB can see is different.
    var isHarmless: Bool { values("seen") == ["same"] }
    /// All of the store is as it was some transactions ago, as if the last writes had never reached the disk. Nothing in
    /// the file can tell.
    var isEarlierState: Bool { values("seen") == ["earlier"] }
    var isFound: Bool { signals[.verifying] != nil || values("problem").contains { !$0.isEmpty } }
    var firstProblem: String { values("problem").first { !$0.isEmpty } ?? "" }
    var readable: Int? { values("readable").first.flatMap { Int($0) } }
    var rebuilt: String {
        values("rebuilt").first ?? (signals[.rebuilding] == nil ? "not opened" : "ended by a signal")
    }
    /// Numbers that were told though they are not those of the undamaged store.
    var miscounts: [String] { values("miscount") }
    var wrong: [String] { values("wrong") }
    /// What undo made other than it should.
    var wronglyUndone: [String] { values("undone") }
    /// LMDB's own count of a table's pages is wrong, and nothing else.
    var isPageCountOnly: Bool { isHarmless && !values("pages").isEmpty }
    var isSpoiltByWriting: Bool { !values("spoilt").isEmpty || signals[.writing] != nil }

    /// How it came out, for the coverage table.
    var answer: String {
        if isHarmless { return isFound ? "harmless, reported all the same" : "harmless" }
        if signals[.verifying] != nil { return "ended verify by a signal" }
        if !values("closed").isEmpty { return "refused to open" }
        if isFound { return "found by verify" }
        return isEarlierState ? "an earlier state, whole" : "missed"
    }

    /// The promise that was broken, if one was.
    ///
    /// - Parameters:
    ///   - isInsideValue: whether the damage can concern one entry only.
    ///   - bringsOtherTimes: whether it brings what was right at another time.
    ///   - taskCount: how many tasks there are.
    func problem(isInsideValue: Bool, bringsOtherTimes: Bool, taskCount: Int) -> String? {
        if let failure = failures.first { return failure }
        if let (stage, signal) = signals.first(where: { Self.traps.contains($0.value) }) {
            return "the program trapped (signal \(signal)) while \(stage.name)"
        }
        if let untyped = values("untyped").first { return "an error without a type: \(untyped)" }
        if !isHarmless || isPageCountOnly, !isEarlierState, !isFound { return "verify does not find it" }
        if isSpoiltByWriting, !isEarlierState, !isFound { return "verify does not find what spoils later writes" }
        if let wrong = wrong.first, !bringsOtherTimes { return "wrong data is returned: \(wrong)" }
        // Where the record of the last operation is lost, nothing of it is left to be undone, and the one before is.
        if let undone = wronglyUndone.first, !bringsOtherTimes, readable == taskCount {
            return "wrong data is returned: \(undone)"
        }
        if let miscount = miscounts.first, !isFound, !isEarlierState {
            return "a wrong number is returned: \(miscount)"
        }
        if isInsideValue, !isHarmless, let readable, readable < taskCount - 1 {
            return "only \(readable) of \(taskCount) tasks can be read, though one value is damaged"
        }
        if !isEarlierState, let unmended = values("unmended").first { return "not right after a rebuild: \(unmended)" }
        return nil
    }

    /// SIGILL and SIGTRAP: how Swift ends a program that has broken one of its rules.
    private static let traps: Set<Int32> = [4, 5]
}
