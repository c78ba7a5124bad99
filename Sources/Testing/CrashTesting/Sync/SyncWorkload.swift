import CivilTime
import DomainPacks
import Injection
import KeyValue
import Records

/// A run of a synced store to record: what it begins with, and the steps. Some are changes of people, some rounds with the hub,
/// some happen elsewhere.
struct SyncWorkload: Sendable {
    enum Base: String, CaseIterable, Sendable {
        /// A store of a few tasks, which belongs to a space with another device.
        case joined
        /// A store of a few tasks before it joins that space.
        case unjoined
    }

    var base = Base.joined
    var steps: [LabStep] = []
    var injectionPoint: InjectionPoint?

    init(base: Base = .joined, _ steps: [LabStep]) {
        self.base = base
        self.steps = steps
    }

    init(base: Base = .joined, _ operations: LabOperation...) {
        self.init(base: base, operations.map { LabStep($0) })
    }

    /// For example `joined:edit,round.2`, as in a reproducer.
    var text: String {
        let broken = injectionPoint.map { "!\($0.name)" } ?? ""
        return "\(base.rawValue):\(steps.map(\.text).joined(separator: ","))\(broken)"
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "!", maxSplits: 1)
        if parts.count == 2 {
            guard let point = InjectionPoint(named: parts[1], among: InjectionPoint.ofStore) else { return nil }
            injectionPoint = point
        }
        let halves = (parts.first ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, let base = Base(rawValue: String(halves[0])) else { return nil }
        self.base = base
        for word in halves[1].split(separator: ",") {
            let words = word.split(separator: ".", maxSplits: 1)
            let operation = LabOperation(rawValue: String(words[0]))
            guard Self.operations.contains(operation) else { return nil }
            steps.append(LabStep(operation, draw: words.count == 2 ? Int(words[1]) ?? 0 : 0))
        }
        guard self.text == text else { return nil }
    }

    var options: StoreOptions {
        var options = StoreOptions.direct
        options.injectionPoint = ArmedInjectionPoints(injectionPoint)
        options.pendingListLimit = 2
        return options
    }
}

extension LabOperation {
    /// One round with the hub.
    static let round = Self(rawValue: "round")
    /// Rounds until nothing is left.
    static let sync = Self(rawValue: "sync")
    /// A round of which the answer does not arrive.
    static let lost = Self(rawValue: "lost")
    /// A round with a change while the answer is on its way.
    static let during = Self(rawValue: "during")
    /// The other device pushes some of what it has changed.
    static let other = Self(rawValue: "other")
    /// The hub is restored from a backup.
    static let restore = Self(rawValue: "restore")
    /// A copy of this device pushes before it.
    static let copy = Self(rawValue: "copy")
    /// This device's clock is an hour ahead from now on.
    static let skew = Self(rawValue: "skew")
    /// The hub's clock is set back by an hour, so that what it has is ahead of it.
    static let setback = Self(rawValue: "setback")
    /// The hub loses some units.
    static let lose = Self(rawValue: "lose")
    /// The hub cannot read the record that is pushed next.
    static let refuse = Self(rawValue: "refuse")
    static let join = Self(rawValue: "join")
    static let leave = Self(rawValue: "leave")
}

extension SyncWorkload {
    /// Those whose short sequences are all tried.
    static let short: [LabOperation] = [
        .create, .edit, .complete, .delete, .purge, .drop, .round, .sync, .lost, .during, .other,
    ]
    static let operations: [LabOperation] =
        short + [.note, .move, .reorder, .undo, .restore, .copy, .skew, .setback, .lose, .refuse, .join, .leave]

    /// Every sequence of up to so many steps.
    static func small(longest: Int) -> [SyncWorkload] {
        var sequences: [[LabStep]] = [[]]
        var all: [SyncWorkload] = []
        for _ in 0..<longest {
            sequences = sequences.flatMap { sequence in short.map { sequence + [LabStep($0)] } }
            all += sequences.map { SyncWorkload($0) }
        }
        return all
    }

    /// A seeded one of many steps.
    static func long(seed: UInt64, steps count: Int = 60) -> SyncWorkload {
        let draws = SeededRandomSource(seed: seed)
        let weighted = Array(repeating: short + [.sync, .other, .note, .move, .undo], count: 3).joined() + operations
        return SyncWorkload(
            (0..<count).map { _ in
                LabStep(weighted[Int(draws.next() % UInt64(weighted.count))], draw: Int(draws.next() % 997))
            })
    }

    /// One for each thing that happens to a device.
    static let named: [(name: String, workload: SyncWorkload)] = [
        ("sync: opening", SyncWorkload()),
        ("sync: push", SyncWorkload(.create, .edit, .note, .round, .round)),
        ("sync: pages", SyncWorkload(.other, .other, .other, .other, .round, .sync)),
        ("sync: joining a space", SyncWorkload(base: .unjoined, .join, .sync)),
        ("sync: a change while joining", SyncWorkload(base: .unjoined, .edit, .join, .edit, .round)),
        ("sync: leaving and joining again", SyncWorkload(.edit, .leave, .create, .join, .sync)),
        ("sync: an answer that is lost", SyncWorkload(.edit, .lost, .edit, .sync)),
        ("sync: a change while an answer is on its way", SyncWorkload(.edit, .during, .sync)),
        ("sync: a conflict", SyncWorkload(.edit, .note, .other, .other, .sync)),
        ("sync: a hub that was restored", SyncWorkload(.edit, .sync, .restore, .complete, .sync)),
        ("sync: a copy of the device", SyncWorkload(.edit, .sync, .copy, .edit, .create, .sync)),
        ("sync: a clock that is ahead", SyncWorkload(.skew, .edit, .create, .complete, .sync)),
        ("sync: a hub whose clock was set back", SyncWorkload(.setback, .edit, .sync, .create)),
        ("sync: a hub that has lost something", SyncWorkload(.lose, .edit, .sync)),
        ("sync: a purge", SyncWorkload(.edit, .purge, .sync, .other, .other, .other, .other, .other, .sync)),
        ("sync: a unit that the hub cannot read", SyncWorkload(.create, .edit, .refuse, .sync, .edit, .sync)),
        ("sync: undo between rounds", SyncWorkload(.complete, .sync, .undo, .drop, .lost, .undo, .sync)),
    ]

    /// The workload that must detect a promise of sync broken on purpose.
    static func workload(for point: InjectionPoint) -> SyncWorkload {
        var workload =
            switch point {
            case .storesCursorFirst: SyncWorkload(.other, .other, .round)
            case .settlesWhenSent: SyncWorkload(.create, .round)
            default: SyncWorkload(.create, .edit)
            }
        workload.injectionPoint = point
        return workload
    }
}
