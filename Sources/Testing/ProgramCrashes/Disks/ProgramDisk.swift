import DiskImages

/// What a disk is certain to hold, and what else it may hold, after some events of a recording.
///
/// The rules were compared with real ext4 and XFS: all of 158 images after power cuts were in the model, byte for byte.
final class ProgramDisk {
    private enum Key: Hashable {
        case name(PendingChange.Place)
        case page(file: Int, page: Int)
        case size(file: Int)
        case cut(file: Int)
        case growth(file: Int)
        case journal
    }

    let model: DiskModel
    /// The content that every image has.
    private(set) var durable: FolderTree
    /// The content without a crash.
    private(set) var cache: FolderTree
    /// The changes that no flush has covered, in the order of the calls.
    private(set) var pending: [PendingChange] = []
    /// Events about files that the recording does not know: it has missed something.
    private(set) var strayEvents: [TraceEvent] = []
    /// How often changes have become durable.
    private(set) var flushCount = 0
    private var numbers: [Int: Int]
    private var last: [Key: PendingChange] = [:]
    private var truncated: Set<Int> = []
    private let isIgnored: (TraceEvent) -> Bool

    /// - Parameter isIgnored: selects flushes that have no effect.
    init(
        _ model: DiskModel, of recording: ProgramRecording,
        ignoring isIgnored: @escaping (TraceEvent) -> Bool = { _ in false }
    ) {
        self.model = model
        self.isIgnored = isIgnored
        durable = recording.before
        cache = recording.before
        numbers = recording.inodes
    }

    deinit {
        // Otherwise a long chain of needs would be released by as many nested calls.
        for change in pending { change.needs = [] }
    }

    // MARK: Events

    /// Applies an event. Returns the changes that are durable when it returns, for ``harden(_:)``: a crash may come before.
    @discardableResult
    func apply(_ event: TraceEvent) -> [PendingChange] {
        switch event.kind {
        case .create: create(event)
        case .link: if let file = number(event.inode, event) { link(event, file) }
        case .unlink: unlink(event)
        case .rename: rename(event)
        case .size: if let file = number(event.inode, event) { resize(file, to: event.size, event) }
        case .write: if let file = number(event.inode, event) { return write(event, to: file) }
        case .sync: if let file = number(event.inode, event), !isIgnored(event) { return flushed(file, event) }
        case .flushAll: if !isIgnored(event) { return pending }
        case .close:
            // Bytes of a file that was truncated and written anew reach the disk soon after it is closed, before later names.
            if model.isJournaled, let file = numbers[event.inode], truncated.contains(file) { allocate(file, event) }
        case .mode:
            if let file = numbers[event.inode] {
                cache.nodes[file].mode = event.mode
                durable.nodes[file].mode = event.mode
            }
        default: break
        }
        return []
    }

    private func number(_ inode: Int, _ event: TraceEvent) -> Int? {
        guard let number = numbers[inode] else {
            strayEvents.append(event)
            return nil
        }
        return number
    }

    private func place(_ folder: Int, _ path: [UInt8], _ event: TraceEvent) -> PendingChange.Place? {
        number(folder, event).map { PendingChange.Place(folder: $0, name: cache.names.number(ofPath: path)) }
    }

    private func create(_ event: TraceEvent) {
        var node = TreeNode(kind: event.nodeKind)
        node.target = event.other
        node.mode = event.mode
        let file = cache.nodes.count
        cache.nodes.append(node)
        durable.nodes.append(node)
        numbers[event.inode] = file
        // A file without a name has no folder.
        if event.folder != 0 { link(event, file) }
    }

    private func link(_ event: TraceEvent, _ file: Int) {
        guard let place = place(event.folder, event.path, event) else { return }
        add(PendingChange(.link(place), event, file: file), [.name(place)])
    }

    private func unlink(_ event: TraceEvent) {
        guard let file = number(event.inode, event), let place = place(event.folder, event.path, event) else { return }
        add(PendingChange(.unlink(place), event, file: file), [.name(place)])
    }

    private func rename(_ event: TraceEvent) {
        guard let file = number(event.inode, event), let old = place(event.folder, event.path, event),
            let new = place(event.otherFolder, event.other, event)
        else { return }
        // ext4 writes a file's bytes before it records that the file replaces another.
        if model == .ext4, event.replaced != 0, !event.isExchange { allocate(file, event) }
        let kind: PendingChange.Kind =
            event.isExchange ? .exchange(old, with: new, other: numbers[event.replaced]) : .rename(old, to: new)
        add(PendingChange(kind, event, file: file), [.name(old), .name(new)])
    }

    private func allocate(_ file: Int, _ event: TraceEvent) {
        let change = PendingChange(.allocation, event, file: file)
        change.needs = pending.filter { $0.isWrite && $0.file == file }
        if !change.needs.isEmpty { add(change, []) }
    }

