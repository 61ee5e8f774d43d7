#if defined(__linux__)
#define _GNU_SOURCE
#include "CNames.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// As many links the system itself follows.
enum { LINKS_MAX = 40 };

// Whether others than root may add names to a folder.
static int takes_others(const struct stat *folder) {
  return folder->st_uid != 0 || (folder->st_mode & 022) != 0;
}

// Whether only root can have made a link: in a sticky folder others can neither remove nor replace it.
static int is_roots(const struct stat *link, const struct stat *folder) {
  int is_open = (folder->st_mode & 022) != 0 && (folder->st_mode & S_ISVTX) == 0;
  return link->st_uid == 0 && folder->st_uid == 0 && !is_open;
}

static int open_root(void) { return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC); }

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

static int open_last(int folder, const char *name, const struct stat *around, int *is_foreign) {
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return -errno;
  struct stat status;
  if (fstat(file, &status) != 0) {
    int error = errno;
    close(file);
    return -error;
  }
  if (status.st_nlink > 1 && takes_others(around)) *is_foreign = 1;
  return file;
}

// Goes on from `*folder`, which it replaces; the caller closes it.
static int walk(int *folder, char *rest, int *is_foreign) {
  int links = 0;
  char *place = rest;
  for (;;) {
    place += strspn(place, "/");
    if (*place == 0) return -EISDIR;
    char *end = strchrnul(place, '/');
    char *following = end + strspn(end, "/");
    *end = 0;
    struct stat status, around;
    int next = openat(*folder, place, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0) return -errno;
    if (fstat(next, &status) != 0 || fstat(*folder, &around) != 0) {
      int error = errno;
      close(next);
      return -error;
    }
    if (S_ISLNK(status.st_mode)) {
      if (!is_roots(&status, &around)) *is_foreign = 1;
      int error = ++links > LINKS_MAX ? ELOOP : follow(next, rest, following);
      close(next);
      if (error != 0) return -error;
      place = rest;
      if (*rest != '/') continue;
      close(*folder);
      *folder = open_root();
      if (*folder < 0) return -errno;
    } else if (*following == 0) {
      close(next);
      if (S_ISDIR(status.st_mode)) return -EISDIR;
      return S_ISREG(status.st_mode) ? open_last(*folder, place, &around, is_foreign) : -EINVAL;
    } else if (S_ISDIR(status.st_mode)) {
      close(*folder);
      *folder = next;
      place = following;
    } else {
      close(next);
      return -ENOTDIR;
    }
  }
}

int csystem_open_by_names(const char *path, int *is_foreign) {
  char rest[PATH_MAX];
  size_t length = strlen(path);
  *is_foreign = 0;
  if (*path != '/') return -EINVAL;
  if (length >= sizeof rest) return -ENAMETOOLONG;
  memcpy(rest, path, length + 1);
  int folder = open_root();
  if (folder < 0) return -errno;
  int result = walk(&folder, rest, is_foreign);
  if (folder >= 0) close(folder);
  return result;
}
#endif
