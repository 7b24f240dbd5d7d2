/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Responses of a server: sysfs with the format of Linux 6.1 (mlx5_ib on a ConnectX, from the files of
 * /sys/class/infiniband), and refused calls. */
#include <errno.h>
#include <stdlib.h>
#include "sim/serve/serve.h"
#include "tests/tap.h"
#include "util/array_size.h"
#include "util/time.h"

static const char net[] =
	"vendid=0x2c9\ndevid=0x1017\nsysimgguid=0x98039b0300012340\nCa 2 \"H-98039b0300012344\" # \"host7 mlx5_0\"\n"
	"[1](98039b0300012345) \"s\"[1] # lid 17 lmc 0 \"s\" lid 2 4xEDR\n[2] \"s\"[2]\n"
	"Switch 4 \"s\"\n[1] \"H-98039b0300012344\"[1]\n[2] \"H-98039b0300012344\"[2]\n";

static struct simulation *s;

static const char *sim_session_content(const char *path, uint32_t node)
{
	static char text[4096];
	struct devices devices;
	struct madkit_buf buf;
	int ret;

	madkit_buf_init(&buf, sizeof(text) - 1);
	if (devices_of(s->topology, node, 0, &devices))
		return "no memory";
	ret = sim_sysfs_read(s->fabric, &devices, path, strlen(path), &buf);
	devices_free(&devices);
	if (buf.len)
		memcpy(text, buf.data, buf.len);
	text[buf.len] = '\0';
	madkit_buf_free(&buf);
	return ret == -ENOENT ? "ENOENT" : ret ? "?" : text;
}

static const struct {
	const char *path, *text;
} files[] = {
	{ "infiniband/", "mlx5_0/\n" },
	{ "infiniband/mlx5_0/node_type", "1: CA\n" },
	{ "infiniband/mlx5_0/node_guid", "9803:9b03:0001:2344\n" },
	{ "infiniband/mlx5_0/sys_image_guid", "9803:9b03:0001:2340\n" },
	{ "infiniband/mlx5_0/node_desc", "host7 mlx5_0\n" },
	{ "infiniband/mlx5_0/hca_type", "MT4119\n" },
	{ "infiniband/mlx5_0/ports/", "1/\n2/\n" },
	{ "infiniband/mlx5_0/ports/1/state", "2: INIT\n" },
	{ "infiniband/mlx5_0/ports/1/phys_state", "5: LinkUp\n" },
	{ "infiniband/mlx5_0/ports/1/lid", "0x11\n" },
	{ "infiniband/mlx5_0/ports/1/sm_lid", "0x0\n" },
	{ "infiniband/mlx5_0/ports/1/lid_mask_count", "0\n" },
	{ "infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n" },
	{ "infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n" },
	{ "infiniband/mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:9803:9b03:0001:2345\n" },
	{ "infiniband/mlx5_0/ports/1/gids/7", "fe80:0000:0000:0000:0000:0000:0000:0000\n" },
	{ "infiniband/mlx5_0/ports/1/gids/8", "ENOENT" },
	{ "infiniband/mlx5_0/ports/1/pkeys/0", "0xffff\n" },
	{ "infiniband/mlx5_0/ports/1/pkeys/63", "0x0000\n" },
	{ "infiniband/mlx5_0/ports/1/pkeys/64", "ENOENT" },
	{ "infiniband/mlx5_0/ports/1/pkeys/01", "ENOENT" },
	{ "infiniband/mlx5_0/ports/0/lid", "ENOENT" },
	{ "infiniband/mlx5_0/ports/3/lid", "ENOENT" },
	{ "infiniband/sim0/node_guid", "ENOENT" },
	{ "infiniband/mlx5_0/ports/1/lid/", "ENOENT" },
	{ "infiniband/mlx5_0/ports", "ENOENT" },
	{ "infiniband", "ENOENT" },
	{ "", "ENOENT" },
	{ "infiniband_mad/abi_version", "5\n" },
	{ "infiniband_mad/", "abi_version\nissm0/\numad0/\nissm1/\numad1/\n" },
	{ "infiniband_mad/umad1/ibdev", "mlx5_0\n" },
	{ "infiniband_mad/umad1/port", "2\n" },
	{ "infiniband_mad/issm1/port", "2\n" },
	{ "infiniband_mad/umad2/port", "ENOENT" },
};

