import Testing

@testable import CrashTesting

@Suite struct DiskCallTests {
    @Test("A call that returned less than zero has failed")
    func failure() {
        #expect(DiskCall(kind: .flush, result: -1, error: 5).hasFailed)
        #expect(!DiskCall(kind: .write, result: 120).hasFailed)
    }
}
