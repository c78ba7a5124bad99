import CivilTime
import Records
import Testing

@testable import ByteStreams
@testable import Snapshots

@Suite("Round trips of snapshots")
struct SnapshotRoundTripTests {
    @Test("A snapshot that lets writers go first has the same bytes")
    func pace() throws {
        var random = RandomRecords(seed: 41)
        let state = SnapshotState(collections: random.collections(atMost: 3_000))
        var time: Int64 = 0
        let pace = BackgroundPace(
            lastTransaction: { UInt64(time) },
            now: {
                time += 700
                return MonotonicTime(microseconds: time)
            }, sleep: { time += $0 })
        for _ in 0..<100 { pace.step() }
        #expect(pace.isShared)
        let manifest = state.manifest()
        #expect(
            try state.file(manifest, blockLimit: 16, since: nil, pace: pace)
                == state.file(manifest, blockLimit: 16, since: nil))
    }

    @Test("Every record is restored byte for byte, whatever its fields", arguments: 0..<40)
    func roundTrip(seed: UInt64) throws {
        var random = RandomRecords(seed: seed)
        let state = SnapshotState(collections: random.collections(atMost: seed % 8 == 0 ? 3_000 : 120))
        let file = try state.file(level: [1, 3, 19][Int(seed % 3)])
        let reader = try snapshotReader(file, pieces: 1 + random.below(5_000))
        #expect(try recordsOf(reader) == state.collections)
        #expect(reader.manifest == state.manifest())
    }

    @Test("The same state gives the same bytes")
    func deterministic() throws {
        var random = RandomRecords(seed: 99)
        let state = SnapshotState(collections: random.collections(atMost: 500))
        #expect(try state.file() == state.file())
    }

    @Test("An empty store has a snapshot")
    func empty() throws {
        #expect(try recordsOf(snapshotReader(SnapshotState(collections: [:]).file())).isEmpty)
    }

    @Test("Records that fill several blocks, and one that is longer than a block, are restored")
    func blocks() throws {
        var random = RandomRecords(seed: 3)
        var records: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<70_000 { records[random.key(1)] = [1, 2, 1, UInt8(random.below(3))] }
        records[[7]] = [1, 1, 6, 0, 0, 0x90, 0] + [UInt8](repeating: 10, count: 0x90_0000)
        let state = SnapshotState(collections: ["tasks": records])
        let file = try state.file()
        #expect(try recordsOf(snapshotReader(file, pieces: 100_000)) == state.collections)
        // Ids and one of three states: 9.25 random bytes and little else.
        #expect(file.count < 70_000 * 14)
    }

    @Test("A full snapshot and the incremental ones after it give the last state", arguments: 0..<25)
    func chain(seed: UInt64) throws {
        var random = RandomRecords(seed: seed + 1_000)
        var state = SnapshotState(collections: random.collections(atMost: 60))
        var files = [try state.file()]
        for _ in 0..<random.below(4) {
            let before = state
            change(&state, &random)
            files.append(try state.file(since: before, files[files.count - 1]))
        }
        let chain = try SnapshotChain(try files.map { try snapshotReader($0) }, checkingEveryState: seed % 2 == 0)
        var found: RandomRecords.Collections = [:]
        var previous: (Int, [UInt8])?
        while try chain.next() {
            if let previous, previous.0 == chain.collection { #expect(previous.1.precedes(chain.key)) }
            previous = (chain.collection, chain.key)
            found[chain.names[chain.collection], default: [:]][chain.key] = chain.value
        }
        #expect(found == state.collections.filter { !$0.value.isEmpty })
        #expect(chain.manifest.collections == state.manifest().collections)
    }

    @Test("A chain whose records differ from the manifest is refused, even if every file is valid on its own")
    func forgedSums() throws {
        let first = SnapshotState(collections: ["tasks": [[1]: [1], [2]: [2]]], sequence: 1)
        let second = SnapshotState(collections: ["tasks": [[1]: [1], [2]: [9]]], sequence: 2)
        let third = SnapshotState(collections: ["tasks": [[1]: [1], [2]: [9], [3]: [3]]], sequence: 3)
        /// Reads a chain whose middle or last snapshot has a value that its manifest does not cover.
        func readChain(forging forged: Int?, checkingEveryState: Bool) throws {
            var states = [first, second, third]
            if let forged { states[forged].collections["tasks"]?[[2]] = [8] }
            let files = [
                try first.file(),
                try states[1].file(
                    second.manifest(base: SnapshotBase(first.manifest(), fileName: "a.snapshot")), since: first),
                // Whatever the middle one has, the last one restores the right value of the key.
                try states[2].file(
                    third.manifest(base: SnapshotBase(try middleManifest(), fileName: "b.snapshot")),
                    since: forged == 1 ? states[1] : second),
            ]
            for file in files {
                let reader = try snapshotReader(file)
                while try reader.next() {}
            }
            let chain = try SnapshotChain(
                try files.enumerated().map { try snapshotReader($1, path: "\($0).snapshot") },
                checkingEveryState: checkingEveryState)
            while try chain.next() {}
        }
        func middleManifest() throws -> SnapshotManifest {
            second.manifest(base: SnapshotBase(first.manifest(), fileName: "a.snapshot"))
        }
        func damage(_ number: Int) -> FileError {
            .damagedSnapshot(path: "\(number).snapshot", reason: "its records differ from its manifest")
        }
        for checkingEveryState in [false, true] {
            try readChain(forging: nil, checkingEveryState: checkingEveryState)
            #expect(throws: damage(2)) { try readChain(forging: 2, checkingEveryState: checkingEveryState) }
        }
        try readChain(forging: 1, checkingEveryState: false)
        #expect(throws: damage(1)) { try readChain(forging: 1, checkingEveryState: true) }
    }

    private func change(_ state: inout SnapshotState, _ random: inout RandomRecords) {
        state.sequence += 1 + UInt64(random.below(5))
        for name in state.collections.keys.sorted() {
            let kind = random.below(4)
            for key in (state.collections[name] ?? [:]).keys.sorted(by: { $0.precedes($1) }) {
                if random.chance(5) { state.collections[name]?[key] = nil }
                if random.chance(5) { state.collections[name]?[key] = random.value(odd: random.chance(9)) }
            }
            for _ in 0..<random.below(9) { state.collections[name]?[random.key(kind)] = random.value(odd: false) }
            if random.chance(4) { state.collections[name] = nil }
        }
        if random.chance(3) { state.collections["new"] = [[1, 2]: random.value(odd: false)] }
    }

    @Test("The sums of an incremental snapshot are the same when it is written and when it is read")
    func sums() throws {
        let before = SnapshotState(collections: ["a": [[1]: [1], [2]: [2]], "b": [[1]: [1]]], sequence: 1)
        let after = SnapshotState(collections: ["a": [[1]: [9]], "b": [[1]: [1], [3]: [3]]], sequence: 2)
        func sums(_ changes: (SnapshotWriter) throws -> Void) throws -> (written: SnapshotSums, read: SnapshotSums) {
            let output = Output()
            let base = SnapshotBase(before.manifest(), fileName: "base.snapshot")
            let writer = try SnapshotWriter(after.manifest(base: base), level: 3) { (bytes) throws(FileError) in
                output.chunks.append(bytes)
            }
            try changes(writer)
            try writer.finish()
            let reader = try snapshotReader(writer.header.bytes + output.chunks.joined())
            while try reader.next() {}
            return (writer.sums, reader.sums)
        }
        func key(_ number: UInt8) -> [UInt8] { [number] }
        let right = try sums { writer in
            try writer.append(key: key(1).span.bytes, value: key(9).span.bytes, to: 0)
            try writer.appendRemoval(of: key(2).span.bytes, from: 0)
            try writer.append(key: key(3).span.bytes, value: key(3).span.bytes, to: 1)
        }
        #expect(right.written == right.read)
        let other = try sums { writer in
            try writer.append(key: key(1).span.bytes, value: key(9).span.bytes, to: 0)
            try writer.appendRemoval(of: key(3).span.bytes, from: 0)
            try writer.append(key: key(3).span.bytes, value: key(3).span.bytes, to: 1)
        }
        #expect(other.read != right.read)
    }

    @Test("A snapshot continues only the one before it")
    func brokenChain() throws {
        var random = RandomRecords(seed: 5)
        let first = SnapshotState(collections: random.collections(atMost: 30))
        var second = first
        second.sequence += 1
        second.collections["more"] = [[1]: [1]]
        var third = second
        third.sequence += 1
        var files = [try first.file()]
        files.append(try second.file(since: first, files[0]))
        files.append(try third.file(since: second, files[1]))
        func chain(_ numbers: [Int]) throws { _ = try SnapshotChain(try numbers.map { try snapshotReader(files[$0]) }) }
        try chain([0, 1, 2])
        let broken = FileError.brokenChain(path: "a.snapshot", base: "base.snapshot")
        #expect(throws: broken) { try chain([0, 2]) }
        #expect(throws: broken) { try chain([1, 2]) }
        #expect(throws: FileError.brokenChain(path: "a.snapshot", base: "no other")) { try chain([0, 0]) }
    }
}
