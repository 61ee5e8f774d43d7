// Starting children, without ever waiting for one.
//
// A child shares the parent's memory until it executes a program, as with vfork, but the parent's
// thread goes on at once: the child has a stack and a copy of its request of its own. It may hang
// there for as long as a file system does not answer, or be stopped by the user whom it has become.
#if defined(__linux__)
#define _GNU_SOURCE
#include "CTaktSystem.h"

#include "CDirect.h"
#include "CRawCall.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SIGNAL_COUNT = 64, GROUPS_MAX = 4096, STACK_BYTES = 128 * 1024, GUARD_BYTES = 64 * 1024 };

struct csystem_launch {
  // Cleared by the kernel when the child has executed a program or ended.
  volatile int is_pending;
  volatile int is_abandoned;
  volatile int stage;
  volatile int error;
  // The child enters its control group itself.
  int enters_group;
  csystem_spawn_request request;
  csystem_identity identity;
  csystem_guarded guarded;
  direct_launch direct;
  void *copies;
  char *stack;
};

// The kernel's own layout of struct sigaction, for the raw call; all zero is SIG_DFL.
typedef struct {
  uint64_t handler, flags, restorer, mask;
} kernel_sigaction;

static void leave(int status) {
  for (;;) raw3(SYS_exit_group, status, 0, 0);
}

static void fail(csystem_launch *launch, int stage, long result) {
  launch->error = (int)-result;
  launch->stage = stage;
  leave(127);
}

csystem_class_result csystem_set_class(const csystem_class *class) {
  csystem_class_result result;
  struct sched_param parameter;
  memset(&parameter, 0, sizeof parameter);
  result.nice = (int)-raw3(SYS_setpriority, PRIO_PROCESS, 0, class->nice);
  result.io_priority =
      (int)-raw3(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, class->io_priority);
  result.policy = (int)-raw3(SYS_sched_setscheduler, 0, class->policy, (long)&parameter);
  result.timer_slack =
      (int)-raw(SYS_prctl, PR_SET_TIMERSLACK, (long)class->timer_slack_ns, 0, 0, 0);
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
  long file =
      raw(SYS_openat, AT_FDCWD, (long)"/proc/self/autogroup", O_WRONLY | O_CLOEXEC, 0, 0);
  if (file < 0) return;
  raw3(SYS_write, file, (long)text, length);
  raw3(SYS_close, file, 0, 0);
}

// Closes all but these. Where takt has as many descriptors as it may, so has the child, which needs a
// few more for a moment.
static void close_others(const long *kept, int count) {
  for (long low = 0;;) {
    long next = -1;
    for (int index = 0; index < count; index++)
      if (kept[index] >= low && (next < 0 || kept[index] < next)) next = kept[index];
    if (next != low) raw3(SYS_close_range, low, next < 0 ? ~0U : next - 1, 0);
    if (next < 0) return;
    low = next + 1;
  }
}

// Makes room at 0, 1, 2 … before it puts anything there. The child's descriptors are its own.
static long place_descriptors(const csystem_spawn_request *request) {
  int count = request->descriptor_count;
  long sources[CSYSTEM_DESCRIPTORS_MAX];
  for (int target = 0; target < count; target++) sources[target] = request->descriptors[target];
  for (int target = 0; target < count; target++) {
    if (sources[target] >= count) continue;
    long result = raw3(SYS_fcntl, sources[target], F_DUPFD_CLOEXEC, count);
    if (result == -EMFILE) {
      close_others(sources, count);
      result = raw3(SYS_fcntl, sources[target], F_DUPFD_CLOEXEC, count);
    }
    if (result < 0) return result;
    sources[target] = result;
  }
  for (int target = 0; target < count; target++) {
    long result = raw3(SYS_dup3, sources[target], target, 0);
    if (result < 0) return result;
  }
  // What takt opens itself is closed on exec anyway, also by a kernel without this call. It is
  // closed before anything that may hang, so that a child that does holds nothing of takt's.
  raw3(SYS_close_range, count, ~0U, 0);
  return 0;
}

