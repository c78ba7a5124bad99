import FoundationEssentials
import Records
import Sync
import Tasks

/// What must be true.
extension SpaceRun {
    /// Brings all devices together, and measures how long that takes; then makes a change, and measures how long that takes to be
    /// everywhere.
    func meet() async throws {
        note("everything works from here on")
        isCalm = true
        defer { isCalm = false }
        stopped = []
        for device in devices {
            if device.isFull { try await setFull(device, false) }
            // A person corrects a clock that is off by days: it holds what was changed here.
            if abs(device.clock.wall.microsecondsSince1970 - now) > 80_000_000_000 {
                device.clock.setWall(.init(microsecondsSince1970: now + Int64(dice.below(60_000_000))))
            }
            setReachable(device, true)
        }
        // Programs that a hub asked to wait do so for as long as it asked, others for half a minute at most.
        wasRefused = programs.contains { ($0.lastRefusal ?? .unavailable) != .unavailable }
        // One may end the others of its device.
        for program in programs where program.isOpen {
            try await release(program)
            try await inform(program)
        }
        guard let time = try await settle(within: 1_200_000_000) else {
            return note(problem: "the devices do not come to an end: \(try statuses())")
        }
        if time > (wasRefused ? 400_000_000 : 60_000_000) {
            note(problem: "converging took \(time / 1000) ms of virtual time")
        }
        if !wasRefused { count("convergence within 60 s", in: "checks") }
        try await checkAgreement()
        guard report.problems.isEmpty, let device = devices.first(where: { !$0.isOlder }) else { return }
        pass(until: now + Int64(dice.below(1_000_000)))
        words += 1
        try await change(device, "create") { _ = try $0.tasks.create("probe\(self.words)") }
        guard let time = try await settle(within: 60_000_000) else {
            return note(problem: "a change does not come to an end: \(try statuses())")
        }
        if time > 3_000_000 { note(problem: "a change took \(time / 1000) ms of virtual time to be everywhere") }
        count("propagation within 3 s", in: "checks")
        try await checkAgreement()
    }

    private func statuses() throws -> String {
        try devices.map { "\($0.place): \(try $0.replica.status())" }.joined(separator: "; ")
    }

    /// All devices of the newest version have the same records; nothing is to be sent; the digests are the same.
    private func checkAgreement() async throws {
        let newest = devices.filter { !$0.isOlder }
        guard let first = newest.first else { return }
        let records = try first.content()
        for device in newest.dropFirst() {
            let other = try device.content()
            for name in Set(records.keys).union(other.keys).sorted() where records[name] != other[name] {
                // A hub that has lost the record itself can only report that it was deleted.
                if mayDiffer, name.hasPrefix(Tombstone.collection.name) { continue }
                // A record of a purged id that was made again stays where it was made.
                if try isPurged(name, on: first) { continue }
                note(
                    problem:
                        "devices \(first.place) and \(device.place) differ in \(name): \(records[name] ?? []), \(other[name] ?? []), \(try stamps(of: name, on: [first, device]))"
                )
            }
        }
        for device in devices {
            let status = try device.replica.status()
            var isSame = status.digest == .same
            if !isSame, mayDiffer { isSame = try await hasOnlyMore(device) }
            if status.pending != 0 || !isSame || status.held != nil {
                note(problem: "device \(device.place): \(status)")
                try await noteDifferences(of: device)
            }
            // A repair would hide what went wrong before it.
            if status.fullPulls != 0, !mayDiffer { note(problem: "device \(device.place) pulled everything again") }
        }
    }

    /// Whether all that a device has and the hub has not is what it cannot send to a hub that has lost it: units that it does not
    /// know, or whose record it never had.
    private func hasOnlyMore(_ device: SimulatedDevice) async throws -> Bool {
        var hub = try await hubUnits()
        for unit in try device.replica.heldUnits() {
            let there = hub.removeValue(forKey: UnitName(record: unit.record, unit: unit.unit))
            if there != unit.key, unit.hasValue { return false }
        }
        return hub.isEmpty
    }

    private func isPurged(_ name: String, on device: SimulatedDevice) throws -> Bool {
        let record = Self.record(name)
        return try device.replica.heldUnits().contains { unit in
            guard unit.record == record, unit.unit == SyncUnit.existence, case .purge = MergeKey(unit.key) else {
                return false
            }
            return true
        }
    }

    private func stamps(of name: String, on devices: [SimulatedDevice]) throws -> [String] {
        let record = Self.record(name)
        return try devices.map { device in
            let units = try device.replica.heldUnits().filter { $0.record == record }.sorted { $0.unit < $1.unit }
            return units.map { "\($0.unit)\($0.isPending ? "*" : ""): \(MergeKey($0.key).map { "\($0)" } ?? "")" }
                .joined(separator: ", ")
        }
    }

