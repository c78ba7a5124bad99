import ByteStreams
import DiskRecording
import Exchange
import Foundation
import Injection
import Snapshots

@testable import CrashTesting

/// An operation on files, recorded and judged in this process: a test process has other threads and may not fork.
struct FileTrial {
    let folder: LabFolder
    let operation: FileOperation
    private let start: DiskImage

    init(_ operation: FileOperation) throws {
        folder = try LabFolder()
        self.operation = operation
        let place = OperationFolder(folder: folder.path)
        let store = try LabStore(at: place.store)
        var model = LabModel()
        for step in LabPack.tasks.start {
            guard let action = model.action(for: step) else { continue }
            try store.perform(action)
            model.apply(action)
        }
        store.close()
        try operation.prepare(place)
        start = try FolderFiles.image(of: folder.path).withoutLockFiles
    }

    func record(_ injectionPoint: InjectionPoint? = nil) throws -> FileRecording {
        try FolderFiles.replace(folder.path, with: start)
        try DiskLog.begin(folder: folder.path)
        defer { DiskLog.end() }
        try FileRun(operation: operation, place: OperationFolder(folder: folder.path, injectionPoint: injectionPoint))
            .run()
        return FileRecording(
            operation: operation, injectionPoint: injectionPoint, start: start,
            entries: try DiskLog.entries().normalized)
    }

    /// Returns the violations in crash images, and the number of distinct images tried.
    func problems(
        _ injectionPoint: InjectionPoint? = nil,
        limits: ExplorationLimits = ExplorationLimits(subsetLimit: 7, samples: 16, tears: 4)
    ) throws -> (tried: Int, problems: [String]) {
        let recording = try record(injectionPoint)
        var seen: Set<UInt64> = []
        var problems: [String] = []
        for point in recording.crashPoints {
            let judge = FileJudge(recording: recording, isAcknowledged: point.isAcknowledged)
            for outcome in point.outcomes(limits: limits) {
                let image = point.history.image(outcome)
                guard seen.insert(image.digest ^ (point.isAcknowledged ? 1 : 0)).inserted else { continue }
                if let problem = try problem(of: image, judge) { problems.append(problem) }
            }
        }
        return (seen.count, problems)
    }

    private func problem(of image: DiskImage, _ judge: FileJudge) throws -> String? {
        if let problem = judge.problem(of: image) { return problem }
        guard operation.promise.isOfFolder else { return nil }
        let place = OperationFolder(folder: "\(folder.path)/image")
        try FolderFiles.replace(place.folder, with: image)
        do {
            try judge.checkStores(at: place, reporter: folder.reporter)
            if case .gone = operation.promise { try judge.repeatRemoval(at: place) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Returns the violations when each call fails, and the number of failed calls.
    func problems(of faults: [DiskFault], states: Set<UInt64> = []) throws -> (tried: Int, problems: [String]) {
        let recording = try record()
        var tried = 0
        var problems: [String] = []
        for var fault in faults {
            repeat {
                let run = FileFaultRun(
                    recording: recording, fault: fault, states: states,
                    place: OperationFolder(folder: "\(folder.path)/fault"), reporter: folder.reporter)
                do {
                    try run.run()
                } catch {
                    problems.append("\(fault.name), call \(fault.first): \(error)")
                }
                DiskLog.end()
                fault.first += 1
                tried += DiskLog.faultHitCount > 0 ? 1 : 0
            } while DiskLog.faultHitCount > 0
        }
        return (tried, problems)
    }
}
