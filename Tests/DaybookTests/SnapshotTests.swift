import Daybook
import Foundation
import Testing

/// Snapshots and restores through the public interface (S-30, S-31).
@Suite struct SnapshotTests {
    /// Performs some hundred operations, with deletions and a purge that has no effect.
    private func work(on opened: TestDaybook, seed: UInt64, steps: Int = 120) async throws {
        var dice = Dice(seed)
        var ids: [Foundation.UUID] = []
        for step in 0..<steps {
            opened.clock.advance(byMicroseconds: 61_000_001)
            let today = opened.daybook.context.today
            switch dice.below(8) {
            case 0...3:
                let day = dice.chance(50) ? today.advanced(by: dice.below(9)) : nil
                ids.append(try await opened.tasks.create("Aufgabe \(step) 🌱 \(dice.next())", on: day).id)
            case 4:
                if !ids.isEmpty { try await opened.tasks.complete(dice.pick(ids)) }
            case 5:
                if !ids.isEmpty { try await opened.tasks.start(dice.pick(ids)) }
            case 6:
                if ids.count > 3 { try await opened.tasks.delete(ids.remove(at: dice.below(ids.count))) }
            default:
                if !ids.isEmpty { try await opened.tasks.schedule(dice.pick(ids), on: .inbox) }
            }
        }
    }

    private func open(_ path: String, like opened: TestDaybook) throws -> DaybookStore {
        try DaybookStore.open(at: path, context: opened.daybook.context)
    }

    private func export(_ daybook: DaybookStore) throws -> [UInt8] {
        let file = Chunks()
        try daybook.files.export(as: .ndjson) { (bytes) throws(FileError) in file.bytes += bytes }
        return file.bytes
    }

    @Test(
        "A restored store equals the original and verifies clean [S-30, S-31]", arguments: 1...4 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) async throws {
        let opened = try TestDaybook(seed: seed)
        try await work(on: opened, seed: seed)
        let file = opened.folder.path + "/a.snapshot"
        let summary = try await opened.daybook.files.snapshot(to: file)
        let copy = opened.folder.path + "/copy"
        let report = try await StoreFiles.restore(file, to: copy, context: opened.daybook.context)
        #expect(report.records == summary.manifest.recordCount && report.replaced == nil)
        let restored = try open(copy, like: opened)
        #expect(try export(restored) == opened.export(as: .ndjson))
        #expect(try restored.verify().problems == [])
        #expect(try restored.tasks.statistics() == opened.tasks.statistics())
        // Sequence numbers continue from the snapshot, and there is nothing to undo.
        #expect(try restored.information().lastSequence > summary.manifest.sequence)
        await #expect(throws: (any Error).self) { try await restored.tasks.undo() }
        try await restored.tasks.create("goes on")
        #expect(try restored.verify().problems == [])
        restored.close()
    }

    @Test("Snapshots of the same state at the same instant are identical [S-34]", arguments: [1, 3, 9])
    func determinism(level: Int) async throws {
        let opened = try TestDaybook()
        try await work(on: opened, seed: 9)
        let paths = [opened.folder.path + "/a.snapshot", opened.folder.path + "/b.snapshot"]
        for path in paths {
            try await opened.daybook.files.snapshot(to: path, options: SnapshotOptions(level: level))
        }
        #expect(FileManager.default.contents(atPath: paths[0]) == FileManager.default.contents(atPath: paths[1]))
    }

