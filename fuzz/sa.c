/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as requests to the subnet administration of a small subnet. No request may cause an invalid
 * access, unlimited growth or an invalid response, and the same bytes produce the same responses.
 *
 * Input: steps, each with a byte for its kind. A request: the requester, the attribute (an index of the list
 * below, or above it the ID itself), method, flags, the number of bytes of the component mask and those
 * bytes, the modifier, then the length of the data and the data. Other kinds: a notice, time, a port that
 * leaves or joins, a response to a report, or none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/input.h"
#include "sim/fabric/fabric.h"
#include "sim/sa/internal.h"
#include "util/array_size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

enum { STEPS_MAX = 300, LIDS = 7, KEY = 0x77 };

static const char net[] =
	"Switch 4 \"A\"\n[1] \"h1\"[1]\n[2] \"h3\"[1]\n[3] \"B\"[1]\n"
	"Switch 4 \"B\"\n[1] \"A\"[3]\n[2] \"h2\"[1]\n[3] \"h2\"[2]\n"
	"Ca 1 \"h1\"\n[1] \"A\"[1]\nCa 2 \"h2\"\n[1] \"B\"[2]\n[2] \"B\"[3]\nCa 1 \"h3\"\n[1] \"A\"[2]\n";
/* the ports that LIDs 1 to 6 lead to, from A and from B */
static const uint8_t ways[2][LIDS] = { { 0xff, 0, 3, 1, 3, 3, 2 }, { 0xff, 1, 0, 1, 2, 3, 1 } };

struct run {
	struct subnet s;
	struct sa sa;
	struct madkit_buf out;
	uint64_t now, sum;
	uint32_t tids; /* of the latest report */
	bool gone;     /* h3 */
};

static void fuzz_sa_see(struct run *r, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		r->sum = (r->sum ^ p[i]) * UINT64_C(0x100000001b3);
}

static void fuzz_sa_told(void *context, const struct sa_group *group)
{
	struct run *r = context;

	hold(group->mlid >= 0xc000);
	for (uint32_t i = 0; i < group->nmembers; i++)
		hold(group->members[i] < r->s.nports && r->s.ports[group->members[i]].end);
	fuzz_sa_see(r, group->members, group->nmembers * sizeof(*group->members));
}

/* All but h3, or all. */
static void index_ports(struct run *r)
{
	table_free(&r->s.guids);
	for (uint32_t i = 0; i < r->s.nports; i++)
		if (r->s.ports[i].end && !(r->gone && i + 1 == r->s.nports))
			hold(!table_add_number(&r->s.guids, table_mix(0, r->s.ports[i].guid), i));
	r->s.lids[LIDS - 1] = r->gone ? SUBNET_NONE : r->s.nports - 1;
	r->s.generation++;
}

static void fuzz_sa_make(struct run *r, const struct fabric *f)
{
	unsigned int lid = 1;

	r->s.lids = calloc(LIDS, sizeof(*r->s.lids));
	hold(r->s.lids);
	r->s.lids[0] = SUBNET_NONE;
	r->s.nlids = LIDS;
	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct node *from = &f->nodes[i];
		struct subnet_node *node;
		uint32_t n;

		hold(!subnet_add(&r->s, field_get(MADKIT_NODE_INFO_GUID, from->info), from->type,
				 from->nports, &n));
		node = &r->s.nodes[n];
		memcpy(node->info, from->info, sizeof(node->info));
		memcpy(node->description, from->description, sizeof(node->description));
		memcpy(node->switch_info, from->switch_info, sizeof(node->switch_info));
		for (unsigned int p = 0; p <= from->nports; p++) {
			const struct port *port = &f->ports[from->first + p];
			struct subnet_port *to = &r->s.ports[node->first + p];

			memcpy(to->info, port->info, sizeof(to->info));
			to->peer = port->peer == TOPOLOGY_NONE ? SUBNET_NONE : port->peer;
			if (!port->end)
				continue;
			hold(!subnet_add_end(&r->s, node->first + p, port->guid));
			to->pkeys = malloc(sizeof(port->end->pkeys));
			to->guids = malloc(sizeof(port->end->guids));
			hold(to->pkeys && to->guids);
			memcpy(to->pkeys, port->end->pkeys, sizeof(port->end->pkeys));
			memcpy(to->guids, port->end->guids, sizeof(port->end->guids));
			field_put(MADKIT_PORT_INFO_LID, to->info, lid);
			r->s.lids[lid++] = node->first + p;
		}
		if (node->type != TOPOLOGY_SWITCH)
			continue;
		node->nlinear = 64;
		node->linear = malloc(64);
		node->multicast = calloc(FABRIC_MULTICAST_CAP / 32, FABRIC_INFO_BYTES);
		hold(node->linear && node->multicast);
		memset(node->linear, 0xff, 64);
		memcpy(node->linear, ways[n], LIDS);
		field_put(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, node->switch_info, LIDS - 1);
	}
	r->s.sm_port = r->s.lids[3];
}

