/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A whole simulation: its events, their times, and that equal seeds give equal runs. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/buf.h>
#include "sim/simulation.h"
#include "tests/tap.h"
#include "topology/find.h"
#include "topology/generate.h"
#include "util/array_size.h"

#define MS UINT64_C(1000000)

struct run {
	struct topology *t;
	struct simulation *s;
	struct host_file *file;
	uint32_t id;
	struct madkit_buf trace;
	unsigned int seen[EVENT_SUBNET_UP + 1];
	struct sim_event last;
};

static void on_event(void *context, const struct sim_event *e)
{
	struct run *r = context;

	r->seen[e->kind]++;
	r->last = *e;
	madkit_buf_printf(&r->trace, "%" PRIu64 " %d %u:%u %u>%u %d %s %" PRIu64 " ", e->time, e->kind,
			  e->node, e->port, e->was, e->state, e->why, e->name ? e->name : "", e->count);
	if (e->mad)
		madkit_buf_add(&r->trace, e->mad, MADKIT_MAD_BYTES);
}

static void open_run(struct run *r, const char *rule, uint64_t seed, bool sm)
{
	const struct simulation_options options = {
		.seed = seed,
		.hop_ns = 100,
		.answer_ns = 1000,
		.event = on_event,
		.context = r,
		.sm = sm,
		.sm_node = TOPOLOGY_NONE,
		.queue_max = sm ? 0 : 4,
	};
	const struct host_agent agent = { .mgmt_class = 0x81, .class_version = 1 };
	struct madkit_error error = { .text = "" };
	unsigned int port;
	uint32_t node;

	memset(r, 0, sizeof(*r));
	madkit_buf_init(&r->trace, 0);
	if (topology_generate(rule, &r->t, &error) || simulation_new(r->t, &options, &r->s) ||
	    find_end(r->t, NULL, &node, &port, NULL) ||
	    host_open(r->s->hosts, node, port, NULL, NULL, &r->file) ||
	    host_register(r->file, &agent, &r->id)) {
		printf("Bail out! no simulation: %s\n", error.text);
		exit(1);
	}
}

static void close_run(struct run *r)
{
	host_close(r->file);
	simulation_free(r->s);
	topology_free(r->t);
	madkit_buf_free(&r->trace);
}

static void sim_simulation_add(struct run *r, const char *words)
{
	struct fault_rule rule;
	uint32_t id;

	ok(!fault_parse(r->t, words, &rule, NULL) && !fault_add(r->s->faults, &rule, &id), "%s", words);
}

/* Asks for NodeInfo along the route. */
static int sim_simulation_ask(struct run *r, const char *route, uint32_t tid, uint32_t timeout_ms,
			      uint32_t retries)
{
	struct madkit_addr addr = { .lid = 0xffff, .direct = true };
	const struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = 0x81,
		.class_version = 1,
		.method = 1,
		.tid = tid,
		.attribute = 0x11,
	};
	uint8_t mad[256] = { 0 };

	madkit_parse_path(route, &addr, NULL);
	addr.lid = 0xffff;
	madkit_header_put(mad, 256, &h);
	madkit_smp_put_route(mad, &addr, 0);
	return host_send(r->file, &(struct host_out){ r->id, &addr, mad, 256, timeout_ms, retries },
			 r->s->now);
}

/* Until nothing is due; how many came back, and of those: well. */
static unsigned int sim_simulation_finish(struct run *r, unsigned int *good)
{
	struct host_message m;
	unsigned int all = 0;

	*good = 0;
	while (simulation_deadline(r->s) != UINT64_MAX)
		simulation_process(r->s, simulation_deadline(r->s));
	for (; host_next(r->file, &m); host_pop(r->file), all++) {
		*good += !m.status;
		madkit_buf_printf(&r->trace, "%d ", m.status);
		madkit_buf_add(&r->trace, m.mad, m.len);
	}
	return all;
}

