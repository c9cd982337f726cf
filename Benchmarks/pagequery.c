/* pagequery DATABASE SQL LIMIT ID...

   Prints for each id how long it takes to read the page that begins there, in microseconds: the median of 501 runs of
   the query (?1 the id, ?2 the limit). Like the list, it uses a prepared statement and reads every column. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 501 };

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int by_size(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static double read_page(sqlite3_stmt *statement, sqlite3_int64 id, int limit) {
  double started = now_us();
  sqlite3_bind_int64(statement, 1, id);
  sqlite3_bind_int(statement, 2, limit);
  while (sqlite3_step(statement) == SQLITE_ROW)
    for (int column = 0; column < sqlite3_column_count(statement); column++)
      sqlite3_column_text(statement, column);
  sqlite3_reset(statement);
  return now_us() - started;
}

int main(int argc, char **argv) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  if (argc < 5 || sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database, argv[2], -1, &statement, NULL) != SQLITE_OK) {
    fputs("pagequery: too few arguments, or an invalid database or query\n", stderr);
    return 1;
  }
  for (char **id = argv + 4; *id; id++) {
    double times[RUNS];
    for (int run = 0; run < RUNS; run++)
      times[run] = read_page(statement, atoll(*id), atoi(argv[3]));
    qsort(times, RUNS, sizeof *times, by_size);
    printf("%.1f\n", times[RUNS / 2]);
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
}
