import CivilTime
import FoundationEssentials
import KeyValue

/// `store.json`: what a person, or an older program, sees of a store without opening it.
struct StoreManifest: Codable, Equatable {
    static let fileName = "store.json"
    static let formatName = "daybook"
    /// The newest format of the store's files that this version reads and writes.
    static let formatVersion = 2
    /// The format of stores that have no commit log.
    static let versionWithoutCommitLog = 1

    var format: String
    var version: Int
    var createdAt: String
    var library: String

    init(createdAt: Instant, hasCommitLog: Bool) {
        format = Self.formatName
        version = hasCommitLog ? Self.formatVersion : Self.versionWithoutCommitLog
        self.createdAt = createdAt.description
        library = LibraryVersion.current
    }

    /// Reads what `encoded` writes; nil for anything else. A program that runs one command would otherwise load a JSON decoder for it.
    private init?(encoded content: [UInt8]) {
        // What is between the quotation marks: keys and texts at odd places.
        let parts = content.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count == 15,
            let version = Int(String(decoding: parts[6].filter { (0x30...0x39).contains($0) }, as: UTF8.self))
        else { return nil }
        func text(_ place: Int) -> String { String(decoding: parts[place], as: UTF8.self) }
        (format, self.version, createdAt, library) = (text(3), version, text(9), text(13))
        guard encoded == content else { return nil }
    }

    private static func decode(_ content: Data) -> StoreManifest? {
        StoreManifest(encoded: Array(content)) ?? (try? JSONDecoder().decode(StoreManifest.self, from: content))
    }

    var encoded: [UInt8] {
        let fields = [
            "\"format\": \"\(format)\"", "\"version\": \(version)", "\"createdAt\": \"\(createdAt)\"",
            "\"library\": \"\(library)\"",
        ]
        return Array("{\n  \(fields.joined(separator: ",\n  "))\n}\n".utf8)
    }

    /// Keeps programs that know nothing of the commit log from opening a store that has one.
    static let olderProgramGuard = OlderProgramGuard(fileName: fileName) { content in
        guard var manifest = decode(Data(content)), manifest.version < formatVersion else { return nil }
        manifest.version = formatVersion
        return manifest.encoded
    }

    /// Refuses a folder that holds something else, or a store of a newer format, before anything of it is opened.
    /// Returns nil when there is no store yet.
    static func check(at path: String) throws -> StoreManifest? {
        try Environment.completePlacement(at: path)
        let (file, data) = ("\(path)/\(fileName)", "\(path)/data.mdb")
        // First: another process may be creating the store, where the data file comes last, or removing it, where it goes first.
        let hadData = FileManager.default.fileExists(atPath: data)
        guard FileManager.default.fileExists(atPath: file) else {
            if hadData, FileManager.default.fileExists(atPath: data) {
                throw RecordsError.manifestMissing(path: path)
            }
            return nil
        }
        guard let content = FileManager.default.contents(atPath: file) else {
            throw RecordsError.engine(.permissionDenied(path: file))
        }
        guard let manifest = decode(content), manifest.format == formatName else {
            throw RecordsError.notAStore(path: path)
        }
        guard manifest.version <= formatVersion else {
            throw RecordsError.newerFormat(path: path, found: manifest.version, known: formatVersion)
        }
        return manifest
    }
}

extension RecordStore {
    /// Whether a folder has the `store.json` of a store, without opening the store.
    ///
    /// - Throws: `notAStore` when it has that of something else, `manifestMissing` when it has a data file without one;
    ///   `newerFormat`.
    package static func isStore(at path: String) throws(RecordsError) -> Bool {
        try rethrowing { try StoreManifest.check(at: path) != nil }
    }

    /// The name of that file.
    package static var manifestName: String { StoreManifest.fileName }

    /// What that file says to programs that know nothing of the commit log.
    package static var olderProgramGuard: OlderProgramGuard { StoreManifest.olderProgramGuard }

    /// Whether a name in a store's folder is that of its commit log, without which the data file may be torn.
    package static func isCommitLog(_ name: String) -> Bool { name == CommitLogState.fileName }

    /// Whether a name in a store's folder is that of a file or folder of the store, besides that file. `sync.json`, and what
    /// an interrupted replacement leaves of it, holds the keys of a space: a store that is removed takes them along.
    package static func isData(_ name: String) -> Bool {
        Environment.isData(name) || name.hasPrefix("sync.json") || name.hasPrefix("\(StoreManifest.fileName).")
    }
}

