import ByteStreams
import Exchange
import FoundationEssentials
import Journals
import Records
import Threading

/// An export that is ready to be handed over: a file with its name and its media type, whose content is made when it is asked for.
///
///     let file = try store.files.exportThread(thread.id, as: .csv)
///     let written = try await file.write(to: documents, fallback: caches)
///     if written.failure != nil { explain(written.file) }
///
/// Each function reads one consistent snapshot of that moment, on another thread than its caller's.
public struct ExportedFile: Sendable {
    typealias Sink = ([UInt8]) throws -> Void

    /// The suggested name, with the present day and the suffix of its format.
    public let name: String
    /// The media type, such as `text/csv`.
    public let mediaType: String
    /// Passes the content to a sink, in chunks, until the flag is set.
    private let produce: @Sendable (_ isCancelled: CancellationFlag, _ sink: Sink) throws -> Void

    init(
        name: String, mediaType: String,
        produce: @escaping @Sendable (_ isCancelled: CancellationFlag, _ sink: Sink) throws -> Void
    ) {
        self.name = name
        self.mediaType = mediaType
        self.produce = produce
    }

    /// Returns the content. All of it is in memory then: write files of many megabytes with ``write(to:fallback:overwrite:)``.
    ///
    /// - Throws: `FileError.busy` while another export of the tasks runs in this process; `JournalError`: `noSuchThread`, `locked`;
    ///   `CancellationError` when the task is cancelled.
    public func data() async throws -> Data {
        try await onDedicatedThread { flag in
            var data = Data()
            try produce(flag) { data.append(contentsOf: $0) }
            return data
        }
    }

    /// Writes the file into a folder, in bounded memory. It is complete or does not exist.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - fallback: The folder that takes the file if the other one cannot, with a number in its name if it has one of that name. It
    ///     is created if it does not exist. Nil to throw.
    ///   - overwrite: Whether an existing file may be replaced.
    /// - Returns: Where the file is, and why it is in the fallback.
    /// - Throws: `FileError`: `targetExists`, `busy`, and what failed if there is no fallback or it fails as well; as ``data()``.
    @discardableResult
    public func write(
        to folder: URL, fallback: URL? = nil, overwrite: Bool = false
    ) async throws -> WrittenExport {
        do {
            return WrittenExport(file: try await write(as: name, in: folder, overwrite: overwrite), failure: nil)
        } catch let failure as FileError where failure.isOfPlace {
            guard let fallback, let kept = try await keep(in: fallback) else { throw failure }
            return WrittenExport(file: kept, failure: failure)
        }
    }

    private func write(as name: String, in folder: URL, overwrite: Bool) async throws -> URL {
        let file = folder.appending(path: name)
        try await onDedicatedThread { flag in
            let target = try AtomicFile(path: file.path, overwrite: overwrite)
            try produce(flag) { try target.write($0) }
            try target.commit()
        }
        return file
    }

    /// Writes the file under the first free name; nil if the folder cannot take it.
    private func keep(in folder: URL) async throws -> URL? {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 1...99 {
            do {
                return try await write(as: number == 1 ? name : numbered(number), in: folder, overwrite: false)
            } catch FileError.targetExists {
                continue
            } catch let error as FileError where error.isOfPlace {
                return nil
            }
        }
        return nil
    }

    /// The name with a number before its suffix.
    private func numbered(_ number: Int) -> String {
        let end = name.firstIndex(of: ".") ?? name.endIndex
        return "\(name[..<end])-\(number)\(name[end...])"
    }

    /// Runs long work on a dedicated thread, which the cancellation of the task ends.
    private func onDedicatedThread<Result: Sendable>(
        _ work: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await Records.onDedicatedThread { try work(flag) }
        } onCancel: {
            flag.set()
        }
    }
}

/// Where an export was written.
public struct WrittenExport: Sendable, Equatable {
    /// The file.
    public let file: URL
    /// Why it is in the fallback; nil if it is in the folder.
    public let failure: FileError?
}

/// Whether the task that waits for work on another thread was cancelled.
final class CancellationFlag: Sendable {
    private let isSet = ForkSafeMutex(false)

    func set() { isSet.withLock { $0 = true } }

    func check() throws {
        if isSet.withLock({ $0 }) { throw CancellationError() }
    }
}

extension FileError {
    /// Whether another folder may take the file.
    fileprivate var isOfPlace: Bool {
        switch self {
        case .targetExists, .busy, .compressionFailed: false
        default: true
        }
    }
}

extension StoreFiles {
    /// Returns the export of the entries of a thread as a file to hand over. Deleted entries are left out.
    ///
    /// - Parameter isRaw: Whether CSV has text as it is, even if a spreadsheet would take it for a formula.
    /// - Throws: `JournalError`: `noSuchThread`; `locked` while the journal is locked, as the functions of the file do.
    public func exportThread(_ thread: UUID, as format: JournalFormat, isRaw: Bool = false) throws -> ExportedFile {
        try lock.check()
        let found = try store.read { try JournalReading(transaction: $0, lock: lock).thread(thread) }
        guard let found else { throw JournalError.noSuchThread }
        return ExportedFile(
            name: format.fileName(of: found, on: store.context.today), mediaType: format.mediaType
        ) { flag, sink in
            _ = try exportThread(thread, as: format, isRaw: isRaw) { _, bytes in
                try flag.check()
                try sink(bytes)
            }
            // Before the file appears.
            try lock.check()
        }
    }

    /// Returns the export of every task as a file to hand over.
    ///
    /// - Parameters:
    ///   - isCompressed: Whether the file is compressed with zstd.
    ///   - isRaw: Whether `csv` has text as it is, even if a spreadsheet would take it for a formula.
    ///   - hasByteOrderMark: Whether `csv` begins with a byte order mark, by which a spreadsheet recognizes UTF-8.
    public func exportTasks(
        as format: TaskFormat = .json, isCompressed: Bool = false, isRaw: Bool = false, hasByteOrderMark: Bool = false
    ) -> ExportedFile {
        ExportedFile(
            name: format.fileName(on: store.context.today, isCompressed: isCompressed),
            mediaType: isCompressed ? "application/zstd" : format.mediaType
        ) { flag, sink in
            var options = ExportOptions()
            (options.isCompressed, options.isRaw, options.hasByteOrderMark) = (isCompressed, isRaw, hasByteOrderMark)
            options.progress = { _ in try flag.check() }
            // The writer's sink throws errors of files alone.
            var failure: (any Error)?
            do {
                try withoutActuallyEscaping(sink) { sink in
                    try export(as: format, options: options) { (bytes) throws(FileError) in
                        do {
                            try flag.check()
                            try sink(bytes)
                        } catch {
                            failure = error
                            throw (error as? FileError) ?? .busy
                        }
                    }
                }
            } catch {
                throw failure ?? error
            }
        }
    }
}
