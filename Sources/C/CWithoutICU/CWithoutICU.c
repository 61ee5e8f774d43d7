#include <stdint.h>

// ICU's own format of a package of data (udata.h), with nothing in it.
struct package {
  uint16_t header_size;
  uint8_t magic1, magic2;
  struct {
    uint16_t size, reserved;
    uint8_t is_big_endian, charset_family, size_of_char, reserved2;
    uint8_t format[4], format_version[4], data_version[4];
  } info;
  char padding[8];
  uint32_t count, reserved;
  uint32_t no_entries[4];
};

// Named as Foundation of Swift 6.3 names its data. Hidden: only what is linked into one program
// with it takes it for ICU's, so a program with Foundation as a shared library is not affected.
__attribute__((visibility("hidden"), aligned(16))) const struct package icudt76_dat = {
    .header_size = 32,
    .magic1 = 0xda,
    .magic2 = 0x27,
    .info = {.size = 20,
             .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
             .size_of_char = 2,
             .format = {'T', 'o', 'C', 'P'},
             .format_version = {1}},
};
