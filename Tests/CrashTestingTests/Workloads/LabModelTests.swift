import LabSupport
import TestSupport
import Testing

@testable import CrashTesting

/// Every image is judged by the model, so the model has to be right about stores without crashes.
@Suite struct LabModelTests {
    private func steps(seed: UInt64, count: Int) -> [LabStep] {
        var bits = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            LabStep(LabOperation.allCases[bits.number(below: 12)], draw: bits.number(below: 997))
        }
    }

    @Test(
        "A store equals the model, and undo goes back through the model's states",
        arguments: TestBudget.range(3, long: 8))
    func sequences(seed: UInt64) throws {
        let folder = try LabFolder()
        let store = try LabStore(at: folder.store)
        defer { store.close() }
        var model = LabModel(today: LabStore.today)
        // The states that undo and redo lead to, kept apart from the model.
        var past: [[String]] = []
        var future: [[String]] = []
        func expectSame(_ what: String) throws {
            let lines = try store.lines()
            #expect(lines == model.state.lines, "\(what): \(Difference.between(model.state.lines, lines))")
            #expect(model.undoDepth == past.count, "\(what)")
        }
        for (index, step) in steps(seed: seed, count: 40).enumerated() {
            guard let action = model.action(for: step) else { continue }
            let before = model.state.lines
            store.setStep(index + 1)
            try store.perform(action)
            model.apply(action, at: LabStore.instant(ofStep: index + 1))
            switch action {
            case .undo:
                #expect(model.state.lines == past.popLast())
                future.append(before)
            case .redo:
                #expect(model.state.lines == future.popLast())
                past.append(before)
            case .together(_, let second):
                past.append(before)
                // Undo passes through the state between the two.
                var between = model
                between.apply(.undo, at: LabStore.start)
                past.append(between.state.lines)
                #expect(second.operation != .several)
                future = []
            default:
                past.append(before)
                future = []
            }
            try expectSame("seed \(seed), step \(index), \(step.text)")
        }
        #expect(try store.problems() == [])
        while let expected = past.popLast() {
            try store.perform(.undo)
            model.apply(.undo, at: LabStore.start)
            #expect(model.state.lines == expected)
            try expectSame("seed \(seed), undo to \(past.count)")
        }
        #expect(model.state == LabModel.State() || model.state.lines == ["completions 0"])
        #expect(throws: (any Error).self) { try store.perform(.undo) }
        #expect(try store.problems() == [])
    }

    @Test("A task's number and id determine each other", arguments: [1, 2, 255, 256, 70_000, 1 << 20])
    func numbers(number: Int) {
        #expect(LabAction.number(of: LabAction.id(number)) == number)
    }

    @Test("A step without a target has no action; the others are always possible")
    func possible() {
        let model = LabModel(today: LabStore.today)
        let possible = LabOperation.allCases.filter { model.action(for: LabStep($0)) != nil }
        #expect(Set(possible) == [.create, .pair, .importing, .large, .bulk])
        let small = LabWorkload.Base.model(of: .small)
        let missing = LabOperation.allCases.filter { small.action(for: LabStep($0)) == nil }
        #expect(missing == [.redo])
        #expect(small.undoDepth == LabWorkload.Base.smallSteps.count)
    }

    @Test("Stores with equal bytes have equal digests, and one more transaction changes the digest")
    func digest() throws {
        let (one, other) = (try LabFolder(), try LabFolder())
        let first = try LabStore(at: one.store)
        let second = try LabStore(at: other.store)
        #expect(try first.digest() == second.digest())
        for store in [first, second] {
            store.setStep(1)
            try store.perform(.create(1, on: nil, noteLength: 0))
        }
        #expect(try first.digest() == second.digest())
        second.setStep(2)
        try second.perform(.setState(1, .active))
        #expect(try first.digest() != second.digest())
        first.close()
        second.close()
    }
}
