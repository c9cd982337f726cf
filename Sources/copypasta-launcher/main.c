// The command that is installed, bin/copypasta. It has the program that runs toggle its window; for everything else it
// becomes the program, libexec/copypasta-gtk. It speaks D-Bus by itself, as far as one call needs it, because GIO
// takes four times as long to load as all of this, and Swift's runtime twice as long (docs/decisions/0052).
#include <errno.h>
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// How long bus and program together may take to answer, in milliseconds.
#ifndef PATIENCE
#define PATIENCE 800
#endif

// What asking came to.
typedef enum {
  TOGGLED,
  // There is no program yet, or not any more, or its window is on its way, which to toggle would hide.
  NOTHING_TO_TOGGLE,
  // This is more than is understood here: the program knows all of D-Bus.
  UNCLEAR,
  BUS_SILENT,
  PROGRAM_SILENT,
} Answer;

// MARK: Messages (D-Bus Specification, "Message Protocol"), in this machine's byte order

typedef struct {
  unsigned char bytes[4096];
  size_t length;
} Buffer;

enum { METHOD_RETURN = 2, ERROR = 3 };
enum { PATH = 1, INTERFACE = 2, MEMBER = 3, ERROR_NAME = 4, REPLY_SERIAL = 5, DESTINATION = 6, SIGNATURE = 8 };
enum { FIXED_LENGTH = 16, LONGEST_TOKEN = 1000 };
static const unsigned char byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B';

static size_t aligned(size_t position, size_t alignment) { return (position + alignment - 1) / alignment * alignment; }

