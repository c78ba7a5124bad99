import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct TagTests {
    @Test("Tags that differ only in case and accents are one, and are counted [N-3]")
    func counts() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0) })
        try await opened.tasks.tag([made[0].id, made[1].id], ["#Café", " deep  work ", "", "#"])
        try await opened.tasks.tag([made[0].id], ["CAFE", "x"])
        #expect(try opened.tasks.get(made[0].id)?.tags == ["Café", "deep work", "x"])
        try await opened.tasks.complete(made[1].id)
        #expect(
            try opened.tasks.tags() == [
                TaskTag(name: "Café", open: 1, all: 2), TaskTag(name: "deep work", open: 1, all: 2),
                TaskTag(name: "x", open: 1, all: 1),
            ])
        try await opened.tasks.untag([made[0].id], ["cafe", "missing"])
        #expect(try opened.tasks.get(made[0].id)?.tags == ["deep work", "x"])
        try await opened.tasks.edit(made[1].id) { $0.archivedAt = $0.createdAt }
        #expect(try opened.tasks.tags().map(\.name) == ["deep work", "x"])
        #expect(
            try opened.tasks.read { try $0.search("a", SearchFilter(tags: ["DEEP work", "x"])) }.records.count == 1)
        try opened.expectSound()
    }

    @Test("Tags as a person gives them are what a simple model says, and verify agrees [N-3]", arguments: 0..<8)
    func model(seed: UInt64) async throws {
        var dice = Dice(seed)
        let opened = try TestTasks(seed: seed)
        var model: [UUID: [String]] = [:]
        let names = ["a", "B", "ç", "two words", "a,b", "\"q\"", "x\ny"]
        for _ in 0..<60 {
            let names = (0...dice.below(2)).map { _ in names[dice.below(names.count)] }
            switch dice.below(4) {
            case 0: model[try await opened.tasks.create("t").id] = []
            case 1:
                guard let id = model.keys.sorted(by: { $0.lowercased < $1.lowercased }).first else { continue }
                try await opened.tasks.untag([id], names)
                model[id]?.removeAll { names.map { $0.replacing("\n", with: " ") }.contains($0) }
            default:
                guard let id = model.keys.max(by: { $0.lowercased < $1.lowercased }) else { continue }
                try await opened.tasks.tag([id], names)
                for name in names.map({ $0.replacing("\n", with: " ") }) where model[id]?.contains(name) == false {
                    model[id]?.append(name)
                }
            }
        }
        for (id, tags) in model { #expect(try opened.tasks.get(id)?.tags == tags) }
        let counts = Dictionary(model.values.joined().map { ($0, 1) }, uniquingKeysWith: +)
        let found = try opened.tasks.tags()
        #expect(found.allSatisfy { counts[$0.name] == $0.all } && found.count == counts.count)
        try opened.expectSound()
    }

    @Test("A priority that a newer version wrote stays, and is not changed here [N-3]")
    func priority() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("a")
        #expect(try await opened.tasks.setPriority([task.id], to: .high)[0].priority == .high)
        #expect(
            await taskError { try await opened.tasks.setPriority([task.id], to: .unknown(9)) }
                == .unknownValue(field: "priority"))
        _ = try await opened.store.write(TaskOperation.several.label) { transaction in
            var task = task
            task.priority = .unknown(9)
            try transaction.put(task)
        }
        #expect(
            await taskError { try await opened.tasks.setPriority([task.id], to: .low) }
                == .unknownValue(field: "priority"))
        #expect(try await opened.tasks.edit(task.id) { $0.text = "b" }.priority == .unknown(9))
    }
}
