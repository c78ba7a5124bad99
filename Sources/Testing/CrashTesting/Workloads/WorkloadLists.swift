import CivilTime
import DomainPacks
import Injection
import KeyValue

/// Every sequence of up to three operations, each explored at every crash point.
///
/// Crash points before the last operation equal those of a shorter sequence byte by byte, so only the last operation is
/// explored.
struct SmallWorkloads: Sequence {
    var pack = LabPack.tasks
    let longest: Int

    /// Of gardens, sequences of three are for exhaustive runs.
    static let longestOfGardens = 2

    func makeIterator() -> AnyIterator<LabWorkload> {
        AnyIterator(
            ShortSequences(of: pack.type, from: pack.start, longest: longest).lazy
                .map { LabWorkload(of: pack, steps: $0) }.makeIterator())
    }
}

/// Every sequence of up to some number of short operations of a domain in which each has something to do: an operation
/// without a target leaves a shorter sequence, which was tried before.
struct ShortSequences: Sequence {
    private let start: LabModel
    private let operations: [LabOperation]
    private let longest: Int

    init(of pack: any DomainPack.Type, from start: [LabStep], longest: Int, includesUndo: Bool = true) {
        operations = LabOperation.short(of: pack, includesUndo: includesUndo)
        self.longest = longest
        var model = LabModel(of: pack)
        model.apply(start)
        self.start = model
    }

    func makeIterator() -> AnyIterator<[LabStep]> {
        AnyIterator((1...Swift.max(1, longest)).lazy.flatMap(sequences).filter(hasEffect).makeIterator())
    }

    private func sequences(of length: Int) -> [[LabStep]] {
        (0..<length).reduce([[]]) { sequences, _ in
            sequences.flatMap { sequence in operations.map { sequence + [LabStep($0)] } }
        }
    }

    private func hasEffect(_ steps: [LabStep]) -> Bool {
        var model = start
        for (index, step) in steps.enumerated() {
            guard let action = model.action(for: step, at: index + 1) else { return false }
            model.apply(action)
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
        ("creation of a garden", LabWorkload(of: .garden, base: .nothing, steps: [LabStep(.dig), LabStep(.plant)])),
        ("migration of a garden", LabWorkload(of: .garden, base: .older, steps: [LabStep(.plant)])),
        ("rebuild of a garden", LabWorkload(of: .garden, steps: [LabStep(.plant)], rebuilds: true)),
        ("cascade", LabWorkload(of: .garden, steps: [LabStep(.sow), LabStep(.clear), LabStep(.undo)])),
        ("compaction", LabWorkload(of: .garden, steps: [LabStep(.plant), LabStep(.compact), LabStep(.plant)])),
        (
            "a garden in two processes",
            LabWorkload(
                of: .garden,
                steps: [
                    LabStep(.plant), LabStep(.note, runsInPeer: true), LabStep(.change),
                    LabStep(.clear, runsInPeer: true),
                    LabStep(.undo), LabStep(.plant, runsInPeer: true),
                ])
        ),
        (
            "rollover",
            LabWorkload(of: .planner, steps: [LabStep(.rollover), LabStep(.again), LabStep(.undo), LabStep(.rollover)])
        ),
        ("expiry", LabWorkload(of: .planner, steps: [LabStep(.expire), LabStep(.place), LabStep(.undo)])),
        (
            "a planner in two processes",
            LabWorkload(
                of: .planner,
                steps: [
                    LabStep(.late), LabStep(.rollover, runsInPeer: true), LabStep(.late, runsInPeer: true),
                    LabStep(.rollover), LabStep(.expire, runsInPeer: true), LabStep(.undo),
                    LabStep(.plan, runsInPeer: true),
                ])
        ),
        ("migration of journals", LabWorkload(of: .journals, base: .older, steps: [LabStep(.write)])),
        (
            "an entry and its draft",
            LabWorkload(of: .journals, steps: [LabStep(.draft), LabStep(.write), LabStep(.hide), LabStep(.undo)])
        ),
        (
            "journals in two processes",
            LabWorkload(
                of: .journals,
                steps: [
                    LabStep(.write), LabStep(.draft, runsInPeer: true), LabStep(.write, runsInPeer: true),
                    LabStep(.hide), LabStep(.undo, runsInPeer: true),
                ])
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
    static let forms = 4

    static func formName(_ number: Int) -> String {
        ["on an existing store", "on a new store that grows", "with a second process", "on a garden"][number % forms]
    }

    /// Returns workload `number`, which depends on the seed alone.
    func workload(_ number: Int, steps count: Int = 200) -> LabWorkload {
        let draws = SeededRandomSource(seed: seed &+ UInt64(number))
        let form = number % Self.forms
        let pack = form == 3 ? LabPack.garden : .tasks
        let steps = Self.steps(of: pack.type, count, draws, hasPeer: form == 2, compacts: pack == .garden)
        return form == 1
            ? LabWorkload(base: .nothing, steps: steps, mapSize: 1 << 18) : LabWorkload(of: pack, steps: steps)
    }

    static func steps(
        of pack: any DomainPack.Type, _ count: Int, _ draws: SeededRandomSource, hasPeer: Bool = false,
        includesUndo: Bool = true, compacts: Bool = false
    ) -> [LabStep] {
        // Weighted by repetition.
        let operations =
            pack.weightedNames.map(LabOperation.init) + (includesUndo ? [.undo, .redo, .pair] : [])
            + (compacts ? [.compact] : [])
        return (0..<count).map { _ in
            LabStep(
                operations[Int(draws.next() % UInt64(operations.count))], draw: Int(draws.next() % 9973),
                runsInPeer: hasPeer && draws.next() % 4 == 0)
        }
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
    /// The promises of a store whose negative controls are workloads.
    static let points: [InjectionPoint] =
        InjectionPoint.harmful.filter { $0 != .ignoresChecksums } + InjectionPoint.ofDeclarations
        + InjectionPoint.ofConsumers + InjectionPoint.ofCompaction

    static func workload(for injectionPoint: InjectionPoint) -> LabWorkload {
        func garden(_ names: String...) -> LabWorkload {
            LabWorkload(of: .garden, steps: names.map { LabStep(LabOperation(rawValue: $0)) })
        }
        var workload =
            switch injectionPoint {
            case .skipsParentFlush: LabWorkload(base: .nothing, steps: [LabStep(.create)])
            case .tallyInSecondTransaction: garden("plant", "clear")
            case .skipsCascades: garden("plant", "clear")
            case .tracksUntracked: garden("plant", "note", "plant")
            // The change log is trimmed with every 64th row, and keeps 64 in any case.
            case .ignoresConsumers: LabWorkload(of: .garden, steps: (0..<130).map { LabStep(.plant, draw: $0) })
            case .skipsCompactionFlush: garden("compact", "plant")
            default: LabWorkload(steps: [LabStep(.create), LabStep(.complete), LabStep(.create)])
            }
        workload.injectionPoint = injectionPoint
        return workload
    }
}
