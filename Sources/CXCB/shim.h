#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

/* The two requests of the XFixes extension that tell of a selection's new owner. libxcb-xfixes has them ready-made, but
   does not come with GTK; the wire format is fixed by the extension's protocol (fixesproto.txt, version 1). */

static inline xcb_extension_t *copypasta_xfixes(void) {
  static xcb_extension_t extension = {"XFIXES", 0};
  return &extension;
}

static inline uint32_t copypasta_xfixes_send(
    xcb_connection_t *connection, uint8_t opcode, bool has_reply, const uint32_t *arguments, size_t count) {
  /* XCB writes the four bytes before the arguments, and needs two parts of its own before ours. */
  uint32_t request[4] = {0};
  struct iovec parts[3];
  xcb_protocol_request_t description = {1, copypasta_xfixes(), opcode, !has_reply};
  memset(parts, 0, sizeof parts);
  memcpy(request + 1, arguments, count * sizeof *arguments);
  parts[2].iov_base = request;
  parts[2].iov_len = (count + 1) * sizeof *request;
  return xcb_send_request(connection, has_reply ? XCB_REQUEST_CHECKED : 0, parts + 2, &description);
}

/* To be answered before anything else is asked of the extension. */
static inline uint32_t copypasta_xfixes_query_version(xcb_connection_t *connection) {
  const uint32_t version[2] = {1, 0};
  return copypasta_xfixes_send(connection, 0, true, version, 2);
}

/* Has the server tell of each new owner of a selection, and of the end of one; or, with a mask of 0, not any more. */
static inline void copypasta_xfixes_select_selection_input(
    xcb_connection_t *connection, xcb_window_t window, xcb_atom_t selection, uint32_t mask) {
  const uint32_t arguments[3] = {window, selection, mask};
  copypasta_xfixes_send(connection, 2, false, arguments, 3);
}

/* The event that tells of it. */
typedef struct {
  uint8_t response_type;
  uint8_t subtype;
  uint16_t sequence;
  xcb_window_t window, owner;
  xcb_atom_t selection;
  xcb_timestamp_t timestamp, selection_timestamp;
  uint8_t padding[8];
} copypasta_xfixes_selection_event;
