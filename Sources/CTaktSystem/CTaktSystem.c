#if defined(__linux__)
#define _GNU_SOURCE
#include "CTaktSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum { SIGNAL_COUNT = 64, GROUPS_MAX = 4096, STACK_BYTES = 128 * 1024 };

typedef struct {
  const csystem_spawn_request *request;
  volatile int stage;
  volatile int error;
} spawn_state;

// The kernel's own layout of struct sigaction, for the raw call; all zero is SIG_DFL.
typedef struct {
  uint64_t handler, flags, restorer, mask;
} kernel_sigaction;

static int fail(spawn_state *state, int stage) {
  state->stage = stage;
  state->error = errno;
  _exit(127);
}

csystem_class_result csystem_set_class(const csystem_class *class) {
  csystem_class_result result = {0, 0, 0, 0};
  struct sched_param parameter = {0};
  if (syscall(SYS_setpriority, PRIO_PROCESS, 0, class->nice) != 0) result.nice = errno;
  if (syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, class->io_priority) != 0)
    result.io_priority = errno;
  if (syscall(SYS_sched_setscheduler, 0, class->policy, &parameter) != 0) result.policy = errno;
  if (syscall(SYS_prctl, PR_SET_TIMERSLACK, class->timer_slack_ns, 0, 0, 0) != 0)
    result.timer_slack = errno;
  return result;
}

// Sessions share the processor evenly where the kernel groups them by themselves, whatever nice
// values are in them: then the session has to be told as well.
static void set_session_nice(int nice) {
  char text[4];
  int length = 0, size = nice < 0 ? -nice : nice;
  if (nice < 0) text[length++] = '-';
  if (size > 9) text[length++] = (char)('0' + size / 10);
  text[length++] = (char)('0' + size % 10);
  int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}

int csystem_io_priority(pid_t pid) { return (int)syscall(SYS_ioprio_get, 1, pid); }

// Makes room at 0, 1, 2 … before it puts anything there. The child's descriptors are its own.
static int place_descriptors(const csystem_spawn_request *request) {
  int count = request->descriptor_count;
  int sources[CSYSTEM_DESCRIPTORS_MAX];
  if (count > CSYSTEM_DESCRIPTORS_MAX) {
    errno = EMFILE;
    return -1;
  }
  for (int target = 0; target < count; target++) {
    sources[target] = request->descriptors[target];
    if (sources[target] < count) sources[target] = fcntl(sources[target], F_DUPFD_CLOEXEC, count);
    if (sources[target] < 0) return -1;
  }
  for (int target = 0; target < count; target++)
    if (dup2(sources[target], target) < 0) return -1;
  // What takt opens itself is closed on exec anyway, also by a kernel without this call.
  syscall(SYS_close_range, count, ~0U, 0);
  return 0;
}

// Raw calls: the library's change all threads, which here are takt's. What cannot be changed, or is
// not what it was to be afterwards, is an error.
static int become(const csystem_identity *identity) {
  uid_t uids[3];
  gid_t gids[3];
  gid_t groups[GROUPS_MAX];
  if (identity->group_count > GROUPS_MAX) {
    errno = EINVAL;
    return -1;
  }
  if (syscall(SYS_setgroups, identity->group_count, identity->groups) != 0) return -1;
  if (syscall(SYS_setresgid, identity->gid, identity->gid, identity->gid) != 0) return -1;
  if (syscall(SYS_setresuid, identity->uid, identity->uid, identity->uid) != 0) return -1;
  if (syscall(SYS_getresuid, &uids[0], &uids[1], &uids[2]) != 0) return -1;
  if (syscall(SYS_getresgid, &gids[0], &gids[1], &gids[2]) != 0) return -1;
  long count = syscall(SYS_getgroups, GROUPS_MAX, groups);
  if (count < 0) return -1;
  int is_right = count == identity->group_count;
  for (int index = 0; index < 3; index++)
    is_right = is_right && uids[index] == identity->uid && gids[index] == identity->gid;
  // The kernel keeps them in ascending order.
  for (int index = 0; is_right && index < count; index++)
    is_right = groups[index] == identity->groups[index];
  errno = EPERM;
  return is_right ? 0 : -1;
}

