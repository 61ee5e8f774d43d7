#define _GNU_SOURCE
#include "CTaktClaims.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// What libpq's header declares, as far as it is used.
typedef cclaims_connection PGconn;
typedef cclaims_result PGresult;
typedef struct {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;
typedef void (*PQnoticeProcessor)(void *context, const char *message);

// Every function that is used: its result, its name in the library, its parameters.
#define FUNCTIONS(each) \
  each(PQconninfoOption *, PQconninfoParse, (const char *, char **)) \
  each(PQconninfoOption *, PQconninfo, (PGconn *)) \
  each(void, PQconninfoFree, (PQconninfoOption *)) \
  each(void, PQfreemem, (void *)) \
  each(PGconn *, PQconnectStartParams, (const char *const *, const char *const *, int)) \
  each(int, PQconnectPoll, (PGconn *)) \
  each(int, PQstatus, (const PGconn *)) \
  each(int, PQsocket, (const PGconn *)) \
  each(char *, PQerrorMessage, (const PGconn *)) \
  each(int, PQserverVersion, (const PGconn *)) \
  each(const char *, PQparameterStatus, (const PGconn *, const char *)) \
  each(char *, PQhost, (const PGconn *)) \
  each(char *, PQport, (const PGconn *)) \
  each(char *, PQdb, (const PGconn *)) \
  each(char *, PQuser, (const PGconn *)) \
  each(void, PQfinish, (PGconn *)) \
  each(int, PQsetErrorVerbosity, (PGconn *, int)) \
  each(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *, PQnoticeProcessor, void *)) \
  each(int, PQsetnonblocking, (PGconn *, int)) \
  each(int, PQsendQuery, (PGconn *, const char *)) \
  each(int, PQsendQueryParams, \
      (PGconn *, const char *, int, const unsigned int *, const char *const *, const int *, \
       const int *, int)) \
  each(int, PQflush, (PGconn *)) \
  each(int, PQconsumeInput, (PGconn *)) \
  each(int, PQisBusy, (PGconn *)) \
  each(PGresult *, PQgetResult, (PGconn *)) \
  each(int, PQresultStatus, (const PGresult *)) \
  each(int, PQntuples, (const PGresult *)) \
  each(int, PQnfields, (const PGresult *)) \
  each(char *, PQgetvalue, (const PGresult *, int, int)) \
  each(int, PQgetisnull, (const PGresult *, int, int)) \
  each(char *, PQresultErrorField, (const PGresult *, int)) \
  each(void, PQclear, (PGresult *))

static struct {
#define MEMBER(result, name, parameters) result(*name) parameters;
  FUNCTIONS(MEMBER)
#undef MEMBER
} library;

#ifdef __APPLE__
static const char name[] = "libpq.5.dylib";
#else
static const char name[] = "libpq.so.5";
#endif

// libcrypto cleans up at exit() while the driver's thread may still be within it.
static void keep_crypto_at_exit(void *handle) {
  const uint64_t no_atexit = 0x00080000;
  int (*init)(uint64_t, const void *) =
      (int (*)(uint64_t, const void *))dlsym(handle, "OPENSSL_init_crypto");
  if (init) init(no_atexit, NULL);
}

const char *cclaims_load(void) {
  static char error[256];
  static void *handle;
  if (handle) return NULL;
  void *opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    const char *text = dlerror();
    strncpy(error, text ? text : "dlopen", sizeof error - 1);
    return error;
  }
#define FIND(result, name, parameters) \
  library.name = (result(*) parameters)dlsym(opened, #name); \
  if (!library.name) { \
    dlclose(opened); \
    return "it has no " #name; \
  }
  FUNCTIONS(FIND)
#undef FIND
  keep_crypto_at_exit(opened);
  handle = opened;
  return NULL;
}

char *cclaims_flaw(const char *text) {
  char *error = NULL;
  PQconninfoOption *options = library.PQconninfoParse(text, &error);
  if (options) {
    library.PQconninfoFree(options);
    return NULL;
  }
  char *flaw = strdup(error ? error : "out of memory");
  if (error) library.PQfreemem(error);
  return flaw;
}

