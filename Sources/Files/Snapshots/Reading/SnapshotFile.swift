import ByteStreams
import CivilTime
import FileSystem
import Records
import SystemErrors

/// A snapshot as a file.
package enum SnapshotFile {
    /// The suffix of the names of snapshots.
    package static let suffix = ".snapshot"

    /// Called with the progress in records; an error that it throws stops the operation.
    package typealias Progress = (_ done: Int, _ total: Int) throws -> Void

    /// Returns a name such as `daybook-2026-02-10T091500Z.snapshot`; names sort by time.
    package static func name(at instant: Instant) -> String {
        "daybook-\(instant.fileNameText)\(suffix)"
    }

    /// Reads the header of a snapshot.
    package static func header(of path: String) throws(FileError) -> SnapshotHeader {
        var front = try SnapshotFront(path)
        return try front.header()
    }

    /// Whether a passphrase is needed to read a snapshot. False for input that can be read only once, such as a pipe or
    /// standard input (`-`).
    package static func isEncrypted(_ path: String) throws(FileError) -> Bool {
        if path == "-" || FileStatus.kind(of: path) == .pipe { return false }
        return try header(of: path).isEncrypted
    }

    /// Whether a passphrase is needed to restore a snapshot: it, or one that it continues, is encrypted. Reads headers
    /// only.
    package static func needsPassphrase(_ path: String) throws(FileError) -> Bool {
        guard try !isEncrypted(path) else { return true }
        if path == "-" || FileStatus.kind(of: path) == .pipe { return false }
        guard var base = try header(of: path).base else { return false }
        let files = try SnapshotFolder(FolderEntry.folder(of: path)).files()
        // A cycle, which only a forged header can have, ends as well.
        for _ in 0...files.count {
            guard let header = files[base]?.header else { return false }
            if header.isEncrypted { return true }
            guard let next = header.base else { return false }
            base = next
        }
        return false
    }

    /// Opens a snapshot and reads its manifest; `-` is standard input.
    package static func open(_ path: String, passphrase: Passphrase?) throws(FileError) -> SnapshotReader {
        var front = try SnapshotFront(path)
        let header = try front.header()
        let rest = front.rest
        guard header.isEncrypted else { return try SnapshotReader(path: front.name, header: header, body: rest) }
        guard let passphrase else { throw .passphraseNeeded(path: front.name) }
        var decrypted = DecryptedSource(header: header.bytes, passphrase: passphrase, path: front.name, source: rest)
        return try SnapshotReader(path: front.name, header: header) { () throws(FileError) in try decrypted.next() }
    }

    /// Opens a snapshot and those that it continues.
    ///
    /// - Parameters:
    ///   - bases: where those are; by default the folder of the file.
    ///   - checkingEveryState: whether the records of every snapshot are compared with its manifest, not only those of
    ///     the last one.
    /// - Throws: `baseMissing` when one of them is not there.
    package static func chain(
        _ path: String, passphrase: Passphrase?, bases: SnapshotBases? = nil, checkingEveryState: Bool = false
    ) throws(FileError) -> SnapshotChain {
        try SnapshotChain(
            try readers(path, passphrase: passphrase, bases: bases), checkingEveryState: checkingEveryState)
    }

    /// Readers of a snapshot and those that it continues, the full one first.
    private static func readers(
        _ path: String, passphrase: Passphrase?, bases: SnapshotBases?
    ) throws(FileError) -> [SnapshotReader] {
        var readers = [try open(path, passphrase: passphrase)]
        // The folder of standard input is not known.
        var bases = bases ?? (path == "-" ? nil : SnapshotBases(in: FolderEntry.folder(of: path)))
        while let base = readers[0].manifest.base {
            let last = readers[0]
            // Each continues an earlier state, so that this ends.
            guard let file = try bases?.file(of: base), base.sequence <= last.manifest.sequence,
                !readers.contains(where: { $0.manifest.id == base.id })
            else { throw .baseMissing(path: last.path, base: base.fileName) }
            readers.insert(try open(file, passphrase: passphrase), at: 0)
        }
        return readers
    }

    /// The longest chain of snapshots.
    static let chainLimit = 100

    /// Reads a snapshot and those that it continues completely, and checks every byte and record without restoring it.
    ///
    /// - Parameter bases: where those are; by default the folder of the file.
    /// - Throws: `FileError` when it could not be restored: damage, or `baseMissing`; what `progress` throws. Cost: one
    ///   pass over each.
    package static func verify(
        _ path: String, passphrase: Passphrase? = nil, bases: SnapshotBases? = nil,
        progress: Progress = { _, _ in }
    ) throws -> SnapshotSummary {
        try verified(path, passphrase: passphrase, bases: bases, progress: progress).summary
    }

    /// Verifies a snapshot and returns the sums of the records in its file as well.
    static func verified(
        _ path: String, passphrase: Passphrase?, bases: SnapshotBases? = nil, pace: BackgroundPace? = nil,
        progress: Progress
    ) throws -> (summary: SnapshotSummary, sums: SnapshotSums) {
        let readers = try readers(path, passphrase: passphrase, bases: bases)
        for reader in readers { reader.pace = pace }
        let reader = readers[readers.count - 1]
        let total = reader.manifest.recordCount
        var done = 0
        // A full snapshot compares its records with its manifest by itself.
        let chain = readers.count > 1 ? try SnapshotChain(readers) : nil
        while try chain?.next() ?? reader.next() {
            pace?.step()
            done += 1
            if done % 4096 == 0 { try progress(done, total) }
        }
        let summary = SnapshotSummary(
            path: reader.path, bytes: path == "-" ? 0 : try size(of: path),
            uncompressedBytes: Int(clamping: reader.recordBytes), isEncrypted: reader.header.isEncrypted,
            chainLength: readers.count, manifest: reader.manifest)
        return (summary, reader.sums)
    }

    /// Reads a snapshot and those that it continues completely, and checks that each of them can be restored.
    ///
    /// - Returns: the paths of all of them with their manifests, or the problem.
    /// - Throws: what `progress` throws. Cost: one pass over each.
    static func verifyChain(
        _ path: String, passphrase: Passphrase?, progress: Progress
    ) throws -> Result<[(path: String, manifest: SnapshotManifest)], FileError> {
        let chain: SnapshotChain
        do throws(FileError) {
            chain = try Self.chain(path, passphrase: passphrase, checkingEveryState: true)
        } catch {
            return .failure(error)
        }
        let total = chain.manifest.recordCount
        var done = 0
        while true {
            // An error that `progress` throws is not about the snapshot, even if it has the same type.
            do throws(FileError) {
                guard try chain.next() else { return .success(chain.snapshots) }
            } catch {
                return .failure(error)
            }
            done += 1
            if done % 4096 == 0 { try progress(done, total) }
        }
    }

    static func size(of path: String) throws(FileError) -> Int {
        try FileError.naming(path, FileStatus(of: path).size)
    }
}

