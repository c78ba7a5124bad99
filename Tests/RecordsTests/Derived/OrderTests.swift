import CivilTime
import Foundation
import Testing

@testable import Records

/// A step of a list, in an order by hand which open and finished steps share.
private struct Step: Record, Equatable {
    var id: UUID
    var list: UInt32
    var isDone = false
    var position: Int64 = 0
    var changes: Int64 = 0

    static let byPlace = Index<Step, Placed<StepLane>>("byPlace") { step in
        step.list == 0 ? nil : Placed(lane: step.lane, position: step.position)
    }
    static let order = ManualOrder(byPlace, \.position) { lane in
        [StepLane(lane.parts.0, false), StepLane(lane.parts.0, true)]
    }
    static let collection = RecordCollection<Step>("steps") {
        Field(1, "list", .integer)
        Field(2, "isDone", .boolean)
        Field(3, "position", .integer)
        Field(4, "changes", .integer)
        byPlace
    }

    var lane: StepLane { StepLane(list, isDone) }

    init(_ number: UInt64, in list: UInt32) {
        id = uuid(number)
        self.list = list
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        list = UInt32(clamping: try fields.int64(1))
        isDone = try fields.bool(2)
        position = try fields.int64(3)
        changes = try fields.int64(4)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, Int64(list))
        fields.put(2, isDone)
        fields.put(3, position)
        fields.put(4, changes)
    }
}

private typealias StepLane = Compound<UInt32, Bool>

@Suite struct OrderTests {
    /// Each list as one line of ids, and which of them are done.
    private struct Lines {
        var lines: [UInt32: [UUID]] = [1: [], 2: []]
        var done: Set<UUID> = []

        func lane(of id: UUID, in list: UInt32) -> [UUID] {
            (lines[list] ?? []).filter { done.contains($0) == done.contains(id) }
        }

        mutating func move(_ id: UUID, in list: UInt32, to place: OrderPosition<UUID>) {
            let others = lane(of: id, in: list).filter { $0 != id }
            var line = lines[list] ?? []
            var target = place
            if case .index(let index) = place {
                guard let last = others.last else { return }
                target = index < others.count ? .before(others[index]) : .after(last)
            }
            if target == .before(id) || target == .after(id) { return }
            line.removeAll { $0 == id }
            switch target {
            case .first: line.insert(id, at: 0)
            case .before(let other): line.insert(id, at: line.firstIndex(of: other) ?? 0)
            case .after(let other): line.insert(id, at: (line.firstIndex(of: other) ?? -1) + 1)
            case .last, .index: line.append(id)
            }
            lines[list] = line
        }
    }

    @Test(
        "Random moves give the order of a plain list, previews show it before, and few records are written [C-FR40, D5]",
        arguments: 0..<4 as Range<UInt64>)
    func model(seed: UInt64) async throws {
        let opened = try TestStore(schema: Schema().adding(Step.collection))
        let count = seed < 2 ? 5 : 40
        let model = try await opened.store.write { transaction in
            var dice = Dice(seed)
            var model = Lines()
            for number in 0..<count {
                var step = Step(UInt64(number), in: UInt32(1 + number % 2))
                step.position = try transaction[Step.order].last(in: step.lane)
                try transaction.put(step)
                model.lines[step.list]?.append(step.id)
            }
            for round in 0..<3000 {
                let list = UInt32(1 + dice.below(2))
                let line = model.lines[list] ?? []
                let id = dice.pick(line)
                if dice.chance(5), var step = try transaction[Step.self].get(id) {
                    step.isDone.toggle()
                    try transaction.put(step)
                    model.done.formSymmetricDifference([id])
                    continue
                }
                // Half of the moves are for one place, to use up the numbers there.
                let other = dice.chance(50) ? line[min(1, line.count - 1)] : dice.pick(line)
                let place: OrderPosition<UUID> =
                    switch dice.below(8) {
                    case 0: .first
                    case 1: .last
                    case 2: .index(dice.below(count))
                    case 3...5: .before(other)
                    default: .after(other)
                    }
                let preview = try transaction[Step.order].preview(id, to: place)
                let moved = try transaction.move(id, to: place, in: Step.order) { $0.changes += 1 }
                model.move(id, in: list, to: place)
                #expect(try transaction[Step.self].get(id) == moved)
                #expect(preview == model.lane(of: id, in: list), "round \(round): \(place)")
                for isDone in [false, true] {
                    let lane = try transaction[Step.byPlace].prefix(StepLane(list, isDone)).map(\.id)
                    #expect(lane == (model.lines[list] ?? []).filter { model.done.contains($0) == isDone })
                }
                let rank = try transaction[Step.order].rank(of: moved.position, in: moved.lane)
                #expect(rank == model.lines[list]?.firstIndex(of: id))
            }
            return model
        }
        let changes = try opened.store.read { try $0[Step.self].page(limit: .max) }.reduce(0) { $0 + $1.changes }
        #expect(changes < 3000 + 3000 / 2)
        #expect(Set(model.lines.values.joined()).count == count)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A place beside a record of another list, or of none, is refused and changes nothing")
    func refusals() async throws {
        let opened = try TestStore(schema: Schema().adding(Step.collection))
        try await opened.store.write { transaction in
            for (number, list) in [(1, 1), (2, 1), (3, 2), (4, 0)] as [(UInt64, UInt32)] {
                var step = Step(number, in: list)
                step.position = try transaction[Step.order].last(in: step.lane)
                try transaction.put(step)
            }
        }
        let before = try opened.store.read { try $0[Step.self].page(limit: .max) }
        let refused: [(UInt64, OrderPosition<UUID>)] = [
            (1, .before(uuid(3))), (1, .after(uuid(4))), (1, .before(uuid(9))), (1, .index(-1)), (4, .first),
            (9, .last),
        ]
        for (id, place) in refused {
            let error = await recordsError {
                try await opened.store.write { _ = try $0.move(uuid(id), to: place, in: Step.order) }
            }
            #expect(error == .noSuchPlace(index: "steps.byPlace"))
            #expect(throws: RecordsError.noSuchPlace(index: "steps.byPlace")) {
                try opened.store.read { try $0[Step.order].preview(uuid(id), to: place) }
            }
        }
        try await opened.store.write { transaction in
            for place in [.before(uuid(1)), .after(uuid(1)), .first, .index(0)] as [OrderPosition<UUID>] {
                try transaction.move(uuid(1), to: place, in: Step.order)
            }
        }
        #expect(try opened.store.read { try $0[Step.self].page(limit: .max) } == before)
    }
}
