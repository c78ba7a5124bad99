import Daybook
import Foundation
import Glibc
import Synchronization

/// A job in a child process, which reports in lines of JSON and ends when its standard input does: by a cancellation, or because the
/// server has ended.
struct JobProcess: Sendable {
    /// The path of `daybook-web`.
    let program: String
    private let arguments: [String]

    init(program: String, kind: String, request: WebRequest, work: InsideWork) {
        let context = work.context
        self.program = program
        arguments = [
            "--store", work.path, "--now", context.clock.wall.description, "--zone", context.zone.identifier,
            "--job", kind, "--job-fields", String(decoding: request.body, as: UTF8.self),
        ]
    }

    /// A line of the child: the progress, or the end.
    struct Line: Codable {
        var done: Int?
        var total: Int?
        var end: JobEnd?
    }

    /// Runs the child to its end.
    func run(for job: InsideJob) -> JobEnd {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        do { try process.run() } catch { return JobEnd(error) }
        let writing = Mutex<FileHandle?>(input.fileHandleForWriting)
        let end = withExtendedLifetime(input) {
            job.onCancel { writing.withLock { $0.take() }.map { try? $0.close() } }
            return Self.read(output.fileHandleForReading, for: job)
        }
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal { return Self.end(by: process.terminationStatus) }
        return end
            ?? JobEnd(
                phase: "failed", text: "It ended with code \(process.terminationStatus). The terminal says why.",
                remedy: Remedy.retry.rawValue)
    }

    /// Passes on the progress until the child has nothing more to say.
    private static func read(_ output: FileHandle, for job: InsideJob) -> JobEnd? {
        var (rest, end): (Data, JobEnd?) = (Data(), nil)
        while case let data = output.nextData(), !data.isEmpty {
            rest += data
            while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = try? JSONDecoder().decode(Line.self, from: rest[..<newline])
                rest = Data(rest[(newline + 1)...])
                if let done = line?.done { job.update(done, of: line?.total) }
                end = line?.end ?? end
            }
        }
        return end
    }

    /// What a person is told of a signal.
    static func end(by signal: Int32) -> JobEnd {
        switch signal {
        case SIGBUS:
            JobEnd(
                phase: "failed",
                text: "A page of the store's file could not be read. Its disk may be failing, or the file was cut off. "
                    + "Restore the latest snapshot into a new folder, on another disk if you can.",
                problems: ["data.mdb has a page that could not be read (SIGBUS)"], remedy: Remedy.restore.rawValue)
        case SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGFPE:
            JobEnd(
                phase: "failed",
                text:
                    "It was ended by signal \(signal), which is an error of Daybook. Create a snapshot, and report it as an "
                    + "issue of Daybook's repository, with 'daybook --version'.", remedy: Remedy.none.rawValue)
        default:
            JobEnd(
                phase: "failed", text: "It was ended by signal \(signal), which came from outside.",
                remedy: Remedy.retry.rawValue)
        }
    }
}

extension FileHandle {
    /// Returns what comes next, waiting for it; nothing at the end. Foundation's own `availableData` ends the process when a signal
    /// arrives meanwhile.
    fileprivate func nextData() -> Data {
        var bytes = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            let count = Glibc.read(fileDescriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return Data(bytes.prefix(max(count, 0)))
        }
    }
}

/// The child: does one job on a store, and prints its lines.
public enum JobCommand {
    /// Runs a job until it ends, or until the standard input does.
    ///
    /// - Parameters:
    ///   - kind: The name of a job.
    ///   - fields: Its fields, as JSON.
    ///   - path: The store's folder.
    ///   - open: Opens the store.
    public static func run(
        _ kind: String, fields: String, path: String, context: Context,
        open: @escaping @Sendable () throws -> DaybookStore
    ) {
        let isCancelled = Flag()
        Thread.detachNewThread {
            while !FileHandle.standardInput.nextData().isEmpty {}
            isCancelled.set()
        }
        let request = WebRequest(changes: true, body: Data(fields.utf8))
        let end: JobEnd
        do {
            let work = InsideWork(path: path, context: context, open: open)
            guard let run = try work.run(of: kind, request) else {
                throw Refusal(text: "There is no job of this name.")
            }
            let last = Mutex<ContinuousClock.Instant?>(nil)
            end = JobEnd(run) { done, total in
                if isCancelled.isSet { throw CancellationError() }
                // The page looks four times a second.
                let now = ContinuousClock.now
                let isDue = last.withLock { last in
                    if let shown = last, now - shown < .milliseconds(100) { return false }
                    last = now
                    return true
                }
                if isDue { print(JobProcess.Line(done: done, total: total)) }
            }
        } catch {
            end = JobEnd(error)
        }
        print(JobProcess.Line(end: end))
    }

    private static func print(_ line: JobProcess.Line) {
        guard let json = try? JSONEncoder().encode(line) else { return }
        FileHandle.standardOutput.write(json + Data("\n".utf8))
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }
}
