import FoundationEssentials
import Glibc

/// The machine of a run, and the versions of software.
struct Machine {
    let facts: [(name: String, value: String)]

    init(folder: String, loadBefore: String) {
        facts = [
            (
                "processor",
                "\(Self.field("model name", in: "/proc/cpuinfo")), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"
            ),
            ("memory", Self.field("MemTotal", in: "/proc/meminfo")),
            ("kernel", Self.first(of: "/proc/sys/kernel/osrelease")),
            ("disk", Self.disk(of: folder)),
            ("load average before and after", "\(loadBefore) and \(Self.load())"),
        ]
    }

    /// The load average of the last minute: more than one means that other processes were active.
    static func load() -> String {
        first(of: "/proc/loadavg").split(separator: " ").first.map(String.init) ?? "unknown"
    }

    private static func first(of path: String) -> String {
        (try? ProcessFile.lines(of: path))?.first.map(String.init) ?? "unknown"
    }

    private static func field(_ name: String, in path: String) -> String {
        let lines = (try? ProcessFile.lines(of: path)) ?? []
        let line = lines.first { $0.hasPrefix(name) } ?? ""
        return line.split(separator: ":").dropFirst().joined(separator: ":").trimmed
    }

    /// Returns the mount point of a folder.
    private static func disk(of folder: String) -> String {
        let mounts = ((try? ProcessFile.lines(of: "/proc/self/mounts")) ?? []).map { $0.split(separator: " ") }
        let holding = mounts.filter { $0.count > 3 && (folder + "/").hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }
        guard let mount = holding.max(by: { $0[1].count < $1[1].count }) else { return "unknown" }
        return "\(mount[0]), \(mount[2]) (\(mount[3]))"
    }
}

extension String {
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
