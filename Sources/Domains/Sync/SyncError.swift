import Records

/// Why a store cannot take part in sync, in words for people. No error has a user's text in it.
public enum SyncError: String, DaybookError {
    /// The store belongs to no space.
    case notSynced
    /// The store belongs to another space already.
    case alreadySynced
    /// The stamps of a record cannot be read.
    case unreadableStamps
    /// A stored record cannot be split into its fields.
    case unreadableRecord
    /// An answer of the hub that no hub of this protocol gives.
    case invalidAnswer

    /// The name of the case, which is the same in every version.
    public var code: String { rawValue }

    /// The message, with what to do next.
    public var description: String {
        switch self {
        case .notSynced: "This store is not synced. Create a space for it, or join one."
        case .alreadySynced: "This store is synced already. Leave its space first."
        case .unreadableStamps:
            "The stamps of a record are damaged. Verify the store, which names the damage, and rebuild it."
        case .unreadableRecord:
            "A record is damaged. Verify the store, which names it, and rebuild it; sync brings the record back."
        case .invalidAnswer: "The hub gave an answer that does not fit the request. Nothing was changed."
        }
    }
}
