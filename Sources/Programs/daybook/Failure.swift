import ArgumentParser
import Daybook
import Glibc
import KeyValue
import Simulation
import Workloads

/// What ends a command early, other than the errors of the library.
enum CommandError: Error {
    /// The command line is wrong.
    case usage(String)
    /// The store or a file could not be used.
    case unusable(String)
    /// An id was given, but no store is there that could hold it.
    case noTaskWithoutStore(path: String)
    /// There is no store to look at.
    case noStore(path: String)
    /// What was asked for is not allowed here.
    case notAllowed(String)
    /// There is no store, so nothing can be undone or redone.
    case nothing(to: String, path: String)
    /// A file that was to be exported could not be written.
    case exportFailed(FileError)
    /// Another process has said already what is wrong.
    case told(ProgramExit, String)
    /// The work is done and all is told, but this is how to exit.
    case finished(ProgramExit)
}

/// How the program ends after an error: the one place that knows an exit code for every error there is.
struct Failure {
    let code: ProgramExit
    /// One line for a person; empty when there is nothing more to say.
    let message: String
    /// Help that was asked for is no error: it goes to standard output as it is.
    private var help: String?

    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self.init(error)
        case let error as TaskError: self.init(error)
        case let error as RecordsError: self.init(error)
        case let error as CivilTimeError: self.init(.usage, error.description)
        case let error as FileError: self.init(error)
        case let error as SimulationError: self.init(error)
        case let error as KeyValueError: self.init(.unusable, error.description)
        case let error as RunHistoryError: self.init(.unusable, error.description)
        case let error as OutputError: self.init(error.archiveError)
        default: self.init(parsing: error)
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
        case .told(let code, let text): self.init(code, text)
        case .finished(let code): self.init(code, "")
        }
    }

    private init(_ error: TaskError) {
        switch error {
        case .store(let error): self.init(error)
        case .noSuchTask: self.init(.notFound, error.description)
        case .ambiguous, .notAnID, .emptyText, .unusableText: self.init(.usage, error.description)
        case .cancelled: self.init(.unusable, error.description)
        case .duplicate, .pastDay, .notInSameDay, .noSuchIndex, .undoExpired, .nothingToUndo, .nothingToRedo,
            .changedSince:
            self.init(.refused, error.description)
        }
    }

    private init(_ error: RecordsError) {
        switch error {
        case .nothingToUndo, .nothingToRedo, .changedSince: self.init(.refused, error.description)
        default: self.init(.unusable, error.description)
        }
    }

    private init(_ error: FileError) {
        switch error {
        case .system(_, EPIPE): self.init(.brokenPipe, "")
        case .snapshotNotFound: self.init(.notFound, error.description)
        case .passphraseNeeded(let path):
            self.init(.unusable, "\(path) is encrypted; save it as a file, which a passphrase can be asked for.")
        case .invalidRecord(let line, let reason):
            self.init(
                .unusable,
                "Import failed: the record at line \(line) is not valid: \(reason). Repair it, or use --skip-invalid.")
        case .targetExists(let path):
            self.init(
                .unusable, "\(path) exists and was left as it is; choose another name, or overwrite it with --force.")
        default: self.init(.unusable, error.description)
        }
    }

    private init(_ error: SimulationError) {
        switch error {
        case .scenario, .malformedTime: self.init(.usage, error.description)
        case .machineCannot, .stuck, .file: self.init(.unusable, error.description)
        }
    }

    /// Whatever ArgumentParser throws: a wrong command line, or help that was asked for.
    private init(parsing error: any Error) {
        if RootCommand.exitCode(for: error).isSuccess {
            self.init(.done, "")
            help = RootCommand.fullMessage(for: error)
        } else if RootCommand.exitCode(for: error) != .validationFailure {
            // Not its own: something that could not be used.
            self.init(.unusable, Self.oneSentence("\(error)"))
        } else {
            let text = RootCommand.message(for: error)
            let usage = RootCommand.fullMessage(for: error)
            self.init(.usage, Self.oneSentence(text) + " See '\(Self.helpCommand(from: usage))'.")
        }
    }

    private static func oneSentence(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.last.map { ".?!".contains($0) } ?? true ? line : line + "."
    }

    /// ArgumentParser's message ends with the help command that fits: "  See 'daybook add --help' for more information."
    private static func helpCommand(from message: String) -> String {
        guard let start = message.firstRange(of: "See '")?.upperBound,
            let end = message[start...].firstIndex(of: "'")
        else { return "daybook --help" }
        return String(message[start..<end])
    }

    /// Says it: help to standard output, an error as one line to standard error.
    func tell() {
        if let help {
            try? Output.standard.write(help + "\n")
        } else if !message.isEmpty {
            Output.tell(message)
        }
    }
}
