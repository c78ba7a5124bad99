import Daybook
import Foundation
import Synchronization
import TestSupport

extension TemporaryFolder {
    /// The bytes of every file below the folder except LMDB's reader tables.
    var contents: [String: Data] {
        var contents: [String: Data] = [:]
        for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? []
        where !name.hasSuffix("lock.mdb") {
            contents[name] = FileManager.default.contents(atPath: "\(path)/\(name)")
        }
        return contents
    }
}

/// A store with a settable clock.
final class TestDaybook: Sendable {
    let folder: TemporaryFolder
    let clock: SettableClock
    let daybook: DaybookStore
    private let currentZone: ZoneBox

    /// The zone of whoever asks.
    var zone: Zone {
        get { currentZone.zone.withLock { $0 } }
        set { currentZone.zone.withLock { $0 = newValue } }
    }

    var path: String { "\(folder.path)/store" }
    var tasks: TaskList { daybook.tasks }

    init(
        at now: String = "2026-02-11T10:00:00Z", seed: UInt64 = 1, records: Schema = Schema(),
        folder: TemporaryFolder = TemporaryFolder(on: .memory), options: StoreOptions = StoreOptions()
    ) throws {
        let clock = SettableClock(try Instant(now))
        let zone = ZoneBox(try Zone("Europe/Berlin"))
        currentZone = zone
        self.folder = folder
        self.clock = clock
        daybook = try DaybookStore.open(
            at: "\(folder.path)/store",
            context: Context(
                clock: clock, random: SeededRandomSource(seed: seed), currentZone: { zone.zone.withLock { $0 } },
                weekStart: .monday),
            records: records, options: options)
    }

    deinit {
        daybook.close()
    }

    func export(as format: TaskFormat) throws -> [UInt8] {
        let file = Chunks()
        try daybook.files.export(as: format) { (bytes) throws(FileError) in file.bytes += bytes }
        return file.bytes
    }

    func `import`(_ bytes: [UInt8], as format: TaskFormat) async throws -> ImportReport {
        var options = ImportOptions()
        options.format = ImportFormat(format)
        return try await daybook.files.import(TaskFile(bytes), options: options)
    }

    /// Every task and tombstone, with its place, as text.
    func dump() throws -> [String] {
        try tasks.read { reading in
            var lines: [String] = []
            try reading.forEach { task, order in lines.append("\(ImportedTask(task, sortOrder: order))") }
            try reading.forEachTombstone { lines.append("\($0)") }
            return lines
        }
    }
}

/// A zone that a test can change.
final class ZoneBox: Sendable {
    let zone: Mutex<Zone>

    init(_ zone: Zone) { self.zone = Mutex(zone) }
}

final class Chunks {
    var bytes: [UInt8] = []
}

/// Random choices that a seed determines.
typealias Dice = TestSupport.Dice
