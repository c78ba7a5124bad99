import Daybook

/// Where and when a random story begins, and what may happen in it.
struct RandomScenario {
    let scenario: Scenario
    /// How often each thing is drawn.
    let weights: [(feature: Feature, weight: Int)]

    /// Zones with something odd about them, and some without.
    static let zones = [
        "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo", "Australia/Lord_Howe",
        "Pacific/Kiritimati", "Antarctica/Troll", "Europe/Dublin", "Africa/Casablanca", "Asia/Beirut", "America/Havana",
        "America/Santiago", "Atlantic/Azores", "America/St_Johns", "America/Sao_Paulo", "Asia/Tokyo",
        "Pacific/Auckland", "America/Los_Angeles", "Asia/Pyongyang", "America/Caracas", "Pacific/Kwajalein", "UTC",
        "Asia/Kolkata", "Pacific/Honolulu", "Africa/Monrovia", "Pacific/Fakaofo", "Asia/Istanbul",
    ]

    /// When offsets or dates did something odd, and where.
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

    /// When the clocks of a zone are changed next after an instant, to the day; nil when that takes more than two years.
    private static func nextChange(after second: Int64, in zone: String) -> Int64? {
        guard let zone = try? Zone(zone) else { return nil }
        func offset(_ second: Int64) -> Int { zone.offsetSeconds(at: Instant(secondsSince1970: second)) }
        return (1...730).map { second + 86_400 * $0 }.first { offset($0) != offset(second) }
    }

    init(seed: UInt64, canFail: Bool) {
        let dice = Dice(seed: seed)
        let somewhen = Int64(dice.below(2_145_916_800))
        let odd = dice.chance(40) ? dice.pick(Self.oddMoments) : nil
        let zone = dice.pick(odd?.zones ?? Self.zones) ?? "UTC"
        let change = odd?.second ?? Self.nextChange(after: somewhen, in: zone) ?? somewhen
        let start = dice.chance(70) ? change - Int64(dice.below(3 * 86_400)) : somewhen
        var scenario = Scenario(
            name: "Seed \(seed)", start: .instant(Instant(secondsSince1970: start)), zone: zone)
        scenario.seed = seed
        scenario.weekStart = dice.pick([.monday, .sunday, .saturday]) ?? .monday
        scenario.lookers = (0..<2).compactMap { _ in dice.pick(Self.zones) }
        self.scenario = scenario
        weights = Feature.allCases.compactMap { feature in
            let isIn = dice.chance(60)
            let weight = 1 + dice.below(feature.isFrequent ? 12 : 3)
            return isIn && (canFail || !feature.needsFailingMachine) ? (feature, weight) : nil
        }
    }
}

extension Feature {
    /// What costs much or drowns everything else is drawn seldom, and not in every story that may have it.
    fileprivate var isFrequent: Bool {
        switch self {
        case .processCrashes, .powerCrashes, .otherProcesses, .closing, .epoch, .days, .purge, .sleep, .fullDisk, .busy:
            false
        default: true
        }
    }
}
