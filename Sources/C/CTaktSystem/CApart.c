// Calls that a child makes for takt. A thread that hangs in one, as those of Patience may, could not be
// killed and would keep the process from ending: the child is killed in its place.
#if defined(__linux__)
#define _GNU_SOURCE
#include "CApart.h"

#include "CNames.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_SIZE = 32768 };

typedef enum { APART_LSTAT, APART_READLINK, APART_WATCH, APART_READ } apart_operation;

typedef struct {
  apart_operation operation;
  const char *path;
  int descriptor;  // the one that the child keeps; -1 for none
  uint32_t mask;
  struct stat *status;
  void *bytes;
  size_t capacity;
  csystem_trail *trail;  // where to tell how the file was reached; null for no matter
  ssize_t result;
  int is_done;
} apart_call;

static ssize_t read_whole(const apart_call *call) {
  int file;
  if (call->trail != NULL) {
    file = csystem_walk(-1, call->path, CSYSTEM_READ, call->trail);
    if (file < 0) return file;
  } else {
    file = open(call->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return -errno;
  }
  if (fstat(file, call->status) != 0) return -errno;
  if (!S_ISREG(call->status->st_mode)) return 0;
  size_t done = 0;
  while (done < call->capacity) {
    ssize_t count = read(file, (char *)call->bytes + done, call->capacity - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    if (count == 0) break;
    done += (size_t)count;
  }
  return (ssize_t)done;
}

static ssize_t perform(const apart_call *call) {
  ssize_t result;
  switch (call->operation) {
    case APART_LSTAT: result = lstat(call->path, call->status); break;
    case APART_READLINK: result = readlink(call->path, call->bytes, call->capacity); break;
    case APART_WATCH: result = inotify_add_watch(call->descriptor, call->path, call->mask); break;
    default: return read_whole(call);
  }
  return result < 0 ? -errno : result;
}

// Shares the memory of the calling thread, its `errno` among it, which waits meanwhile. The
// descriptors are a copy: all are closed at once, so that nothing stays open by a child that hangs.
static int apart_main(void *argument) {
  apart_call *call = argument;
  if (call->descriptor < 0) {
    syscall(SYS_close_range, 0, ~0U, 0);
  } else {
    if (call->descriptor > 0) syscall(SYS_close_range, 0, (unsigned)call->descriptor - 1, 0);
    syscall(SYS_close_range, (unsigned)call->descriptor + 1, ~0U, 0);
  }
  call->result = perform(call);
  call->is_done = 1;
  syscall(SYS_exit, 0);
  return 0;
}

static ssize_t apart(apart_call *call) {
  // Used by the child alone, for as long as this call lasts; where the process ends before, its
  // memory is left to the child.
  char stack[STACK_SIZE] __attribute__((aligned(16)));
  sigset_t all, before;
  sigfillset(&all);
  for (int attempt = 0; attempt < 3; attempt++) {
    int handle = -1;
    if (call->trail != NULL) csystem_trail_set(call->trail, NULL);
    // No handler may run in the child, which shares this thread's memory.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = clone(apart_main, stack + sizeof stack,
                        CLONE_VM | CLONE_VFORK | CLONE_PIDFD, call, &handle);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0) return -error;
    siginfo_t info;
    // By its handle, since takt's reaper may have been faster.
    while (waitid((idtype_t)3 /* P_PIDFD */, (id_t)handle, &info, WEXITED | __WALL) != 0 &&
           errno == EINTR) {
    }
    close(handle);
    if (call->is_done) return call->result;
    // Somebody has killed it.
  }
  return -EIO;
}

int csystem_apart_lstat(const char *path, struct stat *status) {
  apart_call call = {.operation = APART_LSTAT, .path = path, .descriptor = -1, .status = status};
  return (int)-apart(&call);
}

ssize_t csystem_apart_readlink(const char *path, char *target, size_t capacity) {
  apart_call call = {.operation = APART_READLINK, .path = path, .descriptor = -1,
                     .bytes = target, .capacity = capacity};
  return apart(&call);
}

int csystem_apart_watch(int inotify, const char *path, uint32_t mask) {
  apart_call call = {.operation = APART_WATCH, .path = path, .descriptor = inotify, .mask = mask};
  return (int)apart(&call);
}

ssize_t csystem_apart_read(const char *path, struct stat *status, void *bytes, size_t capacity,
                           csystem_trail *trail) {
  apart_call call = {.operation = APART_READ, .path = path, .descriptor = -1, .status = status,
                     .bytes = bytes, .capacity = capacity, .trail = trail};
  return apart(&call);
}
#endif
