/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests to the subnet manager: SMInfo (IBA volume 1, section 14.4) and traps. */
#include <string.h>
#include "sim/sm/internal.h"
#include "wire/status.h"

#define COALESCE NS_PER_MS /* a change usually causes several traps */

/* ---- the reported state ---------------------------------------------------------------- */

static uint8_t said_state(const struct sm *sm)
{
	switch (sm->state) {
	case SM_DISCOVERING:
		return SAYS_DISCOVERING;
	case SM_MASTER:
		if (!sm->handing)
			return SAYS_MASTER;
		/* fall through */
	case SM_STANDBY:
		return sm->quiet ? SAYS_NOT_ACTIVE : SAYS_STANDBY;
	case SM_NOT_ACTIVE:
		break;
	}
	return SAYS_NOT_ACTIVE;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* Checks if a state transition that another manager requests is allowed. */
static bool info_may_be(const struct sm *sm, uint32_t what, uint64_t sender, uint64_t by)
{
	switch (what) {
	case SM_HANDOVER:
		return sender == SAYS_MASTER && sm->state != SM_NOT_ACTIVE && !sm->handing;
	case SM_ACKNOWLEDGE:
		/* it accepts the mastership that it was offered, even if its response was lost */
		return sender == SAYS_STANDBY &&
		       (sm->state == SM_STANDBY || (sm->state == SM_MASTER && by == sm->polled));
	case SM_DISABLE:
	case SM_DISCOVER:
		return sender == SAYS_MASTER && sm->state == SM_STANDBY;
	case SM_STAND_BY:
		return sender == SAYS_MASTER && sm->state == SM_NOT_ACTIVE;
	default:
		return false;
	}
}

static void info_given(struct sm *sm, uint64_t by)
{
	uint32_t port = subnet_find_port(&sm->map.s, by);
	uint8_t info[FABRIC_INFO_BYTES];

	if (sm->state != SM_STANDBY) {
		/* a sweep looks for other managers first */
		sm_sweep_soon(sm, 0);
		return;
	}
	sm_write_info(sm, SAYS_STANDBY, info);
	sm_set_state(sm, SM_MASTER);
	sm->forced = true;
	sm_sweep_soon(sm, 0);
	if (port != SUBNET_NONE && sm_has_room(sm))
		sm_ask(sm, SMP_ACKNOWLEDGE, port, SM_ACKNOWLEDGE, info);
}

static void info_change(struct sm *sm, uint32_t what, uint64_t by)
{
	switch (what) {
	case SM_HANDOVER:
		info_given(sm, by);
		return;
	case SM_ACKNOWLEDGE:
		if (sm->state == SM_MASTER) {
			sm_abandon(sm);
			sm_set_state(sm, SM_STANDBY);
		}
		return;
	case SM_DISABLE:
		sm_set_state(sm, SM_NOT_ACTIVE);
		return;
	case SM_STAND_BY:
		sm->polled = by;
		sm_set_state(sm, SM_STANDBY);
		return;
	case SM_DISCOVER:
		sm_discover_anew(sm);
		return;
	}
}

static void sm_info_answer(struct sm *sm, const struct host_message *message, uint16_t status)
{
	uint8_t mad[MADKIT_MAD_BYTES];

	memcpy(mad, message->mad, sizeof(mad));
	fabric_respond(mad, status);
	sm_write_info(sm, said_state(sm), mad + MADKIT_SMP_DATA);
	/* without memory the response is lost, as any packet may be: the request will be repeated */
	host_send(sm->file, &(struct host_out){ message->id, &message->from, mad, sizeof(mad), 0, 0 },
		  sm->now);
	sm->activity++;
}

static void sm_info(struct sm *sm, const struct host_message *message)
{
	const uint8_t *data = message->mad + MADKIT_SMP_DATA;
	uint32_t what = get_be32(message->mad + MADKIT_MAD_MODIFIER);
	uint64_t sender = field_get(MADKIT_SM_INFO_SM_STATE, data), by = field_get(MADKIT_SM_INFO_GUID, data);

	if (message->mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_GET) {
		sm_info_answer(sm, message, 0);
	} else if (!info_may_be(sm, what, sender, by)) {
		sm_info_answer(sm, message, STATUS_BAD_FIELD);
	} else {
		sm_info_answer(sm, message, 0);
		info_change(sm, what, by);
	}
}

static void info_trap(struct sm *sm, const struct host_message *message)
{
	const uint8_t *data = message->mad + MADKIT_SMP_DATA;
	uint64_t number = field_get(MADKIT_NOTICE_TRAP_NUMBER, data);
	uint8_t mad[MADKIT_MAD_BYTES], notice[SA_NOTICE_BYTES] = { 0 };
	bool master = sm->state == SM_MASTER && !sm->handing;

	/* Traps are for the master. But opensm sends trap 144 to request mastership even if it has
	 * mastership already, and waits for a response. */
	if (!master && number != MADKIT_TRAP_LOCAL_CHANGE)
		return;
	memcpy(mad, message->mad, sizeof(mad));
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_TRAP_REPRESS;
	host_send(sm->file, &(struct host_out){ message->id, &message->from, mad, sizeof(mad), 0, 0 },
		  sm->now);
	sm->activity++;
	if (!master)
		return;
	memcpy(notice, data, FABRIC_INFO_BYTES);
	if (sm->sa)
		sa_trap(sm->sa, notice, sm->now);
	if (field_get(MADKIT_NOTICE_IS_GENERIC, data) && ((number >= 128 && number <= 131) || number == 144))
		sm_sweep_soon(sm, COALESCE);
}

void sm_request(struct sm *sm, const struct host_message *message)
{
	const uint8_t *mad = message->mad;
	uint16_t attribute = get_be16(mad + MADKIT_MAD_ATTRIBUTE);

	if (message->len != MADKIT_MAD_BYTES)
		return;
	switch (mad[MADKIT_MAD_METHOD]) {
	case MADKIT_METHOD_GET:
	case MADKIT_METHOD_SET:
		if (attribute == MADKIT_ATTR_SM_INFO)
			sm_info(sm, message);
		return;
	case MADKIT_METHOD_TRAP:
		if (attribute == MADKIT_ATTR_NOTICE && mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN)
			info_trap(sm, message);
		return;
	}
}
