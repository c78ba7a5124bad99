import DaybookHubSync
import Sync

/// The commands that help after a failure, which the library's texts do not name (D17).
enum NextCommand {
    /// Returns the text of a failure with the command that helps after it.
    static func message(of failure: SyncFailure) -> String {
        let sentence: String? =
            switch failure.cause {
            case .held(let reason): self.sentence(held: reason)
            case .error(let error): self.sentence(for: error)
            case nil: nil
            }
        return sentence.map { "\(failure.message) \($0)" } ?? failure.message
    }

    /// Returns why nothing is sent, with the command that helps.
    static func heldText(_ reason: String) -> String {
        message(of: .held(reason))
    }

    private static func sentence(held reason: String) -> String? {
        switch reason {
        case "forked": "`daybook sync devices` lists them, and `daybook sync revoke` excludes one."
        default: nil
        }
    }

    private static func sentence(for error: any Error) -> String? {
        switch error {
        case SyncError.notSynced, IdentityError.notJoined: "`daybook sync create` or `daybook sync join` begins."
        case SyncError.alreadySynced: "`daybook sync leave` ends that."
        case SyncError.unreadableStamps, SyncError.unreadableRecord:
            "`daybook verify` names the damage, `daybook rebuild` removes it."
        case IdentityError.invalidInvite: "`daybook sync invite` prints one."
        default: nil
        }
    }
}
