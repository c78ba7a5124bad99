import FoundationEssentials

#if canImport(Darwin)
    import Darwin
#endif

extension Machine {
    /// The machine that this process runs on, and the disk below a folder.
    ///
    /// What cannot be found out is "unknown" or 0: a measurement is worth something without it.
    public static func current(for folder: String) -> Machine {
        #if canImport(Darwin)
            Machine(
                processor: systemText("machdep.cpu.brand_string") ?? "unknown",
                cores: systemNumber("hw.activecpu") ?? 0, memory: systemNumber("hw.memsize") ?? 0,
                kernel: "Darwin \(systemText("kern.osrelease") ?? "") \(architecture)", disk: "unknown")
        #else
            Machine(
                processor: ProcessorText(text(of: "/proc/cpuinfo")).name,
                cores: ProcessText(text(of: "/proc/self/status")).allowedCores,
                memory: MemoryText(text(of: "/proc/meminfo")).total,
                kernel: "Linux \(line(of: "/proc/sys/kernel/osrelease")) \(architecture)",
                disk: MountText(text(of: "/proc/self/mountinfo")).disk(below: resolved(folder)))
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other architecture"
        #endif
    }

    #if canImport(Darwin)
        private static func systemNumber(_ name: String) -> Int? {
            var value: Int64 = 0
            var size = MemoryLayout<Int64>.size
            guard sysctlbyname(name, &value, &size, nil, 0) == 0 else { return nil }
            // What the system keeps in 32 bits leaves the others as they were, which is 0.
            return Int(value)
        }

        private static func systemText(_ name: String) -> String? {
            var bytes = [CChar](repeating: 0, count: 256)
            var size = bytes.count
            guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    #else
        private static func text(of file: String) -> String {
            FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }

        private static func line(of file: String) -> String {
            text(of: file).split(separator: "\n").first.map(String.init) ?? ""
        }

        /// The folder's own place: a link to it may lie on another disk.
        private static func resolved(_ folder: String) -> String {
            URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        }
    #endif
}
