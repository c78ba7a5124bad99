import CDiskLog
import DiskRecording
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// How names are logged: created, renamed, linked, removed.
    @Suite struct DiskLogNameTests {
        let folder: RecordedFolder

        init() throws {
            folder = try RecordedFolder()
        }

        @Test("Created, renamed and removed names are logged with both paths, however they are spelled")
        func names() throws {
            close(folder.create("a"))
            #expect(mkdir(folder.file("inner/"), 0o700) == 0)
            #expect(rename(folder.file("./inner/../a"), folder.file("inner/b")) == 0)
            #expect(symlink(folder.file("inner"), folder.file("link")) == 0)
            #expect(rename(folder.file("link/b"), folder.file("link/c")) == 0)
            let inner = open(folder.file("link"), O_RDONLY | O_DIRECTORY)
            #expect(mkdirat(inner, "deep", 0o700) == 0)
            #expect(unlinkat(inner, "deep", AT_REMOVEDIR) == 0)
            #expect(renameat(inner, "c", AT_FDCWD, folder.file("d")) == 0)
            close(inner)
            #expect(unlink(folder.file("link")) == 0)
            #expect(unlink(folder.file("d")) == 0)
            #expect(rmdir(folder.file("inner")) == 0)
            let expected: [(DiskCall.Kind, String, String)] = [
                (.open, "a", ""), (.close, "", ""), (.makeFolder, "inner", ""), (.rename, "a", "inner/b"),
                (.rename, "inner/b", "inner/c"), (.open, "inner", ""), (.makeFolder, "inner/deep", ""),
                (.removeFolder, "inner/deep", ""), (.rename, "inner/c", "d"), (.close, "", ""),
                (.remove, "link", ""), (.remove, "d", ""), (.removeFolder, "inner", ""),
            ]
            let calls = try folder.calls
            #expect(calls.map(\.kind) == expected.map(\.0))
            #expect(calls.map(\.path) == expected.map(\.1))
            #expect(calls.map(\.otherPath) == expected.map(\.2))
        }

        @Test("A link is logged with both names, even across the folder's border; a refused one as failed")
        func links() throws {
            let outside = "\(folder.path)-outside"
            defer { unlink(outside) }
            close(folder.create("a"))
            #expect(mkdir(folder.file("inner"), 0o700) == 0)
            let inner = open(folder.file("inner"), O_RDONLY | O_DIRECTORY)
            errno = 77
            #expect(link(folder.file("./a"), folder.file("inner/b")) == 0 && errno == 77)
            #expect(linkat(inner, "b", AT_FDCWD, outside, 0) == 0)
            #expect(link(folder.file("a"), folder.file("inner/b")) == -1 && errno == EEXIST)
            close(inner)
            let links = try folder.calls(.link)
            #expect(links.map(\.path) == ["a", "inner/b", "a"])
            #expect(links.map(\.otherPath) == ["inner/b", outside.replacing("//", with: "/"), "inner/b"])
            #expect(links.map(\.error) == [0, 0, EEXIST])
            var status = stat()
            #expect(stat(outside, &status) == 0 && status.st_nlink == 3)
        }

        @Test("A link through a symbolic link is logged with the target's name only if the link is followed")
        func linksOfLinks() throws {
            close(folder.create("a"))
            #expect(symlink(folder.file("a"), folder.file("s")) == 0)
            #expect(linkat(AT_FDCWD, folder.file("s"), AT_FDCWD, folder.file("b"), AT_SYMLINK_FOLLOW) == 0)
            #expect(link(folder.file("s"), folder.file("c")) == 0)
            try #expect(folder.calls(.link).map(\.path) == ["a", "s"])
        }

        @Test("An exchange is distinguished from a rename, and a rename that must not replace does not")
        func exchanges() throws {
            for (name, byte) in [("a", 1), ("b", 2)] as [(String, UInt8)] {
                let descriptor = folder.create(name)
                #expect(write(descriptor, [byte], 1) == 1)
                close(descriptor)
            }
            let (a, b) = (folder.file("a"), folder.file("b"))
            let (noReplace, exchange) = (UInt32(1), DiskHistory.exchangeFlag)
            #expect(renameat2(AT_FDCWD, a, AT_FDCWD, b, exchange) == 0)
            #expect(renameat2(AT_FDCWD, a, AT_FDCWD, b, noReplace) == -1 && errno == EEXIST)
            #expect(renameat2(AT_FDCWD, a, AT_FDCWD, folder.file("c"), noReplace) == 0)
            let calls = try folder.calls
            #expect(calls.filter { $0.kind == .rename }.map(\.flags) == [exchange, noReplace, noReplace])
            #expect(calls.filter { $0.kind == .rename }.map(\.error) == [0, EEXIST, 0])
            var history = DiskHistory(DiskImage())
            var normalizer = CallNormalizer()
            for call in calls.compactMap({ normalizer.normalized($0) }) { history.apply(call) }
            #expect(history.pageCacheImage == DiskImage(files: ["b": [1], "c": [2]]))
            try #expect(FolderFiles.image(of: folder.path) == history.pageCacheImage)
            #expect(history.strayCalls.isEmpty)
        }

        @Test("A rename across the folder's border logs the full path outside")
        func border() throws {
            let outside = "\(folder.path)-outside"
            close(folder.create("a"))
            #expect(rename(folder.file("a"), outside) == 0)
            #expect(rename(outside, folder.file("b")) == 0)
            let renames = try folder.calls(.rename)
            #expect(renames.map(\.path) == ["a", outside.replacing("//", with: "/")])
            #expect(renames.map(\.otherPath) == [outside.replacing("//", with: "/"), "b"])
        }

        @Test("A recording resolves links to the folder and other spellings of its path")
        func linkedFolder() throws {
            DiskLog.end()
            let link = "\(folder.path)-link"
            #expect(symlink(folder.path, link) == 0)
            defer { unlink(link) }
            try DiskLog.begin(folder: "\(link)/.")
            close(folder.create("a"))
            close(open("\(link)/../\(link.split(separator: "/").last!)/a", O_RDONLY))
            try #expect(folder.calls(.open).map(\.path) == ["a", "a"])
        }
    }
}
