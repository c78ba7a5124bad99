import FoundationEssentials

/// The machine of a measurement. Times of different machines are never compared.
public struct Machine: Sendable, Equatable, Codable {
    /// The processor's name.
    public let processor: String
    /// The number of cores.
    public let cores: Int
    /// The size of memory in bytes.
    public let memory: Int
    /// The operating system and its version.
    public let kernel: String
    /// The file system type of the stores, and its device.
    public let disk: String

    /// Creates a machine.
    public init(processor: String, cores: Int, memory: Int, kernel: String, disk: String) {
        self.processor = processor
        self.cores = cores
        self.memory = memory
        self.kernel = kernel
        self.disk = disk
    }

    /// A short identifier of this combination, without memory.
    public var fingerprint: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(processor)|\(cores)|\(disk)|\(kernel)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

#if canImport(Darwin)
    import Darwin
#endif

extension Machine {
    /// Returns this machine and the disk below a folder.
    ///
    /// Unknown facts are "unknown" or 0, since measurements are useful without them.
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
            // A 32-bit result leaves the upper bits 0.
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

        /// Resolves links, since their target may be on another disk.
        private static func resolved(_ folder: String) -> String {
            URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        }
    #endif
}
