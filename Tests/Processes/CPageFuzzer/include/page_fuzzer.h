#ifndef PAGE_FUZZER_H
#define PAGE_FUZZER_H

/// Runs libFuzzer with a program's arguments: writes each input to a file, then calls a function.
/// Returns the exit code.
int run_page_fuzzer(int argc, char **argv, const char *path, void (*input_is_written)(void));

#endif
