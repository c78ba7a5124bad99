import CivilTime
import DomainPacks
import Injection
import KeyValue
import LabSupport

/// Every sequence of up to three operations, each explored at every crash point.
///
/// Crash points before the last operation equal those of a shorter sequence byte by byte, so only the last operation is
/// explored.
struct SmallWorkloads: Sequence {
    var pack = LabPack.tasks
    let longest: Int

    /// Of other domains than tasks, sequences of three are for exhaustive runs.
    static let longestOfOthers = 2
    /// Those domains, and what their sequences are called in reports.
    static let others: [(name: String, pack: LabPack)] = [
        ("garden", .garden), ("planner", .planner), ("lists", .lists), ("recurrence", .recurrence),
        ("people", .people), ("journals", .journals),
    ]

    func makeIterator() -> AnyIterator<LabWorkload> {
        AnyIterator(
            ShortSequences(of: pack.type, from: pack.start, longest: longest).lazy
                .map { LabWorkload(of: pack, steps: $0) }.makeIterator())
    }
}

extension SmallWorkloads {
    /// All small workloads of a run, with the kinds that reports count them as: one of each kind first; then those of up to two
    /// steps, of domains other than tasks in an order that depends on the seed, because a short run leaves some of them out;
    /// those of three steps last.
    static func inOrder(seed: UInt64, isExhaustive: Bool) -> [(kind: String, workload: LabWorkload)] {
        func all(_ name: String, _ pack: LabPack, longest: Int) -> [(kind: String, workload: LabWorkload)] {
            SmallWorkloads(pack: pack, longest: longest).map { ("\(name), of \($0.steps.count)", $0) }
        }
        let tasks = all("small", .tasks, longest: 3)
        var bits = SeededGenerator(seed: seed)
        let others = others.flatMap { all($0.name, $0.pack, longest: isExhaustive ? 3 : longestOfOthers) }
            .map { ($0, bits.next()) }.sorted { ($0.0.workload.steps.count, $0.1) < ($1.0.workload.steps.count, $1.1) }
            .map(\.0)
        let (long, short) = (tasks.filter { $0.workload.steps.count > 2 }, tasks.filter { $0.workload.steps.count < 3 })
        return (short + others + long).firstOfEach(\.kind)
    }
}

extension Array {
    /// The elements in another order: the first of each kind, then the others, both in the order that they had.
    func firstOfEach(_ kind: (Element) -> String) -> [Element] {
        var known: Set<String> = []
        let isFirst = map { known.insert(kind($0)).inserted }
        return zip(self, isFirst).filter(\.1).map(\.0) + zip(self, isFirst).filter { !$0.1 }.map(\.0)
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
    /// Stores that get their commit log.
    static let upgrades: [(name: String, workload: LabWorkload)] = [
        ("upgrade", LabWorkload(base: .formatOne, steps: [LabStep(.create), LabStep(.complete), LabStep(.create)])),
        ("second half of an upgrade", LabWorkload(base: .announced, steps: [LabStep(.create)])),
    ]

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
            "deletion of a list",
            LabWorkload(
                of: .lists, steps: [LabStep(.write), LabStep(.drop), LabStep(.undo), LabStep(.drop, draw: 1)])
        ),
        (
            "search index",
            LabWorkload(
                of: .lists, steps: [LabStep(.edit), LabStep(.write, draw: 40), LabStep(.undo), LabStep(.edit, draw: 3)])
        ),
        ("migration of lists", LabWorkload(of: .lists, base: .older, steps: [LabStep(.link)])),
        ("rebuild of lists", LabWorkload(of: .lists, steps: [LabStep(.finish)], rebuilds: true)),
        (
            "lists in two processes",
            LabWorkload(
                of: .lists,
                steps: [
                    LabStep(.write), LabStep(.edit, runsInPeer: true), LabStep(.drop), LabStep(.undo, runsInPeer: true),
                    LabStep(.link, runsInPeer: true), LabStep(.finish),
                ])
        ),
        (
            "recurrence",
            LabWorkload(
                of: .recurrence,
                steps: [
                    LabStep(.finish), LabStep(.reopen), LabStep(.finish), LabStep(.undo), LabStep(.skip),
                    LabStep(.shift),
                ])
        ),
        (
            "reminders",
            LabWorkload(
                of: .recurrence,
                steps: [LabStep(.deliver), LabStep(.undo), LabStep(.deliver, draw: 1), LabStep(.finish, draw: 2)])
        ),
        (
            "recurrence in two processes",
            LabWorkload(
                of: .recurrence,
                steps: [
                    LabStep(.finish), LabStep(.skip, runsInPeer: true), LabStep(.finish, draw: 1, runsInPeer: true),
                    LabStep(.undo), LabStep(.begin, runsInPeer: true), LabStep(.reopen),
                ])
        ),
        (
            "subtasks",
            LabWorkload(
                of: .people,
                steps: [
                    LabStep(.finish, draw: 1), LabStep(.undo), LabStep(.label), LabStep(.nest, draw: 2),
                    LabStep(.remove, draw: 1), LabStep(.undo), LabStep(.hide), LabStep(.finish),
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
    static let forms = 9

    static func formName(_ number: Int) -> String {
        [
            "on an existing store", "on a new store that grows", "with a second process", "on a garden", "of a planner",
            "of lists", "of recurring tasks", "of journals", "of tags and subtasks",
        ][number % forms]
    }

    static func pack(_ number: Int) -> LabPack {
        [.tasks, .tasks, .tasks, .garden, .planner, .lists, .recurrence, .journals, .people][number % forms]
    }

    /// Returns workload `number`, which depends on the seed alone.
    func workload(_ number: Int, steps count: Int = 200) -> LabWorkload {
        let draws = SeededRandomSource(seed: seed &+ UInt64(number))
        let form = number % Self.forms
        let pack = Self.pack(number)
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
        + InjectionPoint.ofSplitOperations + InjectionPoint.ofConsumers + InjectionPoint.ofCompaction

    static func workload(for injectionPoint: InjectionPoint) -> LabWorkload {
        func garden(_ names: String...) -> LabWorkload {
            LabWorkload(of: .garden, steps: names.map { LabStep(LabOperation(rawValue: $0)) })
        }
        func workload(of pack: LabPack, _ operations: LabOperation...) -> LabWorkload {
            LabWorkload(of: pack, steps: operations.map { LabStep($0) })
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
            case .searchIndexOutsideTransaction: workload(of: .lists, .edit)
            case .listAfterItsTasks: workload(of: .lists, .drop)
            case .occurrenceOutsideTransaction: workload(of: .recurrence, .finish)
            case .rollsOverOneByOne: workload(of: .planner, .rollover)
            case .archivesOneByOne: workload(of: .planner, .perish, .expire)
            default: LabWorkload(steps: [LabStep(.create), LabStep(.complete), LabStep(.create)])
            }
        workload.injectionPoint = injectionPoint
        return workload
    }
}
