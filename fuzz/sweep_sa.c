/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as the tables of a subnet administrator, from which a sweep is filled. The sweep ends, with links that agree at
 * both ends; paths that are followed afterwards end, too.
 *
 * Input: options, then steps, each of a byte for its kind: a record of small numbers, bytes of a record, or a flaw of a
 * table.
 */
#define LEDGER_BYTES (1 << 14)
#include "fuzz/sweep_swept.h"
#include "tests/unit/sweep_ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_RECORDS = 60 };

static void fuzz_ledger_bytes(struct ledger *l, struct input *in)
{
	struct ledger_table *t = &l->tables[byte(in) % LEDGER_KINDS];
	size_t at = t->len ? number(in) % t->len : 0;

	for (unsigned int left = byte(in) % 16; left && at < t->len; left--)
		t->bytes[MADKIT_SA_DATA + at++] = byte(in);
}

static void fuzz_ledger_flaw(struct ledger_table *t, struct input *in)
{
	switch (byte(in) % 5) {
	case 0:
		t->words = byte(in);
		break;
	case 1:
		t->status = byte(in) << 8;
		break;
	case 2:
		t->silent = true;
		break;
	case 3:
		t->len -= t->len ? byte(in) % t->len : 0;
		break;
	case 4:
		t->method = byte(in);
		break;
	}
}

static void fuzz_ledger_step(struct ledger *l, struct input *in, unsigned int *records)
{
	const uint8_t kind = byte(in) % 8, a = byte(in), b = byte(in), c = byte(in);
	uint8_t *record;

	if (kind < 6 && ++*records > FUZZ_RECORDS)
		return;
	switch (kind) {
	case 0:
	case 1:
		ledger_node(l, a % 32, 0x100 * (b % 8u), 1 + (b >> 3) % 3, b & 32 ? 255 : 1 + (b >> 6) * 2,
			    c % 8);
		break;
	case 2:
		record = ledger_port(l, a % 32, b % 10, b >> 4);
		field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LID, record, c % 32);
		field_put(MADKIT_PORT_INFO_RECORD_PORT_INFO_LMC, record, c >> 5);
		break;
	case 3:
		field_put(MADKIT_SWITCH_INFO_RECORD_LID, ledger_add(l, LEDGER_SWITCHES), a % 32);
		break;
	case 4:
	case 5:
		ledger_link(l, a % 32, c & 15, b % 32, c >> 4);
		break;
	case 6:
		fuzz_ledger_bytes(l, in);
		break;
	case 7:
		fuzz_ledger_flaw(&l->tables[a % LEDGER_KINDS], in);
		break;
	}
}

/* Only the tables are scripted, not the blocks of forwarding tables. */
static void fuzz_ledger_peer(struct fake *fake, const struct fake_sent *sent)
{
	for (int kind = 0; kind < LEDGER_KINDS; kind++) {
		if (ledger_kinds[kind].attribute == get_be16(sent->mad + MADKIT_MAD_ATTRIBUTE)) {
			ledger_peer(fake, sent);
			return;
		}
	}
	if (!(madkit_rmpp_get_flags(sent->mad) & MADKIT_RMPP_ACTIVE))
		fake_answer(fake, 1, sent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct madkit_sweep_attr attr = { .timeout_ms = TIMEOUT_MS, .nodes_max = FUZZ_NODES_MAX, .sa = true };
	struct madkit_addr from = { .direct = true, .hops = 1, .path = { 0, 1 } };
	struct ledger l = ledger_new();
	struct input in = { data, size };
	const uint8_t options = byte(&in);
	unsigned int records = 0;
	struct swept w;

	attr.retries = options & 1;
	attr.hops = options >> 1 & 3;
	attr.from = options & 8 ? &from : NULL;
	l.no_options = options & 16;
	while (in.left)
		fuzz_ledger_step(&l, &in, &records);
	l.fake = fake_new();
	l.fake->peer = fuzz_ledger_peer;
	l.fake->peer_context = &l;
	w.port = fake_port(l.fake);
	if (madkit_sweep_new(w.port, &attr, &w.s))
		abort();
	fuzz_swept_check(&w, &in);
	swept_close(&w);
	ledger_free(&l);
	return 0;
}
