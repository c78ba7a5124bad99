import ArgumentParser
import CommandSupport
import Daybook

struct Wipe: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove the store and every trace of it.",
        discussion: """
            This cannot be undone. Asks for confirmation, unless --yes is given. Removes the store's files, its folder \
            if nothing else is in it, and the remains of interrupted commands beside it. Bytes are not overwritten on \
            the disk. Exports, snapshots and stores that a restore has replaced stay; the latter are listed. Close \
            programs that have the store open.

            Examples:
              daybook wipe
              daybook wipe --store ~/old-tasks --yes
            """)

    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        if !yes {
            // Before the question, so that nobody confirms what cannot be done.
            try removing(from: session) { try DaybookStore.checkWipe(at: $0) }
            guard let answer = Terminal.ask("Remove the store at \(VisibleText.of(session.path))? [y/N] ") else {
                throw CommandError.usage("There is no terminal to ask for confirmation. Use --yes.")
            }
            guard ["y", "yes"].contains(answer.lowercased()) else {
                throw CommandError.notAllowed("Nothing was removed.")
            }
        }
        let report = try removing(from: session) { try DaybookStore.wipe(at: $0) }
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("store", session.path)
                    writer.field("folderRemoved", report.isFolderRemoved)
                    writer.field("replacedStores", report.replacedStores)
                }
            }
        }
        var lines = ["Removed the store at \(session.path)"]
        if !report.isFolderRemoved { lines.append("Its folder has other files and was kept") }
        lines += report.replacedStores.map { "Kept a store that a restore has replaced: \($0)" }
        try Output.standard.write(lines.map { VisibleText.of($0) + "\n" }.joined())
    }

    private func removing<Result>(from session: Session, _ work: (String) throws -> Result) throws -> Result {
        do {
            return try work(session.path)
        } catch FileError.notFound {
            throw CommandError.unusable("There is no store at \(session.path). Nothing was removed.")
        }
    }
}
