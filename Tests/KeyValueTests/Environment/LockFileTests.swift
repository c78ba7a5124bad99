import Foundation
import TestSupport
import Testing

@testable import KeyValue

struct LockFileTests {
    private let folder = TemporaryFolder()
    private let content = NewStoreContent(tables: ["main"], files: ["store.json": bytes("{}")])
    private var path: String { folder.file("store") }

    private func status(_ name: String) -> stat {
        var status = stat()
        #expect(stat("\(path)/\(name)", &status) == 0)
        return status
    }

    @Test("LMDB maps a lock file that has all of its blocks, also one that was copied with holes")
    func blocks() throws {
        try Environment.open(at: path, creatingWith: content).close()
        for isCopied in [false, true] {
            if isCopied {
                let length = Int(status("lock.mdb").st_size)
                try FileManager.default.removeItem(atPath: "\(path)/lock.mdb")
                #expect(FileManager.default.createFile(atPath: "\(path)/lock.mdb", contents: nil))
                #expect(truncate("\(path)/lock.mdb", off_t(length)) == 0)
            }
            let environment = try Environment.open(at: path)
            let lock = status("lock.mdb")
            #expect(Int(lock.st_blocks) * 512 >= Int(lock.st_size) && environment.statistics.readerSlots == 1024)
            environment.close()
        }
    }

    @Test(
        "A lock file belongs to whom the data file belongs, whoever has only looked [S-73]", arguments: [false, true])
    func owner(isReadOnly: Bool) throws {
        guard getuid() == 0 else {
            print("Skipped: only root can give files away.")
            return
        }
        try Environment.open(at: path, creatingWith: content).close()
        #expect(chown("\(path)/data.mdb", 4000, 4001) == 0 && chmod("\(path)/data.mdb", 0o660) == 0)
        try FileManager.default.removeItem(atPath: "\(path)/lock.mdb")
        try Environment.open(at: path, configuration: EnvironmentConfiguration(isReadOnly: isReadOnly)).close()
        let lock = status("lock.mdb")
        #expect(lock.st_uid == 4000 && lock.st_gid == 4001 && lock.st_mode & 0o777 == 0o660)
    }
}
