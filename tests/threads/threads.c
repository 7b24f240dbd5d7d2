// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * threads [SERVER-DEVICE CLIENT-DEVICE...]
 * Ports in parallel threads, for ThreadSanitizer (./runtests --lane tsan); without it, a wrong result still fails.
 * Without arguments each thread has a separate simulated fabric. With them, the first device echoes what
 * the threads on the other devices send.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <madkit/madkit.h>
#include "tests/tap.h"

enum {
	THREADS = 4,
	ROUNDS = 20,
	AT_ONCE = 16, /* requests in flight in one thread */
	OUI = 0x5a0003,
	CLASS = 0x32,
	METHOD = 0x10,
	ECHO_BYTES = 5000, /* 24 segments */
	TIMEOUT_MS = 5000,
	DEVICES_MAX = 16,
};

/* Compiled once and shared by all threads. */
static struct madkit_expr *expr;
static struct madkit_projection *projection;

static pthread_barrier_t all_ready;

/* A thread, which opens its own port. */
struct worker {
	pthread_t thread;
	const char *device;
	struct madkit_port *port;
	struct madkit_buf out; /* everything that it has read and formatted */
	unsigned int ended, received;
	uint32_t server_lid;
	char failure[160]; /* "": none */
};

#define fail(w, ...) \
	do { \
		if (!(w)->failure[0]) \
			snprintf((w)->failure, sizeof((w)->failure), __VA_ARGS__); \
	} while (0)

static void threads_need(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! %s\n", what);
	fflush(stdout);
	_exit(1);
}

/* ---- what a thread does on its port ---------------------------------------------------- */

static void threads_format(struct worker *w, struct madkit_plans *plans, const uint8_t *mad, size_t len)
{
	const struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.device = "d",
		.time.tv_nsec = -1,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = len,
	};
	struct madkit_format filtered = { .fields = projection, .filter = expr, .plans = plans };
	struct madkit_format whole = { .plans = plans };
	struct madkit_record record;

	if (madkit_format_json(&w->out, &message, &filtered) < 0 ||
	    madkit_format_text(&w->out, &message, &whole) < 0 ||
	    madkit_format_hex(&w->out, &message, &whole) < 0)
		fail(w, "format");
	madkit_record_get(&message, 0, &record);
	if (record.attribute)
		madkit_expr_check(expr, record.attribute, NULL);
}

static void threads_table(struct worker *w, struct madkit_plans *plans, bool library_rmpp)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SA,
		.rmpp_version = 1,
		.library_rmpp = library_rmpp,
	};
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SA,
		.class_version = 2,
		.method = MADKIT_METHOD_GET_TABLE,
		.attribute = MADKIT_ATTR_NODE_RECORD,
	};
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);
	struct madkit_agent *agent;
	struct madkit_reply reply;
	int ret;

	threads_need(send != NULL, "memory");
	if (madkit_agent_register(w->port, &attr, &agent, NULL)) {
		fail(w, "registration for the SA");
		madkit_send_free(send);
		return;
	}
	madkit_header_put(send->mad, send->len, &header);
	send->to.lid = madkit_port_get_info(w->port)->sm_lid;
	send->to.qp = 1;
	send->timeout_ms = TIMEOUT_MS;
	send->retries = 2;
	ret = madkit_request(agent, send, UINT64_MAX, &reply);
	if (ret || !reply.recv)
		fail(w, "table: %d, status %d", ret, ret ? 0 : reply.status);
	if (!ret && reply.recv) {
		/* the transaction ID differs between ports */
		uint8_t *copy = malloc(reply.recv->len);

		threads_need(copy != NULL, "memory");
		memcpy(copy, reply.recv->mad, reply.recv->len);
		memset(copy + MADKIT_MAD_TID, 0, 8);
		threads_format(w, plans, copy, reply.recv->len);
		free(copy);
		madkit_recv_free(reply.recv);
	}
	madkit_send_free(send);
	madkit_agent_unregister(agent);
}

