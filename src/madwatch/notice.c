/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports of traps from the subnet administrator: what each says may have changed is read. */
#include <string.h>
#include "util/array_size.h"
#include "watch.h"

enum { NOTICE_BYTES = 80 };

int notice_subscribe(struct subscription *s)
{
	static const uint16_t traps[] = { MADKIT_TRAP_GID_IN, MADKIT_TRAP_GID_OUT, MADKIT_TRAP_LINK_STATE,
					  MADKIT_TRAP_LOCAL_CHANGE, MADKIT_TRAP_SYSTEM_GUID };
	int status = EXIT_DONE;

	for (size_t i = 0; !status && i < ARRAY_SIZE(traps); i++)
		status = subscription_add(s, traps[i]);
	return status;
}

static uint64_t notice_get(const uint8_t *notice, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(notice, NOTICE_BYTES, field, &value);
	return value;
}

/* The port with a GID came into service or left it: reads its link at the switch. */
static void notice_take_gid(struct watch *w, const uint8_t *notice)
{
	uint8_t gid[16];
	uint64_t guid = 0;
	struct view_end end;
	const struct view_link *l;

	if (madkit_get_bytes(notice, NOTICE_BYTES, MADKIT_NOTICE_64_67_GIDADDR, gid, sizeof(gid)))
		return;
	for (size_t i = 8; i < sizeof(gid); i++)
		guid = guid << 8 | gid[i];
	/* of another port, trap 128 of its switch says more */
	if (!view_find_port(&w->view, guid, &end))
		return;
	l = view_link_of(&w->view, end);
	if (!l)
		return;
	/* the switch of the port may be gone: read first what leads to it */
	look_path(&w->look, l->ends[0].node, LOOK_SOON, VIEW_BY_TRAP);
	look_add(&w->look, LOOK_PORT, l->ends[0], LOOK_GIDS, VIEW_BY_TRAP);
}

/* A node has another name or SystemImageGUID: perhaps it is another node, too. */
static void notice_take_node(struct watch *w, uint64_t lid)
{
	const struct view_node *n = view_of_lid(&w->view, (uint32_t)lid);

	if (n)
		look_node(&w->look, n->number, VIEW_BY_TRAP);
}

static void notice_take_local(struct watch *w, const uint8_t *notice)
{
	/* the priority of a subnet manager, or its IsSM */
	w->master.due_ns = 0;
	notice_take_node(w, notice_get(notice, MADKIT_NOTICE_144_LIDADDR));
}

static void notice_take(struct watch *w, const uint8_t *notice)
{
	const struct view_node *n;

	w->traps++;
	if (!notice_get(notice, MADKIT_NOTICE_IS_GENERIC))
		return;
	switch (notice_get(notice, MADKIT_NOTICE_TRAP_NUMBER)) {
	case MADKIT_TRAP_GID_IN:
	case MADKIT_TRAP_GID_OUT:
		notice_take_gid(w, notice);
		break;
	case MADKIT_TRAP_LINK_STATE:
		n = view_of_lid(&w->view, (uint32_t)notice_get(notice, MADKIT_NOTICE_128_LIDADDR));
		if (n && view_is_switch(n))
			look_ports(&w->look, n->number, LOOK_SOON, VIEW_BY_TRAP);
		else
			round_all(w, VIEW_BY_TRAP);
		break;
	case MADKIT_TRAP_LOCAL_CHANGE:
		notice_take_local(w, notice);
		break;
	case MADKIT_TRAP_SYSTEM_GUID:
		notice_take_node(w, notice_get(notice, MADKIT_NOTICE_145_LIDADDR));
		break;
	}
}

void notice_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

/* ReportResp is the Report with another method (IBA volume 1, section 13.4.9). */
static void notice_respond(struct madkit_agent *agent, const struct madkit_recv *recv)
{
	struct madkit_send *send = madkit_send_response(recv, 0);

	if (send && madkit_agent_post(agent, send))
		madkit_send_free(send);
}

void notice_receive(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct watch *w = madkit_agent_context(agent);
	struct madkit_header h;

	if (!recv->status && !recv->send && !madkit_header_get(recv->mad, recv->len, &h) &&
	    h.method == MADKIT_METHOD_REPORT && h.attribute == MADKIT_ATTR_NOTICE) {
		notice_respond(agent, recv);
		if (w->begun && recv->len >= MADKIT_SA_DATA + NOTICE_BYTES)
			notice_take(w, recv->mad + MADKIT_SA_DATA);
	}
	madkit_recv_free(recv);
}
