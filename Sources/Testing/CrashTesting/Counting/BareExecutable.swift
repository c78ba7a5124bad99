import Glibc

/// A copy of a program that shows no sections: valgrind reads a program's debug information even if nobody asks for it,
/// and those of before 2023 give up on what Swift's compiler writes (DWARF 5).
///
/// A program runs by its segments; sections are for linkers and debuggers. Layout of the header (System V ABI, ELF-64):
/// where the table of sections begins at 0x28, and at 0x3A the size and number of its entries and which has the names.
enum BareExecutable {
    private static let sectionTable = 0x28..<0x30
    private static let sectionCounts = 0x3A..<0x40

    static func copy(_ program: String, to copy: String) throws {
        guard var bytes = FolderFiles.bytes(of: program), bytes.count > sectionCounts.upperBound else {
            throw CrashLabError.system(operation: "read \(program)", code: errno)
        }
        for offset in [sectionTable, sectionCounts].joined() { bytes[offset] = 0 }
        try FolderFiles.write(bytes, to: copy)
        guard chmod(copy, 0o700) == 0 else { throw CrashLabError.system(operation: "make \(copy) run", code: errno) }
    }
}