    @Test("An incremental chain restores the state of each of its snapshots")
    func chain() async throws {
        let opened = try TestDaybook()
        var files: [(path: String, content: [UInt8])] = []
        for number in 0..<5 {
            try await work(on: opened, seed: UInt64(number), steps: 40)
            let path = opened.folder.path + "/\(number).snapshot"
            try await opened.daybook.files.snapshot(
                to: path, options: SnapshotOptions(since: files.last.map { URL(filePath: $0.path) }))
            files.append((path, try opened.export(as: .ndjson)))
        }
        for (number, file) in files.enumerated() {
            let copy = opened.folder.path + "/copy-\(number)"
            try await StoreFiles.restore(file.path, to: copy, context: opened.daybook.context)
            let restored = try open(copy, like: opened)
            #expect(try export(restored).dropFirst(0).elementsEqual(file.content))
            #expect(try restored.verify().problems == [])
            restored.close()
        }
        // If a snapshot is missing, those that continue it are refused with an error that names it.
        try FileManager.default.removeItem(atPath: files[1].path)
        #expect(
            throws: FileError.baseMissing(path: files[2].path, base: "1.snapshot")
        ) { try StoreFiles.restore(files[4].path, to: opened.folder.path + "/none", context: opened.daybook.context) }
        #expect(!FileManager.default.fileExists(atPath: opened.folder.path + "/none"))
    }

    @Test("A snapshot of another store or another history is refused as a base")
    func foreignBase() async throws {
        let opened = try TestDaybook()
        try await work(on: opened, seed: 1)
        let file = opened.folder.path + "/a.snapshot"
        try await opened.daybook.files.snapshot(to: file)
        let other = try TestDaybook(seed: 2)
        try await work(on: other, seed: 2)
        let options = SnapshotOptions(since: URL(filePath: file))
        #expect(throws: FileError.self) {
            try other.daybook.files.snapshot(to: opened.folder.path + "/b.snapshot", options: options)
        }
        try await StoreFiles.restore(file, to: opened.folder.path + "/copy", context: opened.daybook.context)
        let restored = try open(opened.folder.path + "/copy", like: opened)
        #expect(throws: FileError.self) {
            try restored.files.snapshot(to: opened.folder.path + "/b.snapshot", options: options)
        }
        restored.close()
        #expect(!FileManager.default.fileExists(atPath: opened.folder.path + "/b.snapshot"))
    }

    @Test("An incremental snapshot is refused if the change log was truncated")
    func trimmedLog() async throws {
        let opened = try TestDaybook(
            options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 1, maximumAgeInDays: 1)))
        try await opened.tasks.create("first")
        let file = opened.folder.path + "/a.snapshot"
        try await opened.daybook.files.snapshot(to: file)
        for number in 0..<200 { try await opened.tasks.create("\(number)") }
        #expect {
            try opened.daybook.files.snapshot(
                to: opened.folder.path + "/b.snapshot", options: SnapshotOptions(since: URL(filePath: file)))
        } throws: { error in
            guard case RecordsError.changesTrimmed = error else { return false }
            return true
        }
    }

    @Test("A restore replaces an existing store only on request, and keeps it [S-31]")
    func replacing() async throws {
        let opened = try TestDaybook()
        try await work(on: opened, seed: 3)
        let file = opened.folder.path + "/a.snapshot"
        try await opened.daybook.files.snapshot(to: file)
        let place = opened.folder.path + "/place"
        let old = try open(place, like: opened)
        try await old.tasks.create("was there before")
        let before = try export(old)
        #expect(throws: FileError.targetExists(path: place)) {
            try StoreFiles.restore(file, to: place, context: opened.daybook.context)
        }
        #expect(throws: FileError.storeIsOpen(path: place)) {
            try StoreFiles.restore(
                file, to: place, context: opened.daybook.context, options: RestoreOptions(replacing: true))
        }
        old.close()
        let report = try await StoreFiles.restore(
            file, to: place, context: opened.daybook.context, options: RestoreOptions(replacing: true))
        let restored = try open(place, like: opened)
        #expect(try export(restored) == opened.export(as: .ndjson))
        restored.close()
        let kept = try open(try #require(report.replaced), like: opened)
        #expect(try export(kept) == before)
        kept.close()
    }

    @Test("A restore never replaces a folder of other files")
    func otherFiles() async throws {
        let opened = try TestDaybook()
        let file = opened.folder.path + "/a.snapshot"
        try await opened.daybook.files.snapshot(to: file)
        let place = opened.folder.path + "/documents"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: place + "/letter.txt"))
        for replacing in [false, true] {
            #expect(throws: FileError.notAStore(path: place)) {
                try StoreFiles.restore(file, to: place, options: RestoreOptions(replacing: replacing))
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["letter.txt"])
    }

    @Test("A restore of a damaged or truncated snapshot is refused and changes nothing [S-31]")
    func damage() async throws {
        let opened = try TestDaybook()
        try await work(on: opened, seed: 4)
        let file = opened.folder.path + "/a.snapshot"
        try await opened.daybook.files.snapshot(to: file)
        let whole = try #require(FileManager.default.contents(atPath: file))
        let place = opened.folder.path + "/place"
        let before = Set(try FileManager.default.contentsOfDirectory(atPath: opened.folder.path))
        var dice = Dice(5)
        for _ in 0..<60 {
            var bytes = [UInt8](whole)
            if dice.chance(50) {
                bytes.removeLast(1 + dice.below(bytes.count - 1))
            } else {
                bytes[dice.below(bytes.count)] ^= UInt8(1 << dice.below(8))
            }
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            #expect(throws: FileError.self) { try SnapshotFile.verify(file) }
            #expect(throws: (any Error).self) {
                try StoreFiles.restore(file, to: place, context: opened.daybook.context)
            }
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: opened.folder.path)) == before)
        }
    }

    @Test("Encrypted snapshots and their incremental successors need the passphrase")
    func encryption() async throws {
        let opened = try TestDaybook()
        try await work(on: opened, seed: 6, steps: 30)
        let secret = try #require(Passphrase(Array("open sesame".utf8)))
        let full = opened.folder.path + "/a.snapshot"
        try await opened.daybook.files.snapshot(to: full, options: SnapshotOptions(passphrase: secret))
        try await work(on: opened, seed: 7, steps: 30)
        let changes = opened.folder.path + "/b.snapshot"
        try await opened.daybook.files.snapshot(
            to: changes, options: SnapshotOptions(since: URL(filePath: full), passphrase: secret))
        #expect(try SnapshotFile.isEncrypted(changes))
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: full)))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("collections"))
        #expect(throws: FileError.passphraseNeeded(path: changes)) {
            try StoreFiles.restore(changes, to: opened.folder.path + "/copy")
        }
        try await StoreFiles.restore(
            changes, to: opened.folder.path + "/copy", context: opened.daybook.context,
            options: RestoreOptions(passphrase: secret))
        let restored = try open(opened.folder.path + "/copy", like: opened)
        #expect(try export(restored) == opened.export(as: .ndjson))
        restored.close()
    }

    @Test("A cancelled snapshot or restore leaves no files, and nothing is overwritten unasked")
    func givingUp() async throws {
        struct Enough: Error {}
        let opened = try TestDaybook()
        for start in stride(from: 0, to: 9000, by: 1000) {
            try await opened.daybook.write { transaction in
                for number in start..<start + 1000 { try transaction.tasks.create("task \(number)") }
            }
        }
        let names = { Set(try FileManager.default.contentsOfDirectory(atPath: opened.folder.path)) }
        let before = try names()
        let file = opened.folder.path + "/a.snapshot"
        #expect(throws: Enough.self) {
            try opened.daybook.files.snapshot(to: file, options: SnapshotOptions { _ in throw Enough() })
        }
        #expect(try names() == before)
        try await opened.daybook.files.snapshot(to: file)
        #expect(throws: FileError.targetExists(path: file)) { try opened.daybook.files.snapshot(to: file) }
        #expect(throws: Enough.self) {
            try StoreFiles.restore(
                file, to: opened.folder.path + "/copy", options: RestoreOptions { _ in throw Enough() })
        }
        #expect(try names() == before.union(["a.snapshot"]))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("A snapshot is consistent while others write")
    func oneMoment() async throws {
        let opened = try TestDaybook()
        for number in 0..<50 { try await opened.tasks.create("\(number)") }
        let file = opened.folder.path + "/a.snapshot"
        let summary = Task { try await opened.daybook.files.snapshot(to: file) }
        for number in 50..<150 { try await opened.tasks.create("\(number)") }
        let count = try await summary.value.manifest.recordCount
        try await StoreFiles.restore(file, to: opened.folder.path + "/copy", context: opened.daybook.context)
        let restored = try open(opened.folder.path + "/copy", like: opened)
        #expect(try restored.tasks.inbox().map(\.text) == (0..<count).map(String.init))
        restored.close()
    }
}

extension RestoreOptions {
    fileprivate init(progress: @escaping @Sendable (FileProgress) throws -> Void) {
        self.init(replacing: false, progress: progress)
    }
}

extension SnapshotOptions {
    fileprivate init(progress: @escaping @Sendable (FileProgress) throws -> Void) {
        self.init(level: 3, progress: progress)
    }
}
