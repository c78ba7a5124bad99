import Injection
import KeyValue

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// Opens for reading only: nothing is ever written, and a missing store is not created.
    public var isReadOnly: Bool
    /// Whether a missing store is created.
    public var createIfMissing: Bool
    /// The size that the store may never grow beyond, in bytes.
    public var sizeCeiling: Int
    /// How much of the change log is kept.
    public var retention: ChangeLogRetention
    /// When a write that failed for a passing reason is tried again. Only asynchronous writes are: the synchronous one has
    /// nothing to wait with but its caller's thread.
    public var retries: RetryPolicy
    /// The address space that a new store begins with, in bytes; the crash lab makes it small to see it grow.
    package var initialMapSize = 1 << 30
    /// The fault injection points that are armed; none outside of tests and labs.
    package var injectionPoint = ArmedInjectionPoints()

    /// Reading and writing, created when missing, up to 1 TiB.
    public init(
        isReadOnly: Bool = false, createIfMissing: Bool = true, sizeCeiling: Int = 1 << 40,
        retention: ChangeLogRetention = ChangeLogRetention(), retries: RetryPolicy = .standard
    ) {
        self.isReadOnly = isReadOnly
        self.createIfMissing = createIfMissing
        self.sizeCeiling = sizeCeiling
        self.retention = retention
        self.retries = retries
    }

    var configuration: EnvironmentConfiguration {
        var configuration = EnvironmentConfiguration(
            initialMapSize: initialMapSize, mapSizeCeiling: sizeCeiling, isReadOnly: isReadOnly)
        configuration.injectionPoint = injectionPoint
        return configuration
    }
}
