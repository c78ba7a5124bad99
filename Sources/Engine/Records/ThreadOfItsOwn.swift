import KeyValue
import Threading

/// Does long work on a thread of its own and waits for it without holding up one of Swift's, of which there are few.
package func onThreadOfItsOwn<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let code = startDetachedThread { continuation.resume(with: Swift.Result { try work() }) }
        if code != 0 { continuation.resume(throwing: RecordsError.engine(.refused("start a thread", code: code))) }
    }
}
