import CivilTime
import Testing

@testable import Sync
@testable import Tasks

/// What an application shows of sync.
@Suite struct StatusTests {
    @Test("The status has the last success, what is pending, and the class of the last error [L-FR43]")
    func status() async throws {
        let start = try Instant("2026-02-11T10:00:00Z")
        let hub = TestHub()
        hub.state.withLock { $0.now = start.microsecondsSince1970 }
        let device = try TestDevice(1, at: start)
        try await device.begin()
        #expect(try device.replica.status().lastSuccess == nil)
        try device.write { _ = try $0.create("x") }
        #expect(try device.replica.status().pending > 0)
        #expect(try await device.sync(hub) == .settled)
        let after = try device.replica.status()
        #expect((after.pending, after.lastSuccess, after.lastError, after.held) == (0, start, nil, nil))
        #expect(after.device == 1 && after.space == TestDevice.space)
        try device.write { _ = try $0.create("y") }
        let changed = try device.replica.status()
        #expect(changed.pending > 0 && changed.lastSuccess == start)
    }
}
