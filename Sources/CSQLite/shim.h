#include <sqlite3.h>
#include <time.h>
// Swift’s Glibc module lacks `strptime`.
char *strptime(const char *text, const char *format, struct tm *time);