static void threads_on_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct worker *w = madkit_agent_context(agent);

	if (status)
		fail(w, "a request ended with %d", status);
	w->ended++;
	madkit_send_free(send);
}

static void threads_on_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct worker *w = madkit_agent_context(agent);

	w->received++;
	madkit_recv_free(recv);
}

static void threads_drive(struct worker *w, const unsigned int *counter, unsigned int wanted)
{
	while (*counter < wanted) {
		int ret = madkit_port_wait(w->port, 2 * TIMEOUT_MS);

		if (ret > 0)
			ret = madkit_port_process(w->port);
		else if (!ret)
			ret = -ETIMEDOUT;
		if (ret < 0) {
			fail(w, "drive: %d", ret);
			return;
		}
	}
}

/* Many requests at once, with handlers, to the node itself. */
static void threads_smps(struct worker *w)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.send_handler = threads_on_sent,
		.recv_handler = threads_on_received,
		.context = w,
	};
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.class_version = 1,
		.method = MADKIT_METHOD_GET,
		.attribute = 0x0011,
	};
	struct madkit_agent *agent;

	if (madkit_agent_register(w->port, &attr, &agent, NULL)) {
		fail(w, "registration for SMPs");
		return;
	}
	w->ended = w->received = 0;
	for (int i = 0; i < AT_ONCE; i++) {
		struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);

		threads_need(send && !madkit_parse_path(i % 2 ? "0,1" : "0", &send->to, NULL), "a request");
		madkit_header_put(send->mad, send->len, &header);
		send->timeout_ms = TIMEOUT_MS;
		threads_need(!madkit_agent_post(agent, send), "a post");
	}
	threads_drive(w, &w->ended, AT_ONCE);
	if (w->received != AT_ONCE)
		fail(w, "%u of %u responses", w->received, AT_ONCE);
	madkit_agent_unregister(agent);
}

static void threads_resolve(struct worker *w)
{
	const struct madkit_resolver resolver = {
		.port = w->port,
		.timeout_ms = TIMEOUT_MS,
		.retries = 2,
		.deadline_ns = UINT64_MAX,
	};
	const struct madkit_port_info *info = madkit_port_get_info(w->port);
	struct madkit_addr addr = { 0 };
	struct madkit_error error;
	uint8_t gid[16];

	if (madkit_resolve_name(&resolver, NULL, "node2 HCA-1", &addr, &error) || !addr.lid)
		fail(w, "name: %.100s", error.text);
	if (madkit_resolve_guid(&resolver, info->port_guid, &addr, &error) || addr.lid != info->lid)
		fail(w, "GUID: %.100s", error.text);
	if (madkit_port_gid(info, 0, NULL, gid) || madkit_resolve_gid(&resolver, gid, &addr, &error) ||
	    addr.lid != info->lid)
		fail(w, "GID");
	if (!madkit_resolve_name(&resolver, NULL, "no such node", &addr, &error))
		fail(w, "a node that does not exist");
}

/* Functions without a port, and errors. */
static void without_port(struct worker *w)
{
	const struct madkit_attribute *attribute;
	struct madkit_port_info *ports;
	struct madkit_error error;
	struct madkit_expr *own;
	struct madkit_port *port;
	uint8_t mgmt_class;
	char text[80];
	size_t count;
	uint16_t id;

	if (!madkit_port_open("sim:/nowhere.net", &port, &error) || !madkit_port_open("x:y", &port, &error))
		fail(w, "a device that does not exist");
	if (!madkit_ports_list(&ports, &count, NULL))
		madkit_ports_free(ports);
	if (madkit_attribute_find("NodeInfo", -1, &mgmt_class, &id, &attribute, &error) ||
	    madkit_describe_json(&w->out, madkit_class_get(mgmt_class), attribute) < 0)
		fail(w, "describe");
	madkit_status_text(MADKIT_CLASS_SA, 0x0300, text, sizeof(text));
	madkit_rmpp_end_text(121, false, text, sizeof(text));
	if (madkit_expr_new("Guid =~ ^0x && NumPorts > 1", &own, &error))
		fail(w, "expression");
	else
		madkit_expr_free(own);
}