    private func resize(_ file: Int, to size: Int, _ event: TraceEvent) {
        let former = cache.nodes[file].content.length
        let change = PendingChange(.resize(size), event, file: file)
        if size < former { truncated.insert(file) }
        add(change, [.size(file: file)])
        if size < former { last[.cut(file: file)] = change }
    }

    private func write(_ event: TraceEvent, to file: Int) -> [PendingChange] {
        var made: [PendingChange] = []
        var rest = event.bytes
        var offset = event.offset
        while !rest.isEmpty {
            let part = rest.prefix(Page.size - offset % Page.size)
            made.append(writePage(part, at: offset, of: file, event))
            rest = rest.dropFirst(part.count)
            offset += part.count
        }
        guard event.isSynchronous, !isIgnored(event) else { return [] }
        return made + flushed(file, nil).filter { change in !change.isWrite }
    }

    private func writePage(
        _ bytes: ArraySlice<UInt8>, at offset: Int, of file: Int, _ event: TraceEvent
    ) -> PendingChange {
        let change = PendingChange(.write(offset: offset, bytes: bytes), event, file: file)
        let end = offset + bytes.count
        let size = cache.nodes[file].content.length
        if let cut = last[.cut(file: file)], !cut.isDurable, case .resize(let cutSize) = cut.kind, end > cutSize {
            change.needs.append(cut)
        }
        change.extends = end > size
        if model == .ext4, change.extends, size % Page.size != 0, offset / Page.size == size / Page.size {
            // The page with the end of the file is allocated already: ext4 records the new size at once, in the journal, and
            // writes the bytes some time later.
            let early = PendingChange(.earlySize(end, offset: offset), event, file: file)
            add(early, [])
            change.needs.append(early)
        }
        if change.extends, model.isJournaled {
            if let before = last[.growth(file: file)], !before.isDurable { change.needs.append(before) }
            last[.growth(file: file)] = change
        }
        add(change, [.page(file: file, page: offset / Page.size)])
        return change
    }

    /// Adds a change behind those of the same names, page or size, and on a journaling disk behind all names and sizes.
    private func add(_ change: PendingChange, _ keys: [Key]) {
        for key in keys + (model.isJournaled && !change.isWrite ? [.journal] : []) {
            if let before = last[key], !before.isDurable, !change.needs.contains(where: { $0 === before }) {
                change.needs.append(before)
            }
            last[key] = change
        }
        change.index = pending.count
        pending.append(change)
        change.apply(to: &cache)
    }

    // MARK: Flushes

    /// The changes that a flush of a file or folder covers, without those that they need.
    private func flushed(_ file: Int, _ event: TraceEvent?) -> [PendingChange] {
        var covered: [PendingChange]
        if let event, event.hasRange {
            let first = event.offset / Page.size
            let end = (event.offset + event.length + Page.size - 1) / Page.size
            covered = pending.filter { change in
                guard change.file == file else { return false }
                if case .resize = change.kind { return true }
                return change.isWrite && first <= change.page && change.page < end
            }
        } else if cache.nodes[file].kind == .folder {
            covered = pending.filter { $0.changesName(in: file) }
        } else {
            covered = pending.filter { change in
                guard change.file == file else { return false }
                switch change.kind {
                case .write, .resize, .earlySize: return true
                default: return false
                }
            }
        }
        guard model.isJournaled else { return covered }
        // It commits the journal up to the last change of the file or folder.
        let last = pending.lastIndex { change in
            change.isWrite ? change.file == file && change.extends : change.file == file || change.changesName(in: file)
        }
        if let last { covered += pending[...last].filter { !$0.isWrite } }
        return covered
    }

    /// Makes changes durable, with everything that they need.
    func harden(_ changes: [PendingChange]) {
        if !changes.isEmpty { flushCount += 1 }
        var chosen: Set<ObjectIdentifier> = []
        var open = changes
        while let change = open.popLast() {
            guard !change.isDurable, chosen.insert(ObjectIdentifier(change)).inserted else { continue }
            open += change.needs
        }
        var rest: [PendingChange] = []
        for change in pending {
            guard chosen.contains(ObjectIdentifier(change)) else {
                rest.append(change)
                continue
            }
            change.apply(to: &durable)
            change.isDurable = true
            change.needs = []
            // Bytes behind the new end are gone.
            if case .resize(let size) = change.kind {
                rest.removeAll { former in
                    let isGone = former.isWrite && former.file == change.file && former.range.lowerBound >= size
                    if isGone { former.isDurable = true }
                    return isGone
                }
            }
        }
        pending = rest
        for (index, change) in pending.enumerated() {
            change.index = index
            change.needs.removeAll(where: \.isDurable)
        }
    }
}
