import ByteStreams
import CFolderExchange
import Glibc

/// Puts a folder that is whole and flushed into its place, in one step.
struct FolderPlacement {
    /// The folder as it was made, beside its place.
    let draft: String
    /// Its place.
    let target: String

    /// Moves it to where nothing is, or an empty folder.
    func place() throws(FileError) {
        guard rename(draft, target) == 0 else {
            if errno == ENOTEMPTY || errno == EEXIST { throw .targetExists(path: target) }
            throw FileError(code: errno, path: target)
        }
        try FolderEntry.flush(of: target)
    }

    /// Takes the place of a folder that is there, which is kept under another name.
    ///
    /// At every moment one of the two is in the place: they are exchanged in one step where the file system can do that.
    func replace(keepingOldAt aside: String) throws(FileError) {
        // The old folder gets the draft's name by the exchange. A crash just then must not leave it under one that the
        // next restore takes for a rest of its own and removes.
        try move(draft, to: aside)
        do throws(FileError) {
            try FolderEntry.flush(of: target)
        } catch {
            try? move(aside, to: draft)
            throw error
        }
        if exchange_names(aside, target) != 0 {
            let code = errno
            try move(aside, to: draft)
            guard code == EINVAL || code == ENOSYS || code == ENOTSUP else {
                throw FileError(code: code, path: target)
            }
            try move(target, to: aside)
            do throws(FileError) {
                try move(draft, to: target)
            } catch {
                try? move(aside, to: target)
                throw error
            }
        }
        try FolderEntry.flush(of: target)
    }

    private func move(_ from: String, to new: String) throws(FileError) {
        if rename(from, new) != 0 { throw FileError(code: errno, path: new) }
    }
}
