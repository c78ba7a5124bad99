import FileSystem

#if os(Linux)
    import Foundation
    import Testing

    @testable import KeyValue

    /// Rewriting the data file while others have it open.
    @Suite(.timeLimit(.minutes(15))) struct CompactionTests {
        private let secret = "a text that nobody is to find again"

        /// Whether any file below the store's folder has the bytes.
        private func isFound(_ text: String, in store: TestStore) throws -> Bool {
            let names = try FileManager.default.subpathsOfDirectory(atPath: store.path)
            return names.contains { name in
                let file = URL(fileURLWithPath: "\(store.path)/\(name)")
                return (try? Data(contentsOf: file))?.firstRange(of: Data(text.utf8)) != nil
            }
        }

        private func leftovers(in store: TestStore) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: store.path)
                .filter { !["data.mdb", "lock.mdb", CommitLogState.fileName].contains($0) }
        }

        private func expectSound(_ store: TestStore) throws {
            #expect(try store.environment.pageProblems().all == [])
            #expect(try leftovers(in: store) == [])
        }

        @Test("A compaction leaves nothing of what was deleted or overwritten, and everything else [C-NFR37]")
        func erases() async throws {
            let store = try TestStore()
            for number in 0..<300 { try await store.put(bytes("key \(number)"), bytes("value \(number)")) }
            try await store.put(bytes("secret"), bytes(secret))
            try await store.put(bytes("changed"), bytes("\(secret), too"))
            try await store.put(bytes("changed"), bytes("x"))
            try await store.environment.write { _ = try $0.delete(bytes("secret"), in: store.table) }
            for number in 0..<50 { try await store.put(bytes("key \(number)"), bytes("other \(number)")) }
            let contents = try store.contents()
            let (last, permissions) = (store.lastTransaction, try mode(of: store.dataFile))
            // LMDB leaves it in free pages, and between the entries of pages that are in use.
            #expect(try isFound(secret, in: store))
            let sizes = try store.environment.compact()
            #expect(try !isFound(secret, in: store))
            #expect(sizes.bytesAfter < sizes.bytesBefore)
            #expect(try store.contents() == contents)
            #expect(store.lastTransaction == last)
            #expect(try mode(of: store.dataFile) == permissions)
            try expectSound(store)
            // And it goes on as before.
            try await store.put(bytes("later"), bytes("1"))
            #expect(store.lastTransaction == last + 1)
            store.environment.close()
            let reopened = try Environment.open(at: store.path)
            let table = try reopened.openTables(["main"])[0]
            #expect(try reopened.read { try $0.contents(of: table) }.count == contents.count + 1)
            #expect(try reopened.pageProblems().all == [])
        }

        private func mode(of path: String) throws -> UInt16? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? UInt16
        }

        @Test("A store with few transactions and much content is compacted, and so is an empty one")
        func transactionNumbers() async throws {
            let empty = try TestStore()
            try empty.environment.compact()
            #expect(try empty.contents().isEmpty)
            try await empty.put([1], [2])
            try expectSound(empty)

            let store = try TestStore()
            let table = store.table
            try await store.environment.write { transaction in
                for number in 0..<60 {
                    let value = [UInt8](repeating: UInt8(number), count: 1 << 20)
                    try transaction.put(bytes("k\(number)"), value, in: table)
                }
            }
            #expect(store.lastTransaction < 4)
            let contents = try store.contents()
            try store.environment.compact()
            #expect(try store.contents() == contents)
            for number in 0..<10 { try await store.put(bytes("k\(number)"), [1]) }
            try store.environment.compact()
            #expect(try store.contents().count == 60)
            try expectSound(store)
        }

        @Test("A store that is open for reading only, and one inside a read, are not compacted")
        func refused() throws {
            let store = try TestStore()
            _ = try store.environment.read { _ in
                #expect(throws: KeyValueError.nestedWrite) { try store.environment.compact() }
            }
            store.environment.close()
            let reader = try Environment.open(at: store.path, configuration: EnvironmentConfiguration(isReadOnly: true))
            #expect(throws: KeyValueError.readOnly) { try reader.compact() }
        }

        @Test("An error of the check changes nothing")
        func checkFails() async throws {
            let store = try TestStore()
            for number in 0..<20 { try await store.put([UInt8(number)], bytes("value")) }
            let before = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
            #expect(throws: KeyValueError.tooLarge(byteCount: 7)) {
                try store.environment.compact { _, key, _ in
                    if key[byteAt: 0] == 7 { throw KeyValueError.tooLarge(byteCount: 7) }
                }
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: store.dataFile)) == before)
            try await store.put([100], [1])
            try expectSound(store)
        }

        @Test("A reader of the same process continues in its state while the store is compacted")
        func readerInProcess() async throws {
            let store = try TestStore()
            try await store.put(bytes("key"), bytes("old"))
            let reader = try store.environment.beginRead()
            // Another thread, since this one is inside a read.
            let compacted = Flag()
            Thread {
                _ = try? store.environment.compact()
                compacted.raise()
            }.start()
            while !compacted.isRaised { sched_yield() }
            #expect(try reader.value(of: bytes("key"), in: store.table) == bytes("old"))
            let child = try ChildProcess()
            try #expect(child.ask("open \(store.path)") == "ok")
            try #expect(child.ask("set key new") == "ok")
            #expect(try reader.value(of: bytes("key"), in: store.table) == bytes("old"))
            // A read inside this one would see the old file forever.
            #expect(throws: KeyValueError.storeCompacted) { try store.value(of: bytes("key")) }
            _ = consume reader
            #expect(try store.value(of: bytes("key")) == bytes("new"))
            try await store.put(bytes("key"), bytes("newest"))
            try #expect(child.ask("get key") == "value newest")
            #expect(store.environment.staleOpenings == 0)
        }

        @Test("Others read and write while a store is compacted again and again; nothing acknowledged is lost")
        func processes() throws {
            let store = try TestStore()
            let (reader, writer, mixer) = (try ChildProcess(), try ChildProcess(), try ChildProcess())
            try #expect(writer.ask("open \(store.path)") == "ok")
            try #expect(writer.ask("fill 0 200 150") == "ok")
            try #expect(reader.ask("open-read-only \(store.path)") == "ok")
            try #expect(mixer.ask("open \(store.path)") == "ok")
            try #expect(reader.ask("hold") == "holding")
            try writer.send("stream")
            // Its numbers begin with how many entries it finds, so nobody else may write before it has looked.
            var acknowledged = Int(try #require(writer.answer())) ?? 0
            #expect(acknowledged == 200)
            try mixer.send("mix m 1 500")
            for _ in 0..<20 {
                try store.environment.compact()
                acknowledged = Int(try #require(writer.answer())) ?? 0
                try #expect(reader.ask("get k199") == "bytes 150")
                try #expect(reader.ask("get s\(acknowledged)") == "none")
            }
            let mixed = mixer.answer()
            #expect(mixed?.hasPrefix("ok") == true, "\(mixed ?? "the process ended")")
            try #expect(mixer.ask("check-mix") == "ok")
            try #expect(reader.ask("release") == "ok")
            try #expect(reader.ask("get s\(acknowledged)") == "value value \(acknowledged)")
            writer.kill()
            while let line = writer.answer() { acknowledged = Int(line) ?? acknowledged }
            for number in 200...acknowledged {
                try #expect(
                    store.value(of: bytes("s\(number)")) == bytes("value \(number)"),
                    "\(number) of \(acknowledged)")
            }
            #expect(acknowledged > 210)
            try expectSound(store)
        }

        @Test("A process that was stopped meanwhile writes into the new file, and always counts as having it open")
        func stopped() throws {
            let store = try TestStore()
            let (child, other) = (try ChildProcess(), try ChildProcess())
            try #expect(child.ask("open \(store.path)") == "ok")
            try store.environment.compact()
            // Nobody has written to the new file yet, so that its number is the one of the old file.
            try #expect(child.ask("set a 1") == "ok")
            try #expect(store.value(of: bytes("a")) == bytes("1"))
            kill(child.identifier, SIGSTOP)
            try store.environment.compact()
            try #expect(other.ask("open \(store.path)") == "ok")
            try #expect(other.ask("set b 2") == "ok")
            store.environment.close()
            try #expect(other.ask("close") == "ok")
            // The stopped process has locked a file that no longer has a name.
            #expect(try StoreClaim.take(of: store.path) == nil)
            kill(child.identifier, SIGCONT)
            try #expect(child.ask("set c 3") == "ok")
            try #expect(child.ask("get b") == "value 2")
            try #expect(child.ask("count") == "3")
            try #expect(other.ask("open \(store.path)") == "ok")
            try #expect(other.ask("count") == "3")
            try #expect(other.ask("close") == "ok")
            try #expect(child.ask("close") == "ok")
            #expect(try StoreClaim.take(of: store.path) != nil)
        }

        @Test("A process whose folder was replaced after a compaction does not write into the other store")
        func replacedFolder() throws {
            let (store, successor) = (try TestStore(), try TestStore())
            let child = try ChildProcess()
            try #expect(child.ask("open \(store.path)") == "ok")
            try store.environment.compact()
            store.environment.close()
            successor.environment.close()
            try FileManager.default.moveItem(atPath: store.path, toPath: store.folder.file("aside"))
            try FileManager.default.moveItem(atPath: successor.path, toPath: store.path)
            try #expect(child.ask("set a 1") == "error closed")
        }

        @Test(
            "A compaction whose folder is moved leaves no draft in it, says so, and leaves the folder's successor alone",
            arguments: [false, true])
        func movedFolder(hasSuccessor: Bool) async throws {
            let store = try TestStore()
            for number in 0..<50 { try await store.put(bytes("key \(number)"), bytes("value \(number)")) }
            let moved = store.folder.file("moved")
            let foreign = "\(store.path)/\(StoreFolder.compactionFolder)/data.mdb"
            var isMoved = false
            #expect(throws: KeyValueError.storeMoved(path: store.path)) {
                try store.environment.compact { _, _, _ in
                    guard !isMoved else { return }
                    isMoved = true
                    #expect(try FileManager.default.contentsOfDirectory(atPath: store.path).contains("compacting"))
                    try FileManager.default.moveItem(atPath: store.path, toPath: moved)
                    guard hasSuccessor else { return }
                    // Another store's draft.
                    try FileManager.default.createDirectory(
                        atPath: URL(fileURLWithPath: foreign).deletingLastPathComponent().path,
                        withIntermediateDirectories: true)
                    try Data([1]).write(to: URL(fileURLWithPath: foreign))
                }
            }
            #expect(isMoved)
            #expect(try !FileManager.default.contentsOfDirectory(atPath: moved).contains("compacting"))
            #expect(FileManager.default.fileExists(atPath: foreign) == hasSuccessor)
            store.environment.close()
            let reopened = try Environment.open(at: moved)
            let table = try reopened.openTables(["main"])[0]
            #expect(try reopened.read { try $0.contents(of: table) }.count == 50)
        }

        @Test("Observers are notified of commits to the new file")
        func observers() async throws {
            let store = try TestStore()
            let (writer, compactor) = (try ChildProcess(), try ChildProcess())
            for child in [writer, compactor] { try #expect(child.ask("open \(store.path)") == "ok") }
            let (commits, commit) = AsyncStream<Void>.makeStream()
            let observation = try store.environment.observeCommits { commit.yield() }
            var notified = commits.makeAsyncIterator()
            for number in 0..<5 {
                try #expect(compactor.ask("compact") == "ok")
                try #expect(writer.ask("set k\(number) 1") == "ok")
                repeat { await notified.next() } while try store.value(of: bytes("k\(number)")) == nil
            }
            withExtendedLifetime(observation) {}
        }

        @Test("A compaction that is killed at any time leaves every acknowledged write, and nothing after the next one")
        func killed() throws {
            let store = try TestStore()
            let writer = try ChildProcess()
            try #expect(writer.ask("open \(store.path)") == "ok")
            try #expect(writer.ask("fill 0 2000 200") == "ok")
            try writer.send("stream")
            var dice = Dice(37)
            var compacted = 0
            for round in 0..<40 {
                let compactor = try ChildProcess()
                try #expect(compactor.ask("open \(store.path)") == "ok")
                try compactor.send("compact-forever")
                if round % 3 == 0 { compacted += compactor.answer() == "compacted" ? 1 : 0 }
                usleep(useconds_t(dice.below(30_000)))
                kill(compactor.identifier, SIGSTOP)
                // The writer waits for a compaction that is stopped while it holds the lock, and then goes on. So would a
                // reader that has to open the new file.
                compactor.kill()
                while let line = compactor.answer() { compacted += line == "compacted" ? 1 : 0 }
                let acknowledged = try #require(writer.answer())
                try #expect(store.value(of: bytes("s\(acknowledged)")) == bytes("value \(acknowledged)"))
            }
            #expect(compacted > 13)
            writer.kill()
            var acknowledged = 2000
            while let line = writer.answer() { acknowledged = Int(line) ?? acknowledged }
            for number in 2000...acknowledged {
                try #expect(
                    store.value(of: bytes("s\(number)")) == bytes("value \(number)"),
                    "\(number) of \(acknowledged)")
            }
            for number in 0..<2000 { try #expect(store.value(of: bytes("k\(number)"))?.count == 200) }
            // An opening completes what was left, and so does a compaction.
            let opener = try ChildProcess()
            try #expect(opener.ask("open \(store.path)") == "ok")
            try expectSound(store)
            try store.environment.compact()
            try expectSound(store)
        }

        @Test("What a killed compaction left is removed when the store is opened, unless it is in use")
        func leftover() throws {
            let store = try TestStore()
            store.environment.close()
            let folder = "\(store.path)/\(StoreFolder.compactionFolder)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try Data("half".utf8).write(to: URL(fileURLWithPath: "\(folder)/data.mdb"))
            var lock = try FileLock(folder, .exclusive, waits: false)
            let child = try ChildProcess()
            try #expect(child.ask("open \(store.path)") == "ok")
            #expect(try leftovers(in: store) == ["compacting"])
            lock = nil
            _ = lock
            try #expect(child.ask("close") == "ok")
            try #expect(child.ask("open-read-only \(store.path)") == "ok")
            #expect(try leftovers(in: store) == ["compacting"])
            try #expect(child.ask("close") == "ok")
            try #expect(child.ask("open \(store.path)") == "ok")
            #expect(try leftovers(in: store) == [])
        }
    }
#endif
