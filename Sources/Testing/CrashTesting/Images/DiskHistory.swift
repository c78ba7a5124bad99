import DiskImages
import DiskRecording
import Glibc

/// What a disk is certain to hold, and what else it may hold, after a sequence of calls.
///
/// - Flushing a file makes its bytes and length durable; flushing a folder makes the names in it durable. Nothing else
///   is.
/// - A write through a synchronous descriptor is durable when it returns, together with earlier writes to its pages.
/// - Changes of a failed flush may or may not reach the disk. No later flush makes them durable unless the same page or
///   name changes again.
/// - A durable change makes earlier changes of the same page, length or name durable.
struct DiskHistory: Sendable {
    /// The content of every image before units are applied.
    private(set) var durable: FileTree
    /// The changes that are not durable yet, in the order of the calls.
    private(set) var units: [PendingUnit] = []
    /// Calls that match no known file: the recording has missed something.
    private(set) var strayCalls: [DiskCall] = []

    private var current: FileTree
    private var openFiles: [Int: FileTree.Number] = [:]
    private var nextNumber: FileTree.Number

    /// Creates a history in which everything on the disk is durable.
    init(_ image: DiskImage) {
        durable = FileTree(image)
        current = durable
        nextNumber = image.files.count + image.folders.count + 1
    }

    /// What processes see, and what the death of a process leaves.
    var pageCacheImage: DiskImage { current.image }

    /// Applies a call that has returned.
    mutating func apply(_ call: DiskCall) {
        take(call, hasReturned: true)
    }

    /// Applies a call that was in progress when the machine stopped.
    mutating func begin(_ call: DiskCall) {
        take(call, hasReturned: false)
    }

    private mutating func take(_ call: DiskCall, hasReturned: Bool) {
        switch call.kind {
        case .flushMap, .map: return
        case .close: openFiles[call.file] = nil
        case .write: write(call, hasReturned: hasReturned)
        case .flush, .flushData: if hasReturned { flush(call) }
        default: if !call.hasFailed { change(call) }
        }
    }

    private mutating func change(_ call: DiskCall) {
        switch call.kind {
        case .open: open(call)
        case .resize: resize(call, to: call.offset)
        case .allocate:
            guard let file = number(of: call) else { return strayCalls.append(call) }
            resize(call, to: max(current.length(of: file), call.offset + call.length))
        case .rename where call.flags & Self.exchangeFlag != 0: exchange(call)
        case .rename: rename(call)
        case .link: link(call)
        case .remove, .removeFolder: remove(call)
        case .makeFolder: make(call)
        case .close, .write, .flush, .flushData, .flushMap, .map: break
        }
    }

    // MARK: Files

    private mutating func open(_ call: DiskCall) {
        if current.number(at: call.path) == nil {
            guard call.flags & UInt32(O_CREAT) != 0 else { return strayCalls.append(call) }
            make(call)
        }
        openFiles[call.file] = current.number(at: call.path)
        if call.flags & UInt32(O_TRUNC) != 0 { resize(call, to: 0) }
    }

    /// A failed write may still have bytes: those that reached the system before the error.
    private mutating func write(_ call: DiskCall, hasReturned: Bool) {
        guard !call.bytes.isEmpty else { return }
        guard let file = number(of: call) else { return strayCalls.append(call) }
        let parts = PageWrite.cut(call.bytes, at: call.offset, file: file)
        for part in parts {
            add(.write(part), description(of: part, path: call.path))
        }
        guard call.isSynchronous, hasReturned else { return }
        let written = units.count - parts.count..<units.count
        if call.hasFailed {
            for index in written { units[index].isAbandoned = true }
        } else {
            makeDurable { index, _ in written.contains(index) }
        }
    }

    private mutating func resize(_ call: DiskCall, to length: Int) {
        guard let file = number(of: call) else { return strayCalls.append(call) }
        guard length != current.length(of: file) else { return }
        add(.resize(file: file, length: length), "resize \(call.path) to \(length)")
    }

    private func description(of write: PageWrite, path: String) -> String {
        let place = "write \(path) page \(write.pageNumber)"
        if write.wholePage != nil { return place }
        let start = write.offset % Page.size
        return "\(place) bytes \(start)..<\(start + write.bytes.count)"
    }

    // MARK: Names

    private mutating func make(_ call: DiskCall) {
        guard let place = place(of: call.path) else { return strayCalls.append(call) }
        let number = nextNumber
        nextNumber += 1
        if call.kind == .makeFolder {
            current.addFolder(number)
            durable.addFolder(number)
            add(.link(place, number), "make folder \(call.path)")
        } else {
            current.addFile(number)
            durable.addFile(number)
            add(.link(place, number), "create \(call.path)")
        }
    }

