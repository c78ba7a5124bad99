import CivilTime

/// Seeded workloads of hundreds of operations: growth of the map, overflow values, group commits, a second process.
struct LongWorkloads {
    let seed: UInt64
    static let forms = 3

    static func formName(_ number: Int) -> String {
        ["on a store that is there", "on a new store that grows", "with a second process"][number % forms]
    }

    /// The workload of a number: the same for the same seed.
    func workload(_ number: Int, steps count: Int = 200) -> LabWorkload {
        let draws = SeededRandomSource(seed: seed &+ UInt64(number))
        // Weighted by how often it is in the list.
        let operations: [LabOperation] = [
            .create, .create, .create, .complete, .complete, .reorder, .schedule, .delete, .undo, .redo, .reopen, .pair,
            .importing, .large, .bulk,
        ]
        let hasPeer = number % Self.forms == 2
        let steps = (0..<count).map { _ in
            LabStep(
                operations[Int(draws.next() % UInt64(operations.count))], draw: Int(draws.next() % 997),
                isElsewhere: hasPeer && draws.next() % 4 == 0)
        }
        return number % Self.forms == 1
            ? LabWorkload(base: .nothing, steps: steps, mapSize: 1 << 18) : LabWorkload(base: .small, steps: steps)
    }
}
