/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The specification of a simulated device, and its ports through the library's interface. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <madkit/madkit.h>
#include "sim/transport/spec.h"
#include "tests/tap.h"
#include "topology/generate.h"
#include "util/array_size.h"
#include "util/bits.h"

#define MS UINT64_C(1000000)

static bool test_sim_spec_same(const char *got, const char *want)
{
	return got && want ? !strcmp(got, want) : got == want;
}

static void parts(void)
{
	static const struct {
		const char *spec, *topology, *node, *sm;
		bool no_sm, real;
		uint64_t seed;
		unsigned int nfaults;
		const char *fault;
	} good[] = {
		{ "sim:a.net", "a.net", NULL, NULL, false, false, 1, 0, NULL },
		{ "sim:/x/a.net@h1", "/x/a.net", "h1", NULL, false, false, 1, 0, NULL },
		{ "sim:a.net@h1:2", "a.net", "h1:2", NULL, false, false, 1, 0, NULL },
		{ "sim:a.net@", "a.net", "", NULL, false, false, 1, 0, NULL },
		{ "sim:me@home/a.net", "me@home/a.net", NULL, NULL, false, false, 1, 0, NULL },
		{ "sim:me@home/a.net@h1", "me@home/a.net", "h1", NULL, false, false, 1, 0, NULL },
		{ "sim:fat-tree:4,2,2", "fat-tree:4,2,2", NULL, NULL, false, false, 1, 0, NULL },
		{ "sim:fat-tree:4,2,2@h@1", "fat-tree:4,2,2", "h@1", NULL, false, false, 1, 0, NULL },
		{ "sim:fat-tree:4,2,2@h1-1,seed=0x10", "fat-tree:4,2,2", "h1-1", NULL, false, false, 16, 0,
		  NULL },
		{ "sim:a,b.net@c,d,clock=real,sm=none", "a,b.net", "c,d", NULL, true, true, 1, 0, NULL },
		{ "sim:a.net,clock=virtual,sm=h2,seed=18446744073709551615", "a.net", NULL, "h2", false,
		  false, UINT64_MAX, 0, NULL },
		{ "sim:a.net,fault=drop rate=1%,fault=delay delay=1,seed=2", "a.net", NULL, NULL, false,
		  false, 2, 2, "drop rate=1%" },
		{ "sim:a.net,sm=x@y", "a.net", NULL, "x@y", false, false, 1, 0, NULL },
	};
	static const struct {
		const char *spec, *says;
	} bad[] = {
		{ "sim:", "topology is missing" },
		{ "sim:@h1", "topology is missing" },
		{ "sim:,seed=1", "topology is missing" },
		{ "umad:x", "is not sim:TOPOLOGY" },
		{ "sim:a,vl15=", "'' is not typical or BUFFERS,US" },
		{ "sim:a,vl15=8", "'8' is not typical or BUFFERS,US" },
		{ "sim:a,vl15=0,20", "at least 1" },
		{ "sim:a,vl15=8,0", "at least 1" },
		{ "sim:a,vl15=x,20", "BUFFERS" },
		{ "sim:a,vl15=8,20x", "US" },
		{ "sim:a,sweep=x", "sweep" },
		{ "sim:a,sweep=86401", "sweep" },
		{ "sim:a,training=x", "training" },
		{ "sim:a,training=3600001", "training" },
		{ "sim:a,seed=", "seed" },
		{ "sim:a,seed=x", "seed" },
		{ "sim:a,seed=18446744073709551616", "seed" },
		{ "sim:a,clock=", "real or virtual" },
		{ "sim:a,clock=really,sm=none", "'really'" },
	};
	struct madkit_error error;
	struct sim_spec s;
	char many[512] = "sim:a";

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		is_int(sim_spec_parse(good[i].spec, &s, NULL), 0, "%s", good[i].spec);
		ok(test_sim_spec_same(s.topology, good[i].topology) &&
			   test_sim_spec_same(s.node, good[i].node) && test_sim_spec_same(s.sm, good[i].sm) &&
			   s.no_sm == good[i].no_sm && s.real == good[i].real && s.seed == good[i].seed &&
			   s.nfaults == good[i].nfaults &&
			   (!s.nfaults || test_sim_spec_same(s.faults[0], good[i].fault)),
		   "... in its parts");
		sim_spec_free(&s);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		is_int(sim_spec_parse(bad[i].spec, &s, &error), -EINVAL, "'%s' is refused", bad[i].spec);
		ok(strstr(error.text, bad[i].says), "... for what it is");
	}
	for (int i = 0; i < SIM_SPEC_FAULTS; i++)
		strcat(many, ",fault=drop");
	is_int(sim_spec_parse(many, &s, NULL), 0, "sixteen faults");
	sim_spec_free(&s);
	strcat(many, ",fault=drop");
	is_int(sim_spec_parse(many, &s, &error), -EINVAL, "... and no more");
	is_int(sim_spec_parse("sim:a.net@h,control=link 'b, c' 1 down,control=node x gone,seed=2", &s, NULL),
	       0, "control words");
	ok(s.ncontrols == 2 && !strcmp(s.controls[0], "link 'b, c' 1 down") &&
		   !strcmp(s.controls[1], "node x gone") && s.seed == 2,
	   "... each line by itself");
	sim_spec_free(&s);
}

