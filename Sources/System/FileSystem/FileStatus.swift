import Glibc
import SystemErrors

/// What the system knows about a file or folder.
package struct FileStatus: Sendable {
    package enum Kind: Sendable {
        case file, folder, link, pipe, other
    }

    package let kind: Kind
    package let identity: FileIdentity
    /// The length in bytes.
    package let size: Int
    /// The bytes that it has on the disk.
    package let allocatedSize: Int
    /// Whether every name of it was removed.
    package let hasNoName: Bool
    package let owner: FileOwner
    /// When the content, the name or the owner has changed last: seconds and nanoseconds of the wall clock.
    package let changed: (seconds: Int, nanoseconds: Int)

    /// Looks at a path.
    ///
    /// - Parameter followsLinks: false to look at a symbolic link itself.
    package init(of path: String, followsLinks: Bool = true) throws(SystemCondition) {
        var information = stat()
        try check(unsafe followsLinks ? stat(path, &information) : lstat(path, &information))
        self.init(information)
    }

    /// The kind of what is at a path; nil when it cannot be looked at.
    package static func kind(of path: String, followsLinks: Bool = true) -> Kind? {
        try? FileStatus(of: path, followsLinks: followsLinks).kind
    }

    init(_ information: stat) {
        kind =
            switch information.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            default: .other
            }
        identity = FileIdentity(information)
        size = Int(information.st_size)
        allocatedSize = Int(information.st_blocks) * 512
        hasNoName = information.st_nlink == 0
        owner = FileOwner(
            user: information.st_uid, group: information.st_gid, mode: information.st_mode & 0o7777)
        let time = information.st_ctim
        changed = (time.tv_sec, time.tv_nsec)
    }
}

/// What a file or folder is, whatever its path: two paths may lead to one.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    /// Nil when there is no folder at the path.
    package init?(ofFolder path: String) {
        guard let status = try? FileStatus(of: path), status.kind == .folder else { return nil }
        self = status.identity
    }

    init(_ information: stat) {
        device = UInt64(information.st_dev)
        inode = UInt64(information.st_ino)
    }
}

/// The owner, the group and the permissions of a file or folder.
package struct FileOwner: Hashable, Sendable {
    let user: uid_t
    let group: gid_t
    let mode: mode_t

    package func isSame(as other: FileOwner) -> Bool { user == other.user && group == other.group }

    package func hasSameMode(as other: FileOwner) -> Bool { mode == other.mode }

    /// Gives a file or folder this owner and group, or else the group, as far as this user may.
    package func give(to path: String) {
        if unsafe chown(path, user, group) != 0 { unsafe chown(path, uid_t.max, group) }
    }

    /// Gives a file or folder this mode, if this user may.
    package func giveMode(to path: String) { unsafe chmod(path, mode) }

    /// Gives a file the owner, the group and the mode where those that it has differ.
    package func give(to path: String, of present: FileOwner) throws(SystemCondition) {
        if !present.isSame(as: self) { try check(unsafe chown(path, user, group)) }
        if present.mode != mode { try check(unsafe chmod(path, mode)) }
    }
}
