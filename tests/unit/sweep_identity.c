/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The identity of an end port: LIDs, also with an LMC, and port GUIDs that several ports have. */
#include <madkit/path.h>
#define RANDOM_SEED UINT64_C(0x1d)
#include "tests/random.h"
#include "tests/unit/sweep_ledger.h"
#include "tests/unit/sweep_toy.h"
#include "util/array_size.h"

enum { FIRST_HOST = 2, HOSTS = 6 };

/* The host and the switch of toy_new() with LIDs 1 and 2, and two other hosts. */
static struct toy identity_toy(void)
{
	struct toy toy = toy_new();

	toy.nodes[0].lid = 1;
	toy.nodes[1].lid = 2;
	for (uint8_t i = 0; i < HOSTS; i++)
		toy_link(&toy, toy_add(&toy, 0x1000 + 0x100u * i, 1, 1), 1, 1, (uint8_t)(i + 2));
	return toy;
}

/* The end port of a node of the toy in the sweep. */
static uint32_t identity_find(const struct swept *w, uint64_t guid, unsigned int *port)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		*port = madkit_sweep_node(w->s, i)->type != 2;
		if (madkit_sweep_node(w->s, i)->guid == guid)
			return i;
	}
	abort();
}

static unsigned int identity_shared(const struct swept *w, uint64_t guid)
{
	unsigned int port;
	const uint32_t node = identity_find(w, guid, &port);

	return madkit_sweep_node(w->s, node)->ports[port].shared;
}

static enum madkit_sweep_lid identity_lid(const struct swept *w, uint64_t guid, uint32_t *address)
{
	struct madkit_sweep_lids lids;
	struct madkit_addr to = { .lid = 0 };
	unsigned int port;
	const uint32_t node = identity_find(w, guid, &port);
	enum madkit_sweep_lid lid = madkit_sweep_lids(w->s, node, port, &lids);

	if (madkit_sweep_lid_address(w->s, node, port, &to) != (lid == MADKIT_SWEEP_LID_OWN))
		abort();
	*address = to.lid;
	return lid;
}

/* ---- two hosts --------------------------------------------------------------------------- */

enum { OWN = MADKIT_SWEEP_LID_OWN, NONE = MADKIT_SWEEP_LID_NONE, SHARED = MADKIT_SWEEP_LID_SHARED };
enum { LID = MADKIT_SWEEP_SHARED_LID, STALE = MADKIT_SWEEP_STALE_LID };

static const struct {
	const char *what;
	uint16_t lid_a, lid_b;
	uint8_t lmc_a, lmc_b, state_b;
	uint8_t shared_a, shared_b, a, b;
} identity_rows[] = {
	{ "W9: two LIDs", 8, 9, 0, 0, 4, 0, 0, OWN, OWN },
	{ "W9: one LID", 8, 8, 0, 0, 4, LID, LID, SHARED, SHARED },
	{ "W9: ... of a link that is Armed", 8, 8, 0, 0, 3, LID, LID, SHARED, SHARED },
	{ "W9: ... of a link that is only Initialize", 8, 8, 0, 0, 2, 0, STALE, OWN, SHARED },
	{ "W9: a LID within the range of an LMC", 8, 11, 2, 0, 4, LID, LID, SHARED, SHARED },
	{ "W9: ... and the next one", 8, 12, 2, 0, 4, 0, 0, OWN, OWN },
	{ "W9: ... of a base LID that is not aligned", 10, 8, 2, 0, 4, LID, LID, SHARED, SHARED },
	{ "W9: two ranges", 8, 12, 3, 2, 4, LID, LID, SHARED, SHARED },
	{ "W9: the LID of the switch", 2, 8, 0, 0, 4, LID, 0, SHARED, OWN },
	{ "W13: multicast LIDs", 0xc001, 0xc001, 0, 0, 4, 0, 0, NONE, NONE },
	{ "W13: the permissive LID and 0", 0xffff, 0, 0, 0, 4, 0, 0, NONE, NONE },
	{ "W13: the last unicast LID, with an LMC", 0xbfff, 0xbff8, 7, 0, 4, LID, LID, SHARED, SHARED },
};

