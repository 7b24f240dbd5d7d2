/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as operations of programs on three hosts, and as packets that arrive at their ports. Queues stay
 * within their limits and hold only messages, closed files leave nothing behind, and the same bytes produce
 * the same run.
 *
 * Input: operations, each of one byte and its arguments (input.h). A sent MAD is of a class with RMPP, with a
 * few bytes changed. It is sent, is returned from a queue, or is passed to a port as if it had arrived.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "fuzz/input.h"
#include "sim/host/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

static const char net[] = "Switch 8 \"A\"\n[1] \"h1\"[1]\n[2] \"h2\"[1]\n[3] \"h3\"[1]\n"
			  "Ca 1 \"h1\"\n[1] \"A\"[1]\nCa 1 \"h2\"\n[1] \"A\"[2]\nCa 1 \"h3\"\n[1] \"A\"[3]\n";

enum {
	FILES = 8,
	NODES = 4,
	QUEUE = 16,
	OPERATIONS = 400,
	STEPS = 20000,
	LONGEST = 70 * 216 + 40,
};

struct run {
	struct fabric *f;
	struct hosts *hosts;
	struct host_file *files[FILES];
	uint64_t now, sum;
	unsigned int steps;
};

static void fuzz_host_see(struct run *r, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		r->sum = (r->sum ^ p[i]) * UINT64_C(0x100000001b3);
}

static void fuzz_host_arrive(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
			     const uint8_t *mad)
{
	struct run *r = context;

	fuzz_host_see(r, mad, MADKIT_MAD_BYTES);
	hosts_arrive(r->hosts, node, port, head, mad);
}

static void fuzz_host_event(void *context, const struct sim_event *event)
{
	struct run *r = context;

	if (event->kind != EVENT_DROP)
		return;
	hold(event->node < NODES && event->port <= 8 && event->head && fabric_drop_name(event->why));
	fuzz_host_see(r, event->mad, MADKIT_MAD_BYTES);
}

/* LIDs 1 to 4, and all links active. */
static void fuzz_host_bring_up(struct fabric *f)
{
	struct node *a = &f->nodes[0];

	for (uint32_t i = 0; i < f->nports; i++)
		field_put(MADKIT_PORT_INFO_LINK_STATE, f->ports[i].info, PORT_ACTIVE);
	for (uint32_t n = 0; n < f->nnodes; n++)
		field_put(MADKIT_PORT_INFO_LID,
			  node_port(f, &f->nodes[n], is_switch(&f->nodes[n]) ? 0 : 1)->info, n + 1);
	a->linear = malloc(64);
	hold(a->linear);
	memset(a->linear, 0xff, 64);
	for (uint8_t lid = 1; lid <= NODES; lid++)
		a->linear[lid] = (uint8_t)(lid - 1);
	a->nlinear = 64;
	field_put(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, a->switch_info, 63);
}

static void advance(struct run *r, uint64_t until)
{
	for (; r->steps < STEPS; r->steps++) {
		uint64_t fabric = fabric_deadline(r->f), hosts = hosts_deadline(r->hosts);
		uint64_t due = fabric < hosts ? fabric : hosts;

		if (due > until)
			break;
		if (due > r->now)
			r->now = due;
		fabric_process(r->f, r->now);
		hosts_process(r->hosts, r->now);
	}
	if (until > r->now && until != UINT64_MAX)
		r->now = until;
}

/* The next item to read is a message. */
static bool fuzz_host_check(struct run *r, const struct host_file *file, struct host_message *m)
{
	if (!host_next(file, m))
		return false;
	hold(m->id < HOST_AGENTS_MAX);
	if (m->status) {
		hold(m->status == ETIMEDOUT && m->len == MADKIT_HEADER_BYTES);
	} else {
		hold(m->len >= MADKIT_RMPP_END && m->len <= HOST_MESSAGE_MAX);
		hold(m->from.pkey_index < FABRIC_PKEYS && !m->from.qkey);
	}
	fuzz_host_see(r, m->mad, m->len);
	return true;
}

