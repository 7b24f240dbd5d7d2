/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes readings of the fabric into the view, and notes the changes. */
#ifndef SRC_TAKE_H
#define SRC_TAKE_H

#include "change.h"

/* A link that is trained, but not Active for so long, is a problem. */
enum { TAKE_INIT_MS = 10000 };

struct take {
	struct view *view;
	struct changes *changes;
	uint64_t now; /* port clock */
	uint8_t by;   /* enum view_by */
	bool begins;  /* nothing is known yet: no node is new */
};

/* Takes a sweep of the whole subnet, with labels. own: the GUID of the node of the local port, and its number. Returns EXIT_DONE,
 * or EXIT_LOCAL after a report. */
int take_sweep(struct take *take, const struct madkit_sweep *sweep, const struct madkit_port_info *own);

enum take_next {
	TAKE_DONE,
	TAKE_CHANGED, /* the link has gone down: read the port again soon, it may flap */
	TAKE_PROBE,   /* the link may have changed: read both its ends */
};

/* Takes PortInfo of a port of a switch, or of the local port. */
enum take_next take_port_info(struct take *take, struct view_end end,
			      const uint8_t info[MADKIT_SWEEP_INFO_BYTES]);

enum take_link {
	TAKE_LINK, /* the link was taken */
	TAKE_LINK_WAITS, /* the link trains or waits for the subnet manager, or the node behind it does not respond yet */
	TAKE_LINK_NONE,   /* the port itself did not respond */
	TAKE_LINK_FAILED, /* out of memory, which was reported */
};

/* Takes a sweep of one link, which begins at a port of a switch or of this host. fresh: receives the node behind it if that is a switch
 * that was not known, else VIEW_NONE. */
enum take_link take_link(struct take *take, const struct madkit_sweep *sweep, struct view_end end,
			 uint32_t *fresh);

/* Takes PortCounters of a port of a switch. */
void take_counters(struct take *take, struct view_end end, const uint8_t data[MADKIT_SWEEP_INFO_BYTES]);

/* Takes NodeInfo from the place of a node. Returns false if it is of another node, or not credible. */
bool take_node_info(struct take *take, uint32_t node, const uint8_t info[MADKIT_SWEEP_INFO_BYTES]);

/* Takes the description of a node. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
int take_name(struct take *take, uint32_t node, const uint8_t description[MADKIT_SWEEP_INFO_BYTES]);

#endif
