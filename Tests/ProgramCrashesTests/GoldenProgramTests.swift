#if os(Linux)
    import Testing

    @testable import ProgramCrashes

    /// Shell scripts whose images were compared with real power cuts on ext4 and XFS.
    @Suite(.serialized) struct GoldenProgramTests {
        @Test("A script that appends without a flush loses acknowledged lines on each disk, but not when it is killed")
        func append() throws {
            let report = try TestedProgram.lines("echo \"new $i\" >> f").run()
            #expect(try report.result(.killed) == DiskResult(distinct: 6))
            #expect(try report.result(.ext4) == DiskResult(distinct: 29, broken: ["lost": 19]))
            #expect(try report.result(.xfs) == DiskResult(distinct: 13, broken: ["lost": 6]))
            #expect(try report.result(.posix) == DiskResult(distinct: 29, broken: ["lost": 19]))
            let example = try report.example("lost")
            #expect(example.after == "acknowledge new 1")
            #expect(example.lost == ["write f bytes 6..12"])
            #expect(example.brokenOn == [.ext4, .xfs, .posix])
            #expect(example.keptOn == [.killed])
            #expect(example.reproducer == "ext4:4:kept=0")
        }

        @Test("A script that replaces a file without a flush destroys it on XFS, and loses lines on ext4")
        func rename() throws {
            let report = try TestedProgram.lines("{ cat f; echo \"new $i\"; } > f.tmp && mv f.tmp f").run()
            #expect(report.callsByKind == ["create": 3, "rename": 3, "write": 6])
            #expect(try report.result(.killed) == DiskResult(distinct: 15))
            #expect(try report.result(.ext4) == DiskResult(distinct: 49, broken: ["lost": 30]))
            #expect(try report.result(.xfs) == DiskResult(distinct: 58, broken: ["destroyed": 14, "lost": 28]))
            #expect(try report.result(.posix) == DiskResult(distinct: 163, broken: ["destroyed": 60, "lost": 75]))
            #expect(try report.example("destroyed").reproducer == "xfs:7:kept=0,3")
        }

        @Test("A script that flushes the file and the folder keeps everything on every disk")
        func synced() throws {
            let report = try TestedProgram.lines(
                "{ cat f; echo \"new $i\"; } > f.tmp && sync f.tmp && mv f.tmp f && sync ."
            ).run()
            #expect(try report.result(.killed) == DiskResult(distinct: 15))
            #expect(try report.result(.ext4) == DiskResult(distinct: 19))
            #expect(try report.result(.xfs) == DiskResult(distinct: 16))
            #expect(try report.result(.posix) == DiskResult(distinct: 25))
            #expect(report.isKept)
            #expect(report.findsLossWithoutFlushes == true)
        }

        @Test("A script that flushes the file but not its folder loses the new name")
        func folderNotSynced() throws {
            let report = try TestedProgram.lines(
                "{ cat f; echo \"new $i\"; } > f.tmp && sync f.tmp && mv f.tmp f"
            ).run()
            #expect(try report.result(.killed).broken.isEmpty)
            for model in [DiskModel.ext4, .xfs, .posix] {
                #expect(try report.result(model).broken.keys.sorted() == ["lost"], "\(model)")
            }
            #expect(try report.example("lost").lost == ["rename f.tmp to f"])
        }

        @Test("A process that is killed in the middle of a write leaves any number of whole pages")
        func killedInWrite() throws {
            let program = TestedProgram(
                before: "echo 'old 1' > f; echo 'old 1'",
                work: "dd if=/dev/zero of=g bs=20000 count=1 2>/dev/null && echo 'old 1'",
                check: """
                    \(TestedProgram.check)
                    [ ! -e g ] || [ "$(stat -c %s g)" = 0 ] || [ "$(stat -c %s g)" = 20000 ] || {
                        echo "torn: $(stat -c %s g)"; exit 1; }
                    """)
            let report = try program.run([.killed])
            #expect(try report.result(.killed) == DiskResult(distinct: 7, broken: ["torn": 4]))
            let example = try report.example("torn")
            #expect(example.text == "16384")
            #expect(example.lost == ["write g bytes 0..20000 [page 4]"])
        }

        @Test("A kind of broken promise that the program documents does not fail the test")
        func allowed() throws {
            var program = TestedProgram.lines("echo \"new $i\" >> f")
            program.options.allowed = ["lost"]
            let report = try program.run()
            #expect(report.isKept)
            #expect(try report.example("lost").isAllowed)
        }

        @Test("Flushes that no image needs are listed")
        func eachFlush() throws {
            var program = TestedProgram.lines("echo \"new $i\" >> f && sync f && sync f")
            program.options.triesEachFlush = true
            let report = try program.run([.ext4])
            #expect(report.isKept)
            #expect(report.flushes == 6)
            // Either of each pair is enough.
            #expect(report.needlessFlushes?.count == 6)
            program = TestedProgram.lines("echo \"new $i\" >> f && sync f")
            program.options.triesEachFlush = true
            #expect(try program.run([.ext4]).needlessFlushes == [])
        }

        @Test("A crash in the middle of the check's own repair is found, and can be replayed")
        func recovery() throws {
            var program = TestedProgram.lines("echo \"new $i\" >> f && sync f")
            program.options.check =
                "cat > lines; cp f g && : > f && cat g > f && rm g\n"
                + TestedProgram.check.replacing(
                    "done\n", with: "done < lines\n")
            program.options.recoveries = 2
            let report = try program.run([.killed, .ext4])
            #expect(report.recoveries?.recorded == 2)
            #expect(report.recoveries?.broken["destroyed"] ?? 0 > 0)
            let example = try report.example("destroyed after a crash of the check")
            #expect(example.reproducer.hasPrefix("recovery-"))
            let replayed = try ProgramCrashTest.replay(
                report: program.options.report, reproducer: example.reproducer, into: nil,
                scratch: program.scratch.path)
            #expect(replayed.isBroken == true)
        }
    }
#endif
