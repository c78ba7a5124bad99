import Sync
import Synchronization

/// The way between a device and its hub, which can be interrupted.
final class TestNetwork: Sendable {
    struct State {
        var isOffline = false
        /// Whether requests get no answer before they are cancelled.
        var isStalled = false
        /// Whether the hub is asked for changes of others; otherwise it never answers that.
        var isWatching = false
        /// How many exchanges have begun.
        var requests = 0
    }

    let state = Mutex(State())

    var requests: Int { state.withLock { $0.requests } }

    func transport(to base: any SyncTransport) -> any SyncTransport { Link(base: base, network: self) }

    private struct Link: SyncTransport {
        let base: any SyncTransport
        let network: TestNetwork

        func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
            network.state.withLock { $0.requests += 1 }
            try await pass { !$0.isStalled }
            return try await base.sync(request)
        }

        func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
            try await pass { !$0.isStalled }
            return try await base.records(request)
        }

        func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 {
            try await pass { $0.isWatching }
            return try await base.watch(after: sequence)
        }

        private func pass(_ isAnswered: (State) -> Bool) async throws(SyncRefusal) {
            let state = network.state.withLock { $0 }
            if !isAnswered(state) {
                let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
                for await _ in stream {}
                withExtendedLifetime(continuation) {}
                throw .unavailable
            }
            if state.isOffline { throw .unavailable }
        }
    }
}

extension TestNetwork.State: Sendable {}
