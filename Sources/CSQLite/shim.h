#include <sqlite3.h>
// Swift’s Glibc does not have it.
#include <sys/statfs.h>
