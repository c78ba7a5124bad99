import FoundationEssentials
import Sync

/// The steps of a run.
extension SpaceRun {
    /// Plays some steps, with meetings in between, and compares everything in the end.
    func play(steps: Int) async throws {
        let older = traits.has(.olderVersion) ? 1 + dice.below(traits.devices - 1) : nil
        for place in 0..<traits.devices { try await addDevice(isOlder: place == older) }
        for number in 1...max(steps, 1) {
            step = number
            try await advance(to: now + pause())
            if dice.chance(60) {
                try await operate(dice.pick(devices))
                if traits.has(.ties), dice.chance(25) {
                    count("same instant", in: "clocks")
                    try await operate(dice.pick(devices))
                }
            } else {
                try await happen()
            }
            note(steps: number)
            if number % 120 == 0 { try await meet() }
            if !report.problems.isEmpty { break }
        }
        if report.problems.isEmpty { try await checkEverything() }
        for program in programs { await end([program]) }
    }

    /// The time until the next step, in microseconds.
    private func pause() -> Int64 {
        switch dice.below(100) {
        case 0..<25: return Int64(dice.below(3_000))
        case 25..<60: return Int64(dice.below(400_000))
        case 60..<88: return Int64(dice.below(4_000_000))
        case 88..<99: return Int64(dice.below(60_000_000))
        default: return Int64(dice.below(900_000_000))
        }
    }

    /// Lets something happen that is not a person's change of a record.
    private func happen() async throws {
        let device = dice.pick(devices)
        let possible = SyncTrait.allCases.filter { traits.has($0) && Self.happenings.contains($0) }
        guard !possible.isEmpty else { return }
        switch dice.pick(possible) {
        case .partitions:
            let isReachable = isReachable(device)
            note("device \(device.place) is \(isReachable ? "unreachable" : "reachable")")
            count(isReachable ? "partition" : "reconnection", in: "network")
            setReachable(device, !isReachable)
        case .hubRestarts: await restartHub()
        case .restoredHub: try await restoreHub()
        case .emptiedHub: try await emptyHub()
        case .crashes:
            if dice.chance(60) {
                try setTrap(device, after: 1 + dice.below(8))
            } else if dice.chance(60) {
                note("device \(device.place) dies")
                try await crash(device)
            } else {
                note("device \(device.place) is opened again")
                count("reopened", in: "devices")
                try await restart(device) { try $0.reopen() }
            }
        case .restoredDevice:
            if copies[device.place] != nil, dice.chance(30) {
                try await restoreCopy(of: device)
            } else if copies[device.place] == nil {
                copies[device.place] = (try device.copy(), step)
            }
        case .copiedDevice: if dice.chance(10) { try await copy(device) }
        case .secondProcess: if !device.isFull { try await toggleSecond(device) }
        case .fullDisk: try await setFull(device, !device.isFull)
        case .programWithoutSync: if dice.chance(30), !device.isFull { try await changeWithoutSync(device) }
        case .olderVersion:
            guard dice.chance(3), device.isOlder, !device.isFull else { return }
            note("device \(device.place) has the newest version")
            count("upgraded", in: "devices")
            try await restart(device) { try $0.upgrade() }
        case .clockSteps: stepClock(of: device)
        case .longAbsence: if dice.chance(20) { try await passMuchTime() }
        default: break
        }
    }

    private static let happenings: Set<SyncTrait> = [
        .partitions, .hubRestarts, .restoredHub, .emptiedHub, .crashes, .restoredDevice, .copiedDevice, .secondProcess,
        .fullDisk, .programWithoutSync, .olderVersion, .clockSteps, .longAbsence,
    ]

    private func restartHub() async {
        let place = dice.below(traits.hubProcesses)
        guard !stopped.contains(place) else { return }
        note("hub process \(place) dies")
        count("restarted", in: "hub")
        stopHub(place)
        after(Int64(dice.below(20_000_000))) { [unowned self] in stopped.remove(place) }
    }

    private func restoreHub() async throws {
        guard hub.canBeRestored else { return }
        guard dice.chance(25) else { return try await hub.save() }
        let isNew = dice.chance(60)
        note("the hub is restored, \(isNew ? "with a new epoch" : "and nobody says so")")
        count(isNew ? "restored, new epoch" : "restored, same epoch", in: "hub")
        // Devices find out by the digest.
        mayDiffer = true
        try await restoreHub { try await hub.restore(isNewEpoch: isNew) }
    }

    private func emptyHub() async throws {
        guard hub.canBeRestored, dice.chance(6) else { return }
        note("the hub is emptied")
        count("emptied", in: "hub")
        mayDiffer = true
        try await restoreHub { try await hub.empty() }
    }

    private func stepClock(of device: SimulatedDevice) {
        let isForward = dice.chance(50)
        var size = dice.chance(70) ? Int64(dice.below(7_200_000)) * 1000 : Int64(dice.below(4)) * 86_400_000_000
        if dice.chance(8) { size = 400 * 86_400_000_000 }
        count(isForward ? "step forward" : "step backward", in: "clocks")
        note("the clock of device \(device.place) steps \(isForward ? "" : "-")\(size / 1_000_000) s")
        let wall = device.clock.wall.advanced(byMicroseconds: isForward ? size : -size)
        countOffset(wall.microsecondsSince1970 - now)
        device.clock.setWall(wall)
    }

    /// Lets much time pass, in which no program runs.
    private func passMuchTime() async throws {
        let isLong = dice.chance(15)
        note(isLong ? "400 days pass" : "an hour passes")
        count(isLong ? "400 days pass" : "an hour passes", in: "time")
        try await pass(isLong ? 400 * 86_400_000_000 : 3_600_000_000)
    }

    /// Lets time pass in which no program runs.
    func pass(_ microseconds: Int64) async throws {
        let open = programs
        await end(open)
        for call in calls.values { call.isDoomed = true }
        pass(until: now + microseconds)
        for program in open {
            let device = program.device
            // One that dies as it starts takes the other process of its device with it.
            guard program.process === device.process || program.process === device.second else { continue }
            try await start(program.process, of: device)
        }
    }
}
