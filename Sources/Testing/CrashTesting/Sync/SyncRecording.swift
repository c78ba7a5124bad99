import DiskImages
import DiskRecording

/// The recording of a run of sync.
struct SyncRecording: PooledRun {
    let workload: SyncWorkload
    let recording: Recording
    let seed: UInt64
    /// The number of the first transaction of the last step.
    let first: Int
    /// What the run has met, for the coverage table.
    let events: [String]

    func reproducer(of crash: RecordedCrash) -> String { Reproducer.syncCrash(workload, crash).text }

    func key(of image: DiskImage, at point: CrashPoint) -> UInt64 {
        var digest = RunningDigest(seed: image.imageDigest())
        digest.mix(point.progress.allowed.lowerBound)
        digest.mix(point.progress.allowed.upperBound)
        digest.mix(workload.text)
        return digest.value
    }

    func check(_ trial: ImageTrial, in folder: String, reporter: ChildReporter) throws {
        try SyncImageCheck(
            states: recording.states, allowed: trial.point.progress.allowed, folder: folder, reporter: reporter
        ).run(trial.image)
    }
}

extension Recorder {
    /// - Throws: an error if the workload itself fails.
    func record(_ workload: SyncWorkload, from bases: SyncBases, seed: UInt64) throws -> SyncRecording {
        let (recording, ending) = try record(workload.text, from: bases[workload.base]) { folder, reporter in
            try SyncRun(workload: workload, others: bases.others, folder: folder, reporter: reporter).run()
        }
        return SyncRecording(
            workload: workload, recording: recording, seed: seed,
            first: ending.value(of: "first").flatMap { Int($0) } ?? 0, events: ending.values(of: "event"))
    }
}
