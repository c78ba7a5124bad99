import Glibc

/// A pointer that each thread has another one of; nil at first. Created once for the process, and never freed.
@safe package struct ThreadSlot: Sendable {
    @usableFromInline let key: pthread_key_t

    /// - Parameter atThreadEnd: called with the pointer when a thread ends that has one.
    package init(atThreadEnd: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil) {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, atThreadEnd)
        self.key = key
    }

    /// This thread's.
    @inlinable package var pointer: UnsafeMutableRawPointer? {
        get { unsafe pthread_getspecific(key) }
        nonmutating set { unsafe pthread_setspecific(key, newValue) }
    }
}
