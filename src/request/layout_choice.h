/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Chooses between several layouts of an attribute by the properties of the port. */
#ifndef SRC_LAYOUT_CHOICE_H
#define SRC_LAYOUT_CHOICE_H

#include "exchange.h"

/*
 * PortExtendedSpeedsCounters has another layout if RS-FEC is active at the port. The rule is that of
 * perfquery -T of infiniband-diags: ClassPortInfo of PerfMgt has IsRSFECModeSupported (libibmad:
 * IS_PM_RSFEC_COUNTERS_SUP), and FECModeActive of PortInfoExtended is RS-FEC.
 */

/* Checks if the layout of the request depends on the FEC mode: its attribute was not given by the name of a
 * layout. */
bool layout_depends(const struct request *request);

enum layout_fec {
	LAYOUT_UNKNOWN, /* no response, a malformed one, or BUSY */
	LAYOUT_WITHOUT, /* also: the node does not have the attribute that is queried */
	LAYOUT_RSFEC,
};

/* Returns what the answer to Get PortInfoExtended says about the port. */
enum layout_fec layout_mode(const struct answer *answer);

/* Returns what the answer to Get ClassPortInfo, with its data at offset, says about the node: if it has
 * counters for RS-FEC. */
enum layout_fec layout_counts(const struct answer *answer, size_t offset);

/* Combines both into the layout of the port. */
enum layout_fec layout_of(enum layout_fec counts, enum layout_fec mode);

/* Derives the request for PortInfoExtended of the same node. Returns 0 or -ENOMEM. */
int layout_request(const struct request *request, uint32_t port, struct request *derived);

/* Returns the attribute with the layout of a port with RS-FEC. */
const struct madkit_attribute *layout_rsfec(void);

/* Queries the node, unless the layout does not matter, and sets the attribute of the request. Returns
 * EXIT_DONE, or a status after a report, also if the FEC mode is not known. */
int layout_choose(struct exchange *x, struct request *request);

/* ---- a capture ----------------------------------------------------------------------- */

/* The FEC modes of ports, by LID, as far as the MADs of a capture have shown them. Zero-initialised. */
struct layout_seen {
	uint8_t *known, *active; /* one bit per port; NULL: none is known */
};

/*
 * Notes the FEC mode in a response to Get PortInfoExtended, and sets the attribute of a response whose layout
 * depends on it. Returns false if the capture does not show the FEC mode that this response depends on.
 */
bool layout_seen_apply(struct layout_seen *seen, struct madkit_message *message);
void layout_seen_free(struct layout_seen *seen);

#endif
