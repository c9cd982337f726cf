#include <sqlite3.h>
// Swift’s Glibc module lacks it.
#include <sys/statfs.h>
