import Daybook
import FoundationEssentials
import Workloads

/// The file of a baseline.
struct BaselineFile {
    let path: String

    /// Reads it. A file that is missing or cannot be used ends the command with one line.
    func read() throws -> Baseline {
        let bytes = try InputFile.opening(path).contents()
        do {
            return try Baseline(reading: bytes)
        } catch {
            throw CommandError.unusable("\(path) cannot be used. \(error)")
        }
    }

    /// Writes what a run has counted. What it has not counted stays as the file has it.
    func write(_ run: CountedRun) throws {
        let older = FileManager.default.fileExists(atPath: path) ? try read() : nil
        let file = try AtomicFile(path: path, overwrite: true)
        try file.write(try Baseline(run, keeping: older).contents())
        try file.commit()
    }
}
