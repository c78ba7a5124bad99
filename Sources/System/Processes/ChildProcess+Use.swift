import CSystemCalls
import Glibc
import SystemErrors

extension ChildProcess {
    /// Runs a command of the shell in a folder to its end, and returns its CPU time in nanoseconds, with that of the programs that it
    /// has waited for. It reads nothing, and what it writes goes nowhere.
    ///
    /// Its memory is not measured: that which the system counts is at least this process's.
    package static func runMeasured(
        _ command: String, in folder: String
    ) throws(SystemError) -> (ending: Ending, cpuTime: Int64) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_addchdir_np(&actions, folder)
        let shell = "/bin/sh"
        let child: pid_t
        do throws(SystemCondition) {
            child = try unsafe spawn(shell, ["-c", command], &actions)
        } catch {
            throw SystemError("start \(shell)", error)
        }
        var (status, usage) = (Int32(0), rusage())
        while unsafe wait4(child, &status, 0, &usage) < 0 {
            let condition = SystemCondition.last
            if condition != .interrupted { throw SystemError("wait for \(shell)", condition) }
        }
        let times = [usage.ru_utime, usage.ru_stime]
        let cpuTime = times.map { Int64($0.tv_sec) * 1_000_000_000 + Int64($0.tv_usec) * 1000 }.reduce(0, +)
        return (Ending(status: status), cpuTime)
    }
}
