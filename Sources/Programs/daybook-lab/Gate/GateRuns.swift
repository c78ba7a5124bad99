import CommandSupport
import FoundationEssentials
import Measuring
import Processes
import ProgramCrashes
import Workloads

/// What one run of a command has used.
struct GateSample {
    let wall, cpu: Int64
}

/// Runs commands, each time in a fresh copy of a folder at the same path.
final class GateRuns {
    private let source: String?
    private let folder, report: String

    init(of source: String?, in scratch: String) throws {
        self.source = source
        (folder, report) = ("\(scratch)/folder", "\(scratch)/report")
        try ScratchFolder.create(report)
        var isFolder = false
        if let source, !FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) || !isFolder {
            throw CommandError.unusable("\(source) is no folder. Name the folder that the command works in.")
        }
        CurrentProcess.setVariable("HOME", to: folder)
    }

    private func renew() throws {
        try Interruption.check()
        try? FileManager.default.removeItem(atPath: folder)
        guard let source else { return try ScratchFolder.create(folder) }
        try FileManager.default.copyItem(atPath: source, toPath: folder)
    }

    /// Counts twice, since a program may do more in one run than in another; the lower numbers count.
    func counts(of command: String, isNeeded: Bool) throws -> ProgramCounts? {
        do {
            return try (0..<2).map { _ in
                try renew()
                return try ProgramCounts(of: command, in: folder, report: report, checkpoint: Interruption.check)
            }.reduce(nil) { $0?.lowest(with: $1) ?? $1 }
        } catch let error as ProgramCrashError where !isNeeded {
            // Times are measured anyway, also of a program that the recorder cannot follow.
            if case .commandFailed = error { throw error }
            return nil
        }
    }

    private func sample(_ command: String) throws -> GateSample {
        try renew()
        var result: (ending: ChildProcess.Ending, cpuTime: Int64)?
        let wall = try Stopwatch.nanoseconds { result = try ChildProcess.runMeasured(command, in: folder) }
        guard let result, result.ending == .exited(0) else {
            throw CommandError.unusable("A command failed. Run it in a copy of the folder to see its error.")
        }
        return GateSample(wall: wall, cpu: result.cpuTime)
    }

    /// Measures some runs, fewer of a command that takes long, and again up to two times if one exceeds the budget: a busy moment of
    /// the machine does not count.
    func measure(_ command: String, _ budget: GateBudget?) throws -> [GateSample] {
        var samples: [GateSample] = []
        for _ in 0..<3 {
            samples = []
            while samples.count < 3 || samples.count < 10 && samples.map(\.wall).reduce(0, +) < 10_000_000_000 {
                samples.append(try sample(command))
            }
            let exceeds = samples.contains { sample in
                sample.wall > budget?.limits["wall"] ?? .max || sample.cpu > budget?.limits["cpu"] ?? .max
            }
            if !exceeds { break }
        }
        return samples
    }

    /// Compares two commands by interleaved runs.
    ///
    /// - Parameter percent: By how much the times of the first one are lengthened: for the self-test.
    func compare(
        _ command: String, with other: String, limit: Double, seconds: Int, slowedBy percent: Int = 0
    ) async throws -> GateComparison {
        var plan = PairedTrial.Plan()
        (plan.limit, plan.longestTime) = (limit, Int64(seconds) * 1_000_000_000)
        // Each run is a new process anyway, and the time is looked at after so many pairs.
        plan.pairsOfSides = 4
        var (ours, theirs): ([GateSample], [GateSample]) = ([], [])
        let comparison = try await PairedTrial(plan).compare("a run") { _ in
            PairedTrial.Sides(
                this: { runs in
                    let samples = try (0..<runs).map { _ in try self.sample(command) }
                    ours += samples
                    return samples.map(\.wall).reduce(0, +) * Int64(100 + percent) / 100
                },
                other: { runs in
                    let samples = try (0..<runs).map { _ in try self.sample(other) }
                    theirs += samples
                    return samples.map(\.wall).reduce(0, +)
                })
        }
        return GateComparison(time: comparison, cpu: PairedRatio(of: ours.map(\.cpu), to: theirs.map(\.cpu)))
    }
}

/// Two commands beside each other.
struct GateComparison {
    let time: Comparison
    let cpu: PairedRatio
}
