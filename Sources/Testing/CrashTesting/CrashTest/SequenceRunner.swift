import CivilTime
import Daybook
import DiskImages
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
                "\(folder)/\(Recording.storePath)",
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
        try await perform(start, at: { _ in 0 }, in: opened, &model)
        opened.store.close()
        return try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
    }

    func record(
        _ steps: [LabStep], seed: UInt64, from base: DiskImage, isolation: isolated (any Actor)? = #isolation
    ) async throws -> RecordedRun {
        try await RecordedRun.record(
            in: folder, from: base, seed: seed, prefix: steps.map(\.text).joined(separator: ",") + "|"
        ) {
            DiskLog.note(.issued, 0)
            let opened = try Opened(at: folder, open)
            defer { opened.store.close() }
            DiskLog.note(.acknowledged, 0)
            var model = model
            note(0, model)
            try await perform(steps, at: { $0 + 1 }, in: opened, &model)
        }
    }

    private func note(_ number: Int, _ model: LabModel) {
        DiskLog.note(.state, Int64(number))
        DiskLog.note(.digest, Int64(bitPattern: Self.digest(of: model.lines)))
    }

    private static func digest(of lines: [String]) -> UInt64 {
        var digest = RunningDigest(seed: 6)
        for line in lines { digest.mix(line) }
        return digest.value
    }

    /// Performs steps and compares the store with the model after each.
    private func perform(
        _ steps: [LabStep], at moment: (Int) -> Int, in opened: Opened, _ model: inout LabModel,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
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
            note(index + 1, model)
        }
    }

    private func shown(by store: DaybookStore) throws -> [String] {
        try store.read { try pack.lines(in: $0) }
    }
}

/// Opens a crash image of a sequence and checks all that holds in every state.
extension SequenceRunner {
    /// Returns the digest of the state that the image in a folder shows.
    ///
    /// - Throws: the broken promise.
    func state(
        in folder: String, of run: RecordedRun, _ steps: [LabStep], isolation: isolated (any Actor)? = #isolation
    ) async throws -> UInt64 {
        let opened = try Opened(at: folder, open)
        defer { opened.store.close() }
        // Before the comparison with the model, since a broken invariant says more than a difference.
        try checkInvariants(opened.store)
        let lines = try shown(by: opened.store)
        let digest = Self.digest(of: lines)
        guard let number = run.recording.states[digest]?.last else {
            let nearest = models(of: steps).map { Difference.between($0.lines, lines) }.min { $0.count < $1.count }
            throw BrokenPromise("the content is that of no step: \(nearest ?? "")")
        }
        try check(opened.store)
        opened.store.close()
        let data = "\(folder)/\(Recording.dataPath)"
        let before = FolderFiles.bytes(of: data)
        let again = try Opened(at: folder, open)
        defer { again.store.close() }
        guard FolderFiles.bytes(of: data) == before else {
            throw BrokenPromise("opening the store again changes the data file")
        }
        try await writeMore(again, after: models(of: steps)[number])
        return digest
    }

    /// The models after each of some steps.
    private func models(of steps: [LabStep]) -> [LabModel] {
        var models = [model]
        for (index, step) in steps.enumerated() {
            var next = models[index]
            if let action = next.action(for: step, at: index + 1) { next.apply(action) }
            models.append(next)
        }
        return models
    }

    private func checkInvariants(_ store: DaybookStore) throws {
        if let problem = try store.read({ try pack.problems(in: $0) }).first { throw BrokenPromise(problem) }
    }

    private func check(_ store: DaybookStore) throws {
        if let problem = try store.verify().problems.first { throw BrokenPromise("verify reports: \(problem)") }
        for consumer in try store.consumers where consumer.hasMissedChanges {
            throw BrokenPromise("the consumer \(consumer.name) has missed changes")
        }
    }

    /// Every operation must work on what the crash has left.
    private func writeMore(
        _ opened: Opened, after before: LabModel, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        var model = before
        let more = LabOperation.short(of: pack, includesUndo: includesUndo).map { LabStep($0, draw: 1) }
        do {
            let possible = more.filter { step in
                guard let action = model.action(for: step, at: 10_000) else { return false }
                model.apply(action)
                return true
            }
            model = before
            try await perform(possible, at: { _ in 10_000 }, in: opened, &model)
        } catch {
            throw BrokenPromise("more operations fail: \(error)")
        }
        try checkInvariants(opened.store)
        try check(opened.store)
    }
}