    /// The wire name of a record of `SimulatedDevice.content`.
    private static func record(_ name: String) -> UUID {
        let words = name.split(separator: " ")
        let key = words.last.map { $0.split(separator: ".").compactMap { UInt8($0, radix: 16) } } ?? []
        let kind = words.first.map(String.init)
        // A tombstone has the key of its task.
        let number =
            switch kind {
            case CustomList.collection.name: CustomList.collection.number
            case TaskLink.collection.name: TaskLink.collection.number
            default: TaskItem.collection.number
            }
        return PlainSealing().name(ofRecord: key, in: number)
    }

    /// Notes what differs when a device begins to pull everything again although nothing was lost: afterwards nothing differs.
    func checkRepair(of device: SimulatedDevice) async throws {
        guard !mayDiffer, try device.replica.status().fullPulls != 0 else { return }
        note(problem: "device \(device.place) pulls everything again")
        try await noteDifferences(of: device)
    }

    /// Notes what a device has and the hub has not, or the other way around.
    private func noteDifferences(of device: SimulatedDevice) async throws {
        let hub = try await hubUnits()
        var own: [UnitName: [UInt8]] = [:]
        for unit in try device.replica.heldUnits() { own[UnitName(record: unit.record, unit: unit.unit)] = unit.key }
        if let content = try device.replica.content(), !content.unstamped.isEmpty {
            note(problem: "device \(device.place) has records without stamps: \(content.unstamped)")
        }
        let names = Set(hub.keys).union(own.keys).sorted {
            ($0.record.lowercased, $0.unit) < ($1.record.lowercased, $1.unit)
        }
        for name in names where hub[name] != own[name] {
            let keys = [own[name], hub[name]].map { $0.flatMap { MergeKey($0) }.map { "\($0)" } ?? "none" }
            note(
                problem:
                    "unit \(name.unit) of \(name.record.lowercased): device \(device.place) has \(keys[0]), the hub \(keys[1])"
            )
        }
    }

    /// Compares everything with what was accepted and with what people have written.
    func checkEverything() async throws {
        for device in devices where device.isOlder {
            try await restart(device) { try $0.upgrade() }
            count("upgraded", in: "devices")
        }
        try await meet()
        for device in devices {
            for problem in try device.store.verify().problems { note(problem: "device \(device.place): \(problem)") }
            try TaskList(store: device.store).checkInvariants { note(problem: "device \(device.place): \($0)") }
            if try !device.replica.conflicts().isEmpty { count("conflict kept", in: "devices") }
        }
        let hub = try await hubUnits()
        let kept = Set(
            try devices.flatMap { try $0.replica.heldUnits() }.filter(\.hasValue).map {
                UnitName(record: $0.record, unit: $0.unit)
            })
        for (name, key) in fold.keys where hub[name] != key {
            // Of a record that was deleted, a hub that has lost it gets that back, and no other unit. `base` is kept with the record.
            let isGone = !kept.contains(UnitName(record: name.record, unit: SyncUnit.base))
            if mayDiffer, name.unit != SyncUnit.existence && isGone || hub[name] == nil && !kept.contains(name) {
                continue
            }
            note(problem: "accepted and lost: unit \(name.unit) of \(name.record.lowercased)")
        }
        for name in hub.keys where fold.keys[name] == nil {
            note(problem: "never accepted: unit \(name.unit) of \(name.record.lowercased)")
        }
        let values = try Edits.values(in: devices[0].store)
        for problem in edits.problems(of: values, isHubWhole: !mayDiffer) { note(problem: problem) }
        count("edits compared", in: "checks")
        for (_, value) in try devices[0].content().sorted(by: { $0.key < $1.key }) { note(bytes: value) }
    }

    /// Everything that the hub has, as a new device gets it.
    func hubUnits() async throws -> [UnitName: [UInt8]] {
        var units: [UnitName: [UInt8]] = [:]
        var after: Int64 = 0
        while true {
            let call = HubCall(device: devices[0].number, time: now, number: 0, statement: { _ in nil })
            let answer = try await hub.sync(
                SyncRequest(epoch: nil, pushNumber: 0, after: after, units: []), in: call)
            for unit in answer.units { units[unit.unit.name] = unit.unit.key }
            if answer.next == answer.head { return units }
            after = answer.next
        }
    }

    /// Lets the hub have an earlier state, or nothing.
    func restoreHub(_ body: () async throws -> Void) async throws {
        for call in calls.values { call.isDoomed = true }
        try await body()
        try await refold()
        for number in watchers.keys.sorted() {
            after(Int64(dice.below(25_000_000))) { [unowned self] in
                try await answerWatcher(number, evenIfOld: true)
            }
        }
    }

    /// Finds out what the hub must have now that something was lost for good.
    func refold() async throws {
        fold.restore(hub: try await hubUnits(), devices: try devices.flatMap { try $0.replica.heldUnits() })
    }
}
