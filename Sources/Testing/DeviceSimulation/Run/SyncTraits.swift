import DomainPacks
import LabSupport

/// Something that can happen in a run. Each seed draws which of them can, so that rare ones meet undisturbed (swarm testing).
enum SyncTrait: String, CaseIterable, Sendable {
    case lostMessages, repeatedMessages, slowNetwork, partitions
    case conflicts, unknownOutcomes, refusals, smallPages, smallRequests, hubRestarts, restoredHub, emptiedHub
    case crashes, restoredDevice, copiedDevice, secondProcess, fullDisk, programWithoutSync, olderVersion
    case wrongClocks, clockSteps, ties
    case undo, purge, lists, recurrence, planner, people, combined, longAbsence
}

/// What a seed decides about a whole run.
struct SyncTraits: Sendable {
    var traits: Set<SyncTrait> = []
    var devices: Int
    var hubProcesses: Int
    /// The longest delay of a message, in microseconds, when the network is as usual.
    var delay: Int
    /// How often a message is lost, or comes twice, in percent.
    var loss = 0
    var repetition = 0
    /// How often a statement fails, in percent.
    var conflicts = 0
    var unknown = 0
    /// How often a hub refuses a request, in percent.
    var refusals = 0

    init(seed: UInt64, without: Set<SyncTrait> = []) {
        var dice = SeededGenerator(seed: seed ^ 0x5EED_5DEC)
        devices = 2 + dice.below(4)
        hubProcesses = 1 + dice.below(2)
        for trait in SyncTrait.allCases where dice.below(100) < 45 { traits.insert(trait) }
        traits.subtract(without)
        delay = [2_000, 60_000, 150_000][dice.below(3)]
        if has(.lostMessages) { loss = 2 + dice.below(20) }
        if has(.repeatedMessages) { repetition = 5 + dice.below(20) }
        if has(.conflicts) { conflicts = 2 + dice.below(18) }
        if has(.unknownOutcomes) { unknown = 1 + dice.below(4) }
        if has(.refusals) { refusals = 1 + dice.below(6) }
    }

    func has(_ trait: SyncTrait) -> Bool { traits.contains(trait) }

    /// The verbs that people use in the run.
    ///
    /// - Parameter isOlder: whether their version of the program does not know the planner and its archive.
    func operations(isOlder: Bool) -> [DomainOperation<TasksPack>] {
        var profiles = Set(Self.profiles.filter { has($0.key) }.values)
        if isOlder { profiles.subtract([.planner, .combined]) }
        return Self.operations(of: profiles).filter { !isOlder || $0.name != "shelve" }
    }

    private static let profiles: [SyncTrait: TasksVerb.Profile] = [
        .lists: .lists, .recurrence: .recurrence, .planner: .planner, .people: .people, .combined: .combined,
    ]

    /// The verbs of all runs.
    static let allOperations = operations(of: Set(profiles.values))

    /// The verbs of days and of other profiles, but for those that write texts, which must be unique here, and the delivery of
    /// reminders, which is not synced.
    private static func operations(of profiles: Set<TasksVerb.Profile>) -> [DomainOperation<TasksPack>] {
        TasksPack.operations(of: profiles.union([.days])).filter { !["edit", "annotate", "deliver"].contains($0.name) }
    }
}
