import ByteStreams
import CivilTime
import Glibc

/// A snapshot as a file.
public enum SnapshotFile {
    /// What the name of a snapshot ends with.
    public static let suffix = ".snapshot"

    /// How far reading or writing has come, in records; what it throws ends the work.
    public typealias Progress = (_ done: Int, _ total: Int) throws -> Void

    /// `daybook-2026-02-10T091500Z.snapshot`: names that sort by their moments.
    public static func name(at instant: Instant) -> String {
        "daybook-\(instant.fileNameText)\(suffix)"
    }

    /// What its first bytes say.
    public static func header(of path: String) throws(FileError) -> SnapshotHeader {
        var front = try SnapshotFront(path)
        return try front.header()
    }

    /// Whether a passphrase is needed to read it. What can be read only once, such as standard input, `-`, or a pipe, is
    /// not looked at ahead of time: false.
    public static func isEncrypted(_ path: String) throws(FileError) -> Bool {
        var status = stat()
        if path == "-" || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO { return false }
        return try header(of: path).isEncrypted
    }

    /// Opens it and reads its manifest; `-` is standard input.
    package static func open(_ path: String, passphrase: Passphrase?) throws(FileError) -> SnapshotReader {
        var front = try SnapshotFront(path)
        let header = try front.header()
        let rest = front.rest
        guard header.isEncrypted else { return try SnapshotReader(path: front.name, header: header, body: rest) }
        guard let passphrase else { throw .passphraseNeeded(path: front.name) }
        var decrypted = DecryptedSource(header: header.bytes, passphrase: passphrase, path: front.name, source: rest)
        return try SnapshotReader(path: front.name, header: header) { () throws(FileError) in try decrypted.next() }
    }

    /// Opens it, and before it those that it continues, which are looked for in the same folder.
    package static func chain(
        _ path: String, passphrase: Passphrase?, checkingEveryState: Bool = false
    ) throws(FileError) -> SnapshotChain {
        var readers = [try open(path, passphrase: passphrase)]
        var files: [SnapshotID: (path: String, header: SnapshotHeader)]?
        while let base = readers[0].manifest.base {
            let last = readers[0]
            if path != "-", files == nil { files = try SnapshotFolder(FolderEntry.folder(of: path)).files() }
            // Each continues an earlier moment, so that this ends.
            guard let file = files?[base.id]?.path, base.sequence <= last.manifest.sequence,
                !readers.contains(where: { $0.manifest.id == base.id })
            else { throw .baseMissing(path: last.path, base: base.fileName) }
            readers.insert(try open(file, passphrase: passphrase), at: 0)
        }
        return try SnapshotChain(readers, checkingEveryState: checkingEveryState)
    }

    /// How many snapshots may continue one another.
    static let chainLimit = 100

    /// Refuses to continue the last of a chain that is as long as one may be. What is not in the folder does not count.
    package static func checkChain(endingWith path: String, base: SnapshotID?) throws(FileError) {
        guard path != "-", var base else { return }
        var length = 1
        let files = try SnapshotFolder(FolderEntry.folder(of: path)).files()
        while length <= chainLimit, let next = files[base]?.header {
            length += 1
            guard let other = next.base else { break }
            base = other
        }
        if length >= chainLimit { throw .chainTooLong(path: path, limit: chainLimit) }
    }

    /// Reads all of it and checks every byte and record, without restoring it.
    ///
    /// - Throws: what is wrong, as an `FileError`; what `progress` throws. Cost: one pass.
    public static func verify(
        _ path: String, passphrase: Passphrase? = nil, progress: Progress = { _, _ in }
    ) throws -> SnapshotSummary {
        try verified(path, passphrase: passphrase, progress: progress).summary
    }

    /// The same, and what came out of it.
    static func verified(
        _ path: String, passphrase: Passphrase?, progress: Progress
    ) throws -> (summary: SnapshotSummary, sums: SnapshotSums) {
        let reader = try open(path, passphrase: passphrase)
        let total = reader.manifest.recordCount
        var done = 0
        while try reader.next() {
            done += 1
            if done % 4096 == 0 { try progress(done, total) }
        }
        var isBasePresent = true
        if let base = reader.manifest.base, path != "-" {
            isBasePresent = try SnapshotFolder(FolderEntry.folder(of: path)).file(id: base.id) != nil
        }
        let summary = SnapshotSummary(
            path: reader.path, bytes: path == "-" ? 0 : try size(of: path),
            uncompressedBytes: Int(clamping: reader.recordBytes),
            isEncrypted: reader.header.isEncrypted, isBasePresent: isBasePresent, manifest: reader.manifest)
        return (summary, reader.sums)
    }

    /// Reads all of it and of those that it continues, and checks that each of them can be restored.
    ///
    /// - Returns: the paths of all of them, or what is wrong.
    /// - Throws: what `progress` throws. Cost: one pass over each.
    static func verifyChain(
        _ path: String, passphrase: Passphrase?, progress: Progress
    ) throws -> Result<[String], FileError> {
        let chain: SnapshotChain
        do throws(FileError) {
            chain = try Self.chain(path, passphrase: passphrase, checkingEveryState: true)
        } catch {
            return .failure(error)
        }
        let total = chain.manifest.recordCount
        var done = 0
        while true {
            // What `progress` throws is not about the snapshot, and may be an error of the same type.
            do throws(FileError) {
                guard try chain.next() else { return .success(chain.paths) }
            } catch {
                return .failure(error)
            }
            done += 1
            if done % 4096 == 0 { try progress(done, total) }
        }
    }

    static func size(of path: String) throws(FileError) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(code: errno, path: path) }
        return Int(status.st_size)
    }
}
