import Testing

@testable import CrashTesting

@Suite struct DiskImageTests {
    @Test("Images are equal, and have the same digest, when they hold the same")
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

    @Test("A file's bytes are those of an array that was changed alike", arguments: 0..<100)
    func content(seed: UInt64) {
        var bits = SeededBits(seed: seed)
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
