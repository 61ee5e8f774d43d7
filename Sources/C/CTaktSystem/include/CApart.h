// Calls that may hang for ever, made by a process of their own.
//
// A thread that waits for a file system which does not answer cannot be killed, and a process whose
// threads cannot be killed does not end. So these calls are made by a child that shares this
// process's memory and none of its descriptors; the calling thread waits for the child in a way
// that ends with the process. What is left then is the child alone.
#ifndef CAPART_H
#define CAPART_H

#include "CNames.h"

#include <stdint.h>
#include <sys/types.h>

// As `lstat`. Returns 0 or an error number.
int csystem_apart_lstat(const char *path, struct stat *status);
// As `readlink`. Returns the length, or minus an error number.
ssize_t csystem_apart_readlink(const char *path, char *target, size_t capacity);
// As `inotify_add_watch`. Returns the watch, or minus an error number.
int csystem_apart_watch(int inotify, const char *path, uint32_t mask);
// Opens a file, tells its status, and reads it from its beginning when it is a regular one. Returns
// how many bytes there are, `capacity` where there may be more, or minus an error number. Where
// `trail` is not null the file is opened by `csystem_walk`, which says there how it was reached.
ssize_t csystem_apart_read(const char *path, struct stat *status, void *bytes, size_t capacity,
                           csystem_trail *trail);

#endif
