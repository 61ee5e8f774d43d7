// A file system that never answers, for tests. As root:
//
//   cc -O2 -o hungfs hungfs.c
//   ./hungfs [--deaf] FOLDER [NAME | NAME/]...
//
// Mounts itself over FOLDER. The root of the mount can be looked at (stat), and so can each NAME in
// it, a regular file of mode 0600, and each NAME/, a folder. Every other call waits in the kernel
// (state D, where not even SIGKILL ends it): the lookup of another name, opening, reading, creating,
// listing, statfs, chdir. With --deaf the root and the names do not answer either.
//
//   SIGUSR1         the file system returns: what waits gets ENOENT, and so does all that follows,
//                   except that the root and the names can be looked at
//   SIGUSR2         it hangs again
//   SIGTERM, SIGINT, or the end of its parent
//                   it is unmounted, and what waits gets an error
//
// Standard output gets a line of JSON each time: event "mounted", and event "held" with the request
// in "message". A line that finds no room in the pipe is dropped.
//
// A request is read and never answered, so its caller cannot be interrupted. Only this process's
// descriptor of /dev/fuse keeps the callers waiting: however it ends, they are let go.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { held_max = 65536, buffer_size = 1 << 20 };

static int device, is_deaf, has_returned, name_count;
static char **names;
static uint64_t held[held_max];
static int held_count;

static void say(const char *event, const char *message, uint64_t node) {
  char line[512];
  int length = snprintf(line, sizeof line,
                        "{\"ts\":\"\",\"level\":\"info\",\"event\":\"%s\",\"message\":\"%s %llu\"}\n",
                        event, message, (unsigned long long)node);
  if (write(STDOUT_FILENO, line, length) < 0) return;
}

static void fail(const char *what) {
  fprintf(stderr, "hungfs: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void answer(uint64_t unique, int error, const void *body, size_t size) {
  struct fuse_out_header head = {.len = sizeof head + size, .error = error, .unique = unique};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)body, size}};
  // A caller that is gone by now is none of our business.
  if (writev(device, parts, size ? 2 : 1) < 0) return;
}

// Node 1 is the root, node 2 + n the n-th name.
static int is_folder(uint64_t node) {
  if (node == FUSE_ROOT_ID) return 1;
  const char *name = names[node - 2];
  return name[strlen(name) - 1] == '/';
}

static struct fuse_attr attributes(uint64_t node) {
  struct fuse_attr result = {
      .ino = node,
      .mode = is_folder(node) ? S_IFDIR | 0755 : S_IFREG | 0600,
      .nlink = 1,
      .blksize = 4096,
  };
  return result;
}

static uint64_t node_named(const char *name) {
  size_t length = strlen(name);
  for (int i = 0; i < name_count; i++)
    if (!strncmp(names[i], name, length) && (!names[i][length] || names[i][length] == '/'))
      return 2 + i;
  return 0;
}

static void serve(const struct fuse_in_header *head, const char *body) {
  switch (head->opcode) {
    case FUSE_INIT: {
      struct fuse_init_out out = {
          .major = FUSE_KERNEL_VERSION,
          .minor = 31,
          .max_readahead = ((const struct fuse_init_in *)body)->max_readahead,
          .max_background = UINT16_MAX,
          .congestion_threshold = UINT16_MAX,
          .max_write = 65536,
          .time_gran = 1,
      };
      return answer(head->unique, 0, &out, sizeof out);
    }
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return;
    case FUSE_DESTROY: return answer(head->unique, 0, NULL, 0);
    case FUSE_GETATTR: {
      if (is_deaf && !has_returned) break;
      struct fuse_attr_out out = {.attr = attributes(head->nodeid)};
      return answer(head->unique, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
      uint64_t node = head->nodeid == FUSE_ROOT_ID ? node_named(body) : 0;
      if (!node || (is_deaf && !has_returned)) break;
      struct fuse_entry_out out = {.nodeid = node, .attr = attributes(node)};
      return answer(head->unique, 0, &out, sizeof out);
    }
    case 52:  // FUSE_STATX, which older headers lack.
    case FUSE_GETXATTR:
    case FUSE_LISTXATTR: return answer(head->unique, -ENOSYS, NULL, 0);
    default: break;
  }
  if (has_returned) return answer(head->unique, -ENOENT, NULL, 0);
  if (held_count == held_max) return answer(head->unique, -EIO, NULL, 0);
  held[held_count++] = head->unique;
  say("held", "request", head->opcode);
}

static void let_go(void) {
  for (int i = 0; i < held_count; i++) answer(held[i], -ENOENT, NULL, 0);
  held_count = 0;
}

int main(int argc, char **argv) {
  int next = 1;
  if (next < argc && !strcmp(argv[next], "--deaf")) is_deaf = 1, next++;
  if (next >= argc) {
    fprintf(stderr, "usage: hungfs [--deaf] FOLDER [NAME]...\n");
    return 64;
  }
  const char *folder = argv[next++];
  names = argv + next;
  name_count = argc - next;

  pid_t parent = getppid();
  sigset_t set;
  sigemptyset(&set);
  int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
  for (int i = 0; i < 5; i++) sigaddset(&set, numbers[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) fail("signalfd");
  fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);

  device = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) fail("/dev/fuse");
  char options[128];
  snprintf(options, sizeof options,
           "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
  if (mount("hungfs", folder, "fuse.hungfs", MS_NOSUID | MS_NODEV, options)) fail("mount");

  static char buffer[buffer_size];
  int is_said = 0;
  while (1) {
    struct pollfd entries[] = {{device, POLLIN, 0}, {signals, POLLIN, 0}};
    poll(entries, 2, 1000);
    if (getppid() != parent) break;
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo == SIGUSR1) has_returned = 1, let_go();
      else if (signal.ssi_signo == SIGUSR2) has_returned = 0;
      else break;
    }
    ssize_t count = read(device, buffer, sizeof buffer);
    if (count < 0) {
      if (errno == EAGAIN || errno == EINTR || errno == ENOENT) continue;
      break;  // Unmounted, or the connection was aborted.
    }
    serve((struct fuse_in_header *)buffer, buffer + sizeof(struct fuse_in_header));
    if (!is_said) is_said = 1, say("mounted", "node", FUSE_ROOT_ID);
  }
  umount2(folder, MNT_DETACH | UMOUNT_NOFOLLOW);
  return 0;
}