static uint32_t read_all(struct run *r, struct host_file *file)
{
	struct host_message m;
	uint32_t n = 0;

	for (; fuzz_host_check(r, file, &m); n++)
		host_pop(file);
	hold(n <= QUEUE);
	return n;
}

static const uint8_t classes[] = { 0x32, 0x03, 0x04, 0x01, 0x81, 0x06, 0x07, 0x33 };
static const uint8_t methods[] = { 0x10, 0x90, 0x01, 0x81, 0x02, 0x12, 0x92, 0x05 };

/* A MAD of plausible bytes, except for a few. */
static void fuzz_host_make(struct input *in, uint8_t *mad, size_t len)
{
	uint8_t kind = byte(in), n;

	memset(mad, 0, len);
	mad[0] = 1;
	mad[1] = classes[kind & 7];
	mad[2] = mad[1] == 3 ? 2 : 1;
	mad[3] = methods[kind >> 3 & 7];
	put_be32(mad + MADKIT_MAD_TID + 4, kind >> 6);
	if (mad[1] == 0x81)
		memset(mad + MADKIT_SMP_DR_SLID, 0xff, 4);
	else
		put_be32(mad + 36, 0x1405);
	n = byte(in);
	if (n & 0x80) {
		madkit_rmpp_set_version(mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(mad, n >> 4 & 7);
		madkit_rmpp_set_flags(mad, byte(in) | MADKIT_RMPP_ACTIVE);
		madkit_rmpp_set_segment(mad, number(in));
		madkit_rmpp_set_length(mad, number(in));
	}
	for (n &= 7; n; n--) {
		uint8_t at = byte(in);

		mad[at] = byte(in);
	}
}

static void register_agent(struct input *in, struct host_file *file)
{
	uint8_t kind = byte(in), more = byte(in);
	struct host_agent agent = {
		.mgmt_class = classes[kind & 7],
		.class_version = classes[kind & 7] == 3 ? 2 : 1,
		.rmpp_version = kind >> 3 & 1,
		.flags = kind >> 4 & 1,
		.oui = 0x1405,
	};
	uint32_t id;

	agent.method_mask[0] = kind & 0x20 ? UINT64_C(0x0000000000250036) : 0;
	if (more & 0x80) { /* anything else */
		agent.mgmt_class = byte(in);
		agent.class_version = byte(in);
		agent.oui = word(in) >> (more & 15);
		agent.flags = more >> 5 & 3;
		agent.method_mask[1] = word(in);
	}
	if (!host_register(file, &agent, &id))
		hold(id < HOST_AGENTS_MAX);
}

static void send_message(struct run *r, struct input *in, struct host_file *file)
{
	static uint8_t mad[LONGEST];
	uint8_t kind = byte(in);
	size_t len = kind & 0x80 ? 36 + (word(in) >> 16) % (LONGEST - 36) : 256;
	struct madkit_addr to = { .lid = 1 + (kind & 3) };
	uint32_t timeout = kind >> 2 & 1 ? number(in) : 0, retries = kind >> 3 & 1;
	uint32_t id = kind >> 4 & 3;

	fuzz_host_make(in, mad, len < 256 ? 256 : len);
	to.qp = !madkit_class_is_smi(mad[1]);
	if (kind & 0x40) {
		to.qp = number(in);
		to.pkey_index = byte(in);
		to.grh = byte(in) & 1;
		to.gid_index = byte(in);
		memset(to.gid, 0xff, sizeof(to.gid));
	}
	host_send(file, &(struct host_out){ id, &to, mad, len, timeout, retries }, r->now);
}

/* The first message of the queue is sent back, changed. */
static void fuzz_host_answer(struct run *r, struct input *in, struct host_file *file)
{
	uint8_t mad[MADKIT_MAD_BYTES] = { 0 }, n = byte(in);
	struct host_message m;

	if (!fuzz_host_check(r, file, &m))
		return;
	memcpy(mad, m.mad, m.len < sizeof(mad) ? m.len : sizeof(mad));
	mad[MADKIT_MAD_METHOD] ^= MADKIT_METHOD_RESPONSE;
	if (n & 0x80) {
		madkit_rmpp_set_type(mad, n >> 4 & 7);
		madkit_rmpp_set_segment(mad, madkit_rmpp_get_segment(mad) + (byte(in) & 3));
		madkit_rmpp_set_length(mad, number(in));
	}
	for (n &= 3; n; n--) {
		uint8_t at = byte(in);

		mad[at] = byte(in);
	}
	host_send(file, &(struct host_out){ m.id, &m.from, mad, sizeof(mad), 0, 0 }, r->now);
	host_pop(file);
}

/* Any MAD comes to a port. */
static void inject(struct run *r, struct input *in)
{
	uint8_t kind = byte(in), mad[MADKIT_MAD_BYTES];
	struct fabric_head head = {
		.slid = 1 + (kind >> 2 & 3),
		.dlid = 1 + (kind & 3),
		.source_qp = 1,
		.qp = kind & 0x10 ? number(in) : 1,
		.qkey = 0x80010000,
		.pkey = 0xffff,
		.grh = kind & 0x20,
	};
	uint32_t node = kind & 3;

	if (kind & 0x40)
		head.dlid = 0xc000;
	if (kind & 0x80)
		head.sgid[0] = head.dgid[0] = byte(in);
	fuzz_host_make(in, mad, sizeof(mad));
	mad[0] = 1; /* the fabric sees to that */
	put_be32(mad + MADKIT_MAD_TID, word(in));
	hosts_arrive(r->hosts, node, node ? 1 : 0, &head, mad);
}

static void operate(struct run *r, struct input *in)
{
	uint8_t what = byte(in);
	struct host_file **file = &r->files[what >> 4 & 7];
	uint32_t node = what & 3;

	if (!*file) {
		hold(!host_open(r->hosts, node, node ? 1 : 0, NULL, NULL, file));
		register_agent(in, *file);
		return;
	}
	switch (what & 15) {
	case 0:
		host_close(*file);
		*file = NULL;
		break;
	case 1:
	case 2:
		register_agent(in, *file);
		break;
	case 3:
		host_unregister(*file, byte(in));
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		send_message(r, in, *file);
		break;
	case 8:
	case 9:
		fuzz_host_answer(r, in, *file);
		break;
	case 10:
		inject(r, in);
		break;
	case 11:
		read_all(r, *file);
		break;
	case 12:
		if (host_issm_open(r->hosts, node, node ? 1 : 0))
			host_issm_close(r->hosts, node, node ? 1 : 0);
		break;
	case 13:
		advance(r, r->now + number(in) * UINT64_C(1000000));
		break;
	default:
		advance(r, r->now + 1000);
		break;
	}
}

static uint64_t fuzz_host_run(const struct topology *t, const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct run r = { .sum = 1 };
	struct fabric_options fabric = {
		.hop_ns = 10,
		.watcher = { .arrive = fuzz_host_arrive, .event = fuzz_host_event, .context = &r },
	};

	r.f = fabric_new(t, &fabric);
	hold(r.f);
	fuzz_host_bring_up(r.f);
	r.hosts = hosts_new(r.f, 3, QUEUE);
	hold(r.hosts);
	for (int i = 0; i < OPERATIONS && in.left; i++)
		operate(&r, &in);
	advance(&r, UINT64_MAX - 1);
	for (int i = 0; i < FILES; i++) {
		if (r.files[i])
			read_all(&r, r.files[i]);
		/* some are left to hosts_free() */
		if (i & 1)
			host_close(r.files[i]);
	}
	for (int i = 0; i < FILES; i += 2) {
		if (data && size && data[0] & 1)
			host_close(r.files[i]);
	}
	if (data && size && data[0] & 1)
		hold(hosts_deadline(r.hosts) == UINT64_MAX);
	hosts_free(r.hosts);
	fabric_free(r.f);
	return r.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology *t = NULL;

	hold(!topology_read(net, strlen(net), &t, NULL));
	hold(fuzz_host_run(t, data, size) == fuzz_host_run(t, data, size));
	topology_free(t);
	return 0;
}
