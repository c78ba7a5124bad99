import Glibc

/// What one mutation may take. Each is told by the system itself, so that a slow machine finds nothing more.
enum Limits {
    /// Seconds of the processor's time for one mutation.
    static var seconds: Int { Plant.active == .hang ? 1 : 5 }
    /// Memory of the whole process, at its peak.
    static let peakBytes = 256 << 20

    /// A backstop: what asks for more at once does not get it, and crashes.
    static func limitMemory() {
        var limit = rlimit(rlim_cur: rlim_t(2 << 30), rlim_max: rlim_t(2 << 30))
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Begins a mutation: when it takes too long, SIGPROF ends the process.
    static func startClock() {
        var timer = itimerval()
        timer.it_value.tv_sec = seconds
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    }

    /// The most memory that this process has had.
    static var peak: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
