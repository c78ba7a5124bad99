import CivilTime
import FoundationEssentials
import Injection
import LabSupport
import Records
import Sync
import Tasks

/// The world of a run: devices, their programs, the network, the hub, and what is to happen in virtual time.
final class SpaceRun {
    let seed: UInt64
    let traits: SyncTraits
    let hub: any SimulatedHub
    let point: InjectionPoint?
    /// Where the folders of devices are made; nil for the memory.
    let scratch: String?
    var dice: SeededGenerator
    /// Virtual time, in microseconds since 1970: what right clocks show.
    private(set) var now: Int64
    var queue = EventQueue<() async throws -> Void>()
    var devices: [SimulatedDevice] = []
    var programs: [Program] = []
    var nextProgram = 0
    var nextMessage = 0
    var nextDevice: UInt64 = 100
    /// The devices that no message reaches.
    var unreachable: Set<Int> = []
    /// Whether the network and the hub work without faults.
    var isCalm = false
    var calls: [Int: RunningCall] = [:]
    /// Programs that wait for news from a hub process.
    var watchers: [Int: Watcher] = [:]
    /// Hub processes that are not running.
    var stopped: Set<Int> = []
    /// How far the clock of each hub process is ahead.
    let hubOffsets: [Int64]
    var fold = AcceptedUnits()
    var edits = Edits()
    /// Copies that may be restored, by device, with the step at which they were made.
    var copies: [Int: (folder: MemoryFolder, step: Int)] = [:]
    /// Processes that are to die within a transaction.
    var traps: [(device: SimulatedDevice, process: DeviceProcess, trap: SprungTrap)] = []
    var step = 0
    var words = 0
    /// The last number of a task or a list: two devices never give the same.
    var numbers = 0
    /// Whether a hub has asked a program to wait since the devices began to meet.
    var wasRefused = false
    /// What a scenario lets fail.
    var script = ScriptedFaults()
    /// Whether a repair of different digests is to be expected.
    var mayDiffer = false
    private(set) var report = SyncReport()

    init(seed: UInt64, traits: SyncTraits, hub: any SimulatedHub, breaking point: InjectionPoint?, in scratch: String?)
        throws
    {
        self.scratch = scratch
        self.seed = seed
        self.traits = traits
        self.hub = hub
        self.point = point
        dice = SeededGenerator(seed: seed)
        now = try Instant("2026-02-11T10:00:00Z").microsecondsSince1970
        var offsets: [Int64] = []
        for _ in 0..<traits.hubProcesses { offsets.append(Int64(dice.below(4_000_000)) - 2_000_000) }
        hubOffsets = offsets
    }

    // MARK: Time

    /// Lets what is to happen until a time happen, in its order.
    func advance(to end: Int64) async throws {
        while let next = queue.nextTime(), next <= end {
            pass(until: next)
            guard let event = queue.popFirst() else { break }
            try await event()
        }
        pass(until: end)
    }

    /// Lets everything happen that follows from what has happened, and returns how long that took; nil when it has no end.
    func settle(within limit: Int64) async throws -> Int64? {
        let start = now
        while let next = queue.nextTime() {
            guard next - start <= limit else { return nil }
            try await advance(to: next)
        }
        return now - start
    }

    /// Lets time pass in which nothing happens.
    func pass(until end: Int64) {
        guard end > now else { return }
        for device in devices { device.clock.advance(byMicroseconds: end - now) }
        report.microseconds += end - now
        now = end
    }

    func after(
        _ microseconds: Int64, unless isVoid: (() -> Bool)? = nil, _ event: @escaping () async throws -> Void
    ) {
        queue.add(event, at: now + microseconds, unless: isVoid)
    }

    // MARK: What is reported

    func count(_ name: String, in group: String) { report.counts[group, default: [:]][name, default: 0] += 1 }

    func note(problem: String) {
        if report.problems.count < 20 { report.problems.append(problem) }
    }

    /// Notes an event, for the digest and for whoever reads about a failure.
    func note(_ event: @autoclosure () -> String) {
        let line = "\(Double(report.microseconds / 1000) / 1000) s, step \(step): \(event())"
        for byte in line.utf8 { report.digest = (report.digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        report.history.append(line)
        if report.history.count > 400 { report.history.removeFirst(200) }
    }

    func note(bytes: [UInt8]) {
        for byte in bytes { report.digest = (report.digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    func note(steps: Int) { report.steps = steps }
}

extension SeededGenerator {
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
