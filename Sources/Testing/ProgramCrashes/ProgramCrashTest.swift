import CivilTime
import FileSystem
import LabSupport
import SystemErrors

/// Records one run of a program, builds the disks that a power failure could leave, and runs a check on each.
package final class ProgramCrashTest {
    let options: ProgramCrashOptions
    let checkpoint: () throws -> Void
    let progress: (String) -> Void
    let names = NameTable()
    private let clock: any TimeSource
    private let start: MonotonicTime
    var report = ProgramCrashReport()
    /// The smallest broken image of each kind.
    var smallest: [String: (image: ExploredImage, text: String)] = [:]
    /// The outcome of every image that was checked.
    var outcomes: [ImageKey: CheckOutcome] = [:]

    /// - Parameters:
    ///   - checkpoint: throws when the test is interrupted.
    ///   - progress: called with what is being done.
    package init(
        _ options: ProgramCrashOptions, clock: any TimeSource, checkpoint: @escaping () throws -> Void = {},
        progress: @escaping (String) -> Void = { _ in }
    ) {
        self.options = options
        self.clock = clock
        self.checkpoint = checkpoint
        self.progress = progress
        start = clock.monotonic
    }

    var elapsedSeconds: Double { Double(clock.monotonic.microseconds(since: start)) / 1_000_000 }

    /// Runs the test.
    package func run() throws -> ProgramCrashReport {
        guard ProgramTracer.isSupported else { throw ProgramCrashError.unsupported }
        let (folder, isOwn) = try TestFolder.make(options.folder, scratch: options.scratch)
        defer { TestFolder.remove(folder, isOwn: isOwn) }
        try TestFolder.makeReport(options.report)
        report.seed = options.seed
        var tracer = ProgramTracer(folder: folder, report: options.report, checkpoint: checkpoint)
        tracer.acknowledgmentDescriptor = Int32(options.acknowledgmentDescriptor)
        tracer.interleaving = options.interleaving
        let settings = ReportSettings(work: options.work, check: options.check, before: options.before, folder: folder)
        try settings.write(to: options.report)
        let (recording, lines) = try record(tracer)
        let pool = try CheckerPool(folder: folder, command: options.check, jobs: options.jobs, lines: lines)
        report.hasNamespaces = pool.hasNamespaces
        if !pool.hasNamespaces {
            report.notes.append("This system permits no mount namespaces: one checker worked in the folder itself.")
        }
        try testCheck(recording, lines, pool)
        let disks = options.disks.sorted()
        for (index, model) in disks.enumerated() {
            // Each disk has its share of the time that is left.
            let rest = max(Double(options.seconds) - elapsedSeconds, 0)
            try explore(model, recording, pool, until: elapsedSeconds + rest / Double(disks.count - index))
        }
        try testLossWithoutFlushes(recording, lines, pool)
        if options.triesEachFlush { try leaveOutEachFlush(recording, pool) }
        describeExamples(recording)
        if options.recoveries > 0 { try crashRecoveries(recording, lines, pool, tracer) }
        report.seconds = elapsedSeconds
        return report
    }

    // MARK: Recording

    private func record(_ tracer: ProgramTracer) throws -> (ProgramRecording, AcknowledgedLines) {
        var old: [[UInt8]] = []
        try? FileTree.removeFile("\(options.report)/before.acknowledged")
        if let before = options.before {
            progress("prepare")
            if let ending = try tracer.run(before, name: "before") { throw failure(of: "before", ending) }
            old = AcknowledgedLines.read("\(options.report)/before.acknowledged")
        }
        progress("record")
        let recording = try tracer.record(options.work, name: "recording", names: names)
        if let ending = ProgramTracer.failure(recording.status) { throw failure(of: "work", ending, "recording") }
        if let files = recording.incompleteness() { throw ProgramCrashError.incomplete(files) }
        let calls = recording.events.filter(\.isCall)
        report.callsByKind = Dictionary(calls.map { ($0.kind.rawValue, 1) }, uniquingKeysWith: +)
        report.flushes = calls.count(where: \.isFlush)
        report.processes = Set(calls.map(\.process)).subtracting([0]).count
        report.acknowledged = recording.acknowledgments.count
        report.recordedMicroseconds = recording.microseconds
        if recording.events.contains(where: { $0.kind == .together }) {
            report.warnings.append(
                "Some acknowledged lines arrived together: is the program's output buffered? Use 'stdbuf -oL' or --ack-fd."
            )
        }
        let notes = Dictionary(grouping: recording.events.filter { $0.kind == .note }, by: \.note)
        for (note, events) in notes.sorted(by: { $0.key < $1.key }) {
            report.notes.append(Self.text(ofNote: note, path: String(decoding: events[0].path, as: UTF8.self)))
        }
        return (recording, AcknowledgedLines(old: old, new: recording.acknowledgments))
    }

    private func failure(of command: String, _ ending: String, _ name: String? = nil) -> ProgramCrashError {
        .commandFailed(
            command: "given by --\(command)", ending: ending,
            output: ReportFiles.firstLine(of: "\(options.report)/\(name ?? command).errors"))
    }

    private static func text(ofNote note: String, path: String) -> String {
        switch note {
        case "aio-denied": "The program was refused kernel AIO, as on a system that has none."
        case "io-uring-denied": "The program was refused io_uring, as on a system that has none."
        case "moved-in": "\(path) was moved into the folder; its bytes count as written then."
        case "linked-in": "\(path) was linked into the folder; its bytes count as written then."
        default: "\(note): \(path)"
        }
    }

    // MARK: Images

    private func explore(
        _ model: DiskModel, _ recording: ProgramRecording, _ pool: CheckerPool, until end: Double
    ) throws {
        progress("\(model.rawValue): build images")
        let explorer = ImageExplorer(recording: recording, seed: options.seed, imagesMax: max(4 * options.images, 1000))
        let began = elapsedSeconds
        // Half of the time is left for the checks.
        let limit = began + (end - began) / 2
        let result = try explorer.explore(model, isKnown: { outcomes[$0] != nil }) {
            try checkpoint()
            return elapsedSeconds < limit
        }
        var disk = ProgramCrashReport.Disk(model: model)
        (disk.points, disk.images, disk.isCut) = (result.points, result.images, result.isCut)
        report.exploreSeconds += elapsedSeconds - began
        let chosen = plausible(result.new)
        if chosen.count < result.new.count { disk.isCut = true }
        let checking = elapsedSeconds
        var count = 0
        try pool.check(
            chosen, of: explorer,
            shouldContinue: {
                try checkpoint()
                count += 1
                if count.isMultiple(of: 100) { progress("\(model.rawValue): \(count) of \(chosen.count) images") }
                let isInTime = elapsedSeconds < end
                if !isInTime { disk.isCut = true }
                return isInTime
            }
        ) { key, image, outcome in
            outcomes[key] = outcome
            disk.checked += 1
            note(image, outcome)
            if case .broken(let kind, _) = outcome { disk.broken[kind, default: 0] += 1 }
        }
        for key in result.known {
            if case .broken(let kind, _) = outcomes[key] { disk.broken[kind, default: 0] += 1 }
        }
        disk.distinct = disk.checked + result.known.count
        report.checkSeconds += elapsedSeconds - checking
        report.disks.append(disk)
    }

    /// The most plausible images, where there are more than the limit.
    private func plausible(_ images: [ImageKey: ExploredImage]) -> [ImageKey: ExploredImage] {
        guard images.count > options.images else { return images }
        let sorted = images.sorted {
            ($0.value.priority, SeededGenerator.mix($0.key.digest ^ options.seed), $0.key.acknowledged)
                < ($1.value.priority, SeededGenerator.mix($1.key.digest ^ options.seed), $1.key.acknowledged)
        }
        return Dictionary(uniqueKeysWithValues: sorted.prefix(options.images).map { ($0.key, $0.value) })
    }

    /// Remembers the smallest image of each kind: on the gentlest disk, with the fewest losses, the earliest.
    private func note(_ image: ExploredImage, _ outcome: CheckOutcome) {
        guard case .broken(let kind, let text) = outcome else { return }
        if let former = smallest[kind]?.image, order(former) <= order(image) { return }
        smallest[kind] = (image, text)
    }

    private func order(_ image: ExploredImage) -> (Int, Int, Int) {
        let disk = DiskModel.allCases.firstIndex(of: image.recipe.disk) ?? 0
        return (disk, image.lost + (image.recipe.tear == nil ? 0 : 1), image.recipe.event)
    }

    private func describeExamples(_ recording: ProgramRecording) {
        for (kind, found) in smallest.sorted(by: { $0.key < $1.key }) {
            let explorer = ImageExplorer(recording: recording, seed: options.seed)
            guard
                var example = ImageDescription.example(
                    of: found.image.recipe, in: explorer, kind: kind, text: found.text)
            else { continue }
            example.brokenOn = report.disks.filter { $0.broken[kind] != nil }.map(\.model)
            example.keptOn = report.disks.filter { $0.broken[kind] == nil && !$0.isCut }.map(\.model)
            example.isAllowed = options.allowed.contains(kind)
            report.examples.append(example)
        }
    }
}
