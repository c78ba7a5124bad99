import SystemErrors

/// An error of reading or writing files: exports, imports, snapshots, dumps.
///
/// Each description is one line: what happened, to what, what to do. It never contains the text of tasks or journals.
public enum FileError: Error, Sendable, Equatable {
    /// Neither the content nor the name identifies one of the formats; `name` is the file's, where it has one.
    case unknownFormat(name: String?, formats: [String])
    /// The content is of a known kind that is not imported; `kind` and `advice` are parts of a sentence.
    case unsupportedFormat(name: String?, kind: String, advice: String)
    /// The file breaks the rules of its format, so that the records after this line cannot be found.
    case malformed(format: String, line: Int, reason: String)
    /// The file breaks the rules of the format that was named, rather than detected.
    case notAsNamed(format: String, line: Int, reason: String)
    /// One record breaks a rule; the others may be fine. Several records may begin in one line: then `place` distinguishes them.
    case invalidRecord(line: Int, reason: String, place: RecordPlace? = nil)
    /// The file was written by a newer Daybook.
    case newerVersion(found: Int, supported: Int)
    /// The snapshot does not exist.
    case snapshotNotFound(path: String)
    /// The file is not a snapshot.
    case notASnapshot(path: String)
    /// The snapshot was written by a newer Daybook.
    case newerSnapshot(path: String, found: Int, supported: Int)
    /// The snapshot is damaged or incomplete.
    case damagedSnapshot(path: String, reason: String)
    /// The snapshot continues another one than the one before it.
    case brokenChain(path: String, base: String)
    /// The chain of snapshots is so long that one more would make a restore slow and fragile.
    case chainTooLong(path: String, limit: Int)
    /// The snapshot to continue is not an earlier state of this store.
    case notABase(collection: String)
    /// The compressed file is damaged or truncated.
    case damagedCompression
    /// A small compressed file expands so much that it must be malicious.
    case excessiveExpansion
    /// The bytes could not be compressed, for lack of memory.
    case compressionFailed
    /// Another export of this store is running in this process.
    case busy
    /// The snapshot holds only the changes after another one, which is not in the same folder: it was removed, or another
    /// file has its name.
    case baseMissing(path: String, base: String)
    /// A snapshot was not written, since one that it would continue would not be in its folder.
    case notRestorable(path: String, base: String)
    /// A snapshot was not replaced, since another one in its folder continues it.
    case neededByAnother(path: String, other: String)
    /// The folder contains files that do not belong to a store.
    case notAStore(path: String)
    /// The store cannot be replaced, since this process or another one has it open.
    case storeIsOpen(path: String)
    /// The store has records, or had some.
    case storeNotEmpty(path: String)
    /// A line of a dump cannot be loaded.
    case invalidDump(line: Int, reason: String)
    /// A record is longer than a snapshot may hold, which is 64 MiB.
    case recordTooLarge(collection: Int)
    /// The target exists, and overwriting was not requested.
    case targetExists(path: String)
    /// The target must not be replaced, since it is a folder, a device or another special file.
    case notAFile(path: String)
    /// The folder or the file does not exist.
    case notFound(path: String)
    /// The system denies permission.
    case permissionDenied(path: String)
    /// The file system is mounted for reading only.
    case readOnlyFileSystem(path: String)
    /// The disk or the user's quota is full.
    case diskFull(path: String)
    /// The file is encrypted, and no passphrase was given.
    case passphraseNeeded(path: String)
    /// The passphrase is wrong, or the file was changed or truncated; the cases cannot be distinguished.
    case notDecryptable(path: String)
    /// Encryption failed.
    case encryptionFailed(path: String)
    /// There is not enough memory.
    case outOfMemory(path: String)
    /// Any other error of the operating system.
    case system(path: String, code: Int32)
}

/// The place of a record in a file whose lines do not identify it.
public struct RecordPlace: Sendable, Equatable, CustomStringConvertible {
    /// The number of the record in the file, from 1.
    public var number: Int
    /// Its id, if that could be read.
    public var id: String?

    /// Creates a place.
    public init(number: Int, id: String? = nil) {
        self.number = number
        self.id = id
    }

    /// The number and the id.
    public var description: String { "record \(number)\(id.map { ", id \($0)" } ?? "")" }

    /// The line of a record, with its place where there is one.
    package static func text(line: Int, _ place: RecordPlace?) -> String {
        "line \(line)\(place.map { " (\($0))" } ?? "")"
    }
}

