/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which of several layouts of an attribute a port has. */
#ifndef SRC_LAYOUT_CHOICE_H
#define SRC_LAYOUT_CHOICE_H

#include "exchange.h"

/*
 * PortExtendedSpeedsCounters have another layout if RS-FEC is active at the port. As perfquery -T of infiniband-diags,
 * whose choice this is: ClassPortInfo of PerfMgt has IsRSFECModeSupported (libibmad: IS_PM_RSFEC_COUNTERS_SUP), and
 * FECModeActive of PortInfoExtended is RS-FEC.
 */

/* Whether the layout of the request depends on the FEC mode: its attribute was not named by a layout. */
bool layout_depends(const struct request *request);

enum layout_fec {
	LAYOUT_UNKNOWN, /* no response, a malformed one, or BUSY */
	LAYOUT_WITHOUT, /* also: the node does not have the attribute that would say it */
	LAYOUT_RSFEC,
};

/* What the answer to Get PortInfoExtended says of the port. */
enum layout_fec layout_mode(const struct answer *answer);

/* What the answer to Get ClassPortInfo, with its data at offset, says of the node: whether it counts by RS-FEC. */
enum layout_fec layout_counts(const struct answer *answer, size_t offset);

/* The layout of the port, by both. */
enum layout_fec layout_of(enum layout_fec counts, enum layout_fec mode);

/* The request for PortInfoExtended, to the same place. 0 or -ENOMEM. */
int layout_request(const struct request *request, uint32_t port, struct request *derived);

/* The attribute with the layout of a port with RS-FEC. */
const struct madkit_attribute *layout_rsfec(void);

/* Asks the node, unless it does not matter, and sets the attribute of the request. EXIT_DONE, or a status: reported, also
 * if the FEC mode is not known. */
int layout_choose(struct exchange *x, struct request *request);

/* ---- a capture ----------------------------------------------------------------------- */

/* What the MADs of a capture have shown so far of the ports, by their LIDs. All zero at first. */
struct layout_seen {
	uint8_t *known, *active; /* a bit each; NULL: nothing */
};

/*
 * Notes what a response to Get PortInfoExtended shows, and sets the attribute of a response whose layout depends on it.
 * False: the layout of this response depends on what the capture does not show.
 */
bool layout_seen_apply(struct layout_seen *seen, struct madkit_message *message);
void layout_seen_free(struct layout_seen *seen);

#endif