static void threads_rounds(struct worker *w)
{
	struct madkit_agent_attr refused = { .mgmt_class = 0x32,
					     .class_version = 1,
					     .method_mask = { 1 << 16 } };
	struct madkit_plans *plans = madkit_plans_new();
	struct madkit_refusal refusal;
	struct madkit_agent *agent;

	for (int i = 0; i < ROUNDS; i++) {
		struct madkit_error error;

		if (madkit_port_open(w->device, &w->port, &error)) {
			fail(w, "%.120s", error.text);
			break;
		}
		threads_table(w, plans, true);
		threads_table(w, plans, false);
		threads_smps(w);
		threads_resolve(w);
		without_port(w);
		if (!madkit_agent_register(w->port, &refused, &agent, &refusal))
			fail(w, "a vendor class without an OUI");
		if (madkit_port_refresh(w->port))
			fail(w, "refresh");
		madkit_port_close(w->port);
	}
	madkit_plans_free(plans);
}

static void *threads_work(void *context)
{
	pthread_barrier_wait(&all_ready);
	threads_rounds(context);
	return NULL;
}

static void workers(const char *const *devices, unsigned int ndevices, unsigned int n, const char *name)
{
	struct worker reference = { .device = devices[0] }, *w = calloc(n, sizeof(*w));

	threads_need(w != NULL, "memory");
	madkit_buf_init(&reference.out, 0);
	for (unsigned int i = 0; i < n; i++) {
		w[i].device = devices[i % ndevices];
		madkit_buf_init(&w[i].out, 0);
		threads_need(!pthread_create(&w[i].thread, NULL, threads_work, &w[i]), "pthread_create");
	}
	for (unsigned int i = 0; i < n; i++)
		pthread_join(w[i].thread, NULL);
	/* one thread alone, after the others, so that nothing was looked up before they ran */
	threads_rounds(&reference);
	ok(!reference.failure[0] && reference.out.len, "C14: %s: one thread alone", name);
	for (unsigned int i = 0; i < n; i++) {
		if (!ok(!w[i].failure[0] && w[i].out.len == reference.out.len &&
				!memcmp(w[i].out.data, reference.out.data, reference.out.len),
			"C14: %s: thread %u on %s reads the same", name, i + 1,
			strrchr(w[i].device, '/') ? strrchr(w[i].device, '/') + 1 : w[i].device))
			printf("# %s\n", w[i].failure[0] ? w[i].failure : "other contents");
		madkit_buf_free(&w[i].out);
	}
	madkit_buf_free(&reference.out);
	free(w);
}

/* ---- one port, by one thread at a time ------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	struct worker worker;
	struct madkit_recv *kept[THREADS]; /* received in one thread, freed in another */
	struct madkit_agent *agent;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *take_turns(void *context)
{
	struct madkit_recv **kept = context;
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.class_version = 1,
		.method = MADKIT_METHOD_GET,
		.attribute = 0x0011,
	};

	for (int i = 0; i < AT_ONCE; i++) {
		struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);
		struct madkit_reply reply;

		threads_need(send && !madkit_parse_path("0", &send->to, NULL), "a request");
		madkit_header_put(send->mad, send->len, &header);
		send->timeout_ms = TIMEOUT_MS;
		pthread_mutex_lock(&shared.lock);
		if (madkit_request(shared.agent, send, UINT64_MAX, &reply) || !reply.recv)
			fail(&shared.worker, "request");
		else if (*kept)
			madkit_recv_free(reply.recv);
		else
			*kept = reply.recv;
		pthread_mutex_unlock(&shared.lock);
		madkit_send_free(send);
	}
	return NULL;
}