// Raw calls: the library's change all threads, which here are takt's. What cannot be changed, or is
// not what it was to be afterwards, is an error.
static long become(const csystem_identity *identity) {
  uid_t uids[3];
  gid_t gids[3];
  gid_t groups[GROUPS_MAX];
  long result;
  if (identity->group_count > GROUPS_MAX) return -EINVAL;
  if ((result = raw3(SYS_setgroups, identity->group_count, (long)identity->groups, 0)) != 0)
    return result;
  if ((result = raw3(SYS_setresgid, identity->gid, identity->gid, identity->gid)) != 0)
    return result;
  if ((result = raw3(SYS_setresuid, identity->uid, identity->uid, identity->uid)) != 0)
    return result;
  // The child shares takt's memory until it executes, and the kernel makes a process of another user one
  // that this user may look into where fs.suid_dumpable says so.
  if ((result = raw(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0)) != 0) return result;
  if ((result = raw3(SYS_getresuid, (long)&uids[0], (long)&uids[1], (long)&uids[2])) != 0)
    return result;
  if ((result = raw3(SYS_getresgid, (long)&gids[0], (long)&gids[1], (long)&gids[2])) != 0)
    return result;
  long count = raw3(SYS_getgroups, GROUPS_MAX, (long)groups, 0);
  if (count < 0) return count;
  int is_right = count == identity->group_count;
  for (int index = 0; index < 3; index++)
    is_right = is_right && uids[index] == identity->uid && gids[index] == identity->gid;
  // The kernel keeps them in ascending order.
  for (int index = 0; is_right && index < count; index++)
    is_right = groups[index] == identity->groups[index];
  return is_right ? 0 : -EPERM;
}

// The child is of a session of its own by now. A guard that is gone, or too far behind, is takt's to
// replace, which tells the next one of this child.
static void announce(csystem_guarded *guarded) {
  struct timespec now;
  guarded->record.pid = (int32_t)raw3(SYS_getpid, 0, 0, 0);
  raw3(SYS_clock_gettime, CLOCK_BOOTTIME, (long)&now, 0);
  guarded->record.until = (uint64_t)now.tv_sec * guarded->ticks_per_second +
                          (uint64_t)now.tv_nsec / (1000000000 / guarded->ticks_per_second);
  long result =
      raw3(SYS_write, guarded->pipe, (long)&guarded->record, sizeof guarded->record);
  if (result != -EPIPE) return;
  // A signal that is ignored is not waiting any more when the mask is lifted.
  kernel_sigaction ignore;
  memset(&ignore, 0, sizeof ignore);
  ignore.handler = 1;
  raw(SYS_rt_sigaction, SIGPIPE, (long)&ignore, 0, sizeof(uint64_t), 0);
}

// Takes the child, which has nobody else in its process, into its control group.
static long enter_group(int group) {
  long file = raw(SYS_openat, group, (long)"cgroup.procs", O_WRONLY | O_CLOEXEC, 0, 0);
  if (file < 0) return file;
  long result = raw3(SYS_write, file, (long)"0", 1);
  raw3(SYS_close, file, 0, 0);
  return result < 0 ? result : 0;
}

