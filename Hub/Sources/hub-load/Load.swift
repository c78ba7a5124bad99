import ArgumentParser
import AsyncHTTPClient
import Daybook
import FoundationEssentials
import Measuring
import NIOCore
import Synchronization
import Workloads

/// Puts a hub under load and measures it; checks that nothing it has acknowledged is lost.
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a hub under load",
        discussion: """
            Each device pushes as fast as it is answered. With --verify, failed pushes and watches are repeated while the hub \
            or its database is killed and started again. In the end everything that was acknowledged must be there, the \
            devices of a space must have equal digests, and each watch must report one more push. Start the hub with \
            --rate 1000000.
            """)

    @Argument(help: "The hub, such as http://127.0.0.1:8620.")
    var hub: String

    @Option(help: "How many spaces there are.")
    var spaces: Int = 16

    @Option(help: "How many devices push into each space.")
    var devices: Int = 1

    @Option(help: "How many units a push has.")
    var units: Int = 1

    @Option(help: "How many bytes the body of a unit has.")
    var bytes: Int = 96

    @Option(help: "How many seconds the load lasts.")
    var seconds: Double = 10

    @Option(help: "How many connections only wait for changes, in a space that nothing is pushed into.")
    var watchers: Int = 0

    @Option(help: "The process whose memory and CPU time are reported.")
    var pid: Int?

    @Flag(help: "Repeat what fails, and check in the end that nothing acknowledged is missing.")
    var verify = false

    @Flag(help: "Print how many pushes were acknowledged in each second, after its end in milliseconds since 1970.")
    var timeline = false

    @Option(help: "The least pushes a second; prints a row of a table.")
    var pushLimit: Int?

    @Option(help: "The least units a second; prints a row of a table.")
    var unitLimit: Int?

    func run() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = spaces * devices + watchers + 8
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(5)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await measure(client)
            try await client.shutdown()
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private func measure(_ client: HTTPClient) async throws {
        let clock = SystemClock()
        var all: [LoadDevice] = []
        for _ in 0..<spaces {
            let first = LoadDevice(hub: hub, client: client, space: UUID(), isPatient: verify)
            try await first.createSpace()
            all.append(first)
            for _ in 1..<max(1, devices) {
                let other = LoadDevice(hub: hub, client: client, space: first.space, isPatient: verify)
                try await other.join(by: first)
                all.append(other)
            }
        }
        let waiting = LoadDevice(hub: hub, client: client, space: UUID(), isPatient: verify)
        if watchers > 0 { try await waiting.createSpace() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<watchers {
                group.addTask { try await waiting.watch() }
                // As fast as a backlog of connections takes them.
                if number % 64 == 63 { try await Task.sleep(for: .milliseconds(20)) }
            }
            if watchers > 0 { try await Task.sleep(for: .seconds(2)) }
            let before = pid.flatMap(ProcessUse.init)
            let start = clock.monotonic
            let end = start.advanced(byMicroseconds: Int64(seconds * 1_000_000))
            let (units, bytes, timeline) = (units, bytes, timeline)
            let counter = PushCounter()
            let times = try await withThrowingTaskGroup(of: [Int64].self) { pushing in
                for device in all where spaces > 0 {
                    pushing.addTask {
                        try await device.push(units: units, bytes: bytes, until: end, clock: clock, counter: counter)
                    }
                }
                if timeline {
                    pushing.addTask {
                        try await counter.printSeconds(until: end, clock: clock)
                        return []
                    }
                }
                return try await pushing.reduce(into: [Int64]()) { $0 += $1 }.sorted()
            }
            if all.isEmpty { try await clock.sleep(until: end) }
            report(times, microseconds: clock.monotonic.microseconds(since: start), before: before)
            if verify, watchers > 0 { try await expectReports(of: waiting, in: &group, clock: clock) }
            group.cancelAll()
            while let _ = await group.nextResult() {}
        }
        guard verify else { return }
        var checked = 0
        for device in all { checked += try await device.checkAcknowledged() }
        print("verified \(checked) acknowledged units: none is missing")
    }

    /// Pushes into the watched space: each watch, on whichever hub it goes on, must report it.
    private func expectReports(
        of waiting: LoadDevice, in group: inout ThrowingTaskGroup<Void, any Error>, clock: SystemClock
    ) async throws {
        _ = try await waiting.pushOnce(units: 1, body: [0])
        group.addTask {
            try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 15_000_000))
            throw ValidationError("A watch did not report the last push within 15 seconds.")
        }
        for _ in 0..<watchers { try await group.next() }
        print("each of \(watchers) watches reported the last push")
    }

    private func report(_ times: [Int64], microseconds: Int64, before: ProcessUse?) {
        let seconds = Double(microseconds) / 1_000_000
        let pushes = Int(Double(times.count) / seconds)
        func row(_ what: String, _ count: Int, _ limit: Int) -> MeasuredRow {
            MeasuredRow(
                what, target: "at least \(limit)",
                measured: "\(count) (p50 \(times.text(0.5)), p99 \(times.text(0.99)))", holds: count >= limit)
        }
        if let pushLimit {
            let what =
                "pushes a second, \(spaces) spaces, \(devices) device\(devices == 1 ? "" : "s") each, \(units) unit each"
            return print(row(what, pushes, pushLimit).markdown)
        }
        if let unitLimit {
            let what = "units a second, \(spaces) spaces, batches of \(units)"
            return print(row(what, pushes * units, unitLimit).markdown)
        }
        if watchers > 0, spaces == 0, let before, let after = pid.flatMap(ProcessUse.init) {
            let share = (after.cpuSeconds - before.cpuSeconds) / seconds * 100
            let rows = [
                MeasuredRow(
                    nil, "\(watchers) idle watchers: resident memory of the hub", .bytes(after.residentKiB * 1024),
                    limit: .bytes(250_000_000)),
                MeasuredRow(
                    "\(watchers) idle watchers: CPU time of the hub, of a core", target: "under 2 %",
                    measured: "\(MeasuredRow.Value.ratio(share).text) %", holds: share < 2),
            ]
            return print(rows[0].markdown, rows[1].markdown, separator: "\n")
        }
        print(
            "spaces \(spaces), devices \(devices), units \(units), watchers \(watchers): \(pushes) pushes/s,",
            "\(pushes * units) units/s, p50 \(times.text(0.5)), p99 \(times.text(0.99)), max \(times.text(1))")
        if let before, let after = pid.flatMap(ProcessUse.init) {
            let share = (after.cpuSeconds - before.cpuSeconds) / seconds
            print("hub: \(after.residentKiB / 1024) MiB resident, \(Int(share * 1000) / 10) % of a core")
        }
    }
}

/// The acknowledged pushes of all devices.
final class PushCounter: Sendable {
    private let count = Atomic<Int>(0)

    func add() { count.add(1, ordering: .relaxed) }

    /// Prints a line for each second.
    func printSeconds(until end: MonotonicTime, clock: SystemClock) async throws {
        var last = 0
        while clock.monotonic < end {
            try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 1_000_000))
            let now = count.load(ordering: .relaxed)
            print("second \(clock.wall.microsecondsSince1970 / 1000) \(now - last)")
            last = now
        }
    }
}

/// What a process has used, by Linux's /proc.
struct ProcessUse {
    let residentKiB: Int
    let cpuSeconds: Double

    init?(_ pid: Int) {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let resident = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) }
            ),
            let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = stat.lastIndex(of: ")")
        else { return nil }
        // After the name: state, then 10 numbers, then user and system time in hundredths of a second.
        let fields = stat[name...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return nil }
        residentKiB = resident
        cpuSeconds = (user + system) / 100
    }
}
