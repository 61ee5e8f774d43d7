// Thin C without decisions: what Swift's Glibc module does not offer.
#ifndef CTAKTSYSTEM_H
#define CTAKTSYSTEM_H

#include <stdint.h>
#include <sys/types.h>

#include "CApart.h"
#include "CGuard.h"
#include "CNames.h"
#include "CProcessHandle.h"

// Who a child is to be.
typedef struct {
  uid_t uid;
  gid_t gid;
  const gid_t *groups;  // in ascending order, each once
  int group_count;
} csystem_identity;

// One of the RLIMIT_ numbers and what both its limits are set to.
typedef struct {
  int resource;
  uint64_t value;
} csystem_limit;

// What a child's work is worth. What is not permitted is left as it is.
typedef struct {
  int nice;                   // the absolute value
  int io_priority;            // as ioprio_set wants it; 0 follows the nice value
  int policy;                 // SCHED_OTHER, SCHED_BATCH or SCHED_IDLE
  uint64_t timer_slack_ns;
  int must_have_nice, must_have_io_priority;  // else the child is not started
} csystem_class;

// How a child makes itself known to the guard before it executes anything, so that there is no
// moment in which takt could be killed and the child live on. The child fills in `pid` and `until`.
typedef struct {
  int pipe;
  uint64_t ticks_per_second;
  cguard_record record;
} csystem_guarded;

// A command that a shell would only execute, and what it would leave it of the environment. The child
// executes it as the shell would. Where that fails, or what the shell would do cannot be told, it
// executes the shell.
typedef struct {
  const char *const *candidates;  // "_=" and a path each, in the order of PATH; ends with NULL
  char *const *argv;              // ends with NULL
  const int *dropped;             // places in envp of what the shell does not pass on, ascending
  int dropped_count;
  int folder;                     // place in envp of the PWD that it keeps if it is right, or -1
  const char *added;              // a variable that it adds, or NULL
  int names_program;              // whether it adds "_=" and the path
} csystem_direct;

enum { CSYSTEM_DESCRIPTORS_MAX = 64 };

// What a child is made of. All pointers are borrowed for the call.
typedef struct {
  const char *const *candidates;  // paths to execute, the first that can be; ends with NULL
  char *const *argv;              // ends with NULL
  char *const *envp;              // ends with NULL
  const char *directory;          // where it starts
  const int *descriptors;         // what it has as descriptors 0, 1, 2 …; each above 2
  int descriptor_count;           // 3 to CSYSTEM_DESCRIPTORS_MAX
  csystem_class class;
  const csystem_identity *identity;  // NULL for takt's own
  const csystem_limit *limits;
  int limit_count;
  int umask;                      // negative for takt's own
  uint64_t changed_signals;       // as `csystem_changed_signals` tells them
  const csystem_guarded *guarded; // NULL for a child that nobody guards
  int control_group;              // a control group's folder to start in; negative for takt's own
  const csystem_direct *direct;   // what is executed if possible, before the candidates; or NULL
} csystem_spawn_request;

enum {
  CSYSTEM_STAGE_PROCESS = 1,
  CSYSTEM_STAGE_DIRECTORY = 2,
  CSYSTEM_STAGE_EXEC = 3,
  CSYSTEM_STAGE_USER = 4,
  CSYSTEM_STAGE_LIMITS = 5,
  CSYSTEM_STAGE_ABANDONED = 6,
  CSYSTEM_STAGE_NICE = 7,
  CSYSTEM_STAGE_IO_PRIORITY = 8
};

// The signals that this process does not leave at their default: bit 0 is signal 1.
uint64_t csystem_changed_signals(void);

// The memory that a child shares with its parent until it executes a program: its stack, a copy of
// its request, and where it says what failed.
typedef struct csystem_launch csystem_launch;

// Memory for one launch, or NULL.
csystem_launch *csystem_launch_make(void);
// Never while the launch is pending: the child would lose its stack.
void csystem_launch_free(csystem_launch *launch);

// Starts a child in a session and process group of its own, with no signal blocked, every signal
// at its default, and no descriptor but those given. Who it is has been compared with who it was to
// be before it executes anything. Returns 0, or an error number; then there is no child.
//
// It never waits for the child. The launch is pending until the child has executed its program or
// is gone, which may be never. A child that could not execute exits with 127 after it has said why.
int csystem_spawn(
    csystem_launch *launch, const csystem_spawn_request *request, pid_t *pid, int *pidfd);

