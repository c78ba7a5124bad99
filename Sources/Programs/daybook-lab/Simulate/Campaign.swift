import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import KeyValue

/// Plays random stories in as many processes as there are cores, and puts together what came of them.
///
/// Once a seed has failed no greater one matters, and the lower ones are played to the end: so what is reported does not
/// depend on which process was faster.
final class Campaign {
    private let plan: CampaignPlan
    private let scratch: String
    private let trace: TraceFile?
    private let progress = Progress()
    private var report: CampaignReport
    private var workers: [Worker] = []
    /// What came of seeds whose turn has not come.
    private var waiting: [Int: SeedRun] = [:]
    private var next: Int
    private var lowestFailure = Int.max
    /// Shorter stories of failed seeds.
    private var scenarios: [Int: String] = [:]

    private struct Worker {
        let process: ChildProcess
        let share: CampaignShare
        /// What it is at.
        var seed: Int?
        var rest: [UInt8] = []
        /// What else it wrote while it was at that: of a trap, the reason.
        var otherLines: [String] = []
        var wasStopped = false
    }

    init(_ plan: CampaignPlan, scratch: String, trace: TraceFile?) {
        self.plan = plan
        self.scratch = scratch
        self.trace = trace
        report = CampaignReport(plan)
        next = plan.firstSeed
    }

    /// Plays them all.
    func run() throws -> CampaignReport {
        let clock = SystemClock()
        let start = clock.monotonic
        defer {
            progress.end()
            abandon()
        }
        let count = min(max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))), plan.runs)
        for place in 0..<count {
            let share = CampaignShare(place: place, of: count, in: scratch)
            let more = trace == nil ? [] : ["--trace", "parts"]
            workers.append(
                Worker(
                    process: try ChildProcess(
                        "/proc/self/exe",
                        ["simulate", "--share", share.argument, "--zone", "UTC"] + plan.arguments + more),
                    share: share))
        }
        while !workers.isEmpty { try listen() }
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

    /// A signal may come just before the waiting begins, and would not end it.
    private static let waitMilliseconds: Int32 = 200

    /// Hears what there is to be heard.
    private func listen() throws {
        var descriptors = workers.map { pollfd(fd: $0.process.output, events: Int16(POLLIN), revents: 0) }
        let count = poll(&descriptors, nfds_t(descriptors.count), Self.waitMilliseconds)
        if Interruption.isRequested { throw CommandError.finished(.interrupted) }
        guard count >= 0 || errno == EINTR else {
            throw KeyValueError.system(operation: "wait for the processes of the campaign", code: errno)
        }
        guard count > 0 else { return }
        for index in descriptors.indices.reversed() where descriptors[index].revents != 0 {
            if let bytes = workers[index].process.nextOutput() {
                try hear(bytes, from: index)
            } else {
                let worker = workers.remove(at: index)
                try end(worker, try worker.process.wait())
            }
        }
        try gather()
        for index in workers.indices where workers[index].seed ?? 0 > lowestFailure && !workers[index].wasStopped {
            workers[index].wasStopped = true
            workers[index].process.kill()
        }
    }

    private func hear(_ bytes: [UInt8], from index: Int) throws {
        workers[index].rest += bytes
        while let end = workers[index].rest.firstIndex(of: 0x0A) {
            let line = Array(workers[index].rest[..<end])
            workers[index].rest.removeFirst(end + 1)
            guard let said = try? JSONDecoder().decode(WorkerLine.self, from: Data(line)) else {
                workers[index].otherLines.append(String(decoding: line, as: UTF8.self))
                continue
            }
            if let run = said.run {
                note(run, of: said.seed)
            } else if let scenario = said.scenario {
                scenarios[said.seed] = scenario
            } else {
                workers[index].seed = said.seed
                workers[index].otherLines = []
            }
        }
    }

    private func note(_ run: SeedRun, of seed: Int) {
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
                text.isEmpty ? "A process of the campaign ended with code \(code)." : text)
        case .killed(let signal) where [SIGINT, SIGTERM, SIGHUP].contains(signal):
            throw CommandError.finished(.interrupted)
        case .killed(let signal):
            guard let seed = worker.seed else {
                throw CommandError.unusable("A process of the campaign was ended by signal \(signal) before it began.")
            }
            // Its failure is known already when it was making the story shorter.
            if seed >= next, waiting[seed] == nil {
                note(SeedRun(SeedFailure(signal: signal, lastWords: Array(lines.prefix(8)))), of: seed)
            }
        }
    }

    /// Takes in what came of the seeds whose turn it is.
    private func gather() throws {
        while report.failure == nil, let run = waiting.removeValue(forKey: next) {
            report.add(run)
            report.failure = run.failure
            if let trace { try addPart(of: next, to: trace) }
            next += 1
        }
        progress.show("\(report.runs) of \(plan.runs) stories, \(report.steps) steps")
    }

    private func addPart(of seed: Int, to trace: TraceFile) throws {
        let path = CampaignShare(place: 0, of: 1, in: scratch).tracePath(of: seed)
        // A story that ended its process has left none.
        guard let bytes = FileManager.default.contents(atPath: path) else { return }
        try trace.add(Array(bytes))
        try? FileManager.default.removeItem(atPath: path)
    }
}
