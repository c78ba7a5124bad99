import Daybook
import LabSupport

/// The start of a random scenario, and the features that it may use.
struct RandomScenario {
    let scenario: Scenario
    /// How often each feature is drawn.
    let weights: [(feature: Feature, weight: Int)]

    /// Zones with unusual rules, and some without.
    static let zones = [
        "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo", "Australia/Lord_Howe",
        "Pacific/Kiritimati", "Antarctica/Troll", "Europe/Dublin", "Africa/Casablanca", "Asia/Beirut", "America/Havana",
        "America/Santiago", "Atlantic/Azores", "America/St_Johns", "America/Sao_Paulo", "Asia/Tokyo",
        "Pacific/Auckland", "America/Los_Angeles", "Asia/Pyongyang", "America/Caracas", "Pacific/Kwajalein", "UTC",
        "Asia/Kolkata", "Pacific/Honolulu", "Africa/Monrovia", "Pacific/Fakaofo", "Asia/Istanbul",
    ]

    /// Times at which offsets or dates changed in unusual ways, with the zones concerned.
    private static let oddMoments: [(second: Int64, zones: [String])] = [
        (63_593_070, ["Africa/Monrovia"]),  // leaves its offset of 44.5 minutes, 1972-01-07
        (745_934_400, ["Pacific/Kwajalein"]),  // skips a day, 1993-08-21
        (788_868_000, ["Pacific/Kiritimati"]),  // skips a day, 1994-12-31
        (1_325_239_200, ["Pacific/Apia", "Pacific/Fakaofo"]),  // skip a day, 2011-12-30
        (1_774_746_000, ["Europe/Berlin", "Europe/Dublin", "Atlantic/Azores", "Antarctica/Troll"]),  // spring 2026
        (1_792_890_000, ["Europe/Berlin", "Europe/Dublin", "Atlantic/Azores", "Antarctica/Troll"]),  // autumn 2026
        (1_772_953_200, ["America/New_York", "America/St_Johns", "America/Havana"]),  // spring 2026
        (1_793_512_800, ["America/New_York", "America/St_Johns", "America/Havana"]),  // autumn 2026
        (1_745_532_000, ["Africa/Cairo"]),  // spring 2025: midnight does not exist
        (1_761_858_000, ["Africa/Cairo"]),  // autumn 2025
        (1_709_164_800, zones),  // 29 February 2024
        (1_767_225_600, zones),  // New Year 2026
    ]

    /// Returns the next change of a zone's offset, to the day; nil if there is none within two years.
    private static func nextChange(after second: Int64, in zone: String) -> Int64? {
        guard let zone = try? Zone(zone) else { return nil }
        func offset(_ second: Int64) -> Int { zone.offsetSeconds(at: Instant(secondsSince1970: second)) }
        return (1...730).map { second + 86_400 * $0 }.first { offset($0) != offset(second) }
    }

    init(seed: UInt64, canFail: Bool) {
        var dice = SeededGenerator(seed: seed)
        let somewhen = Int64(dice.below(2_145_916_800))
        let odd = dice.chance(40) ? dice.pick(Self.oddMoments) : nil
        let zone = dice.pick(odd?.zones ?? Self.zones) ?? "UTC"
        let change = odd?.second ?? Self.nextChange(after: somewhen, in: zone) ?? somewhen
        let start = dice.chance(70) ? change - Int64(dice.below(3 * 86_400)) : somewhen
        var scenario = Scenario(
            name: "Seed \(seed)", start: .instant(Instant(secondsSince1970: start)), zone: zone)
        scenario.seed = seed
        scenario.weekStart = dice.pick([.monday, .sunday, .saturday]) ?? .monday
        scenario.observers = (0..<2).compactMap { _ in dice.pick(Self.zones) }
        self.scenario = scenario
        weights = Feature.allCases.compactMap { feature in
            let isIn = dice.chance(60)
            let weight = 1 + dice.below(feature.isFrequent ? 12 : 3)
            return isIn && (canFail || !feature.needsFailingMachine) ? (feature, weight) : nil
        }
    }
}

extension Feature {
    /// Features that are expensive or would dominate are drawn rarely.
    fileprivate var isFrequent: Bool {
        switch self {
        case .processCrashes, .powerCrashes, .otherProcesses, .closing, .epoch, .days, .purge, .sleep, .fullDisk, .busy:
            false
        default: true
        }
    }
}

/// A run whose steps were generated from a seed, with its coverage.
public struct RandomStory: Sendable {
    /// The record of the run. Its scenario contains the generated steps with their refusals.
    public var story: Story
    /// The coverage of the run.
    public var coverage: Coverage
}

extension Simulator {
    /// Generates and runs the random scenario of a seed.
    ///
    /// - Throws: `SimulationError` if it cannot be run; a failure is part of the returned record instead.
    public func playRandom(seed: UInt64, steps: Int) throws -> RandomStory {
        let random = RandomScenario(seed: seed, canFail: canFail)
        let coverage = Shared(Coverage(ofAll: [pack].compactMap(\.self)))
        let drawn = Shared<[Step]>([])
        let pack = pack
        var story = try run(random.scenario, isDrawn: true, isThorough: false) { session in
            var source = StepSource(
                random, seed: seed, domain: pack?.weightedNames ?? [], domainHasTasks: pack?.changesTasks ?? false)
            var reached = coverage.value
            var taken: [Step] = []
            for _ in 0..<steps {
                let before = session.moment
                let situation = StepSource.Situation(
                    state: session.model.state, canRedo: session.model.canRedo,
                    isNoticeModelled: session.model.isNoticeModelled,
                    isTrimmed: session.model.isTrimmed, moment: before,
                    isOpen: session.openStore != nil, isAsleep: session.world.isAsleep)
                let action = source.next(in: situation)
                let failure = await session.perform(Step(action))
                let event = session.story.events.last
                taken.append(Step(action, refusal: session.refusal))
                if let event {
                    reached.note(action, event, before: situation, after: session.moment)
                }
                if failure != nil { break }
            }
            coverage.set(reached)
            drawn.set(taken)
        }
        story.scenario.steps = drawn.value
        return RandomStory(story: story, coverage: coverage.value)
    }
}

/// A feature that a random scenario may use. Each seed uses a subset (swarm testing: what is absent from one scenario
/// leaves room for the rest).
///
/// Groce and others, "Swarm Testing", ISSTA 2012.
enum Feature: String, CaseIterable {
    // The task list.
    case states, schedule, reorder, carry, edit, remind, delete, purge, together, undo, redo, notice, refusals
    // Time.
    case seconds, hours, days, midnights, jumps, epoch, travel, sleep
    // The machine.
    case closing, processCrashes, powerCrashes, fullDisk, busy, otherProcesses

    /// Whether the feature lets time pass, or changes the clock or the zone.
    var isOfTime: Bool {
        switch self {
        case .seconds, .hours, .days, .midnights, .jumps, .epoch, .travel: true
        default: false
        }
    }

    /// Whether the feature needs a machine with fault injection.
    var needsFailingMachine: Bool {
        switch self {
        case .processCrashes, .powerCrashes, .fullDisk, .busy, .otherProcesses: true
        default: false
        }
    }
}