extension FileError: CustomStringConvertible {
    /// A description of one line.
    public var description: String {
        switch self {
        case .unknownFormat(let name, let names):
            let formats = names.joined(separator: ", ")
            let subject = name.map { "\($0) is" } ?? "The input is"
            return "\(subject) not in a supported format; give one of: \(formats)."
        case .unsupportedFormat(let name, let kind, let advice):
            return "\(name ?? "The input") is \(kind); \(advice)."
        case .malformed(let format, let line, let reason):
            return "Import failed: line \(line) is not \(format): \(reason). Repair it, or name its format."
        case .notAsNamed(let format, let line, let reason):
            return
                "Import failed: line \(line) is not \(format), which was named: \(reason). Repair it, or name another "
                + "format."
        case .invalidRecord(let line, let reason, let place):
            return
                "Import failed: the record at \(RecordPlace.text(line: line, place)) is not valid: \(reason). "
                + "Repair or skip it."
        case .newerVersion(let found, let supported):
            return "Import failed: the file has format version \(found), newer than \(supported); update Daybook."
        case .snapshotNotFound(let path):
            return "There is no snapshot at \(path); check the path, or list the snapshots of its folder."
        case .notASnapshot(let path):
            return "\(path) is not a snapshot; check the path."
        case .newerSnapshot(let path, let found, let supported):
            return "\(path) has snapshot version \(found), newer than \(supported); update Daybook."
        case .damagedSnapshot(let path, let reason):
            return "\(path) is damaged: \(reason). Use another snapshot, or another copy of this one."
        case .brokenChain(let path, let base):
            return "\(path) continues \(base), which is not the snapshot before it; put that one beside it."
        case .chainTooLong(let path, let limit):
            return "\(path) is the end of a chain of \(limit) snapshots, which is the longest; make a full snapshot."
        case .notABase(let collection):
            return "The base is not an earlier state of this store (\(collection) differs); make a full snapshot."
        case .damagedCompression:
            return "Import failed: the compressed file is damaged or truncated; create or fetch it again."
        case .excessiveExpansion:
            return
                "Import failed: the compressed file expands to over 500 times its size; decompress it with zstd first."
        case .compressionFailed:
            return "Compression failed, perhaps for lack of memory; export without compression."
        case .busy:
            return "An export of this store is running already; try again when it is done."
        case .baseMissing(let path, let base):
            return
                "\(path) holds only the changes since \(base), which is not in its folder, or is another file now; "
                + "put that snapshot there."
        case .notRestorable(let path, let base):
            return
                "\(path) was not written, since it could not be restored without \(base); keep that snapshot in its "
                + "folder under another name, or make a full one."
        case .neededByAnother(let path, let other):
            return "\(path) was left unchanged, since \(other) holds only the changes since it; choose another name."
        case .notAStore(let path):
            return "\(path) is not a Daybook store and was left unchanged; choose another folder."
        case .storeIsOpen(let path):
            return "\(path) is busy: a program has it open; close it there, then try again."
        case .storeNotEmpty(let path):
            return "\(path) has records and was left unchanged; load the dump into a new or an empty store."
        case .invalidDump(let line, let reason):
            return "Line \(line) of the dump is not valid: \(reason). Nothing was loaded; use another copy of the dump."
        case .recordTooLarge(let collection):
            return
                "A record of collection \(collection) is longer than 64 MiB and cannot be kept in a snapshot; shorten it."
        case .targetExists(let path):
            return "\(path) exists and was left unchanged; choose another name or allow overwriting."
        case .notAFile(let path):
            return "\(path) is not a regular file and was left unchanged; choose another name."
        case .notFound(let path):
            return "\(path) does not exist; check the path, or create the folder first."
        case .permissionDenied(let path):
            return "No permission for \(path); check who owns it, or choose another place."
        case .readOnlyFileSystem(let path):
            return "\(path) is on a read-only file system; mount it for writing, or choose another place."
        case .diskFull(let path):
            return "The disk is full at \(path); free some space, or choose another place."
        case .passphraseNeeded(let path):
            return "\(path) is encrypted; give its passphrase."
        case .notDecryptable(let path):
            return "\(path) cannot be decrypted: the passphrase is wrong, or the file was changed or truncated; "
                + "check the passphrase, or use another copy."
        case .encryptionFailed(let path):
            return "\(path) could not be encrypted, and no file was left; try again, or do not encrypt it."
        case .outOfMemory(let path):
            return "There is not enough memory for \(path); raise the limit (ulimit), or end other programs."
        case .system(let path, let code):
            let condition = SystemCondition(code)
            return
                "\(path) cannot be used: \(condition). \(condition.advice ?? "Check the disk, or choose another place.")"
        }
    }
}

extension FileError {
    /// Creates the error of a system call that failed on `path` with `code` (an `errno`).
    public init(code: Int32, path: String) {
        switch SystemCondition(code) {
        case .notFound, .notAFolder: self = .notFound(path: path)
        case .alreadyExists: self = .targetExists(path: path)
        case .isAFolder: self = .notAFile(path: path)
        case .permissionDenied, .notPermitted: self = .permissionDenied(path: path)
        case .readOnlyFileSystem: self = .readOnlyFileSystem(path: path)
        case .noSpace, .quotaExceeded: self = .diskFull(path: path)
        case .outOfMemory: self = .outOfMemory(path: path)
        default: self = .system(path: path, code: code)
        }
    }

    /// Makes a call of the system, and throws its failure as an error on a path.
    package static func naming<Result>(
        _ path: String, _ call: @autoclosure () throws(SystemCondition) -> Result
    ) throws(FileError) -> Result {
        do throws(SystemCondition) { return try call() } catch { throw FileError(code: error.code, path: path) }
    }

    /// Whether the error reports a snapshot that cannot be restored from where it is, since it is damaged or one that it
    /// needs is missing, as opposed to one that could not be read.
    public var isDamage: Bool {
        switch self {
        case .damagedSnapshot, .notASnapshot, .brokenChain, .notDecryptable, .baseMissing, .notRestorable: true
        default: false
        }
    }

    /// The reason in a few words, for a list of files.
    package var shortReason: String {
        switch self {
        case .notASnapshot: "it is not a snapshot"
        case .newerSnapshot: "it was written by a newer version of Daybook"
        case .damagedSnapshot(_, let reason): reason
        case .permissionDenied: "permission is denied"
        default: "the system cannot read it"
        }
    }
}