static void topologies(void)
{
	struct madkit_error error = { .text = "" };
	char name[] = "/tmp/madkit-XXXXXX";
	int fd = mkstemp(name);
	struct topology *t;

	if (fd < 0 || write(fd, "Ca 1 \"a\"\n[1] \"b\"[1]\n", 20) != 20)
		exit(1);
	close(fd);
	is_int(sim_topology(name, NULL, &t, &error), -EBADMSG, "a file with an error");
	if (!ok(strstr(error.text, name) && strstr(error.text, "line 2"), "... where"))
		printf("# %s\n", error.text);
	unlink(name);
	is_int(sim_topology(name, NULL, &t, &error), -ENOENT, "no such file");
	ok(strstr(error.text, name), "... named");
	is_int(sim_topology("/", NULL, &t, &error), -EIO, "a folder");
	is_int(sim_topology("fat-tree:0,1,1", NULL, &t, &error), -EINVAL, "a rule that makes nothing");
	is_int(sim_topology("fat-tree:2,2,1", NULL, &t, &error), 0, "one that does");
	is_u64(t->nnodes, 7, "... all of it");
	topology_free(t);
}

/* ---- ports -------------------------------------------------------------------------- */

static struct {
	unsigned int ends;
	int status;
	uint8_t mad[256];
	uint64_t at;
} seen;

static void test_sim_spec_on_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	seen.at = madkit_port_now(madkit_agent_port(agent));
	seen.ends++;
	seen.status = status;
	madkit_send_free(send);
}

static void test_sim_spec_on_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	(void)agent;
	memcpy(seen.mad, recv->mad, recv->len < 256 ? recv->len : 256);
	madkit_recv_free(recv);
}

static struct madkit_port *test_sim_spec_open_port(const char *spec, struct madkit_agent **agent)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.class_version = 1,
		.send_handler = test_sim_spec_on_sent,
		.recv_handler = test_sim_spec_on_received,
	};
	struct madkit_error error = { .text = "" };
	struct madkit_port *port;

	memset(&seen, 0, sizeof(seen));
	if (madkit_port_open(spec, &port, &error) || madkit_agent_register(port, &attr, agent, NULL)) {
		printf("Bail out! %s: %s\n", spec, error.text);
		exit(1);
	}
	return port;
}

static void test_sim_spec_post(struct madkit_agent *agent, uint8_t method, const char *route,
			       uint32_t timeout_ms)
{
	const struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.class_version = 1,
		.method = method,
		.attribute = 0x11,
	};
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);

	madkit_header_put(send->mad, send->len, &h);
	madkit_parse_path(route, &send->to, NULL);
	send->to.lid = MADKIT_LID_PERMISSIVE;
	send->timeout_ms = timeout_ms;
	send->retries = 2;
	is_int(madkit_agent_post(agent, send), 0, "a MAD along %s", route);
}

static void test_sim_spec_ask(struct madkit_agent *agent, const char *route, uint32_t timeout_ms)
{
	test_sim_spec_post(agent, MADKIT_METHOD_GET, route, timeout_ms);
}

/* Waits by the port's own means, or as programs do that have other descriptors. */
static void loop(struct madkit_port *port, bool by_fd)
{
	while (!seen.ends) {
		if (by_fd) {
			uint64_t due = madkit_port_deadline(port), now = madkit_port_now(port);
			struct pollfd fd = { .fd = madkit_port_fd(port), .events = POLLIN };

			poll(&fd, 1, due == UINT64_MAX ? -1 : due <= now ? 0 : (int)((due - now) / MS) + 1);
		} else {
			madkit_port_wait(port, -1);
		}
		if (madkit_port_process(port) < 0)
			break;
	}
}

