extension RecordsError {
    /// Whether bytes of the store are not what was written, as opposed to an operation that was refused or failed.
    public var isDamage: Bool {
        switch self {
        case .damagedRecord, .damagedEntry, .unreadableField, .engine(.damaged): true
        default: false
        }
    }
}
