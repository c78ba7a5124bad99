import Daybook
import FoundationEssentials

/// The memory of this process, as the kernel counts it.
struct MemoryUse {
    /// Pages that no other process has: `Private_Clean` and `Private_Dirty`.
    var total = 0
    /// Of these, the mapped pages of the store's files.
    var ofStore = 0
    /// Memory that no file stands behind: `Anonymous`.
    var anonymous = 0

    /// Now, from `/proc/self/smaps`.
    static func now(storeFolder: String) throws -> MemoryUse {
        var use = MemoryUse()
        var isStore = false
        let text = try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else { continue }
            if !first.hasSuffix(":") {
                isStore = words.last.map { String(decoding: $0, as: UTF8.self).hasPrefix(storeFolder) } ?? false
                continue
            }
            guard words.count > 1, let kilobytes = Int(String(decoding: words[1], as: UTF8.self)) else { continue }
            if first == "Private_Clean:" || first == "Private_Dirty:" {
                use.total += kilobytes * 1024
                if isStore { use.ofStore += kilobytes * 1024 }
            } else if first == "Anonymous:" {
                use.anonymous += kilobytes * 1024
            }
        }
        return use
    }

    /// Shows Today and the statistics and makes a thousand creates; looks at the memory after each step, and while
    /// creating after every fifty. One line of numbers: the end, then the highest of each.
    static func text(of peer: any Peer, in folder: String) throws -> String {
        var peak = MemoryUse()
        var last = MemoryUse()
        func look() throws {
            last = try now(storeFolder: folder)
            peak.total = max(peak.total, last.total)
            peak.ofStore = max(peak.ofStore, last.ofStore)
            peak.anonymous = max(peak.anonymous, last.anonymous)
        }
        try look()
        _ = try peer.today()
        try look()
        _ = try peer.counts()
        _ = try peer.counts(of: Arena.month())
        try look()
        let day = try Moments.createDay()
        for number in 0..<1000 {
            try peer.create(Sentences.create(number), on: day)
            if number % 50 == 49 { try look() }
        }
        return [last.total, last.ofStore, last.anonymous, peak.total, peak.ofStore, peak.anonymous]
            .map(String.init).joined(separator: " ")
    }
}
