import FileSystem
import Synchronization
import Threading

/// The open environments of this process.
///
/// LMDB must not be opened twice in one process: closing either would drop the locks of both. The registry is the only
/// global state of Daybook, since the rule applies to the process.
final class EnvironmentRegistry: @unchecked Sendable {  // the dictionary is guarded by the monitor
    /// The registry of this process. The child of a fork starts with an empty one: inherited environments belong to the
    /// parent and must not be used, and a lock that another thread of the parent held would never be released.
    static var shared: EnvironmentRegistry {
        let generation = ForkGuard.generation
        var registry = first
        while registry.generation != generation { registry = registry.successor(in: generation) }
        return registry
    }

    private static let first = EnvironmentRegistry(generation: ForkGuard.generation)

    private let generation: Int
    private let registryOfChild = AtomicLazyReference<EnvironmentRegistry>()
    private let monitor = Monitor()
    private var open: [FileIdentity: Entry] = [:]

    /// Distinguishes one opening of a folder from the next: an environment that is released late must not remove its
    /// successor's entry.
    final class Registration: Sendable {}

    private struct Entry {
        weak var environment: Environment?
        let registration: Registration
        var isClosing = false
    }

    private init(generation: Int) {
        self.generation = generation
    }

    private func successor(in generation: Int) -> EnvironmentRegistry {
        registryOfChild.load() ?? registryOfChild.storeIfNil(EnvironmentRegistry(generation: generation))
    }

    func open(
        path: String, configuration: EnvironmentConfiguration, content: NewStoreContent?
    ) throws(KeyValueError) -> Environment {
        let folder = StoreFolder(path: path)
        // A store whose writing has stopped, or that has lost its map, is replaced by a new one. It is closed outside
        // the lock, since closing waits for its readers and then notifies the registry.
        existing(at: path)?.closeIfBroken()
        // Outlives the lock: this may become the last reference to the environment, and closing takes the lock.
        var found: Environment?
        defer { withExtendedLifetime(found) {} }
        return try monitor.withLock { () throws(KeyValueError) -> Environment in
            while true {
                var isNew = false
                switch try folder.inspect() {
                case .vacant:
                    guard let content else { throw .storeNotFound(path: path) }
                    guard !configuration.isReadOnly else { throw .storeNotFound(path: path) }
                    try folder.create(content, configuration: configuration)
                    isNew = true
                case .store:
                    break
                }
                guard let identity = FileIdentity(ofFolder: path) else { throw .storeNotFound(path: path) }
                while let entry = open[identity] {
                    // An entry without an environment is being closed by another thread as well.
                    if !entry.isClosing, let environment = entry.environment {
                        found = environment
                        guard configuration.isReadOnly || !environment.configuration.isReadOnly else {
                            throw .readOnly
                        }
                        return environment
                    }
                    monitor.wait()
                }
                guard
                    let environment = try Environment(
                        path: path, identity: identity, configuration: configuration, isNew: isNew)
                else { continue }
                open[identity] = Entry(environment: environment, registration: environment.registration)
                return environment
            }
        }
    }

    /// From now on, opening the folder waits until it is closed.
    func isClosing(_ identity: FileIdentity, _ registration: Registration) {
        monitor.withLock {
            if open[identity]?.registration === registration { open[identity]?.isClosing = true }
        }
    }

    func forget(_ identity: FileIdentity, _ registration: Registration) {
        monitor.withLock {
            if open[identity]?.registration === registration { open[identity] = nil }
            monitor.wakeAll()
        }
    }

    /// Whether this process has the store in a folder open, or is closing it.
    func hasOpen(_ path: String) -> Bool {
        guard let identity = FileIdentity(ofFolder: path) else { return false }
        return monitor.withLock { open[identity] != nil }
    }

    private func existing(at path: String) -> Environment? {
        guard let identity = FileIdentity(ofFolder: path) else { return nil }
        return monitor.withLock { open[identity]?.environment }
    }
}

extension Environment {
    fileprivate func closeIfBroken() {
        if hasStoppedWriting || handle.isClosed { close() }
    }
}
