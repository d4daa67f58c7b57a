/* Preloaded into a program: records what it does to the files of one folder, and what it says, in order.

   RECORD_FOLDER   the folder
   RECORD_TO       where the record goes; its shape is in replay.py

   The memory that connections share (-shm) is left out: a power cut leaves nothing of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { OPENED = 1, WRITTEN, TRUNCATED, SYNCHRONISED, UNLINKED, SAID, FOLDER_SYNCHRONISED };
enum { FILES = 1024, NAMES = 256 };

struct event {
    uint32_t kind, file;
    uint64_t offset, length;
};

/* One thread at a time: an event stands where its call happened. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static char folder[512];
/* The file of a descriptor: its number, -1 for the folder itself, 0 for nothing of ours. */
static int files[FILES];
static struct {
    char name[128];
    int file;
} names[NAMES];
static int count, last;

#define REAL(name, result, ...)                                                                                        \
    static result (*real)(__VA_ARGS__);                                                                                \
    if (!real)                                                                                                         \
    real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static void put(const void *bytes, size_t length) {
    const char *rest = bytes;
    while (length > 0) {
        long done = syscall(SYS_write, record, rest, length);
        if (done <= 0)
            _exit(99);
        rest += done;
        length -= (size_t)done;
    }
}

static void note(uint32_t kind, int file, uint64_t offset, uint64_t length, const void *bytes) {
    if (record < 0)
        return;
    struct event event = {kind, (uint32_t)file, offset, length};
    put(&event, sizeof event);
    if (bytes)
        put(bytes, length);
}

__attribute__((constructor)) static void begin(void) {
    const char *to = getenv("RECORD_TO"), *in = getenv("RECORD_FOLDER");
    if (!to || !in)
        return;
    snprintf(folder, sizeof folder, "%s", in);
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    record = fcntl(descriptor, F_DUPFD_CLOEXEC, FILES);
}

/* The name within the folder; NULL for what is not recorded. */
static const char *within(const char *path) {
    size_t length = strlen(folder);
    if (record < 0 || strncmp(path, folder, length) != 0 || path[length] != '/')
        return NULL;
    const char *name = path + length + 1;
    size_t end = strlen(name);
    if (end >= sizeof names[0].name || (end > 4 && strcmp(name + end - 4, "-shm") == 0))
        return NULL;
    return name;
}

static void opened(int descriptor, const char *path, int flags) {
    if (descriptor < 0 || descriptor >= FILES)
        return;
    files[descriptor] = record >= 0 && strcmp(path, folder) == 0 ? -1 : 0;
    const char *name = within(path);
    if (!name)
        return;
    int place = 0;
    while (place < count && strcmp(names[place].name, name) != 0)
        place += 1;
    if (place == count) {
        if (count == NAMES)
            _exit(98);
        strcpy(names[count++].name, name);
    }
    if (!names[place].file) {
        names[place].file = ++last;
        note(OPENED, last, 0, strlen(name), name);
    }
    files[descriptor] = names[place].file;
    if (flags & O_TRUNC)
        note(TRUNCATED, files[descriptor], 0, 0, NULL);
}

static int file_of(int descriptor) {
    return descriptor >= 0 && descriptor < FILES ? files[descriptor] : 0;
}

#define OPEN(function)                                                                                                 \
    int function(const char *path, int flags, ...) {                                                                   \
        REAL(#function, int, const char *, int, ...);                                                                  \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        mode_t mode = va_arg(list, mode_t);                                                                            \
        va_end(list);                                                                                                  \
        pthread_mutex_lock(&mutex);                                                                                    \
        int descriptor = real(path, flags, mode);                                                                      \
        opened(descriptor, path, flags);                                                                               \
        pthread_mutex_unlock(&mutex);                                                                                  \
        return descriptor;                                                                                             \
    }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
    REAL("close", int, int);
    pthread_mutex_lock(&mutex);
    if (descriptor >= 0 && descriptor < FILES)
        files[descriptor] = 0;
    int code = real(descriptor);
    pthread_mutex_unlock(&mutex);
    return code;
}

#define PWRITE(function)                                                                                               \
    ssize_t function(int descriptor, const void *bytes, size_t length, off_t offset) {                                 \
        REAL(#function, ssize_t, int, const void *, size_t, off_t);                                                    \
        pthread_mutex_lock(&mutex);                                                                                    \
        ssize_t done = real(descriptor, bytes, length, offset);                                                        \
        if (done > 0 && file_of(descriptor) > 0)                                                                       \
            note(WRITTEN, file_of(descriptor), (uint64_t)offset, (uint64_t)done, bytes);                               \
        pthread_mutex_unlock(&mutex);                                                                                  \
        return done;                                                                                                   \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t write(int descriptor, const void *bytes, size_t length) {
    REAL("write", ssize_t, int, const void *, size_t);
    pthread_mutex_lock(&mutex);
    off_t offset = file_of(descriptor) > 0 ? lseek(descriptor, 0, SEEK_CUR) : 0;
    ssize_t done = real(descriptor, bytes, length);
    if (done > 0 && file_of(descriptor) > 0)
        note(WRITTEN, file_of(descriptor), (uint64_t)offset, (uint64_t)done, bytes);
    if (done > 0 && descriptor == 1)
        note(SAID, 0, 0, (uint64_t)done, bytes);
    pthread_mutex_unlock(&mutex);
    return done;
}

#define TRUNCATE(function)                                                                                             \
    int function(int descriptor, off_t size) {                                                                         \
        REAL(#function, int, int, off_t);                                                                              \
        pthread_mutex_lock(&mutex);                                                                                    \
        int code = real(descriptor, size);                                                                             \
        if (code == 0 && file_of(descriptor) > 0)                                                                      \
            note(TRUNCATED, file_of(descriptor), (uint64_t)size, 0, NULL);                                             \
        pthread_mutex_unlock(&mutex);                                                                                  \
        return code;                                                                                                   \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

/* The bytes written before the call are on the disk after it; those written meanwhile may be there or not. */
#define SYNCHRONISE(function)                                                                                          \
    int function(int descriptor) {                                                                                     \
        REAL(#function, int, int);                                                                                     \
        pthread_mutex_lock(&mutex);                                                                                    \
        int code = real(descriptor);                                                                                   \
        if (code == 0 && file_of(descriptor) > 0)                                                                      \
            note(SYNCHRONISED, file_of(descriptor), 0, 0, NULL);                                                       \
        if (code == 0 && file_of(descriptor) < 0)                                                                      \
            note(FOLDER_SYNCHRONISED, 0, 0, 0, NULL);                                                                  \
        pthread_mutex_unlock(&mutex);                                                                                  \
        return code;                                                                                                   \
    }
SYNCHRONISE(fsync)
SYNCHRONISE(fdatasync)

int unlink(const char *path) {
    REAL("unlink", int, const char *);
    pthread_mutex_lock(&mutex);
    int code = real(path);
    const char *name = within(path);
    for (int place = 0; code == 0 && name && place < count; place++)
        if (strcmp(names[place].name, name) == 0 && names[place].file) {
            note(UNLINKED, names[place].file, 0, 0, NULL);
            names[place].file = 0;
        }
    pthread_mutex_unlock(&mutex);
    return code;
}
