import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import KeyValue
import Processes

/// Runs random scenarios in one process per core and combines the results.
///
/// After a failure, higher seeds are abandoned and lower ones are completed, so that the report does not depend on the
/// speed of the processes.
final class Campaign {
    private let plan: CampaignPlan
    private let scratch: String
    private let trace: AtomicFile?
    private let progress = Progress()
    private var report: CampaignReport
    private var workers: [Worker] = []
    /// The results of seeds that follow one without a result.
    private var waiting: [Int: SeedRun] = [:]
    private var next: Int
    private var lowestFailure = Int.max
    /// Shortened scenarios of failed seeds.
    private var scenarios: [Int: String] = [:]

    private struct Worker {
        let process: ChildProcess
        /// The current seed.
        var seed: Int?
        var rest: [UInt8] = []
        /// Other output since the current seed began, such as the reason of a trap.
        var otherLines: [String] = []
        var wasStopped = false
    }

    init(_ plan: CampaignPlan, scratch: String, trace: AtomicFile? = nil) {
        self.plan = plan
        self.scratch = scratch
        self.trace = trace
        report = CampaignReport(plan)
        next = plan.firstSeed
    }

    /// Runs all scenarios, after printing what determines them.
    func run(quietly isQuiet: Bool) throws -> CampaignReport {
        if !isQuiet { try Output.standard.write(plan.headline + "\n") }
        let clock = SystemClock()
        let start = clock.monotonic
        defer {
            progress.end()
            abandon()
        }
        let count = min(max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))), plan.runs)
        for place in 0..<count {
            let share = CampaignShare(place: place, count: count, folder: scratch)
            let more = trace == nil ? [] : ["--trace", "parts"]
            workers.append(
                Worker(
                    process: try ChildProcess(
                        "/proc/self/exe", plan.arguments + ["--share", share.argument, "--zone", "UTC"] + more)))
        }
        while !workers.isEmpty { try receive() }
        if let failure = report.failure { report.failure?.scenario = scenarios[failure.seed] }
        report.processes = count
        report.seconds = Double(clock.monotonic.microseconds(since: start)) / 1e6
        return report
    }

    private func abandon() {
        for worker in workers {
            worker.process.kill()
            _ = try? worker.process.wait()
        }
        workers = []
    }

    /// A signal can arrive just before the wait and would not interrupt it.
    private static let waitMilliseconds: Int32 = 200

    /// Waits for output of the processes and handles it.
    private func receive() throws {
        var descriptors = workers.map { pollfd(fd: $0.process.output, events: Int16(POLLIN), revents: 0) }
        let count = poll(&descriptors, nfds_t(descriptors.count), Self.waitMilliseconds)
        try Interruption.check()
        guard count >= 0 || errno == EINTR else {
            throw KeyValueError.system(operation: "wait for the processes of the campaign", code: errno)
        }
        guard count > 0 else { return }
        for index in descriptors.indices.reversed() where descriptors[index].revents != 0 {
            if let bytes = workers[index].process.nextOutput() {
                try receive(bytes, from: index)
            } else {
                let worker = workers.remove(at: index)
                try end(worker, try worker.process.wait())
            }
        }
        try mergeResults()
        for index in workers.indices where workers[index].seed ?? 0 > lowestFailure && !workers[index].wasStopped {
            workers[index].wasStopped = true
            workers[index].process.kill()
        }
    }

    private func receive(_ bytes: [UInt8], from index: Int) throws {
        workers[index].rest += bytes
        while let end = workers[index].rest.firstIndex(of: 0x0A) {
            let line = Array(workers[index].rest[..<end])
            workers[index].rest.removeFirst(end + 1)
            guard let message = try? JSONDecoder().decode(WorkerLine.self, from: Data(line)) else {
                workers[index].otherLines.append(String(decoding: line, as: UTF8.self))
                continue
            }
            if let run = message.run {
                record(run, of: message.seed)
            } else if let scenario = message.scenario {
                scenarios[message.seed] = scenario
            } else {
                workers[index].seed = message.seed
                workers[index].otherLines = []
            }
        }
    }

    private func record(_ run: SeedRun, of seed: Int) {
        waiting[seed] = run
        waiting[seed]?.failure?.seed = seed
        if run.failure != nil { lowestFailure = min(lowestFailure, seed) }
    }

    private func end(_ worker: Worker, _ ending: ChildProcess.Ending) throws {
        let lines = worker.otherLines + [String(decoding: worker.rest, as: UTF8.self)].filter { !$0.isEmpty }
        switch ending {
        case .exited(0): break
        case _ where worker.wasStopped: break
        case .exited(let code):
            let text = (lines.last ?? "").replacing("daybook: ", with: "", maxReplacements: 1)
            throw CommandError.reported(
                ProgramExit(rawValue: code) ?? .unusable,
                text.isEmpty ? "A worker process ended with code \(code)." : text)
        case .killed(let signal) where [SIGINT, SIGTERM, SIGHUP].contains(signal):
            throw CommandError.finished(.interrupted)
        case .killed(let signal):
            guard let seed = worker.seed else {
                throw CommandError.unusable("A worker process was ended by signal \(signal) before its first scenario.")
            }
            // If the process was shortening the scenario, the failure is recorded already.
            if seed >= next, waiting[seed] == nil {
                let failure = SeedFailure(signal: signal, lastWords: Array(lines.prefix(8)))
                record(SeedRun(failure: failure), of: seed)
            }
        }
    }

    /// Adds the available results to the report in the order of seeds.
    private func mergeResults() throws {
        while report.failure == nil, let run = waiting.removeValue(forKey: next) {
            report.add(run)
            report.failure = run.failure
            if let trace { try addPart(of: next, to: trace) }
            next += 1
        }
        progress.show("\(report.runs) of \(plan.runs) scenarios, \(report.steps) steps")
    }

    private func addPart(of seed: Int, to trace: AtomicFile) throws {
        let path = CampaignShare(place: 0, count: 1, folder: scratch).tracePath(of: seed)
        // A scenario that ended its process has no trace.
        guard let bytes = FileManager.default.contents(atPath: path) else { return }
        try trace.write(Array(bytes))
        try? FileManager.default.removeItem(atPath: path)
    }
}
