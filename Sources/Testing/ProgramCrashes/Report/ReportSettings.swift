/// The settings of a test in its report, which a replay needs.
struct ReportSettings {
    var work = ""
    var check = ""
    var before: String?
    var folder = ""

    private static let name = "settings"

    func write(to report: String) throws(ProgramCrashError) {
        var lines = ["work=\(Self.escaped(work))", "check=\(Self.escaped(check))", "folder=\(Self.escaped(folder))"]
        if let before { lines.append("before=\(Self.escaped(before))") }
        try ReportFiles.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "\(report)/\(Self.name)")
    }

    init(work: String, check: String, before: String?, folder: String) {
        (self.work, self.check, self.before, self.folder) = (work, check, before, folder)
    }

    init(reading report: String) throws(ProgramCrashError) {
        guard let bytes = try? ReportFiles.bytes(of: "\(report)/\(Self.name)") else {
            throw .invalidReport(folder: report)
        }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let equal = line.firstIndex(of: UInt8(ascii: "=")) else { throw .invalidReport(folder: report) }
            let value = String(decoding: PercentEscapes.decoded(line[(equal + 1)...]), as: UTF8.self)
            switch String(decoding: line[..<equal], as: UTF8.self) {
            case "work": work = value
            case "check": check = value
            case "before": before = value
            case "folder": folder = value
            default: throw .invalidReport(folder: report)
            }
        }
        if check.isEmpty || folder.isEmpty { throw .invalidReport(folder: report) }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte < 32 || byte == UInt8(ascii: "%") || byte >= 127 {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            } else {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }
}
