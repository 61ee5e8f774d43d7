// The guard process. What stands below `guard_main` runs in the copy of takt: system calls alone,
// no function of the C library, no memory but its own.
#if defined(__linux__)
#define _GNU_SOURCE
#include "CGuard.h"

#include "CRawCall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The compiler must not put a call of memset, memcpy or strlen in the place of a loop, nor calls of
// a sanitizer, whose memory the guard gives back.
#define NO_LIBRARY __attribute__((no_builtin, disable_sanitizer_instrumentation))

enum {
  PIPE_BYTES = 256 * 1024,
  TABLE_BYTES = 64 * 1024,
  SCRATCH_BYTES = 64 * 1024,
  ENVIRONMENT_BYTES_MAX = 256 * 1024,
  // So often what is left is searched for, 5 ms apart.
  ROUNDS_MAX = 400,
  ROUND_NS = 5 * 1000 * 1000,
  LISTING_BYTES = 16 * 1024,
  // What is told is gathered for so long, where the pipe has room for far more than can come.
  GATHER_NS = 5 * 1000 * 1000,
  GATHER_PIPE_BYTES_MIN = 64 * 1024,
};

typedef struct {
  cguard_record record;
  // The attempt's first process, or -1.
  int handle;
  // Whether the number of that process was its own when the search began: then so is its session.
  int owns_number;
} attempt;

// A process as it was listed.
typedef struct {
  int32_t pid, parent, session;
  int32_t attempt;  // the one that it belongs to, or -1
  int32_t through;  // the process from which it descends, where that is the proof, or -1
  int handle;
  uint64_t start;
  char state;
  char is_right;
} seen;

static struct {
  int pipe, parent, groups, timer;
  pid_t own_pid, parent_pid, adopter;
  int is_closed, is_orphan, was_overdue, has_new, gathers;
  uint64_t deadline;
  attempt *attempts;
  size_t count, table_bytes;
  seen *seen;
  size_t seen_count, seen_bytes;
  char own_groups[4096], groups_text[4096];
  size_t own_groups_length;
  char listing[LISTING_BYTES] __attribute__((aligned(8)));
  char text[4096];
  cguard_record records[64];
  size_t partial;
  uint64_t member;
  // The words of the last command, in memory of their own; NULL for none.
  char **farewell, **environment, *member_text;
} guard;

// MARK: Text

NO_LIBRARY static size_t append(char *text, size_t length, const char *more) {
  while (*more) text[length++] = *more++;
  text[length] = 0;
  return length;
}

NO_LIBRARY static size_t append_number(char *text, size_t length, uint64_t number) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) text[length++] = digits[--count];
  text[length] = 0;
  return length;
}

NO_LIBRARY static int is_equal(const char *left, const char *right, size_t count) {
  for (size_t index = 0; index < count; index++)
    if (left[index] != right[index]) return 0;
  return 1;
}

NO_LIBRARY static void copy_bytes(void *to, const void *from, size_t count) {
  for (size_t index = 0; index < count; index++)
    ((char *)to)[index] = ((const char *)from)[index];
}

// MARK: Files

NO_LIBRARY static int open_file(const char *path, int flags) {
  return (int)raw(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0, 0);
}

NO_LIBRARY static int open_of_process(pid_t pid, const char *name, int flags) {
  char path[64];
  size_t length = append_number(path, append(path, 0, "/proc/"), (uint64_t)pid);
  append(path, append(path, length, "/"), name);
  return open_file(path, flags);
}

NO_LIBRARY static long read_file(int file, char *bytes, size_t capacity) {
  size_t length = 0;
  while (length < capacity) {
    long count = raw3(SYS_read, file, (long)(bytes + length), (long)(capacity - length));
    if (count == -EINTR) continue;
    if (count < 0) return count;
    if (count == 0) break;
    length += (size_t)count;
  }
  return (long)length;
}

NO_LIBRARY static long read_of_process(
    pid_t pid, const char *name, char *bytes, size_t capacity) {
  int file = open_of_process(pid, name, O_RDONLY);
  if (file < 0) return file;
  long length = read_file(file, bytes, capacity);
  raw3(SYS_close, file, 0, 0);
  return length;
}

