import Glibc
import Threading

/// A folder that is found again wherever it was moved to, by a descriptor.
package final class OpenFolder: Sendable {
    private let descriptor: Int32
    private let generation = ForkGuard.generation

    /// Nil when it cannot be opened.
    package init?(_ path: String) {
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        ForkGuard.closeInChildren(descriptor)
    }

    deinit {
        // The child of a fork has closed it; the number may belong to another file.
        guard descriptor >= 0, generation == ForkGuard.generation else { return }
        ForkGuard.forget(descriptor)
        close(descriptor)
    }

    /// Removes a folder in it that holds files only, as far as that is possible.
    package func removeFolder(_ name: String) {
        let folder = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Takes the descriptor over.
        guard let directory = unsafe fdopendir(folder) else {
            close(folder)
            return
        }
        while let entry = unsafe readdir(directory) {
            // Fails for "." and "..", which are folders.
            _ = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe unlinkat(folder, $0, 0) }
            }
        }
        unsafe closedir(directory)
        _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
    }
}
