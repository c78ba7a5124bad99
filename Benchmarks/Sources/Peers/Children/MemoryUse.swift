import Daybook

/// The memory of this process according to the kernel.
struct MemoryUse {
    /// Private pages: `Private_Clean` and `Private_Dirty`.
    var total = 0
    /// Those of them that are mapped pages of the store's files.
    var ofStore = 0
    /// Memory without a file: `Anonymous`.
    var anonymous = 0

    /// Returns the present values from `/proc/self/smaps`.
    static func now(storeFolder: String) throws -> MemoryUse {
        var use = MemoryUse()
        var isStore = false
        for line in try ProcessFile.lines(of: "/proc/self/smaps") {
            let words = line.split(separator: " ")
            guard let name = words.first else { continue }
            if !name.hasSuffix(":") {
                isStore = words.last?.hasPrefix(storeFolder) == true
                continue
            }
            guard words.count > 1, let kilobytes = Int(words[1]) else { continue }
            if name == "Private_Clean:" || name == "Private_Dirty:" {
                use.total += kilobytes * 1024
                if isStore { use.ofStore += kilobytes * 1024 }
            } else if name == "Anonymous:" {
                use.anonymous += kilobytes * 1024
            }
        }
        return use
    }

    /// Shows Today and the statistics and creates tasks. Samples the memory after each step, and during creates after
    /// every fifty. Prints one line of numbers: the final values, then the peaks.
    static func text(of peer: any Peer, creates: Int, in folder: String) throws -> String {
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
        for number in 0..<creates {
            try peer.create(Sentences.create(number), on: day)
            if number % 50 == 49 { try look() }
        }
        return [last.total, last.ofStore, last.anonymous, peak.total, peak.ofStore, peak.anonymous]
            .map(String.init).joined(separator: " ")
    }
}