NO_LIBRARY static void write_to_file(int folder, const char *path, const char *text) {
  int file = (int)raw(SYS_openat, folder, (long)path, O_WRONLY | O_CLOEXEC, 0, 0);
  if (file < 0) return;
  size_t length = 0;
  while (text[length]) length++;
  raw3(SYS_write, file, (long)text, (long)length);
  raw3(SYS_close, file, 0, 0);
}

// The numbers behind the name in `/proc/PID/stat`, from the parent's on: field 4 is the first.
NO_LIBRARY static int read_status(pid_t pid, char *state, uint64_t *fields, int wanted) {
  char text[1024];
  long length = read_of_process(pid, "stat", text, sizeof text);
  if (length <= 0) return 0;
  // The name may hold any character, brackets too.
  long place = length - 1;
  while (place >= 0 && text[place] != ')') place--;
  if (place < 0 || place + 2 >= length) return 0;
  *state = text[place + 2];
  place += 3;
  int count = 0;
  while (count < wanted && place < length) {
    if (text[place] != ' ') return 0;
    place++;
    uint64_t number = 0;
    while (place < length && text[place] != ' ' && text[place] != '\n') {
      if (text[place] >= '0' && text[place] <= '9')
        number = number * 10 + (uint64_t)(text[place] - '0');
      place++;
    }
    fields[count++] = number;
  }
  return count == wanted;
}

enum { FIELD_PARENT = 0, FIELD_SESSION = 2, FIELD_START = 18, FIELD_ARGUMENTS = 44 };

NO_LIBRARY static int read_seen(pid_t pid, seen *process) {
  uint64_t fields[FIELD_START + 1];
  if (!read_status(pid, &process->state, fields, FIELD_START + 1)) return 0;
  process->pid = pid;
  process->parent = (int32_t)fields[FIELD_PARENT];
  process->session = (int32_t)fields[FIELD_SESSION];
  process->start = fields[FIELD_START];
  return 1;
}

// MARK: Memory

// Room for `bytes`, or 0.
NO_LIBRARY static int grow(void **memory, size_t *bytes, size_t wanted) {
  if (wanted <= *bytes) return 1;
  size_t size = *bytes;
  while (size < wanted) size *= 2;
  long result = raw(SYS_mremap, (long)*memory, (long)*bytes, (long)size, MREMAP_MAYMOVE, 0);
  if (result < 0 && result > -4096) return 0;
  *memory = (void *)result;
  *bytes = size;
  return 1;
}

NO_LIBRARY static int holds(uint64_t start, uint64_t end, const void *address) {
  return start <= (uint64_t)(uintptr_t)address && (uint64_t)(uintptr_t)address < end;
}

NO_LIBRARY static uint64_t hexadecimal(const char **next) {
  uint64_t result = 0;
  for (;; (*next)++) {
    char digit = **next;
    if (digit >= '0' && digit <= '9') result = result * 16 + (uint64_t)(digit - '0');
    else if (digit >= 'a' && digit <= 'f') result = result * 16 + (uint64_t)(digit - 'a' + 10);
    else return result;
  }
}

NO_LIBRARY static const void *thread_pointer(void) {
#if defined(__x86_64__)
  const void *result;
  __asm__("movq %%fs:0, %0" : "=r"(result));
  return result;
#else
  return __builtin_thread_pointer();
#endif
}

// Gives back a mapping of takt's by its line, if it is takt's heap, a stack of another thread, or a
// file that is shared. What the kernel writes to or the guard runs on stays.
NO_LIBRARY static void give_back(const char *line) {
  uint64_t start = hexadecimal(&line);
  if (*line++ != '-') return;
  uint64_t end = hexadecimal(&line);
  if (*line++ != ' ') return;
  char is_shared = line[3] == 's';
  line += 4;
  // The offset, the device, the number of the file.
  for (int field = 0; field < 2; field++) {
    while (*line == ' ') line++;
    while (*line && *line != ' ') line++;
  }
  while (*line == ' ') line++;
  char is_file = *line != '0';
  while (*line && *line != ' ') line++;
  while (*line == ' ') line++;
  char is_named = *line && !is_equal(line, "[heap]", 6) && !is_equal(line, "[anon", 5);
  if (!is_shared && (is_file || is_named)) return;
  char here = 0;
  if (holds(start, end, &here) || holds(start, end, thread_pointer()) ||
      holds(start, end, &guard) || holds(start, end, (char *)&guard + sizeof guard - 1) ||
      holds(start, end, guard.attempts) || holds(start, end, guard.seen) ||
      holds(start, end, guard.farewell))
    return;
  raw3(SYS_munmap, (long)start, (long)(end - start), 0);
}

