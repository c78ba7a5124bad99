/// What Linux tells of its memory, as in /proc/meminfo.
struct MemoryText {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// All of it, in bytes.
    var total: Int {
        for line in text.split(separator: "\n") where line.hasPrefix("MemTotal:") {
            let words = line.split(separator: " ")
            if words.count >= 2, let kibibytes = Int(words[1]) { return kibibytes * 1024 }
        }
        return 0
    }
}