/* ---- writing ------------------------------------------------------------------------------ */

#define HW "infiniband/mlx5_0/ports/1/hw_counters/"

/* With the host's RoCE device, mlx5_1. */
static int sim_session_write(const char *path, const char *bytes, size_t n)
{
	struct devices devices;
	int ret = devices_of(s->topology, 0, DEVICES_ROCE, &devices);

	if (!ret)
		ret = sim_sysfs_write(s->fabric, &devices, path, strlen(path), bytes, n);
	devices_free(&devices);
	return ret;
}

static void sim_session_lifespans(void)
{
	static const struct {
		const char *text, *shown;
		size_t len; /* 0: all */
		int ret;
	} writes[] = {
		{ "0\n", "0\n", 0, 0 },
		{ "10000\n", "10000\n", 0, 0 },
		{ "+7", "8\n", 0, 0 },
		{ "-0", "0\n", 0, 0 },
		{ "13\0x", "16\n", 4, 0 },
		{ "10001\n", "16\n", 0, -EINVAL },
		{ "-1\n", "16\n", 0, -EINVAL },
		{ "\n", "16\n", 0, -EINVAL },
		{ "\0", "16\n", 1, -EINVAL },
		{ "+", "16\n", 0, -EINVAL },
		{ "1\n\n", "16\n", 0, -EINVAL },
		{ " 1", "16\n", 0, -EINVAL },
		{ "0x1", "16\n", 0, -EINVAL },
		{ "2147483648", "16\n", 0, -ERANGE },
		{ "-99999999999999999999999", "16\n", 0, -ERANGE },
	};

	is_str(sim_session_content(HW "lifespan", 0), "12\n", "10 ms, in ticks of 4 ms");
	for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
		size_t len = writes[i].len ? writes[i].len : strlen(writes[i].text);

		is_int(sim_session_write(HW "lifespan", writes[i].text, len), writes[i].ret, "lifespan %zu",
		       i);
		is_str(sim_session_content(HW "lifespan", 0), writes[i].shown, "... and what is read then");
	}
	is_str(sim_session_content("infiniband/mlx5_0/ports/2/hw_counters/lifespan", 0), "12\n",
	       "each port has its own");
	is_int(sim_session_write("infiniband/mlx5_1/ports/1/hw_counters/lifespan", "400", 3), 0, "RoCE");
	is_u64(hardware_lifespan(fabric_end_port(s->fabric, 0, 1), true), 400, "... has one, too");
	is_str(sim_session_content(HW "lifespan", 0), "16\n", "... beside that of the CA");
	is_int(sim_session_write(HW "out_of_buffer", "0", 1), -EACCES, "a counter is not writable");
	is_int(sim_session_write(HW "lifespans", "0", 1), -ENOENT, "nor is what does not exist");
	is_int(sim_session_write(HW, "0", 1), -EACCES, "nor is a directory");
}

