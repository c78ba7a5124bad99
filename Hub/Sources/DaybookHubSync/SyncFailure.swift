import HubClient
import Sync

/// Why an exchange ended that can be tried again later.
struct HubRefusal: Error {
    /// What sync does about it.
    let refusal: SyncRefusal
    /// What the last request failed with; nil if the hub has answered it.
    let problem: HubClientError?

    /// Whether the hub is out of reach or busy, so that nobody need do anything.
    var isOffline: Bool {
        switch refusal {
        case .busy: true
        case .unavailable: problem.map { [.unreachable, .refused(.unavailable)].contains($0) } ?? true
        default: false
        }
    }
}

/// An ending other than success, with its exit code.
package struct SyncFailure: Error {
    /// What happened, and what to do next.
    package let message: String
    /// The exit code of `daybook-sync`.
    package let code: Int32
    /// What made it, if it was an error; its code, if sync waits for a person.
    package let cause: Cause?

    /// What a failure came of.
    package enum Cause: Sendable {
        case error(any Error)
        case held(String)
    }

    package init(_ message: String, code: Int32, cause: Cause? = nil) {
        self.message = message
        self.code = code
        self.cause = cause
    }

    /// The exit code of an error: 2 for what was typed, 3 for the hub, 5 for the state of the store.
    package init(_ error: any Error) {
        let code: Int32 =
            switch error {
            case HubClientError.invalidAddress, HubClientError.insecureAddress, HubClientError.invalidPin: 2
            case is HubClientError, is SyncRefusal: 3
            case SyncError.notSynced, SyncError.alreadySynced, IdentityError.notJoined: 5
            case is IdentityError: 2
            default: 3
            }
        if let error = error as? HubRefusal {
            self.init(
                error.problem.map { "\($0)" } ?? Self.refusalText(error.refusal), code: code, cause: .error(error))
        } else {
            self.init("\(error)", code: code, cause: .error(error))
        }
    }

    /// Nothing is sent before somebody does something.
    package static func held(_ reason: String) -> SyncFailure {
        SyncFailure(heldText(reason), code: 5, cause: .held(reason))
    }

    /// Why nothing is sent, and what to do about it.
    package static func heldText(_ reason: String) -> String {
        switch reason {
        case "clock": "This device's clock is off by more than a day. Set it right; nothing is sent until then."
        case "revoked": "This device was revoked by another one. Everything here is kept, and no longer synced."
        case "unknownSpace": "The hub does not know this space. Ask its operator; nothing here is deleted."
        case "forked":
            """
            A copy of this store is the same device, and the hub registers no other one for it: the space has as many as a \
            hub keeps. Revoke one that is gone, then sync again.
            """
        case "upgrade": "The hub needs a newer version of this program. Nothing is lost."
        case "unauthorized": "The hub does not accept this device's key. Join again with a new invite."
        default: "Sync waits: \(reason)."
        }
    }

    /// What a refusal that is waited out means.
    package static func refusalText(_ refusal: SyncRefusal) -> String {
        switch refusal {
        case .busy(let seconds): "The hub is busy; again in \(seconds) s. Nothing is lost."
        case .full: "The space has no room left at the hub. Nothing here is lost."
        default: "The hub could not be reached (\(refusal.code)). Nothing is lost."
        }
    }
}
