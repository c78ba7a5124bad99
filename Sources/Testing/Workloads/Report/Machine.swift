/// What a measurement ran on. Numbers of different machines are never compared.
public struct Machine: Sendable, Equatable, Codable {
    /// The processor's name.
    public let processor: String
    /// How many cores.
    public let cores: Int
    /// Bytes of memory.
    public let memory: Int
    /// The operating system and its version.
    public let kernel: String
    /// The kind of file system that the stores lay on, and its device.
    public let disk: String

    /// A machine as it was found or read.
    public init(processor: String, cores: Int, memory: Int, kernel: String, disk: String) {
        self.processor = processor
        self.cores = cores
        self.memory = memory
        self.kernel = kernel
        self.disk = disk
    }

    /// A short name of this combination: the same for the same machine. Memory is not part of it.
    public var fingerprint: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(processor)|\(cores)|\(disk)|\(kernel)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
