#include <sqlite3.h>
#include <linux/stat.h>
#include <time.h>
// Swift’s Glibc module lacks `statx` and `strptime`.
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status);
char *strptime(const char *text, const char *format, struct tm *time);