static void test_sim_spec_port(const char *spec, bool by_fd, bool virtual)
{
	const char *how = by_fd ? "by its descriptor" : "by its own wait";
	struct madkit_agent *agent;
	struct madkit_port *p = test_sim_spec_open_port(spec, &agent);
	uint64_t start = madkit_port_now(p);

	test_sim_spec_ask(agent, "0,1,3", 1000);
	loop(p, by_fd);
	ok(seen.ends == 1 && !seen.status, "%s, %s: an answer", spec, how);
	is_u64(seen.mad[64 + 2], 2, "... of a switch");
	if (virtual)
		is_between(seen.at - start, 1, 20 * MS, "... soon");
	seen.ends = 0;
	start = madkit_port_now(p);
	test_sim_spec_ask(agent, "0,1,9", virtual ? 100000 : 50);
	loop(p, by_fd);
	ok(seen.ends == 1 && seen.status, "%s, %s: none", spec, how);
	is_between(seen.at - start, (virtual ? 300000 : 150) * MS, (virtual ? 310000 : 3600000) * MS,
		   "... after three tries");
	madkit_port_close(p);
}

static void test_sim_spec_info(void)
{
	struct madkit_agent *agent, *other;
	struct madkit_port *p = test_sim_spec_open_port("sim:fat-tree:2,2,1@h2-1,sm=none", &agent);
	const struct madkit_port_info *i = madkit_port_get_info(p);
	const struct madkit_agent_attr attr = {
		.mgmt_class = 4,
		.class_version = 1,
		.method_mask = { 1 << 1 },
		.recv_handler = test_sim_spec_on_received,
	};
	struct madkit_refusal refusal;
	uint8_t gid[16], want[16] = { 0xfe, 0x80 };
	struct timespec ts;
	uint16_t index = 7;
	unsigned int pkeys = 0;

	is_str(i->device, "sim:fat-tree:2,2,1@h2-1,sm=none", "the device is called as it was");
	is_str(i->ca, "h2-1", "its CA is the node");
	ok(i->port == 1 && i->state == 2 && i->link_layer == MADKIT_LINK_INFINIBAND &&
		   i->gid_prefix == UINT64_C(0xfe80000000000000),
	   "... with its port");
	is_u64(i->rate, 200, "4xHDR is 200 Gb/s");
	is_int(madkit_port_gid(i, 0, NULL, gid), 0, "it has a GID");
	put_be64(want + 8, i->port_guid);
	is_mem(gid, want, 16, "... of the default prefix and its GUID");
	is_int(madkit_port_gid(i, 1, NULL, gid), -ENOENT, "of others nothing is known");
	ok(!madkit_port_pkey_index(i, 0x7fff, NULL, &index) && !index, "it is in the default partition");
	is_int(madkit_port_pkey_index(i, 0x8001, NULL, &index), -ENOENT, "... and in no other");
	is_int(madkit_port_pkey_count(i, NULL, &pkeys), 0, "its P_Key table has a length");
	is_int((int)pkeys, 64, "... which is the PartitionCap of each node");
	madkit_port_realtime(p, &ts);
	ok(ts.tv_sec == 1767225600, "it is 2026-01-01T00:00:00Z");
	is_int(madkit_agent_register(p, &attr, &agent, &refusal), 0, "an agent that answers");
	is_int(madkit_agent_register(p, &attr, &other, &refusal), -EBUSY, "another is refused");
	ok(refusal.cause == MADKIT_REFUSAL_TAKEN && madkit_method_mask_has(refusal.taken, 1),
	   "... and told which method is taken");
	madkit_port_close(p);
}

static void test_sim_spec_on_alarm(int sig)
{
	(void)sig;
}

/* An infinite wait in a fabric without events: a signal ends it. */
static void test_sim_spec_forever(void)
{
	const struct itimerval soon = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct madkit_agent *agent;
	struct madkit_port *p = test_sim_spec_open_port("sim:fat-tree:2,2,1,sm=none", &agent);
	uint64_t start;
	int ret;

	test_sim_spec_ask(agent, "0,1,3", 1000);
	loop(p, false);
	/* a request without a response: it is in flight when the wait begins */
	test_sim_spec_post(agent, MADKIT_METHOD_SEND, "0,1,3", 0);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = test_sim_spec_on_alarm }, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	while ((ret = madkit_port_wait(p, -1)) > 0)
		madkit_port_process(p);
	setitimer(ITIMER_REAL, &never, NULL);
	is_int(ret, -EINTR, "a wait for ever, for nothing, is ended by a signal");
	start = madkit_port_now(p);
	ok(start < 1000 * MS, "... and has not moved the clock");
	is_int(madkit_port_wait(p, 1000), 0, "a wait for a second, for nothing");
	is_u64(madkit_port_now(p) - start, 1000 * MS, "... is a second");
	madkit_port_close(p);
}

