import CivilTime

extension Instant {
    /// `20260210T091500Z`: whole seconds, without signs between the numbers, as iCalendar and Taskwarrior have it.
    package var basicText: String {
        var bytes: [UInt8] = []
        bytes.append(self)
        var basic: [UInt8] = []
        basic.reserveCapacity(16)
        for byte in bytes where byte != UInt8(ascii: "-") && byte != UInt8(ascii: ":") {
            if byte == UInt8(ascii: ".") { break }
            basic.append(byte)
        }
        if basic.last != UInt8(ascii: "Z") { basic.append(UInt8(ascii: "Z")) }
        return String(decoding: basic, as: UTF8.self)
    }

    /// `2026-02-10T091500Z`: whole seconds, as a part of a file's name, which must not have a colon everywhere.
    package var fileNameText: String {
        description.prefix { $0 != "." && $0 != "Z" }.replacing(":", with: "") + "Z"
    }
}
