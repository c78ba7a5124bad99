import ByteStreams
import Injection
import Testing

@testable import CrashTesting

/// What a report prints must be what a replay reads.
@Suite struct ArchiveRecipeTests {
    @Test("Every crash and every fault comes back from its text, and no two have the same")
    func texts() throws {
        var texts: [String] = []
        for operation in ArchiveOperation.all {
            for sabotage in [nil] + InjectionPoint.ofFiles {
                for image in ["keep=none", "keep=0,2-5", "keep=1/tear=0:nnoozzgg", "keep=1-2/tail=garbage"] {
                    for moment in [CrashMoment.during, .after] {
                        let image = try #require(ImageRecipe(image))
                        texts.append(ArchiveRecipe.crash(operation, sabotage, point: 17, moment, image).text)
                    }
                }
            }
            for var fault in DiskFault.archiveKinds {
                fault.first = 23
                texts.append(ArchiveRecipe.fault(operation, fault).text)
            }
        }
        for text in texts {
            #expect(ArchiveRecipe(text)?.text == text)
            #expect(CrashLab.isRecipe(text))
        }
        #expect(Set(texts).count == texts.count)
    }

    @Test("A text that no report would print is refused")
    func bad() {
        for text in [
            "archive|export", "archive|exports|17+|keep=none", "archive|export|17|keep=none",
            "archive|export|+|keep=none",
            "archive|export|17+|keep", "archive|export!lies|17+|keep=none", "archive|export!|17+|keep=none",
            "archive|export|write.fails.28.any.1|0", "archive|export|write.fails.99.any.1|1",
            "crash|export|17+|keep=none",
            "archive|export!skipsFileFlush|write.fails.28.any.1|1", "archive|export|17+|keep=none|stale",
        ] {
            #expect(ArchiveRecipe(text) == nil, "\(text)")
        }
    }
}