// Runs in the child, which shares the parent's memory until it executes: system calls alone, and
// raw ones where the library would touch the parent's state.
static int child_main(void *argument) {
  spawn_state *state = argument;
  const csystem_spawn_request *request = state->request;

  // Few are changed, and a call for each of the others would be most of a child's start.
  kernel_sigaction standard;
  memset(&standard, 0, sizeof standard);
  for (int number = 1; number <= SIGNAL_COUNT; number++)
    if (request->changed_signals >> (number - 1) & 1)
      syscall(SYS_rt_sigaction, number, &standard, NULL, sizeof(uint64_t));
  syscall(SYS_setsid);
  csystem_set_class(&request->class);
  if (request->class.nice != 0) set_session_nice(request->class.nice);

  if (place_descriptors(request) != 0) return fail(state, CSYSTEM_STAGE_PROCESS);
  if (request->umask >= 0) syscall(SYS_umask, request->umask);
  for (int index = 0; index < request->limit_count; index++) {
    const csystem_limit *limit = &request->limits[index];
    uint64_t both[2] = {limit->value, limit->value};
    if (syscall(SYS_prlimit64, 0, limit->resource, both, NULL) != 0)
      return fail(state, CSYSTEM_STAGE_LIMITS);
  }
  // After all that may need takt's own rights, before all that must not use them.
  if (request->identity && become(request->identity) != 0) return fail(state, CSYSTEM_STAGE_USER);
  if (chdir(request->directory) != 0) return fail(state, CSYSTEM_STAGE_DIRECTORY);

  uint64_t none = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
  int error = ENOENT;
  for (const char *const *path = request->candidates; *path; path++) {
    execve(*path, request->argv, request->envp);
    // As a shell does: go on past what is not there, and remember what was there and failed.
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  errno = error;
  return fail(state, CSYSTEM_STAGE_EXEC);
}

uint64_t csystem_changed_signals(void) {
  uint64_t changed = 0;
  for (int number = 1; number <= SIGNAL_COUNT; number++) {
    kernel_sigaction action;
    if (syscall(SYS_rt_sigaction, number, NULL, &action, sizeof(uint64_t)) == 0 &&
        action.handler != 0)
      changed |= 1ULL << (number - 1);
  }
  return changed;
}

int csystem_spawn(const csystem_spawn_request *request, pid_t *pid, int *pidfd, int *stage) {
  // The parent waits in clone() until the child has executed, so that its stack outlives its use.
  char stack[STACK_BYTES] __attribute__((aligned(16)));
  spawn_state state = {request, 0, 0};
  sigset_t all, before;
  sigfillset(&all);
  // No handler of the parent may run in the child, which shares its memory.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int descriptor = -1;
  // A child that becomes another user takes the shared memory from debuggers and core dumps, so
  // that this user cannot reach takt through it; takt itself gets back what it had.
  int is_dumpable = request->identity ? prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) : 0;
  pid_t child = clone(child_main, stack + sizeof stack,
                      CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &state, &descriptor);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (is_dumpable == 1) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  if (child < 0) {
    *stage = CSYSTEM_STAGE_PROCESS;
    return error;
  }
  if (state.stage != 0) {
    waitpid(child, NULL, __WALL);
    close(descriptor);
    *stage = state.stage;
    return state.error;
  }
  *pid = child;
  *pidfd = descriptor;
  return 0;
}

int csystem_memory_file(const char *name, const void *bytes, size_t count) {
  // The flags of memfd_create: close on exec, allow sealing, never executable where that exists.
  int descriptor = (int)syscall(SYS_memfd_create, name, 1U | 2U | 8U);
  if (descriptor < 0 && errno == EINVAL) descriptor = (int)syscall(SYS_memfd_create, name, 1U | 2U);
  if (descriptor < 0) return -1;
  for (size_t done = 0; done < count;) {
    ssize_t written = write(descriptor, (const char *)bytes + done, count - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      int error = written < 0 ? errno : EIO;
      close(descriptor);
      errno = error;
      return -1;
    }
    done += (size_t)written;
  }
  // Seals: no more seals, no shrinking, no growing, no writing. Any user may read it, if only the
  // child has it to read.
  if (fchmod(descriptor, 0444) != 0 || lseek(descriptor, 0, SEEK_SET) != 0 ||
      fcntl(descriptor, 1024 + 9 /* F_ADD_SEALS */, 1 | 2 | 4 | 8) != 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

int csystem_become_subreaper(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : errno;
}

pid_t csystem_reap(int pidfd, pid_t group, int *exited, int *status) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  idtype_t type = pidfd >= 0 ? (idtype_t)P_PIDFD : P_PGID;
  id_t id = pidfd >= 0 ? (id_t)pidfd : (id_t)group;
  int result;
  do {
    result = waitid(type, id, &info, WEXITED | WNOHANG | __WALL);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return -1;
  *exited = info.si_code == CLD_EXITED;
  *status = info.si_status;
  return info.si_pid;
}

pid_t csystem_peek_ended(void) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return 0;
  return info.si_pid;
}

int csystem_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int csystem_epoll_add(int epoll, int fd, uint64_t id, int is_for_writing) {
  struct epoll_event event = {.events = is_for_writing ? EPOLLOUT : EPOLLIN, .data.u64 = id};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

int csystem_epoll_remove(int epoll, int fd) {
  struct epoll_event event = {0};
  return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &event) == 0 ? 0 : errno;
}

int csystem_epoll_wait(int epoll, uint64_t *ids, int capacity, int timeout_ms) {
  struct epoll_event events[64];
  if (capacity > 64) capacity = 64;
  int count = epoll_wait(epoll, events, capacity, timeout_ms);
  for (int index = 0; index < count; index++) ids[index] = events[index].data.u64;
  return count < 0 ? 0 : count;
}

int csystem_pipe(int ends[2], int own_end) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  return fcntl(ends[own_end], F_SETFL, O_NONBLOCK);
}

void csystem_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int csystem_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static void fill(sigset_t *set, const int *signals, int count) {
  sigemptyset(set);
  for (int index = 0; index < count; index++) sigaddset(set, signals[index]);
}

int csystem_signalfd(const int *signals, int count) {
  sigset_t set;
  fill(&set, signals, count);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int csystem_read_signal(int fd) {
  struct signalfd_siginfo info;
  return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

void csystem_block_signals(const int *signals, int count) {
  sigset_t set;
  fill(&set, signals, count);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}
#endif
