import CivilTime
import FoundationEssentials
import Glibc
import LabSupport

/// Runs a range of mutations of one reader. The parent process watches it, since it may crash or hang.
package struct FuzzWorker {
    private let reader: FuzzReader
    private let seed: UInt64
    private let range: Range<Int>
    /// Its files, and the number of the current mutation.
    private let folder: String
    private let notes: Int32
    private let deadline: MonotonicTime?
    private let clock: any TimeSource

    /// The file for the number of the current mutation.
    static let notes = "notes"

    /// - Parameter work: the first mutation, the end, and the folder of the run, as in `0:100:/tmp/daybook-fuzz`.
    package init?(_ work: String, of reader: FuzzReader, seed: UInt64, seconds: Int?, clock: any TimeSource) {
        let words = work.split(separator: ":", maxSplits: 2)
        guard words.count == 3, let first = Int(words[0]), let end = Int(words[1]), first <= end else { return nil }
        self.reader = reader
        self.seed = seed
        self.clock = clock
        range = first..<end
        folder = "\(words[2])/files"
        notes = open("\(words[2])/\(Self.notes)", O_WRONLY)
        deadline = seconds.map { clock.monotonic.advanced(byMicroseconds: Int64($0) * 1_000_000) }
    }

    /// Prints the results, with one line `finding NUMBER KIND TEXT` for each finding, and `next NUMBER` at the end.
    package func run() async throws {
        Limits.limitMemory()
        // The worker before may have crashed.
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let target = try await reader.target(seed: seed, in: folder)
        var tally = Tally()
        var next = range.lowerBound
        while next < range.upperBound, Limits.peak <= Limits.peakBytes {
            if let deadline, next & 15 == 0, clock.monotonic > deadline { break }
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
package struct FuzzReplay: Sendable {
    private let reader: FuzzReader
    private let seed: UInt64
    private let number: Int

    /// - Parameter text: reader, seed and number, as in `ics:7:1234`.
    package init?(_ text: String) {
        let words = text.split(separator: ":").map(String.init)
        guard words.count == 3, let reader = FuzzReader(words[0]), let seed = UInt64(words[1]),
            let number = Int(words[2])
        else { return nil }
        (self.reader, self.seed, self.number) = (reader, seed, number)
    }

    /// Returns whether nothing was found.
    ///
    /// - Parameter folder: an empty folder of this process.
    package func run(in folder: String) async throws -> Bool {
        let target = try await reader.target(seed: seed, in: folder)
        var random = SeededGenerator(seed: seed, reader: reader.name, number: number)
        let input = try target.input(&random)
        let path = "/tmp/daybook-fuzz-\(reader.name)-\(seed)-\(number)"
        try FuzzFile.write(input, to: path)
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
