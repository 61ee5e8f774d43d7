// libcurl without linking it: a table of its functions, filled by dlopen, and the calls that take
// variable arguments, which Swift cannot make.
#ifndef CTAKT_TRANSFER_H
#define CTAKT_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

// The types and numbers alone are used of the header; nothing of the library is linked.
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

// Options that are newer than the oldest header that will do; a library without them says so.
static const CURLoption ctransfer_reply_timeout = (CURLoption)(CURLOPTTYPE_LONG + 112);
static const CURLoption ctransfer_mail_recipients_may_fail = (CURLoption)(CURLOPTTYPE_LONG + 290);
static const CURLoption ctransfer_certificates = (CURLoption)(CURLOPTTYPE_BLOB + 309);
static const CURLoption ctransfer_protocols = (CURLoption)(CURLOPTTYPE_OBJECTPOINT + 318);
static const CURLoption ctransfer_quick_exit = (CURLoption)(CURLOPTTYPE_LONG + 322);

// Loads libcurl and fills the table; the process keeps it. NULL, or why it cannot be had: the text
// is valid until the next call. Call it once at a time.
const char *ctransfer_load(void);

// What follows may be called once `ctransfer_load` has returned NULL.

CURL *ctransfer_easy_init(void);
void ctransfer_easy_cleanup(CURL *easy);
const char *ctransfer_text_of(CURLcode code);

// One function for each type that an option's argument has.
CURLcode ctransfer_set_number(CURL *easy, CURLoption option, long value);
CURLcode ctransfer_set_size(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ctransfer_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode ctransfer_set_list(CURL *easy, CURLoption option, struct curl_slist *list);
CURLcode ctransfer_set_pointer(CURL *easy, CURLoption option, void *value);
// A copy of the bytes is kept by the library.
CURLcode ctransfer_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count);

// What the library calls during a transfer. A receiver that returns less than it was given ends the
// transfer.
typedef size_t (*ctransfer_receiver)(char *bytes, size_t size, size_t count, void *context);
CURLcode ctransfer_set_receiver(
    CURL *easy, CURLoption option, ctransfer_receiver receiver, CURLoption context_option,
    void *context);
// Called with what is said in both directions.
CURLcode ctransfer_set_debug(CURL *easy, curl_debug_callback callback, void *context);

// The sockets that a transfer has open. It exists as long as the longer of the two: the transfer,
// until `ctransfer_sockets_release`, and its sockets. All of it happens on the thread of `easy`.
typedef struct ctransfer_sockets ctransfer_sockets;
// NULL without memory.
ctransfer_sockets *ctransfer_sockets_watch(CURL *easy);
// Nothing more is read from them: whoever waits for an answer gets the end of the stream.
void ctransfer_sockets_stop_reading(ctransfer_sockets *sockets);
void ctransfer_sockets_release(ctransfer_sockets *sockets);

CURLcode ctransfer_get_number(CURL *easy, CURLINFO info, long *value);
CURLcode ctransfer_get_size(CURL *easy, CURLINFO info, curl_off_t *value);

struct curl_slist *ctransfer_list_append(struct curl_slist *list, const char *text);
void ctransfer_list_free(struct curl_slist *list);

CURLM *ctransfer_multi_init(void);
void ctransfer_multi_cleanup(CURLM *multi);
CURLMcode ctransfer_multi_set(CURLM *multi, CURLMoption option, long value);
CURLMcode ctransfer_multi_add(CURLM *multi, CURL *easy);
CURLMcode ctransfer_multi_remove(CURLM *multi, CURL *easy);
CURLMcode ctransfer_multi_perform(CURLM *multi);
CURLMcode ctransfer_multi_poll(CURLM *multi, int milliseconds);
// From any thread, as long as `multi` lives.
CURLMcode ctransfer_multi_wakeup(CURLM *multi);
// The next transfer that has ended, with its result; NULL for none.
CURL *ctransfer_multi_ended(CURLM *multi, CURLcode *result);

// The ASCII form of an international host name, by the library that libcurl itself uses. Returns
// its length, or 0 where there is none or it does not fit.
size_t ctransfer_ascii_host(const char *host, char *into, size_t capacity);

#endif
