import CivilTime
import Daybook
import DiskRecording
import Foundation
import KeyValue
import Simulation
import TestSupport
import Testing

@testable import CrashTesting

extension WithDiskLog {
    @Suite(.timeLimit(.minutes(15))) struct RecordedMachineTests {
        /// Returns a store with two tasks.
        private func begun() async throws -> (MachineStore, DaybookStore) {
            let world = try MachineStore()
            let daybook = try world.open()
            try await daybook.tasks.create("one")
            try await daybook.tasks.create("two")
            return (world, daybook)
        }

        /// Returns the contents of the stores that crashes during a range leave, by choice.
        private func outcomes(
            _ crash: Crash, within calls: Range<Int>, of world: MachineStore, choices: Range<UInt64>
        ) throws -> [(words: String, texts: [String])] {
            try choices.map { choice in
                let fresh = try world.freshFolder()
                defer { try? FileManager.default.removeItem(atPath: fresh) }
                let words = try world.machine.leave(crash, within: calls, choice: choice, in: fresh)
                let daybook = try MachineStore.open("\(fresh)/home/store", world.context)
                defer { daybook.close() }
                return (words, try texts(of: daybook))
            }
        }

        @Test("A power failure during an operation leaves the state before or after it, with all kinds of losses")
        func powerDuring() async throws {
            let (world, daybook) = try await begun()
            let calls = try await world.calls { try await daybook.tasks.create("three") }
            let found = try outcomes(.power, within: calls, of: world, choices: TestBudget.range(80, long: 300))
            let before = ["one", "two"]
            let after = before + ["three"]
            for (words, texts) in found { #expect(texts == before || texts == after, "\(words)") }
            #expect(found.count { $0.texts == before } > found.count / 10)
            #expect(found.count { $0.texts == after } > found.count / 10)
            let words = Set(found.map(\.words))
            #expect(words.count > 15)
            for part in ["during", "after", "keeping 0", "tearing", "everything was flushed", "zeros", "garbage"] {
                #expect(words.contains { $0.contains(part) }, "\(part)")
            }
            daybook.close()
        }

        @Test("After the acknowledgment nothing is lost in any crash")
        func acknowledged() async throws {
            let (world, daybook) = try await begun()
            let now = world.machine.callCount
            for crash in Crash.allCases {
                for (words, texts) in try outcomes(
                    crash, within: now..<now, of: world, choices: TestBudget.range(10, long: 40))
                {
                    #expect(texts == ["one", "two"], "\(words)")
                }
            }
            daybook.close()
        }

        @Test("The death of a process leaves everything written up to a call")
        func processDeath() async throws {
            let (world, daybook) = try await begun()
            let calls = try await world.calls { try await daybook.tasks.create("three") }
            let found = try outcomes(.process, within: calls, of: world, choices: TestBudget.range(25, long: 100))
            #expect(Set(found.map(\.words)) == Set((1...calls.count).map { "after call \($0) of \(calls.count)" }))
            for (words, texts) in found {
                // The meta page is written last.
                let isWhole = words == "after call \(calls.count) of \(calls.count)"
                #expect(texts == (isWhole ? ["one", "two", "three"] : ["one", "two"]), "\(words)")
            }
            daybook.close()
        }

        @Test("A crash during creation leaves no store or a complete one")
        func creation() async throws {
            let world = try MachineStore()
            var daybook: DaybookStore?
            let calls = try await world.calls { daybook = try world.open() }
            for crash in Crash.allCases {
                for (words, texts) in try outcomes(
                    crash, within: calls, of: world, choices: TestBudget.range(25, long: 100))
                {
                    #expect(texts == [], "\(words)")
                }
            }
            daybook?.close()
        }

        @Test("Equal calls and choices leave equal files")
        func isDeterministic() async throws {
            var runs: [[String: String]] = []
            for _ in 0..<2 {
                let (world, daybook) = try await begun()
                let calls = try await world.calls { try await daybook.tasks.create("three") }
                var left: [String: String] = [:]
                // Back and forth, to check that earlier queries make no difference.
                for choice in Array(0..<40 as Range<UInt64>) + [3, 2, 1] {
                    let fresh = try world.freshFolder()
                    let range = choice % 3 == 0 ? 2..<calls.lowerBound : calls
                    let words = try world.machine.leave(.power, within: range, choice: choice, in: fresh)
                    let image = try FolderFiles.image(of: fresh) { $0 != "lock.mdb" }
                    let digest = "\(words) \(image.digest)"
                    #expect(left.updateValue(digest, forKey: "\(choice)") ?? digest == digest)
                }
                runs.append(left)
                daybook.close()
            }
            #expect(runs[0] == runs[1])
            #expect(Set(runs[0].values).count > 20)
        }

        @Test("A store survives three crashes in a row, each starting from what the last one left")
        func lives() async throws {
            for seed in TestBudget.range(4, long: 15) {
                let world = try MachineStore()
                var held: [String] = []
                for life in 0..<3 {
                    let daybook = try world.open()
                    try #expect(texts(of: daybook) == held)
                    try await daybook.tasks.create("kept \(life)")
                    held.append("kept \(life)")
                    let calls = try await world.calls { try await daybook.tasks.create("asked \(life)") }
                    let fresh = try world.freshFolder()
                    let crash = Crash.allCases[Int(seed) % 2]
                    _ = try world.machine.leave(crash, within: calls, choice: seed * 3 + UInt64(life), in: fresh)
                    daybook.close()
                    try world.restart(in: fresh)
                    let reopened = try world.open()
                    let found = try texts(of: reopened)
                    #expect(found == held || found == held + ["asked \(life)"])
                    held = found
                    reopened.close()
                }
            }
        }

        @Test("Only unflushed data may be lost, and only by a power failure")
        func plainFiles() throws {
            let world = try MachineStore()
            let file = open("\(world.watched)/file", O_RDWR | O_CREAT, 0o600)
            #expect(write(file, [1, 1, 1] as [UInt8], 3) == 3 && fsync(file) == 0)
            let root = open(world.watched, O_RDONLY | O_DIRECTORY)
            #expect(fsync(root) == 0)
            let begin = world.machine.callCount
            #expect(write(file, [2, 2, 2] as [UInt8], 3) == 3)
            try FolderFiles.write([3], to: "\(world.watched)/other")
            let now = world.machine.callCount
            // Two writes and the creation of a file.
            #expect(now - begin == 3)
            func left(_ crash: Crash, _ calls: Range<Int>) throws -> Set<[[UInt8]?]> {
                try Set(
                    (0..<60 as Range<UInt64>).map { choice in
                        let fresh = try world.freshFolder()
                        _ = try world.machine.leave(crash, within: calls, choice: choice, in: fresh)
                        return ["file", "other"].map { FolderFiles.bytes(of: "\(fresh)/\($0)") }
                    })
            }
            let whole: [UInt8] = [1, 1, 1, 2, 2, 2]
            try #expect(left(.process, now..<now) == [[whole, [3]]])
            try #expect(left(.process, begin..<now) == [[whole, nil], [whole, []], [whole, [3]]])
            let found = try left(.power, now..<now)
            #expect(found.allSatisfy { $0[0]?.prefix(3) == [1, 1, 1] })
            #expect(found.isSuperset(of: [[[1, 1, 1], nil], [[1, 1, 1], [3]], [whole, nil], [whole, [3]]]))
            #expect(fsync(file) == 0 && fsync(root) == 0)
            let later = world.machine.callCount
            try #expect(left(.power, later..<later).allSatisfy { $0[0] == whole && $0[1] != nil })
            close(file)
            close(root)
        }

        @Test("Only one machine watches at a time, and each may watch several folders in sequence")
        func oneAtATime() throws {
            let world = try MachineStore()
            let other = RecordedMachine()
            let fresh = try world.freshFolder()
            #expect(throws: CrashLabError.recordingRefused(folder: fresh, code: EBUSY)) {
                try other.begin(watching: fresh)
            }
            other.end()
            try world.restart(in: fresh)
            _ = try world.open()
            #expect(world.machine.callCount > 0)
            world.machine.end()
            #expect(world.machine.callCount == 0)
            #expect(throws: CrashLabError.nothingWatched) {
                _ = try world.machine.leave(.power, within: 0..<0, choice: 0, in: fresh)
            }
            try other.begin(watching: fresh)
            #expect(throws: CrashLabError.noSuchCalls(0..<1, of: 0)) {
                _ = try other.leave(.power, within: 0..<1, choice: 0, in: fresh)
            }
        }

        @Test("A call through a file that was opened before is detected where possible")
        func strayCall() throws {
            let world = try MachineStore()
            let fresh = try world.freshFolder()
            try FolderFiles.write([], to: "\(fresh)/old")
            // Put into the watched folder unseen by the recorder.
            #expect(symlink("\(fresh)/old", "\(world.watched)/new") == 0)
            #expect(unlink("\(world.watched)/new") == 0)
            #expect(throws: CrashLabError.strayCall("remove on new")) {
                _ = try world.machine.leave(.power, within: 0..<1, choice: 0, in: fresh)
            }
        }

        @Test("Reading the lock file does not release the store's lock")
        func lockFile() async throws {
            let (world, daybook) = try await begun()
            let path = "\(world.path)/lock.mdb"
            #expect(isLocked(path))
            for choice in 0..<20 as Range<UInt64> {
                for crash in Crash.allCases {
                    _ = try world.machine.leave(crash, within: 0..<0, choice: choice, in: world.freshFolder())
                }
            }
            #expect(isLocked(path))
            #expect(LockFile.bytes(of: path)?.count ?? 0 > 1024)
            daybook.close()
            #expect(!isLocked(path))
        }

        /// Whether this process has locked a file, according to the system's own list: a query by a call needs a
        /// descriptor whose closing releases the locks.
        private func isLocked(_ path: String) -> Bool {
            var information = stat()
            guard stat(path, &information) == 0,
                let list = try? FileHandle(forReadingAtPath: "/proc/locks")?.readToEnd()
            else { return false }
            return String(decoding: list, as: UTF8.self).split(separator: "\n").contains { line in
                line.contains(" \(getpid()) ") && line.contains(":\(information.st_ino) ")
            }
        }
    }
}