/// The beginning of a snapshot's file, and a source of the rest.
struct SnapshotFront {
    /// The name of the file in errors.
    let name: String
    private let file: InputFile
    private var read: [UInt8] = []

    init(_ path: String) throws(FileError) {
        name = path == "-" ? "standard input" : path
        file = path == "-" ? .standard : InputFile(try Self.open(path), path: path)
    }

    /// Opens a snapshot for reading.
    static func open(_ path: String) throws(FileError) -> FileDescriptor {
        do throws(SystemCondition) {
            return try FileDescriptor(path, for: .reading)
        } catch {
            throw error == .notFound ? .snapshotNotFound(path: path) : FileError(code: error.code, path: path)
        }
    }

    /// Reads the header; only once.
    mutating func header() throws(FileError) -> SnapshotHeader {
        while read.count < SnapshotHeader.byteCount {
            let more = try file.chunk()
            if more.isEmpty { break }
            read += more
        }
        return try SnapshotHeader(Array(read.prefix(SnapshotHeader.byteCount)), path: name)
    }

    /// The bytes after the header.
    var rest: ByteSource {
        var pending = Array(read.dropFirst(SnapshotHeader.byteCount))
        return { [file] () throws(FileError) in
            if pending.isEmpty { return try file.chunk() }
            defer { pending = [] }
            return pending
        }
    }
}
