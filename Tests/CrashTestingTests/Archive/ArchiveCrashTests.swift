#if os(Linux)
    import ByteStreams
    import Injection
    import Testing

    @testable import CrashTesting

    extension WithDiskLog {
        @Suite struct ArchiveCrashTests {
            static let files = ArchiveOperation.all.filter {
                if case .file = $0.promise { true } else { false }
            }

            @Test(
                "After every crash an export or a snapshot is there whole or not at all, or the file from before",
                arguments: files.indices)
            func keepsItsPromise(index: Int) throws {
                let (tried, problems) = try ArchiveTrial(Self.files[index]).problems()
                #expect(problems == [])
                #expect(tried > 40)
            }

            // The exports come first; what makes snapshots breaks nothing on purpose.
            @Test(
                "A broken promise of the export's file is told as what it is", arguments: InjectionPoint.ofFiles,
                [0, 1])
            func breaksOne(sabotage: InjectionPoint, index: Int) throws {
                let isReplacing = index > 0
                let problems = Set(try ArchiveTrial(Self.files[index]).problems(sabotage).problems)
                switch sabotage {
                case .skipsFileFlush: #expect(problems == ["the file is torn"])
                case .skipsFolderFlush:
                    let expected =
                        isReplacing ? "the file is the old one, though it was replaced" : "the file is gone"
                    #expect(problems.contains(expected), "\(problems)")
                case .writesInPlace: #expect(problems == ["the file is torn"])
                default: Issue.record("no expectation for \(sabotage)")
                }
            }

            @Test("Each sabotage changes the calls as it says, and nothing else")
            func calls() throws {
                let kinds: [DiskCall.Kind] = [.open, .write, .flush, .close, .link, .rename, .remove]
                func steps(_ sabotage: InjectionPoint?, _ index: Int) throws -> [String] {
                    // Between the two marks: what comes before and after is the store's.
                    let calls = try ArchiveTrial(Self.files[index]).record(sabotage).entries.split { entry in
                        if case .mark = entry { true } else { false }
                    }
                    let steps = Array(calls[1]).calls.filter { kinds.contains($0.kind) }.map { "\($0.kind)" }
                    return steps.indices.filter { $0 == 0 || steps[$0] != steps[$0 - 1] }.map { steps[$0] }
                }
                let folder = ["open", "flush", "close"]
                try #expect(steps(nil, 0) == ["open", "write", "flush", "close", "link", "remove"] + folder)
                try #expect(steps(nil, 1) == ["open", "write", "flush", "close", "rename"] + folder)
                try #expect(steps(.skipsFileFlush, 0) == ["open", "write", "close", "link", "remove"] + folder)
                try #expect(steps(.skipsFolderFlush, 1) == ["open", "write", "flush", "close", "rename"])
                try #expect(steps(.writesInPlace, 1) == ["open", "write", "flush", "close"] + folder)
            }

            // MARK: Folders

            @Test(
                "A restore that copies, flushes and exchanges keeps its promise at every crash",
                arguments: [false, true])
            func restores(replacing: Bool) throws {
                let limits = ExplorationLimits(subsetLimit: 3, samples: 4, tears: 1)
                let (tried, problems) = try ArchiveTrial(CopyingRestore.operation(replacing: replacing))
                    .problems(limits: limits)
                #expect(problems == [])
                #expect(tried > 30)
            }

            @Test("One that does not is found out", arguments: CopyingRestore.Fault.allCases)
            func badRestores(fault: CopyingRestore.Fault) throws {
                let limits = ExplorationLimits(subsetLimit: 3, samples: 4, tears: 1)
                let problems = Set(
                    try ArchiveTrial(CopyingRestore.operation(replacing: true, fault)).problems(limits: limits).problems
                )
                switch fault {
                case .removesFirst: #expect(problems.contains("the store that was there is gone"), "\(problems)")
                case .skipsFolderFlush:
                    let expected = "the target holds neither what it held nor what it is to hold"
                    #expect(problems.contains(expected), "\(problems)")
                case .forgetsOldStore: #expect(problems.contains("the store that was replaced is gone"), "\(problems)")
                }
            }

            @Test("After every crash of a restore over a store the old one has a name that no later restore removes")
            func replacedStore() throws {
                let operation = try #require(ArchiveOperation.named("restore over a store"))
                let recording = try ArchiveTrial(operation).record()
                let target = "\(ArchivePlace.home)/restored"
                let old = try #require(recording.start.files["\(target)/data.mdb"])
                var places: [String: Int] = [:]
                for moment in recording.moments {
                    for recipe in moment.recipes(limits: ExplorationLimits(subsetLimit: 7, samples: 8, tears: 0)) {
                        let image = moment.history.image(recipe)
                        let paths = image.files.keys.filter { $0.hasSuffix("/data.mdb") && image.files[$0] == old }
                        let isSafe = paths.contains { path in
                            path == "\(target)/data.mdb" || path.hasPrefix(target + ".replaced-")
                        }
                        #expect(isSafe, "\(moment.point): \(paths)")
                        for path in paths { places[path, default: 0] += 1 }
                    }
                }
                // Before the exchange and after it.
                #expect(places.count == 2, "\(places)")
            }

            // MARK: Faults

            @Test(
                "Whatever call of an export fails, no part of a file is left, and it can be done again",
                arguments: files.indices)
            func exportFaults(index: Int) throws {
                let (tried, problems) = try ArchiveTrial(Self.files[index]).problems(of: DiskFault.archiveKinds)
                #expect(problems == [])
                #expect(tried > 30)
            }

            @Test("The same for a restore, and the store that was there is not lost", arguments: [false, true])
            func restoreFaults(replacing: Bool) throws {
                let faults = ([.write, .open, .flush, .rename, .makeFolder] as [DiskCall.Kind]).map {
                    DiskFault(kind: $0, error: ENOSPC)
                }
                let (tried, problems) = try ArchiveTrial(CopyingRestore.operation(replacing: replacing))
                    .problems(of: faults)
                #expect(problems == [])
                #expect(tried > 10)
            }

            @Test("Whatever call of an import fails, the store is sound, and the import can be completed")
            func importFaults() throws {
                let operation = try #require(ArchiveOperation.named("import"))
                let trial = try ArchiveTrial(operation)
                // A full disk only: the lab does the rest.
                let faults = DiskFault.archiveKinds.filter { $0.error == DiskFault.archiveKinds[0].error }
                let (tried, problems) = try trial.problems(of: faults, states: try states(trial))
                #expect(problems == [])
                #expect(tried > 10)
            }

            /// The states that an import goes through.
            private func states(_ trial: ArchiveTrial) throws -> Set<UInt64> {
                _ = try trial.record()
                let start = try trial.record().start
                try FolderFiles.replace(trial.folder.path, with: start)
                try DiskLog.begin(folder: trial.folder.path)
                defer { DiskLog.end() }
                try LabRun(LabWorkload(imports: true), in: trial.folder.path, voice: trial.folder.voice).run()
                let recording = Recording(start: start, entries: try DiskLog.entries(), lockFile: [])
                #expect(recording.states.count == 4)
                return Set(recording.states.keys)
            }

            @Test("A file that is left by an error is found, and so is an error without a type")
            func badFaults() throws {
                struct Nothing: Error {}
                let careless = ArchiveOperation(name: "careless", promise: .file("tasks.json")) { place in
                    {
                        let path = place.path("tasks.json")
                        try FolderFiles.write([1], to: path + ".1.tmp")
                        guard rename(path + ".1.tmp", path) == 0 else {
                            throw FileError(code: errno, path: path)
                        }
                    }
                }
                let trial = try ArchiveTrial(careless)
                let left = try trial.problems(of: [DiskFault(kind: .rename, error: EIO)])
                #expect(left.tried == 1)
                #expect(left.problems.first?.contains("a file is left: home/tasks.json.N.tmp") == true, "\(left)")
                let untyped = try trial.problems(of: [DiskFault(kind: .write, error: ENOSPC)])
                #expect(untyped.problems.first?.contains("has no type") == true, "\(untyped)")
            }
        }
    }

    import Glibc
#endif
