import Daybook
import DomainPacks
import FoundationEssentials
import LabSupport

/// One store of a run that measures service levels, and the model of what it reported as saved.
final class ServiceLevelStore {
    private var report: ServiceLevelReport
    private let world: SimulatedWorld
    private let machine: any SimulatedMachine
    private let root: String
    private var draws: SeededGenerator
    private var model = JournalPack()
    private var daybook: DaybookStore?
    private var folderCount = 0

    private var plan: ServiceLevelPlan { report.plan }
    private var folder: String { "\(root)/\(folderCount)" }

    /// How often an entry is written, a draft saved, a thread exported, or something else done.
    private static let weights = [50, 25, 10, 15]
    private static let others = JournalPack.operationNames.filter { $0 != "write" && $0 != "draft" }
    private static let longestPause = 600

    init(
        _ report: ServiceLevelReport, seed: UInt64, in world: SimulatedWorld, on machine: any SimulatedMachine,
        at root: String
    ) {
        self.report = report
        self.world = world
        self.machine = machine
        self.root = root
        draws = SeededGenerator(seed: seed)
    }

    /// Performs operations until one breaks a promise.
    func run(_ count: Int) async throws -> ServiceLevelReport {
        defer { machine.end() }
        try makeFolder()
        try machine.begin(watching: folder)
        try open()
        for _ in 0..<count {
            await world.advance(by: .seconds(draws.number(below: Self.longestPause)))
            report.operations += 1
            do {
                try await performNext()
                report.count(.crashFree, true)
            } catch {
                try ScratchFull.check(root)
                report.count(.crashFree, false)
                report.note("\(error)")
                break
            }
        }
        await close()
        return report
    }

    private func performNext() async throws {
        let isInterrupted = draws.chance(perMille: plan.crashesDuring)
        let isFollowed = draws.chance(perMille: plan.crashesAfter)
        switch draws.index(weights: Self.weights) {
        case 0: try await perform("write", isInterrupted: isInterrupted)
        case 1: try await perform("draft", isInterrupted: isInterrupted)
        case 2 where !model.live.isEmpty: try await export()
        default: try await perform(draws.element(of: Self.others) ?? "", isInterrupted: isInterrupted)
        }
        if isFollowed { try await crash(during: nil) }
    }

    // MARK: Operations

    private func perform(_ name: String, isInterrupted: Bool) async throws {
        let moment = DomainMoment(world.clock.wall, in: world.zones.zone)
        let draw = DomainDraw(draws.number(below: 1_000_000), at: moment)
        // Without a thread there is nothing to do but to begin one.
        guard let change = model.change(name, draw) ?? model.change("begin", draw) else { return }
        if isInterrupted { return try await crash(during: change) }

        let isSaved = try await withFault(failures: drawnFailures()) { try await perform(change) }
        if isSaved, let content = change.content as? JournalPack { model = content }
        guard change.label.operation == "write" else { return }
        // What the store reports must be true.
        let id = JournalPack.id(isSaved ? model.lastNumber : model.lastNumber + 1)
        guard try opened.read({ try $0.journals.entry(id) != nil }) == isSaved else {
            throw ServiceProblem(
                "an entry was \(isSaved ? "reported as saved, but is missing" : "refused, but is there")")
        }
        report.count(.entrySaves, isSaved)
    }

    private func perform(_ change: PackChange) async throws {
        if plan.keepsDraftsInMemory, change.label.operation == "draft" { return }
        try await change.work.perform(in: opened, change.label)
    }

    private func export() async throws {
        guard let thread = draws.element(of: model.live) else { return }
        let format: JournalFormat = draws.chance(perMille: 500) ? .csv : .json
        // Another name each time: a power failure can bring a removed file back.
        let path = "\(folder)/export-\(report.operations)"
        var isWritten = false
        for _ in 0..<plan.exportAttempts where !isWritten {
            let failures = draws.chance(perMille: plan.failedAttempts) ? 1 : 0
            isWritten = try await withFault(failures: failures) {
                try opened.files.exportThread(JournalPack.id(thread), as: format, to: URL(filePath: path))
            }
            guard FileManager.default.fileExists(atPath: path) == isWritten else {
                throw ServiceProblem(isWritten ? "an export is missing" : "a failed export left a file")
            }
        }
        let isComplete = isWritten && (try? contents(of: path, format)) == model.contents(of: thread)
        report.count(.exports, isComplete)
        if isWritten { try FileManager.default.removeItem(atPath: path) }
    }

