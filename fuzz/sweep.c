/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as a fabric that is swept by SMPs: its nodes, which may lie, its cables, and what becomes of each response. The
 * sweep ends, with links that agree at both ends; the paths and trees that are read afterwards end, too.
 *
 * Input: options, the number of nodes, for each its GUID, type, ports and flaws; the number of cables, for each its ends;
 * then a byte for each SMP: what to change in the fabric or in the response. At the end of the input, all responses are true.
 */
#include "fuzz/sweep_swept.h"
#include "tests/unit/sweep_toy.h"
#include "util/array_size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_TOYS = 12 };

struct fuzz_toys {
	struct toy toy; /* first */
	struct input *in;
};

/* The callback forge() has no context. */
static struct input *fuzz_forger;

static void fuzz_toys_forge(uint8_t *mad, uint16_t attribute)
{
	static const uint8_t lengths[] = { 1, 2, 8, 64 };
	uint8_t *data = mad + MADKIT_SMP_DATA;
	unsigned int at, len;

	switch (byte(fuzz_forger)) {
	case 1:
		mad[5] = byte(fuzz_forger);
		break;
	case 2:
		put_be16(mad + MADKIT_MAD_ATTRIBUTE, byte(fuzz_forger));
		break;
	case 3:
		mad[MADKIT_MAD_MODIFIER + 3] = byte(fuzz_forger);
		break;
	case 4:
		at = byte(fuzz_forger) % 64;
		len = lengths[byte(fuzz_forger) % ARRAY_SIZE(lengths)];
		for (; len-- && at < 64; at++)
			data[at] = byte(fuzz_forger);
		break;
	case 5:
		if (attribute == MADKIT_ATTR_NODE_INFO)
			field_put(MADKIT_NODE_INFO_LOCAL_PORT, data, byte(fuzz_forger));
		break;
	case 6:
		if (attribute == MADKIT_ATTR_NODE_INFO)
			field_put(MADKIT_NODE_INFO_GUID, data, 0x100 * (byte(fuzz_forger) % 8u));
		break;
	case 7:
		if (attribute == MADKIT_ATTR_PORT_INFO)
			field_put(MADKIT_PORT_INFO_LINK_STATE, data, byte(fuzz_forger));
		break;
	}
}

static void fuzz_toys_change(struct toy *toy)
{
	struct input *in = ((struct fuzz_toys *)toy)->in;
	const int a = byte(in) % (toy->count + 1);

	if (!a)
		return;
	switch (byte(in) % 4) {
	case 0:
		toy->nodes[a - 1].mute = !toy->nodes[a - 1].mute;
		break;
	case 1:
		toy_cut(toy, a - 1, byte(in) % (TOY_PORTS + 1));
		break;
	case 2:
		toy->nodes[a - 1].guid = 0x100 * (byte(in) % 8u);
		break;
	}
}

static void fuzz_toys_cable(struct toy *toy, struct input *in)
{
	const int a = byte(in) % toy->count, b = byte(in) % toy->count;
	const uint8_t ports = byte(in), port_a = 1 + ports % TOY_PORTS, port_b = 1 + (ports >> 4) % TOY_PORTS;

	toy_cut(toy, a, port_a);
	toy_cut(toy, b, port_b);
	toy_link(toy, a, port_a, b, port_b);
}

static void fuzz_toys_make(struct toy *toy, struct input *in)
{
	static const uint8_t counts[] = { 1, 2, 4, TOY_PORTS, 254, 255, 0 };

	*toy = toy_new();
	for (int left = byte(in) % FUZZ_TOYS; left; left--) {
		const uint8_t kind = byte(in);
		struct toy_node *n = &toy->nodes[toy_add(toy, 0x100 * (kind % 8u), kind >> 3 & 3,
							 counts[(kind >> 5) % ARRAY_SIZE(counts)])];
		const uint8_t flaws = byte(in);

		n->lid = 4 * (flaws & 15);
		n->lmc = flaws >> 4 & 3;
		n->vendor = flaws & 0x40 ? 0x2c9 : 0;
		n->top = flaws & 0x80 ? byte(in) : 100;
		n->adaptive = flaws & 1;
		n->refuses = n->top == 77;
		for (unsigned int i = 0; n->type == 2 && i < 64; i++) {
			n->linear[i] = i % 4 ? n->linear[i - 1] : byte(in);
			n->trees[i] = i % 16 ? n->trees[i - 1] : byte(in);
		}
	}
	for (int left = byte(in) % (2 * FUZZ_TOYS); left; left--)
		fuzz_toys_cable(toy, in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct madkit_sweep_attr attr = { .timeout_ms = TIMEOUT_MS, .nodes_max = FUZZ_NODES_MAX };
	struct input in = { data, size };
	struct fuzz_toys *toys = calloc(1, sizeof(*toys));
	struct madkit_addr from = { .direct = true, .hops = 1, .path = { 0, 1 } };
	const uint8_t options = byte(&in);
	struct swept w;

	if (!toys)
		abort();
	attr.retries = options & 3;
	attr.hops = options >> 2 & 3;
	attr.keep_going = options & 16;
	attr.from = options & 32 ? &from : NULL;
	fuzz_toys_make(&toys->toy, &in);
	toys->toy.maze = options & 64;
	toys->toy.equal = options & 128;
	toys->in = fuzz_forger = &in;
	toys->toy.change = fuzz_toys_change;
	toys->toy.forge = fuzz_toys_forge;
	toy_begin(&toys->toy, &w, &attr);
	fuzz_swept_check(&w, &in);
	swept_close(&w);
	free(toys);
	return 0;
}