NO_LIBRARY static void give_memory_back(void) {
  int file = open_file("/proc/self/maps", O_RDONLY);
  if (file < 0) return;
  char line[128];
  size_t length = 0;
  for (;;) {
    long count = raw3(SYS_read, file, (long)guard.text, sizeof guard.text);
    if (count == -EINTR) continue;
    if (count <= 0) break;
    for (long index = 0; index < count; index++) {
      if (guard.text[index] == '\n') {
        line[length] = 0;
        give_back(line);
        length = 0;
      } else if (length < sizeof line - 1) {
        line[length++] = guard.text[index];
      }
    }
  }
  raw3(SYS_close, file, 0, 0);
}

// MARK: Attempts

NO_LIBRARY static int has_mark(const cguard_record *record) { return record->mark[0] != 0; }

NO_LIBRARY static int open_process(pid_t pid) {
  return (int)raw3(SYS_pidfd_open, pid, 0, 0);
}

NO_LIBRARY static void remove_at(size_t index) {
  attempt *removed = &guard.attempts[index];
  if (removed->handle >= 0) raw3(SYS_close, removed->handle, 0, 0);
  guard.count--;
  if (index < guard.count) copy_bytes(removed, &guard.attempts[guard.count], sizeof *removed);
}

NO_LIBRARY static int has_started_in(const seen *process, const cguard_record *record) {
  return record->since <= process->start && process->start <= record->until;
}

NO_LIBRARY static void add(const cguard_record *record) {
  for (size_t index = 0; index < guard.count; index++) {
    attempt *known = &guard.attempts[index];
    if (known->record.attempt != record->attempt) continue;
    if (known->record.pid == record->pid && known->handle >= 0) return;
    remove_at(index);
    break;
  }
  if (!grow((void **)&guard.attempts, &guard.table_bytes, (guard.count + 1) * sizeof(attempt)))
    return;
  attempt *added = &guard.attempts[guard.count++];
  copy_bytes(&added->record, record, sizeof *record);
  added->record.group[CGUARD_GROUP_BYTES - 1] = 0;
  added->handle = record->pid > 1 ? open_process(record->pid) : -1;
  added->owns_number = 0;
  guard.has_new = 1;
  if (added->handle < 0) return;
  seen first;
  if (read_seen(record->pid, &first) && has_started_in(&first, record)) return;
  // It has ended, and another process has its number.
  raw3(SYS_close, added->handle, 0, 0);
  added->handle = -1;
}

NO_LIBRARY static void forget(uint64_t number) {
  for (size_t index = 0; index < guard.count; index++) {
    if (guard.attempts[index].record.attempt != number) continue;
    remove_at(index);
    return;
  }
}

// MARK: The search

// The attempt whose mark stands in a process's environment, or -1.
NO_LIBRARY static int attempt_by_mark(const seen *process) {
  static const char name[] = "TAKT_ATTEMPT_ID=";
  enum { NAME_LENGTH = sizeof name - 1 };
  int file = open_of_process(process->pid, "environ", O_RDONLY);
  if (file < 0) return -1;
  char entry[NAME_LENGTH + CGUARD_MARK_BYTES];
  size_t length = 0, total = 0;
  int result = -1;
  while (result < 0 && total < ENVIRONMENT_BYTES_MAX) {
    long count = raw3(SYS_read, file, (long)guard.text, sizeof guard.text);
    if (count == -EINTR) continue;
    if (count <= 0) break;
    total += (size_t)count;
    for (long index = 0; index < count && result < 0; index++) {
      char byte = guard.text[index];
      if (byte != 0) {
        // One that is longer is none of takt's.
        if (length < sizeof entry) entry[length] = byte;
        length++;
        continue;
      }
      if (length == sizeof entry && is_equal(entry, name, NAME_LENGTH)) {
        for (size_t place = 0; place < guard.count && result < 0; place++) {
          const cguard_record *record = &guard.attempts[place].record;
          if (has_mark(record) && process->start >= record->since &&
              is_equal(record->mark, entry + NAME_LENGTH, CGUARD_MARK_BYTES))
            result = (int)place;
        }
      }
      length = 0;
    }
  }
  raw3(SYS_close, file, 0, 0);
  return result;
}