static void sim_session_cached(void)
{
	struct port *port = fabric_end_port(s->fabric, 0, 1);

	is_int(hardware_set_rate(s->fabric, port, "out_of_buffer", UINT64_C(1000000000)), 0, "one a ms");
	is_int(sim_session_write(HW "lifespan", "100", 3), 0, "lifespan 100");
	simulation_process(s, UINT64_C(1000000) * 4 * NS_PER_MS);
	is_str(sim_session_content(HW "out_of_buffer", 0), "4000000\n", "read");
	is_str(sim_session_content(HW "out_of_sequence", 0), "0\n", "... with all others");
	is_int(hardware_set_rate(s->fabric, port, "out_of_sequence", UINT64_C(1000000000)), 0, "another");
	simulation_process(s, s->now + 104 * NS_PER_MS - 1);
	is_str(sim_session_content(HW "out_of_buffer", 0), "4000000\n",
	       "the same until the tick after 100 ms");
	simulation_process(s, s->now + 1);
	is_str(sim_session_content(HW "out_of_sequence", 0), "104\n", "the other one is read then");
	simulation_process(s, s->now + NS_PER_MS);
	is_str(sim_session_content(HW "out_of_buffer", 0), "4000104\n", "... and this one, at the same time");
	is_int(sim_session_write(HW "lifespan", "0", 1), 0, "lifespan 0");
	is_str(sim_session_content(HW "out_of_buffer", 0), "4000104\n", "... the same in the same tick");
	simulation_process(s, s->now + 3 * NS_PER_MS);
	is_str(sim_session_content(HW "out_of_buffer", 0), "4000108\n", "... and another one in the next");
	is_int(hardware_set(s->fabric, port, "out_of_buffer", 5), 0, "what a control word sets");
	is_str(sim_session_content(HW "out_of_buffer", 0), "5\n", "... is shown at once");
}

/* ---- calls ------------------------------------------------------------------------------ */

static int no_open(void *context, uint32_t node, unsigned int port, unsigned int reach, uint64_t *token)
{
	(void)reach;
	(void)context;
	*token = 7;
	return node ? -ENODEV : port == 9 ? -EINVAL : 0;
}

static int no_issm(void *context, uint32_t node, unsigned int port, bool roce)
{
	(void)roce;
	(void)context;
	(void)node;
	(void)port;
	return -EAGAIN;
}

static struct host_file *no_file(void *context, uint64_t token)
{
	(void)token;
	return context;
}

static uint32_t tree_node; /* the node of the last TREE */

static int no_store(void *context, uint32_t node, const char *path, size_t len, bool content, uint64_t *token)
{
	*token = 0;
	(void)context;
	(void)content;
	(void)node;
	(void)path;
	(void)len;
	return -EMFILE;
}

static int no_stored(void *context, uint64_t token)
{
	(void)context;
	return token ? -ENODEV : -ERANGE;
}

static int no_tree(void *context, const struct devices *devices, struct madkit_buf *path)
{
	(void)context;
	tree_node = devices->list[0].node;
	(void)path;
	return -EEXIST;
}

static int sim_session_say(void *context, const char *words, size_t len, struct madkit_buf *text)
{
	(void)context;
	madkit_buf_add(text, words, len);
	return 6;
}

static struct session session;
static struct proto_reply reply;
static char rest[256];

/* Returns the result of session_call(); clears reply and rest first. */
static int sim_session_call(uint32_t op, uint32_t arg, const void *more, size_t len)
{
	static const struct session_ops ops = {
		.open = no_open,
		.issm = no_issm,
		.store = no_store,
		.stored = no_stored,
		.file = no_file,
		.tree = no_tree,
		.control = sim_session_say,
	};
	const struct proto_call head = { .op = op, .arg = arg };
	uint8_t packet[512];
	struct madkit_buf buf;
	const uint8_t *p;
	size_t n;
	int ret;

	memcpy(packet, &head, sizeof(head));
	if (len)
		memcpy(packet + sizeof(head), more, len);
	madkit_buf_init(&buf, 0);
	ret = session_call(&session, s, &ops, &(struct session_packet){ packet, sizeof(head) + len, NULL }, 0,
			   &buf);
	if (!ret) {
		ret = proto_read_reply(buf.data, buf.len, (enum proto_op)op, &reply, &p, &n);
		memset(rest, 0, sizeof(rest));
		if (!ret && n)
			memcpy(rest, p, n < sizeof(rest) ? n : sizeof(rest) - 1);
	}
	madkit_buf_free(&buf);
	return ret;
}

