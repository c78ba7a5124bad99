import DiskRecording
import DomainPacks
import FoundationEssentials
import Glibc
import Injection
import KeyValue
import Records

/// Several containers that share a store: each process is process 1 of a separate PID namespace, so that all have equal ids. The
/// first is stopped between two of its system calls while the others run, and then killed or continued.
///
/// A process may be refused as long as one of another namespace has the store open, with the error that says so, and with no other.
/// Nothing that was acknowledged may be lost, and the store works once all have ended.
struct NamespaceRace: Hashable, Sendable, SteppedRace {
    static let group = "two namespaces"

    /// What the processes do.
    enum Work: String, CaseIterable, Sendable {
        /// All open the store and create a task.
        case write
        /// The first one looks up every task, the others create one.
        case read
        /// Each creates the store if there is none, and a task in it.
        case create
        /// All write; one that waits for the first is killed, and a third one writes.
        case wait
    }

    let work: Work
    /// Whether the store is open in the other namespace before the first process begins.
    var isOpenElsewhere = false
    /// Whether the first process is killed; otherwise it is continued.
    let killsFirst: Bool

    static let all: [NamespaceRace] = Work.allCases.flatMap { work in
        [true, false].flatMap { kills in
            [NamespaceRace(work: work, killsFirst: kills)]
                + (work == .write || work == .read
                    ? [NamespaceRace(work: work, isOpenElsewhere: true, killsFirst: kills)] : [])
        }
    }

    /// Whether the system permits processes in PID namespaces of their own.
    static func arePermitted() -> Bool {
        guard let process = try? DiskLog.fork(inNamespace: true) else { return false }
        if process == 0 { _exit(0) }
        return ChildPool.Ending.Way(of: process) == .finished
    }

    var kind: String { work.rawValue }

    var words: [String] {
        ["namespaces", work.rawValue, isOpenElsewhere ? "open" : "closed", killsFirst ? "killed" : "continued"]
    }

    func run(step: Int, at path: String, injectionPoint: InjectionPoint?) throws -> OpeningRace.Outcome {
        if work == .create { try FileManager.default.removeItem(atPath: path) }
        let competitors = try (1...2).map { index in
            try RaceProcess(isStepped: false, isInNamespace: true) { reporter, ready in
                try runProcess(index, isOpen: isOpenElsewhere && index == 1, at: path, injectionPoint, reporter, ready)
            }
        }
        let first = try RaceProcess(isStepped: true, isInNamespace: true) { reporter, ready in
            try runProcess(0, isOpen: false, at: path, injectionPoint, reporter, ready)
        }
        for _ in 0..<step {
            guard try first.step() else {
                return first.report.failure.map { .broken("\(OpeningRace.alone)\($0)") } ?? .pastTheEnd
            }
        }
        competitors[0].resume()
        let progress = competitors[0].waitUntilEndedOrWaiting()
        let killsWaiting = work == .wait && progress == .waiting
        if killsWaiting { competitors[0].end(by: SIGKILL) }
        if work == .wait || work == .create {
            competitors[1].resume()
            _ = competitors[1].waitUntilEndedOrWaiting()
        }
        if killsFirst { first.end(by: SIGKILL) } else { try first.release() }
        first.waitUntilEnded()
        if !killsWaiting { competitors[0].waitUntilEnded() }
        // It is alone now, unless it has begun before.
        competitors[1].resume()
        competitors[1].waitUntilEnded()
        return try judge([first] + competitors, killed: [killsFirst, killsWaiting, false], at: path)
    }

    private func judge(_ processes: [RaceProcess], killed: [Bool], at path: String) throws -> OpeningRace.Outcome {
        var problems: [String] = []
        var acknowledged = work == .create ? [] : Set(OpeningRace.baseNumbers)
        for (index, process) in processes.enumerated() {
            let report = process.report
            acknowledged.formUnion(report.values(of: "acknowledged").compactMap { Int($0) })
            if killed[index] { continue }
            if let failure = report.failure { problems.append("process \(index + 1): \(failure)") }
            if let missing = report.value(of: "missing") {
                problems.append("process \(index + 1) does not see tasks \(missing)")
            }
            // The last one begins after all others have ended, where it is not to meet them.
            if index == 2, work == .write || work == .read, report.value(of: "refused") != nil {
                problems.append("a process is refused although no other one is there")
            }
        }
        problems += try OpeningRace.problems(
            at: path, acknowledged: acknowledged, creating: OpeningRace.firstNumber + processes.count)
        return problems.isEmpty ? .held : .broken(problems.joined(separator: "; "))
    }

    /// Performs the work of one process, which may be refused.
    private func runProcess(
        _ index: Int, isOpen: Bool, at path: String, _ injectionPoint: InjectionPoint?, _ reporter: ChildReporter,
        _ ready: () -> Void
    ) throws {
        let reads = work == .read && index == 0
        do {
            let options = OpeningRace.options(injectionPoint, isReadOnly: reads)
            let opened = isOpen ? try LabStore(at: path, options: options) : nil
            ready()
            let store = try opened ?? LabStore(at: path, options: options)
            if reads {
                let missing = try store.missing(of: Set(OpeningRace.baseNumbers))
                if !missing.isEmpty { reporter.report("missing", "\(missing)") }
            } else {
                let number = OpeningRace.firstNumber + index
                try store.perform(.create(number, on: nil, noteLength: 0))
                reporter.report("acknowledged", "\(number)")
            }
            store.close()
        } catch RecordsError.engine(.otherNamespace) {
            reporter.report("refused")
        }
    }
}
