import DiskRecording
import Injection
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// Images of real runs of a synced store, opened in this process: a test process has other threads and may not fork.
    @Suite struct SyncCrashTests {
        let folder: LabFolder

        init() throws {
            folder = try LabFolder()
        }

        private func record(_ workload: SyncWorkload) throws -> Recording {
            let base = try SyncBases.content(of: workload.base, in: folder.path)
            try FolderFiles.replace(folder.path, with: base.image)
            try DiskLog.begin(folder: folder.path)
            defer { DiskLog.end() }
            try SyncRun(workload: workload, others: base.others, folder: folder.path, reporter: folder.reporter).run()
            return Recording(start: base.image, entries: try DiskLog.entries().normalized, lockFile: [])
        }

        /// Opens the image that keeps nothing and the one that keeps everything, at each call and each acknowledgment.
        private func problems(of workload: SyncWorkload) throws -> (tried: Int, [String]) {
            let recording = try record(workload)
            return recording.problems { image, progress in
                try SyncImageCheck(
                    states: recording.states, allowed: progress.allowed, folder: "\(folder.path)/image",
                    reporter: folder.reporter
                ).run(image)
            }
        }

        static let workloads = SyncWorkload.named.filter { name, _ in
            ["joining a space", "lost", "copy", "ahead", "cannot read"].contains { name.contains($0) }
        }.map(\.workload)

        @Test("Every crash image of a synced store loses nothing, here or on the way", arguments: Self.workloads)
        func losesNothing(workload: SyncWorkload) throws {
            let (tried, problems) = try problems(of: workload)
            #expect(problems == [], "\(workload.text)")
            #expect(tried > workload.steps.count)
        }

        static let injectionPoints: [(InjectionPoint, String)] = [
            (.stampsInSecondTransaction, "has no stamps: it is never sent"),
            (.storesCursorFirst, "was not applied"),
            (.settlesWhenSent, "is neither to be sent nor at the hub"),
        ]

        @Test("Each broken promise of sync is reported as such", arguments: Self.injectionPoints)
        func breaksOne(injectionPoint: InjectionPoint, expected: String) throws {
            let problems = try problems(of: SyncWorkload.workload(for: injectionPoint)).1
            #expect(problems.contains { $0.contains(expected) }, "\(problems)")
        }
    }
}

@Suite struct SyncLabTests {
    @Test("Every workload of sync is restored from its text")
    func texts() {
        let all = SyncWorkload.named.map(\.workload) + SyncWorkload.small(longest: 2) + [SyncWorkload.long(seed: 3)]
        for workload in all { #expect(SyncWorkload(workload.text)?.text == workload.text) }
        #expect(Set(SyncWorkload.small(longest: 2).map(\.text)).count == 11 + 11 * 11)
        let reproducer = "sync|joined:edit,round.2|17+|keep=0-3|stale"
        #expect(Reproducer(reproducer)?.text == reproducer)
        for text in ["sync|joined:melt|17+|keep=0-3|stale", "sync|nowhere:edit|17+|keep=0-3|stale", "sync|joined:edit"]
        {
            #expect(!CrashLab.isReproducer(text), "\(text)")
        }
    }

    @Test("Each long workload contains every step of sync")
    func long() {
        let found = Set((0..<8).flatMap { SyncWorkload.long(seed: $0).steps.map(\.operation) })
        #expect(found == Set(SyncWorkload.operations))
    }

    @Test("A hub has what it took before a crash, and nothing of a message that was torn")
    func tornLog() throws {
        let folder = try LabFolder()
        let base = try SyncBases.content(of: .joined, in: folder.path)
        let bytes = try #require(base.image.bytes(of: LabHubLog.path))
        let whole = LabHubLog.messages(of: bytes)
        #expect(whole.count > 2)
        for count in [1, 8, 20] {
            #expect(LabHubLog.messages(of: bytes.dropLast(count)) == whole.dropLast(1), "\(count)")
        }
        #expect(LabHubLog.hub(of: bytes).head > LabHubLog.hub(of: bytes.dropLast(1)).head || whole.count > 4)
    }
}
