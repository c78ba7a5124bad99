import CivilTime
import Daybook
import DiskRecording
import DomainPacks
import KeyValue

/// Runs sequences of a domain's operations in a store and records their file system calls.
struct SequenceRunner: Sendable {
    let pack: any DomainPack.Type
    let open: @Sendable (String, Context) throws -> DaybookStore
    /// The recorded folder.
    let folder: String
    /// The steps before each sequence.
    let start: [LabStep]
    /// Whether sequences undo.
    let includesUndo: Bool

    init(
        pack: any DomainPack.Type, includesUndo: Bool,
        open: @escaping @Sendable (String, Context) throws -> DaybookStore, folder: String
    ) throws {
        self.includesUndo = includesUndo
        self.pack = pack
        self.open = open
        self.folder = folder
        start = try pack.start.map { text in
            guard let step = LabStep(text, of: pack) else {
                throw CrashLabError.workloadFailed(text, "it is no operation of the domain")
            }
            return step
        }
    }

    /// A store after the first steps, and what moves its clock.
    struct Opened: Sendable {
        let store: DaybookStore
        private let clock: SettableClock

        init(at folder: String, _ open: (String, Context) throws -> DaybookStore) throws {
            let clock = SettableClock(LabStore.start)
            store = try open(
                "\(folder)/\(RecordedRun<[String]>.store)",
                Context(clock: clock, random: SeededRandomSource(seed: 1), currentZone: { .utc }, weekStart: .monday))
            self.clock = clock
        }

        func setStep(_ index: Int) { clock.setWall(LabStore.instant(ofStep: index)) }
    }

    /// The model after the first steps.
    var model: LabModel {
        var model = LabModel(of: pack)
        model.apply(start)
        return model
    }

    /// The steps that have something to do.
    func possible(_ steps: [LabStep]) -> [LabStep] {
        var model = model
        return steps.enumerated().filter { index, step in
            guard let action = model.action(for: step, at: index + 1) else { return false }
            model.apply(action)
            return true
        }.map(\.element)
    }

    /// Creates the folder that all sequences begin with.
    func base(isolation: isolated (any Actor)? = #isolation) async throws -> DiskImage {
        try FolderFiles.replace(folder, with: DiskImage())
        let opened = try Opened(at: folder, open)
        defer { opened.store.close() }
        var model = LabModel(of: pack)
        _ = try await perform(start, at: { _ in 0 }, in: opened, &model)
        opened.store.close()
        return try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
    }

    func record(
        _ steps: [LabStep], from base: DiskImage, isolation: isolated (any Actor)? = #isolation
    ) async throws -> RecordedRun<[String]> {
        try FolderFiles.replace(folder, with: base)
        try DiskLog.begin(folder: folder)
        defer { DiskLog.end() }
        DiskLog.note(.issued, 0)
        let opened = try Opened(at: folder, open)
        defer { opened.store.close() }
        DiskLog.note(.acknowledged, 0)
        var model = model
        var contents = [model.lines]
        contents += try await perform(steps, at: { $0 + 1 }, in: opened, &model)
        opened.store.close()
        let entries = try DiskLog.entries().normalized
        return RecordedRun(
            start: base, entries: entries, contents: contents,
            lockFile: FolderFiles.bytes(of: "\(folder)/\(RecordedRun<[String]>.store)/\(LockFile.fileName)") ?? [],
            prefix: steps.map(\.text).joined(separator: ",") + "|")
    }

    /// Performs steps and compares the store with the model after each. Returns the content after each.
    func perform(
        _ steps: [LabStep], at moment: (Int) -> Int, in opened: Opened, _ model: inout LabModel,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [[String]] {
        var contents: [[String]] = []
        for (index, step) in steps.enumerated() {
            let text = steps[...index].map(\.text).joined(separator: ",")
            guard let action = model.action(for: step, at: moment(index)) else {
                throw CrashLabError.workloadFailed(text, "\(step.text) has nothing to do")
            }
            opened.setStep(moment(index))
            DiskLog.note(.issued, Int64(index + 1))
            do {
                try await action.perform(in: opened.store)
            } catch {
                throw CrashLabError.workloadFailed(text, "\(error)")
            }
            DiskLog.note(.acknowledged, Int64(index + 1))
            model.apply(action)
            let lines = try shown(by: opened.store)
            guard lines == model.lines else {
                throw CrashLabError.modelMismatch("after \(text): \(Difference.between(model.lines, lines))")
            }
            contents.append(lines)
        }
        return contents
    }

    func shown(by store: DaybookStore) throws -> [String] {
        try store.read { try pack.lines(in: $0) }
    }
}

/// Opens a crash image of a sequence and checks all that holds in every state.
struct ImageJudge: Sendable {
    let runner: SequenceRunner
    let steps: [LabStep]
    let folder: String

    func shown(in run: RecordedRun<[String]>) async -> ShownContent<[String]> {
        do {
            let opened = try SequenceRunner.Opened(at: folder, runner.open)
            defer { opened.store.close() }
            try checkInvariants(opened.store)
            let lines = try runner.shown(by: opened.store)
            guard let number = run.contents.lastIndex(of: lines) else {
                let nearest = run.contents.map { Difference.between($0, lines) }.min { $0.count < $1.count }
                return .broken("the content is that of no step: \(nearest ?? "")")
            }
            try check(opened.store)
            opened.store.close()
            let data = "\(folder)/\(RecordedRun<[String]>.store)/data.mdb"
            let before = FolderFiles.bytes(of: data)
            let again = try SequenceRunner.Opened(at: folder, runner.open)
            defer { again.store.close() }
            guard FolderFiles.bytes(of: data) == before else {
                return .broken("opening the store again changes the data file")
            }
            try await writeMore(again, after: number)
            return .content(lines)
        } catch {
            return .broken("\(error)")
        }
    }

    /// Before the comparison with the model, since a broken invariant says more than a difference.
    private func checkInvariants(_ store: DaybookStore) throws {
        if let problem = try store.read({ try runner.pack.problems(in: $0) }).first { throw BrokenImage(problem) }
    }

    private func check(_ store: DaybookStore) throws {
        if let problem = try store.verify().problems.first { throw BrokenImage("verify reports: \(problem)") }
        for consumer in try store.consumers where consumer.hasMissedChanges {
            throw BrokenImage("the consumer \(consumer.name) has missed changes")
        }
    }

    /// Every operation must work on what the crash has left.
    private func writeMore(_ opened: SequenceRunner.Opened, after number: Int) async throws {
        var model = runner.model
        for (index, step) in steps.prefix(number).enumerated() {
            if let action = model.action(for: step, at: index + 1) { model.apply(action) }
        }
        let before = model
        let more = LabOperation.short(of: runner.pack, includesUndo: runner.includesUndo).map { LabStep($0, draw: 1) }
        do {
            var possible: [LabStep] = []
            for step in more {
                guard let action = model.action(for: step, at: 10_000) else { continue }
                model.apply(action)
                possible.append(step)
            }
            model = before
            _ = try await runner.perform(possible, at: { _ in 10_000 }, in: opened, &model)
        } catch {
            throw BrokenImage("more operations fail: \(error)")
        }
        try checkInvariants(opened.store)
        try check(opened.store)
    }

    private struct BrokenImage: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
