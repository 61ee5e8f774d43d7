// Opening a file name by name, so that it is known which links led to it.
#ifndef CNAMES_H
#define CNAMES_H

// Opens the regular file at an absolute path for reading, without waiting for anybody.
//
// `is_foreign` tells whether somebody other than root may have led here: by a link on the way that root
// does not own, or that is in a folder in which others may replace it; or by another name of the file in
// a folder of others. Returns a descriptor, or minus an error number; EISDIR for a folder, EINVAL for
// what is no regular file.
int csystem_open_by_names(const char *path, int *is_foreign);

#endif