// Whether the child still shares this memory. From any thread.
int csystem_launch_is_pending(const csystem_launch *launch);
// Waits until it does not, at most so long. For a thread that may wait.
int csystem_launch_wait(csystem_launch *launch, int timeout_ms);
// Why the child that has exited did not execute: an error number with its stage, or 0 if it did.
// To be called when the launch is no longer pending.
int csystem_launch_failure(const csystem_launch *launch, int *stage);
// Whether the child executes, or has executed, its direct command and not a shell. To be called when
// the launch is no longer pending.
int csystem_launch_is_direct(const csystem_launch *launch);
// The child is not to execute anything any more, if it has not begun to.
void csystem_launch_abandon(csystem_launch *launch);

// While children become other users, debuggers and core dumps have no way into the shared memory.
// Returns whether they had one before.
int csystem_set_dumpable(int is_dumpable);

// Gives the calling thread a class, part by part. Each result is 0 or an error number.
typedef struct {
  int nice, io_priority, policy, timer_slack;
} csystem_class_result;
csystem_class_result csystem_set_class(const csystem_class *class);

// The I/O priority of a process as ioprio_set takes it, or -1.
int csystem_io_priority(pid_t pid);

// A file in memory with these bytes, open for reading from its beginning; nobody can change it.
// Returns its descriptor, above 2 and closed on exec, or -1.
int csystem_memory_file(const char *name, const void *bytes, size_t count);

// Makes the process adopt the orphans among its descendants. Returns 0 or an error number.
int csystem_become_subreaper(void);

// What a process has used, with all its descendants that were waited for.
typedef struct {
  int64_t user_us, system_us;
  int64_t memory_peak_kib;  // resident, of the largest of them
  int64_t read_blocks, written_blocks;  // of 512 bytes
  int64_t voluntary_switches, involuntary_switches;
} csystem_use;

typedef enum {
  CSYSTEM_HANDLE,  // the child of a pidfd
  CSYSTEM_GROUP,   // any child of a process group
  CSYSTEM_PROCESS  // the child of a pid
} csystem_children;

// Reaps one ended child. Returns its pid, 0 when none has ended, or -1 when there is none.
// `*exited` is 1 for an exit with `*status`, 0 for the end by signal `*status`, and -1 for such an end
// with a dump of memory.
pid_t csystem_reap(csystem_children which, int id, int *exited, int *status, csystem_use *use);

// The most memory that this program has had resident. A child that shared its memory until it
// executed its own is said to have had as much.
int64_t csystem_own_memory_peak_kib(void);
// No less than that, and soon known: the kernel counts what the program had that executed this one.
int64_t csystem_memory_peak_bound_kib(void);

// The pid of some ended child that is still to be reaped, or 0.
pid_t csystem_peek_ended(void);

int csystem_epoll_create(void);
int csystem_epoll_add(int epoll, int fd, uint64_t id, int is_for_writing);
int csystem_epoll_remove(int epoll, int fd);
// Set in an id that `csystem_epoll_wait` returns where the other end is closed. No descriptor's number
// has that bit.
#define CSYSTEM_HUNG_UP 0x80000000ULL

// Waits at most `timeout_ms` (for ever when negative) and fills `ids`, in the order in which they
// became ready. Returns how many.
int csystem_epoll_wait(int epoll, uint64_t *ids, int capacity, int timeout_ms);

// Makes a pipe whose descriptors are closed on exec and of which one end, 0 for reading or 1 for
// writing, does not block.
int csystem_pipe(int ends[2], int own_end);

// Lets a pipe hold so many bytes, where the system allows it.
void csystem_widen_pipe(int fd, int bytes);

// Makes a pseudo-terminal of this size: `ends[0]` is takt's, which does not block, and `ends[1]` the
// child's, which belongs to `owner` unless that is negative. Both are closed on exec.
int csystem_terminal(int ends[2], int rows, int columns, long owner);

// How many bytes a pipe holds, or the own end of a terminal.
int csystem_pipe_bytes(int fd);
// Gives the calling thread a name of at most 15 characters.
void csystem_name_thread(const char *name);

// The text of an error number; in `buffer`, or the system's own.
const char *csystem_error_text(int number, char *buffer, size_t size);

int csystem_eventfd(void);
// A descriptor that becomes readable when one of these signals comes; they must be blocked.
int csystem_signalfd(const int *signals, int count);
// The number of a signal that came, or 0.
int csystem_read_signal(int fd);
// Blocks these signals in the calling thread, and in those that it starts.
void csystem_block_signals(const int *signals, int count);

// Gives memory that was freed back to the system, where the C library can.
void csystem_heap_trim(void);

// Gives the pages of the program and its libraries back that are read from their files, until they are
// used again.
void csystem_program_trim(void);

// How many heaps all threads share, from how many bytes on a block has pages of its own, which go back
// when it is freed, and how much may be unused at the end of a heap. What the environment sets stays.
void csystem_heap_options(int arenas, int large, int unused);

#endif
