#if os(Linux)
    import Glibc

    /// `fork`, which Swift does not offer, since a child has only the calling thread.
    @_silgen_name("fork") private func fork() -> pid_t

    /// Runs work in the child of a fork and waits for it. Returns the child's exit code: 100 if the work throws, 101 if
    /// there is no child, the negative number of the signal that ended it; SIGALRM after the time limit.
    ///
    /// The child has the calling thread only. Whatever lock another thread held at that moment stays locked in it, and
    /// not all of them can be waited for: the runtime has one for each first look-up of a conformance or of generic
    /// metadata. So the work must use none of the macros of a test, and nothing for the first time in this process.
    package func runForked(timeLimitInSeconds limit: UInt32 = 60, _ work: () throws -> Int32) -> Int32 {
        let child = fork()
        guard child >= 0 else { return 101 }
        if child == 0 {
            limitChild(toSeconds: limit)
            _exit((try? work()) ?? 100)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    /// Ends the calling process, the child of a fork, with SIGALRM after some time.
    package func limitChild(toSeconds limit: UInt32 = 60) {
        // Threads of Dispatch, on which tests run, block all signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        signal(SIGALRM, SIG_DFL)
        alarm(limit)
    }
#endif
