import CivilTime
import Injection
import Testing

@testable import Sync

/// A suite of tests with devices of one space that sync with one hub.
protocol SyncSuite {
    var hub: TestHub { get }
}

extension SyncSuite {
    /// When the clocks of the hub and of the devices begin.
    var start: Instant { TestHub.start }

    func device(_ number: UInt64, knowing schema: SyncSchema = TestDevice.schema) async throws -> TestDevice {
        let device = try TestDevice(number, at: start, knowing: schema)
        try await device.begin()
        return device
    }

    func devices(_ count: Int, breaking point: InjectionPoint? = nil) async throws -> [TestDevice] {
        var devices: [TestDevice] = []
        for number in 1...count {
            let device = try TestDevice(UInt64(number), at: start, breaking: point)
            try await device.begin()
            devices.append(device)
        }
        return devices
    }

    /// Syncs each device twice, so that all have what any of them has.
    func syncTwice(_ devices: [TestDevice]) async throws {
        for _ in 0..<2 {
            for device in devices { #expect(try await device.sync(hub) == .settled) }
        }
    }

    /// Moves the clocks forward.
    func advance(_ devices: [TestDevice], bySeconds seconds: Int64 = 1) {
        for device in devices { device.clock.advance(byMicroseconds: seconds * 1_000_000) }
        hub.state.withLock { $0.now += seconds * 1_000_000 }
    }
}
