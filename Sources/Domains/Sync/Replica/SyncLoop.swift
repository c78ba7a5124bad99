import CivilTime
import Records

/// Syncs a replica through a transport until nothing is left to do.
public struct SyncLoop: Sendable {
    private let replica: SyncReplica
    private let transport: any SyncTransport

    /// A loop between a replica and its hub.
    public init(_ replica: SyncReplica, over transport: any SyncTransport) {
        self.replica = replica
        self.transport = transport
    }

    /// How a run ended.
    public enum Ending: Sendable, Hashable {
        /// Device and hub agree.
        case settled
        /// Something must be decided first; the status says what.
        case held
        /// The hub could not be reached or refused; nothing is lost. The next try is to be made later.
        case failed(SyncRefusal)
    }

    /// Pushes and pulls until nothing is left, or the hub cannot be reached.
    public func run() async throws -> Ending {
        var limit = SyncProtocol.unitLimit
        while true {
            let round = try await replica.prepare(unitLimit: limit)
            do {
                let answer = try await transport.sync(round.request)
                let outcome = try await replica.finish(round, with: answer)
                try await fetchWanted()
                // After a unit was found that the hub cannot read, the others go in full rounds again.
                limit = min(limit * 2, SyncProtocol.unitLimit)
                switch outcome {
                case .more: continue
                case .settled: return .settled
                case .held: return .held
                case .contradicted: return .failed(.malformed)
                }
            } catch let refusal as SyncRefusal {
                switch try await replica.react(to: refusal, of: round) {
                case .retry(let smaller): limit = smaller
                case .wait: return .failed(refusal)
                case .stop: return .held
                }
            }
        }
    }

    private func fetchWanted() async throws {
        while true {
            let names = try replica.wantedRecords()
            if names.isEmpty { return }
            let answer = try await transport.records(RecordsRequest(records: names))
            try await replica.finishFetch(of: names, with: answer)
        }
    }
}

/// The waits between tries: exponential with full jitter, so that many devices that lost the same hub do not come back at once.
public enum SyncBackoff {
    /// The longest wait while the hub cannot be reached, in microseconds: everything is there 60 s after it is back.
    static let unreachableLimit: Int64 = 30_000_000
    /// The longest wait for other reasons.
    static let refusedLimit: Int64 = 300_000_000

    /// The wait before the next try, in microseconds.
    ///
    /// - Parameter failures: how many tries have failed one after another, 1 at least.
    public static func delay(after refusal: SyncRefusal, failures: Int, random: any RandomSource) -> Int64 {
        let limit = refusal == .unavailable ? unreachableLimit : refusedLimit
        let longest = min(1_000_000 << Int64(min(max(failures, 1) - 1, 20)), limit)
        var wait = Int64(random.next() % UInt64(longest)) + 1
        if case .busy(let seconds) = refusal { wait = max(wait, Int64(min(max(seconds, 0), 3600)) * 1_000_000) }
        return wait
    }
}
