import ArgumentParser
import CommandSupport
import Daybook

struct RollOver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollover",
        abstract: "Carry the open tasks of past days that may be carried to today.",
        discussion: """
            It carries tasks with 'auto-carry' only, and nothing carries tasks by itself: run it in the morning. A task \
            keeps its region, and its bucket if there is room today. A second run changes nothing; 'daybook undo' does not \
            take it back.

            Examples:
              daybook rollover
              daybook rollover --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let result = try await session.sweep { try await $0.rollOver() }
        let carried = result?.carried.map(\.id) ?? []
        let unassigned = result?.unassigned ?? []
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("carried", carried)
                    writer.field("unassigned", unassigned)
                }
            }
        }
        var text = "\(carried.count == 1 ? "1 task" : "\(carried.count) tasks") carried to \(session.today)"
        if !unassigned.isEmpty { text += ", \(unassigned.count) without a bucket, because it was full" }
        try Output.standard.write(text + "\n")
    }
}

struct Expire: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Archive the tasks that have expired.",
        discussion: """
            An archived task leaves every view and stays in exports, with the time of archiving. A second run changes \
            nothing; 'daybook undo' does not take it back, 'daybook unarchive' does.

            Examples:
              daybook expire
              daybook expire --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let archived = try await options.session().sweep { try await $0.archiveExpired() }?.map(\.id) ?? []
        if options.json {
            return try Output.standard.json { writer in writer.object { $0.field("archived", archived) } }
        }
        try Output.standard.write("\(archived.count == 1 ? "1 task" : "\(archived.count) tasks") archived\n")
    }
}

struct Unarchive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take tasks out of the archive.",
        discussion: """
            A task comes back to its day, its list and its bucket, last in each. An expiry in the past is removed, so that \
            the next 'daybook expire' leaves the task. Several ids are one change: all tasks come back, or none. \
            'daybook find --archived' finds archived tasks.

            Examples:
              daybook unarchive 3c2f
              daybook unarchive 3c2f 81d0 --json
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(ids, "Unarchived") { try await $0.unarchive($1) }
    }
}

extension Session {
    /// Changes the tasks that are due; nil if there is no store, and so no task.
    fileprivate func sweep<Result>(_ body: (TaskList) async throws -> Result) async throws -> Result? {
        do {
            return try await write { try await body($0.tasks) }
        } catch RecordsError.engine(.storeNotFound) {
            return nil
        }
    }
}
