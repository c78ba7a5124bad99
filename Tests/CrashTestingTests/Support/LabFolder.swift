import Foundation

@testable import CrashTesting

/// A folder for stores of the lab, in memory where there is such a file system; it goes with this value.
final class LabFolder {
    let path: String
    var store: String { "\(path)/\(Recording.storePath)" }
    /// Hears what a child would say to the lab.
    let voice: ChildVoice

    init() throws {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        path = "\(parent)/daybook-lab-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        voice = ChildVoice(pipe: open("/dev/null", O_WRONLY | O_CLOEXEC))
    }

    deinit {
        close(voice.pipe)
        try? FileManager.default.removeItem(atPath: path)
    }
}