static void fuzz_sa_request(struct run *r, struct input *in)
{
	static const uint16_t attributes[] = {
		1,    2,    3,    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x20, 0x30, 0x31, 0x33, 0x35, 0x36, 0x38, 0x39, 0x3a, 0x3b, 0xf3,
	};
	struct madkit_addr from = { .lid = byte(in), .qp = 1 };
	unsigned int attribute = byte(in);
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = 3,
		.class_version = 2,
		.tid = 5,
	};
	uint8_t message[1024] = { 0 }, flags, status;
	size_t len, n;

	h.attribute = attribute < ARRAY_SIZE(attributes) ? attributes[attribute] : (uint16_t)attribute;
	h.method = byte(in);
	flags = byte(in);
	if (flags & 1)
		h.class_version = byte(in);
	for (unsigned int i = byte(in) & 7, at = 0; i; i--)
		message[48 + at++] = byte(in);
	for (unsigned int i = byte(in) & 7, at = 7; i; i--)
		message[48 + at--] = byte(in);
	if (flags & 2)
		h.modifier = word(in);
	if (flags & 4)
		put_be64(message + 36, flags & 8 ? KEY : 1);
	n = byte(in) + (flags & 16 ? 256u : 0);
	for (size_t i = 0; i < n; i++)
		message[56 + i] = byte(in);
	len = flags & 32 ? n : 56 + n;
	madkit_header_put(message, sizeof(message), &h);
	madkit_buf_reset(&r->out);
	if (!sa_answer(&r->sa, &from, message, len, r->now, &r->out))
		return;
	hold(r->out.len >= 56 && r->out.len <= SA_RESPONSE_MAX);
	hold(r->out.data[3] & 0x80 && get_be64((uint8_t *)r->out.data + 36) == 0);
	status = (uint8_t)r->out.data[4];
	hold(r->out.len == 256 || (!status && !r->out.data[5] && r->out.data[26] & 1));
	fuzz_sa_see(r, r->out.data, r->out.len);
}

static void fuzz_sa_step(struct run *r, struct input *in)
{
	uint8_t notice[SA_NOTICE_BYTES] = { 0 }, mad[MADKIT_MAD_BYTES];
	struct madkit_addr to;

	switch (byte(in) % 8) {
	default:
		fuzz_sa_request(r, in);
		break;
	case 4:
		for (unsigned int n = byte(in) % sizeof(notice), i = 0; i < n; i++)
			notice[i] = byte(in);
		sa_notice(&r->sa, notice);
		break;
	case 5:
		r->now += (uint64_t)number(in) * 100000000;
		break;
	case 6:
		r->gone = !r->gone;
		index_ports(r);
		sa_subnet_changed(&r->sa);
		break;
	case 7:
		if (sa_report_next(&r->sa, mad, &to)) {
			hold(to.lid && to.lid < LIDS);
			fuzz_sa_see(r, mad, sizeof(mad));
			r->tids = get_be32(mad + 12);
		}
		if (byte(in) & 1)
			sa_report_done(&r->sa, r->tids - byte(in) % 4, byte(in) & 1);
		break;
	}
	hold(r->sa.nsent <= r->sa.nreports && r->sa.nsent <= SA_REPORTS_SENT);
}

static uint64_t fuzz_sa_run(const struct fabric *f, const uint8_t *data, size_t size)
{
	struct run *r = calloc(1, sizeof(*r));
	struct input in = { data, size };
	struct sa_options options = { .sm_key = KEY, .group = fuzz_sa_told, .context = r };
	uint64_t sum;

	hold(r);
	options.subnet = &r->s;
	r->sum = 1;
	fuzz_sa_make(r, f);
	index_ports(r);
	hold(!sa_init(&r->sa, &options));
	madkit_buf_init(&r->out, SA_RESPONSE_MAX);
	for (unsigned int i = 0; in.left && i < STEPS_MAX; i++)
		fuzz_sa_step(r, &in);
	sum = r->sum;
	madkit_buf_free(&r->out);
	sa_fini(&r->sa);
	subnet_free(&r->s);
	free(r);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric_options options = { .hop_ns = 1 };
	struct topology *t = NULL;
	struct fabric *f;

	hold(!topology_read(net, strlen(net), &t, NULL));
	f = fabric_new(t, &options);
	hold(f);
	hold(fuzz_sa_run(f, data, size) == fuzz_sa_run(f, data, size));
	fabric_free(f);
	topology_free(t);
	return 0;
}
