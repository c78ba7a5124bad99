import DiskRecording
import DomainPacks
import KeyValue
import Records

/// A store under a disk fault: preparation, the failing operation, and what follows.
struct FaultAttempt {
    private let workload: LabWorkload
    private let path: String
    private let states: [UInt64: [Int]]
    private var model: LabModel
    private var store: LabStore?
    /// The operation under the fault; nil if opening is.
    private var action: PackAction?
    /// The number of the state before it.
    private var before = 0

    init(workload: LabWorkload, path: String, states: [UInt64: [Int]]) {
        self.workload = workload
        self.path = path
        self.states = states
        model = workload.model(of: workload.base)
    }

    /// Performs all but the last operation.
    mutating func prepare() throws {
        DiskLog.note(.issued, 0)
        guard let last = workload.steps.indices.last else { return }
        store = try LabStore(at: path, of: workload.pack, options: workload.options)
        DiskLog.note(.acknowledged, 0)
        for (index, step) in workload.steps.enumerated() {
            guard let action = model.action(for: step, at: index + 1) else { continue }
            if index == last {
                self.action = action
            } else {
                try perform(action, index: index)
                before += 1
            }
        }
    }

    /// Performs the operation under the fault and returns what it reported.
    mutating func attemptOperation() -> ReportedResult {
        do {
            if let action {
                DiskLog.note(.issued, Int64(before + 1))
                store?.setStep(workload.steps.count)
                try store?.perform(action)
                DiskLog.note(.acknowledged, Int64(before + 1))
            } else {
                store = try LabStore(at: path, of: workload.pack, options: workload.options)
                DiskLog.note(.acknowledged, 0)
            }
            return .committed
        } catch {
            return ReportedResult(error)
        }
    }

    /// Checks that the reported result is true, then continues as a caller would: directly if writing continues, after
    /// a reopen if it stopped.
    ///
    /// - Parameter closes: whether the caller closes the store after a refused write, and opens it again.
    mutating func resume(after answer: ReportedResult, closing closes: Bool) throws {
        let after = before + (action == nil ? 0 : 1)
        switch answer {
        case .untyped(let error):
            throw FaultViolation.untyped(error)
        case .committed:
            // The map could not be enlarged after the commit, so the store has closed itself.
            if isClosed { try reopen() }
            try expect([after], answer: answer)
        case .notCommitted(let stops, _):
            // A refused write must not appear later.
            DiskLog.note(.issued, Int64(before))
            if stops || store == nil {
                try expectRefusal()
                try reopen()
            } else if closes {
                store?.close()
                try reopen()
            }
            try expect([before], answer: answer)
        case .commitUnknown:
            try expectRefusal()
            try reopen()
            try expect(before == after ? [after] : [before, after], answer: answer)
        }
        if let action, try number() == before {
            DiskLog.note(.issued, Int64(after))
            try perform(action, index: workload.steps.count - 1)
        } else if let action {
            model.apply(action)
        }
        try expect([after], answer: answer)
        guard let step = workload.continued.steps.last, let next = model.action(for: step, at: workload.steps.count + 1)
        else { return }
        DiskLog.note(.issued, Int64(after + 1))
        try perform(next, index: workload.steps.count)
        try expect([after + 1], answer: answer)
        if let problem = try store?.problems().first { throw FaultViolation.notClean(problem) }
        store?.close()
    }

    private mutating func perform(_ action: PackAction, index: Int) throws {
        store?.setStep(index + 1)
        try store?.perform(action)
        model.apply(action)
        DiskLog.note(.acknowledged, Int64(try number() ?? -1))
    }

    /// After a failed flush, writing must stay stopped.
    private func expectRefusal() throws {
        guard let store else { return }
        do {
            try store.perform(.create(1 << 19, on: nil, noteLength: 0))
        } catch {
            return
        }
        throw FaultViolation.writesAfterFailure
    }

    private mutating func reopen() throws {
        store = try LabStore(at: path, of: workload.pack, options: workload.options)
    }

    private var isClosed: Bool {
        do {
            _ = try number()
            return false
        } catch RecordsError.engine(.closed), KeyValueError.closed {
            return true
        } catch {
            return false
        }
    }

    private func number() throws -> Int? {
        guard let store else { return nil }
        return states[try store.digest()]?.first
    }

    private func expect(_ numbers: [Int], answer: ReportedResult) throws {
        guard let number = try number() else {
            throw FaultViolation.wrongState(answer.name, "the content is no state of the workload")
        }
        guard numbers.contains(number) else {
            throw FaultViolation.wrongState(answer.name, "found state \(number) instead of \(numbers)")
        }
    }
}