// All that is ever written has room: only a token's length is not known here, and that is limited.
static void put(Buffer *buffer, const void *bytes, size_t length) {
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

static void align(Buffer *buffer, size_t alignment) {
  put(buffer, "\0\0\0\0\0\0\0", aligned(buffer->length, alignment) - buffer->length);
}

static void put_number(Buffer *buffer, uint32_t number) {
  align(buffer, sizeof number);
  put(buffer, &number, sizeof number);
}

static void put_string(Buffer *buffer, const char *text) {
  put_number(buffer, strlen(text));
  put(buffer, text, strlen(text) + 1);
}

static void put_signature(Buffer *buffer, const char *signature) {
  unsigned char length = strlen(signature);
  put(buffer, &length, 1);
  put(buffer, signature, length + 1);
}

static void put_field(Buffer *buffer, unsigned char code, const char *signature, const char *value) {
  align(buffer, 8);
  put(buffer, &code, 1);
  put_signature(buffer, signature);
  if (*signature == 'g') put_signature(buffer, value);
  else put_string(buffer, value);
}

// The number before an array, or the body, which says how long that is.
static void set_length(Buffer *buffer, size_t position, size_t start) {
  uint32_t length = buffer->length - start;
  memcpy(buffer->bytes + position, &length, sizeof length);
}

// Begins a call; the answer is where its body begins.
static size_t put_call(
  Buffer *buffer, uint32_t serial, const char *destination, const char *path, const char *interface, const char *member,
  const char *signature) {
  const unsigned char start[] = {byte_order, 1 /* a call */, 2 /* that starts nobody */, 1 /* the protocol */};
  buffer->length = 0;
  put(buffer, start, sizeof start);
  put_number(buffer, 0);
  put_number(buffer, serial);
  put_number(buffer, 0);
  put_field(buffer, PATH, "o", path);
  put_field(buffer, INTERFACE, "s", interface);
  put_field(buffer, MEMBER, "s", member);
  put_field(buffer, DESTINATION, "s", destination);
  if (*signature) put_field(buffer, SIGNATURE, "g", signature);
  set_length(buffer, FIXED_LENGTH - 4, FIXED_LENGTH);
  align(buffer, 8);
  return buffer->length;
}

// The token of this launch, under both names: that of the specification, and that which GTK 4.8 looks for.
static void put_platform_data(Buffer *buffer, const char *token) {
  static const char *const names[] = {"desktop-startup-id", "activation-token"};
  put_number(buffer, 0);
  size_t length_end = buffer->length;
  align(buffer, 8);
  size_t start = buffer->length;
  for (size_t index = 0; *token && index < 2; index++) {
    align(buffer, 8);
    put_string(buffer, names[index]);
    put_signature(buffer, "s");
    put_string(buffer, token);
  }
  set_length(buffer, length_end - 4, start);
}

// MARK: The connection

static int bus;

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Gives the next call of the system as long as there is left; false if that is nothing.
static bool limit_wait(void) {
  static long end;
  if (end == 0) end = milliseconds() + PATIENCE;
  long left = end - milliseconds();
  struct timeval time = {left / 1000, left % 1000 * 1000};
  return left > 0 && setsockopt(bus, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0 &&
         setsockopt(bus, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) == 0;
}

// Connects to one address with a path or an abstract name and without escapes, which is what sessions have.
static bool connect_to(const char *address) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  bool is_abstract = false;
  if (strncmp(address, "unix:path=", 10) == 0) address += 10;
  else if (strncmp(address, "unix:abstract=", 14) == 0) address += 14, is_abstract = true;
  else return false;
  size_t length = strcspn(address, ",;%");
  const char *rest = address + length;
  if (*rest && (strncmp(rest, ",guid=", 6) || strpbrk(rest + 6, ",;"))) return false;
  if (length == 0 || length >= sizeof name.sun_path - 1) return false;
  memcpy(name.sun_path + is_abstract, address, length);
  bus = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  length += offsetof(struct sockaddr_un, sun_path) + is_abstract;
  return limit_wait() && connect(bus, (struct sockaddr *)&name, length) == 0;
}

static bool send_all(const void *bytes, size_t length) {
  return limit_wait() && send(bus, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static bool receive(Buffer *buffer) {
  ssize_t count;
  do {
    if (!limit_wait()) return false;
    count = recv(bus, buffer->bytes + buffer->length, sizeof buffer->bytes - buffer->length, 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) buffer->length += count;
  return count > 0;
}

// Says who this is, which the bus knows from the socket ("Authentication Protocol").
static Answer authenticate(void) {
  char user[16], line[64] = "_AUTH EXTERNAL ";
  snprintf(user, sizeof user, "%u", geteuid());
  for (const char *digit = user; *digit; digit++) sprintf(line + strlen(line), "%02x", *digit);
  strcat(line, "\r\n");
  size_t length = strlen(line);
  line[0] = '\0';
  Buffer answer = {.length = 0};
  if (!send_all(line, length)) return BUS_SILENT;
  while (!memchr(answer.bytes, '\n', answer.length))
    if (!receive(&answer)) return BUS_SILENT;
  if (answer.length < 3 || memcmp(answer.bytes, "OK ", 3)) return UNCLEAR;
  return send_all("BEGIN\r\n", 7) ? TOGGLED : BUS_SILENT;
}

static uint32_t number_at(const Buffer *buffer, size_t position) {
  uint32_t number;
  memcpy(&number, buffer->bytes + position, sizeof number);
  return number;
}

// Reads the fields of a message's header; false if they are none.
static bool read_fields(const Buffer *in, size_t end, uint32_t *reply_serial, const char **error_name) {
  for (size_t position = FIXED_LENGTH; position < end; position = aligned(position, 8)) {
    // A code, and a signature, which has one type.
    if (end - position < 6 || in->bytes[position + 1] != 1 || in->bytes[position + 3] != 0) return false;
    unsigned char code = in->bytes[position], type = in->bytes[position + 2];
    position += 4;
    if (type == 'g') {
      position += in->bytes[position] + 2;
    } else {
      if (end - position < 4) return false;
      uint32_t number = number_at(in, position);
      position += 4;
      if (type == 's' || type == 'o') {
        if (number >= end - position || in->bytes[position + number] != 0) return false;
        if (code == ERROR_NAME) *error_name = (const char *)in->bytes + position;
        position += number + 1;
      } else if (type != 'u') {
        return false;
      } else if (code == REPLY_SERIAL) {
        *reply_serial = number;
      }
    }
    if (position > end) return false;
  }
  return true;
}

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++)
    if (strcmp(name, *names) == 0) return true;
  return false;
}

static Answer judge(const char *error) {
  static const char *const nothing[] = {
    "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    // It has ended without an answer.
    "org.freedesktop.DBus.Error.NoReply",
    // It has its name, and nothing else yet.
    "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject",
    "org.freedesktop.DBus.Error.UnknownInterface", NULL};
  return is_one_of(error, nothing) ? NOTHING_TO_TOGGLE : UNCLEAR;
}

// Waits for the answer to a call; what comes before it is for nobody.
static Answer wait_for_answer(uint32_t serial, Answer silence) {
  static Buffer in;
  while (true) {
    size_t fields_end = 0, length = 0;
    if (in.length >= FIXED_LENGTH) {
      uint32_t body_length = number_at(&in, 4), fields_length = number_at(&in, 12);
      if (in.bytes[0] != byte_order || body_length > sizeof in.bytes || fields_length > sizeof in.bytes) return silence;
      fields_end = FIXED_LENGTH + fields_length;
      length = aligned(fields_end, 8) + body_length;
      if (length > sizeof in.bytes) return silence;
    }
    if (length == 0 || in.length < length) {
      if (!receive(&in)) return silence;
      continue;
    }
    uint32_t reply_serial = 0;
    const char *error = "";
    if (!read_fields(&in, fields_end, &reply_serial, &error)) return silence;
    unsigned char kind = in.bytes[1];
    if (reply_serial == serial && kind == ERROR) return judge(error);
    in.length -= length;
    memmove(in.bytes, in.bytes + length, in.length);
    if (reply_serial == serial && kind == METHOD_RETURN) return TOGGLED;
  }
}

static Answer toggle(void) {
  const char *address = getenv("DBUS_SESSION_BUS_ADDRESS"), *token = getenv("XDG_ACTIVATION_TOKEN");
  if (token == NULL || *token == '\0') token = getenv("DESKTOP_STARTUP_ID");
  if (token == NULL) token = "";
  if (strlen(token) > LONGEST_TOKEN) return UNCLEAR;
  for (const char *byte = token; *byte; byte++)
    if (*byte & 0x80) return UNCLEAR;
  errno = 0;
  if (address == NULL || !connect_to(address)) return errno == EAGAIN ? BUS_SILENT : UNCLEAR;
  Answer answer = authenticate();
  if (answer != TOGGLED) return answer;
  static Buffer out;
  put_call(&out, 1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", "");
  if (!send_all(out.bytes, out.length)) return BUS_SILENT;
  answer = wait_for_answer(1, BUS_SILENT);
  if (answer != TOGGLED) return answer == BUS_SILENT ? BUS_SILENT : UNCLEAR;
  size_t body = put_call(
    &out, 2, "org.copypasta.CopyPasta", "/org/copypasta/CopyPasta", "org.freedesktop.Application", "ActivateAction",
    "sava{sv}");
  put_string(&out, "toggle");
  put_number(&out, 0);
  put_platform_data(&out, token);
  set_length(&out, 4, body);
  if (!send_all(out.bytes, out.length)) return BUS_SILENT;
  return wait_for_answer(2, PROGRAM_SILENT);
}

// MARK: The command

// Makes `path` that of a file below the folder that this command is installed under, the parent of bin.
static void find(const char *file, char *path) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = '\0';
  for (int count = 0; count < 2; count++) {
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
  }
  strncat(path, file, PATH_MAX - 1 - strlen(path));
}

static int say_silent(Answer answer) {
  char locales[PATH_MAX];
  find("/share/locale", locales);
  setlocale(LC_ALL, "");
  bindtextdomain("copypasta", locales);
  const char *words = answer == BUS_SILENT ? dgettext("copypasta", "The session bus does not answer.")
                                           : dgettext("copypasta", "CopyPasta does not answer.");
  fprintf(stderr, "copypasta: %s\n", words);
  return 1;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--toggle") == 0) {
    Answer answer = toggle();
    if (answer == TOGGLED) return 0;
    if (answer == BUS_SILENT || answer == PROGRAM_SILENT) return say_silent(answer);
    if (answer == NOTHING_TO_TOGGLE) argv[1] = NULL;
  }
  char program[PATH_MAX];
  find("/libexec/copypasta-gtk", program);
  execv(program, argv);
  fprintf(stderr, "copypasta: %s: %s\n", program, strerror(errno));
  return 127;
}
