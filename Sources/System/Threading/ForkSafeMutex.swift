import Glibc

/// A value and the lock that guards it, with the interface of the standard library's `Mutex`, for code that the child of
/// a fork may run.
///
/// On Linux `Mutex` remembers the number of the calling thread in a variable of that thread. In the child of a fork it
/// is still the parent's, and the first lock that two threads of the child want at once ends the process with SIGILL. A
/// POSIX mutex reads it again after a fork and has no such trap.
///
/// What another thread of the parent holds at the moment of a fork stays locked in the child, which has no such thread.
/// That is right for the state of an object that the child may not use anyway; what belongs to the process is created
/// with ``init(acrossForks:)``.
@safe package struct ForkSafeMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Both are in one allocation, which is never moved; the value is accessed only while the lock is held.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>
    private let survivesHolder: Bool

    /// Guards a value.
    package init(_ value: consuming sending Value) {
        self.init(value, survivesHolder: false)
    }

    /// Guards a value of the process that the child of a fork keeps using.
    ///
    /// A fork waits until no thread holds the lock, so that the child finds it free and the value consistent. What runs
    /// inside of it must not fork, nor take another such lock.
    package init(acrossForks value: consuming sending Value) {
        self.init(value, survivesHolder: true)
    }

    private init(_ initial: consuming sending Value, survivesHolder: Bool) {
        let alignment = unsafe max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
        let offset = unsafe (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
        unsafe mutex = memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        unsafe value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
        self.survivesHolder = survivesHolder
        unsafe pthread_mutex_init(mutex, nil)
        unsafe value.initialize(to: initial)
        if survivesHolder { unsafe LocksAcrossForks.shared.add(mutex) }
    }

    deinit {
        if survivesHolder { unsafe LocksAcrossForks.shared.remove(mutex) }
        unsafe value.deinitialize(count: 1)
        unsafe pthread_mutex_destroy(mutex)
        unsafe UnsafeMutableRawPointer(mutex).deallocate()
    }

    /// Runs a closure while the lock is held. Inside of it the same lock must not be taken again.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}

/// The locks that a fork waits for.
@safe private final class LocksAcrossForks: @unchecked Sendable {  // the list is guarded by the first lock
    static let shared = LocksAcrossForks()

    private let listMutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var mutexes: [UnsafeMutablePointer<pthread_mutex_t>] = unsafe []

    private init() {
        unsafe pthread_mutex_init(listMutex, nil)
        _ = pthread_atfork(
            { LocksAcrossForks.shared.lockAll() }, { LocksAcrossForks.shared.unlockAll() },
            { LocksAcrossForks.shared.unlockAll() })
    }

    func add(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
        unsafe pthread_mutex_lock(listMutex)
        unsafe mutexes.append(mutex)
        unsafe pthread_mutex_unlock(listMutex)
    }

    func remove(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
        unsafe pthread_mutex_lock(listMutex)
        unsafe mutexes.removeAll { unsafe $0 == mutex }
        unsafe pthread_mutex_unlock(listMutex)
    }

    private func lockAll() {
        unsafe pthread_mutex_lock(listMutex)
        unsafe mutexes.forEach { unsafe _ = pthread_mutex_lock($0) }
    }

    private func unlockAll() {
        unsafe mutexes.forEach { unsafe _ = pthread_mutex_unlock($0) }
        unsafe pthread_mutex_unlock(listMutex)
    }
}
