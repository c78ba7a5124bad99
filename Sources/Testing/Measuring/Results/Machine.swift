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

extension Machine {
    /// Returns this machine and the disk below a folder.
    ///
    /// Unknown facts are "unknown" or 0, since measurements are useful without them.
    public static func current(for folder: String) -> Machine {
        let release = KernelText(of: "/proc/sys/kernel/osrelease").text.split(separator: "\n").first ?? ""
        // Links are resolved, since their target may be on another disk.
        let folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        return Machine(
            processor: KernelText(of: "/proc/cpuinfo").processor,
            cores: KernelText(of: "/proc/self/status").allowedCores,
            memory: KernelText(of: "/proc/meminfo").bytes("MemTotal"), kernel: "Linux \(release) \(architecture)",
            disk: KernelText(of: "/proc/self/mountinfo").disk(below: folder))
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
}
