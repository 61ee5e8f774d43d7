// The files of the web page and the description of the API, as they are in this program.
#ifndef CTAKTPAGE_H
#define CTAKTPAGE_H

#include <stddef.h>

typedef struct {
  const unsigned char *bytes;
  size_t count;
} takt_page_file;

// The document into which the two after it are put.
extern const takt_page_file takt_page_document;
extern const takt_page_file takt_page_style;
extern const takt_page_file takt_page_script;

#endif
