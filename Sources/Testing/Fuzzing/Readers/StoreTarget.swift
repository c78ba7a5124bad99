import CivilTime
import Daybook
import DomainPacks
import FoundationEssentials
import LabSupport
import Records
import Tasks

/// The data files of small stores, damaged as disks and attackers do, and salvaged.
struct StoreTarget: FuzzTarget {
    private let file: FileDamage
    private let folder: String

    init(seed: UInt64, in folder: String) async throws {
        self.folder = folder
        var corpus: [[UInt8]] = []
        for pack in KnownPacks.all {
            _ = try await StoreRecords.made(
                by: pack, seed: seed, in: folder,
                atEnd: { path in corpus.append(Array(try Data(contentsOf: URL(filePath: "\(path)/data.mdb")))) })
        }
        file = FileDamage(corpus: corpus)
    }

    func input(_ random: inout SeededGenerator) -> [UInt8] { file.damaged(&random) }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        let (source, path) = ("\(folder)/damaged", "\(folder)/salvaged")
        try? FileManager.default.removeItem(atPath: source)
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        try FuzzFile.write(input, to: "\(source)/data.mdb")
        defer {
            try? FileManager.default.removeItem(atPath: source)
            try? FileManager.default.removeItem(atPath: path)
        }
        let context = StoreRecords.context(random.next())
        let options = SalvageOptions(takesDeleted: random.oneIn(4))
        let verdict = try judge(quoting: []) {
            _ = try RecordStore.salvage(
                source, to: path, schema: KnownPacks.schema, context: context, options: options)
        }
        guard verdict == .accepted else { return verdict }
        let store = try RecordStore(at: path, schema: KnownPacks.schema, context: context)
        defer { store.close() }
        // What names a lost record stays, and can be more than is listed.
        let expected = [": names a record of ", "two records have the key", "problems; the rest is not listed"]
        let problem = try store.verify().problems.first { problem in !expected.contains { problem.contains($0) } }
        if let problem { throw Finding("store", problem) }
        return verdict
    }
}
