import DiskRecording
import DomainPacks
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
    func record(_ workload: LabWorkload) throws -> LabRecording {
        let (recording, _) = try record(workload.text, from: bases[workload]) { folder, reporter in
            try LabRun(workload, in: folder, reporter: reporter).run()
        }
        return LabRecording(workload: workload, recording: recording)
    }

    /// Runs work in a child process that begins with a folder, and records the folder.
    func record(
        _ name: String, from start: DiskImage, _ work: (_ folder: String, ChildReporter) throws -> Void
    ) throws -> (Recording, ChildPool.Ending) {
        let folder = "\(scratch)/recording"
        try FolderFiles.replace(folder, with: start)
        try DiskLog.begin(folder: folder)
        defer { DiskLog.end() }
        let ending = try pool.perform(name) { reporter in try work(folder, reporter) }
        let lockFile = FolderFiles.bytes(of: "\(folder)/\(Recording.lockPath)") ?? []
        return (Recording(start: start, entries: try DiskLog.entries().normalized, lockFile: lockFile), ending)
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
        if workload.base == .formatOne { try openElsewhere(workload.options) }
        var peers = try PeerProcess.all(of: self)
        defer { for peer in peers { peer.end() } }
        var lost: Set<Int> = []
        reporter.report("stage", "opening")
        DiskLog.note(.issued, 0)
        let store = try LabStore(at: path, of: workload.pack, options: workload.optionsOfFirst)
        DiskLog.note(.acknowledged, 0)
        try note(0, of: store, as: model)
        var number = 0
        for (index, step) in workload.steps.enumerated() {
            guard let action = model.action(for: step, at: index + 1) else { continue }
            reporter.report("stage", "step \(index + 1), \(step.text)")
            store.setStep(index + 1)
            number += 1
            DiskLog.note(.issued, Int64(number))
            if step.killedAt != nil {
                let peer = peers.removeFirst()
                defer { peer.end() }
                guard try performs(action, at: index, number, in: peer, lost, beside: store, model) else {
                    lost.insert(index)
                    number -= 1
                    continue
                }
            } else if step.runsInPeer {
                try (step.isLastPeer ? peers.last : peers.first)?.perform(index, without: lost)
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

    /// Performs a step in a process that is killed; returns whether the store shows it afterwards.
    ///
    /// If it does not, the step may still come back after a crash, until somebody else has written.
    private func performs(
        _ action: PackAction, at index: Int, _ number: Int, in peer: PeerProcess, _ lost: Set<Int>,
        beside store: LabStore,
        _ before: LabModel
    ) throws -> Bool {
        var after = before
        after.apply(action)
        let copy = "\(path)-copy"
        let expected = try SecondProcess.run {
            do {
                try FolderFiles.replace(copy, with: FolderFiles.image(of: path))
                let store = try LabStore(at: copy, of: workload.pack, options: workload.options)
                store.setStep(index + 1)
                try store.perform(action)
                let digest = try store.digest()
                store.close()
                return "\(digest)"
            } catch {
                return "\(error)"
            }
        }
        guard let digest = UInt64(expected) else { throw CrashLabError.workloadFailed(workload.text, expected) }
        DiskLog.note(.state, Int64(number))
        DiskLog.note(.digest, Int64(bitPattern: digest))
        DiskLog.note(.undoDepth, Int64(after.undoDepth))
        if try !peer.perform(index, without: lost) { DiskLog.note(.killed, 0) }
        return try store.digest() == digest
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
        try openElsewhere(options)
    }

    /// Opens the store in another process, which closes it at once.
    private func openElsewhere(_ options: StoreOptions) throws {
        let (path, pack) = (path, workload.pack)
        let problem = try SecondProcess.run {
            do {
                try LabStore(at: path, of: pack, options: options).close()
                return ""
            } catch {
                return "\(error)"
            }
        }
        guard problem.isEmpty else { throw CrashLabError.workloadFailed(workload.text, problem) }
    }
}
