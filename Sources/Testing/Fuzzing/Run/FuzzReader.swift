import Exchange
import Glibc

/// The readers, by name.
package struct FuzzReader: Equatable, Sendable {
    package let name: String
    /// The share of all mutations: less for slow readers, which need files, keys or stores.
    let share: Int

    package static let all: [FuzzReader] =
        TaskFormat.allCases.map { FuzzReader(name: $0.rawValue, share: 96) } + [
            FuzzReader(name: "journals", share: 98), FuzzReader(name: "zstd", share: 70),
            FuzzReader(name: "snapshot", share: 40),
            FuzzReader(name: "blocks", share: 105), FuzzReader(name: "encrypted", share: 9),
            FuzzReader(name: "restore", share: 1), FuzzReader(name: "store", share: 1),
            FuzzReader(name: "damage", share: 4),
        ]

    init(name: String, share: Int) {
        self.name = name
        self.share = share
    }

    package init?(_ name: String) {
        guard let reader = Self.all.first(where: { $0.name == name }) else { return nil }
        self = reader
    }

    /// Creates the target with its corpus, which the seed determines.
    func target(seed: UInt64, in folder: String) async throws -> any FuzzTarget {
        switch name {
        case "journals": return try JournalTarget(in: folder)
        case "zstd": return try ZstdTarget(seed: seed)
        case "snapshot": return try await SnapshotTarget(seed: seed, in: folder)
        case "blocks": return try await BlockTarget(seed: seed, in: folder)
        case "encrypted": return try await EncryptedTarget(seed: seed, in: folder)
        case "restore": return try await RestoreTarget(seed: seed, in: folder)
        case "store": return try await StoreTarget(seed: seed, in: folder)
        case "damage": return try await DamageTarget(seed: seed, in: folder)
        default: return try ImportTarget(TaskFormat(rawValue: name) ?? .json, seed: seed)
        }
    }
}

/// Faults injected on purpose, to test that they are detected.
package enum Plant: String, Sendable {
    case crash, hang, memory
    /// Errors quote their input.
    case text
    /// A second reading differs from the first.
    case change

    /// Set once, before anything is read.
    nonisolated(unsafe) package static var active: Plant?
    nonisolated(unsafe) private static var hoard: [UInt8] = []

    /// Injects the fault at some mutations.
    static func spring(at number: Int) {
        guard number % 500 == 123 else { return }
        switch active {
        case .crash: abort()
        case .hang: while hoard.isEmpty { _ = getpid() }
        case .memory: hoard = [UInt8](repeating: 1, count: 300 << 20)
        case .text, .change, nil: break
        }
    }
}

/// The limits of one mutation. The system measures both, so that a slow machine causes no findings.
enum Limits {
    /// The CPU time of one mutation, in seconds.
    static var seconds: Int { Plant.active == .hang ? 1 : 5 }
    /// The peak memory of the process.
    static let peakBytes = 256 << 20

    /// A hard limit: a larger allocation fails and ends the process.
    static func limitMemory() {
        var limit = rlimit(rlim_cur: rlim_t(2 << 30), rlim_max: rlim_t(2 << 30))
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Starts the timer of a mutation: SIGPROF ends the process at the limit.
    static func startClock() {
        var timer = itimerval()
        timer.it_value.tv_sec = seconds
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    }

    /// The peak memory of this process so far.
    static var peak: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
