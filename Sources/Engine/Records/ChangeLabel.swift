/// What an application says of a change: what was done and on whose behalf. Stored with the change; the numbers'
/// meaning is the application's.
public struct ChangeLabel: Sendable, Hashable {
    /// What was done.
    public var operation: UInt8
    /// On whose behalf: 0 for the user.
    public var origin: UInt8

    /// A label; 0 stands for "not said".
    public init(operation: UInt8 = 0, origin: UInt8 = 0) {
        self.operation = operation
        self.origin = origin
    }
}