static void sim_session_calls(void)
{
	const struct proto_agent agent = { .mgmt_class = 3, .class_version = 2 };
	struct proto_node node;

	ok(!sim_session_call(PROTO_OPEN, 1, NULL, 0) && reply.error == EPROTO,
	   "a call before HELLO is EPROTO");
	ok(!sim_session_call(PROTO_HELLO, 99, NULL, 0) && reply.error == EPROTONOSUPPORT &&
		   reply.value == PROTO_VERSION,
	   "HELLO of another version is told the server's");
	ok(!sim_session_call(PROTO_HELLO, PROTO_VERSION, "nobody", 6) && reply.error == ENOENT,
	   "HELLO to nobody is ENOENT");
	ok(!sim_session_call(PROTO_OPEN, 1, NULL, 0) && reply.error == EPROTO, "neither was a HELLO");
	ok(!sim_session_call(PROTO_HELLO, PROTO_VERSION, "s", 1) && !reply.error, "HELLO to a switch");
	proto_read_node((uint8_t *)rest, &node);
	ok(node.type == TOPOLOGY_SWITCH && node.port == 0 && node.nports == 4, "... which is its port 0");
	ok(!sim_session_call(PROTO_HELLO, PROTO_VERSION, "host7 mlx5_0:2", 14) && !reply.error,
	   "HELLO to a description and a port");
	proto_read_node((uint8_t *)rest, &node);
	ok(node.guid == UINT64_C(0x98039b0300012344) && node.port == 2 && node.nports == 2 &&
		   !strcmp(node.ca, "mlx5_0") && !strcmp(node.description, "host7 mlx5_0"),
	   "... says whose kernel it is");
	ok(!sim_session_call(PROTO_OPEN, 1, NULL, 0) && !reply.error && reply.value == 7,
	   "OPEN gives a token");
	ok(!sim_session_call(PROTO_OPEN, 9, NULL, 0) && reply.error == EINVAL, "... or says why not");
	ok(!sim_session_call(PROTO_REGISTER, 0, &agent, sizeof(agent)) && reply.error == EBADF,
	   "REGISTER without a file is EBADF");
	ok(!sim_session_call(PROTO_UNREGISTER, 0, NULL, 0) && reply.error == EBADF, "so is UNREGISTER");
	ok(!sim_session_call(PROTO_ISSM, 1, NULL, 0) && reply.error == EAGAIN,
	   "ISSM is what the server says");
	ok(!sim_session_call(PROTO_TREE, 0, NULL, 0) && reply.error == EEXIST, "so is TREE");
	ok(!sim_session_call(PROTO_INFO, 3, NULL, 0) && reply.error == EINVAL, "INFO of no port is EINVAL");
	ok(!sim_session_call(PROTO_INFO, 1, NULL, 0) && !reply.error, "INFO");
	ok(!sim_session_call(PROTO_SYSFS, 0, "infiniband/x", 12) && reply.error == ENOENT,
	   "SYSFS of no file is ENOENT");
	ok(!sim_session_call(PROTO_CONTROL, 0, "a\0b", 4) && !reply.error && reply.value == 6 &&
		   !memcmp(rest, "a\0b", 4),
	   "CONTROL has words, a status and a text");
	ok(!sim_session_call(PROTO_CONTROL, 0, "ab", 2) && reply.error == EINVAL, "... whose end has a NUL");
	is_int(sim_session_call(PROTO_REGISTER, 0, &agent, sizeof(agent) - 1), -EBADMSG,
	       "too short: no call");
	is_int(sim_session_call(PROTO_OPEN, 1, "x", 1), -EBADMSG, "too long: no call");
	is_int(sim_session_call(PROTO_OPS, 0, NULL, 0), -EBADMSG, "an op that is none: no call");
}

