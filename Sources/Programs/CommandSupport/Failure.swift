import ArgumentParser
import Daybook
import KeyValue
import SystemErrors

/// The program's exit codes. Scripts rely on these numbers.
package enum ProgramExit: Int32 {
    case done = 0
    /// A check failed.
    case checkFailed = 1
    /// The command line is invalid.
    case usage = 2
    /// The store or a file could not be used.
    case unusable = 3
    /// There is no such task, list, thread, entry or snapshot.
    case notFound = 4
    /// The operation is not allowed.
    case refused = 5
    /// A check was inconclusive.
    case inconclusive = 6
    /// Interrupted by a signal, as shells report SIGINT.
    case interrupted = 130
    /// The output was closed, as shells report SIGPIPE.
    case brokenPipe = 141
}

/// An error that ends a command, other than the library's errors.
package enum CommandError: Error {
    /// The command line is invalid.
    case usage(String)
    /// The store or a file could not be used.
    case unusable(String)
    /// An id was given, but there is no store.
    case noTaskWithoutStore(path: String)
    /// There is no store to read.
    case noStore(path: String)
    /// The operation is not allowed.
    case notAllowed(String)
    /// There is no store, so nothing can be undone or redone.
    case nothing(to: String, path: String)
    /// An export could not be written.
    case exportFailed(FileError)
    /// A child process has already described the error.
    case reported(ProgramExit, String)
    /// An id that fits several tasks, which are listed after the message.
    case ambiguous(String, candidates: [String])
    /// The work is done and reported; this is the exit code.
    case finished(ProgramExit)
}

/// An error of another library with its exit code; its description is the message.
package protocol ExitCodeError: Error, CustomStringConvertible {
    var exitCode: ProgramExit { get }
}

