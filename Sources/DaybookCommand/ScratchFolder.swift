import FoundationEssentials
import Glibc

/// Where a command keeps what it needs for its work only: in memory where that can be had.
enum ScratchFolder {
    /// A folder in `$TMPDIR`, else `/dev/shm`, else `/tmp`, of this process and this command alone. It is not made yet.
    static func path(for command: String) -> String {
        let named = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
        let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        return "\(named ?? memory)/daybook-\(command)-\(getpid())"
    }
}
