import KeyValue
import Records

/// The store under a fault: what is done before, the operation that the fault strikes, and how it goes on.
struct FaultAttempt {
    private let workload: LabWorkload
    private let path: String
    private let states: [UInt64: [Int]]
    private var model: LabModel
    private var store: LabStore?
    /// The operation under the fault; nil when opening is.
    private var action: LabAction?
    /// The number of the state before it.
    private var before = 0

    init(workload: LabWorkload, path: String, states: [UInt64: [Int]]) {
        self.workload = workload
        self.path = path
        self.states = states
        model = LabWorkload.Base.model(of: workload.base)
    }

    /// Does all but the last operation.
    mutating func prepare() throws {
        DiskLog.note(.issued, 0)
        guard let last = workload.steps.indices.last else { return }
        store = try LabStore(at: path, options: workload.options)
        DiskLog.note(.acknowledged, 0)
        for (index, step) in workload.steps.enumerated() {
            guard let action = model.action(for: step) else { continue }
            if index == last {
                self.action = action
            } else {
                try perform(action, index: index)
                before += 1
            }
        }
    }

    /// Does the operation that the fault is for, and returns what the caller hears.
    mutating func strike() -> FaultAnswer {
        do {
            if let action {
                DiskLog.note(.issued, Int64(before + 1))
                store?.setStep(workload.steps.count)
                try store?.perform(action)
                DiskLog.note(.acknowledged, Int64(before + 1))
            } else {
                store = try LabStore(at: path, options: workload.options)
                DiskLog.note(.acknowledged, 0)
            }
            return .isIn
        } catch {
            return FaultAnswer(error)
        }
    }

    /// Looks whether what the caller was told is true, and goes on as a caller would: without a restart where writing goes
    /// on, by opening again where it has stopped.
    mutating func goOn(after answer: FaultAnswer) throws {
        let after = before + (action == nil ? 0 : 1)
        switch answer {
        case .untyped(let error):
            throw FaultViolation.untyped(error)
        case .isIn:
            // The map could not be made larger behind the commit: the store has closed itself, and says so.
            if isClosed { try reopen() }
            try expect([after], told: answer)
        case .isOut(let stops, _):
            // What was refused must not turn up later.
            DiskLog.note(.issued, Int64(before))
            if stops || store == nil {
                try expectRefusal()
                try reopen()
            }
            try expect([before], told: answer)
        case .isUnknown:
            try expectRefusal()
            try reopen()
            try expect(before == after ? [after] : [before, after], told: answer)
        }
        if let action, try number() == before {
            DiskLog.note(.issued, Int64(after))
            try perform(action, index: workload.steps.count - 1)
        } else if let action {
            model.apply(action, at: LabStore.instant(ofStep: workload.steps.count))
        }
        try expect([after], told: answer)
        guard let next = model.action(for: FaultRun.afterwards) else { return }
        DiskLog.note(.issued, Int64(after + 1))
        try perform(next, index: workload.steps.count)
        try expect([after + 1], told: answer)
        if let problem = try store?.problems().first { throw FaultViolation.notClean(problem) }
        store?.close()
    }

    private mutating func perform(_ action: LabAction, index: Int) throws {
        store?.setStep(index + 1)
        try store?.perform(action)
        model.apply(action, at: LabStore.instant(ofStep: index + 1))
        DiskLog.note(.acknowledged, Int64(try number() ?? -1))
    }

    /// Once writing has stopped, it must not go on behind the failed flush.
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
        store = try LabStore(at: path, options: workload.options)
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

    private func expect(_ numbers: [Int], told: FaultAnswer) throws {
        guard let number = try number() else {
            throw FaultViolation.wrongState(told.name, "what is there is no state that the store should have")
        }
        guard numbers.contains(number) else {
            throw FaultViolation.wrongState(told.name, "state \(number) is there instead of \(numbers)")
        }
    }
}
