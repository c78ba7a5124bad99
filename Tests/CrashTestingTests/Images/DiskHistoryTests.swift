import DiskRecording
import Foundation
import TestSupport
import Testing

@testable import CrashTesting

@Suite struct DiskHistoryTests {
    @Test(
        "The page cache equals what was written, and so does the disk that has kept everything",
        arguments: TestBudget.range(15, long: 60))
    func everythingKept(seed: UInt64) {
        var random = RandomCalls(seed: seed, mayFail: true)
        random.make(40)
        var history = DiskHistory(RandomCalls.start)
        var model = RandomCalls(seed: seed, mayFail: true)
        while model.calls.count < random.calls.count {
            let before = model.calls.count
            model.make(1)
            for call in model.calls[before...] { history.apply(call) }
            #expect(history.pageCacheImage == model.image)
            #expect(history.image(history.all) == model.image)
        }
        #expect(history.strayCalls.isEmpty)
    }

    @Test(
        "After flushing everything nothing is pending, and every image is complete",
        arguments: TestBudget.range(25, long: 100))
    func everythingFlushed(seed: UInt64) {
        var random = RandomCalls(seed: seed, mayFail: false)
        random.make(30)
        random.flushAll()
        let history = DiskHistory(RandomCalls.start, random.calls)
        #expect(history.units.isEmpty)
        #expect(history.image(.none) == random.image)
    }