// Whether a process is in the very control groups in which takt is: what a service manager has
// started with an environment that somebody has handed it is not.
NO_LIBRARY static int is_in_own_groups(const seen *process) {
  long length =
      read_of_process(process->pid, "cgroup", guard.groups_text, sizeof guard.groups_text);
  return length > 0 && (size_t)length == guard.own_groups_length &&
         is_equal(guard.groups_text, guard.own_groups, (size_t)length);
}

// The kernel lists processes by their numbers.
NO_LIBRARY static int place_of(pid_t pid) {
  size_t low = 0, high = guard.seen_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (guard.seen[middle].pid < pid) low = middle + 1;
    else high = middle;
  }
  return low < guard.seen_count && guard.seen[low].pid == pid ? (int)low : -1;
}

// The attempt to which a process belongs by itself, or -1.
//
// It is its first process; or it is of its session; or it bears its mark and has been adopted by
// takt, or by the process that adopted takt's children when takt ended.
NO_LIBRARY static int attempt_of(const seen *process) {
  int by_session = 0;
  for (size_t index = 0; index < guard.count; index++) {
    const attempt *attempt = &guard.attempts[index];
    const cguard_record *record = &attempt->record;
    if (record->pid <= 1) continue;
    if (process->pid == record->pid) {
      if (has_started_in(process, record)) return (int)index;
    } else if (process->session == record->pid && process->start >= record->since) {
      if (attempt->owns_number) return (int)index;
      by_session = 1;
    }
  }
  int is_adopted = process->parent == guard.parent_pid ||
                   (process->parent == guard.adopter && is_in_own_groups(process));
  if (!by_session && !is_adopted) return -1;
  int found = attempt_by_mark(process);
  if (found < 0 || is_adopted) return found;
  const cguard_record *record = &guard.attempts[found].record;
  if (record->pid != process->session) return -1;
  // A session whose leader lives is the attempt's only when the leader is.
  int leader = place_of(record->pid);
  return leader < 0 || has_started_in(&guard.seen[leader], record) ? found : -1;
}

NO_LIBRARY static void list_process(pid_t pid) {
  if (pid <= 1 || pid == guard.own_pid || pid == guard.parent_pid) return;
  if (!grow((void **)&guard.seen, &guard.seen_bytes, (guard.seen_count + 1) * sizeof(seen)))
    return;
  seen *process = &guard.seen[guard.seen_count];
  if (!read_seen(pid, process) || process->state == 'Z' || process->state == 'X') return;
  process->attempt = -1;
  process->through = -1;
  process->handle = -1;
  process->is_right = 0;
  guard.seen_count++;
}

NO_LIBRARY static void list_processes(void) {
  struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
  };
  guard.seen_count = 0;
  int folder = open_file("/proc", O_RDONLY | O_DIRECTORY);
  if (folder < 0) return;
  for (;;) {
    long count = raw3(SYS_getdents64, folder, (long)guard.listing, sizeof guard.listing);
    if (count == -EINTR) continue;
    if (count <= 0) break;
    for (long place = 0; place < count;) {
      const struct entry *entry = (const struct entry *)(guard.listing + place);
      place += entry->length;
      pid_t pid = 0;
      const char *digit = entry->name;
      while (*digit >= '0' && *digit <= '9') pid = pid * 10 + (*digit++ - '0');
      if (*digit == 0) list_process(pid);
    }
  }
  raw3(SYS_close, folder, 0, 0);
}

// Finds out which processes belong to attempts. Who descends from one that does, does too.
NO_LIBRARY static void classify(void) {
  for (size_t index = 0; index < guard.seen_count; index++)
    guard.seen[index].attempt = attempt_of(&guard.seen[index]);
  for (int has_changed = 1; has_changed;) {
    has_changed = 0;
    for (size_t index = 0; index < guard.seen_count; index++) {
      seen *process = &guard.seen[index];
      if (process->attempt >= 0) continue;
      int parent = place_of(process->parent);
      if (parent < 0 || guard.seen[parent].attempt < 0 ||
          guard.seen[parent].start > process->start)
        continue;
      process->attempt = guard.seen[parent].attempt;
      process->through = parent;
      has_changed = 1;
    }
  }
}

