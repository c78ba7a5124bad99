import ByteStreams
import FoundationEssentials
import Tasks

/// The links that a file states and the store cannot have: to tasks that are not there, and those that would close a circle.
///
/// `extra` keeps them under `openLinks`, so that exports state them again. The next import of a file that states one links
/// the tasks, if they are there then.
struct OpenLinks: Equatable {
    /// The key in `extra`.
    private static let key = "openLinks"

    /// The ids of tasks that it waits for, and names of other programs.
    var blockers: [String] = []
    /// The ids of tasks that wait for it.
    var blocked: [String] = []
    /// Whether the file had names: then those of kept lines are links, or are open.
    var areNamed = false

    /// Creates the links of a task without open ones.
    init() {}

    /// Reads the open links of a task; nil if no import has noted whether it has some.
    init?(of task: ImportedTask) {
        guard let extra = task.extra, extra.utf8.firstRange(of: "\"\(Self.key)\"".utf8) != nil,
            case .object(let members)? = task.extraMembers[Self.key]
        else { return nil }
        func names(_ key: String) -> [String] {
            guard case .array(let values)? = members[key] else { return [] }
            return values.compactMap { try? $0.text(key) }
        }
        (blockers, blocked) = (names("blockers"), names("blocked"))
        areNamed = blockers.isEmpty && blocked.isEmpty
    }

    /// Returns `extra` of a task with these links instead of the ones that it has.
    func extra(of task: ImportedTask) -> String? {
        var members = task.extraMembers
        let count = members.count
        members.removeAll { $0.key == Self.key }
        if !blockers.isEmpty || !blocked.isEmpty || areNamed {
            let value = [("blocked", blocked), ("blockers", blockers)].map { key, names in
                JSONMember(key: key, value: .array(names.map { .string($0) }))
            }
            members.append(JSONMember(key: Self.key, value: .object(value)))
        } else if members.count == count {
            return task.extra
        }
        return members.isEmpty ? nil : JSONValue.canonicalText(of: members)
    }
}

extension ImportedTask {
    /// Adds what an export states of links beside `blockedBy`: the open ones, and in formats of text the names that other
    /// programs have for the tasks.
    ///
    /// - Parameter reading: nil if the store has no links.
    mutating func stateLinks(in format: TaskFormat, _ reading: TaskReading?) throws {
        let open = OpenLinks(of: self)
        if let open {
            let ids = Set(blockedBy + open.blockers.compactMap(UUID.init(strict:)))
            blockedBy = ids.sorted { $0.lowercased < $1.lowercased }
        }
        switch format {
        case .markdown:
            gaps.links.blockers = open?.blockers.filter { UUID(strict: $0) == nil } ?? []
            guard let reading else { return }
            for id in blockedBy {
                guard let label = try reading.get(id).flatMap({ ImportedTask($0).markdownLabel }) else { continue }
                gaps.links.blockers.append(label)
                blockedBy.removeAll { $0 == id }
            }
        case .todotxt:
            gaps.links.blocked = open?.blocked ?? []
            let named = Set(TodoTextLine.names("p:", in: task.text))
            for waiting in try reading?.blocked(by: task.id) ?? [] {
                // The text says it already.
                if let label = TodoTextLine.label(of: waiting.text), named.contains(label) { continue }
                gaps.links.blocked.append(waiting.id.lowercased)
            }
        case .json, .ndjson, .taskwarrior, .ics, .csv: break
        }
    }

    /// The name that the kept lines have for the task.
    private var markdownLabel: String? {
        guard case .string(let original)? = kept(of: .markdown), let item = MarkdownItem(whole: original) else {
            return nil
        }
        return MarkdownTask(item).label
    }
}
