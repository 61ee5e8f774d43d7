#include "CTaktTransfer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Every function that is used, by its name in the library.
#define FUNCTIONS(each) \
  each(curl_global_init) \
  each(curl_easy_init) \
  each(curl_easy_cleanup) \
  each(curl_easy_setopt) \
  each(curl_easy_getinfo) \
  each(curl_easy_strerror) \
  each(curl_slist_append) \
  each(curl_slist_free_all) \
  each(curl_multi_init) \
  each(curl_multi_cleanup) \
  each(curl_multi_setopt) \
  each(curl_multi_add_handle) \
  each(curl_multi_remove_handle) \
  each(curl_multi_perform) \
  each(curl_multi_poll) \
  each(curl_multi_wakeup) \
  each(curl_multi_info_read)

static struct {
#define MEMBER(name) __typeof__(&name) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
  int (*idn2_to_ascii_8z)(const char *, char **, int);
  void (*idn2_free)(void *);
} library;

static const char *const names[] = {
#ifdef __APPLE__
    "libcurl.4.dylib",
#else
    "libcurl.so.4", "libcurl-gnutls.so.4",
#endif
};

// libcrypto cleans up at exit() while the thread of the transfers may still be within it.
static void keep_crypto_at_exit(void *handle) {
  const uint64_t no_atexit = 0x00080000;
  int (*init)(uint64_t, const void *) =
      (int (*)(uint64_t, const void *))dlsym(handle, "OPENSSL_init_crypto");
  if (init) init(no_atexit, NULL);
}

const char *ctransfer_load(void) {
  void *handle = NULL;
  const char *first_error = NULL;
  static char error[256];
  for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++) {
    handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (handle || first_error) continue;
    const char *text = dlerror();
    strncpy(error, text ? text : "dlopen", sizeof error - 1);
    first_error = error;
  }
  if (!handle) return first_error;
#define FIND(name) \
  library.name = (__typeof__(library.name))dlsym(handle, #name); \
  if (!library.name) { \
    /* Another file may have the name by the next transfer. */ \
    dlclose(handle); \
    return "it is older than 7.68: it has no " #name; \
  }
  FUNCTIONS(FIND)
#undef FIND
  keep_crypto_at_exit(handle);
  if (library.curl_global_init(CURL_GLOBAL_ALL) != CURLE_OK) return "curl_global_init failed";
  // What libcurl depends on is found by its handle too.
  library.idn2_to_ascii_8z = (int (*)(const char *, char **, int))dlsym(handle, "idn2_to_ascii_8z");
  library.idn2_free = (void (*)(void *))dlsym(handle, "idn2_free");
  return NULL;
}

CURL *ctransfer_easy_init(void) { return library.curl_easy_init(); }
void ctransfer_easy_cleanup(CURL *easy) { library.curl_easy_cleanup(easy); }
const char *ctransfer_text_of(CURLcode code) { return library.curl_easy_strerror(code); }

CURLcode ctransfer_set_number(CURL *easy, CURLoption option, long value) {
  return library.curl_easy_setopt(easy, option, value);
}
CURLcode ctransfer_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return library.curl_easy_setopt(easy, option, value);
}
CURLcode ctransfer_set_text(CURL *easy, CURLoption option, const char *value) {
  return library.curl_easy_setopt(easy, option, value);
}
CURLcode ctransfer_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
  return library.curl_easy_setopt(easy, option, list);
}
CURLcode ctransfer_set_pointer(CURL *easy, CURLoption option, void *value) {
  return library.curl_easy_setopt(easy, option, value);
}
CURLcode ctransfer_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
  return library.curl_easy_setopt(easy, option, &blob);
}

CURLcode ctransfer_set_receiver(
    CURL *easy, CURLoption option, ctransfer_receiver receiver, CURLoption context_option,
    void *context) {
  CURLcode code = library.curl_easy_setopt(easy, option, receiver);
  return code == CURLE_OK ? library.curl_easy_setopt(easy, context_option, context) : code;
}