/// The version of this library.
public enum LibraryVersion {
    /// For example "1.0.0".
    public static let current = "1.0.0"
}

/// Sizes, counts and versions of an open store.
public struct StoreInformation: Sendable, Equatable {
    /// A table and how much it holds.
    public struct TableSize: Sendable, Equatable {
        /// The table's name.
        public let name: String
        /// Its entries.
        public let entries: Int
        /// Its pages, in bytes.
        public let bytes: Int
    }

    /// The format of the store's files.
    public let formatVersion: Int
    /// The version of the schema.
    public let schemaVersion: Int
    /// When the store was created, from `store.json`.
    public let createdAt: String
    /// The version of this library, and of LMDB.
    public let libraryVersion, engineVersion: String
    /// The sequence number of the last change.
    public let lastSequence: UInt64
    /// The first change that the log still has; 0 when it is empty.
    public let firstSequence: UInt64
    /// How many damaged records are in quarantine: moved there by rebuilds, and neither restored nor purged since.
    public let quarantined: Int
    /// The registered consumers of changes.
    public let consumers: [ChangeConsumer.Status]
    /// Every table.
    public let tables: [TableSize]
    /// The map, what is used of it, readers.
    public let environment: EnvironmentStatistics
    /// How commits become durable now.
    public let commits: CommitStatus
}

/// How the commits of a store become durable at a moment.
public struct CommitStatus: Sendable, Equatable {
    /// Where a commit goes.
    public enum Mode: String, Sendable {
        /// Into the data file, with two flushes.
        case direct
        /// Into the commit log, with one flush. The data file follows at the next checkpoint.
        case logged
        /// Nowhere: a flush of the data file has failed. Close the store in all processes; the next one that opens it restores it
        /// from the last checkpoint and the log.
        case stopped
    }

    /// Where a commit goes now.
    public let mode: Mode
    /// How many commits the data file needs the log for: those since the last checkpoint. 0 in direct mode.
    public let sinceCheckpoint: Int
    /// The length of the commit log that these take up, in bytes.
    public let logBytes: Int

    init(_ state: CommitLogState?) {
        mode =
            switch state?.mode {
            case nil, .direct: .direct
            case .logged: .logged
            case .stopped: .stopped
            }
        sinceCheckpoint = state?.recordCount ?? 0
        logBytes = state?.logBytes ?? 0
    }
}

extension RecordStore {
    /// Sizes, counts and versions. Cost: constant, but for the records of the commit log, which has 1 MiB at most.
    public func information() throws(RecordsError) -> StoreInformation {
        try rethrowing {
            let manifest = try StoreManifest.check(at: path)
            let statistics = environment.statistics
            let commits = CommitStatus(try environment.commitLogState())
            return try read { transaction in
                try transaction.withEngine { engine in
                    let collections = schema.collections
                    var tables = [schema.meta, schema.changes] + collections.map(\.recordsTable)
                    for table in collections.flatMap(\.derivedTables).flatMap(\.tables)
                    where !tables.contains(where: { $0.name == table.name }) {
                        tables.append(table)
                    }
                    let quarantine = schema.quarantine?.table
                    if let quarantine { tables.append(quarantine) }
                    let log = ChangeLog(schema: schema)
                    return StoreInformation(
                        formatVersion: manifest?.version ?? StoreManifest.versionWithoutCommitLog,
                        schemaVersion: Int(schema.version), createdAt: manifest?.createdAt ?? "",
                        libraryVersion: LibraryVersion.current, engineVersion: Environment.engineVersion,
                        lastSequence: try log.lastSequence(in: engine),
                        firstSequence: try log.firstSequence(in: engine),
                        quarantined: try quarantine.map { try engine.entryCount(of: $0.table) } ?? 0,
                        consumers: try ConsumerRegistry(schema: schema).statuses(in: engine),
                        tables: try tables.map { table in
                            StoreInformation.TableSize(
                                name: table.name, entries: try engine.entryCount(of: table.table),
                                bytes: try engine.pageCount(of: table.table) * statistics.pageSize)
                        },
                        environment: statistics, commits: commits)
                }
            }
        }
    }
}
