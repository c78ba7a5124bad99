// Lets libFuzzer change the bytes of data files, led by the branches of `KeyValue` that they reach. Run by `Scripts/fuzz --deep`;
// built only with `DAYBOOK_FUZZER=1` in the environment. `--seeds FOLDER` writes the files that it begins with.
// See Documentation/Fuzzing.md.

import CPageFuzzer
import Glibc

let words = CommandLine.arguments.dropFirst()
if words.first == "--seeds", let folder = words.dropFirst().first {
    try PageFuzzTarget.writeSeeds(to: folder)
} else {
    try PageFuzzTarget.prepare()
    exit(
        run_page_fuzzer(CommandLine.argc, CommandLine.unsafeArgv, PageFuzzTarget.dataFile) {
            PageFuzzTarget.readAndWrite()
        })
}
