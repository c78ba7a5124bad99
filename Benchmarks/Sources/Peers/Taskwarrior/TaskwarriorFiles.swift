import Daybook
import FoundationEssentials
import Glibc

/// A folder of Taskwarrior with separate settings.
struct TaskwarriorFiles {
    let folder: String
    /// The program's full path.
    let program: String

    private var data: String { "\(folder)/data" }
    private var settings: String { "\(folder)/taskrc" }

    /// Creates the folder, and makes every later `task` use it.
    func use() throws {
        try Folder.make(data)
        let lines = ["data.location=\(data)", "confirmation=off", "hooks=off", "news.version=2.6.0", ""]
        try lines.joined(separator: "\n").write(toFile: settings, atomically: true, encoding: .utf8)
        setenv("TASKRC", settings, 1)
        setenv("TASKDATA", data, 1)
    }

    /// Imports tasks as a user would: Daybook's export, Taskwarrior's import.
    func importTasks(of daybook: DaybookStore) throws {
        let path = "\(folder)/tasks.json"
        let file = try OutputFile(path)
        try daybook.files.export(as: .taskwarrior) { (bytes) throws(FileError) in file.write(bytes) }
        file.close()
        try ChildProcess.run(program, ["import", path])
        try FileManager.default.removeItem(atPath: path)
    }

    /// Writes the files that an import would write, which takes minutes for a million tasks. Omits the log for undo and
    /// synchronization, to which commands only append.
    func write(_ daybook: DaybookStore) throws {
        let zone = daybook.context.zone
        let pending = try OutputFile("\(data)/pending.data")
        let completed = try OutputFile("\(data)/completed.data")
        defer {
            pending.close()
            completed.close()
        }
        var open: [UInt8] = []
        var done: [UInt8] = []
        try daybook.read { transaction in
            try transaction[TaskItem.self].forEach { task in
                if task.isCompleted { Self.append(task, zone, to: &done) } else { Self.append(task, zone, to: &open) }
                if open.count > 1 << 20 { pending.take(&open) }
                if done.count > 1 << 20 { completed.take(&done) }
                return true
            }
        }
        pending.take(&open)
        completed.take(&done)
        guard pending.isWhole, completed.isWhole else { throw PeerFailure("cannot write Taskwarrior's files") }
    }

    /// Returns one line of Taskwarrior's format: attributes sorted by name.
    private static func append(_ task: TaskItem, _ zone: Zone, to bytes: inout [UInt8]) {
        func add(_ name: String, _ value: String) {
            if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: " ")) }
            bytes += Array("\(name):\"".utf8)
            for byte in value.utf8 {
                switch byte {
                case UInt8(ascii: "["): bytes += Array("&open;".utf8)
                case UInt8(ascii: "]"): bytes += Array("&close;".utf8)
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
        func add(_ name: String, _ moment: Instant?) {
            if let moment { add(name, String(moment.microsecondsSince1970 / 1_000_000)) }
        }
        bytes.append(UInt8(ascii: "["))
        add("description", task.text)
        add("end", task.completedAt)
        add("entry", task.createdAt)
        add("modified", task.updatedAt)
        add("scheduled", task.scheduledDate.map { zone.start(of: $0) })
        if task.isActive { add("start", task.updatedAt) }
        add("status", task.isCompleted ? "completed" : "pending")
        add("uuid", task.id.lowercased)
        bytes += [UInt8(ascii: "]"), UInt8(ascii: "\n")]
    }

    /// Returns the ids that a report of today shows.
    func today() throws -> Set<String> {
        let text = try ChildProcess.output(of: program, ["scheduled:today", "status:pending", "_uuids"], in: folder)
        return Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}

extension OutputFile {
    /// Writes bytes completely.
    fileprivate func take(_ bytes: inout [UInt8]) {
        write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
