import FileSystem

/// The file by which programs that know nothing of the commit log are kept out: recovery would discard what they commit.
package struct OlderProgramGuard: Sendable {
    /// Its name in the store's folder.
    let fileName: String
    /// The content with which they refuse the store; nil when they do so already.
    package let refusal: @Sendable (_ content: [UInt8]) -> [UInt8]?

    package init(fileName: String, refusal: @escaping @Sendable (_ content: [UInt8]) -> [UInt8]?) {
        self.fileName = fileName
        self.refusal = refusal
    }
}

/// Gives a store of an earlier version its file for the commit log, in two openings: an older program that has looked at the store's
/// version just before the first one has the store open at the second one, or has ended.
///
/// Each only while no other process has the store open. Until then, and where the files cannot be written, the store stays direct.
struct CommitLogUpgrade {
    private let folder: StoreFolder
    private let configuration: EnvironmentConfiguration

    /// The second name of the new file. As long as it is there, the first one may not be durable.
    private static let draftName = CommitFile.name + StoreFolder.newFileSuffix

    /// Takes the next step, if there is one. Inside the gate, with LMDB closed, by a process without a lock on the data file.
    ///
    /// - Throws: when the folder could not be flushed. What was put into it is taken back then, since a second flush says nothing
    ///   about the first.
    static func run(in folder: StoreFolder, _ configuration: EnvironmentConfiguration) throws(KeyValueError) {
        guard !configuration.isReadOnly else { return }
        let upgrade = CommitLogUpgrade(folder: folder, configuration: configuration)
        if folder.fileLength(draftName) != nil { try upgrade.completeDraft() }
        guard configuration.commitLog.makesFile, folder.fileLength(CommitFile.name) == nil,
            let alone = try FileLock.take("\(folder.path)/\(StoreFolder.dataFile)", .exclusive),
            !folder.isLockFileInUse
        else { return }
        defer { withExtendedLifetime(alone) {} }
        if let olderPrograms = configuration.olderProgramGuard {
            guard let content = folder.content(of: olderPrograms.fileName) else { return }
            if let refusal = olderPrograms.refusal(content) {
                return try upgrade.announce(refusal, insteadOf: content, in: olderPrograms.fileName)
            }
        }
        try upgrade.makeFile()
    }

    private func announce(
        _ content: [UInt8], insteadOf former: [UInt8], in name: String
    ) throws(KeyValueError) {
        guard (try? folder.put(content, inPlaceOf: name)) != nil else { return }
        do throws(KeyValueError) {
            try folder.flush()
        } catch {
            // Whoever finds the new content takes it for durable.
            try? folder.put(former, inPlaceOf: name)
            throw error
        }
    }

    /// The file appears complete, under two names until its entry is durable.
    private func makeFile() throws(KeyValueError) {
        guard (try? folder.put(CommitFile.contentOfNew, inPlaceOf: Self.draftName)) != nil else { return }
        let (draft, name) = ("\(folder.path)/\(Self.draftName)", "\(folder.path)/\(CommitFile.name)")
        guard (try? FileTree.addName(name, to: draft)) != nil else { return folder.removeFile(Self.draftName) }
        try completeDraft()
    }

    /// Flushes the entry of a new file before anybody relies on it.
    private func completeDraft() throws(KeyValueError) {
        if let content = folder.content(of: CommitFile.name), content != CommitFile.contentOfNew {
            // It was used since, after its entry was flushed: a power failure has undone the removal of the second name.
            return folder.removeFile(Self.draftName)
        }
        do throws(KeyValueError) {
            if !configuration.injectionPoint(.linksLogUnflushed) { try folder.flush() }
        } catch {
            folder.removeFile(CommitFile.name)
            folder.removeFile(Self.draftName)
            throw error
        }
        folder.removeFile(Self.draftName)
    }
}

extension StoreFolder {
    /// What the name of a file ends with while it is being written.
    static let newFileSuffix = ".new"

    /// Writes and flushes a file, and puts it in the place of one of its name. The folder is still to be flushed.
    func put(_ bytes: [UInt8], inPlaceOf name: String) throws(KeyValueError) {
        let draft = name.hasSuffix(Self.newFileSuffix) ? name : name + Self.newFileSuffix
        removeFile(draft)
        do throws(KeyValueError) {
            try write(bytes, to: draft)
            try StoreFolder.giveOwner(of: "\(path)/\(Self.dataFile)", to: "\(path)/\(draft)")
            if draft != name {
                try systemCall("replace a file", FileTree.move("\(path)/\(draft)", to: "\(path)/\(name)"))
            }
        } catch {
            removeFile(draft)
            throw error
        }
    }

    func removeFile(_ name: String) { try? FileTree.removeFile("\(path)/\(name)") }

    /// The bytes of a small file; nil when it cannot be read.
    func content(of name: String) -> [UInt8]? { try? FileTree.read("\(path)/\(name)") }
}
