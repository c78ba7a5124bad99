// Changes the files of its folder in the ways that a recorder has to follow.
//
//   TracedProcess torture STEPS SEED    two processes with three threads each, and children of those
//   TracedProcess map                   stores to a shared map of the file "map", flushed and not
//   TracedProcess chroot                a call that no recorder of paths can follow
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bytes_max = 9000 };
static int steps;

struct draws {
    unsigned state;
    char bytes[bytes_max];
};

static unsigned draw(struct draws *draws, unsigned bound) { return (unsigned)rand_r(&draws->state) % bound; }

static char *draw_name(struct draws *draws, char *name) {
    if (draw(draws, 3)) {
        sprintf(name, "f%u", draw(draws, 5));
    } else {
        sprintf(name, "d%u/f%u", draw(draws, 5), draw(draws, 4));
    }
    return name;
}

// MARK: Steps

static void append(struct draws *draws, const char *name, size_t count) {
    int file = open(name, O_CREAT | O_WRONLY | O_APPEND, 0644);
    if (file < 0) return;
    (void)!write(file, draws->bytes, count);
    close(file);
}

static void overwrite(struct draws *draws, const char *name, size_t count) {
    int file = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
    if (file < 0) return;
    int copy = dup(file);
    close(file);
    (void)!pwrite(copy, draws->bytes, count, draw(draws, 20000));
    close(copy);
}

static void write_parts(struct draws *draws, const char *name, size_t count) {
    int file = open(name, O_RDWR);
    if (file < 0) return;
    struct iovec parts[2] = {{draws->bytes, count / 2}, {draws->bytes, count / 3}};
    (void)!pwritev(file, parts, 2, draw(draws, 9000));
    fdatasync(file);
    close(file);
}

static void copy(struct draws *draws, const char *name, const char *other) {
    int from = open(name, O_RDONLY);
    int to = from < 0 ? -1 : open(other, O_CREAT | O_WRONLY, 0644);
    if (to >= 0 && draw(draws, 2)) {
        (void)!copy_file_range(from, NULL, to, NULL, 5000, 0);
    } else if (to >= 0) {
        lseek(to, 100, SEEK_SET);
        (void)!sendfile(to, from, NULL, 7000);
    }
    if (to >= 0) close(to);
    if (from >= 0) close(from);
}

static void link_unnamed(struct draws *draws, const char *name, size_t count) {
    char path[64];
    int file = open(".", O_TMPFILE | O_RDWR, 0644);
    if (file < 0) return;
    (void)!write(file, draws->bytes, count);
    sprintf(path, "/proc/self/fd/%d", file);
    (void)!linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    close(file);
}

static void store(struct draws *draws, const char *name) {
    int file = open(name, O_RDWR);
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    char *map = size > 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (map != MAP_FAILED) {
        // Another thread may shorten the file, so that a store behind its end would be a signal.
        for (int count = 0; count < 3 && lseek(file, 0, SEEK_END) >= size; count++) map[draw(draws, size)] = 'M';
        msync(map, size, MS_SYNC);
        munmap(map, size);
    }
    if (file >= 0) close(file);
}

static void append_in_child(struct draws *draws, const char *name, size_t count) {
    int file = open(name, O_WRONLY | O_APPEND);
    if (file < 0) return;
    if (fork() == 0) {
        (void)!write(file, draws->bytes, count);
        _exit(0);
    }
    close(file);
}

static void print(const char *name) {
    FILE *file = fopen(name, "a");
    if (!file) return;
    fprintf(file, "a line of %s\n", name);
    fclose(file);
}

static void allocate(struct draws *draws, const char *name) {
    int file = open(name, O_RDWR);
    if (file < 0) return;
    fallocate(file, draw(draws, 2) ? FALLOC_FL_KEEP_SIZE : 0, 0, draw(draws, 12000) + 1);
    close(file);
}

static void write_durably(struct draws *draws, const char *name, size_t count) {
    int file = open(name, O_WRONLY | O_CREAT | O_DSYNC, 0644);
    if (file < 0) return;
    lseek(file, draw(draws, 5000), SEEK_SET);
    (void)!write(file, draws->bytes, count);
    close(file);
}

static void step(struct draws *draws) {
    char name[64], other[64], folder[8];
    memset(draws->bytes, 'a' + draw(draws, 26), sizeof draws->bytes);
    size_t count = draw(draws, bytes_max);
    draw_name(draws, name), draw_name(draws, other);
    sprintf(folder, "d%u", draw(draws, 5));
    switch (draw(draws, 19)) {
    case 0: case 1: append(draws, name, count); break;
    case 2: overwrite(draws, name, count); break;
    case 3: (void)!rename(name, other); break;
    case 4: (void)!link(name, other); break;
    case 5: (void)!unlink(name); break;
    case 6: mkdir(folder, 0755); break;
    case 7: rmdir(folder); break;
    case 8: (void)!truncate(name, draw(draws, 15000)); break;
    case 9: write_parts(draws, name, count); break;
    case 10: case 11: copy(draws, name, other); break;
    case 12: link_unnamed(draws, other, count); break;
    case 13: store(draws, name); break;
    case 14: (void)!symlink(name, other); break;
    case 15: allocate(draws, name); break;
    case 16: write_durably(draws, name, count); break;
    case 17: print(name); break;
    case 18:
        if (draw(draws, 8) == 0) append_in_child(draws, name, count);
        else renameat2(AT_FDCWD, name, AT_FDCWD, other, RENAME_EXCHANGE);
        break;
    }
}

// MARK: Runs

static void *run(void *seed) {
    struct draws draws = {.state = (unsigned)(uintptr_t)seed};
    for (int count = 0; count < steps; count++) step(&draws);
    return NULL;
}

static int torture(unsigned long seed) {
    for (unsigned process = 0; process < 2; process++) {
        if (fork() != 0) continue;
        pthread_t threads[3];
        for (unsigned index = 0; index < 3; index++) {
            pthread_create(&threads[index], NULL, run, (void *)(uintptr_t)(seed * 100 + process * 10 + index));
        }
        for (int index = 0; index < 3; index++) pthread_join(threads[index], NULL);
        while (wait(NULL) > 0) {}
        return 0;
    }
    while (wait(NULL) > 0) {}
    puts("new");
    return 0;
}

static int store_to_map(void) {
    int file = open("map", O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, 3 * 4096) != 0) return 1;
    char *map = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) return 1;
    memcpy(map, "first", 5);
    if (msync(map, 4096, MS_SYNC) != 0 || fsync(open(".", O_RDONLY)) != 0) return 1;
    puts("new first");
    fflush(stdout);
    memcpy(map + 4096, "second", 6);
    puts("new second");
    return 0;
}

int main(int count, char **words) {
    if (count == 4 && !strcmp(words[1], "torture")) {
        steps = atoi(words[2]);
        return torture(strtoul(words[3], NULL, 10));
    }
    if (count == 2 && !strcmp(words[1], "map")) return store_to_map();
    if (count == 2 && !strcmp(words[1], "chroot")) return chroot(".") == 0 ? 0 : 1;
    return 2;
}