// Takes handles on what was found, and makes sure that they mean what was listed.
NO_LIBRARY static size_t hold(void) {
  size_t found = 0;
  for (size_t index = 0; index < guard.seen_count; index++) {
    seen *process = &guard.seen[index];
    if (process->attempt < 0) continue;
    found++;
    process->handle = open_process(process->pid);
    seen now;
    // A process that had the number between the list and the handle would have started later.
    process->is_right = process->handle >= 0 && read_seen(process->pid, &now) &&
                        now.start == process->start &&
                        (process->through < 0 || now.parent == process->parent);
  }
  return found;
}

// Whether all from whom it is said to descend were there when they were looked at again.
NO_LIBRARY static int is_proven(const seen *process) {
  for (;;) {
    if (!process->is_right) return 0;
    if (process->through < 0) return 1;
    process = &guard.seen[process->through];
  }
}

// Whether an attempt lives on although the deadline has passed: takt is there.
NO_LIBRARY static int is_spared(const attempt *attempt) {
  return attempt->record.kind == CGUARD_ADD_FINISHING && !guard.is_closed && !guard.is_orphan;
}

NO_LIBRARY static void kill_group(const attempt *attempt) {
  const cguard_record *record = &attempt->record;
  if (record->group[0] != 0 && guard.groups >= 0) {
    char path[CGUARD_GROUP_BYTES + 16];
    append(path, append(path, 0, record->group), "/cgroup.kill");
    write_to_file(guard.groups, path, "1");
  }
  if (attempt->handle < 0) return;
  // PIDFD_SIGNAL_PROCESS_GROUP: since Linux 6.9.
  long result = raw(SYS_pidfd_send_signal, attempt->handle, SIGKILL, 0, 1L << 2, 0);
  if (result == -EINVAL && attempt->owns_number) raw3(SYS_kill, -record->pid, SIGKILL, 0);
}

NO_LIBRARY static void pause_a_little(void) {
  struct timespec time;
  time.tv_sec = 0;
  time.tv_nsec = ROUND_NS;
  raw(SYS_ppoll, 0, 0, (long)&time, 0, 0);
}

// Says that attempts were ended, if that can be said at once.
NO_LIBRARY static void report(size_t count) {
  struct pollfd standard_error;
  standard_error.fd = STDERR_FILENO;
  standard_error.events = POLLOUT;
  standard_error.revents = 0;
  struct timespec none;
  none.tv_sec = 0;
  none.tv_nsec = 0;
  if (raw(SYS_ppoll, (long)&standard_error, 1, (long)&none, 0, 0) != 1 ||
      !(standard_error.revents & POLLOUT))
    return;
  size_t length = append(guard.text, 0, "takt-guard: ");
  length = append(guard.text, length,
                  guard.is_closed || guard.is_orphan
                      ? "takt is gone. "
                      : "takt did not renew its lease in time. ");
  length = append(guard.text, length, "Killed the processes of claimed runs: ");
  length = append_number(guard.text, length, count);
  length = append(guard.text, length, ".\n");
  raw3(SYS_write, STDERR_FILENO, (long)guard.text, (long)length);
}

// Kills all processes of all attempts. Returns whether nothing is left of them.
NO_LIBRARY static int end_all(void) {
  guard.has_new = 0;
  if (guard.count == 0) return 1;
  long length = read_of_process(
      guard.own_pid, "cgroup", guard.own_groups, sizeof guard.own_groups);
  guard.own_groups_length = length > 0 ? (size_t)length : 0;
  for (size_t index = 0; index < guard.count; index++) {
    attempt *attempt = &guard.attempts[index];
    // Who has ended and is not reaped has its number still.
    attempt->owns_number =
        attempt->handle >= 0 &&
        raw(SYS_pidfd_send_signal, attempt->handle, 0, 0, 0, 0) != -ESRCH;
  }
  int has_found = 0, is_clean = 0;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    guard.adopter = (pid_t)raw3(SYS_getppid, 0, 0, 0);
    list_processes();
    classify();
    for (size_t index = 0; index < guard.seen_count; index++) {
      seen *process = &guard.seen[index];
      if (process->attempt >= 0 && is_spared(&guard.attempts[process->attempt]))
        process->attempt = -1;
    }
    // All handles before the first signal: who loses its parent cannot be told any more.
    size_t found = hold();
    for (size_t index = 0; index < guard.count; index++)
      if (!is_spared(&guard.attempts[index])) kill_group(&guard.attempts[index]);
    for (size_t index = 0; index < guard.seen_count; index++) {
      const seen *process = &guard.seen[index];
      if (process->attempt >= 0 && is_proven(process))
        raw(SYS_pidfd_send_signal, process->handle, SIGKILL, 0, 0, 0);
    }
    for (size_t index = 0; index < guard.seen_count; index++)
      if (guard.seen[index].handle >= 0) raw3(SYS_close, guard.seen[index].handle, 0, 0);
    if (found > 0) has_found = 1;
    is_clean = found == 0;
    // A pipe is closed before the kernel gives the children of the one who has held it away.
    if (found == 0 && (!guard.is_closed || guard.adopter != guard.parent_pid)) break;
    pause_a_little();
  }
  size_t ended = 0;
  for (size_t index = 0; index < guard.count; index++)
    if (!is_spared(&guard.attempts[index])) ended++;
  if (has_found) report(ended);
  return is_clean;
}

