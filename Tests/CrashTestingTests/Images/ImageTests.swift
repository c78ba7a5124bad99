import Foundation
import Testing

@testable import CrashTesting

@Suite struct ImageTests {
    /// A file in memory, and what was done to it since.
    struct Model {
        enum Step {
            case write(Int, [UInt8])
            case resize(Int)
        }

        let old: [UInt8]
        let steps: [Step]
        let calls: [DiskCall]

        /// Steps within one page each, so that each of them is one unit. No write brings the bytes of another one.
        init(seed: UInt64, resizes: Bool) {
            var bits = SeededBits(seed: seed)
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

        /// The writes alone, with the one value that each has in all its bytes.
        var writes: [(index: Int, range: Range<Int>, value: UInt8)] {
            steps.enumerated().compactMap { index, step in
                guard case .write(let offset, let written) = step else { return nil }
                return (index, offset..<offset + written.count, written[0])
            }
        }

        var history: DiskHistory { DiskHistory(files: ["f": old], calls) }

        func content(_ recipe: ImageRecipe) -> [UInt8] {
            var content = old
            for (index, step) in steps.enumerated() {
                switch step {
                case .write(let offset, let written):
                    let isKept = recipe.kept.contains(index)
                    guard isKept || recipe.tail == .zeros else { continue }
                    content += bytes(0, count: max(0, offset + written.count - content.count))
                    if isKept { content.replaceSubrange(offset..<offset + written.count, with: written) }
                case .resize(let length):
                    guard recipe.kept.contains(index) else { continue }
                    content = Array(content.prefix(length)) + bytes(0, count: max(0, length - content.count))
                }
            }
            return content
        }
    }

    @Test("An image holds what an array holds after the kept steps", arguments: 0..<40)
    func subsets(seed: UInt64) {
        let model = Model(seed: seed, resizes: true)
        let history = model.history
        #expect(history.units.count == model.steps.count)
        for recipe in RecipeSource(history: history, seed: seed) where recipe.tears.isEmpty && recipe.tail != .garbage {
            #expect(history.image(recipe).bytes(of: "f") == model.content(recipe), "\(recipe)")
        }
    }

    /// With garbage for lost tails a file is as long as with zeros, and differs in what no kept step has written.
    @Test("Garbage lies only where a lost write would have made the file longer", arguments: 0..<40)
    func garbage(seed: UInt64) {
        let model = Model(seed: seed, resizes: false)
        let history = model.history
        for recipe in RecipeSource(history: history, seed: seed) where recipe.tail == .garbage {
            let image = history.image(recipe).bytes(of: "f") ?? []
            let zeros = model.content(ImageRecipe(kept: recipe.kept, tail: .zeros))
            #expect(image.count == zeros.count)
            let wrong = image.indices.first { offset in
                guard image[offset] != zeros[offset] else { return false }
                let isLost = model.writes.contains { !recipe.kept.contains($0.index) && $0.range.contains(offset) }
                return offset < model.old.count || !isLost || zeros[offset] != 0
            }
            #expect(wrong == nil, "\(recipe)")
            #expect(image == history.image(recipe).bytes(of: "f"))
        }
    }

    @Test("A torn write leaves each sector as the tear says, and everything else alone", arguments: 0..<40)
    func tears(seed: UInt64) throws {
        let model = Model(seed: seed, resizes: false)
        let history = model.history
        let limits = ExplorationLimits(tears: 40)
        for recipe in RecipeSource(history: history, limits: limits, seed: seed) where !recipe.tears.isEmpty {
            let (index, tear) = try #require(recipe.tears.first)
            let write = try #require(model.writes.first { $0.index == index })
            var before = recipe
            before.tears = [:]
            before.kept.remove(contentsOf: index + 1..<Int.max)
            let old = model.content(before)
            // Later writes may lie over the torn one: what they wrote does not tell about it.
            let later = model.writes.filter { $0.index > index && recipe.kept.contains($0.index) }
            let image = history.image(recipe).bytes(of: "f") ?? []
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
            #expect(wrong == nil, "\(recipe)")
        }
    }

    @Test("A write into part of a sector is there or not, whatever the tear says")
    func partOfSector() {
        let history = DiskHistory(
            files: ["data.mdb": bytes(1, count: 8192)],
            [.open(1, "data.mdb", O_RDWR), .write(1, "data.mdb", bytes(2, count: 120), at: 4096 + 32)])
        let old = history.image("keep=none")
        #expect(history.image("keep=none/tear=0:z") == old)
        #expect(history.image("keep=none/tear=0:g") == old)
        #expect(history.image("keep=none/tear=0:n") == history.pageCacheImage)
        #expect(!RecipeSource(history: history, seed: 1).contains { !$0.tears.isEmpty })
    }

    @Test("A whole sector of a torn write may be anything")
    func wholeSectors() throws {
        let history = DiskHistory(
            files: ["f": bytes(1, count: 2048)], [.open(1, "f", O_RDWR), .write(1, "f", bytes(2, count: 2048), at: 0)])
        let image = try #require(history.image("keep=none/tear=0:nozg").bytes(of: "f"))
        #expect(image[..<1536] == (bytes(2, count: 512) + bytes(1, count: 512) + bytes(0, count: 512))[...])
        #expect(Set(image[1536...]).count > 100)
    }

    @Test("The tail of a file: lost, zeros or garbage")
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

    @Test("Garbage is not laid over what another kept write has left, were it zeros")
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
