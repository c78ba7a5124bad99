import FileSystem

#if os(Linux)
    import Foundation
    import Testing

    @testable import KeyValue

    /// The lock on the data file of an open store, and the gate before it.
    @Suite(.timeLimit(.minutes(15))) struct StoreClaimTests {
        @Test("A store cannot be claimed while this process or another one has it open")
        func presence() throws {
            let store = try TestStore()
            #expect(try StoreClaim.take(of: store.path) == nil)
            let other = try ChildProcess()
            try #expect(other.ask("claim \(store.path)") == "none")
            try #expect(other.ask("open-read-only \(store.path)") == "ok")
            store.environment.close()
            #expect(try StoreClaim.take(of: store.path) == nil)
            try #expect(other.ask("close") == "ok")
            #expect(try StoreClaim.take(of: store.path) != nil)
        }

        @Test("The claim of a killed process ends")
        func killed() throws {
            let store = try TestStore()
            store.environment.close()
            let other = try ChildProcess()
            try #expect(other.ask("open \(store.path)") == "ok")
            #expect(try StoreClaim.take(of: store.path) == nil)
            other.kill()
            #expect(try StoreClaim.take(of: store.path) != nil)
        }

        @Test("Opening a claimed store waits and opens its replacement")
        func waitsForClaim() throws {
            let (store, successor) = (try TestStore(), try TestStore())
            store.environment.close()
            try successor.environment.write { try $0.put(bytes("key"), bytes("new"), in: successor.table) }
            successor.environment.close()
            var claim = try StoreClaim.take(of: store.path)
            #expect(claim != nil)
            let other = try ChildProcess()
            try #expect(other.ask("identify") == "\(other.identifier)")
            let before = pauses(of: other.identifier)
            try other.send("open \(store.path)")
            while pauses(of: other.identifier) < before + 20 { sched_yield() }
            try FileManager.default.moveItem(atPath: store.path, toPath: store.folder.file("aside"))
            try FileManager.default.moveItem(atPath: successor.path, toPath: store.path)
            claim = nil
            #expect(other.answer() == "ok")
            try #expect(other.ask("get key") == "value new")
        }

        @Test("A forked child does not keep the locks of a parent that has ended")
        func forkedChild() async {
            await #expect(processExitsWith: .success) {
                let store = try TestStore()
                store.environment.close()
                let gate = try #require(try FileLock(store.path, .exclusive, waits: false))
                let presence = try #require(try FileLock(store.dataFile, .shared, waits: false))
                // Opened before the fork, since the child must not need a lock that a thread of the parent may hold.
                let child = try IdleChild()
                withExtendedLifetime((gate, presence)) {
                    // Only the child's copies of the descriptors could hold the locks after these lines.
                    #expect(!child.holdsLock(of: store.path))
                    #expect(!child.holdsLock(of: store.dataFile))
                }
            }
        }

        @Test("Releasing an inherited lock in the child keeps the parent's lock")
        func inheritedLock() async {
            await #expect(processExitsWith: .success) {
                let store = try TestStore()
                let child = try IdleChild()
                child.end()
                // The parent's own lock is still there.
                #expect(try StoreClaim.take(of: store.path) == nil)
                store.environment.close()
                #expect(try StoreClaim.take(of: store.path) != nil)
            }
        }
    }

    /// A forked child that sleeps until it is ended.
    private final class IdleChild {
        private let identifier: pid_t

        /// Returns when the child runs and has finished what it does right after the fork.
        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            var byte: UInt8 = 1
            identifier = idleFork()
            if identifier == 0 {
                _ = write(ends[1], &byte, 1)
                while true { pause() }
            }
            close(ends[1])
            try #require(read(ends[0], &byte, 1) == 1)
            close(ends[0])
        }

        /// Whether one of its descriptors leads to a file: `flock` belongs to the descriptor.
        func holdsLock(of path: String) -> Bool {
            var wanted = stat()
            guard stat(path, &wanted) == 0 else { return false }
            let folder = "/proc/\(identifier)/fd"
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains { name in
                var found = stat()
                return stat("\(folder)/\(name)", &found) == 0 && found.st_ino == wanted.st_ino
                    && found.st_dev == wanted.st_dev
            }
        }

        func end() {
            kill(identifier, SIGKILL)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        }

        deinit {
            kill(identifier, SIGKILL)
        }
    }

    /// `fork`, which Swift does not offer, since a child has only the calling thread.
    @_silgen_name("fork") private func idleFork() -> pid_t

    /// How often a process has slept: one that waits for a lock tries it again and again.
    private func pauses(of process: pid_t) -> Int {
        let threads = "/proc/\(process)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? []).reduce(0) { sum, thread in
            let status = (try? String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0)
        }
    }
#endif