static char *find(PQconninfoOption *options, const char *keyword) {
  char *value = NULL;
  for (PQconninfoOption *option = options; option && option->keyword; option++) {
    if (strcmp(option->keyword, keyword) != 0) continue;
    if (option->val && *option->val) value = strdup(option->val);
    break;
  }
  if (options) library.PQconninfoFree(options);
  return value;
}

char *cclaims_option(const char *text, const char *keyword) {
  char *error = NULL;
  PQconninfoOption *options = library.PQconninfoParse(text, &error);
  if (error) library.PQfreemem(error);
  return find(options, keyword);
}

char *cclaims_connection_option(cclaims_connection *connection, const char *keyword) {
  return find(library.PQconninfo(connection), keyword);
}

static void drop_notice(void *context, const char *message) {
  (void)context;
  (void)message;
}

cclaims_connection *cclaims_start(const char *const *keywords, const char *const *values) {
  PGconn *connection = library.PQconnectStartParams(keywords, values, 1);
  if (!connection) return NULL;
  const int verbose = 2;
  library.PQsetErrorVerbosity(connection, verbose);
  library.PQsetNoticeProcessor(connection, drop_notice, NULL);
  return connection;
}

int cclaims_poll(cclaims_connection *connection) { return library.PQconnectPoll(connection); }
int cclaims_status(const cclaims_connection *connection) { return library.PQstatus(connection); }
int cclaims_socket(const cclaims_connection *connection) { return library.PQsocket(connection); }
const char *cclaims_error(const cclaims_connection *connection) {
  return library.PQerrorMessage(connection);
}
int cclaims_server_version(const cclaims_connection *connection) {
  return library.PQserverVersion(connection);
}
const char *cclaims_parameter(const cclaims_connection *connection, const char *parameter) {
  return library.PQparameterStatus(connection, parameter);
}
const char *cclaims_host(const cclaims_connection *connection) {
  return library.PQhost(connection);
}
const char *cclaims_port(const cclaims_connection *connection) {
  return library.PQport(connection);
}
const char *cclaims_database(const cclaims_connection *connection) {
  return library.PQdb(connection);
}
const char *cclaims_user(const cclaims_connection *connection) {
  return library.PQuser(connection);
}

void cclaims_abandon(cclaims_connection *connection) {
  int descriptor = library.PQsocket(connection);
  if (descriptor >= 0) shutdown(descriptor, SHUT_RDWR);
  library.PQfinish(connection);
}

int cclaims_set_nonblocking(cclaims_connection *connection) {
  return library.PQsetnonblocking(connection, 1);
}
bool cclaims_send_script(cclaims_connection *connection, const char *text) {
  return library.PQsendQuery(connection, text) == 1;
}
bool cclaims_send(
    cclaims_connection *connection, const char *text, int count, const char *const *parameters) {
  return library.PQsendQueryParams(connection, text, count, NULL, parameters, NULL, NULL, 0) == 1;
}
int cclaims_flush(cclaims_connection *connection) { return library.PQflush(connection); }
bool cclaims_consume(cclaims_connection *connection) {
  return library.PQconsumeInput(connection) == 1;
}
bool cclaims_is_busy(cclaims_connection *connection) { return library.PQisBusy(connection) == 1; }
cclaims_result *cclaims_next(cclaims_connection *connection) {
  return library.PQgetResult(connection);
}

int cclaims_result_status(const cclaims_result *result) { return library.PQresultStatus(result); }
const char *cclaims_result_text(const cclaims_result *result) {
  if (library.PQntuples(result) < 1 || library.PQnfields(result) < 1) return NULL;
  return library.PQgetisnull(result, 0, 0) ? NULL : library.PQgetvalue(result, 0, 0);
}
const char *cclaims_result_state(const cclaims_result *result) {
  return library.PQresultErrorField(result, 'C');
}
const char *cclaims_result_message(const cclaims_result *result) {
  return library.PQresultErrorField(result, 'M');
}
void cclaims_result_clear(cclaims_result *result) { library.PQclear(result); }
