/// The log of a recording: `number process kind path key=value …`, a line for each event.
#include "Recording.h"

#if PROGRAM_TRACE_IS_SUPPORTED

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

char traced_folder[PATH_MAX];
bool is_refused;
uint64_t log_byte_count, log_call_count;
static FILE *log_file;
static int data_file = -1;

bool log_open(const char *log, const char *data) {
    log_file = fopen(log, "we");
    data_file = open(data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return log_file && data_file >= 0;
}

static void put_escaped(const char *text) {
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
        if (*byte <= ' ' || *byte >= 127 || *byte == '%') {
            fprintf(log_file, "%%%02x", *byte);
        } else {
            fputc(*byte, log_file);
        }
    }
}

/// A path relative to the folder, where it lies in it.
const char *relative_path(const char *path) {
    size_t length = strlen(traced_folder);
    if (!strcmp(path, traced_folder) || !*path) return ".";
    return length > 0 && is_inside(path) && path[length] == '/' ? path + length + 1 : path;
}

static void begin_line(pid_t process, const char *kind, const char *path) {
    fprintf(log_file, "%llu %d %s ", (unsigned long long)++log_call_count, (int)process, kind);
    put_escaped(relative_path(path));
}

void log_event(pid_t process, const char *kind, const char *path, const char *format, ...) {
    begin_line(process, kind, path);
    fputc(' ', log_file);
    va_list rest;
    va_start(rest, format);
    vfprintf(log_file, format, rest);
    va_end(rest);
    fputc('\n', log_file);
}

void log_target(pid_t process, const char *kind, const char *path, const char *target, const char *format, ...) {
    begin_line(process, kind, path);
    fputc(' ', log_file);
    va_list rest;
    va_start(rest, format);
    vfprintf(log_file, format, rest);
    va_end(rest);
    fputs(" to=", log_file);
    put_escaped(target);
    fputc('\n', log_file);
}

uint64_t log_bytes(const void *bytes, size_t length) {
    uint64_t start = log_byte_count;
    for (size_t done = 0; done < length;) {
        ssize_t count = write(data_file, (const char *)bytes + done, length - done);
        if (count <= 0) {
            refuse(0, "recording", "the report's folder is full");
            return start;
        }
        done += count;
    }
    log_byte_count += length;
    return start;
}

void log_close(void) {
    if (fflush(log_file) != 0 || ferror(log_file)) _exit(4);
    fclose(log_file);
    close(data_file);
}

void refuse(pid_t process, const char *subject, const char *reason) {
    if (is_refused) return;
    is_refused = true;
    log_target(process, "refuse", subject, reason, "x=0");
}

#endif
