#if os(Linux)
    import CivilTime
    import Daybook
    import Foundation
    import Simulation

    @testable import CrashTesting

    /// A machine, the folder that it watches, and a store in it that lives through crashes.
    final class MachineStore {
        let machine = RecordedMachine()
        let clock = SettableClock(Instant(secondsSince1970: 1_770_800_400))
        private let folder: LabFolder
        private var lives = 0
        private var contexts: UInt64 = 0
        /// Where the store is now.
        private(set) var watched: String

        init() throws {
            folder = try LabFolder()
            watched = "\(folder.path)/0"
            try Self.make(watched)
            try machine.begin(watching: watched)
        }

        deinit {
            machine.end()
        }

        /// Each time with other random numbers, so that no id comes again.
        var context: Context {
            contexts += 1
            return Context(
                clock: clock, random: SeededRandomSource(seed: contexts), currentZone: { .utc }, weekStart: .monday)
        }

        var path: String { "\(watched)/home/store" }

        func open() throws -> DaybookStore { try Self.open(path, context) }

        static func open(_ path: String, _ context: Context, retries: RetryPolicy = .standard) throws -> DaybookStore {
            try DaybookStore.open(at: path, context: context, options: StoreOptions(retries: retries))
        }

        /// The calls that a piece of work makes.
        func calls(of work: () async throws -> Void, isolation: isolated (any Actor)? = #isolation) async rethrows
            -> Range<Int>
        {
            let before = machine.callCount
            try await work()
            return before..<machine.callCount
        }

        /// An empty folder outside the watched one.
        func freshFolder() throws -> String {
            lives += 1
            let fresh = "\(folder.path)/\(lives)"
            try Self.make(fresh)
            return fresh
        }

        /// Goes on with what a crash has left in a folder.
        func goOn(in folder: String) throws {
            watched = folder
            try machine.begin(watching: folder)
        }

        static func make(_ folder: String) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }

    /// Everything that a store says of its tasks, verified.
    func texts(of daybook: DaybookStore) throws -> [String] {
        guard try daybook.verify().isClean else { return ["not clean"] }
        return try daybook.tasks.inbox().map(\.text)
    }
#endif
