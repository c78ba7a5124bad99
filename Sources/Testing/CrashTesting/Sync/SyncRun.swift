import DiskRecording
import Records
import Sync

/// One recorded run of a workload of sync, with marks for the transactions of the device's store.
struct SyncRun {
    let workload: SyncWorkload
    let others: [LabHub.Message]
    let folder: String
    let reporter: ChildReporter

    /// Reports `first`, the number of the first transaction of the last step, and `event` for what the run is made to meet.
    func run() throws {
        var log = try LabHubLog(in: folder)
        defer { log.end() }
        reporter.report("stage", "opening")
        DiskLog.note(.issued, 0)
        let device = try SyncDevice(at: "\(folder)/\(Recording.storePath)", options: workload.options)
        defer { device.close() }
        DiskLog.note(.acknowledged, 0)
        try note(0, of: device)
        var number = 0
        var rest = others[...]
        reporter.report("first", "0")
        for (index, step) in workload.steps.enumerated() {
            reporter.report("stage", "step \(index + 1), \(step.text)")
            if index == workload.steps.count - 1 { reporter.report("first", "\(number + 1)") }
            device.setStep(index + 1)
            let commit: SyncDevice.Commit = { body in
                number += 1
                DiskLog.note(.issued, Int64(number))
                try body()
                DiskLog.note(.acknowledged, Int64(number))
                try note(number, of: device)
            }
            switch step.operation {
            case .round: _ = try device.round(with: &log, at: index + 1, commit)
            case .lost: _ = try device.round(with: &log, .answerIsLost, at: index + 1, commit)
            case .during: _ = try device.round(with: &log, .changesMeanwhile, at: index + 1, commit)
            case .sync: try device.sync(with: &log, at: index + 1, commit)
            case .join: if try device.replica.content() == nil { try device.join(log.hub, commit) }
            case .leave: if try device.replica.content() != nil { try device.leave(commit) }
            case .other: if let message = rest.popFirst() { try deliver(message, to: &log) }
            case .restore: try log.take(.restore(messages: 2 + step.draw % 3))
            case .copy: try log.take(.copy(device: try device.replica.content()?.device ?? SyncDevice.own))
            case .skew: device.secondsAhead = 3600
            case .setback: try log.take(.clock(secondsAhead: -3600))
            case .lose: try log.take(.lose(units: 1 + step.draw % 3))
            case .refuse: try log.take(.refuse)
            default: try device.change(step, at: index + 1, commit)
            }
        }
        try reportEvents(of: device)
    }

    /// The hub may refuse what the other device pushes, as with a clock that was set back.
    private func deliver(_ message: LabHub.Message, to log: inout LabHubLog) throws {
        do {
            try log.take(message)
        } catch is SyncRefusal {
        }
    }

    private func note(_ number: Int, of device: SyncDevice) throws {
        DiskLog.note(.state, Int64(number))
        DiskLog.note(.digest, Int64(bitPattern: try device.digest()))
    }

    private func reportEvents(of device: SyncDevice) throws {
        guard let content = try device.replica.content() else { return }
        if try !device.replica.conflicts().isEmpty { reporter.report("event", "a conflict") }
        if content.fullPulls > 0 { reporter.report("event", "a repair") }
        if content.device != SyncDevice.own { reporter.report("event", "another device number") }
        if content.units.values.contains(where: \.isParked) { reporter.report("event", "a parked unit") }
    }

    /// What workloads must meet at least once.
    static let events = ["a conflict", "a repair", "another device number", "a parked unit"]
}