// Becomes the command that tells others that nothing is left of takt, if takt has ended.
NO_LIBRARY static void say_farewell(void) {
  if (!guard.farewell || guard.member == 0) return;
  // A pipe is closed a little before its owner has ended.
  struct pollfd parent;
  parent.fd = guard.parent;
  parent.events = POLLIN;
  parent.revents = 0;
  struct timespec patience;
  patience.tv_sec = 2;
  patience.tv_nsec = 0;
  if (raw(SYS_ppoll, (long)&parent, 1, (long)&patience, 0, 0) != 1) return;
  append_number(guard.member_text, 0, guard.member);
  // Of a command that has ended the numbers 0 and 1 are free.
  for (int descriptor = 0; descriptor < 2; descriptor++)
    raw(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDWR, 0, 0);
  uint64_t none = 0;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0);
  raw3(SYS_execve, (long)"/proc/self/exe", (long)guard.farewell, (long)guard.environment);
}

// MARK: The loop

NO_LIBRARY static void set_deadline(uint64_t instant) {
  guard.deadline = instant;
  guard.was_overdue = 0;
  struct itimerspec timer;
  timer.it_interval.tv_sec = 0;
  timer.it_interval.tv_nsec = 0;
  timer.it_value.tv_sec = (time_t)(instant / 1000000000);
  timer.it_value.tv_nsec = (long)(instant % 1000000000);
  raw(SYS_timerfd_settime, guard.timer, 1 /* TFD_TIMER_ABSTIME */, (long)&timer, 0, 0);
}

NO_LIBRARY static int is_overdue(void) {
  struct timespec now;
  if (guard.deadline == 0 || raw3(SYS_clock_gettime, CLOCK_BOOTTIME, (long)&now, 0) != 0) return 0;
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec >= guard.deadline;
}

NO_LIBRARY static void take(const cguard_record *record) {
  switch (record->kind) {
    case CGUARD_ADD:
    case CGUARD_ADD_FINISHING: add(record); break;
    case CGUARD_REMOVE: forget(record->attempt); break;
    case CGUARD_DEADLINE: set_deadline(record->since); break;
    case CGUARD_MEMBER: guard.member = record->since; break;
    case CGUARD_QUIT:
      for (;;) raw3(SYS_exit_group, 0, 0, 0);
    default: break;
  }
}

// Reads all that has come: a deadline that was put off in time counts, however late it is read.
NO_LIBRARY static void read_records(void) {
  char *bytes = (char *)guard.records;
  while (!guard.is_closed) {
    long count = raw3(SYS_read, guard.pipe, (long)(bytes + guard.partial),
                      (long)(sizeof guard.records - guard.partial));
    if (count == -EINTR) continue;
    if (count < 0) return;
    if (count == 0) guard.is_closed = 1;
    size_t length = guard.partial + (size_t)count;
    size_t whole = length / sizeof(cguard_record);
    for (size_t index = 0; index < whole; index++) take(&guard.records[index]);
    guard.partial = length % sizeof(cguard_record);
    for (size_t index = 0; index < guard.partial; index++)
      bytes[index] = bytes[whole * sizeof(cguard_record) + index];
  }
}