// Runs in the child: raw system calls alone.
static int child_main(void *argument) {
  csystem_launch *launch = argument;
  const csystem_spawn_request *request = &launch->request;
  long result;

  if (launch->enters_group && (result = enter_group(request->control_group)) != 0)
    fail(launch, CSYSTEM_STAGE_PROCESS, result);
  raw3(SYS_setsid, 0, 0, 0);
  if (request->guarded) announce(&launch->guarded);
  // Few are changed, and a call for each of the others would be most of a child's start.
  kernel_sigaction standard;
  memset(&standard, 0, sizeof standard);
  for (int number = 1; number <= SIGNAL_COUNT; number++)
    if (request->changed_signals >> (number - 1) & 1)
      raw(SYS_rt_sigaction, number, (long)&standard, 0, sizeof(uint64_t), 0);
  csystem_class_result given = csystem_set_class(&request->class);
  if (request->class.must_have_nice && given.nice != 0)
    fail(launch, CSYSTEM_STAGE_NICE, -given.nice);
  if (request->class.must_have_io_priority && given.io_priority != 0)
    fail(launch, CSYSTEM_STAGE_IO_PRIORITY, -given.io_priority);
  if (request->class.nice != 0) set_session_nice(request->class.nice);

  if ((result = place_descriptors(request)) != 0) fail(launch, CSYSTEM_STAGE_PROCESS, result);
  if (request->umask >= 0) raw3(SYS_umask, request->umask, 0, 0);
  for (int index = 0; index < request->limit_count; index++) {
    const csystem_limit *limit = &request->limits[index];
    uint64_t both[2] = {limit->value, limit->value};
    result = raw(SYS_prlimit64, 0, limit->resource, (long)both, 0, 0);
    if (result != 0) fail(launch, CSYSTEM_STAGE_LIMITS, result);
  }
  // After all that may need takt's own rights, before all that must not use them.
  if (request->identity && (result = become(request->identity)) != 0)
    fail(launch, CSYSTEM_STAGE_USER, result);
  if ((result = raw3(SYS_chdir, (long)request->directory, 0, 0)) != 0)
    fail(launch, CSYSTEM_STAGE_DIRECTORY, result);

  uint64_t none = 0;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0);
  if (request->direct) direct_execute(&launch->direct, &launch->is_abandoned);
  long error = -ENOENT;
  for (const char *const *path = request->candidates; *path; path++) {
    if (launch->is_abandoned) fail(launch, CSYSTEM_STAGE_ABANDONED, -ECANCELED);
    result = raw3(SYS_execve, (long)*path, (long)request->argv, (long)request->envp);
    // As a shell does: go on past what is not there, and remember what was there and failed.
    if (result != -ENOENT && result != -ENOTDIR) error = result;
  }
  fail(launch, CSYSTEM_STAGE_EXEC, error);
  return 127;
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

csystem_launch *csystem_launch_make(void) {
  csystem_launch *launch = calloc(1, sizeof *launch);
  if (!launch) return NULL;
  // The lowest part is never touched: a stack that ran over would end the child, not overwrite takt.
  char *memory = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    free(launch);
    return NULL;
  }
  mprotect(memory, GUARD_BYTES, PROT_NONE);
  launch->stack = memory;
  return launch;
}

void csystem_launch_free(csystem_launch *launch) {
  munmap(launch->stack, GUARD_BYTES + STACK_BYTES);
  free(launch->copies);
  free(launch);
}

static size_t rounded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

static size_t size_of_strings(const char *const *strings) {
  size_t bytes = sizeof(char *);
  for (; *strings; strings++) bytes += sizeof(char *) + strlen(*strings) + 1;
  return rounded(bytes);
}

static void *copy(char **next, const void *bytes, size_t count) {
  char *result = *next;
  if (count > 0) memcpy(result, bytes, count);
  *next += rounded(count);
  return result;
}

static char **copy_strings(char **next, const char *const *strings) {
  size_t count = 0;
  while (strings[count]) count++;
  char **pointers = (char **)*next;
  char *text = (char *)(pointers + count + 1);
  for (size_t index = 0; index < count; index++) {
    size_t bytes = strlen(strings[index]) + 1;
    pointers[index] = memcpy(text, strings[index], bytes);
    text += bytes;
  }
  pointers[count] = NULL;
  *next += size_of_strings(strings);
  return pointers;
}

static size_t count_of(char *const *strings) {
  size_t count = 0;
  while (strings[count]) count++;
  return count;
}

