import Foundation
import TestSupport
import Testing

/// The symbols and libraries of the products, according to the linker's tools.
@Suite(.disabled(if: isSanitized, "a sanitizer defines and links more than the program does")) struct ProductTests {
    /// The lab's program records file calls and counts allocations by defining functions of libc. The installed program
    /// and the library must not do that.
    @Test("daybook defines no function of libc, while daybook-lab interposes malloc and the file calls")
    func definedSymbols() throws {
        let libc = try functions(of: libcPath(of: "daybook"))
        try #require(libc.isSuperset(of: ["malloc", "free", "write", "open", "fsync"]))
        for program in ["daybook", "LibraryUser"] {
            let shared = try definedFunctions(of: program).intersection(libc)
            #expect(shared.isEmpty, "\(program) defines \(shared.sorted())")
        }
        let lab = try definedFunctions(of: "daybook-lab")
        #expect(lab.isSuperset(of: ["malloc", "write", "open"]))
    }

    @Test("daybook links neither full Foundation nor ICU [D11]")
    func libraries() throws {
        let forbidden = ["libFoundation.so", "libFoundationInternationalization.so", "lib_FoundationICU.so", "libicu"]
        for program in ["daybook", "LibraryUser"] {
            let path = Programs.url(of: program).path
            let linked = try Self.run("readelf", "-d", path) + Self.run("ldd", path)
            #expect(linked.contains { $0.contains("libc.so") })
            for name in forbidden { #expect(!linked.contains { $0.contains(name) }, "\(program) links \(name)") }
        }
    }

    @Test("daybook contains no code of the lab, and the library none of either")
    func modules() throws {
        // Mangled names begin with the length of the module's name.
        let lab = ["4Yams", "9Workloads", "10Simulation", "12CrashTesting", "10LabCommand"]
        for (program, absent) in [("daybook", lab), ("LibraryUser", lab + ["14CommandSupport", "14ArgumentParser"])] {
            let symbols = try Self.run("nm", Programs.url(of: program).path).compactMap(\.symbolName)
            #expect(symbols.contains { $0.hasPrefix("$s8KeyValue") })
            for module in absent {
                #expect(!symbols.contains { $0.hasPrefix("$s" + module) }, "\(program) contains \(module)")
            }
            for name in ["disk_log_begin", "allocation_count_begin"] { #expect(!symbols.contains(name), "\(program)") }
        }
    }

    private func definedFunctions(of program: String) throws -> Set<String> {
        let lines = try Self.run("nm", "--defined-only", Programs.url(of: program).path)
        // Only strong and weak symbols that other objects see can replace a library's.
        return Set(lines.filter { ["T", "W", "i", "D", "B"].contains($0.symbolKind) }.compactMap(\.symbolName))
            // The linker puts these into every program.
            .subtracting(["_init", "_fini", "_start", "_IO_stdin_used", "__data_start", "data_start"])
    }

    private func functions(of library: String) throws -> Set<String> {
        let lines = try Self.run("nm", "-D", "--defined-only", library).filter {
            ["T", "W", "i"].contains($0.symbolKind)
        }
        return Set(lines.compactMap(\.symbolName).map { String($0.prefix { $0 != "@" }) })
    }

    private func libcPath(of program: String) throws -> String {
        let line = try Self.run("ldd", Programs.url(of: program).path).first {
            $0.contains(" libc.so") || $0.contains("\tlibc.so")
        }
        return try #require(line?.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init))
    }

    /// Runs a tool and returns its lines of output.
    private static func run(_ tool: String, _ arguments: String...) throws -> [String] {
        let process = SpawnedProcess()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(tool) failed")
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Whether the build is one of `Scripts/test --sanitize=…`.
private let isSanitized = Programs.url(of: "daybook").path.contains(".build-")

extension String {
    /// The name in a line of nm: address, kind, name.
    fileprivate var symbolName: String? { split(separator: " ").last.map(String.init) }

    /// The letter of the kind in a line of nm.
    fileprivate var symbolKind: String { split(separator: " ").dropLast().last.map(String.init) ?? "" }
}
