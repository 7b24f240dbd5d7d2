/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why links go down, as each end reports that. */
#include "sim/fabric/internal.h"

enum { BLAME_NONE, BLAME_LOCAL, BLAME_REMOTE };
enum { INTENT_UNKNOWN, INTENDED, NOT_INTENDED };

static void loss_put(struct port *port, uint8_t blame, uint8_t intent, uint8_t local, uint8_t remote)
{
	port->loss.blame = blame;
	port->loss.intent = intent;
	port->loss.local = local;
	port->loss.remote = remote;
	port->loss.intended += intent == INTENDED;
	port->loss.unintended += intent != INTENDED;
}

/* A manager has set the port by, which may be disabled now. */
static void loss_by_manager(struct port *by, struct port *other)
{
	const bool reset = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, by->info) == PHYS_POLLING ||
			   field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, by->info) == PHYS_LINK_UP;
	const uint8_t at = reset ? MADKIT_LINK_DOWN_REASON_RESET : MADKIT_LINK_DOWN_REASON_MANAGEMENT;

	loss_put(by, BLAME_LOCAL, INTENDED, at, MADKIT_LINK_DOWN_REASON_NONE);
	loss_put(other, BLAME_REMOTE, INTENDED,
		 reset ? MADKIT_LINK_DOWN_REASON_PEER_RESET : MADKIT_LINK_DOWN_REASON_PEER_DISABLED, at);
}

void loss_note(struct fabric *f, struct port *port, struct port *peer, const struct port *by)
{
	if (by) {
		loss_by_manager(port, peer);
		return;
	}
	for (int i = 0; i < 2; i++) {
		struct port *end = i ? peer : port;
		const struct node *other = &f->nodes[(i ? port : peer)->node];
		uint8_t reason = MADKIT_LINK_DOWN_REASON_UNKNOWN, blame = BLAME_NONE;

		if (port->unplugged) {
			reason = MADKIT_LINK_DOWN_REASON_CABLE_UNPLUGGED;
			blame = BLAME_LOCAL;
		} else if (other->off) {
			reason = MADKIT_LINK_DOWN_REASON_BLOCK_LOCK_LOST;
			blame = BLAME_REMOTE;
		}
		loss_put(end, blame, NOT_INTENDED, reason, MADKIT_LINK_DOWN_REASON_NONE);
	}
}

void fabric_set_loss(struct port *port, uint8_t local, uint8_t remote)
{
	const uint8_t reason = local ? local : remote;
	uint8_t intent = reason ? NOT_INTENDED : INTENT_UNKNOWN;

	switch (reason) {
	case MADKIT_LINK_DOWN_REASON_OUTBAND_COMMAND_HEALTHY_LINK:
	case MADKIT_LINK_DOWN_REASON_OUTBAND_COMMAND_HIGH_BIT_ERROR_RATE:
	case MADKIT_LINK_DOWN_REASON_INBAND_COMMAND_HEALTHY_LINK:
	case MADKIT_LINK_DOWN_REASON_INBAND_COMMAND_HIGH_BIT_ERROR_RATE:
	case MADKIT_LINK_DOWN_REASON_MANAGEMENT:
	case MADKIT_LINK_DOWN_REASON_PEER_SLEEP:
	case MADKIT_LINK_DOWN_REASON_PEER_DISABLED:
	case MADKIT_LINK_DOWN_REASON_COMMAND:
		intent = INTENDED;
		break;
	default:
		break;
	}
	port->loss.blame = local ? BLAME_LOCAL : remote ? BLAME_REMOTE : BLAME_NONE;
	port->loss.intent = intent;
	port->loss.local = local;
	port->loss.remote = remote;
}
