import DiskImages
import DiskRecording
import Foundation
import LabSupport
import TestSupport
import Testing

@testable import CrashTesting

@Suite struct DiskImageTests {
    @Test("Images with equal content are equal and have equal digests")
    func equality() {
        let image = DiskImage(files: ["d/f": [1, 2], "g": bytes(0, count: 8192)], folders: ["e"])
        var same = DiskImage(folders: ["e", "d"])
        var holes = FileContent()
        holes.resize(to: 8192)
        same.addFile("g", holes)
        same.addFile("d/f", FileContent([1, 2]))
        #expect(image == same)
        #expect(image.digest == same.digest)
        let others = [
            DiskImage(files: ["d/f": [1, 3], "g": bytes(0, count: 8192)], folders: ["e"]),
            DiskImage(files: ["d/f": [1, 2, 0], "g": bytes(0, count: 8192)], folders: ["e"]),
            DiskImage(files: ["d/f": [1, 2], "g": bytes(0, count: 8191)], folders: ["e"]),
            DiskImage(files: ["d/f": [1, 2], "h": bytes(0, count: 8192)], folders: ["e"]),
            DiskImage(files: ["d/f": [1, 2], "g": bytes(0, count: 8192)]),
        ]
        for other in others {
            #expect(other != image)
            #expect(other.digest != image.digest)
        }
    }

    @Test(
        "A file's bytes equal those of an array that was changed in the same way",
        arguments: TestBudget.range(20, long: 100))
    func content(seed: UInt64) {
        var bits = SeededGenerator(seed: seed)
        var content = FileContent()
        var model: [UInt8] = []
        for _ in 0..<20 {
            let length = bits.number(below: 20_000)
            if bits.number(below: 3) == 0 {
                content.resize(to: length)
                model = Array(model.prefix(length)) + bytes(0, count: max(0, length - model.count))
            } else {
                let written = bytes(UInt8(bits.number(below: 256)), count: 1 + bits.number(below: 9000))
                content.write(written[...], at: length)
                model += bytes(0, count: max(0, length + written.count - model.count))
                model.replaceSubrange(length..<length + written.count, with: written)
            }
            #expect(content.bytes == model)
            #expect(content == FileContent(model))
            #expect(content.digest == FileContent(model).digest)
        }
    }
}

@Suite struct ImageTests {
    /// A file in memory and the changes to it.
    struct Model {
        enum Step {
            case write(Int, [UInt8])
            case resize(Int)
        }

        let old: [UInt8]
        let steps: [Step]
        let calls: [DiskCall]

        /// Each step lies within one page, so that it is one unit. No two writes have equal bytes.
        init(seed: UInt64, resizes: Bool) {
            var bits = SeededGenerator(seed: seed)
            old = bytes(1, count: [0, 100, 512, 700, 1536, 4096][bits.number(below: 6)])
            var steps: [Step] = []
            var calls: [DiskCall] = [.open(1, "f", O_RDWR)]
            var length = old.count
            for index in 0..<4 {
                if resizes, bits.number(below: 4) == 0 {
                    let newLength = [0, 50, 512, 1000, 5000][bits.number(below: 5)]
                    guard newLength != length else { continue }
                    steps.append(.resize(newLength))
                    calls.append(.resize(1, "f", to: newLength))
                    length = newLength
                } else {
                    let offset = [0, 32, 512, 1000, 4096][bits.number(below: 5)]
                    let written = bytes(UInt8(2 + index), count: [10, 120, 512, 1024, 1500][bits.number(below: 5)])
                    steps.append(.write(offset, written))
                    calls.append(.write(1, "f", written, at: offset))
                    length = max(length, offset + written.count)
                }
            }
            self.steps = steps
            self.calls = calls
        }

        /// The writes, with the one value that all their bytes have.
        var writes: [(index: Int, range: Range<Int>, value: UInt8)] {
            steps.enumerated().compactMap { index, step in
                guard case .write(let offset, let written) = step else { return nil }
                return (index, offset..<offset + written.count, written[0])
            }
        }

        var history: DiskHistory { DiskHistory(files: ["f": old], calls) }

        func content(_ outcome: CrashOutcome) -> [UInt8] {
            var content = old
            for (index, step) in steps.enumerated() {
                switch step {
                case .write(let offset, let written):
                    let isKept = outcome.kept.contains(index)
                    guard isKept || outcome.tail == .zeros else { continue }
                    content += bytes(0, count: max(0, offset + written.count - content.count))
                    if isKept { content.replaceSubrange(offset..<offset + written.count, with: written) }
                case .resize(let length):
                    guard outcome.kept.contains(index) else { continue }
                    content = Array(content.prefix(length)) + bytes(0, count: max(0, length - content.count))
                }
            }
            return content
        }
    }

    @Test("An image equals an array after the kept steps", arguments: TestBudget.range(12, long: 40))
    func subsets(seed: UInt64) {
        let model = Model(seed: seed, resizes: true)
        let history = model.history
        #expect(history.units.count == model.steps.count)
        for outcome in CrashOutcomes(history: history, seed: seed)
        where outcome.tears.isEmpty && outcome.tail != .garbage {
            #expect(history.image(outcome).bytes(of: "f") == model.content(outcome), "\(outcome)")
        }
    }

