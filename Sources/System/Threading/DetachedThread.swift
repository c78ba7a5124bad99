#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a thread that nobody joins. Returns the system's error code, 0 for none.
package func startDetachedThread(_ run: @escaping @Sendable () -> Void) -> Int32 {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { unsafe pthread_attr_destroy(&attributes) }
    let body = unsafe Unmanaged.passRetained(ThreadBody(run))
    #if canImport(Glibc)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, unsafe body.toOpaque())
    #else
        var thread: pthread_t?
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, unsafe body.toOpaque())
    #endif
    if code != 0 { unsafe body.release() }
    return code
}
