import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Tasks

@Suite struct ReorderTests {
    private func list(_ count: Int, in opened: TestTasks) async throws -> [UUID] {
        try await opened.tasks.create((0..<count).map { NewTask("\($0)") }).map(\.id)
    }

    @Test("Tasks can be reordered to the first and last place, before and after others, and by index [C-FR8, C-S3.1]")
    func places() async throws {
        let opened = try TestTasks()
        let ids = try await list(4, in: opened)
        try await opened.tasks.reorder(ids[0], to: .last)
        #expect(try opened.texts(.inbox) == ["1", "2", "3", "0"])
        try await opened.tasks.reorder(ids[3], to: .first)
        #expect(try opened.texts(.inbox) == ["3", "1", "2", "0"])
        try await opened.tasks.reorder(ids[1], to: .after(ids[2]))
        #expect(try opened.texts(.inbox) == ["3", "2", "1", "0"])
        try await opened.tasks.reorder(ids[0], to: .before(ids[2]))
        #expect(try opened.texts(.inbox) == ["3", "0", "2", "1"])
        for index in 0..<4 {
            try await opened.tasks.reorder(ids[0], to: .index(index))
            #expect(try opened.texts(.inbox).firstIndex(of: "0") == index)
        }
        #expect(try opened.reopened().texts(.inbox) == ["3", "2", "1", "0"])
    }

