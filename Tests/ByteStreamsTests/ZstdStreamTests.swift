import TestSupport
import Testing

@testable import ByteStreams

@Suite struct ZstdStreamTests {
    private func compressed(_ bytes: [UInt8], partSize: Int = 1000) throws -> [UInt8] {
        var result: [UInt8] = []
        let writer = ZstdWriter { (part) throws(FileError) in result += part }
        let source = byteSource(of: bytes, partSize: partSize)
        while true {
            let part = try source()
            if part.isEmpty { break }
            try writer.write(part)
        }
        try writer.finish()
        return result
    }

    private func decompressed(_ bytes: [UInt8], partSize: Int = 1000) throws -> [UInt8] {
        let reader = ZstdReader(byteSource(of: bytes, partSize: partSize))
        var result: [UInt8] = []
        while true {
            let part = try reader.next()
            if part.isEmpty { return result }
            result += part
        }
    }

    private func content(_ count: Int) -> [UInt8] {
        var dice = Dice(UInt64(count))
        return (0..<count).map { $0 % 3 == 0 ? UInt8(truncatingIfNeeded: dice.next()) : UInt8(ascii: "a") }
    }

    @Test("Decompression returns what was compressed", arguments: [0, 1, 1000, 131_072, 400_000])
    func whatWasCompressedComesBack(_ count: Int) throws {
        let content = content(count)
        for partSize in [1, 7, 4096, 1 << 20] where count < 2000 || partSize > 1 {
            let file = try compressed(content, partSize: partSize)
            #expect(ZstdReader.isCompressed(file))
            #expect(try decompressed(file, partSize: partSize) == content)
        }
    }

    @Test("Consecutive frames are read as one file")
    func framesOneAfterAnotherAreOneFile() throws {
        let (first, second) = (content(5000), content(300))
        #expect(
            try decompressed(compressed(first) + compressed([]) + compressed(second), partSize: 10) == first + second)
    }

    @Test("A file truncated anywhere is reported as damaged")
    func aFileCutOffAnywhereIsDamaged() throws {
        let file = try compressed(content(3000))
        for length in 1..<file.count {
            #expect(throws: FileError.damagedCompression) { try decompressed(Array(file[..<length])) }
        }
    }

    @Test("A file with any bit changed is reported as damaged or gives the same content")
    func aFileWithAnyBitChangedIsDamagedOrTheSame() throws {
        let content = content(500)
        let file = try compressed(content)
        for bit in 0..<file.count * 8 {
            var changed = file
            changed[bit / 8] ^= 1 << (bit % 8)
            do {
                #expect(try decompressed(changed) == content)
            } catch {
                #expect(error as? FileError == .damagedCompression)
            }
        }
        #expect(throws: FileError.damagedCompression) { try decompressed(file + bytes("rest")) }
    }

    @Test("A decompression bomb is refused")
    func aBombIsRefused() throws {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var file: [UInt8] = []
        let writer = ZstdWriter(level: 19) { (part) throws(FileError) in file += part }
        for _ in 0..<300 { try writer.write(zeros) }
        try writer.finish()
        let reader = ZstdReader(byteSource(of: file))
        var count = 0
        do {
            while true {
                let part = try reader.next()
                if part.isEmpty { break }
                count += part.count
            }
            Issue.record("it was read")
        } catch {
            #expect(error == .excessiveExpansion)
            #expect(count <= 256 << 20)
        }
    }

    @Test("A frame cannot request more memory than the limit")
    func memoryDoesNotFollowWhatAFrameAsksFor() {
        // A frame whose header requests a window of 2 GiB.
        #expect(throws: FileError.damagedCompression) {
            try decompressed([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00])
        }
    }

    @Test("An error of the sink is thrown to the caller")
    func whatTheSinkThrowsComesOut() throws {
        let writer = ZstdWriter { (_) throws(FileError) in throw .diskFull(path: "x") }
        #expect(throws: FileError.diskFull(path: "x")) {
            try writer.write(content(1_000_000))
            try writer.finish()
        }
    }
}
