import CivilTime
import Injection
import KeyValue

/// Every sequence of up to three operations, each explored at every crash point.
///
/// Crash points before the last operation equal those of a shorter sequence byte by byte, so only the last operation is
/// explored.
struct SmallWorkloads: Sequence {
    let longest: Int

    func makeIterator() -> AnyIterator<LabWorkload> {
        let sequences = (1...Swift.max(1, longest)).lazy.flatMap(Self.sequences)
        return AnyIterator(sequences.filter(Self.hasEffect).map { LabWorkload(steps: $0) }.makeIterator())
    }

    private static func sequences(of length: Int) -> [[LabStep]] {
        (0..<length).reduce([[]]) { sequences, _ in
            sequences.flatMap { sequence in LabOperation.small.map { sequence + [LabStep($0)] } }
        }
    }

    /// An operation without a target leaves a shorter sequence, which was tried before.
    private static func hasEffect(_ steps: [LabStep]) -> Bool {
        var model = LabWorkload.Base.model(of: .small)
        for (index, step) in steps.enumerated() {
            guard let action = model.action(for: step) else { return false }
            model.apply(action, at: LabStore.instant(ofStep: index + 1))
        }
        return true
    }
}

/// Rare events in the life of a store that must survive a crash as well.
enum LifecycleWorkloads {
    static let all: [(name: String, workload: LabWorkload)] = [
        ("creation", LabWorkload(base: .nothing, steps: [LabStep(.create)])),
        ("creation after one that died", LabWorkload(base: .abandoned, steps: [LabStep(.create)])),
        ("opening after a creation that died", LabWorkload(base: .unflushed, steps: [LabStep(.create)])),
        ("first opening", LabWorkload(base: .small)),
        ("migration", LabWorkload(base: .older, steps: [LabStep(.complete)])),
        ("rebuild", LabWorkload(base: .small, steps: [LabStep(.complete)], rebuilds: true)),
        ("import of a file", LabWorkload(steps: [LabStep(.create)], imports: true)),
        ("import into a new store", LabWorkload(base: .nothing, imports: true)),
        (
            "two processes",
            LabWorkload(
                base: .small,
                steps: [
                    LabStep(.create), LabStep(.complete, runsInPeer: true), LabStep(.importing),
                    LabStep(.pair, runsInPeer: true), LabStep(.undo), LabStep(.delete, runsInPeer: true),
                ])
        ),
        (
            "growth",
            LabWorkload(
                base: .nothing,
                steps: [
                    LabStep(.bulk), LabStep(.large, draw: 9_000), LabStep(.bulk), LabStep(.large, draw: 19_000),
                    LabStep(.bulk), LabStep(.undo), LabStep(.bulk),
                ], mapSize: 1 << 18)
        ),
        (
            "overflow values",
            LabWorkload(steps: [LabStep(.large), LabStep(.delete, draw: 4), LabStep(.large, draw: 9_999)])
        ),
    ]
}

/// Seeded workloads of hundreds of operations: map growth, overflow values, group commits, a second process.
struct LongWorkloads {
    let seed: UInt64
    static let forms = 3

    static func formName(_ number: Int) -> String {
        ["on an existing store", "on a new store that grows", "with a second process"][number % forms]
    }

    /// Returns workload `number`, which depends on the seed alone.
    func workload(_ number: Int, steps count: Int = 200) -> LabWorkload {
        let draws = SeededRandomSource(seed: seed &+ UInt64(number))
        // Weighted by repetition.
        let operations: [LabOperation] = [
            .create, .create, .create, .complete, .complete, .reorder, .schedule, .delete, .undo, .redo, .reopen, .pair,
            .importing, .large, .bulk,
        ]
        let hasPeer = number % Self.forms == 2
        let steps = (0..<count).map { _ in
            LabStep(
                operations[Int(draws.next() % UInt64(operations.count))], draw: Int(draws.next() % 997),
                runsInPeer: hasPeer && draws.next() % 4 == 0)
        }
        return number % Self.forms == 1
            ? LabWorkload(base: .nothing, steps: steps, mapSize: 1 << 18) : LabWorkload(base: .small, steps: steps)
    }
}

/// The result of a negative control: whether the lab detected a promise broken on purpose.
public struct NegativeControlResult: Sendable, Equatable {
    /// The broken promise.
    public let name: String
    /// The number of images or damaged stores opened until it was detected; nil if it was not.
    public let trialsUntilFound: Int?
    /// The finding.
    public let finding: String
}

/// The workloads that must detect each broken promise.
enum NegativeControlWorkloads {
    static func workload(for injectionPoint: InjectionPoint) -> LabWorkload {
        var workload =
            injectionPoint == .skipsParentFlush
            ? LabWorkload(base: .nothing, steps: [LabStep(.create)])
            : LabWorkload(steps: [LabStep(.create), LabStep(.complete), LabStep(.create)])
        workload.injectionPoint = injectionPoint
        return workload
    }
}
