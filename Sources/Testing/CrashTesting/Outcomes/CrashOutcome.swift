import DiskImages
import FoundationEssentials
import Glibc

/// What a crash leaves of a history's pending units: which are kept, by index, and which are torn. All others are lost.
struct CrashOutcome: Sendable, Hashable {
    /// Kept completely. None of them is torn.
    var kept = RangeSet<Int>()
    var tears: [Int: Tear] = [:]
    var tail = TailRule.lost

    /// Everything that is not durable is lost.
    static let none = CrashOutcome()

    /// Describes what became of a unit.
    func fate(of unit: Int) -> String {
        if let tear = tears[unit] { return "torn: \(tear)" }
        return kept.contains(unit) ? "kept" : "lost"
    }

    /// Everything has reached the disk.
    static func all(of count: Int) -> CrashOutcome {
        CrashOutcome(kept: RangeSet(0..<count))
    }
}

/// The text form is used on command lines, so it has no spaces and no characters that a shell interprets.
extension CrashOutcome: LosslessStringConvertible {
    /// For example "keep=0,2-5/tear=6:nnoooooo,7:on/tail=zeros"; empty parts after the first are omitted.
    var description: String {
        let ranges = kept.ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound - 1)"
        }
        var parts = ["keep=" + (ranges.isEmpty ? "none" : ranges.joined(separator: ","))]
        if !tears.isEmpty {
            let tears = tears.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
            parts.append("tear=" + tears.joined(separator: ","))
        }
        if tail != .lost { parts.append("tail=\(tail.rawValue)") }
        return parts.joined(separator: "/")
    }

    init?(_ text: String) {
        self.init()
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let value = part[part.index(after: sign)...]
            let isGood =
                switch part[..<sign] {
                case "keep": readKept(value)
                case "tear": readTears(value)
                case "tail": readTail(value)
                default: false
                }
            guard isGood else { return nil }
        }
        guard !tears.keys.contains(where: kept.contains) else { return nil }
    }

    private mutating func readKept(_ text: Substring) -> Bool {
        if text == "none" { return true }
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
                first >= 0, first <= last, last < Int.max
            else { return false }
            kept.insert(contentsOf: first..<last + 1)
        }
        return true
    }

    private mutating func readTears(_ text: Substring) -> Bool {
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = item.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, let index = Int(halves[0]), index >= 0, let tear = Tear(String(halves[1])) else {
                return false
            }
            tears[index] = tear
        }
        return true
    }

    private mutating func readTail(_ text: Substring) -> Bool {
        guard let rule = TailRule(rawValue: String(text)) else { return false }
        tail = rule
        return true
    }
}

/// What a torn write has left in each of its 512-byte sectors.
struct Tear: Sendable, Hashable {
    enum Sector: Character, Sendable, CaseIterable {
        case new = "n"
        /// As before the write; beyond the end of the file, nothing.
        case old = "o"
        case zero = "z"
        case garbage = "g"
    }

    var sectors: [Sector]
}

extension Tear: LosslessStringConvertible {
    /// A letter for each sector, for example "nnoooooo".
    var description: String { String(sectors.map(\.rawValue)) }

    init?(_ text: String) {
        sectors = text.compactMap(Sector.init)
        guard !sectors.isEmpty, sectors.count == text.count else { return nil }
    }
}

/// What a file holds in place of a lost write that would have extended it.
enum TailRule: String, Sendable, CaseIterable {
    /// Nothing: the file ends with the last kept byte.
    case lost
    /// The length is durable, the bytes are not.
    case zeros
    /// The length is durable; the bytes are whatever the disk held there.
    case garbage
}

extension CrashOutcome {
    /// The kind of outcome, as counted in the coverage table.
    func className(of unitCount: Int) -> String {
        if !tears.isEmpty { return "torn write" }
        let tail = self.tail == .lost ? "" : ", \(self.tail.rawValue) in the extension"
        return switch kept.ranges.reduce(0, { $0 + $1.count }) {
        case unitCount: "everything kept: the death of a process"
        case 0: "nothing unsynced kept\(tail)"
        case unitCount - 1: "all but one kept\(tail)"
        case 1: "only one kept\(tail)"
        default: "some kept\(tail)"
        }
    }
}

/// What `lock.mdb` may hold after a crash. It is mapped memory that is never flushed, so it may hold anything.
enum LockFile: Int, CaseIterable, Sendable {
    case absent
    case empty
    /// As the run left it: with readers, mutex, and a transaction number that may be newer than the data.
    case stale
    case zeros
    case garbage

    var name: String { "\(self)" }

    /// Puts the lock file into an image.
    ///
    /// - Parameters:
    ///   - stale: what the run left in it; empty for no file.
    ///   - store: the store's folder in the image.
    func put(into image: inout DiskImage, stale: [UInt8], store: String = Recording.storePath) {
        let bytes: [UInt8]? =
            switch self {
            case .absent: nil
            case .empty: []
            case .stale: stale.isEmpty ? nil : stale
            case .zeros: [UInt8](repeating: 0, count: 8192)
            case .garbage: (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
            }
        guard store.isEmpty || image.folders.contains(store) else { return }
        let path = store.isEmpty ? Self.fileName : "\(store)/\(Self.fileName)"
        image.removeFile(path)
        if let bytes { image.addFile(path, FileContent(bytes)) }
    }

    static let fileName = "lock.mdb"

    /// Returns the bytes of a lock file that this process may have open; nil if it does not exist.
    ///
    /// Closing any descriptor of a file releases all locks that the process holds on it, including a store's claim. So
    /// the file is read through the descriptor that is open already, if there is one.
    static func bytes(of path: String) -> [UInt8]? {
        var wanted = stat()
        guard stat(path, &wanted) == 0 else { return nil }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            var found = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &found) == 0, found.st_ino == wanted.st_ino,
                found.st_dev == wanted.st_dev
            else { continue }
            var bytes = [UInt8](repeating: 0, count: Int(found.st_size))
            return pread(descriptor, &bytes, bytes.count, 0) == bytes.count ? bytes : nil
        }
        return FolderFiles.bytes(of: path)
    }
}
