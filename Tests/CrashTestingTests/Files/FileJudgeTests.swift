import ByteStreams
import DiskRecording
import Exchange
import Injection
import Snapshots
import Testing

@testable import CrashTesting

/// What a folder may hold after a crash or an error, judged by its files alone.
@Suite struct FileJudgeTests {
    private func judge(
        _ promise: FileOperation.Promise, old: Bool = true, isAcknowledged: Bool = false, mayLeaveFiles: Bool = true
    ) -> FileJudge {
        var files: [String: [UInt8]] = ["home/store/data.mdb": [7]]
        if old { files["home/f"] = [1] }
        let recording = FileRecording(
            operation: FileOperation(name: "test", promise: promise) { _ in {} }, injectionPoint: nil,
            start: DiskImage(files: files),
            entries: [
                .call(.open(1, "home/f.1-1.tmp")), .call(.write(1, "home/f.1-1.tmp", [2, 2], at: 0)),
                .call(.rename("home/f.1-1.tmp", to: "home/f")),
            ])
        return FileJudge(recording: recording, isAcknowledged: isAcknowledged, mayLeaveFiles: mayLeaveFiles)
    }

    private func image(_ target: [UInt8]?, store: [UInt8] = [7], and other: String? = nil) -> DiskImage {
        var files = ["home/store/data.mdb": store]
        files["home/f"] = target
        if let other { files[other] = [9] }
        return DiskImage(files: files)
    }

    @Test("A file is old or new, and new once that was acknowledged")
    func file() {
        for old in [false, true] {
            let before = judge(.file("f"), old: old)
            let after = judge(.file("f"), old: old, isAcknowledged: true)
            #expect(before.problem(of: image([2, 2])) == nil)
            #expect(after.problem(of: image([2, 2])) == nil)
            for torn in [[2], [2, 0], [], [2, 2, 2]] as [[UInt8]] {
                #expect(before.problem(of: image(torn)) == "the file is torn")
                #expect(after.problem(of: image(torn)) == "the file is torn")
            }
            #expect(before.problem(of: image(nil)) == (old ? "the file that was there is gone" : nil))
            #expect(after.problem(of: image(nil)) == "the file is gone")
        }
        #expect(judge(.file("f")).problem(of: image([1])) == nil)
        #expect(judge(.file("f"), old: false).problem(of: image([1])) == "the file is torn")
        let replaced = judge(.file("f"), isAcknowledged: true)
        #expect(replaced.problem(of: image([1])) == "the file is the old one although it was replaced")
    }

    @Test("Only a crash may leave a temporary file, and nothing else")
    func leftFiles() {
        let temporary = image([1], and: "home/f.77-3.tmp")
        #expect(judge(.file("f")).problem(of: temporary) == nil)
        #expect(judge(.file("f"), mayLeaveFiles: false).problem(of: temporary) == "a file is left: home/f.N-N.tmp")
        let done = judge(.file("f"), isAcknowledged: true)
        #expect(done.problem(of: image([2, 2], and: "home/f.77-3.tmp")) == "a file is left: home/f.N-N.tmp")
        for other in ["home/g", "home/store/f", "f.tmp"] {
            #expect(judge(.file("f")).problem(of: image([1], and: other)) == "a file is left: \(other)")
        }
    }

    @Test("The store beside a file is unchanged")
    func store() {
        let problem = "another file has changed: home/store/data.mdb"
        #expect(judge(.file("f")).problem(of: image([1], store: [8])) == problem)
        #expect(judge(.folder("restored")).problem(of: image([1], store: [8])) == problem)
        #expect(judge(.store).problem(of: image([1], store: [8])) == nil)
        #expect(judge(.store).problem(of: image([2])) == "another file has changed: home/f")
    }

    @Test(
        "Beside a restored folder lie only the replaced store and, until it is done, temporary folders"
    )
    func folder() {
        let (before, after) = (judge(.folder("new")), judge(.folder("new"), isAcknowledged: true))
        for path in ["home/new/data.mdb", "home/new.replaced-2026/data.mdb"] {
            #expect(before.problem(of: image([1], and: path)) == nil)
            #expect(after.problem(of: image([1], and: path)) == nil)
        }
        for path in ["home/.new.restoring-77/data.mdb", "home/..new.restoring-77.creating-77/data.mdb"] {
            #expect(before.problem(of: image([1], and: path)) == nil)
            #expect(after.problem(of: image([1], and: path))?.hasPrefix("a file is left") == true)
        }
        #expect(before.problem(of: image([1], and: "home/new.tmp")) == "a file is left: home/new.tmp")
    }
}

/// What a report prints must be accepted by a replay.
@Suite struct FileReproducerTests {
    @Test("Every crash and every fault is restored from its text, and the texts are unique")
    func texts() throws {
        var texts: [String] = []
        for operation in FileOperation.all {
            for injectionPoint in [nil] + InjectionPoint.ofFiles {
                for image in ["keep=none", "keep=0,2-5", "keep=1/tear=0:nnoozzgg", "keep=1-2/tail=garbage"] {
                    for moment in [CrashMoment.during, .after] {
                        let crash = RecordedCrash(
                            point: 17, moment: moment, outcome: try #require(CrashOutcome(image)))
                        texts.append(Reproducer.fileCrash(operation, injectionPoint, crash).text)
                    }
                }
            }
            for var fault in DiskFault.fileKinds {
                fault.first = 23
                texts.append(Reproducer.fileFault(operation, fault).text)
            }
        }
        for text in texts {
            #expect(Reproducer(text)?.text == text)
        }
        #expect(Set(texts).count == texts.count)
    }

    @Test("An invalid text is refused")
    func bad() {
        for text in [
            "archive|export", "archive|exports|17+|keep=none", "archive|export|17|keep=none",
            "archive|export|+|keep=none",
            "archive|export|17+|keep", "archive|export!lies|17+|keep=none", "archive|export!|17+|keep=none",
            "archive|export|write.fails.28.any.1|0", "archive|export|write.fails.99.any.1|1",
            "crash|export|17+|keep=none",
            "archive|export!skipsFileFlush|write.fails.28.any.1|1", "archive|export|17+|keep=none|stale",
        ] {
            #expect(!CrashLab.isReproducer(text), "\(text)")
        }
    }
}
