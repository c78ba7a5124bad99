import FoundationEssentials
import Injection
import Records
import Sync
import Tasks
import Threading

/// A copy that a trap has made within a transaction.
final class SprungTrap: Sendable {
    let copy: MemoryFolder
    private let isDone = ForkSafeMutex(false)

    init(in root: String?) throws { copy = try MemoryFolder(in: root) }

    var hasSprung: Bool { isDone.withLock { $0 } }

    func spring(_ folder: MemoryFolder) {
        guard (try? folder.copy(to: copy)) != nil else { return }
        isDone.withLock { $0 = true }
    }
}

/// What happens to devices.
extension SpaceRun {
    /// Adds a device that joins the space.
    func addDevice(isOlder: Bool) async throws {
        let offset: Int64
        switch traits.has(.wrongClocks) ? dice.below(5) : 5 {
        case 0: offset = Int64(dice.below(800) - 400) * 86_400_000_000
        case 1: offset = Int64(dice.below(60) - 30) * 86_400_000_000
        case 2, 3: offset = Int64(dice.below(7200) - 3600) * 1_000_000
        default: offset = Int64(dice.below(2_000_000) - 1_000_000)
        }
        countOffset(offset)
        let device = try makeDevice(isOlder: isOlder, offset: offset)
        // Some have tasks before they join.
        if dice.chance(50) { try await operate(device) }
        try await join(device)
    }

    /// Makes a device whose clock is off by some microseconds.
    func makeDevice(isOlder: Bool, offset: Int64) throws -> SimulatedDevice {
        let device = try SimulatedDevice(
            place: devices.count, at: .init(microsecondsSince1970: now + offset), seed: seed, isOlder: isOlder,
            breaking: point, in: scratch)
        devices.append(device)
        if isOlder { count("older version", in: "devices") }
        return device
    }

    /// Lets a device join the space.
    func join(_ device: SimulatedDevice) async throws {
        try await device.replica.begin(space: SimulatedDevice.space, device: device.number)
        try await start(device.process, of: device)
    }

    func countOffset(_ offset: Int64) {
        if abs(offset) > 86_400_000_000 { count("off by more than a day", in: "clocks") }
        if abs(offset) > 365 * 86_400_000_000 { count("off by more than a year", in: "clocks") }
    }

    /// Ends the programs of a device, changes it, and starts them again.
    func restart(_ device: SimulatedDevice, _ change: (SimulatedDevice) throws -> Void) async throws {
        let old = programs(of: device)
        try change(device)
        await end(old)
        try await start(device.process, of: device)
    }

    /// Lets a device go on with what is on its disk at this moment.
    func crash(_ device: SimulatedDevice) async throws {
        count("crash while waiting", in: "devices")
        let copy = try device.copy()
        try await restart(device) { try $0.become(copy) }
    }

    /// Lets a device die when so many units were read or written within transactions.
    func setTrap(_ device: SimulatedDevice, after units: Int) throws {
        let trap = try SprungTrap(in: scratch)
        let folder = device.folder
        device.process.sealing.set(after: units) { trap.spring(folder) }
        traps.append((device, device.process, trap))
    }

    /// Lets a device go on with what it has left if a trap of this process has sprung. Returns whether it has.
    func springTraps(of process: DeviceProcess) async throws -> Bool {
        guard let index = traps.firstIndex(where: { $0.process === process && $0.trap.hasSprung }) else { return false }
        let (device, _, trap) = traps.remove(at: index)
        guard process === device.process else { return false }
        note("device \(device.place) dies within a transaction")
        count("crash within a transaction", in: "devices")
        try await restart(device) { try $0.become(trap.copy) }
        return true
    }

    /// Restores an earlier copy of a device: what it has done since is gone.
    func restoreCopy(of device: SimulatedDevice) async throws {
        guard let (folder, step) = copies.removeValue(forKey: device.place) else { return }
        note("device \(device.place) is restored from step \(step)")
        count("restored copy", in: "devices")
        edits.forget(device: device.place, after: step)
        try await restart(device) { try $0.become(folder) }
        try noteRenewed(on: device)
        try await refold()
    }

    /// What a store that exists twice has not sent, with stamps of a clock that is ahead, gets new ones from each of the two: neither
    /// knows what the other, or a device that had it from there, has replaced since.
    private func noteRenewed(on device: SimulatedDevice) throws {
        let ahead = try device.replica.heldUnits().filter { unit in
            unit.isPending && MergeKey(unit.key).map { $0.stamp.milliseconds * 1000 > now } ?? false
        }
        let records = Set(ahead.map(\.record))
        edits.renew(
            try Edits.values(in: device.store).filter {
                records.contains(PlainSealing().name(ofRecord: $0.key.keyArray, in: TaskItem.collection.number))
            })
    }

    /// Starts a copy of a device as one more.
    func copy(_ device: SimulatedDevice) async throws {
        guard devices.count < 6 else { return }
        note("device \(device.place) is copied as device \(devices.count)")
        count("copy", in: "devices")
        let wall = device.clock.wall.advanced(byMicroseconds: Int64(1 + dice.below(30)) * 1_000_337)
        let copy = try SimulatedDevice(
            place: devices.count, at: wall, seed: seed, isOlder: device.isOlder, breaking: point, in: scratch,
            copy: try device.copy())
        copy.number = device.number
        devices.append(copy)
        try noteRenewed(on: device)
        try await start(copy.process, of: copy)
    }

    /// Opens a second process on a device, or ends it.
    func toggleSecond(_ device: SimulatedDevice) async throws {
        if let second = device.second {
            let old = programs.filter { $0.process === second }
            device.closeSecond()
            await end(old)
        } else {
            count("second process", in: "devices")
            device.openSecond()
            if let second = device.second { try await start(second, of: device) }
        }
    }

    /// Leaves a device no room, or gives it room again.
    func setFull(_ device: SimulatedDevice, _ isFull: Bool) async throws {
        if isFull { count("full disk", in: "devices") }
        try await restart(device) { try $0.setFull(isFull) }
    }

    /// Lets a program without sync change the store of a device.
    func changeWithoutSync(_ device: SimulatedDevice) async throws {
        count("program without sync", in: "devices")
        let before = try Edits.values(in: device.store)
        let number = words + 1
        words += 2
        let choice = dice.below(100)
        try await restart(device) { device in
            try device.withoutSync { store in
                let tasks = try store.read { try $0[TaskItem.self].page(limit: 50) }
                try store.write(TaskOperation.several.label) { transaction in
                    _ = try transaction.tasks.create("plain\(number)")
                    guard !tasks.isEmpty else { return }
                    let task = tasks[choice % tasks.count]
                    if choice < 30 {
                        _ = try transaction.tasks.delete(task.id)
                    } else {
                        _ = try transaction.tasks.edit(task.id) { $0.text = "plain\(number + 1)" }
                    }
                }
            }
        }
        let after = try Edits.values(in: device.store)
        edits.note(before, after, on: device.place, step: step)
        edits.ignore(before, after)
    }
}