static size_t size_of_direct(const csystem_direct *direct, size_t variables) {
  return size_of_strings(direct->candidates) + size_of_strings((const char *const *)direct->argv) +
         rounded(direct_room(variables) * sizeof(char *)) +
         rounded(direct->added ? strlen(direct->added) + 1 : 0);
}

// What is executed in place of the shell, in an environment that has been copied.
static void keep_direct(
    direct_launch *direct, const csystem_direct *request, char *const *envp, char **next) {
  direct->request = *request;
  direct->request.candidates = (const char *const *)copy_strings(next, request->candidates);
  direct->request.argv = copy_strings(next, (const char *const *)request->argv);
  direct->envp = (char **)*next;
  *next += rounded(direct_room(count_of(envp)) * sizeof(char *));
  if (request->added) direct->request.added = copy(next, request->added, strlen(request->added) + 1);
  direct_fill(direct, envp);
}

// The request with all that it points to, so that it lives as long as the child needs it.
static int keep(csystem_launch *launch, const csystem_spawn_request *request) {
  const char *const *argv = (const char *const *)request->argv;
  const char *const *envp = (const char *const *)request->envp;
  const csystem_identity *identity = request->identity;
  size_t group_bytes = identity ? identity->group_count * sizeof(gid_t) : 0;
  size_t limit_bytes = request->limit_count * sizeof(csystem_limit);
  size_t descriptor_bytes = request->descriptor_count * sizeof(int);
  size_t directory_bytes = strlen(request->directory) + 1;
  size_t total = size_of_strings(request->candidates) + size_of_strings(argv) +
                 size_of_strings(envp) + rounded(group_bytes) + rounded(limit_bytes) +
                 rounded(descriptor_bytes) + rounded(directory_bytes) +
                 (request->direct ? size_of_direct(request->direct, count_of(request->envp)) : 0);
  free(launch->copies);
  launch->copies = malloc(total);
  if (!launch->copies) return ENOMEM;
  char *next = launch->copies;
  launch->request = *request;
  launch->request.candidates = (const char *const *)copy_strings(&next, request->candidates);
  launch->request.argv = copy_strings(&next, argv);
  launch->request.envp = copy_strings(&next, envp);
  launch->request.directory = copy(&next, request->directory, directory_bytes);
  launch->request.descriptors = copy(&next, request->descriptors, descriptor_bytes);
  launch->request.limits = copy(&next, request->limits, limit_bytes);
  if (identity) {
    launch->identity = *identity;
    launch->identity.groups = copy(&next, identity->groups, group_bytes);
    launch->request.identity = &launch->identity;
  }
  if (request->guarded) launch->guarded = *request->guarded;
  launch->direct.is_executed = 0;
  if (request->direct)
    keep_direct(&launch->direct, request->direct, launch->request.envp, &next);
  return 0;
}