static void identity_two(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(identity_rows); i++) {
		struct toy toy = identity_toy();
		struct toy_node *a = &toy.nodes[FIRST_HOST], *b = &toy.nodes[FIRST_HOST + 1];
		uint32_t address_a, address_b;
		struct swept w;

		a->lid = identity_rows[i].lid_a;
		a->lmc = identity_rows[i].lmc_a;
		b->lid = identity_rows[i].lid_b;
		b->lmc = identity_rows[i].lmc_b;
		b->state = identity_rows[i].state_b;
		toy_run(&toy, &w, &usual, identity_rows[i].what);
		is_u64(identity_shared(&w, a->guid), identity_rows[i].shared_a, "... what the first shares");
		is_u64(identity_shared(&w, b->guid), identity_rows[i].shared_b, "... and the second");
		is_u64(identity_lid(&w, a->guid, &address_a), identity_rows[i].a, "... the LID of the first");
		is_u64(identity_lid(&w, b->guid, &address_b), identity_rows[i].b, "... and of the second");
		ok(address_a == (identity_rows[i].a == OWN ? a->lid : 0u) &&
			   address_b == (identity_rows[i].b == OWN ? b->lid : 0u),
		   "... only one of its own is an address");
		swept_close(&w);
	}
}

/* ---- port GUIDs -------------------------------------------------------------------------- */

static void identity_guids(void)
{
	struct toy toy = identity_toy();
	struct swept w;

	toy.nodes[FIRST_HOST].port_guid = 0x77;
	toy.nodes[FIRST_HOST + 2].port_guid = 0x77;
	/* of the toy, NodeInfo of a switch depends on the port by which it was entered */
	toy.nodes[FIRST_HOST + 3].port_guid = toy.nodes[1].guid + 1;
	toy_run(&toy, &w, &usual, "W12: hosts with one port GUID, and one with that of a switch");
	is_u64(identity_shared(&w, 0x1000), MADKIT_SWEEP_SHARED_GUID, "... the first");
	is_u64(identity_shared(&w, 0x1200), MADKIT_SWEEP_SHARED_GUID, "... the second");
	is_u64(identity_shared(&w, 0x1300), MADKIT_SWEEP_SHARED_GUID, "... the third");
	is_u64(identity_shared(&w, 0x200), MADKIT_SWEEP_SHARED_GUID, "... the switch");
	ok(!identity_shared(&w, 0x1100) && !identity_shared(&w, 0x100), "... and no other");
	swept_close(&w);

	toy = toy_new();
	toy_add(&toy, 0x300, 1, 2);
	toy_link(&toy, 2, 1, 1, 5);
	toy_link(&toy, 2, 2, 1, 6);
	toy.nodes[2].port_guid = 0x77;
	toy.nodes[2].lid = 9;
	toy_run(&toy, &w, &usual, "W12: two planes of one node");
	ok(!madkit_sweep_node(w.s, 2)->ports[1].shared && !madkit_sweep_node(w.s, 2)->ports[2].shared,
	   "... share nothing with another port");
	swept_close(&w);
	toy.nodes[2].port_guid = 0;
	toy_run(&toy, &w, &usual, "W9: two ports of one node with one LID");
	ok(madkit_sweep_node(w.s, 2)->ports[1].shared == LID &&
		   madkit_sweep_node(w.s, 2)->ports[2].shared == LID,
	   "... share it");
	swept_close(&w);
}

static unsigned int identity_random_below(unsigned int n)
{
	return (unsigned int)(random64() >> 20) % n;
}

/* ---- compared with each pair of ports ---------------------------------------------------------- */

static bool identity_overlaps(const struct toy_node *a, const struct toy_node *b)
{
	for (unsigned int i = 0; i < 1u << a->lmc; i++)
		for (unsigned int j = 0; j < 1u << b->lmc; j++) {
			const unsigned int lid = ((unsigned int)a->lid >> a->lmc << a->lmc) + i;

			if (a->lid && b->lid && lid && lid == ((unsigned int)b->lid >> b->lmc << b->lmc) + j)
				return true;
		}
	return false;
}

static unsigned int identity_expected(const struct toy *toy, int at)
{
	const struct toy_node *own = &toy->nodes[at];
	const bool used = at == 1 || own->state != 2;
	unsigned int shared = 0;

	for (int i = 0; i < toy->count; i++) {
		const struct toy_node *n = &toy->nodes[i];

		if (i == at)
			continue;
		if (identity_overlaps(own, n) && (i == 1 || n->state != 2))
			shared |= used ? MADKIT_SWEEP_SHARED_LID : MADKIT_SWEEP_STALE_LID;
		if (own->port_guid && n->port_guid == own->port_guid)
			shared |= MADKIT_SWEEP_SHARED_GUID;
	}
	return shared;
}

static void identity_random(void)
{
	unsigned int bad = 0, shared = 0;

	for (unsigned int run = 0; run < 300; run++) {
		struct toy toy = identity_toy();
		struct swept w;

		for (int i = 0; i < toy.count; i++) {
			toy.nodes[i].lid = (uint16_t)identity_random_below(40);
			toy.nodes[i].lmc = (uint8_t)identity_random_below(4);
			toy.nodes[i].state = (uint8_t)(i > 1 ? 2 + identity_random_below(3) : 4);
			toy.nodes[i].port_guid = identity_random_below(3) ? 0 :
									    0x70 + identity_random_below(4);
		}
		toy_sweep(&toy, &w, &usual);
		for (int i = 0; i < toy.count; i++) {
			const unsigned int want = identity_expected(&toy, i);

			bad += identity_shared(&w, toy.nodes[i].guid) != want;
			shared += want != 0;
		}
		swept_close(&w);
	}
	ok(!bad && shared > 300, "W9, W12: as each pair of %u ports says (%u are wrong)", shared, bad);
}

