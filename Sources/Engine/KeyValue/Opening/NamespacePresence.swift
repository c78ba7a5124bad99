import FileSystem
import Injection
import Synchronization
import Threading

/// Keeps processes of other PID namespaces (containers) from opening a store that this process has open (decision 0053).
///
/// LMDB names its writer and its readers by ids of processes and threads, which mean something in one namespace only. So
/// all processes that have a store open are of one namespace. Each holds a shared lock on the byte of the store's folder that
/// stands for its namespace, and looks whether anybody holds another byte. The lock is on the folder, since a compaction
/// replaces the data file. It ends with this value or its process.
final class NamespacePresence: Sendable {
    private let folder: RangeLockFile

    /// Where the bytes begin: one for each number that a namespace can have. Number 0, which none has, stands for one that
    /// cannot be looked up.
    private static let (start, count): (Int64, Int64) = (1 << 61, 1 << 32)
    private static let unknown: Int64 = 0

    /// Only inside the opening gate: otherwise two processes could refuse each other.
    ///
    /// Where the folder takes no such locks (a kernel before Linux 3.15), nothing is checked, as in versions before this one: a
    /// store that could be opened can still be opened.
    ///
    /// - Throws: `otherNamespace` when a process of another namespace has the store open; of an unknown namespace, when any
    ///   other process has.
    init(inStore path: String, injectionPoint: ArmedInjectionPoints) throws(KeyValueError) {
        folder = try RangeLockFile.open(path, .shared, ofStore: path)
        let number = PIDNamespace.current.map(Int64.init) ?? Self.unknown
        guard try systemCall("lock the store", folder.tryLock(.shared, from: Self.start + number)) == .taken,
            !injectionPoint(.ignoresNamespaces)
        else { return }
        let next = number + 1
        // Another unknown process may be of another namespace; one with the same number is not.
        let isAlone: Bool
        if number == Self.unknown {
            isAlone = try isFree(from: 0, count: Self.count)
        } else if try isFree(from: 0, count: number) {
            isAlone = try isFree(from: next, count: Self.count - next)
        } else {
            isAlone = false
        }
        guard isAlone else { throw .otherNamespace(path: path) }
    }

    private func isFree(from number: Int64, count: Int64) throws(KeyValueError) -> Bool {
        // No byte at all would mean every byte to the system.
        if count == 0 { return true }
        return try !systemCall("lock the store", folder.isLockedElsewhere(from: Self.start + number, count: count))
    }
}

/// The PID namespace of this process, which determines what its ids mean.
enum PIDNamespace {
    /// Its number and the generation of processes that has it, since the child of a fork can be in another one. Number 0 for one
    /// that was not looked up.
    private static let known = Atomic<UInt64>(0)

    /// The number that the kernel gives it while anybody is in it; nil where it cannot be looked up, as without `/proc`.
    static var current: UInt32? {
        let generation = UInt64(UInt32(truncatingIfNeeded: ForkGuard.generation)) << 32
        let former = known.load(ordering: .relaxed)
        if former & ~UInt64(UInt32.max) == generation, let number = UInt32(exactly: former ^ generation), number != 0 {
            return number
        }
        guard let status = try? FileStatus(of: "/proc/self/ns/pid"),
            let number = UInt32(exactly: status.identity.inode), number != 0
        else { return nil }
        known.store(generation | UInt64(number), ordering: .relaxed)
        return number
    }
}