// clone3 with a function for the child, which the library does not offer.
static long clone3_call(struct clone_args *args, int (*body)(void *), void *argument) {
#if defined(__x86_64__)
  long result;
  register int (*function)(void *) __asm__("r12") = body;
  register void *first __asm__("r13") = argument;
  __asm__ volatile("syscall\n\t"
                   "testq %%rax, %%rax\n\t"
                   "jnz 1f\n\t"
                   "xorl %%ebp, %%ebp\n\t"
                   "movq %%r13, %%rdi\n\t"
                   "callq *%%r12\n\t"
                   "movl %%eax, %%edi\n\t"
                   "movl %[exit], %%eax\n\t"
                   "syscall\n\t"
                   "hlt\n"
                   "1:"
                   : "=a"(result)
                   : "a"(SYS_clone3), "D"(args), "S"(sizeof *args), "r"(function), "r"(first),
                     [exit] "i"(SYS_exit_group)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_clone3;
  register long x0 __asm__("x0") = (long)args;
  register long x1 __asm__("x1") = sizeof *args;
  register long x9 __asm__("x19") = (long)body;
  register long x10 __asm__("x20") = (long)argument;
  __asm__ volatile("svc #0\n\t"
                   "cbnz x0, 1f\n\t"
                   "mov x29, xzr\n\t"
                   "mov x0, x20\n\t"
                   "blr x19\n\t"
                   "mov x8, %[exit]\n\t"
                   "svc #0\n\t"
                   "brk #0\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x9), "r"(x10), [exit] "i"(SYS_exit_group)
                   : "memory", "x30");
  return x0;
#endif
}

int csystem_spawn(
    csystem_launch *launch, const csystem_spawn_request *request, pid_t *pid, int *pidfd) {
  if (request->descriptor_count > CSYSTEM_DESCRIPTORS_MAX) return EMFILE;
  int error = keep(launch, request);
  if (error != 0) return error;
  launch->is_abandoned = 0;
  launch->stage = 0;
  launch->error = 0;
  launch->enters_group = 0;
  launch->is_pending = 1;

  sigset_t all, before;
  sigfillset(&all);
  // No handler of the parent may run in the child, which shares its memory.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int descriptor = -1;
  char *stack = launch->stack + GUARD_BYTES;
  unsigned long flags = CLONE_VM | CLONE_PIDFD | CLONE_CHILD_CLEARTID;
  struct clone_args args;
  memset(&args, 0, sizeof args);
  args.flags = flags | (request->control_group >= 0 ? CLONE_INTO_CGROUP : 0);
  args.pidfd = (uint64_t)(uintptr_t)&descriptor;
  args.child_tid = (uint64_t)(uintptr_t)&launch->is_pending;
  args.exit_signal = SIGCHLD;
  args.stack = (uint64_t)(uintptr_t)stack;
  args.stack_size = STACK_BYTES;
  args.cgroup = request->control_group >= 0 ? (uint64_t)request->control_group : 0;
  long child = clone3_call(&args, child_main, launch);
  // A filter that cannot see what the call asks for refuses it: that of a container, or of a systemd
  // unit with RestrictNamespaces.
  if (child == -ENOSYS || child == -EPERM) {
    launch->enters_group = request->control_group >= 0;
    child = clone(child_main, stack + STACK_BYTES, (int)flags | SIGCHLD, launch, &descriptor, NULL,
                  &launch->is_pending);
    if (child < 0) child = -errno;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (child < 0) {
    launch->is_pending = 0;
    return (int)-child;
  }
  *pid = (pid_t)child;
  *pidfd = descriptor;
  return 0;
}

int csystem_launch_is_pending(const csystem_launch *launch) {
  return __atomic_load_n(&launch->is_pending, __ATOMIC_ACQUIRE) != 0;
}

int csystem_launch_wait(csystem_launch *launch, int timeout_ms) {
  struct timespec timeout = {timeout_ms / 1000, (timeout_ms % 1000) * 1000000L};
  int value;
  while ((value = __atomic_load_n(&launch->is_pending, __ATOMIC_ACQUIRE)) != 0)
    // The kernel wakes a futex that is shared between processes.
    if (syscall(SYS_futex, &launch->is_pending, FUTEX_WAIT, value, &timeout, NULL, 0) != 0 &&
        errno == ETIMEDOUT)
      return 0;
  return 1;
}

int csystem_launch_failure(const csystem_launch *launch, int *stage) {
  *stage = launch->stage;
  return launch->stage != 0 ? launch->error : 0;
}

int csystem_launch_is_direct(const csystem_launch *launch) { return launch->direct.is_executed; }

void csystem_launch_abandon(csystem_launch *launch) {
  __atomic_store_n(&launch->is_abandoned, 1, __ATOMIC_RELEASE);
}

int csystem_set_dumpable(int is_dumpable) {
  int before = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0);
  return before == 1;
}
#endif
