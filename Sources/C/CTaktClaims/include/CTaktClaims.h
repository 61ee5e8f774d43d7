// libpq without linking it and without its headers: a table of its functions, filled by dlopen.
#ifndef CTAKT_CLAIMS_H
#define CTAKT_CLAIMS_H

#include <stdbool.h>

#include "CTaktSchema.h"

// A connection and a result of libpq. Each is used by one thread at a time.
typedef struct pg_conn cclaims_connection;
typedef struct pg_result cclaims_result;

// Numbers of libpq's own headers, which no version of libpq.so.5 changes.
static const int cclaims_connection_ok = 0;
static const int cclaims_connection_bad = 1;
static const int cclaims_connection_started = 2;
static const int cclaims_connection_needed = 8;
static const int cclaims_polling_reading = 1;
static const int cclaims_polling_writing = 2;
static const int cclaims_polling_ok = 3;
static const int cclaims_result_command_ok = 1;
static const int cclaims_result_tuples_ok = 2;

// Loads libpq and fills the table; the process keeps it. NULL, or why it is not available: the text
// is valid until the next call. Call it once at a time.
const char *cclaims_load(void);

// What follows may be called once `cclaims_load` has returned NULL.

// What is wrong with a connection string, in libpq's words, which quote parts of it; NULL when libpq
// understands it. The text is to be freed with `free`.
char *cclaims_flaw(const char *text);
// An option of a connection string, to be freed with `free`; NULL where it has none.
char *cclaims_option(const char *text, const char *keyword);
// An option of a connection, from wherever libpq has it, to be freed with `free`; NULL for none.
char *cclaims_connection_option(cclaims_connection *connection, const char *keyword);

// Starts to connect, with the lists of libpq that end with NULL; keywords before `dbname` are
// defaults, those behind it prevail. Blocks while libpq resolves the host's name. Errors bear their
// SQLSTATE; notices are dropped.
cclaims_connection *cclaims_start(const char *const *keywords, const char *const *values);
int cclaims_poll(cclaims_connection *connection);
int cclaims_status(const cclaims_connection *connection);
int cclaims_socket(const cclaims_connection *connection);
const char *cclaims_error(const cclaims_connection *connection);
int cclaims_server_version(const cclaims_connection *connection);
const char *cclaims_parameter(const cclaims_connection *connection, const char *name);
const char *cclaims_host(const cclaims_connection *connection);
const char *cclaims_port(const cclaims_connection *connection);
const char *cclaims_database(const cclaims_connection *connection);
const char *cclaims_user(const cclaims_connection *connection);
// Cuts the connection at once, without a word to the server.
void cclaims_abandon(cclaims_connection *connection);

// Zero on success.
int cclaims_set_nonblocking(cclaims_connection *connection);
// One or several statements, as one message.
bool cclaims_send_script(cclaims_connection *connection, const char *text);
// One statement and its parameters as text.
bool cclaims_send(
    cclaims_connection *connection, const char *text, int count, const char *const *parameters);
// 0 when all is sent, 1 when more is to be sent, -1 for a failure.
int cclaims_flush(cclaims_connection *connection);
bool cclaims_consume(cclaims_connection *connection);
bool cclaims_is_busy(cclaims_connection *connection);
// NULL at the end of a statement.
cclaims_result *cclaims_next(cclaims_connection *connection);

int cclaims_result_status(const cclaims_result *result);
// The first row's first value; NULL where there is none.
const char *cclaims_result_text(const cclaims_result *result);
// Parts of an error; each may be NULL.
const char *cclaims_result_state(const cclaims_result *result);
const char *cclaims_result_message(const cclaims_result *result);
void cclaims_result_clear(cclaims_result *result);

#endif
