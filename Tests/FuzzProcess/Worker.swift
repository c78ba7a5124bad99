import FoundationEssentials
import Glibc
import LabSupport

/// Runs a range of mutations of one reader. The parent process watches it, since it may crash or hang.
struct Worker {
    let reader: FuzzReader
    let seed: UInt64
    let range: Range<Int>
    /// The file for the number of the current mutation.
    let notes: Int32
    let deadline: ContinuousClock.Instant?

    /// Prints the results, with one line `finding NUMBER KIND TEXT` for each finding, and `next NUMBER` at the end.
    func run() async throws {
        Limits.limitMemory()
        let folder = try ScratchFolder.make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let target = try await reader.target(seed: seed, in: folder)
        var tally = Tally()
        var next = range.lowerBound
        while next < range.upperBound, Limits.peak <= Limits.peakBytes {
            if let deadline, next & 15 == 0, ContinuousClock.now > deadline { break }
            note(next)
            Limits.startClock()
            Plant.spring(at: next)
            do {
                tally.add(try Self.verdict(on: next, reader, seed, target))
            } catch let finding as Finding {
                report(next, finding.kind, finding.text)
            } catch {
                report(next, "untyped", "\(error)")
            }
            if Limits.peak > Limits.peakBytes { report(next, "memory", "\(Limits.peak >> 20) MiB") }
            next += 1
        }
        tally.peakBytes = Limits.peak
        for line in tally.lines { print(line) }
        print("next \(next)")
    }

    static func verdict(
        on number: Int, _ reader: FuzzReader, _ seed: UInt64, _ target: any FuzzTarget
    ) throws -> Verdict {
        var random = SeededGenerator(seed: seed, reader: reader.name, number: number)
        let input = try target.input(&random)
        return try target.read(input, &random)
    }

    private func note(_ number: Int) {
        var number = Int64(number)
        pwrite(notes, &number, 8, 0)
    }

    /// Prints a finding immediately, since the next mutation may end the process.
    private func report(_ number: Int, _ kind: String, _ text: String) {
        let line = String(text.prefix(2_000).map { $0.isNewline ? " " : $0 })
        print("finding \(number) \(kind) \(line)")
        fflush(nil)
    }
}

/// Repeats one mutation in this process without limits: writes its input to a file and prints the outcome.
enum Replay {
    /// Returns whether nothing was found.
    static func run(_ reader: FuzzReader, seed: UInt64, number: Int) async throws -> Bool {
        let folder = try ScratchFolder.make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let target = try await reader.target(seed: seed, in: folder)
        var random = SeededGenerator(seed: seed, reader: reader.name, number: number)
        let input = try target.input(&random)
        let path = "/tmp/daybook-fuzz-\(reader.name)-\(seed)-\(number)"
        try ScratchFolder.write(input, to: path)
        print("input: \(path), \(input.count) bytes")
        // The reader may crash.
        fflush(nil)
        do {
            print("\(try target.read(input, &random)); peak \(Limits.peak >> 20) MiB")
            return Limits.peak <= Limits.peakBytes
        } catch let finding as Finding {
            print("FOUND \(finding.kind): \(finding.text)")
            return false
        }
    }
}
