import FoundationEssentials
import Testing

@testable import Measuring

@Suite struct MachineTests {
    @Test("The name of an x86 processor is found")
    func x86Processor() {
        let text =
            "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD  EPYC 9R14\nprocessor\t: 1\n"
        #expect(KernelText(text).processor == "AMD EPYC 9R14")
    }

    @Test("An ARM processor is named by implementer and part")
    func armProcessor() {
        let head = "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: "
        #expect(KernelText(head + "0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n").processor == "ARM Neoverse N1")
        #expect(KernelText(head + "0x41\nCPU part\t: 0xfff\n").processor == "CPU implementer 0x41 part 0xfff")
        // The same part number of another implementer is another core.
        #expect(KernelText(head + "0x61\nCPU part\t: 0xd0c\n").processor == "CPU implementer 0x61 part 0xd0c")
    }

    @Test("A text without a processor name yields an unknown processor")
    func unknownProcessor() {
        #expect(KernelText("").processor == "unknown")
        #expect(KernelText("model name\t:\nCPU part\t: 0xd0c\n").processor == "unknown")
    }

    @Test("Available cores are counted")
    func cores() {
        #expect(KernelText("Name:\tbench\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8,10-11\n").allowedCores == 7)
        #expect(KernelText("Cpus_allowed_list:\t5\n").allowedCores == 1)
        #expect(KernelText("Name:\tbench\n").allowedCores == 0)
    }

    @Test("The size of memory is read")
    func readsTheMemory() {
        #expect(KernelText("MemTotal:       24684084 kB\nMemFree:  1 kB\n").bytes("MemTotal") == 24_684_084 * 1024)
        #expect(KernelText("").bytes("MemTotal") == 0)
    }

    private static let mounts = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
        30 25 0:27 / /dev/shm rw,relatime shared:4 master:2 - tmpfs tmpfs rw,size=24684084k
        31 27 8:1 / /home rw,relatime - xfs /dev/sda1 rw
        32 27 8:2 / /home rw,relatime - btrfs /dev/sdb1 rw
        33 27 8:3 / /mnt/two\\040words rw,relatime - ext4 /dev/disk\\134x rw
        34 27 0:30 / /mnt/none rw - overlay none rw

        """

    @Test(
        "The disk of a folder is found",
        arguments: [
            ("/tmp/store", "ext4 on /dev/vda"), ("/", "ext4 on /dev/vda"), ("/dev/shm", "tmpfs"),
            ("/dev/shm/a/b", "tmpfs"),
            // Mounts match complete path components, and the later of two mounts at one point counts.
            ("/dev/shmother", "ext4 on /dev/vda"), ("/home/ada", "btrfs on /dev/sdb1"),
            ("/mnt/two words/x", "ext4 on /dev/disk\\x"), ("/mnt/none", "overlay"),
        ])
    func disk(folder: String, disk: String) {
        #expect(KernelText(Self.mounts).disk(below: folder) == disk)
    }

    @Test("Without mount information the disk is unknown")
    func unknownDisk() {
        #expect(KernelText("").disk(below: "/tmp") == "unknown")
        #expect(KernelText("27 1 254:0 / / rw\nnot a mount\n").disk(below: "/tmp") == "unknown")
    }

    @Test("The current machine is identified consistently")
    func currentMachine() {
        let folder = FileManager.default.temporaryDirectory.path
        let machine = Machine.current(for: folder)
        #expect(!machine.processor.isEmpty)
        #expect(machine.cores > 0)
        #expect(machine.memory > 100_000_000)
        #expect(machine.fingerprint == Machine.current(for: folder).fingerprint)
        #if os(Linux)
            #expect(machine.kernel.hasPrefix("Linux ") && machine.kernel.count > "Linux x86_64".count)
            #expect(machine.disk != "unknown")
        #endif
    }
}