static void together(void)
{
	struct run r;
	unsigned int good, all;

	open_run(&r, "fat-tree:2,2,1", 1, false);
	is_u64(simulation_deadline(r.s), UINT64_MAX, "at first nothing is due");
	is_u64(r.trace.len, 0, "... and nothing happened");
	sim_simulation_ask(&r, "0,1,3", 1, 100, 2);
	all = sim_simulation_finish(&r, &good);
	ok(all == 1 && good == 1, "a request is answered");
	is_u64(r.s->now, 4 * 100 + 1000, "... when the fabric has carried it");

	sim_simulation_add(&r, "drop method=Get");
	sim_simulation_ask(&r, "0,1,3", 2, 100, 2);
	all = sim_simulation_finish(&r, &good);
	ok(all == 1 && !good, "one that is lost comes back");
	is_u64(r.seen[EVENT_FAULT], 3, "... after three tries, each of which is told");
	is_between(r.s->now, 300 * MS, 310 * MS, "... and their time");
	ok(!strcmp(r.last.name, "drop") && r.last.count == 1 && r.last.mad, "... what, by which");
	fault_clear(r.s->faults);

	/* h1-1 is at leaf1's port 1 */
	fabric_cable(r.s->fabric, topology_find(r.t, "leaf1", 5), 1, false);
	is_u64(r.seen[EVENT_PORT_STATE], 2, "a cable is pulled: two ports change their state");
	ok(r.last.was == PORT_INIT && r.last.state == PORT_DOWN && r.last.time == r.s->now,
	   "... from what to what, when");
	sim_simulation_ask(&r, "0,1", 3, 100, 0);
	sim_simulation_finish(&r, &good);
	ok(!good && r.seen[EVENT_DROP] == 1 && r.last.why == DROP_LINK_DOWN, "and what is sent, is dropped");
	close_run(&r);
}

/* The queue of a file that is never read fills up; later packets are reported. */
static void sim_simulation_overflow(void)
{
	struct run r;
	unsigned int good;

	open_run(&r, "fat-tree:2,2,1", 1, false);
	for (uint32_t tid = 1; tid <= 6; tid++)
		sim_simulation_ask(&r, "0,1", tid, 100, 0);
	is_u64(sim_simulation_finish(&r, &good), 4, "of six answers four have room");
	ok(r.seen[EVENT_OVERFLOW] == 2 && r.last.count == 2, "... the others are told of");
	close_run(&r);
}

/* Called late, it does each thing at its time nevertheless. */
static void sim_simulation_late(void)
{
	struct run punctual, tardy;
	unsigned int good;

	open_run(&punctual, "fat-tree:2,2,1", 1, false);
	open_run(&tardy, "fat-tree:2,2,1", 1, false);
	for (int i = 0; i < 2; i++) {
		struct run *r = i ? &tardy : &punctual;

		sim_simulation_add(r, "drop method=Get nth=2+");
		for (uint32_t tid = 1; tid < 5; tid++)
			sim_simulation_ask(r, "0,1,3", tid, 10 * tid, 2);
	}
	sim_simulation_finish(&punctual, &good);
	simulation_process(tardy.s, 10000 * MS);
	is_u64(tardy.s->now, 10000 * MS, "late");
	sim_simulation_finish(&tardy, &good);
	ok(punctual.trace.len == tardy.trace.len &&
		   !memcmp(punctual.trace.data, tardy.trace.data, tardy.trace.len),
	   "the same has happened at the same times: %zu bytes", tardy.trace.len);
	close_run(&punctual);
	close_run(&tardy);
}

/* Until all that the manager found is up. */
static void up(struct run *r)
{
	while (!r->seen[EVENT_SUBNET_UP] && simulation_deadline(r->s) < 60000 * MS)
		simulation_process(r->s, simulation_deadline(r->s));
}

