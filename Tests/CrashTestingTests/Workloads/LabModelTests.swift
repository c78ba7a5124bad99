import DomainPacks
import LabSupport
import TestSupport
import Testing

@testable import CrashTesting

/// Every image is judged by the model, so the model has to be right about stores without crashes.
@Suite struct LabModelTests {
    private func steps(of pack: LabPack, seed: UInt64, count: Int) -> [LabStep] {
        var bits = SeededGenerator(seed: seed)
        let operations = LabOperation.all(of: pack.type)
        return (0..<count).map { _ in
            LabStep(operations[bits.number(below: operations.count)], draw: bits.number(below: 997))
        }
    }

    @Test(
        "A store equals the model, and undo goes back through the model's states",
        arguments: TestBudget.range(3, long: 8), LabPack.allCases)
    func sequences(seed: UInt64, pack: LabPack) throws {
        let folder = try LabFolder()
        let store = try LabStore(at: folder.store, of: pack)
        defer { store.close() }
        var model = LabModel(of: pack.type)
        // The contents that undo and redo lead to, kept apart from the model; notes of a garden and deliveries of reminders are
        // not undone.
        var past: [[String]] = []
        var future: [[String]] = []
        func tracked(_ lines: [String]) -> [String] {
            lines.filter { !$0.hasPrefix("note") && !$0.hasPrefix("to be delivered") }
        }
        func expectSame(_ what: String) throws {
            let lines = try store.lines()
            #expect(lines == model.lines, "\(what): \(Difference.between(model.lines, lines))")
            #expect(model.undoDepth == past.count, "\(what)")
        }
        for (index, step) in steps(of: pack, seed: seed, count: 60).enumerated() {
            guard let action = model.action(for: step, at: index + 1) else { continue }
            let before = tracked(model.lines)
            store.setStep(index + 1)
            try store.perform(action)
            model.apply(action)
            switch action {
            case .undo:
                #expect(tracked(model.lines) == past.popLast())
                future.append(before)
            case .redo:
                #expect(tracked(model.lines) == future.popLast())
                past.append(before)
            case .compact: break
            case .changes(let changes) where changes.count == 2:
                past.append(before)
                // Undo passes through the state between the two.
                var between = model
                between.apply(.undo)
                past.append(tracked(between.lines))
                future = []
            case .changes:
                // Only notes have changed, or nothing has: a refused operation.
                if pack != .tasks, tracked(model.lines) == before { continue }
                past.append(before)
                future = []
            }
            try expectSame("seed \(seed), step \(index), \(step.text)")
        }
        #expect(try store.problems() == [])
        while let expected = past.popLast() {
            try store.perform(PackAction.undo)
            model.apply(.undo)
            #expect(tracked(model.lines) == expected)
            try expectSame("seed \(seed), undo to \(past.count)")
        }
        #expect(tracked(model.lines) == tracked(LabModel(of: pack.type).lines))
        #expect(throws: (any Error).self) { try store.perform(PackAction.undo) }
        #expect(try store.problems() == [])
    }

    @Test("A task's number and id determine each other", arguments: [1, 2, 255, 256, 70_000, 1 << 20])
    func numbers(number: Int) {
        #expect(TaskAction.number(of: TaskAction.id(number)) == number)
    }

    @Test("A step without a target has no action; the others are always possible")
    func possible() {
        let model = LabModel()
        let all = LabOperation.all(of: TaskPack.self)
        let possible = all.filter { model.action(for: LabStep($0)) != nil }
        #expect(Set(possible) == [.create, .pair, .importing, .large, .bulk, .compact])
        let small = LabWorkload().model(of: .small)
        #expect(all.filter { small.action(for: LabStep($0)) == nil } == [.redo])
        #expect(small.undoDepth == LabPack.tasks.start.count)
    }

    @Test("Every short operation of a domain has something to do in the store that its workloads begin with")
    func start() {
        for pack in LabPack.allCases {
            let model = LabWorkload(of: pack).model(of: .small)
            #expect(LabOperation.short(of: pack.type).filter { model.action(for: LabStep($0)) == nil } == [])
        }
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
