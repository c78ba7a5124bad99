import ArgumentParser
import CommandSupport
import Daybook
import Measuring

/// A program that judges the operations of another program: by budgets, by exact counts, by their growth, and against an older
/// build.
///
/// ```swift
/// let gate = PerformanceGate("greenhouse", records: Readings.schema, sizes: [1_000, 10_000]) { store, size in
///     for number in 0..<size { try await Readings(store: store).measure(Double(number % 30), by: "roof") }
/// } operations: {
///     GateOperation("measure", budget: .milliseconds(100), requirement: "G-3") { store, turn in
///         try await Readings(store: store).measure(Double(turn % 30), by: "roof")
///     }
///     GateOperation("readings of today", budget: .milliseconds(5), growth: 2) { transaction, _ in
///         _ = try transaction[Reading.byTime].range()
///     }
/// }
/// exit(await gate.main())
/// ```
///
/// The options are those of `daybook bench` (Documentation/PerformanceTesting.md).
///
/// - Important: This module contains definitions of libc's file calls and of `malloc`, which count calls and otherwise pass them
///   on. Make the gate a program of its own, and never link the module into a program that people run. Linux only.
public struct PerformanceGate<Subject: Sendable>: Sendable {
    let name: String
    let sizes: [Int]
    let operations: [GateOperation<Subject>]
    let place: GatePlace<Subject>

    init(
        _ name: String, sizes: [Int], _ place: GatePlace<Subject>, _ operations: [GateOperation<Subject>]
    ) {
        self.name = name
        self.sizes = sizes.isEmpty ? [0] : sizes.sorted()
        self.place = place
        self.operations = operations
    }

    /// Creates a gate for operations on anything in a folder, such as files of another format or a server.
    ///
    /// - Parameters:
    ///   - name: the name of the program, for reports.
    ///   - sizes: the sizes of the subject: budgets and counts are of the smallest, growth is measured in all.
    ///   - open: opens the subject in a folder, which is empty at first.
    ///   - close: closes it.
    ///   - fill: fills a new one with so many records.
    ///   - operations: the operations, in the order in which they run.
    public init(
        _ name: String, sizes: [Int] = [], opening open: @escaping @Sendable (_ folder: String) async throws -> Subject,
        closing close: @escaping @Sendable (Subject) async throws -> Void = { _ in },
        filling fill: @escaping @Sendable (Subject, _ size: Int) async throws -> Void = { _, _ in },
        @GateOperations<Subject> operations: () -> [GateOperation<Subject>]
    ) {
        let place = GatePlace(
            storePath: nil, open: { folder, _ in try await open(folder) }, close: close, fill: fill,
            counters: { _ in nil },
            facts: { _, _ in nil })
        self.init(name, sizes: sizes, place, operations())
    }

    /// Runs the gate with the arguments of the process, and returns the code to exit with: 0 if nothing is worse than allowed, with
    /// `--check` 1 if something is and 6 if a measurement was inconclusive, 2 for a wrong command line, 3 if something could not
    /// be used.
    public func main() async -> Int32 {
        await main(Array(CommandLine.arguments.dropFirst()))
    }

    /// Runs the gate with arguments.
    public func main(_ arguments: [String]) async -> Int32 {
        do {
            var command = try GateOptions.parseAsRoot(arguments)
            if let options = command as? GateOptions {
                try await GateRun(gate: self, options: options).run()
            } else {
                // A request for help, which is the parser's own command.
                try command.run()
            }
            return ProgramExit.done.rawValue
        } catch {
            let failure = Failure(error, of: GateOptions.self)
            failure.report(as: name)
            return failure.code.rawValue
        }
    }
}

extension PerformanceGate where Subject == DaybookStore {
    /// Creates a gate for operations on a store.
    ///
    /// Its clock stands still at an instant and its random numbers follow from the store, so that equal runs write equal bytes on
    /// every machine.
    ///
    /// - Parameters:
    ///   - name: the name of the program, for reports.
    ///   - records: the collections of your own record types.
    ///   - sizes: the sizes of the stores: budgets and counts are of the smallest, growth is measured in all.
    ///   - now: the time of the store's clock; by default 2027-01-15T12:00:00Z.
    ///   - fill: fills a new store with so many records.
    ///   - operations: the operations, in the order in which they run.
    public init(
        _ name: String, records: Schema = Schema(), sizes: [Int] = [1000],
        now: Instant = Instant(secondsSince1970: 1_800_014_400),
        filling fill: @escaping @Sendable (DaybookStore, _ size: Int) async throws -> Void,
        @GateOperations<DaybookStore> operations: () -> [GateOperation<DaybookStore>]
    ) {
        let place = GatePlace<DaybookStore>(
            storePath: { $0 + "/store" },
            open: { folder, options in
                func open(seed: UInt64) throws -> DaybookStore {
                    let context = Context(
                        clock: SettableClock(now), random: SeededRandomSource(seed: seed), currentZone: { .utc },
                        weekStart: .monday)
                    return try DaybookStore.open(
                        at: folder + "/store", context: context, records: records, options: options)
                }
                // The clock stands still, so only random bits distinguish the ids of this opening from those of an earlier one.
                let first = try open(seed: 1)
                let seed = try first.information().lastSequence
                first.close()
                return try open(seed: seed &+ 1)
            },
            close: { $0.close() }, fill: fill, counters: { $0.lastWriteCounters },
            facts: { try StoreFacts(of: $0, in: $1) })
        self.init(name, sizes: sizes, place, operations())
    }
}

extension PerformanceGate where Subject == Void {
    /// Creates a gate for operations that need nothing, such as those of a parser or a view model.
    ///
    /// - Parameters:
    ///   - name: the name of the program, for reports.
    ///   - operations: the operations, in the order in which they run.
    public init(_ name: String, @GateOperations<Void> operations: () -> [GateOperation<Void>]) {
        self.init(name, opening: { _ in }, operations: operations)
    }
}