/* ---- through the SA --------------------------------------------------------------------------- */

static void identity_by_sa(void)
{
	const struct madkit_sweep_attr by_sa = { .sa = true, .timeout_ms = TIMEOUT_MS, .retries = RETRIES };
	struct ledger l = ledger_new();
	unsigned int port;
	uint32_t node;
	uint8_t *record;
	struct swept w;

	ledger_node(&l, 20, 0x300, 1, 1, 1);
	ledger_node(&l, 20, 0x400, 1, 1, 1);
	ledger_twin(&l, 21, 0x500, 0x991);
	ledger_twin(&l, 22, 0x600, 0x991);
	ledger_port(&l, 20, 1, 4);
	record = ledger_port(&l, 21, 1, 4);
	field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LID, record, 22);
	ledger_port(&l, 22, 1, 4);
	is_int(ledger_sweep(&l, &w, &by_sa), 1, "W9: records of the SA with one LID");
	is_u64(identity_shared(&w, 0x300), LID, "... the first");
	is_u64(identity_shared(&w, 0x400), LID, "... the second");
	is_u64(identity_shared(&w, 0x500), LID | MADKIT_SWEEP_SHARED_GUID,
	       "W12: a port GUID, and a LID in PortInfo");
	is_u64(identity_shared(&w, 0x600), LID | MADKIT_SWEEP_SHARED_GUID, "... of two");
	ok(!identity_shared(&w, OWN_GUID) && !identity_shared(&w, SWITCH_GUID), "... and no other");
	node = identity_find(&w, 0x300, &port);
	ok(node != MADKIT_SWEEP_NONE && !madkit_path_port(w.s, 20, &node, &(uint8_t){ 0 }) &&
		   !madkit_path_port(w.s, 22, &node, &(uint8_t){ 0 }) &&
		   madkit_path_port(w.s, 10, &node, &(uint8_t){ 0 }),
	   "... a shared LID finds no port");
	swept_close(&w);
	ledger_free(&l);
}

/* ---- output -------------------------------------------------------------------------------------- */

static uint64_t identity_record_lid(const struct swept *w, uint64_t guid)
{
	struct madkit_sweep_record record;
	unsigned int port;
	const uint32_t node = identity_find(w, guid, &port);
	uint64_t lid;

	madkit_sweep_record_get(w->s, node, port, &record);
	return madkit_record_value(&record.record, "lid", &lid) ? 0 : lid;
}

static void identity_shown(void)
{
	struct toy toy = identity_toy();
	struct madkit_buf buf;
	struct swept w;
	int ret;

	toy.nodes[FIRST_HOST].lid = 8;
	toy.nodes[FIRST_HOST + 1].lid = 8;
	toy.nodes[FIRST_HOST + 2].lid = 0xc001;
	toy.nodes[FIRST_HOST + 3].lid = 0xffff;
	toy.nodes[FIRST_HOST + 4].lid = 9;
	toy_run(&toy, &w, &usual, "W13: LIDs that are not unicast");
	ok(!identity_record_lid(&w, 0x1200) && !identity_record_lid(&w, 0x1300), "... are null");
	ok(identity_record_lid(&w, 0x1000) == 8 && identity_record_lid(&w, 0x1400) == 9,
	   "... others are shown");
	madkit_buf_init(&buf, 0);
	ret = madkit_sweep_topology(w.s, &buf);
	is_int(ret, MADKIT_SWEEP_TOPOLOGY_OMITTED | MADKIT_SWEEP_TOPOLOGY_CHANGED,
	       "W9: a topology file omits them");
	ok(strstr(buf.data,
		  "H-0000000000001000[1] (node 4096): its LID 8 is omitted: another port has it\n") &&
		   strstr(buf.data, "H-0000000000001100[1] (node 4352): its LID 8 is omitted") &&
		   strstr(buf.data, "its LID 49153, which is not unicast, is omitted\n"),
	   "... and says so");
	ok(!strstr(buf.data, "lid 8 ") && strstr(buf.data, "lid 9 ") && !strstr(buf.data, "lid 49153"),
	   "... has the others");
	madkit_buf_free(&buf);
	swept_close(&w);
}

int main(void)
{
	identity_two();
	identity_guids();
	identity_random();
	identity_by_sa();
	identity_shown();
	return tap_done();
}
