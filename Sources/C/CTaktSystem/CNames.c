#if defined(__linux__)
#define _GNU_SOURCE
#include "CNames.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

// As many links the system itself follows.
enum { LINKS_MAX = 40 };
// More folders, links and bytes of their names than any path needs.
enum { FACTS_MAX = 256, NAMES_MAX = 8192 };

typedef struct {
  struct stat status;
  uint32_t name;  // where it begins in `names`
  int32_t folder;
  int32_t is_told;  // another process says what the status is
} fact;

struct csystem_trail {
  int32_t count;
  int32_t last;
  uint32_t name_bytes;
  fact facts[FACTS_MAX];
  char names[NAMES_MAX];
};

csystem_trail *csystem_trail_make(void) {
  csystem_trail *trail = malloc(sizeof *trail);
  if (trail != NULL) csystem_trail_set(trail, NULL);
  return trail;
}

void csystem_trail_free(csystem_trail *trail) { free(trail); }

void csystem_trail_set(csystem_trail *trail, const csystem_trail *other) {
  trail->count = other == NULL ? 0 : other->count;
  trail->name_bytes = other == NULL ? 0 : other->name_bytes;
  trail->last = other == NULL ? -1 : other->last;
  if (other == NULL) return;
  memcpy(trail->facts, other->facts, (size_t)other->count * sizeof(fact));
  memcpy(trail->names, other->names, other->name_bytes);
}

int csystem_trail_count(const csystem_trail *trail) { return trail->count; }

int csystem_trail_last(const csystem_trail *trail) { return trail->last; }

csystem_fact csystem_trail_fact(const csystem_trail *trail, int place) {
  const fact *fact = &trail->facts[place];
  return (csystem_fact){
      .status = &fact->status,
      .name = trail->names + fact->name,
      .folder = fact->folder,
      .is_told = fact->is_told};
}

// Where a walk is.
typedef struct {
  int folder;  // an O_PATH descriptor of its own
  int place;   // the folder's fact
  csystem_trail *trail;
} walker;

int csystem_is_told(int file) {
  enum { FUSE_MAGIC = 0x65735546 };
  struct statfs system;
  return fstatfs(file, &system) != 0 || (uint32_t)system.f_type == FUSE_MAGIC;
}

// Writes down a fact. Returns its place, or minus an error number.
static int note(csystem_trail *trail, const char *name, int folder, const struct stat *status,
                int file) {
  size_t length = strlen(name) + 1;
  if (trail->count == FACTS_MAX || length > NAMES_MAX - trail->name_bytes) {
    return -ENAMETOOLONG;
  }
  fact *fact = &trail->facts[trail->count];
  fact->status = *status;
  fact->name = trail->name_bytes;
  fact->folder = folder;
  int is_same = folder >= 0 && trail->facts[folder].status.st_dev == status->st_dev;
  fact->is_told = is_same ? trail->facts[folder].is_told : csystem_is_told(file);
  memcpy(trail->names + trail->name_bytes, name, length);
  trail->name_bytes += (uint32_t)length;
  return trail->count++;
}

// The walk goes on in another folder, whose descriptor it takes over.
static void enter(walker *walker, int folder, int place) {
  close(walker->folder);
  walker->folder = folder;
  walker->place = place;
}

static int enter_root(walker *walker) {
  int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return -errno;
  if (walker->trail->count > 0) {
    enter(walker, root, 0);
    return 0;
  }
  struct stat status;
  int place = fstat(root, &status) != 0 ? -errno : note(walker->trail, "", -1, &status, root);
  if (place < 0) {
    close(root);
    return place;
  }
  enter(walker, root, place);
  return 0;
}