static void sim_simulation_managed(void)
{
	static const unsigned int states[] = { PORT_INIT, PORT_ARMED, PORT_ACTIVE };
	static const char alone[] = "Switch 4 \"A\"\n";
	struct simulation_options options = { .sm = true };
	struct simulation *none;
	unsigned int port;
	struct run r;
	uint32_t leaf, h;

	open_run(&r, "fat-tree:2,2,1", 1, true);
	up(&r);
	is_u64(r.seen[EVENT_SUBNET_UP], 1, "the subnet comes up");
	ok(r.last.count == 7 && r.last.node == r.s->sm_node && r.last.port == 1, "... all of it");
	ok(r.seen[EVENT_SM_STATE] >= 1, "the manager tells what it is");
	/* six cables, both ends, from Initialize to Armed to Active */
	is_u64(r.seen[EVENT_PORT_STATE], 6 * 2 * 2, "ports tell that they come up");
	leaf = topology_find(r.t, "leaf1", 5);
	find_end(r.t, "h1-2", &h, &port, NULL);
	fabric_cable(r.s->fabric, leaf, 2, false);
	is_u64(r.seen[EVENT_PORT_STATE], 26, "a cable is pulled");
	while (r.seen[EVENT_SUBNET_UP] < 2 && simulation_deadline(r.s) < 60000 * MS)
		simulation_process(r.s, simulation_deadline(r.s));
	ok(r.seen[EVENT_SUBNET_UP] == 2 && r.last.count == 6, "... the manager finds one less");
	r.seen[EVENT_PORT_STATE] = 0;
	fabric_cable(r.s->fabric, leaf, 2, true);
	while (r.seen[EVENT_SUBNET_UP] < 3 && simulation_deadline(r.s) < 60000 * MS)
		simulation_process(r.s, simulation_deadline(r.s));
	is_u64(r.seen[EVENT_PORT_STATE], 2 * ARRAY_SIZE(states),
	       "... and plugged in again, its ends go through all states");
	close_run(&r);

	topology_generate("fat-tree:2,2,1", &r.t, NULL);
	options.sm_node = 99;
	is_int(simulation_new(r.t, &options, &none), -EINVAL, "no such node to run it");
	topology_free(r.t);
	topology_read(alone, strlen(alone), &r.t, NULL);
	options.sm_node = TOPOLOGY_NONE;
	is_int(simulation_new(r.t, &options, &none), -EINVAL, "no CA to run it");
	topology_free(r.t);
}

/* Everything that a run is made of, with faults of all kinds. */
static void sim_simulation_trace(struct run *r, uint64_t seed)
{
	unsigned int good, all;

	open_run(r, "fat-tree:4,3,2", seed, true);
	up(r);
	sim_simulation_add(r, "drop rate=10%");
	sim_simulation_add(r, "delay rate=20% delay=30");
	sim_simulation_add(r, "reorder rate=0.2 delay=5");
	sim_simulation_add(r, "duplicate rate=5% delay=1");
	sim_simulation_add(r, "corrupt rate=5%");
	sim_simulation_add(r, "garble rate=5%");
	for (uint32_t tid = 1; tid <= 200; tid++)
		sim_simulation_ask(r, tid % 2 ? "0,1,4,2" : "0,1,5,3,1", tid, 20, 3);
	all = sim_simulation_finish(r, &good);
	is_u64(all, 200, "seed %" PRIu64 ": two hundred requests come back", seed);
	is_between(good, 100, 199, "... most of them well");
	is_between(r->seen[EVENT_FAULT], 500, 5000, "... through many faults");
}

static void sim_simulation_seeds(void)
{
	struct run a, b, c;

	sim_simulation_trace(&a, 7);
	sim_simulation_trace(&b, 7);
	sim_simulation_trace(&c, 8);
	ok(a.trace.len == b.trace.len && !memcmp(a.trace.data, b.trace.data, a.trace.len),
	   "the same seed, the same %zu bytes of events and messages", a.trace.len);
	ok(a.trace.len != c.trace.len || memcmp(a.trace.data, c.trace.data, a.trace.len),
	   "another one, others");
	close_run(&a);
	close_run(&b);
	close_run(&c);
}

int main(void)
{
	together();
	sim_simulation_overflow();
	sim_simulation_late();
	sim_simulation_managed();
	sim_simulation_seeds();
	simulation_free(NULL);
	return tap_done();
}