/// How the program ends after an error: the one place that maps errors to exit codes.
package struct Failure {
    package let code: ProgramExit
    /// One line for a person; empty when nothing is left to report.
    package let message: String
    /// Lines that follow the message.
    private var details: [String] = []
    /// The help that was asked for, which is not an error and goes to standard output.
    private var help: String?

    /// - Parameter root: the program's root command, which formats errors of the parser.
    package init(_ error: any Error, of root: any ParsableCommand.Type) {
        switch error {
        case let error as CommandError: self.init(error)
        case let error as TaskError: self.init(error)
        case let error as JournalError: self.init(error)
        case let error as RecordsError: self.init(error)
        case let error as CivilTimeError: self.init(.usage, error.description)
        case let error as DatePhraseError: self.init(.usage, "\(error) See 'daybook help dates'.")
        case let error as RecurrenceError: self.init(.usage, "\(error) See 'daybook help dates'.")
        case let error as FileError: self.init(error)
        case let error as KeyValueError:
            self.init(.unusable, NextCommand.added(to: error.description, code: error.code))
        case let error as SystemError: self.init(.unusable, error.description)
        case let error as OutputError: self.init(error.fileError)
        case let error as any ExitCodeError: self.init(error.exitCode, error.description)
        default: self.init(parsing: error, by: root)
        }
    }

    private init(_ code: ProgramExit, _ message: String) {
        self.code = code
        self.message = message
    }

    private init(_ error: CommandError) {
        switch error {
        case .usage(let text): self.init(.usage, text)
        case .unusable(let text): self.init(.unusable, text)
        case .noTaskWithoutStore(let path):
            self.init(
                .notFound,
                "There is no such task: there is no store at \(path) yet. Add a task, or name another folder.")
        case .noStore(let path):
            self.init(.unusable, "There is no store at \(path). Add a task to create it, or name another folder.")
        case .notAllowed(let text): self.init(.refused, text)
        case .nothing(let what, let path):
            self.init(.refused, "There is nothing to \(what): there is no store at \(path) yet.")
        case .exportFailed(.targetExists(let path)): self.init(FileError.targetExists(path: path))
        case .exportFailed(let error):
            self.init(.unusable, "Unable to save export file. Please check device storage. \(error)")
        case .reported(let code, let text): self.init(code, text)
        case .ambiguous(let text, let candidates):
            self.init(.usage, text)
            details = candidates
        case .finished(let code): self.init(code, "")
        }
    }

    private init(_ error: TaskError) {
        switch error {
        case .store(let error): self.init(error)
        case .noSuchTask, .noSuchList:
            self.init(.notFound, NextCommand.added(to: error.description, code: error.code))
        case .ambiguous, .ambiguousList, .notAnID, .emptyText, .emptyName, .badColor, .badLink, .unusableText:
            self.init(.usage, error.description)
        case .cancelled: self.init(.unusable, error.description)
        case .duplicate, .duplicateList, .pastDay, .notInSameDay, .notInSameList, .notInSameBucket, .bucketFull,
            .dependencyCycle, .subtaskCycle, .subtaskDepth, .notInSameParent, .noSuchIndex, .undoExpired,
            .nothingToUndo, .nothingToRedo, .changedSince, .unknownValue,
            .notRecurring, .neverOccurs:
            self.init(.refused, error.description)
        case .unexpected: self.init(.unusable, error.description)
        }
    }

    private init(_ error: JournalError) {
        switch error {
        case .store(let error): self.init(error)
        case .noSuchThread, .noSuchEntry, .noSuchField:
            self.init(.notFound, NextCommand.added(to: error.description, code: error.code))
        case .ambiguousThread, .ambiguousEntry, .notAnID, .emptyTitle, .emptyContent, .badFieldName, .unusableText:
            self.init(.usage, error.description)
        case .duplicateField, .duplicateID, .notAGroup, .groupWithValue, .groupCycle, .foreignField, .locked,
            .lockUnavailable, .undoExpired, .nothingToUndo, .changedSince:
            self.init(.refused, error.description)
        case .cancelled, .unexpected: self.init(.unusable, error.description)
        }
    }

    private init(_ error: RecordsError) {
        switch error {
        case .nothingToUndo, .nothingToRedo, .changedSince: self.init(.refused, error.description)
        case .foreignPageToken: self.init(.usage, error.description)
        case .manifestMissing(let path):
            self.init(
                .unusable,
                "\(path) has a file data.mdb, but no store.json. Restore store.json, or save what data.mdb holds into a new store "
                    + "with 'daybook salvage \(path) --to NEW'.")
        default: self.init(.unusable, NextCommand.added(to: error.description, code: error.code))
        }
    }

    private init(_ error: FileError) {
        switch error {
        case .system(_, SystemCondition.brokenPipe.code): self.init(.brokenPipe, "")
        case .snapshotNotFound: self.init(.notFound, error.description)
        case .neededByAnother: self.init(.refused, error.description)
        case .passphraseNeeded(let path):
            self.init(.unusable, "\(path) is encrypted. Save it as a file, so that the passphrase can be asked for.")
        case .invalidRecord(let line, let reason, let place):
            self.init(
                .unusable,
                "Import failed: the record at \(RecordPlace.text(line: line, place)) is not valid: \(reason). "
                    + "Repair it, or use --skip-invalid.")
        case .targetExists(let path):
            self.init(
                .unusable, "\(path) exists and was not changed. Choose another name, or overwrite it with --force.")
        default: self.init(.unusable, error.description)
        }
    }

    /// Handles what ArgumentParser throws: a wrong command line, or help that was asked for.
    private init(parsing error: any Error, by root: any ParsableCommand.Type) {
        if root.exitCode(for: error).isSuccess {
            self.init(.done, "")
            help = root.fullMessage(for: error)
        } else if root.exitCode(for: error) != .validationFailure {
            // Not an error of the parser: something could not be used.
            self.init(.unusable, Self.oneSentence("\(error)"))
        } else {
            let text = root.message(for: error)
            let command = Self.helpCommand(from: root.fullMessage(for: error)) ?? "\(root._commandName) --help"
            self.init(.usage, Self.oneSentence(text) + " See '\(command)'.")
        }
    }

    private static func oneSentence(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.last.map { ".?!".contains($0) } ?? true ? line : line + "."
    }

    /// ArgumentParser's message ends with the help command that fits: "  See 'daybook add --help' for more information."
    private static func helpCommand(from message: String) -> String? {
        guard let start = message.firstRange(of: "See '")?.upperBound,
            let end = message[start...].firstIndex(of: "'")
        else { return nil }
        return String(message[start..<end])
    }

    /// Writes help to standard output, or the error to standard error.
    ///
    /// - Parameter program: the name that precedes the error.
    package func report(as program: String = "daybook") {
        if let help {
            try? Output.standard.write(help + "\n")
        } else if !message.isEmpty {
            Output.report(message, as: program)
            for line in details { Output.reportDetail(line) }
        }
    }
}