    @Test("Writes are cut at page boundaries")
    func cut() {
        let history = DiskHistory([.open(1, "f"), .write(1, "f", bytes(7, count: 9000), at: 4000)])
        #expect(
            history.units.map(\.description) == [
                "create f", "write f page 0 bytes 4000..<4096", "write f page 1", "write f page 2",
                "write f page 3 bytes 0..<712",
            ])
    }

    @Test("A synchronous write is in every image, and no other write of its file is")
    func synchronousWrites() {
        let old = bytes(1, count: 8192)
        let history = DiskHistory(
            files: ["data.mdb": old],
            [
                .open(1, "data.mdb", O_RDWR), .open(2, "data.mdb", O_RDWR | O_DSYNC),
                .write(1, "data.mdb", bytes(2, count: 4096), at: 8192),
                .write(2, "data.mdb", bytes(3, count: 120), at: 4128, synchronous: true),
            ])
        var expected = old
        expected.replaceSubrange(4128..<4248, with: bytes(3, count: 120))
        #expect(history.image(.none).bytes(of: "data.mdb") == expected)
        #expect(history.units.map(\.description) == ["write data.mdb page 2"])
    }

    @Test("A synchronous write in progress is pending, and a flush in progress has flushed nothing")
    func underWay() {
        var history = DiskHistory(files: ["f": bytes(1, count: 4096)], [.open(1, "f", O_RDWR)])
        history.apply(.write(1, "f", bytes(2, count: 4096), at: 4096))
        history.begin(.flush(1, "f"))
        history.begin(.write(1, "f", bytes(3, count: 120), at: 32, synchronous: true))
        #expect(history.image(.none).bytes(of: "f") == bytes(1, count: 4096))
        #expect(history.units.count == 2)
    }

    @Test("Flushing one file does not flush another")
    func otherFiles() {
        let history = DiskHistory(
            files: ["f": [1], "g": [1]],
            [
                .open(1, "f"), .open(2, "g"), .write(1, "f", [2], at: 0), .write(2, "g", [2], at: 0), .flush(2, "g"),
            ])
        #expect(history.image(.none) == DiskImage(files: ["f": [1], "g": [2]]))
    }

    @Test("A short write counts for what was written, a failed one for nothing")
    func shortWrites() {
        var short = DiskCall.write(1, "f", [7, 7], at: 0)
        short.length = 10
        let failed = DiskCall(kind: .write, file: 1, path: "f", offset: 50, length: 10, result: -1, error: 28)
        let history = DiskHistory(files: ["f": []], [.open(1, "f"), short, failed])
        #expect(history.pageCacheImage.bytes(of: "f") == [7, 7])
    }

    // MARK: Failed flushes

    @Test("Changes of a failed flush are never made durable by a later one")
    func failedFlush() {
        let history = DiskHistory(
            files: ["f": bytes(1, count: 8192)],
            [
                .open(1, "f", O_RDWR), .write(1, "f", bytes(2, count: 4096), at: 0), .flush(1, "f", fails: true),
                .write(1, "f", bytes(3, count: 4096), at: 4096), .flush(1, "f"),
            ])
        #expect(history.image(.none).bytes(of: "f") == bytes(1, count: 4096) + bytes(3, count: 4096))
        #expect(history.image(history.all).bytes(of: "f") == bytes(2, count: 4096) + bytes(3, count: 4096))
        #expect(history.units.map(\.isAbandoned) == [true])
    }

    @Test("A page that is written again after a failed flush is completely durable after the next one")
    func writtenAgain() {
        let history = DiskHistory(
            files: ["f": bytes(1, count: 4096)],
            [
                .open(1, "f", O_RDWR), .write(1, "f", bytes(2, count: 2000), at: 0), .flush(1, "f", fails: true),
                .write(1, "f", bytes(3, count: 10), at: 3000), .flush(1, "f"),
            ])
        #expect(history.units.isEmpty)
        #expect(history.image(.none) == history.pageCacheImage)
    }

    @Test("A synchronous write that failed after reaching the system may or may not be there forever")
    func failedSynchronousWrite() {
        let history = DiskHistory(
            files: ["f": [1, 1]],
            [.open(1, "f"), .write(1, "f", [2], at: 0, synchronous: true, fails: true), .flush(1, "f")])
        #expect(history.image("keep=none").bytes(of: "f") == [1, 1])
        #expect(history.image("keep=0").bytes(of: "f") == [2, 1])
    }

    // MARK: Names

    @Test("A new file that was flushed may be missing while its folder was not")
    func folderNotFlushed() {
        var history = DiskHistory([.open(1, "f"), .write(1, "f", [7], at: 0), .flush(1, "f")])
        #expect(history.image(.none) == DiskImage())
        #expect(history.image(history.all) == DiskImage(files: ["f": [7]]))
        history.apply(.flush(0, ""))
        #expect(history.image(.none) == DiskImage(files: ["f": [7]]))
    }

    @Test("A new file that was not flushed may be empty although its folder was")
    func fileNotFlushed() {
        let history = DiskHistory([.open(1, "f"), .write(1, "f", [7], at: 0), .flush(0, "")])
        #expect(history.image(.none) == DiskImage(files: ["f": []]))
    }

    @Test("A lost rename leaves the old name and the file it would have replaced")
    func lostRename() {
        let history = DiskHistory(files: ["new": [2], "f": [1]], [.rename("new", to: "f")])
        #expect(history.image("keep=none") == DiskImage(files: ["new": [2], "f": [1]]))
        #expect(history.image("keep=0") == DiskImage(files: ["f": [2]]))
    }

    @Test("A rename creates a file whose creation was lost under its new name")
    func renameOfLostFile() {
        let history = DiskHistory([.open(1, "new"), .rename("new", to: "f")])
        #expect(history.image("keep=1") == DiskImage(files: ["f": []]))
    }

    @Test("The first of two renames can be lost")
    func twoRenames() {
        let history = DiskHistory(files: ["a": [1]], [.rename("a", to: "b"), .rename("b", to: "c")])
        #expect(history.image("keep=1") == DiskImage(files: ["c": [1]]))
        #expect(history.image("keep=0") == DiskImage(files: ["b": [1]]))
    }

    @Test("A rename keeps a file's other names, even if an earlier rename is lost")
    func renameOfLinkedFile() {
        let history = DiskHistory(
            files: ["a": [1]], [.rename("a", to: "b"), .link("b", to: "c"), .rename("b", to: "d"), .link("d", to: "b")])
        #expect(history.image(history.all) == DiskImage(files: ["b": [1], "c": [1], "d": [1]]))
        #expect(history.image("keep=1-2") == DiskImage(files: ["c": [1], "d": [1]]))
        #expect(history.image("keep=0-1,3") == DiskImage(files: ["b": [1], "c": [1]]))
    }

    @Test("A link that was not flushed may be missing; its source name is kept")
    func link() {
        var history = DiskHistory(files: ["a": [1]], folders: ["d"], [.link("a", to: "d/b")])
        #expect(history.units.map(\.description) == ["link a to d/b"])
        #expect(history.image("keep=none") == DiskImage(files: ["a": [1]], folders: ["d"]))
        #expect(history.image("keep=0") == DiskImage(files: ["a": [1], "d/b": [1]]))
        // Neither flushing the file nor its old folder covers the link.
        history.apply(.flush(0, "a"))
        history.apply(.flush(0, ""))
        #expect(history.units.count == 1)
        history.apply(.flush(0, "d"))
        #expect(history.image(.none) == DiskImage(files: ["a": [1], "d/b": [1]]))
    }

    @Test("Both names of a link lead to the same bytes, and removing one keeps the other")
    func linkedBytes() {
        let history = DiskHistory(
            files: ["a": [1]],
            [.link("a", to: "b"), .flush(0, ""), .open(1, "b", O_RDWR), .write(1, "b", [2], at: 0), .remove("a")])
        #expect(history.image("keep=none") == DiskImage(files: ["a": [1], "b": [1]]))
        #expect(history.image("keep=0") == DiskImage(files: ["a": [2], "b": [2]]))
        #expect(history.image("keep=0-1") == DiskImage(files: ["b": [2]]))
    }

    @Test("A file is lost if the removal of its old name is durable but its new link is not")
    func halfOfLink() {
        let history = DiskHistory(files: ["a": [1]], [.link("a", to: "b"), .remove("a")])
        #expect(history.image("keep=1") == DiskImage())
    }

    @Test("An exchange is complete or absent until the folder is flushed")
    func exchange() {
        let (old, new) = ([1] as [UInt8], [2] as [UInt8])
        let before = DiskImage(files: ["store/f": old, ".draft/f": new])
        let after = DiskImage(files: ["store/f": new, ".draft/f": old])
        var history = DiskHistory(
            files: ["store/f": old, ".draft/f": new], [.exchange(".draft", "store"), .flush(0, "store")])
        #expect(history.units.map(\.description) == ["exchange .draft and store"])
        let images = Set(CrashOutcomes(history: history, seed: 1).map { history.image($0).digest })
        #expect(images == [before.digest, after.digest])
        #expect(history.pageCacheImage == after)
        history.apply(.flush(0, ""))
        #expect(history.units.isEmpty)
        #expect(history.image(.none) == after)
    }

    @Test("A later change of the same names makes an exchange complete")
    func renameAfterExchange() {
        let start = ["store/f": [1], ".draft/f": [2]] as [String: [UInt8]]
        let history = DiskHistory(files: start, [.exchange(".draft", "store"), .rename(".draft", to: "old")])
        let whole = DiskImage(files: ["store/f": [2], "old/f": [1]])
        #expect(history.image("keep=none") == DiskImage(files: start))
        #expect(history.image("keep=0") == DiskImage(files: ["store/f": [2], ".draft/f": [1]]))
        #expect(history.image("keep=1") == whole)
        #expect(history.image("keep=0-1") == whole)
    }

    @Test("An exchange after a lost rename applies to the names on the disk, and no file has two names")
    func exchangeAfterRename() {
        let history = DiskHistory(
            files: ["a": [1], "b": [2]],
            [.rename("a", to: "c"), .exchange("b", "c"), .rename("b", to: "d"), .rename("c", to: "e")])
        #expect(history.image(history.all) == DiskImage(files: ["e": [2], "d": [1]]))
        #expect(history.image("keep=0-1") == DiskImage(files: ["b": [1], "c": [2]]))
        #expect(history.image("keep=1") == DiskImage(files: ["b": [1], "a": [2]]))
        #expect(history.image("keep=2") == DiskImage(files: ["d": [1], "a": [2]]))
        #expect(history.image("keep=3") == DiskImage(files: ["b": [1], "e": [2]]))
        #expect(history.image("keep=2-3") == DiskImage(files: ["d": [1], "e": [2]]))
    }

    @Test("A file is identified by its number through renames")
    func followed() {
        let history = DiskHistory(
            files: ["new": []],
            [
                .open(1, "new"), .rename("new", to: "f"), .open(2, "new"), .write(1, "new", [7], at: 0),
                .flush(1, "new"),
                .flush(0, ""),
            ])
        #expect(history.image(.none) == DiskImage(files: ["f": [7], "new": []]))
    }

    @Test("A lost new folder takes everything in it along, even if flushed")
    func lostFolder() {
        var history = DiskHistory([
            .makeFolder("d"), .open(1, "d/f"), .write(1, "d/f", [7], at: 0), .flush(1, "d/f"), .flush(0, "d"),
        ])
        #expect(history.image(.none) == DiskImage())
        history.apply(.flush(0, ""))
        #expect(history.image(.none) == DiskImage(files: ["d/f": [7]]))
    }

    @Test("A store that is created elsewhere and renamed is complete or absent")
    func creation() {
        var history = DiskHistory([
            .makeFolder(".draft"), .open(1, ".draft/data.mdb"), .write(1, ".draft/data.mdb", [7], at: 0),
            .flush(1, ".draft/data.mdb"), .flush(0, ".draft"), .rename(".draft", to: "store"),
        ])
        let images = Set(CrashOutcomes(history: history, seed: 1).map { history.image($0).digest })
        let whole = DiskImage(files: ["store/data.mdb": [7]])
        let draft = DiskImage(files: [".draft/data.mdb": [7]])
        #expect(images == [DiskImage().digest, draft.digest, whole.digest])
        history.apply(.flush(0, ""))
        #expect(history.image(.none) == whole)
    }

    @Test("A removed file may reappear until the folder is flushed")
    func removedFile() {
        var history = DiskHistory(files: ["f": [1]], [.open(1, "f"), .write(1, "f", [2], at: 0), .remove("f")])
        #expect(history.image("keep=none") == DiskImage(files: ["f": [1]]))
        #expect(history.image("keep=0") == DiskImage(files: ["f": [2]]))
        history.apply(.flush(0, ""))
        #expect(history.units.isEmpty)
        #expect(history.image(.none) == DiskImage())
    }

    @Test("A truncation may be undone")
    func truncate() {
        let history = DiskHistory(
            files: ["f": [1, 1, 1]], [.open(1, "f", O_RDWR | O_TRUNC), .write(1, "f", [2], at: 0)])
        #expect(history.image("keep=1").bytes(of: "f") == [2, 1, 1])
        #expect(history.image("keep=0").bytes(of: "f") == [])
        #expect(history.image("keep=0,1").bytes(of: "f") == [2])
    }

    @Test("Calls that match no known file are kept for the report")
    func strayCalls() {
        let call = DiskCall.write(9, "nothing", [1], at: 0)
        #expect(DiskHistory([call]).strayCalls == [call])
    }
}

extension DiskHistory {
    init(_ image: DiskImage, _ calls: [DiskCall]) {
        self.init(image)
        for call in calls { apply(call) }
    }
}
