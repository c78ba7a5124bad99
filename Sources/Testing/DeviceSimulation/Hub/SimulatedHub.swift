import FoundationEssentials
import Sync

/// A hub that simulated devices talk to: the model in this module, or a real one.
public protocol SimulatedHub: Sendable {
    /// Answers a request, or refuses it.
    func sync(_ request: SyncRequest, in call: HubCall) async throws(SyncRefusal) -> SyncAnswer
    /// Answers a request for records, or refuses it.
    func records(_ request: RecordsRequest, in call: HubCall) async throws(SyncRefusal) -> RecordsAnswer
    /// The number of the last unit that is committed.
    func head() async throws -> Int64
    /// Whether its database can be restored and emptied.
    var canBeRestored: Bool { get }
    /// Keeps a copy of the database.
    func save() async throws
    /// Replaces the database by the copy.
    ///
    /// - Parameter isNewEpoch: whether the operator says that it was restored.
    func restore(isNewEpoch: Bool) async throws
    /// Removes everything, as a new database has nothing.
    func empty() async throws
}

extension SimulatedHub {
    /// False.
    public var canBeRestored: Bool { false }
    /// Does nothing.
    public func save() async throws {}
    /// Does nothing.
    public func restore(isNewEpoch: Bool) async throws {}
    /// Does nothing.
    public func empty() async throws {}
}

/// A request on its way through a hub process.
public struct HubCall: Sendable {
    /// The device that the request comes from, as its token says.
    public let device: UInt64
    /// The clock of the hub process, in microseconds since 1970.
    public let time: Int64
    /// A number of its own.
    public let number: Int
    /// Called before each statement of a transaction.
    let statement: @Sendable (HubStatement) async -> StatementFault?

    package init(
        device: UInt64, time: Int64, number: Int, statement: @escaping @Sendable (HubStatement) async -> StatementFault?
    ) {
        self.device = device
        self.time = time
        self.number = number
        self.statement = statement
    }

    /// Lets time pass before a statement of the database. The others may be carried out meanwhile.
    ///
    /// - Returns: how the statement fails; nil if it does not.
    public func reaches(_ statement: HubStatement) async -> StatementFault? { await self.statement(statement) }
}

/// The statements of the transaction of a push, and of reading.
public enum HubStatement: String, Sendable, Hashable, CaseIterable {
    /// Reads a space without locking it.
    case readSpace
    /// Reads units without a lock.
    case readPage
    /// Locks a space until the end of the transaction.
    case lock
    /// Reads what is known of the pushed units.
    case readUnits
    /// Writes the space's row.
    case updateSpace
    /// Writes units.
    case writeUnits
    /// Writes the device's row.
    case updateDevice
    /// Commits.
    case commit
}

/// How a statement of a database fails.
public enum StatementFault: Sendable, Hashable {
    /// 40001: nothing is done, and the whole transaction is to be carried out again.
    case serialization
    /// 40003 or a lost connection, and nothing is done: the hub cannot know.
    case unknownAndUndone
    /// 40003 or a lost connection, and the transaction is committed: the hub cannot know.
    case unknownButDone
}