static void *close_it(void *unused)
{
	(void)unused;
	madkit_port_close(shared.worker.port);
	return NULL;
}

static void handover(const char *device)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SUBN_DR };
	pthread_t threads[THREADS], last;
	bool came = true;

	threads_need(!madkit_port_open(device, &shared.worker.port, NULL) &&
			     !madkit_agent_register(shared.worker.port, &attr, &shared.agent, NULL),
		     "a port");
	for (int i = 0; i < THREADS; i++)
		threads_need(!pthread_create(&threads[i], NULL, take_turns, &shared.kept[i]),
			     "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	threads_need(!pthread_create(&last, NULL, close_it, NULL), "pthread_create");
	pthread_join(last, NULL);
	for (int i = 0; i < THREADS; i++) {
		came = came && shared.kept[i];
		madkit_recv_free(shared.kept[i]);
		shared.kept[i] = NULL;
	}
	if (!ok(came && !shared.worker.failure[0],
		"C14: one port serves threads that take turns; another closes it"))
		printf("# %s\n", shared.worker.failure);
}

/* ---- ports that exchange MADs ---------------------------------------------------------- */

static struct {
	const char *device;
	int stop;        /* eventfd */
	atomic_uint lid; /* 0: not ready */
	atomic_uint answered;
} server;

static void on_answered(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	if (!status)
		server.answered++;
	madkit_send_free(send);
}

static void threads_on_request(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_send *send = madkit_send_new(recv->len);

	threads_need(send != NULL, "memory");
	memcpy(send->mad, recv->mad, recv->len);
	send->mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	send->to = recv->from;
	send->retries = 5;
	if (madkit_agent_post(agent, send))
		madkit_send_free(send);
	madkit_recv_free(recv);
}

/* Until another thread writes to server.stop: the way for a thread to end the wait of another one's port. */
static void *threads_serve(void *unused)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = CLASS,
		.oui = OUI,
		.rmpp_version = 1,
		.library_rmpp = true,
		.method_mask = { UINT64_C(1) << METHOD },
		.send_handler = on_answered,
		.recv_handler = threads_on_request,
	};
	struct madkit_agent *agent;
	struct madkit_error error;
	struct madkit_port *port;

	(void)unused;
	threads_need(!madkit_port_open(server.device, &port, &error), error.text);
	threads_need(!madkit_agent_register(port, &attr, &agent, NULL), "the server's registration");
	server.lid = madkit_port_get_info(port)->lid;
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = madkit_port_fd(port), .events = POLLIN },
			{ .fd = server.stop, .events = POLLIN },
		};
		uint64_t due = madkit_port_deadline(port), now = madkit_port_now(port);

		poll(fds, 2, due == UINT64_MAX ? -1 : due <= now ? 0 : (int)((due - now) / 1000000 + 1));
		if (fds[1].revents)
			break;
		threads_need(madkit_port_process(port) >= 0, "the server's port");
	}
	madkit_port_close(port);
	return NULL;
}

