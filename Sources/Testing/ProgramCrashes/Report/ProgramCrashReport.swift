/// The result of a crash test of a program.
package struct ProgramCrashReport: Sendable {
    /// What was found on one disk.
    package struct Disk: Sendable {
        package let model: DiskModel
        package internal(set) var points = 0
        package internal(set) var images = 0
        /// The distinct images, also those that an earlier disk had.
        package internal(set) var distinct = 0
        package internal(set) var checked = 0
        package internal(set) var broken: [String: Int] = [:]
        /// Whether a limit was reached.
        package internal(set) var isCut = false
    }

    /// The smallest example of a kind: on the gentlest disk, with the fewest losses, the earliest.
    package struct Example: Sendable {
        package let kind: String
        package let text: String
        package let reproducer: String
        package let after: String
        package let acknowledged: Int
        /// The changes that are not on the disk.
        package let lost: [String]
        /// What a torn write or a size without its bytes adds.
        package let detail: String
        /// The last calls before the crash.
        package let calls: [String]
        package internal(set) var brokenOn: [DiskModel] = []
        /// The disks of which all images were checked, and none was broken in this way.
        package internal(set) var keptOn: [DiskModel] = []
        package internal(set) var isAllowed = false
    }

    /// Crashes of the check itself, which is the first to open the folder after a crash.
    package struct Recoveries: Sendable {
        package internal(set) var recorded = 0
        package internal(set) var calls = 0
        package internal(set) var images = 0
        package internal(set) var broken: [String: Int] = [:]
    }

    package internal(set) var seed: UInt64 = 0
    package internal(set) var callsByKind: [String: Int] = [:]
    package internal(set) var flushes = 0
    package internal(set) var processes = 0
    package internal(set) var acknowledged = 0
    package internal(set) var recordedMicroseconds = 0
    package internal(set) var disks: [Disk] = []
    package internal(set) var examples: [Example] = []
    package internal(set) var notes: [String] = []
    package internal(set) var warnings: [String] = []
    /// Whether the loss of everything that no flush covered was found; nil if there was nothing to lose.
    package internal(set) var findsLossWithoutFlushes: Bool?
    package internal(set) var recoveries: Recoveries?
    /// The flushes that were not shown to be needed; nil if none was left out.
    package internal(set) var needlessFlushes: [String]?
    package internal(set) var hasNamespaces = true
    package internal(set) var exploreSeconds = 0.0
    package internal(set) var checkSeconds = 0.0
    package internal(set) var seconds = 0.0

    package var isKept: Bool { examples.allSatisfy(\.isAllowed) }
    package var isCut: Bool { disks.contains(where: \.isCut) }
    package var images: Int { disks.reduce(0) { $0 + $1.images } }
    package var checked: Int { disks.reduce(0) { $0 + $1.checked } }
    package var points: Int { disks.map(\.points).max() ?? 0 }
}

/// A replayed image.
package struct ReplayedImage: Sendable {
    package let example: ProgramCrashReport.Example
    /// Whether the check found a broken promise; nil if it did not run.
    package let isBroken: Bool?
}