static void test_sim_spec_errors(void)
{
	/* clang-format off */
	static const struct {
		const char *spec;
		int code;
		const char *says;
	} bad[] = {
		{ "sim:/nowhere/x.net", -ENOENT, "/nowhere/x.net" },
		{ "sim:fat-tree:2,2", -EINVAL, "" },
		{ "sim:fat-tree:2,2,1@h9", -ENODEV, "'h9'" },
		{ "sim:fat-tree:2,2,1@h1-1:7", -ENODEV, "port 7" },
		{ "sim:fat-tree:2,2,1,sm=h9", -ENODEV, "'h9'" },
		{ "sim:fat-tree:2,2,1,sm=none,fault=lose", -EINVAL, "'lose'" },
		{ "sim:fat-tree:2,2,1,sm=none,control=frob", -EINVAL, "'frob'" },
		{ "sim:fat-tree:2,2,1,sm=none,control=link h9 1 down", -EINVAL, "'h9'" },
		{ "sim:fat-tree:2,2,1,sm=none,control=link 'h1-1 1 down", -EINVAL,
		  "a quote of 'h1-1 1 down' is not closed (see madsim-control(7))" },
		{ "sim:fat-tree:2,2,1,sm=none,fault=drp", -EINVAL, "(see madsim-control(7))" },
		{ "sim:fat-tree:2,2,1,foo=1", -EINVAL, "unknown option 'foo': sim:TOPOLOGY has seed, clock, sm, fault" },
		{ "sim:fat-tree:2,2,1@h1-1,foo=1", -EINVAL, "unknown option 'foo': sim:TOPOLOGY has seed" },
	};
	/* clang-format on */
	struct madkit_port *p;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct madkit_error error = { .text = "" };

		is_int(madkit_port_open(bad[i].spec, &p, &error), bad[i].code, "%s", bad[i].spec);
		if (!ok(error.text[0] && strstr(error.text, bad[i].says), "... says why"))
			printf("# %s\n", error.text);
	}
}

static bool is_stopped(void *unused)
{
	(void)unused;
	return true;
}

/* A socket where connections are not accepted, such as that of a stopped madsim. */
static void test_sim_spec_silent(void)
{
	struct madkit_port_info i = { .ca = "sim0", .port = 1 };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct madkit_limit limit = { 0 }, stopped = { .deadline_ns = UINT64_MAX, .stopped = is_stopped };
	char dir[] = "/tmp/silent-XXXXXX";
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct timespec now;
	uint8_t gid[16];
	uint16_t index;
	unsigned int count;

	ok(mkdtemp(dir) != NULL, "a directory");
	snprintf(name.sun_path, sizeof(name.sun_path), "%s/s", dir);
	snprintf(i.device, sizeof(i.device), "sim:unix:%s/s", dir);
	ok(!bind(fd, (struct sockaddr *)&name, sizeof(name)) && !listen(fd, 8), "a socket");
	clock_gettime(CLOCK_MONOTONIC, &now);
	limit.deadline_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + 50000000;
	is_int(madkit_port_gid(&i, 0, &limit, gid), -ETIMEDOUT,
	       "B4: a GID that a served fabric does not report in time");
	is_int(madkit_port_pkey_index(&i, 0xffff, &limit, &index), -ETIMEDOUT,
	       "B4: a P_Key that it does not report in time");
	is_int(madkit_port_pkey_count(&i, &limit, &count), -ETIMEDOUT, "B4: the length of the P_Key table");
	is_int(madkit_port_gid(&i, 0, &stopped, gid), -EINTR, "B4: a GID: a signal");
	is_int(madkit_port_pkey_index(&i, 0xffff, &stopped, &index), -EINTR, "B4: a P_Key: a signal");
	close(fd);
	is_int(madkit_port_gid(&i, 0, NULL, gid), -ENODEV, "B4: a GID of a fabric that is not served");
	unlink(name.sun_path);
	rmdir(dir);
}

static bool test_sim_spec_stopped(void *context)
{
	(void)context;
	return true;
}

static void test_sim_spec_limit(void)
{
	const struct madkit_limit limit = { .deadline_ns = UINT64_MAX, .stopped = test_sim_spec_stopped };
	struct madkit_port *port;

	is_int(madkit_port_open_limited("sim:fat-tree:2,2,1", &limit, &port, NULL), -EINTR,
	       "the limit ends the start of a fabric");
}

int main(void)
{
	test_sim_spec_limit();
	parts();
	topologies();
	test_sim_spec_port("sim:fat-tree:2,2,1,sm=none", false, true);
	test_sim_spec_port("sim:fat-tree:2,2,1,sm=none", true, true);
	test_sim_spec_port("sim:fat-tree:2,2,1,sm=none,clock=real", false, false);
	test_sim_spec_port("sim:fat-tree:2,2,1,sm=none,clock=real", true, false);
	test_sim_spec_info();
	test_sim_spec_silent();
	test_sim_spec_forever();
	test_sim_spec_errors();
	return tap_done();
}
