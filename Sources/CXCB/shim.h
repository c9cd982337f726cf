#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

/* The two XFixes requests that make the server report new owners of a selection. They are implemented here, because GTK
   does not depend on libxcb-xfixes, which provides them. fixesproto.txt, version 1, defines their wire format. */

static inline xcb_extension_t *copypasta_xfixes(void) {
  static xcb_extension_t extension = {"XFIXES", 0};
  return &extension;
}

static inline uint32_t copypasta_xfixes_send(
    xcb_connection_t *connection, uint8_t opcode, bool has_reply, const uint32_t *arguments, size_t count) {
  /* XCB fills in the request's first four bytes, and requires two unused elements of `parts` before the request. */
  uint32_t request[4] = {0};
  struct iovec parts[3];
  xcb_protocol_request_t description = {1, copypasta_xfixes(), opcode, !has_reply};
  memset(parts, 0, sizeof parts);
  memcpy(request + 1, arguments, count * sizeof *arguments);
  parts[2].iov_base = request;
  parts[2].iov_len = (count + 1) * sizeof *request;
  return xcb_send_request(connection, has_reply ? XCB_REQUEST_CHECKED : 0, parts + 2, &description);
}

/* The protocol requires this request before any other XFixes request. */
static inline uint32_t copypasta_xfixes_query_version(xcb_connection_t *connection) {
  const uint32_t version[2] = {1, 0};
  return copypasta_xfixes_send(connection, 0, true, version, 2);
}

/* Selects the events for changes of a selection's owner; a mask of 0 deselects them. */
static inline void copypasta_xfixes_select_selection_input(
    xcb_connection_t *connection, xcb_window_t window, xcb_atom_t selection, uint32_t mask) {
  const uint32_t arguments[3] = {window, selection, mask};
  copypasta_xfixes_send(connection, 2, false, arguments, 3);
}

/* The event that reports a change of the owner. */
typedef struct {
  uint8_t response_type;
  uint8_t subtype;
  uint16_t sequence;
  xcb_window_t window, owner;
  xcb_atom_t selection;
  xcb_timestamp_t timestamp, selection_timestamp;
  uint8_t padding[8];
} copypasta_xfixes_selection_event;
