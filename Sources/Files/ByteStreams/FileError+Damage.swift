extension FileError {
    /// Whether a snapshot is not what was written: what a verification finds, not what keeps it from looking.
    public var isDamage: Bool {
        switch self {
        case .damagedSnapshot, .notASnapshot, .brokenChain, .notDecryptable: true
        default: false
        }
    }

    /// A few words on why a file cannot be read, for a list of files.
    package var shortReason: String {
        switch self {
        case .notASnapshot: "it is no snapshot"
        case .newerSnapshot: "it is of a newer version of Daybook"
        case .damagedSnapshot(_, let reason): reason
        case .permissionDenied: "there is no permission"
        default: "the system refuses it"
        }
    }
}
