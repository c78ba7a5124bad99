import Glibc
import Records
import Sync
import Tasks

/// Opens a crash image of a synced store and checks that nothing is lost: neither here nor on the way.
struct SyncImageCheck {
    /// The numbers of each state by its digest.
    let states: [UInt64: [Int]]
    /// From the last acknowledged transaction to the last issued one.
    let allowed: ClosedRange<Int>
    /// A folder for images, used by this child process alone.
    let folder: String
    let reporter: ChildReporter

    private var path: String { "\(folder)/\(Recording.storePath)" }

    /// - Throws: the broken promise.
    func run(_ image: DiskImage) throws {
        guard image.files[Recording.dataPath] != nil else { throw ImageViolation.storeIsGone }
        try FolderFiles.replace(folder, with: image)
        let hub = LabHubLog.hub(of: image.bytes(of: LabHubLog.path) ?? [])
        reporter.report("stage", "opening the image")
        let device = try SyncDevice(at: path)
        reporter.report("stage", "comparing it with the hub")
        try checkOracle(device, hub)
        let digest = try device.digest()
        guard let numbers = states[digest], let last = numbers.last else {
            throw BrokenPromise("the content is no state that the store ever had")
        }
        guard numbers.contains(where: allowed.contains) else { throw ImageViolation.wrongState(last, allowed: allowed) }
        try verify(device)
        device.close()
        reporter.report("stage", "opening it again")
        let before = FolderFiles.bytes(of: "\(folder)/\(Recording.dataPath)")
        let again = try SyncDevice(at: path)
        defer { again.close() }
        guard FolderFiles.bytes(of: "\(folder)/\(Recording.dataPath)") == before else {
            throw ImageViolation.secondOpeningWrites
        }
        try syncAgain(again, hub)
    }

    private func checkOracle(_ device: SyncDevice, _ hub: LabHub) throws {
        guard let content = try device.replica.content() else { return }
        if let problem = SyncOracle(content: content, hub: hub).problems.first { throw BrokenPromise(problem) }
    }

    private func verify(_ device: SyncDevice) throws {
        var problems = try device.store.verify().problems
        try TaskList(store: device.store).checkInvariants { problems.append($0) }
        if let problem = problems.first { throw ImageViolation.notClean(problem) }
    }

    // MARK: Going on

    /// Goes on as the program does after a restart: device and hub must come to agree, before and after more changes, and a device
    /// that joins then must get what this one has.
    private func syncAgain(_ device: SyncDevice, _ hub: LabHub) throws {
        reporter.report("stage", "syncing again")
        let index = 10_000
        device.setStep(index)
        var hub = hub
        let pulls = try device.replica.content()?.fullPulls ?? 0
        try settle(device, &hub)
        try compare(device, hub, fullPulls: pulls)
        reporter.report("stage", "syncing more changes")
        for step in [LabStep(.create), LabStep(.edit), LabStep(.complete)] {
            try device.change(step, at: index) { try $0() }
        }
        try settle(device, &hub)
        try compare(device, hub, fullPulls: pulls)
        try verify(device)
        reporter.report("stage", "joining with another device")
        let other = try SyncDevice(at: "\(folder)/other/store")
        defer { other.close() }
        other.setStep(index)
        try settle(other, &hub)
        // What the hub cannot read stays on its device.
        guard hub.unreadable.isEmpty else { return }
        let (own, others) = try (device.replica.content(), other.replica.content())
        guard let own, let others,
            own.records.filter({ others.records[$0.key] != nil || !own.bareTombstones.contains($0.key) })
                == others.records
        else {
            throw BrokenPromise("another device gets other records from the hub than this one has")
        }
    }

    /// Syncs until nothing is left, as the program does.
    private func settle(_ device: SyncDevice, _ hub: inout LabHub) throws {
        let replica = device.replica
        if try replica.content() == nil {
            let number = hub.unusedDevice
            try CallingThread.run { try await replica.begin(space: SyncDevice.space, device: number) }
        }
        for _ in 0..<4 {
            let transport = LabTransport(hub, device: try replica.content()?.device ?? 0, time: device.time)
            let ending = try CallingThread.run { try await SyncLoop(replica, over: transport).run() }
            hub = transport.hub
            switch ending {
            case .settled: return
            case .held where try replica.status().held == "forked":
                // Only a hub that has seen a copy may say so: otherwise a number was used twice.
                guard hub.hasCopy(of: try replica.content()?.device ?? 0) else {
                    throw BrokenPromise("the number of a push was used again for other units")
                }
                let number = hub.unusedDevice
                try CallingThread.run { try await replica.adopt(device: number) }
            case .held: throw BrokenPromise("sync is held: \(try replica.status().held ?? "")")
            case .failed(let refusal): throw BrokenPromise("sync fails: \(refusal.code)")
            }
        }
        throw BrokenPromise("sync does not come to an end")
    }

    private func compare(_ device: SyncDevice, _ hub: LabHub, fullPulls: Int64) throws {
        try checkOracle(device, hub)
        let status = try device.replica.status()
        guard status.pending == 0 else { throw BrokenPromise("\(status.pending) units are still to be sent") }
        guard hub.unreadable.isEmpty else { return }
        guard status.digest == .same else { throw BrokenPromise("device and hub differ after syncing again") }
        // A repair would hide a loss; only a hub that has lost something needs one.
        guard hub.hasLost || status.fullPulls == Int(fullPulls) else {
            throw BrokenPromise("everything had to be pulled again")
        }
    }
}
