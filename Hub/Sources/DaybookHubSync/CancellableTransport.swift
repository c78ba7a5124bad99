import Sync
import Synchronization

/// Ends a request as soon as its task is cancelled, however long the network takes to notice.
struct CancellableTransport: SyncTransport {
    let base: any SyncTransport

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        try await result { try await base.sync(request) }.get()
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        try await result { try await base.records(request) }.get()
    }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 {
        try await result { try await base.watch(after: sequence) }.get()
    }

    /// The result of a request, or that the hub is unavailable once the task is cancelled.
    private func result<Answer: Sendable>(
        _ request: @escaping @Sendable () async throws -> Answer
    ) async -> Result<Answer, SyncRefusal> {
        let promise = Promise<Result<Answer, SyncRefusal>>()
        let task = Task {
            do { promise.fulfill(.success(try await request())) } catch {
                promise.fulfill(.failure(error as? SyncRefusal ?? .unavailable))
            }
        }
        return await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            task.cancel()
            promise.fulfill(.failure(.unavailable))
        }
    }
}

/// A value that one task waits for, and that the first of several others delivers.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    /// Delivers the value, unless it was delivered before.
    func fulfill(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: value)
    }

    /// The value, when it is there. For one waiting task.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    if state.value == nil { state.continuation = continuation }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