/* ---- each call in each state ----------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *name;
	struct {
		uint32_t version;
		const char *words;
		uint32_t error;
	} hello[3];
	bool greeted;
	uint32_t node, port;
} states[] = {
	{ "without a HELLO", { { 0, NULL, 0 } }, false, 0, 0 },
	{ "after a HELLO to no node", { { PROTO_VERSION, "none", ENOENT } }, false, 0, 0 },
	{ "after a HELLO of another version", { { 99, "s", EPROTONOSUPPORT } }, false, 0, 0 },
	{ "after a HELLO", { { PROTO_VERSION, "s", 0 } }, true, 1, 0 },
	{ "after a refused HELLO and a good one",
	  { { PROTO_VERSION, "none", ENOENT }, { PROTO_VERSION, "s", 0 } }, true, 1, 0 },
	{ "after a second HELLO", { { PROTO_VERSION, "s", 0 }, { PROTO_VERSION, "", 0 } }, true, 0, 1 },
	{ "B14: after a second HELLO to no node",
	  { { PROTO_VERSION, "s", 0 }, { PROTO_VERSION, "none", ENOENT } }, true, 1, 0 },
	{ "B14: after a second HELLO to a port that the node lacks",
	  { { PROTO_VERSION, "s", 0 }, { PROTO_VERSION, "host7:9", ENOENT } }, true, 1, 0 },
	{ "after a second HELLO of another version",
	  { { PROTO_VERSION, "s", 0 }, { 99, "", EPROTONOSUPPORT } }, true, 1, 0 },
};
/* clang-format on */

static void each_state(void)
{
	static const struct proto_agent agent = { .mgmt_class = 3, .class_version = 2 };
	static const struct {
		uint32_t op, error; /* the error after a HELLO to the CA or to the switch */
		const void *more;
		size_t len;
	} ops[] = {
		{ PROTO_REGISTER, EBADF, &agent, sizeof(agent) },
		{ PROTO_UNREGISTER, EBADF, NULL, 0 },
		{ PROTO_ISSM, ENOENT, NULL, 0 },
		{ PROTO_INFO, EINVAL, NULL, 0 },
		{ PROTO_SYSFS, ENOENT, "x", 1 },
		{ PROTO_TREE, EEXIST, NULL, 0 },
		{ PROTO_CONTROL, 0, NULL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		bool good = true;

		session_end(&session);
		tree_node = 77;
		for (size_t h = 0; h < 3 && states[i].hello[h].words; h++) {
			const char *words = states[i].hello[h].words;

			good = good &&
			       !sim_session_call(PROTO_HELLO, states[i].hello[h].version, words,
						 strlen(words)) &&
			       reply.error == states[i].hello[h].error;
		}
		ok(good && session.greeted == states[i].greeted && session.node == states[i].node &&
			   session.port == states[i].port,
		   "%s: node %u port %u", states[i].name, session.node, session.port);
		good = true;
		for (size_t o = 0; o < ARRAY_SIZE(ops); o++)
			good = good && !sim_session_call(ops[o].op, 9, ops[o].more, ops[o].len) &&
			       reply.error == (states[i].greeted ? ops[o].error : EPROTO);
		ok(good && tree_node == (states[i].greeted ? states[i].node : 77),
		   "... and each call concerns that node");
	}
}

int main(void)
{
	const struct simulation_options options = { .seed = 1 };
	struct topology *t;
	struct madkit_error error = { .text = "" };
	struct proto_info info;

	if (!ok(!topology_read(net, strlen(net), &t, &error), "topology %s", error.text))
		return tap_done();
	ok(!simulation_new(t, &options, &s), "simulation");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		is_str(sim_session_content(files[i].path, 0), files[i].text, "%s", files[i].path);
	is_str(sim_session_content("infiniband/sim0/ports/", 1), "0/\n", "a switch has port 0 alone");
	is_str(sim_session_content("infiniband/sim0/node_type", 1), "2: switch\n", "... and says what it is");
	ok(!sim_sysfs_info(s->fabric, 0, 1, &info) && info.lid == 17 && info.state == PORT_INIT &&
		   info.rate == 100 && info.port_guid == UINT64_C(0x98039b0300012345),
	   "the same as numbers");
	sim_session_calls();
	each_state();
	sim_session_lifespans();
	sim_session_cached();
	session_end(&session);
	simulation_free(s);
	topology_free(t);
	return tap_done();
}