    private mutating func rename(_ call: DiskCall) {
        guard let old = place(of: call.path), let new = place(of: call.otherPath),
            let number = current.number(at: call.path)
        else { return strayCalls.append(call) }
        // POSIX: renaming one name of a file to another of the same file does nothing.
        guard number != current.number(at: call.otherPath) else { return }
        add(
            .rename(from: old, to: new, number, left: placesLeft(by: number, now: old)),
            "rename \(call.path) to \(call.otherPath)")
    }

    /// Returns the places in its folder that a file has left by renames that are not durable yet.
    private func placesLeft(by number: FileTree.Number, now place: DiskChange.Place) -> Set<DiskChange.Place> {
        var left: Set<DiskChange.Place> = []
        var known = place
        func add(_ old: DiskChange.Place) {
            if old.folder == place.folder, current.folders[old.folder]?[old.name] != number { left.insert(old) }
        }
        for unit in units.reversed() {
            switch unit.change {
            case .rename(let old, let new, number, _) where new == known:
                known = old
                add(old)
            case .exchange(let one, let first, let two, let second, let others):
                // It may have taken the other's earlier name if that rename is lost.
                if first == number, two == known {
                    known = one
                } else if second == number, one == known {
                    known = two
                } else {
                    continue
                }
                for other in others { add(other) }
            default: continue
            }
        }
        return left
    }

    /// Both names exist before and after.
    private mutating func exchange(_ call: DiskCall) {
        guard let one = place(of: call.path), let two = place(of: call.otherPath),
            let first = current.number(at: call.path), let second = current.number(at: call.otherPath)
        else { return strayCalls.append(call) }
        guard first != second else { return }
        let left = placesLeft(by: first, now: one).union(placesLeft(by: second, now: two))
        add(.exchange(one, first, with: two, second, left: left), "exchange \(call.path) and \(call.otherPath)")
    }

    private mutating func link(_ call: DiskCall) {
        // A file without a name has the empty path here, which otherwise means the recorded folder.
        guard let place = place(of: call.otherPath), let number = current.number(at: call.path), !call.path.isEmpty
        else {
            return strayCalls.append(call)
        }
        add(.link(place, number), "link \(call.path) to \(call.otherPath)")
    }

    /// RENAME_EXCHANGE, which the C library declares for GNU programs only.
    static let exchangeFlag: UInt32 = 2

    private mutating func remove(_ call: DiskCall) {
        guard let place = place(of: call.path), current.number(at: call.path) != nil else {
            return strayCalls.append(call)
        }
        add(.unlink(place), "remove \(call.path)")
    }

    private func place(of path: String) -> DiskChange.Place? {
        guard !path.isEmpty, let folder = current.number(at: DiskImage.folder(of: path)) else { return nil }
        return DiskChange.Place(folder: folder, name: DiskImage.name(of: path))
    }

    private func number(of call: DiskCall) -> FileTree.Number? {
        openFiles[call.file] ?? current.number(at: call.path)
    }

    // MARK: Durability

    private mutating func add(_ change: DiskChange, _ description: String) {
        current.apply(change)
        units.append(PendingUnit(change: change, description: description))
    }

    private mutating func flush(_ call: DiskCall) {
        guard let number = number(of: call) else { return strayCalls.append(call) }
        if call.hasFailed {
            for index in units.indices where units[index].change.belongs(to: number) {
                units[index].isAbandoned = true
            }
        } else {
            makeDurable { _, unit in !unit.isAbandoned && unit.change.belongs(to: number) }
        }
    }

    private mutating func makeDurable(_ isFlushed: (Int, PendingUnit) -> Bool) {
        var settled: [DiskChange] = []
        var rest: [PendingUnit] = []
        // In reverse, since a change makes earlier ones of the same target durable.
        for (index, unit) in units.enumerated().reversed() {
            if isFlushed(index, unit) || settled.contains(where: unit.change.isBound) {
                settled.append(unit.change)
            } else {
                rest.append(unit)
            }
        }
        for change in settled.reversed() { durable.apply(change) }
        units = rest.reversed()
        removeUnreachableFiles()
    }

    /// Files that no name leads to, now or later, make no difference in any image.
    private mutating func removeUnreachableFiles() {
        var below = durable.folders.mapValues { Array($0.values) }
        for unit in units {
            switch unit.change {
            case .link(let place, let number), .rename(_, let place, let number, _):
                below[place.folder, default: []].append(number)
            case .exchange(let one, let first, let two, let second, _):
                below[one.folder, default: []].append(second)
                below[two.folder, default: []].append(first)
            case .write, .resize, .unlink: break
            }
        }
        var reached: Set = [FileTree.root]
        var waiting = [FileTree.root]
        while let folder = waiting.popLast() {
            for number in below[folder] ?? [] where reached.insert(number).inserted { waiting.append(number) }
        }
        durable.removeAll { !reached.contains($0) }
        units.removeAll { !reached.contains(where: $0.change.belongs) }
    }
}
