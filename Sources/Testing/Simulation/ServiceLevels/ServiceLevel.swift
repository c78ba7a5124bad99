import Daybook

/// A promise to people who keep a journal: the share of something that must succeed (requirements J-SLO1 to J-SLO4).
package enum ServiceLevel: String, CaseIterable, Sendable {
    /// Operations that ended as documented, and after which the store opened with all that it had reported as saved.
    case crashFree
    /// Entries that were saved, with the retries of the store.
    case entrySaves
    /// Drafts that were saved before a crash and came back exactly.
    case draftRecovery
    /// Exports that were written and, read back, had every entry.
    case exports

    /// The requirement.
    package var requirement: String {
        switch self {
        case .crashFree: "J-SLO1"
        case .entrySaves: "J-SLO2"
        case .draftRecovery: "J-SLO3"
        case .exports: "J-SLO4"
        }
    }

    /// The share that is required, in millionths.
    package var target: Int {
        switch self {
        case .crashFree: 999_000
        case .entrySaves: 999_900
        case .draftRecovery: 1_000_000
        case .exports: 990_000
        }
    }
}

/// How many of something succeeded.
package struct ServiceCount: Sendable, Equatable {
    package private(set) var succeeded = 0
    package private(set) var total = 0

    package init() {}

    mutating func add(_ isSuccess: Bool) {
        total += 1
        if isSuccess { succeeded += 1 }
    }

    /// The share that succeeded, in millionths, rounded down; nil if there was nothing to count.
    package var share: Int? { total == 0 ? nil : succeeded * 1_000_000 / total }
}

/// What a run injects, and how a journal is used in it. The same plan gives the same report.
package struct ServiceLevelPlan: Sendable {
    package var seed: UInt64
    package var operations: Int
    /// How many attempts of a save or an export in a thousand fail: the disk is full, or the system busy.
    package var failedAttempts = 50
    /// How many operations in a thousand a crash interrupts, and how many it follows.
    package var crashesDuring = 20
    package var crashesAfter = 20
    /// The retries of the store.
    package var retries = RetryPolicy.standard
    /// How often a person tries an export. The library does not repeat it.
    package var exportAttempts = 2
    /// A negative control: drafts are not saved.
    package var keepsDraftsInMemory = false
    /// A negative control: what the stores do wrong.
    package var options = StoreOptions.direct

    package init(seed: UInt64, operations: Int) {
        self.seed = seed
        self.operations = operations
    }
}

/// What a run measured.
package struct ServiceLevelReport: Sendable {
    package let plan: ServiceLevelPlan
    package internal(set) var counts: [ServiceLevel: ServiceCount] = [:]
    package internal(set) var operations = 0
    package internal(set) var stores = 0
    /// The attempts that were made to fail.
    package internal(set) var failures = 0
    package internal(set) var processCrashes = 0
    package internal(set) var powerCrashes = 0
    /// What went wrong that no injected fault explains, up to a limit.
    package private(set) var problems: [String] = []

    private static let problemLimit = 10

    init(_ plan: ServiceLevelPlan) {
        self.plan = plan
    }

    mutating func count(_ level: ServiceLevel, _ isSuccess: Bool) {
        counts[level, default: ServiceCount()].add(isSuccess)
    }

    mutating func note(_ problem: String) {
        if problems.count < Self.problemLimit { problems.append("operation \(operations): \(problem)") }
    }

    /// Whether a level is reached. One of which nothing was measured is not.
    package func meets(_ level: ServiceLevel) -> Bool { (counts[level]?.share ?? -1) >= level.target }

    /// Whether the run is complete and every level is reached.
    package var isGood: Bool { operations >= plan.operations && ServiceLevel.allCases.allSatisfy(meets) }
}
