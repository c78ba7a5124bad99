/// The responses of one damaged store, collected from the child processes that examined it.
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

    /// LMDB returns the same content as before.
    var isHarmless: Bool { values("seen") == ["same"] }
    /// The whole store is as it was some transactions earlier, as if the last writes had never reached the disk.
    /// Nothing in the file can show that.
    var isEarlierState: Bool { values("seen") == ["earlier"] }
    var isFound: Bool { signals[.verifying] != nil || values("problem").contains { !$0.isEmpty } }
    var firstProblem: String { values("problem").first { !$0.isEmpty } ?? "" }
    var readable: Int? { values("readable").first.flatMap { Int($0) } }
    var rebuilt: String {
        values("rebuilt").first ?? (signals[.rebuilding] == nil ? "not opened" : "ended by a signal")
    }
    /// How many records a salvage brings back as they were, and how many are on untouched pages.
    var salvaged: (salvaged: Int, untouched: Int)? {
        guard let salvaged = values("salvaged").first.flatMap({ Int($0) }),
            let untouched = values("untouched").first.flatMap({ Int($0) })
        else { return nil }
        return (salvaged, untouched)
    }
    /// A record that a salvage brings back and that was not so.
    var salvageWrong: String? { values("salvageWrong").first }
    /// Returned counts that differ from those of the undamaged store.
    var miscounts: [String] { values("miscount") }
    var wrong: [String] { values("wrong") }
    /// Records that differ after an undo.
    var undoErrors: [String] { values("undone") }
    /// Only LMDB's page count of a table is wrong.
    var isPageCountOnly: Bool { isHarmless && !values("pages").isEmpty }
    var isCorruptedByWriting: Bool { !values("corrupted").isEmpty || signals[.writing] != nil }

    /// The response, as counted in the coverage table.
    var answer: String {
        if isHarmless { return isFound ? "harmless, but reported" : "harmless" }
        if signals[.verifying] != nil { return "ended verify by a signal" }
        if !values("closed").isEmpty { return "refused to open" }
        if isFound { return "found by verify" }
        return isEarlierState ? "an earlier state, complete" : "missed"
    }

    /// Returns the broken promise; nil if there is none.
    ///
    /// - Parameters:
    ///   - isInsideValue: whether the damage can affect one entry only.
    ///   - bringsStaleData: whether the damage brings back data that was valid at another time.
    ///   - recordCount: the number of records in the undamaged store.
    func problem(isInsideValue: Bool, bringsStaleData: Bool, recordCount: Int) -> String? {
        if let failure = failures.first { return failure }
        if let (stage, signal) = signals.first { return "signal \(signal) ended the program while \(stage.name)" }
        if let untyped = values("untyped").first { return "untyped error: \(untyped)" }
        if !isHarmless || isPageCountOnly, !isEarlierState, !isFound { return "verify does not find it" }
        if isCorruptedByWriting, !isEarlierState, !isFound { return "verify does not find what corrupts later writes" }
        // A flipped bit in the number of a meta page's transaction brings back the state before, too.
        let isStale = bringsStaleData || isEarlierState
        if let wrong = wrong.first, !isStale { return "wrong data is returned: \(wrong)" }
        // If the record of the last operation is lost, undo reverts the operation before it.
        if let undone = undoErrors.first, !isStale, readable == recordCount {
            return "wrong data is returned: \(undone)"
        }
        if let miscount = miscounts.first, !isFound, !isEarlierState {
            return "a wrong count is returned: \(miscount)"
        }
        if isInsideValue, !isHarmless, let readable, readable < recordCount - 1 {
            return "only \(readable) of \(recordCount) records can be read although one value is damaged"
        }
        if let problem = values("salvageProblem").first, !isStale { return "after a salvage: \(problem)" }
        if let wrong = salvageWrong, !isStale { return "a salvage brings back \(wrong)" }
        if let (salvaged, untouched) = salvaged, salvaged < untouched, !isStale {
            return "a salvage brings back \(salvaged) records; \(untouched) are on untouched pages"
        }
        if !isEarlierState, let unrepaired = values("unrepaired").first {
            return "problems after a rebuild: \(unrepaired)"
        }
        return nil
    }
}

/// A damage and the store it applies to.
struct BitRotTrial: Hashable, Sendable {
    /// Determines the content of the store.
    var seed: UInt64
    var pack = LabPack.tasks
    var damage: PageDamage
}