    /// With garbage for lost tails a file is as long as with zeros, and differs where no kept step has written.
    @Test(
        "Garbage lies only where a lost write would have extended the file", arguments: TestBudget.range(12, long: 40))
    func garbage(seed: UInt64) {
        let model = Model(seed: seed, resizes: false)
        let history = model.history
        for outcome in CrashOutcomes(history: history, seed: seed) where outcome.tail == .garbage {
            let image = history.image(outcome).bytes(of: "f") ?? []
            let zeros = model.content(CrashOutcome(kept: outcome.kept, tail: .zeros))
            #expect(image.count == zeros.count)
            let wrong = image.indices.first { offset in
                guard image[offset] != zeros[offset] else { return false }
                let isLost = model.writes.contains { !outcome.kept.contains($0.index) && $0.range.contains(offset) }
                return offset < model.old.count || !isLost || zeros[offset] != 0
            }
            #expect(wrong == nil, "\(outcome)")
            #expect(image == history.image(outcome).bytes(of: "f"))
        }
    }

    @Test("A torn write changes each sector as specified and nothing else", arguments: TestBudget.range(12, long: 40))
    func tears(seed: UInt64) throws {
        let model = Model(seed: seed, resizes: false)
        let history = model.history
        let limits = ExplorationLimits(tears: 40)
        for outcome in CrashOutcomes(history: history, limits: limits, seed: seed) where !outcome.tears.isEmpty {
            let (index, tear) = try #require(outcome.tears.first)
            let write = try #require(model.writes.first { $0.index == index })
            var before = outcome
            before.tears = [:]
            before.kept.remove(contentsOf: index + 1..<Int.max)
            let old = model.content(before)
            // Later writes may overwrite the torn one.
            let later = model.writes.filter { $0.index > index && outcome.kept.contains($0.index) }
            let image = history.image(outcome).bytes(of: "f") ?? []
            let wrong = image.indices.first { offset in
                let was = offset < old.count ? old[offset] : 0
                if let over = later.last(where: { $0.range.contains(offset) }) { return image[offset] != over.value }
                guard write.range.contains(offset) else { return image[offset] != was }
                let sector = offset / 512
                let hasOthers =
                    old.count > sector * 512 && !write.range.contains(sector * 512)
                    || min(old.count, (sector + 1) * 512) > write.range.upperBound
                let isWhole = hasOthers && offset < old.count
                return switch tear.sectors[sector - write.range.lowerBound / 512] {
                case .new: image[offset] != write.value
                case .old: image[offset] != was
                case .zero: image[offset] != (isWhole ? was : 0)
                case .garbage: isWhole && image[offset] != was
                }
            }
            #expect(wrong == nil, "\(outcome)")
        }
    }

    @Test("A write to part of a sector is complete or absent, whatever the tear specifies")
    func partOfSector() {
        let history = DiskHistory(
            files: ["data.mdb": bytes(1, count: 8192)],
            [.open(1, "data.mdb", O_RDWR), .write(1, "data.mdb", bytes(2, count: 120), at: 4096 + 32)])
        let old = history.image("keep=none")
        #expect(history.image("keep=none/tear=0:z") == old)
        #expect(history.image("keep=none/tear=0:g") == old)
        #expect(history.image("keep=none/tear=0:n") == history.pageCacheImage)
        #expect(!CrashOutcomes(history: history, seed: 1).contains { !$0.tears.isEmpty })
    }

    @Test("A whole sector of a torn write may hold anything")
    func wholeSectors() throws {
        let history = DiskHistory(
            files: ["f": bytes(1, count: 2048)], [.open(1, "f", O_RDWR), .write(1, "f", bytes(2, count: 2048), at: 0)])
        let image = try #require(history.image("keep=none/tear=0:nozg").bytes(of: "f"))
        #expect(image[..<1536] == (bytes(2, count: 512) + bytes(1, count: 512) + bytes(0, count: 512))[...])
        #expect(Set(image[1536...]).count > 100)
    }

    @Test("The tail of a file is lost, zeros or garbage")
    func tails() throws {
        let history = DiskHistory(
            files: ["f": bytes(1, count: 4096)],
            [.open(1, "f", O_RDWR), .write(1, "f", bytes(2, count: 12288), at: 4096)])
        #expect(history.image("keep=0").bytes(of: "f")?.count == 8192)
        #expect(
            history.image("keep=2").bytes(of: "f")
                == bytes(1, count: 4096) + bytes(0, count: 8192) + bytes(2, count: 4096))
        #expect(
            history.image("keep=0/tail=zeros").bytes(of: "f")
                == bytes(1, count: 4096) + bytes(2, count: 4096) + bytes(0, count: 8192))
        let garbage = try #require(history.image("keep=2/tail=garbage").bytes(of: "f"))
        #expect(garbage[..<4096] == bytes(1, count: 4096)[...])
        #expect(garbage[12288...] == bytes(2, count: 4096)[...])
        #expect(Set(garbage[4096..<12288]).count > 200)
    }

    @Test("Garbage does not overwrite what another kept write has left, even zeros")
    func garbageBelowKept() {
        let history = DiskHistory(
            files: ["f": []],
            [
                .open(1, "f", O_RDWR), .write(1, "f", bytes(0, count: 4096), at: 0),
                .write(1, "f", bytes(2, count: 4096), at: 0),
            ])
        #expect(history.image("keep=0/tail=garbage").bytes(of: "f") == bytes(0, count: 4096))
    }
}
