import DiskRecording
import DomainPacks
import Glibc
import KeyValue
import Records
import Tasks

/// Conditions that users meet besides crashes and failing disks.
enum Situation: String, CaseIterable, Sendable {
    case mapFull = "map full"
    case readersFull = "readers full"
    case readerKilled = "a reader killed in a transaction"
    case readOnlyFileSystem = "read-only file system"
    case foreignFolder = "a folder that is not ours"
    case backupUnderNewerLock = "a backup restored under a newer lock file"

    /// Runs it in a folder that holds the small base store.
    ///
    /// - Throws: what is wrong.
    func run(in folder: String, reporter: ChildReporter) throws {
        let path = "\(folder)/\(Recording.storePath)"
        switch self {
        case .mapFull: try fillMap(at: path)
        case .readersFull: try fillReaders(at: path)
        case .readerKilled: try killReader(at: path)
        case .readOnlyFileSystem: try openReadOnly(in: folder, path)
        case .foreignFolder: try openForeign(in: folder)
        case .backupUnderNewerLock: try restoreBackup(in: folder, path)
        }
    }

    private func expect(_ isTrue: Bool, _ problem: String) throws {
        if !isTrue { throw BrokenPromise(problem) }
    }

    /// At the ceiling, writes are refused as a whole; deleting works, and then writing does again.
    private func fillMap(at path: String) throws {
        var options = StoreOptions(sizeCeiling: 1 << 18)
        options.initialMapSize = 1 << 18
        let store = try LabStore(at: path, options: options)
        var number = 1000
        var lines = try store.lines()
        let refused = try refusal {
            while number < 20_000 {
                lines = try store.lines()
                try store.perform(.bulk(number...(number + 39)))
                number += 40
            }
        }
        try expect(
            refused?.isStorageFull == true,
            "a full map is not reported as storageFull: \(refused.map { "\($0)" } ?? "no error")")
        try expect(try store.lines() == lines, "a write that did not fit left something")
        for deleted in 1000..<1060 {
            try store.store.write(reclaims: true) { try TaskAction.delete(deleted).perform($0) }
        }
        try store.perform(.create(900, on: nil, noteLength: 0))
        try expect(try store.problems().isEmpty, "verify reports problems after a full map")
        store.close()
    }

    /// A reader beyond the last slot gets a specific error, and a freed slot can be used again.
    private func fillReaders(at path: String) throws {
        let store = try LabStore(at: path)
        let refused = try refusal { try nest(2000, in: store) }
        try expect(refused == .tooManyReaders, "a full reader table is not reported as tooManyReaders")
        try expect(try !store.lines().isEmpty, "reading fails after readers have ended")
        store.close()
    }

    private func nest(_ depth: Int, in store: LabStore) throws {
        guard depth > 0 else { return }
        try store.store.read { _ in try nest(depth - 1, in: store) }
    }

    /// A dead reader blocks no one, and the file does not grow without limit.
    private func killReader(at path: String) throws {
        let reader = try DiskLog.fork()
        if reader == 0 {
            let store = try LabStore(at: path)
            try store.store.read { _ in _ = kill(getpid(), SIGKILL) }
        }
        while waitpid(reader, nil, 0) < 0, errno == EINTR {}
        let store = try LabStore(at: path)
        try store.perform(.create(900, on: nil, noteLength: 0))
        let early = FolderFiles.bytes(of: "\(path)/data.mdb")?.count ?? 0
        for step in 0..<300 { try store.perform(.setState(900, step % 2 == 0 ? .active : .notStarted)) }
        let late = FolderFiles.bytes(of: "\(path)/data.mdb")?.count ?? 0
        // The change log grows by 300 rows; pinned pages would be 300 times a dozen.
        try expect(late < early + (1 << 19), "the file grew from \(early) to \(late) bytes behind a dead reader")
        try expect(try store.problems().isEmpty, "verify reports problems after a reader was killed")
        store.close()
    }

    /// Reading works where nothing can be written, and writing fails with a specific error.
    private func openReadOnly(in folder: String, _ path: String) throws {
        let before = FolderFiles.bytes(of: "\(path)/data.mdb")
        try DiskLog.begin(folder: folder)
        DiskLog.setFault(DiskFault(kind: .open, count: 0, error: EROFS, only: .synchronousOrWriting))
        let refused = try refusal { _ = try LabStore(at: path) }
        let reading = try LabStore(at: path, options: StoreOptions(isReadOnly: true))
        try expect(try !reading.lines().isEmpty, "nothing can be read on a read-only file system")
        reading.close()
        DiskLog.end()
        if case .readOnlyFileSystem? = refused {
        } else {
            throw BrokenPromise("a read-only file system is not reported as readOnlyFileSystem")
        }
        try expect(FolderFiles.bytes(of: "\(path)/data.mdb") == before, "a refused opening wrote to the file")
    }

    private func openForeign(in folder: String) throws {
        let foreign = DiskImage(files: ["home/store/letter.txt": Array("not ours".utf8)])
        try FolderFiles.replace(folder, with: foreign)
        let path = "\(folder)/\(Recording.storePath)"
        do {
            _ = try LabStore(at: path)
            throw BrokenPromise("a folder of other files was opened as a store")
        } catch RecordsError.engine(.notAStore), RecordsError.notAStore {}
        try expect(try FolderFiles.image(of: folder) == foreign, "a foreign folder was changed")
    }

    /// The lock file refers to later transactions than the restored data.
    private func restoreBackup(in folder: String, _ path: String) throws {
        let backup = FolderFiles.bytes(of: "\(path)/data.mdb") ?? []
        let store = try LabStore(at: path)
        let lines = try store.lines()
        for number in 900..<950 { try store.perform(.create(number, on: nil, noteLength: 0)) }
        store.close()
        try FolderFiles.write(backup, to: "\(path)/data.mdb")
        let restored = try LabStore(at: path)
        try expect(try restored.lines() == lines, "the restored backup has other content")
        try restored.perform(.create(960, on: nil, noteLength: 0))
        try expect(try restored.problems().isEmpty, "verify reports problems in a restored backup")
        restored.close()
    }

    private func refusal(_ body: () throws -> Void) throws -> KeyValueError? {
        do {
            try body()
            return nil
        } catch RecordsError.engine(let error) {
            return error
        }
    }
}

extension KeyValueError {
    fileprivate var isStorageFull: Bool {
        if case .storageFull = self { true } else { false }
    }
}