CURLcode ctransfer_set_debug(CURL *easy, curl_debug_callback callback, void *context) {
  CURLcode code = library.curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
  if (code == CURLE_OK) code = library.curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
  if (code == CURLE_OK) code = library.curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  return code;
}

enum { sockets_max = 16 };

struct ctransfer_sockets {
  // The transfer and each socket hold one.
  int holders;
  int count;
  curl_socket_t open[sockets_max];
};

static void drop(ctransfer_sockets *sockets) {
  if (--sockets->holders == 0) free(sockets);
}

static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  ctransfer_sockets *sockets = context;
  (void)purpose;
  if (sockets->count == sockets_max) return CURL_SOCKET_BAD;
  int descriptor = socket(address->family, address->socktype, address->protocol);
  if (descriptor < 0) return CURL_SOCKET_BAD;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  sockets->open[sockets->count++] = descriptor;
  sockets->holders++;
  return descriptor;
}

static int close_socket(void *context, curl_socket_t descriptor) {
  ctransfer_sockets *sockets = context;
  for (int i = 0; i < sockets->count; i++) {
    if (sockets->open[i] != descriptor) continue;
    sockets->open[i] = sockets->open[--sockets->count];
    drop(sockets);
    break;
  }
  return close(descriptor);
}

ctransfer_sockets *ctransfer_sockets_watch(CURL *easy) {
  ctransfer_sockets *sockets = calloc(1, sizeof *sockets);
  if (!sockets) return NULL;
  sockets->holders = 1;
  library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, sockets);
  library.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  library.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, sockets);
  return sockets;
}

void ctransfer_sockets_stop_reading(ctransfer_sockets *sockets) {
  for (int i = 0; i < sockets->count; i++) shutdown(sockets->open[i], SHUT_RD);
}

void ctransfer_sockets_release(ctransfer_sockets *sockets) { drop(sockets); }

CURLcode ctransfer_get_number(CURL *easy, CURLINFO info, long *value) {
  return library.curl_easy_getinfo(easy, info, value);
}
CURLcode ctransfer_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return library.curl_easy_getinfo(easy, info, value);
}

struct curl_slist *ctransfer_list_append(struct curl_slist *list, const char *text) {
  return library.curl_slist_append(list, text);
}
void ctransfer_list_free(struct curl_slist *list) { library.curl_slist_free_all(list); }

CURLM *ctransfer_multi_init(void) { return library.curl_multi_init(); }
void ctransfer_multi_cleanup(CURLM *multi) { library.curl_multi_cleanup(multi); }
CURLMcode ctransfer_multi_set(CURLM *multi, CURLMoption option, long value) {
  return library.curl_multi_setopt(multi, option, value);
}
CURLMcode ctransfer_multi_add(CURLM *multi, CURL *easy) {
  return library.curl_multi_add_handle(multi, easy);
}
CURLMcode ctransfer_multi_remove(CURLM *multi, CURL *easy) {
  return library.curl_multi_remove_handle(multi, easy);
}
CURLMcode ctransfer_multi_perform(CURLM *multi) {
  int running;
  return library.curl_multi_perform(multi, &running);
}
CURLMcode ctransfer_multi_poll(CURLM *multi, int milliseconds) {
  return library.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode ctransfer_multi_wakeup(CURLM *multi) { return library.curl_multi_wakeup(multi); }
CURL *ctransfer_multi_ended(CURLM *multi, CURLcode *result) {
  int left;
  for (CURLMsg *message; (message = library.curl_multi_info_read(multi, &left));) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

size_t ctransfer_ascii_host(const char *host, char *into, size_t capacity) {
  // IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL, as browsers and libcurl do.
  const int flags = 1 | 8;
  char *ascii = NULL;
  if (!library.idn2_to_ascii_8z || !library.idn2_free) return 0;
  if (library.idn2_to_ascii_8z(host, &ascii, flags) != 0 || !ascii) return 0;
  size_t length = strlen(ascii);
  bool fits = length < capacity;
  if (fits) memcpy(into, ascii, length + 1);
  library.idn2_free(ascii);
  return fits ? length : 0;
}
