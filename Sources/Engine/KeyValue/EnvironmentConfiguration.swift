import Injection

/// How an environment is opened. The defaults are right for every application; tests make things small.
public struct EnvironmentConfiguration: Sendable {
    /// Address space reserved when a store is created, in bytes. Sparse: it costs no disk and no memory.
    public var initialMapSize: Int
    /// The size that the store may never grow beyond, in bytes. At the ceiling writes fail as `storageFull`.
    public var mapSizeCeiling: Int
    /// How many read transactions may be open at once, over all processes.
    public var readerSlots: Int
    /// How many tables the store may hold.
    public var tableLimit: Int
    /// Whether the environment may write.
    public var isReadOnly: Bool
    /// The fault injection points that are armed; none outside of tests and labs.
    package var injectionPoint = ArmedInjectionPoints()

    /// Reserves 1 GiB at first, up to 1 TiB, with 1,024 reader slots and 64 tables.
    public init(
        initialMapSize: Int = 1 << 30,
        mapSizeCeiling: Int = 1 << 40,
        readerSlots: Int = 1024,
        tableLimit: Int = 64,
        isReadOnly: Bool = false
    ) {
        self.initialMapSize = min(initialMapSize, mapSizeCeiling)
        self.mapSizeCeiling = mapSizeCeiling
        self.readerSlots = readerSlots
        self.tableLimit = tableLimit
        self.isReadOnly = isReadOnly
    }
}
