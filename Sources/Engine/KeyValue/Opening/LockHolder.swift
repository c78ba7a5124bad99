import FileSystem

/// The process that another one waits for.
public struct LockHolder: Sendable, Equatable {
    /// What it does with the store.
    public enum Activity: String, Sendable {
        /// It is in a write transaction.
        case writing
        /// It is opening, replacing or removing the store.
        case opening

        /// For a message: "writing to", as in "process 1234, which is writing to the store".
        public var participle: String { self == .writing ? "writing to" : "opening" }
    }

    /// What it does.
    public let activity: Activity
    /// Its id; nil when it is another user's, in another container, or has just finished.
    public let process: Int32?
    /// The name of its program, as the system has it.
    public let name: String?
    /// Whether it was stopped, as by Ctrl-Z. It does not go on until it is continued.
    public let isStopped: Bool

    /// What somebody does of whom no more is known, unless it is stated.
    public init(_ activity: Activity, process: Int32? = nil, name: String? = nil, isStopped: Bool = false) {
        self.activity = activity
        self.process = process
        self.name = name
        self.isStopped = isStopped
    }

    /// "process 1234 (daybook)", or "another process".
    public var processDescription: String {
        guard let process else { return "another process" }
        return name.map { "process \(process) (\($0))" } ?? "process \(process)"
    }
}

extension LockHolder {
    /// Looks for the process that holds an exclusive lock, among the open files of all processes of this user.
    ///
    /// - Parameters:
    ///   - kind: the system's name of the kind of lock: `FLOCK` or `OFDLCK`.
    ///   - start: the first byte that it locks.
    static func find(
        _ activity: Activity, ofKind kind: String, from start: Int64, in file: FileIdentity
    ) -> LockHolder {
        var heir: Int32?
        for process in names(in: "/proc").compactMap({ Int32($0) }) {
            for descriptor in names(in: "/proc/\(process)/fd") {
                guard (try? FileStatus(of: "/proc/\(process)/fd/\(descriptor)").identity) == file else { continue }
                let lines = text(of: "/proc/\(process)/fdinfo/\(descriptor)").split(separator: "\n")
                guard let taker = lines.lazy.compactMap({ taker(in: $0, ofKind: kind, from: start) }).first else {
                    continue
                }
                if taker < 0 || taker == process { return named(activity, process) }
                heir = heir ?? process
            }
        }
        return heir.map { named(activity, $0) } ?? LockHolder(activity)
    }

    private static func named(_ activity: Activity, _ process: Int32) -> LockHolder {
        LockHolder(activity, process: process, name: name(of: process), isStopped: isStopped(process))
    }

    /// The process that has taken a lock; -1 where the system does not say, nil for another line than one such as
    /// `lock:  1: FLOCK  ADVISORY  WRITE 1234 00:21:5678 START END`. Processes that it has started since then show the same line, and
    /// may come first.
    static func taker(in line: Substring, ofKind kind: String, from start: Int64) -> Int32? {
        let words = line.split { $0 == " " || $0 == "\t" }
        guard words.count == 9, words[0] == "lock:", words[2] == kind, words[4] == "WRITE", words[7] == "\(start)"
        else {
            return nil
        }
        return Int32(words[5])
    }

    private static func name(of process: Int32) -> String? {
        let name = text(of: "/proc/\(process)/comm").filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))
        }
        return name.isEmpty ? nil : name
    }

    private static func isStopped(_ process: Int32) -> Bool {
        // The name, in parentheses, may contain anything.
        let status = text(of: "/proc/\(process)/stat")
        guard let end = status.lastIndex(of: ")") else { return false }
        return ["T", "t"].contains(status[end...].dropFirst(2).first)
    }

    private static func text(of path: String) -> String {
        String(decoding: (try? FileTree.read(path)) ?? [], as: UTF8.self)
    }

    private static func names(in path: String) -> [String] { (try? FileTree.names(in: path)) ?? [] }
}
