#include "CTaktBuild.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stddef.h>

#ifndef TAKT_COMMIT
#define TAKT_COMMIT ""
#endif

const char *takt_build_commit(void) { return TAKT_COMMIT; }

const char *takt_libc_version(void) { return gnu_get_libc_version(); }

static void *find(const char *const *names, const char *function) {
  for (; *names; names++) {
    // The process keeps it: this is asked once, just before the end.
    void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (handle) return dlsym(handle, function);
  }
  return NULL;
}

const char *takt_curl_version(void) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
  // The start of curl_version_info_data, which no version of libcurl.so.4 changes.
  struct start {
    int age;
    const char *version;
  };
  struct start *(*info)(int) = (struct start * (*)(int)) find(names, "curl_version_info");
  struct start *found = info ? info(0) : NULL;
  return found ? found->version : NULL;
}

int takt_postgres_version(void) {
  static const char *const names[] = {"libpq.so.5", NULL};
  int (*version)(void) = (int (*)(void))find(names, "PQlibVersion");
  return version ? version() : 0;
}