    @Test(
        "A place that does not exist, or is on another day, is refused and changes nothing [C-S3.5]", arguments: 0..<4)
    func invalidPlaces(kind: Int) async throws {
        let opened = try TestTasks()
        let ids = try await list(3, in: opened)
        let elsewhere = try await opened.tasks.create("elsewhere", in: .today)
        let before = try opened.dump()
        let place: TaskPlace = [.index(3), .index(-1), .before(elsewhere.id), .after(uuid(9))][kind]
        await #expect(throws: TaskError.self) { try await opened.tasks.reorder(ids[0], to: place) }
        let refused = TaskPlace.before(ids[1])
        await #expect(throws: TaskError.self) {
            try await opened.tasks.schedule(elsewhere.id, on: .tomorrow, at: refused)
        }
        #expect(try opened.dump() == before)
    }

    @Test("A place beside a task of another state is the nearest end of the task's own group [C-S4.6]")
    func besideAnotherState() async throws {
        let opened = try TestTasks()
        let ids = try await list(5, in: opened)
        try await opened.tasks.setState([ids[0]], to: .completed)
        try await opened.tasks.setState([ids[4]], to: .active)
        #expect(try opened.texts(.inbox) == ["4", "1", "2", "3", "0"])
        for (id, place, expected) in [
            (1, TaskPlace.before(ids[0]), ["4", "2", "3", "1", "0"]), (2, .after(ids[0]), ["4", "3", "1", "2", "0"]),
            (1, .after(ids[4]), ["4", "1", "3", "2", "0"]), (2, .before(ids[4]), ["4", "2", "1", "3", "0"]),
        ] {
            let preview = try opened.tasks.preview(reordering: ids[id], to: place).map(\.text)
            try await opened.tasks.reorder(ids[id], to: place)
            #expect(try opened.texts(.inbox) == expected)
            #expect(preview == expected)
        }
    }

    @Test("A preview shows the view that a move leads to, and writes nothing [C-FR40]")
    func previews() async throws {
        let opened = try TestTasks()
        let ids = try await list(9, in: opened)
        for id in ids[0...2] { try await opened.tasks.start(id) }
        for id in ids[6...8] { try await opened.tasks.complete(id) }
        var dice = Dice(40)
        for _ in 0..<200 {
            let id = dice.pick(ids)
            let other = dice.pick(ids)
            let place: TaskPlace = [.first, .last, .before(other), .after(other), .index(dice.below(9))][dice.below(5)]
            let before = try opened.dump()
            let preview = try opened.tasks.preview(reordering: id, to: place).map(\.id)
            #expect(try opened.dump() == before)
            try await opened.tasks.reorder(id, to: place)
            #expect(try opened.tasks.inbox().map(\.id) == preview, "\(place)")
        }
        #expect(throws: TaskError.self) { try opened.tasks.preview(reordering: uuid(9), to: .first) }
        #expect(throws: TaskError.self) { try opened.tasks.preview(reordering: ids[0], to: .index(9)) }
        #expect(throws: TaskError.self) { try opened.tasks.preview(reordering: ids[0], to: .before(uuid(9))) }
    }

    @Test("An index in the group of another state means the nearest place in the task's own group [C-S4.6]")
    func clamped() async throws {
        let opened = try TestTasks()
        let ids = try await list(6, in: opened)
        for id in ids[0...1] { try await opened.tasks.start(id) }
        for id in ids[4...5] { try await opened.tasks.complete(id) }
        #expect(try opened.texts(.inbox) == ["0", "1", "2", "3", "4", "5"])
        try await opened.tasks.reorder(ids[3], to: .index(0))
        #expect(try opened.texts(.inbox) == ["0", "1", "3", "2", "4", "5"])
        try await opened.tasks.reorder(ids[3], to: .index(5))
        #expect(try opened.texts(.inbox) == ["0", "1", "2", "3", "4", "5"])
        try await opened.tasks.reorder(ids[4], to: .index(0))
        #expect(try opened.texts(.inbox) == ["0", "1", "2", "3", "4", "5"])
    }

    @Test(
        "A hundred thousand random moves keep the order, and sort orders have no gaps [C-AD17, D5]",
        // Three tasks use a gap up sooner, and need fewer moves for it.
        arguments: zip([3, 60], [20_000, TestBudget.count(100_000, quick: 10_000)]))
    func randomMoves(count: Int, moves: Int) async throws {
        let opened = try TestTasks()
        let ids = try await list(count, in: opened)
        // In transactions of a thousand moves: what is tested is the arithmetic, not the disk.
        var order = ids
        for batch in 0..<(moves / 1000) {
            let before = order
            order = try await opened.tasks.write { transaction in
                var dice = Dice(UInt64(batch))
                var order = before
                for _ in 0..<1000 {
                    let id = dice.pick(ids)
                    let other = dice.pick(ids)
                    // Half of the moves fight for one place, to use its gap up.
                    let target = dice.chance(50) ? order[min(1, order.count - 1)] : other
                    guard target != id else { continue }
                    let isBefore = dice.chance(50)
                    try transaction.reorder(id, to: isBefore ? .before(target) : .after(target))
                    order.removeAll { $0 == id }
                    let place = order.firstIndex(of: target)!
                    order.insert(id, at: isBefore ? place : place + 1)
                }
                return order
            }
            try #require(try opened.tasks.inbox().map(\.id) == order)
        }
        var sortOrders: [Int] = []
        try opened.tasks.read { try $0.forEach { _, order in sortOrders.append(order) } }
        #expect(sortOrders == Array(0..<count))
        try opened.tasks.read { reading in
            for (order, task) in try reading.inbox().enumerated() {
                let sortOrder = try reading.sortOrder(of: task)
                #expect(sortOrder == order)
            }
        }
        try opened.expectSound()
    }

    @Test("A move in a list of 500 writes one record and one entry of one index [D5]", arguments: [0, 1, 250, 499])
    func writesOneRecord(target: Int) async throws {
        let opened = try TestTasks()
        let ids = try await list(500, in: opened)
        let writes = try await opened.store.write { transaction in
            try transaction.tasks.reorder(ids[300], to: .index(target))
            return [transaction.counters.puts, transaction.counters.deletes]
        }
        #expect(writes == [2, 1])
    }

    @Test("The order of 500 tasks survives reopening and midnight [C-FR11]")
    func kept() async throws {
        let opened = try TestTasks()
        var dice = Dice(3)
        let made = try await opened.tasks.create((0..<500).map { NewTask("\($0)", on: opened.tomorrow) })
        let ids = made.map(\.id)
        let shuffled = ids.shuffled(using: &dice)
        try await opened.tasks.write { transaction in
            for id in shuffled { try transaction.reorder(id, to: .last) }
        }
        opened.advance(to: opened.tomorrow)
        let again = try opened.reopened()
        #expect(try again.tasks.today().map(\.id) == shuffled)
    }

    @Test("A move to the place that a task has changes nothing")
    func noMove() async throws {
        let opened = try TestTasks()
        let ids = try await list(3, in: opened)
        let sequence = try opened.lastSequence()
        try await opened.tasks.reorder(ids[2], to: .last)
        try await opened.tasks.reorder(ids[0], to: .first)
        try await opened.tasks.reorder(ids[1], to: .before(ids[1]))
        #expect(try opened.lastSequence() == sequence)
        #expect(try opened.texts(.inbox) == ["0", "1", "2"])
    }
}
