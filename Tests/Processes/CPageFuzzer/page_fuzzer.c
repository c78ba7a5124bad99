#include "page_fuzzer.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/// libFuzzer's, in a program that has a main function of its own.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

static const char *input_path;
static void (*input_written)(void);

static int run_input(const uint8_t *data, size_t size) {
    int file = open(input_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    // An input that is not tried must not count as one that was survived.
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0) abort();
    input_written();
    return 0;
}

int run_page_fuzzer(int argc, char **argv, const char *path, void (*input_is_written)(void)) {
    input_path = path;
    input_written = input_is_written;
    return LLVMFuzzerRunDriver(&argc, &argv, run_input);
}
