import DiskImages
import DiskRecording
import Glibc
import Testing

@testable import CrashTesting

@Suite struct RecordingTests {
    private func mark(_ mark: LabMark, _ value: Int64 = 0) -> DiskLog.Entry {
        .mark(kind: mark.rawValue, value: value, process: 1)
    }

    private func write(_ file: Int, _ path: String = "", synchronous: Bool = false) -> DiskLog.Entry {
        .call(.write(file, path, [1], at: 0, synchronous: synchronous))
    }

    // MARK: Normalized calls

    @Test("A call through a descriptor gets the path that it was opened with")
    func paths() {
        let entries: [DiskLog.Entry] = [
            .call(.open(1, "home/store/data.mdb")), .call(.open(2, "home")), write(1), .call(.flush(2, "")),
            .call(.open(3, "home/store/data.mdb")), write(3), write(1),
        ]
        #expect(
            entries.normalized.calls.map(\.path) == [
                "home/store/data.mdb", "home", "home/store/data.mdb", "home", "home/store/data.mdb",
                "home/store/data.mdb", "home/store/data.mdb",
            ])
    }

    @Test("Calls on lock files are dropped, by path and by descriptor; marks and other calls are kept")
    func lockFiles() {
        let kept: [DiskLog.Entry] = [
            mark(.issued), .call(.open(2, "home/store/data.mdb")), write(2, "home/store/data.mdb"),
            .call(.open(3, "home/store/block.mdb")), mark(.acknowledged),
        ]
        var entries = kept
        entries.insert(.call(.open(1, "home/store/lock.mdb")), at: 1)
        entries.insert(.call(.resize(1, "", to: 8192)), at: 3)
        entries.insert(.call(.remove("home/.store.new/lock.mdb")), at: 5)
        entries.append(write(1))
        #expect(entries.normalized == kept)
    }

    @Test("The recorded folder keeps its empty path")
    func folderItself() {
        let entries: [DiskLog.Entry] = [.call(.open(1, "")), .call(.flush(1, ""))]
        #expect(entries.normalized == entries)
    }

    // MARK: The last pending call

    private func isLast(_ entries: [DiskLog.Entry]) -> Bool? {
        guard case .call(let call)? = entries.first else { return nil }
        return entries.isLast(0, ofPendingCalls: call)
    }

    @Test("A write is not the last pending call while another one follows")
    func notLast() {
        let name = "data.mdb"
        let followers: [DiskCall] = [
            .write(1, name, [1], at: 9), .resize(1, name, to: 9), .allocate(1, name, 0..<9), .remove(name),
            .rename(name, to: "b"), .makeFolder("d"), .removeFolder("d"), .open(2, "new"),
        ]
        for follower in followers {
            #expect(isLast([write(1, name), .call(follower), .call(.flush(1, name))]) == false, "\(follower.kind)")
        }
    }

    @Test("A write is the last pending call before a flush, a synchronous write, certain marks, and the end")
    func last() {
        let name = "data.mdb"
        #expect(isLast([write(1, name)]) == true)
        let ends: [DiskLog.Entry] = [
            .call(.flush(1, name)), .call(DiskCall(kind: .flushData, file: 1)), write(1, name, synchronous: true),
            mark(.issued), mark(.acknowledged),
        ]
        for end in ends { #expect(isLast([write(1, name), end, write(1, name)]) == true, "\(end)") }
    }

    @Test("Calls that change nothing and other marks are skipped")
    func passedOver() {
        let name = "data.mdb"
        let nothing: [DiskLog.Entry] = [
            .call(DiskCall(kind: .close, file: 1)), .call(DiskCall(kind: .map, file: 1)),
            .call(.open(2, name, 0)), mark(.state), mark(.digest), mark(.undoDepth),
        ]
        #expect(isLast([write(1, name)] + nothing + [write(1, name)]) == false)
        #expect(isLast([write(1, name)] + nothing + [.call(.flush(1, name))]) == true)
        #expect(isLast([write(1, name)] + nothing) == true)
    }

    @Test("A call that leaves nothing pending is always explored")
    func durable() {
        let name = "data.mdb"
        for entry in [
            .call(.flush(1, name)), .call(DiskCall(kind: .flushData, file: 1)), write(1, name, synchronous: true),
        ] as [DiskLog.Entry] {
            #expect(isLast([entry, write(1, name)]) == true)
        }
    }

    // MARK: Calls without effect

    @Test("Openings through which nothing changes are left out: one more of them shifts no other call")
    func openings() {
        let name = "home/store/data.mdb"
        func opening(_ file: Int, flags: Int32 = O_RDWR, then calls: DiskCall...) -> [DiskLog.Entry] {
            let open = DiskCall(kind: .open, file: file, path: name, flags: UInt32(flags), result: 7)
            return ([open] + calls + [DiskCall(kind: .close, file: file)]).map { .call($0) }
        }
        let failed = DiskCall(kind: .open, path: name, result: -1, error: EIO)
        let effective =
            opening(1, then: DiskCall(kind: .flush, file: 1)) + opening(2, flags: O_RDWR | O_CREAT)
            + opening(3, flags: O_RDWR | O_TRUNC) + [.call(failed), mark(.issued, 1)]
        let without = opening(4) + opening(5, then: DiskCall(kind: .map, file: 5))
        for entries in [effective, without + effective, effective + without] {
            #expect(Recording(start: DiskImage(), entries: entries, lockFile: []).entries == effective)
        }
    }

    // MARK: States

    @Test("States are listed by digest, and a state may occur twice")
    func states() {
        let recording = Recording(
            start: DiskImage(),
            entries: [
                mark(.issued, 0), mark(.acknowledged, 0), mark(.state, 0), mark(.digest, -5), mark(.undoDepth, 3),
                mark(.issued, 1), mark(.acknowledged, 1), mark(.state, 1), mark(.digest, 8), mark(.undoDepth, 4),
                mark(.state, 2), mark(.digest, -5), mark(.undoDepth, 3),
            ], lockFile: [])
        #expect(recording.states == [UInt64(bitPattern: -5): [0, 2], 8: [1]])
        #expect(recording.undoDepths == [3, 4, 3])
    }
}
