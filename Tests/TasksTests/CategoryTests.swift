import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct CategoryTests {
    @Test(
        "The categories and their counts equal those counted by hand after any changes [F-2]",
        arguments: 1...6 as ClosedRange<UInt64>)
    func property(seed: UInt64) async throws {
        let opened = try TestTasks(seed: seed)
        var dice = Dice(seed)
        let names = [
            "Work", "work", "WÖRK", "Home", "a category with a name that is longer than thirty bytes", " ", "",
        ]
        for step in 0..<120 {
            var ids: [UUID] = []
            try opened.tasks.read { reading in try reading.forEach { task, _ in ids.append(task.id) } }
            switch ids.isEmpty ? 0 : dice.below(8) {
            case 0, 1:
                try await opened.tasks.create("\(step)")
                if dice.chance(50) { opened.clock.advance(byMicroseconds: 1000) }
            case 2, 3, 4:
                let name = dice.chance(20) ? nil : dice.pick(names)
                try await opened.tasks.edit(dice.pick(ids)) { $0.category = name }
            case 5: try await opened.tasks.cycle(dice.pick(ids))
            case 6: try await opened.tasks.edit(dice.pick(ids)) { $0.archivedAt = $0.createdAt }
            default:
                try await opened.tasks.delete(dice.pick(ids))
                if dice.chance(50) { try await opened.tasks.undo() }
            }
            if step % 10 == 0 { try Self.compare(opened) }
        }
        try Self.compare(opened)
        try opened.expectSound()
        _ = try await opened.store.rebuild()
        try opened.expectSound()
        try Self.compare(opened)
    }

    private static func compare(_ opened: TestTasks) throws {
        try opened.tasks.read { reading in
            var byForm: [String: [TaskItem]] = [:]
            try reading.forEach { task, _ in
                guard task.archivedAt == nil, let name = task.category else { return }
                let form = name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
                if form.contains(where: { !$0.isWhitespace }) { byForm[form, default: []].append(task) }
            }
            let found = try reading.categories()
            #expect(found.count == byForm.count)
            for category in found {
                let form = category.name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
                let tasks = byForm[form] ?? []
                #expect(category.all == tasks.count)
                #expect(category.open == tasks.count { !$0.isCompleted })
                #expect(tasks.contains { $0.category == category.name })
                let sorted = tasks.sorted { left, right in
                    if left.state.rank != right.state.rank { return left.state.rank < right.state.rank }
                    if left.createdAt != right.createdAt { return left.createdAt > right.createdAt }
                    return left.id.uuidString < right.id.uuidString
                }
                for openOnly in [false, true] {
                    var paged: [TaskItem] = []
                    var token: PageToken?
                    repeat {
                        let page = try reading.tasks(
                            inCategory: category.name.uppercased(), openOnly: openOnly, after: token, limit: 2)
                        paged += page.records
                        token = page.next
                    } while token != nil
                    #expect(paged == sorted.filter { !openOnly || !$0.isCompleted })
                }
            }
        }
    }

    @Test("Counting the categories reads one task of each, however many there are [F-2]")
    func cost() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create((0..<300).map { NewTask("\($0)") })
        try await opened.tasks.write { tasks in
            for (number, task) in made.enumerated() { try tasks.edit(task.id) { $0.category = "c\(number % 3)" } }
        }
        try opened.store.read { (transaction) throws in
            #expect(try transaction.tasks.categories().map(\.all) == [100, 100, 100])
            #expect(transaction.counters.gets + transaction.counters.cursorSteps <= 12)
        }
    }
}