    /// Returns the contents of the entries of an exported file.
    private func contents(of path: String, _ format: JournalFormat) throws -> [String] {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        guard format == .csv else {
            return try JournalFile(Array(bytes), zone: world.zones.zone).entries.map(\.content)
        }
        let rows = try CSVRows.rows(of: String(decoding: bytes, as: UTF8.self))
        guard let column = rows.first?.fields.firstIndex(of: "Content") else { return [] }
        return rows.dropFirst().map { $0.fields[column] }
    }

    // MARK: Faults

    /// How many attempts in a row fail: each with the same probability, independent of the others.
    private func drawnFailures() -> Int {
        var failures = 0
        while failures <= plan.retries.delaysInMicroseconds.count, draws.chance(perMille: plan.failedAttempts) {
            failures += 1
        }
        return failures
    }

    /// Runs work of which so many attempts fail. Returns whether it succeeded in the end; any error but the injected one is
    /// thrown.
    private func withFault(failures: Int, _ work: () async throws -> Void) async throws -> Bool {
        if failures > 0 { machine.setFault(draws.chance(perMille: 500) ? .fullDisk : .busy, writes: failures) }
        var failure: (any Error)?
        do {
            try await work()
        } catch {
            failure = error
        }
        let hits = failures > 0 ? machine.faultsHit : 0
        machine.setFault(nil, writes: 0)
        report.failures += hits
        guard let failure else { return true }
        guard hits > 0, Self.isTransient(failure) else { throw failure }
        return false
    }

    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case RecordsError.engine(.storageFull), RecordsError.engine(.busy), FileError.diskFull, FileError.system: true
        case JournalError.store(let error): isTransient(error)
        default: false
        }
    }

    // MARK: Crashes

    /// Stops the process or the power, during an operation if one is given, opens what remains, and compares it.
    private func crash(during change: PackChange?) async throws {
        var after = model
        let first = machine.callCount
        if let change {
            try await perform(change)
            if let content = change.content as? JournalPack { after = content }
        }
        let calls = first..<(change == nil ? first : machine.callCount)
        let crash = draws.chance(perMille: 500) ? Crash.process : .power
        if crash == .process { report.processCrashes += 1 } else { report.powerCrashes += 1 }
        let oldFolder = folder
        try makeFolder()
        _ = try machine.leave(crash, within: calls, choice: draws.next(), in: folder)
        await close()
        try FileManager.default.removeItem(atPath: oldFolder)
        try machine.begin(watching: folder)
        try open()
        try compare(before: model, after: after)
    }

    /// Compares a store with the model before an operation that was interrupted, and after it: it must equal one of them.
    /// Drafts are counted, the rest must be there.
    private func compare(before: JournalPack, after: JournalPack) throws {
        let (lines, problems) = try opened.read { (try JournalPack.lines(in: $0), try JournalPack.problems(in: $0)) }
        if let problem = problems.first { throw ServiceProblem(problem) }
        guard
            let found = [before, after].first(where: { $0.lines == lines })
                ?? [before, after].first(where: { Self.withoutDrafts($0.lines) == Self.withoutDrafts(lines) })
        else { throw ServiceProblem("a crash left neither what was there before an operation nor what it made") }
        let drafts = try opened.read { transaction in
            try found.drafts.filter { thread, number in
                try transaction.journals.draft(of: JournalPack.id(thread))?.content == JournalPack.draft(number)
            }
        }
        for (thread, number) in before.drafts where found.drafts[thread] == number {
            report.count(.draftRecovery, drafts[thread] == number)
        }
        model = found
        model.drafts = drafts
    }

    private static func withoutDrafts(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("note of") } }

    // MARK: The store

    private var opened: DaybookStore {
        get throws {
            guard let daybook else { throw ServiceProblem("no store is open") }
            return daybook
        }
    }

    private func open() throws {
        var options = plan.options
        options.retries = plan.retries
        daybook = try DaybookStore.open(
            at: "\(folder)/store", context: world.context, records: JournalPack.records, options: options)
    }

    private func close() async {
        daybook?.close()
        daybook = nil
        await world.settle()
    }

    private func makeFolder() throws {
        folderCount += 1
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
}

/// A broken promise.
private struct ServiceProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