static void *threads_ask(void *context)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = CLASS,
		.oui = OUI,
		.rmpp_version = 1,
		.library_rmpp = true,
	};
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = CLASS,
		.class_version = 1,
		.method = METHOD,
		.attribute = 1,
	};
	struct madkit_send *send = madkit_send_new(ECHO_BYTES);
	struct worker *w = context;
	struct madkit_agent *agent;
	struct madkit_error error;

	threads_need(send != NULL, "memory");
	pthread_barrier_wait(&all_ready);
	if (madkit_port_open(w->device, &w->port, &error)) {
		fail(w, "%.120s", error.text);
		madkit_send_free(send);
		return NULL;
	}
	if (madkit_agent_register(w->port, &attr, &agent, NULL))
		fail(w, "registration");
	for (int i = 0; i < AT_ONCE && !w->failure[0]; i++) {
		struct madkit_reply reply;
		int ret;

		memset(send->mad, i + 1, send->len);
		madkit_header_put(send->mad, send->len, &header);
		memset(send->mad + MADKIT_RMPP_OFFSET, 0, MADKIT_RMPP_HEADER_BYTES);
		memcpy(send->mad + MADKIT_VENDOR2_OUI,
		       (const uint8_t[]){ OUI >> 16, OUI >> 8 & 0xff, OUI & 0xff }, 3);
		send->len = i % 2 ? ECHO_BYTES : MADKIT_MAD_BYTES;
		send->to = (struct madkit_addr){ .lid = w->server_lid, .qp = 1 };
		send->timeout_ms = TIMEOUT_MS;
		send->retries = 3;
		ret = madkit_request(agent, send, UINT64_MAX, &reply);
		if (ret || !reply.recv || reply.recv->len < send->len ||
		    memcmp(reply.recv->mad + MADKIT_VENDOR2_DATA, send->mad + MADKIT_VENDOR2_DATA,
			   send->len - MADKIT_VENDOR2_DATA))
			fail(w, "echo %d: %d, status %d", i, ret, ret ? 0 : reply.status);
		if (!ret)
			madkit_recv_free(reply.recv);
	}
	madkit_port_close(w->port);
	madkit_send_free(send);
	return NULL;
}

static void threads_exchange(const char *const *devices, unsigned int n)
{
	struct worker *w = calloc(n, sizeof(*w));
	pthread_t thread;

	server.stop = eventfd(0, 0);
	threads_need(w && server.stop >= 0 && !pthread_create(&thread, NULL, threads_serve, NULL),
		     "the server");
	while (!server.lid)
		poll(NULL, 0, 10);
	for (unsigned int i = 0; i < n; i++) {
		w[i].device = devices[i];
		w[i].server_lid = server.lid;
		threads_need(!pthread_create(&w[i].thread, NULL, threads_ask, &w[i]), "pthread_create");
	}
	for (unsigned int i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		if (!ok(!w[i].failure[0], "C14: exchange: thread %u has every message echoed", i + 1))
			printf("# %s\n", w[i].failure);
	}
	threads_need(write(server.stop, &(uint64_t){ 1 }, 8) == 8, "eventfd");
	pthread_join(thread, NULL);
	ok(server.answered >= n * AT_ONCE / 2, "C14: exchange: another thread ends the server's wait");
	close(server.stop);
	free(w);
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	char own[4][512];
	const char *devices[DEVICES_MAX];
	unsigned int n = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	threads_need(!madkit_expr_new("NodeDesc =~ node && PortNum < 3 || NodeType == Switch", &expr, NULL) &&
			     !madkit_projection_new("NodeDesc,Lid,PortGUID,NodeType,remote.lid", &projection,
						    NULL),
		     "expressions");
	if (argc < 2) {
		for (; n < 4; n++) {
			/* the same fabric twice */
			snprintf(own[n], sizeof(own[n]), "sim:%s/tests/data/topologies/small.net@node%u",
				 top ? top : ".", n / 2 * 2 + 1);
			devices[n] = own[n];
		}
		threads_need(!pthread_barrier_init(&all_ready, NULL, THREADS), "barrier");
		workers(devices, n, THREADS, "fabrics in the process");
		handover(devices[0]);
	} else {
		server.device = argv[1];
		for (int i = 2; i < argc && n < DEVICES_MAX; i++)
			devices[n++] = argv[i];
		threads_need(n > 0, "usage: threads [SERVER-DEVICE CLIENT-DEVICE...]");
		threads_need(!pthread_barrier_init(&all_ready, NULL, n), "barrier");
		workers(devices, n, n, "a served fabric");
		threads_exchange(devices, n);
		handover(devices[0]);
	}
	pthread_barrier_destroy(&all_ready);
	madkit_projection_free(projection);
	madkit_expr_free(expr);
	return tap_done();
}
