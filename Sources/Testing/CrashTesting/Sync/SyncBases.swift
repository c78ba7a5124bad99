import DiskRecording
import DomainPacks
import KeyValue
import Records
import Sync
import Tasks

/// The folders that workloads of sync begin with, and what the other device of the space has still to push.
struct SyncBases: Sendable {
    private var images: [SyncWorkload.Base: DiskImage] = [:]
    /// Requests of the other device, which was offline: some of what it has changed is what this device changes as well.
    private(set) var others: [LabHub.Message] = []

    subscript(base: SyncWorkload.Base) -> DiskImage { images[base] ?? DiskImage() }

    /// When the other device has changed its records: between the first steps of a workload and what follows after it.
    private static let otherStep = 30

    init(in scratch: String, pool: ChildPool) throws {
        for base in SyncWorkload.Base.allCases {
            let folder = "\(scratch)/sync-base"
            try pool.perform("base of sync") { _ in
                DiskLog.detach()
                try Self.make(base, in: folder)
            }
            let content = try Self.read(folder)
            images[base] = content.image
            if base == .joined { others = content.others }
        }
        guard others.count >= 4 else { throw CrashLabError.workloadFailed("base of sync", "too few changes") }
    }

    /// Makes what a workload begins with in this process.
    static func content(
        of base: SyncWorkload.Base, in folder: String
    ) throws -> (image: DiskImage, others: [LabHub.Message]) {
        try make(base, in: folder)
        return try read(folder)
    }

    private static func read(_ folder: String) throws -> (image: DiskImage, others: [LabHub.Message]) {
        let all = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
        var image = DiskImage()
        for (path, content) in all.files where path.hasPrefix("home/") { image.addFile(path, content) }
        return (image, LabHubLog.messages(of: all.bytes(of: othersPath) ?? []))
    }

    private static let othersPath = "other/\(LabHubLog.path)"

    /// Makes a store that has synced, or has not joined yet, beside a hub to which another device belongs.
    private static func make(_ base: SyncWorkload.Base, in folder: String) throws {
        try FolderFiles.replace(folder, with: DiskImage(folders: ["home", "other/home"]))
        let device = try SyncDevice(at: "\(folder)/\(Recording.storePath)")
        let other = try SyncDevice(at: "\(folder)/other/store")
        var log = try LabHubLog(in: folder)
        defer { log.end() }
        if base == .joined { try device.join(log.hub) { try $0() } }
        try device.change(LabStep(.create), at: 400) { try $0() }
        try device.store.write { transaction in
            let tasks = transaction.tasks
            let list = try tasks.createList("list", id: TaskAction.id(900)).id
            for number in 2...5 {
                var new = NewTask("task \(number)", id: TaskAction.id(number))
                if number > 3 { new.list = list }
                try tasks.create(new)
            }
        }
        if base == .joined { try device.sync(with: &log, at: 0) { try $0() } }
        try begin(other, number: SyncDevice.other)
        try other.sync(with: &log, at: 0) { try $0() }
        if base == .joined { try device.sync(with: &log, at: 0) { try $0() } }
        device.close()
        try goOffline(other, in: "\(folder)/other", log.hub)
        other.close()
    }

    private static func begin(_ device: SyncDevice, number: UInt64) throws {
        let replica = device.replica
        try CallingThread.run { try await replica.begin(space: SyncDevice.space, device: number) }
    }

    /// Lets the other device change records, and writes down its requests.
    private static func goOffline(_ device: SyncDevice, in folder: String, _ hub: LabHub) throws {
        device.setStep(otherStep)
        let changes: [LabStep] = [
            LabStep(.edit), LabStep(.note), LabStep(.create, draw: 2), LabStep(.complete), LabStep(.delete, draw: 1),
            LabStep(.create), LabStep(.edit, draw: 2), LabStep(.purge, draw: 3), LabStep(.create, draw: 1),
        ]
        for (index, step) in changes.enumerated() {
            try device.change(step, at: 500 + index) { try $0() }
        }
        var copy = hub
        var log = try LabHubLog(in: folder)
        defer { log.end() }
        let replica = device.replica
        while true {
            let round = try CallingThread.run { try await replica.prepare(unitLimit: 2) }
            var request = round.request
            // The hub may have another history when it comes.
            request.epoch = nil
            let message = LabHub.Message.sync(request, device: SyncDevice.other, time: device.time)
            if !request.units.isEmpty { try log.take(message) }
            guard let answer = try copy.take(.sync(round.request, device: SyncDevice.other, time: device.time)) else {
                return
            }
            if try CallingThread.run({ try await replica.finish(round, with: answer) }) == .settled { return }
        }
    }
}
