#include <sqlite3.h>
// Swift’s Glibc module lacks `statfs`.
#include <sys/statfs.h>
