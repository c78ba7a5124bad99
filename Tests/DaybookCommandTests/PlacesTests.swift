import Foundation
import TestSupport
import Testing

/// The program where its users keep stores: mounts, services' folders, other users, full and read-only disks. Each test runs a
/// shell script in a mount namespace; it is skipped with a message where the system permits none.
@Suite struct PlacesTests {
    /// Runs a script in a mount namespace, with `daybook` in its path, until its first command that fails.
    ///
    /// - Returns: nil where mounts are not permitted.
    private func mounted(_ script: String, in program: borrowing TestProgram) throws -> TestProgram.Result? {
        guard try program.shell("unshare -m mount -t tmpfs none .").code == 0 else {
            print("Skipped: this user may not mount anything.")
            return nil
        }
        let bin = program.folder + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: bin + "/daybook", withDestinationPath: TestProgram.executable)
        let file = program.folder + "/script"
        // A program that counts the lines that tests reach cannot write its counts here, and would say so.
        let start = "set -eu; export LLVM_PROFILE_FILE=/dev/null; PATH=\(bin):$PATH"
        try "\(start)\n\(script)\n".write(toFile: file, atomically: true, encoding: .utf8)
        return try program.shell("chmod 755 .; unshare -m bash \(file)")
    }

    private func run(_ script: String) throws {
        let program = try TestProgram()
        guard let result = try mounted(script, in: program) else { return }
        #expect(result.code == 0, "\(result.output)\(result.errors)")
    }

    /// The shell blocks of the page, each with a fresh volume and a fresh folder for backups.
    static let blocks: [String] = {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Documentation/Running.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return text.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }()

    @Test("Every command of Running.md does what the page says", arguments: blocks)
    func page(block: String) throws {
        #expect(Self.blocks.count >= 4)
        try run(
            """
            mount -t tmpfs none /var/lib; mount -t tmpfs none /srv; mkdir -m 755 /var/lib/daybook; mkdir -m 755 /srv/backup
            \(block)
            """)
    }

    @Test("A store is created, replaced, rebuilt and emptied in a mount point, and what was there is kept in it [S-72]")
    func mountPoint() throws {
        try run(
            #"""
            mkdir v; mount -t tmpfs none v; mkdir v/lost+found; export DAYBOOK_STORE=$PWD/v
            daybook add one; daybook dump -o d; daybook snapshot create s.snapshot; daybook add two
            daybook snapshot restore s.snapshot --to v --force | grep "v/replaced-"
            daybook inbox | grep one; daybook inbox | grep -q two && exit 9
            daybook inbox --store v/replaced-* | grep two
            daybook compact; daybook verify; daybook wipe --yes
            test "$(ls v)" = "$(printf 'lost+found\n'; ls -d v/replaced-* | xargs -n1 basename)"
            daybook load d; daybook inbox | grep one; daybook wipe --yes; daybook add three; daybook inbox | grep three
            """#)
    }

    @Test("A damaged store in a mount point is rebuilt in it [S-72]")
    func rebuild() throws {
        try run(
            #"""
            mkdir v; mount -t tmpfs none v; export DAYBOOK_STORE=$PWD/v
            for i in 1 2 3 4 5 6 7 8; do echo "number $i"; done | daybook add - >ids
            LC_ALL=C sed -i 's/number 5/nUmber 5/g' v/data.mdb
            daybook verify && exit 9; daybook rebuild; daybook verify
            daybook inbox | grep "number 4"; test "$(ls -d v/replaced-* | wc -l)" = 1
            """#)
    }

    @Test("A service's folder is enough: nothing above it has to be writable [S-72]")
    func service() throws {
        try run(
            #"""
            test "$(id -u)" = 0 || { echo "Skipped: needs root."; exit 0; }
            mkdir -m 755 var out; mkdir -m 700 var/state; chown 4000:4000 var/state out; export DAYBOOK_STORE=$PWD/var/state HOME=$PWD/out
            as() { setpriv --reuid 4000 --regid 4000 --clear-groups "$@"; }
            as daybook add one; as daybook snapshot create out/s.snapshot; as daybook dump -o out/d; as daybook add two
            as daybook snapshot restore out/s.snapshot --to var/state --force | grep "state/replaced-"
            as daybook compact; as daybook verify; as daybook wipe --yes; as daybook load out/d; as daybook inbox | grep one
            """#)
    }

    @Test("What root restores, rebuilds, loads or compacts stays the service's, and looking changes nothing [S-73]")
    func root() throws {
        try run(
            #"""
            test "$(id -u)" = 0 || { echo "Skipped: needs root."; exit 0; }
            mkdir -m 755 var; mkdir -m 2750 var/state; chown 4000:4001 var/state; export DAYBOOK_STORE=$PWD/var/state HOME=$PWD
            as() { setpriv --reuid 4000 --regid 4001 --clear-groups "$@"; }
            owned() {
                test "$(stat -c '%u:%g' var/state var/state/data.mdb var/state/store.json | sort -u)" = 4000:4001
                test "$(stat -c '%a' var/state)" = 2750; as daybook add "$1"
                test "$(stat -c '%u:%g %a' var/state/lock.mdb)" = "$(stat -c '%u:%g %a' var/state/data.mdb)"
            }
            as daybook add one; daybook snapshot create s.snapshot; daybook dump -o d
            daybook snapshot restore s.snapshot --to var/state --force; owned restored
            chmod 660 var/state/data.mdb; daybook snapshot restore s.snapshot --to var/state --force; owned kept
            test "$(stat -c %a var/state/data.mdb)" = 660
            daybook compact; owned compacted
            rm var/state/lock.mdb; daybook verify; owned looked
            LC_ALL=C sed -i 's/compacted/cOmpacted/g' var/state/data.mdb; daybook rebuild; owned rebuilt
            daybook wipe --yes; mkdir -m 2750 var/state; chown 4000:4001 var/state; daybook load d; owned loaded
            """#)
    }

    @Test("A backup job on a read-only mount is never told of damage, and gets whole states [S-76]")
    func readOnlyMount() throws {
        try run(
            #"""
            mkdir ro; export DAYBOOK_STORE=$PWD/s; daybook add first; mount --bind s ro; mount -o remount,ro,bind ro
            for i in $(seq 60); do seq 5 | sed 's/^/task /' | daybook add - >>ids; done & writer=$!
            for i in 1 2 3 4 5 6; do
                daybook verify --store ro
                daybook snapshot create b$i.snapshot --store ro && daybook snapshot verify b$i.snapshot
                daybook inbox --limit 3 --store ro >list; grep first list
            done
            wait $writer; daybook dump -o all --store ro; test "$(grep -c '"collection":"tasks"' all)" = 301
            code=0; daybook add x --store ro || code=$?; test $code = 3
            """#)
    }

    @Test("A store whose folder and files may only be read is read [S-76]")
    func modes() throws {
        try run(
            #"""
            export DAYBOOK_STORE=$PWD/s; daybook add one; chmod 500 s; chmod 400 s/*
            chown -R 4000 s
            setpriv --reuid 4000 --clear-groups daybook inbox | grep one
            setpriv --reuid 4000 --clear-groups daybook verify
            code=0; setpriv --reuid 4000 --clear-groups daybook add two || code=$?; test $code = 3
            """#)
    }

    @Test("On a full disk without lock.mdb, a store is read; writing says that the disk is full")
    func fullDisk() throws {
        try run(
            #"""
            mkdir f; mount -t tmpfs -o size=1m none f; export DAYBOOK_STORE=$PWD/f/s; daybook add one
            rm f/s/lock.mdb; dd if=/dev/zero of=f/fill bs=4096 2>dd.log || true
            daybook inbox | grep one; daybook verify
            code=0; daybook add two 2>errors || code=$?; test $code = 3; grep "storage is full" errors
            rm f/fill; daybook add two; daybook verify
            """#)
    }

    @Test("With little address space, a store is created, read and written in a smaller map")
    func addressSpace() throws {
        try run(
            #"""
            export DAYBOOK_STORE=$PWD/s; daybook add one; ulimit -v 600000
            daybook inbox | grep one; daybook add two; daybook add three --store $PWD/other; daybook verify
            """#)
    }

    @Test("A store in a lower layer of an overlay is restored, compacted and removed")
    func overlay() throws {
        let program = try TestProgram()
        let result = try mounted(
            #"""
            mkdir low o; daybook add low --store low/s; daybook snapshot create s.snapshot --store low/s; daybook add x --store low/s
            mount -t tmpfs none o; mkdir o/up o/work o/m
            mount -t overlay overlay -o lowerdir=$PWD/low,upperdir=o/up,workdir=o/work o/m || { echo "Skipped: no overlays."; exit 0; }
            export DAYBOOK_STORE=$PWD/o/m/s; daybook snapshot restore s.snapshot --to o/m/s --force
            daybook inbox | grep low; daybook add y; daybook compact; daybook verify
            daybook wipe --yes; daybook inbox --store low/s | grep x
            """#, in: program)
        if let result { #expect(result.code == 0, "\(result.output)\(result.errors)") }
    }
}