// To the folder above, which is known: the walk has come through it, unless somebody has moved the
// folder meanwhile.
static int go_up(walker *walker) {
  int above = walker->trail->facts[walker->place].folder;
  if (above < 0) return 0;
  int folder = openat(walker->folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -errno;
  struct stat status;
  const struct stat *known = &walker->trail->facts[above].status;
  int error = fstat(folder, &status) != 0 ? errno : 0;
  if (error == 0 && (status.st_dev != known->st_dev || status.st_ino != known->st_ino)) {
    error = ESTALE;
  }
  if (error != 0) {
    close(folder);
    return -error;
  }
  enter(walker, folder, above);
  return 0;
}

// Puts the target of a link in front of the names that follow it, which are in `rest` too. Returns 0 or
// an error number.
static int follow(int link, char *rest, const char *following) {
  char target[PATH_MAX];
  ssize_t count = readlinkat(link, "", target, sizeof target);
  if (count <= 0) return count < 0 ? errno : ENOENT;
  size_t left = strlen(following);
  if ((size_t)count + left + 2 > PATH_MAX) return ENAMETOOLONG;
  memmove(rest + count + 1, following, left + 1);
  memcpy(rest, target, (size_t)count);
  rest[count] = '/';
  return 0;
}

// Opens the file that has been looked at, or none.
static int open_file(int folder, const char *name, const struct stat *seen) {
  if (S_ISDIR(seen->st_mode)) return -EISDIR;
  if (!S_ISREG(seen->st_mode)) return -EINVAL;
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return -errno;
  struct stat status;
  int error = fstat(file, &status) != 0 ? errno : 0;
  // Somebody has put another file there; whatever it is, it is not read.
  if (error == 0 && (status.st_dev != seen->st_dev || status.st_ino != seen->st_ino)) error = ESTALE;
  if (error == 0) return file;
  close(file);
  return -error;
}

// Opens a name as a folder, so that what is mounted on demand is mounted, or else whatever it is
// without touching it.
static int look(int folder, const char *name, int is_last) {
  if (!is_last) {
    int next = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next >= 0 || (errno != ENOTDIR && errno != ELOOP)) return next;
  }
  return openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

// Whether the rights of root's group are those of an access control list, which names other users.
static int names_others(int folder, const struct stat *status) {
  if (!S_ISDIR(status->st_mode) || (status->st_mode & S_IWGRP) == 0 || status->st_gid != 0) return 0;
  char place[40];
  snprintf(place, sizeof place, "/proc/self/fd/%d", folder);
  return csystem_has_access_list(place);
}

int csystem_has_access_list(const char *path) {
  return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

static int walk(walker *walker, char *rest, csystem_purpose purpose) {
  int links = 0;
  char *position = rest;
  for (;;) {
    position += strspn(position, "/");
    if (*position == 0) {
      // The path ends in a folder that has been entered: a slash, `.` or `..` is its last name.
      walker->trail->last = walker->place;
      if (purpose == CSYSTEM_READ) return -EISDIR;
      int copy = fcntl(walker->folder, F_DUPFD_CLOEXEC, 0);
      return copy < 0 ? -errno : copy;
    }
    char *end = strchrnul(position, '/');
    char *following = end + strspn(end, "/");
    // A slash behind the last name is passed over: the target of a link has one.
    int is_last = *following == 0;
    *end = 0;
    if (strcmp(position, ".") == 0) {
      position = following;
      continue;
    }
    if (strcmp(position, "..") == 0) {
      int error = go_up(walker);
      if (error != 0) return error;
      position = following;
      continue;
    }
    struct stat status;
    int next = look(walker->folder, position, is_last);
    if (next < 0) return -errno;
    int place;
    if (fstat(next, &status) == 0) {
      if (names_others(next, &status)) status.st_gid = (gid_t)-1;
      place = note(walker->trail, position, walker->place, &status, next);
    } else {
      place = -errno;
    }
    if (place < 0) {
      close(next);
      return place;
    }
    if (S_ISLNK(status.st_mode)) {
      int error = ++links > LINKS_MAX ? ELOOP : follow(next, rest, following);
      close(next);
      if (error != 0) return -error;
      position = rest;
      if (*rest == '/' && (error = enter_root(walker)) != 0) return error;
    } else if (is_last) {
      walker->trail->last = place;
      if (purpose != CSYSTEM_READ) return next;
      close(next);
      return open_file(walker->folder, position, &status);
    } else if (S_ISDIR(status.st_mode)) {
      enter(walker, next, place);
      position = following;
    } else {
      close(next);
      return -ENOTDIR;
    }
  }
}

int csystem_walk(int folder, const char *path, csystem_purpose purpose, csystem_trail *trail) {
  char rest[PATH_MAX];
  size_t length = strlen(path);
  walker walker = {.folder = -1, .place = trail->count - 1, .trail = trail};
  trail->last = -1;
  if (length == 0) return -ENOENT;
  if (length >= sizeof rest) return -ENAMETOOLONG;
  memcpy(rest, path, length + 1);
  int error = 0;
  if (*path == '/') {
    error = enter_root(&walker);
  } else if (trail->count == 0) {
    error = -EINVAL;
  } else if ((walker.folder = fcntl(folder, F_DUPFD_CLOEXEC, 0)) < 0) {
    error = -errno;
  }
  int result = error != 0 ? error : walk(&walker, rest, purpose);
  if (walker.folder >= 0) close(walker.folder);
  return result;
}
#endif
