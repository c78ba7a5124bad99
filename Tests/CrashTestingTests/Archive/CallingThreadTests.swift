import Foundation
import Testing

@testable import CrashTesting

@Suite struct CallingThreadTests {
    @Test("Work that waits for other threads goes on, on the calling thread")
    func waiting() throws {
        let caller = pthread_self()
        let sum = try CallingThread.run {
            var sum = 0
            for number in 1...50 {
                sum += await withCheckedContinuation { continuation in
                    // Answers at once, and from another thread: before the work has begun to wait, or after.
                    if number % 2 == 0 {
                        continuation.resume(returning: number)
                    } else {
                        Thread { continuation.resume(returning: number) }.start()
                    }
                }
                #expect(pthread_equal(pthread_self(), caller) != 0)
            }
            return sum
        }
        #expect(sum == 1275)
    }

    @Test("What the work throws is thrown")
    func failing() {
        #expect(throws: CrashLabError.peerFailed) {
            try CallingThread.run { () async throws -> Void in throw CrashLabError.peerFailed }
        }
    }
}