// Returns at once when something is to be done. While takt starts many commands, each of which makes
// itself known, the guard does not take the processor from them: nothing is to be done about these,
// and all that has been told is read before anything is done.
NO_LIBRARY static void wait_for_news(void) {
  struct pollfd entries[3];
  for (int index = 0; index < 3; index++) {
    entries[index].events = POLLIN;
    entries[index].revents = 0;
  }
  entries[0].fd = guard.pipe;
  // A negative one is passed over.
  entries[1].fd = guard.is_orphan ? -1 : guard.parent;
  entries[2].fd = guard.was_overdue ? -1 : guard.timer;
  raw(SYS_ppoll, (long)entries, 3, 0, 0, 0);
  int is_told_alone = entries[0].revents == POLLIN && !entries[1].revents && !entries[2].revents;
  if (is_told_alone && guard.gathers && !guard.was_overdue) {
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = GATHER_NS;
    // The end of the pipe alone.
    entries[0].events = 0;
    raw(SYS_ppoll, (long)entries, 3, (long)&time, 0, 0);
  }
  if (entries[1].revents != 0) guard.is_orphan = 1;
}

NO_LIBRARY static void place_descriptors(void) {
  int *own[3] = {&guard.pipe, &guard.parent, &guard.groups};
  for (int index = 0; index < 3; index++)
    if (*own[index] >= 0)
      *own[index] = (int)raw3(SYS_fcntl, *own[index], F_DUPFD_CLOEXEC, 16);
  for (int index = 0; index < 3; index++) {
    raw3(SYS_close, 3 + index, 0, 0);
    if (*own[index] >= 0 && raw3(SYS_dup3, *own[index], 3 + index, O_CLOEXEC) >= 0)
      *own[index] = 3 + index;
  }
  raw3(SYS_close, 0, 0, 0);
  raw3(SYS_close, 1, 0, 0);
  // What takt has locked, opened or listens on is takt's alone.
  if (raw3(SYS_close_range, 6, ~0U, 0) == 0) return;
  for (int descriptor = 6; descriptor < 65536; descriptor++) raw3(SYS_close, descriptor, 0, 0);
}

// Whoever lists processes sees the guard by its own name.
NO_LIBRARY static void take_name(void) {
  static const char name[] = "takt-guard";
  raw(SYS_prctl, PR_SET_NAME, (long)name, 0, 0, 0);
  char state;
  uint64_t fields[FIELD_ARGUMENTS + 2];
  if (!read_status(guard.own_pid, &state, fields, FIELD_ARGUMENTS + 2)) return;
  uint64_t start = fields[FIELD_ARGUMENTS], end = fields[FIELD_ARGUMENTS + 1];
  if (start == 0 || end < start + sizeof name) return;
  volatile char *words = (volatile char *)(uintptr_t)start;
  for (uint64_t index = 0; index < end - start; index++)
    words[index] = index < sizeof name ? name[index] : 0;
}

NO_LIBRARY static void guard_main(const cguard_setup *setup) {
  guard.own_pid = (pid_t)raw3(SYS_getpid, 0, 0, 0);
  guard.adopter = guard.parent_pid;
  raw3(SYS_setsid, 0, 0, 0);
  place_descriptors();
  raw3(SYS_chdir, (long)"/", 0, 0);
  take_name();
  write_to_file(AT_FDCWD, "/proc/self/oom_score_adj", "-1000");
  uint64_t limit[2];
  if (raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)limit, 0) == 0) {
    limit[0] = limit[1];
    raw(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)limit, 0, 0);
  }
  guard.gathers = raw3(SYS_fcntl, guard.pipe, F_GETPIPE_SZ, 0) >= GATHER_PIPE_BYTES_MIN;
  guard.timer = (int)raw3(SYS_timerfd_create, CLOCK_BOOTTIME, O_NONBLOCK | O_CLOEXEC, 0);
  for (size_t index = 0; index < setup->count; index++) add(&setup->attempts[index]);
  uint64_t deadline = setup->deadline;
  guard.member = setup->member;
  // From here on `setup` and all else of takt's is gone.
  give_memory_back();
  // So that it need not wait for a disk when memory is short. Only root may do so.
  raw3(SYS_mlockall, MCL_CURRENT | MCL_FUTURE | 4 /* MCL_ONFAULT */, 0, 0);
  set_deadline(deadline);
  for (;;) {
    wait_for_news();
    read_records();
    int is_late = is_overdue();
    int is_over = guard.is_closed || guard.is_orphan;
    int is_clean = 0;
    if (is_over || (is_late && (guard.has_new || !guard.was_overdue))) is_clean = end_all();
    guard.was_overdue = is_late;
    // A child that takt has started last holds the pipe until it has said so.
    if (guard.is_closed) {
      if (is_clean) say_farewell();
      for (;;) raw3(SYS_exit_group, 0, 0, 0);
    }
  }
}

