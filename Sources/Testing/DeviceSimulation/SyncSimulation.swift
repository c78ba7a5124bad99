import FoundationEssentials
import Injection
import LabSupport
import Sync

/// A random run of two to five devices over a hub: real stores and real replicas on a virtual network, in virtual time.
///
///     let report = try await SyncSimulation(seed: 7).run(steps: 500)
///     #expect(report.problems == [])
///
/// The seed decides everything: how many devices there are, what can happen in the run and how often, and each step.
public struct SyncSimulation: Sendable {
    /// The seed.
    public let seed: UInt64
    private let hub: (any SimulatedHub)?
    private let point: InjectionPoint?
    private let scratch: String?
    /// What does not happen in the run, although the seed says so: see `shortened`.
    private var without: Set<SyncTrait> = []

    /// A run over the model of a hub, or over another hub, which must be empty.
    public init(seed: UInt64, hub: (any SimulatedHub)? = nil) {
        self.seed = seed
        self.hub = hub
        scratch = nil
        point = nil
    }

    /// A run in which a rule is broken.
    ///
    /// - Parameter scratch: where the folders of devices are made; nil for the memory.
    package init(seed: UInt64, breaking point: InjectionPoint?, in scratch: String? = nil) {
        self.scratch = scratch
        self.seed = seed
        hub = nil
        self.point = point
    }

    /// Plays some steps, lets everything settle, and compares.
    public func run(steps: Int) async throws -> SyncReport {
        let traits = SyncTraits(seed: seed, without: without)
        let hub =
            hub
            ?? ModelHub(
                pageLimit: traits.has(.smallPages) ? 3 + Int(seed % 9) : SyncProtocol.unitLimit,
                requestLimit: traits.has(.smallRequests) ? 2 + Int(seed % 7) : SyncProtocol.unitLimit,
                numbersOutsideLock: point == .numbersUnitsOutsideLock)
        let run = try SpaceRun(seed: seed, traits: traits, hub: hub, breaking: point, in: scratch)
        do {
            try await run.play(steps: steps)
        } catch {
            run.note(problem: "the run failed: \(error)")
        }
        if !run.report.problems.isEmpty { try ScratchFull.check(MemoryFolder.root(scratch)) }
        return run.report
    }

    /// Looks for a shorter and simpler run of this seed that has a problem as well: with fewer steps, and with less that can happen.
    public func shortened(from steps: Int) async throws -> SyncReport {
        var best = self
        var worst = try await run(steps: steps)
        guard !worst.problems.isEmpty else { return worst }
        for trait in SyncTrait.allCases where SyncTraits(seed: seed).has(trait) {
            var simpler = best
            simpler.without.insert(trait)
            let report = try await simpler.run(steps: steps)
            if !report.problems.isEmpty { (best, worst) = (simpler, report) }
        }
        var (good, bad) = (0, worst.steps)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            let report = try await best.run(steps: middle)
            if report.problems.isEmpty {
                good = middle
            } else {
                (bad, worst) = (middle, report)
            }
        }
        worst.traits = SyncTraits(seed: seed, without: best.without).traits.map(\.rawValue).sorted()
        return worst
    }
}

/// What a run has shown.
public struct SyncReport: Sendable {
    /// What is wrong; empty when everything is right.
    public var problems: [String] = []
    /// How often what occurred, by group and name.
    public var counts: [String: [String: Int]] = [:]
    /// What could happen, in a run that was shortened.
    public var traits: [String] = []
    /// How many steps were played.
    public var steps = 0
    /// How long the run was, in microseconds of virtual time.
    public var microseconds: Int64 = 0
    /// A digest of what happened and of the records in the end.
    public var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// What happened, the last events of it.
    public var history: [String] = []
}
