/// What to test, and how much of it.
package struct ProgramCrashOptions: Sendable {
    /// The command that is recorded.
    package var work: String
    /// The command that runs on each image.
    package var check: String
    /// The command that prepares the folder.
    package var before: String?
    package var disks: [DiskModel] = [.killed, .ext4, .xfs]
    /// The folder of the commands; nil for a new one that is removed at the end.
    package var folder: String?
    package var acknowledgmentDescriptor = 1
    /// Kinds of broken promises that the program documents.
    package var allowed: Set<String> = []
    /// How many distinct images to check on a disk.
    package var images = 20_000
    /// The time limit for all images.
    package var seconds = 600
    /// How many checks to record and crash.
    package var recoveries = 0
    /// Whether to leave out each flush in turn.
    package var triesEachFlush = false
    package var jobs = 1
    package var seed: UInt64 = 1
    /// Draws the order of the calls that processes make at the same time; 0 for the order in which they come.
    package var interleaving: UInt64 = 0
    /// The folder of the report.
    package var report = "crash-report"
    /// A folder for temporary files, which exists.
    package var scratch: String

    package init(work: String, check: String, scratch: String) {
        self.work = work
        self.check = check
        self.scratch = scratch
    }
}