// MARK: takt's side

enum { FENCE_BYTES = 64 * 1024 };

// Memory between two parts that cannot be read, so that the kernel never joins it with other
// memory, which the guard gives back.
static void *map_apart(size_t bytes) {
  char *memory = mmap(NULL, bytes + 2 * FENCE_BYTES, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  if (mprotect(memory + FENCE_BYTES, bytes, PROT_READ | PROT_WRITE) == 0)
    return memory + FENCE_BYTES;
  munmap(memory, bytes + 2 * FENCE_BYTES);
  return NULL;
}

static void unmap_apart(void *memory, size_t bytes) {
  if (memory) munmap((char *)memory - FENCE_BYTES, bytes + 2 * FENCE_BYTES);
}

static size_t text_bytes(char *const *words, size_t *count) {
  size_t bytes = 0;
  for (*count = 0; words[*count]; (*count)++) bytes += strlen(words[*count]) + 1;
  return bytes;
}

static char *copy_words(char **to, char *text, char *const *words) {
  for (; *words; words++, to++) {
    *to = text;
    text = stpcpy(text, *words) + 1;
  }
  return text;
}

enum { MEMBER_BYTES = 24 };

// The last command's words and takt's environment, one behind the other, in memory apart.
static void *pack_farewell(const cguard_setup *setup, size_t *bytes) {
  size_t words, variables;
  size_t text = text_bytes(setup->farewell, &words) + text_bytes(environ, &variables);
  size_t pointers = (words + 2 + variables + 1) * sizeof(char *);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  *bytes = (pointers + text + MEMBER_BYTES + page - 1) / page * page;
  char *memory = map_apart(*bytes);
  if (!memory) return NULL;
  char **list = (char **)(void *)memory;
  char *next = copy_words(list, memory + pointers, setup->farewell);
  list[words] = next;
  copy_words(list + words + 2, next + MEMBER_BYTES, environ);
  return memory;
}

int cguard_start(const cguard_setup *setup, pid_t *pid, int *handle, int *pipe) {
  int ends[2] = {-1, -1}, child_handle = -1, error = 0;
  size_t table_bytes = TABLE_BYTES;
  while (table_bytes < setup->count * sizeof(attempt)) table_bytes *= 2;
  void *table = map_apart(table_bytes);
  void *scratch = map_apart(SCRATCH_BYTES);
  size_t farewell_bytes = 0;
  char **farewell = setup->farewell ? pack_farewell(setup, &farewell_bytes) : NULL;
  int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
  if (!table || !scratch || (setup->farewell && !farewell)) error = ENOMEM;
  else if (own < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) error = errno;
  if (error == 0) {
    // As large as it is let be: what does not fit in is not told.
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    pid_t parent_pid = getpid();
    sigset_t all, before;
    sigfillset(&all);
    // In the guard they stay blocked: it ends by what it is told, or by SIGKILL.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // Without the library's handlers round a fork: the guard uses nothing that they look after.
    long child = raw(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, (long)&child_handle, 0, 0);
    if (child == 0) {
      guard.pipe = ends[0];
      guard.parent = own;
      guard.groups = setup->groups;
      guard.parent_pid = parent_pid;
      guard.attempts = table;
      guard.table_bytes = table_bytes;
      guard.seen = scratch;
      guard.seen_bytes = SCRATCH_BYTES;
      guard.farewell = farewell;
      if (farewell) {
        size_t words = 0;
        while (setup->farewell[words]) words++;
        guard.member_text = farewell[words];
        guard.environment = farewell + words + 2;
      }
      guard_main(setup);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0) error = (int)-child;
    *pid = (pid_t)child;
    *handle = child_handle;
    *pipe = ends[1];
  }
  unmap_apart(table, table_bytes);
  unmap_apart(scratch, SCRATCH_BYTES);
  unmap_apart(farewell, farewell_bytes);
  if (own >= 0) close(own);
  if (ends[0] >= 0) close(ends[0]);
  if (error != 0 && ends[1] >= 0) close(ends[1]);
  return error;
}

int cguard_send(int pipe, const cguard_record *record) {
  ssize_t count;
  do {
    count = write(pipe, record, sizeof *record);
  } while (count < 0 && errno == EINTR);
  // A pipe takes so few bytes whole or not at all.
  return count < 0 ? errno : 0;
}
#endif
