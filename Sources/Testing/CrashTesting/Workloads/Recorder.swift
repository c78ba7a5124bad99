import Injection
import KeyValue
import Records
import Threading

/// Runs workloads in a child process and records their file system calls.
struct Recorder {
    let pool: ChildPool
    /// A folder on an in-memory file system for the lab alone.
    let scratch: String
    let bases: BaseImages

    /// - Throws: an error if the workload itself fails, or the store departs from the model.
    func record(_ workload: LabWorkload) throws -> Recording {
        let folder = "\(scratch)/recording"
        let start = bases[workload]
        try FolderFiles.replace(folder, with: start)
        try DiskLog.begin(folder: folder)
        defer { DiskLog.end() }
        let ending = try pool.run { _, reporter in try LabRun(workload, in: folder, reporter: reporter).run() }
        if let failure = ending.failure { throw CrashLabError.workloadFailed(workload.text, failure) }
        return Recording(
            start: start, entries: try DiskLog.entries().normalized,
            lockFile: FolderFiles.bytes(of: "\(folder)/\(Recording.lockPath)") ?? [])
    }
}

/// One run of a workload, with marks for issued and acknowledged transactions.
struct LabRun {
    let workload: LabWorkload
    let path: String
    let reporter: ChildReporter

    init(_ workload: LabWorkload, in folder: String, reporter: ChildReporter) {
        self.workload = workload
        path = "\(folder)/\(Recording.storePath)"
        self.reporter = reporter
    }

    func run() throws {
        var model = workload.model(of: workload.base)
        if workload.base == .unflushed { try createUnflushed() }
        let peer = workload.steps.contains(where: \.runsInPeer) ? try PeerProcess(of: self) : nil
        defer { peer?.end() }
        reporter.report("stage", "opening")
        DiskLog.note(.issued, 0)
        let store = try LabStore(at: path, of: workload.pack, options: workload.options)
        DiskLog.note(.acknowledged, 0)
        try note(0, of: store, as: model)
        var number = 0
        for (index, step) in workload.steps.enumerated() {
            guard let action = model.action(for: step, at: index + 1) else { continue }
            reporter.report("stage", "step \(index + 1), \(step.text)")
            store.setStep(index + 1)
            number += 1
            DiskLog.note(.issued, Int64(number))
            if step.runsInPeer {
                try peer?.perform(index)
            } else {
                try store.perform(action)
            }
            DiskLog.note(.acknowledged, Int64(number))
            model.apply(action)
            try note(number, of: store, as: model)
        }
        if workload.rebuilds {
            reporter.report("stage", "rebuilding")
            DiskLog.note(.issued, Int64(number + 1))
            try store.store.rebuild()
            DiskLog.note(.acknowledged, Int64(number + 1))
            number += 1
            try note(number, of: store, as: model)
        }
        if workload.imports { try importFile(into: store, after: number, undoDepth: model.undoDepth + 1) }
    }

    /// Each of its transactions leads to a different state, which the model does not cover.
    private func importFile(into store: LabStore, after number: Int, undoDepth: Int) throws {
        reporter.report("stage", "importing")
        let done = ForkSafeMutex(number)
        DiskLog.note(.issued, Int64(number + 1))
        try LabImport.perform(in: store) {
            let number = done.withLock { number in
                number += 1
                return Int64(number)
            }
            DiskLog.note(.acknowledged, number)
            DiskLog.note(.state, number)
            DiskLog.note(.digest, Int64(bitPattern: try store.digest()))
            DiskLog.note(.undoDepth, Int64(undoDepth))
            DiskLog.note(.issued, number + 1)
        }
        DiskLog.note(.issued, Int64(done.withLock { $0 }))
        DiskLog.note(.content, Int64(bitPattern: try LabImport.content(of: store)))
        if let problem = try store.problems().first { throw CrashLabError.modelMismatch(problem) }
    }

    private func note(_ number: Int, of store: LabStore, as model: LabModel) throws {
        // A store with an injected fault is not expected to be right.
        if workload.injectionPoint == nil {
            let lines = try store.lines()
            guard lines == model.lines else {
                throw CrashLabError.modelMismatch(Difference.between(model.lines, lines))
            }
        }
        DiskLog.note(.state, Int64(number))
        DiskLog.note(.digest, Int64(bitPattern: try store.digest()))
        DiskLog.note(.undoDepth, Int64(model.undoDepth))
    }

    /// Simulates a process that dies between the rename and the flush of the parent folder.
    private func createUnflushed() throws {
        var options = workload.options
        options.injectionPoint = ArmedInjectionPoints(.skipsParentFlush)
        let creating = options
        let (path, pack) = (path, workload.pack)
        let problem = try SecondProcess.run {
            do {
                try LabStore(at: path, of: pack, options: creating).close()
                return ""
            } catch {
                return "\(error)"
            }
        }
        guard problem.isEmpty else { throw CrashLabError.workloadFailed(workload.text, problem) }
    }
}
