/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The library's ports and agents on a real kernel: two soft-RoCE devices, rxe0
 * and rxe1; deletes rxe1 at its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <madkit/madkit.h>
#include "tests/kernel/umad_end.h"
#include "tests/tap.h"

enum { MS = 1000000 };

static struct madkit_error error;
static struct madkit_refusal refusal;

static struct madkit_port *open_madkit(const char *spec)
{
	struct madkit_port *port;

	if (madkit_port_open(spec, &port, &error)) {
		printf("Bail out! %s: %s\n", spec, error.text);
		exit(1);
	}
	return port;
}

static struct madkit_agent_attr vendor(uint32_t oui, uint8_t rmpp)
{
	return (struct madkit_agent_attr) { .mgmt_class = CLASS, .class_version = 1,
					    .oui = oui, .rmpp_version = rmpp };
}

static struct madkit_agent *agent_on(struct madkit_port *port,
				     const struct madkit_agent_attr *attr)
{
	struct madkit_agent *agent;

	if (madkit_agent_register(port, attr, &agent, &refusal)) {
		printf("Bail out! register: %s\n", refusal.error.text);
		exit(1);
	}
	return agent;
}

/* Where the device with that name is. */
static struct madkit_addr address_of(const char *ca)
{
	struct madkit_addr addr = { .qp = 1, .qkey = MADKIT_QKEY_GSI, .grh = true,
				    .hop_limit = 64 };
	struct madkit_port_info *ports;
	size_t n;

	madkit_ports_list(&ports, &n, NULL);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(ports[i].ca, ca)) {
			put_be(addr.gid, 8, ports[i].gid_prefix);
			put_be(addr.gid + 8, 8, ports[i].port_guid);
		}
	madkit_ports_free(ports);
	return addr;
}

static struct madkit_send *message(const char *ca, uint32_t oui, uint8_t method, size_t len)
{
	struct madkit_send *send = madkit_send_new(len);

	need(send != NULL, "memory");
	send->to = address_of(ca);
	send->mad[0] = 1;
	send->mad[1] = CLASS;
	send->mad[2] = 1;
	send->mad[3] = method;
	put_be(send->mad + 16, 2, 0x1234);
	put_be(send->mad + 37, 3, oui);
	for (size_t i = HEADER; i < len; i++)
		send->mad[i] = (uint8_t)(i * 13 + i / 256);
	return send;
}

static uint64_t elapsed_ms(struct madkit_port *port, uint64_t since)
{
	return (madkit_port_now(port) - since) / MS;
}

/* ---- ports --------------------------------------------------------------------- */

static void ports(void)
{
	struct madkit_port_info *list;
	struct madkit_port *port;
	size_t n, skipped;

	is_int(madkit_ports_list(&list, &n, &skipped), 0, "ports: a list");
	is_u64(n, 2, "ports: two");
	is_u64(skipped, 0, "ports: none broken");
	is_str(list[0].device, "umad:rxe0/1", "ports: by name");
	is_str(list[1].device, "umad:rxe1/1", "ports: the second");
	ok(list[0].link_layer == MADKIT_LINK_ETHERNET && list[0].state == 4 && list[0].phys_state == 5,
	   "ports: RoCE, ACTIVE, LinkUp");
	is_u64(list[0].gid_prefix, UINT64_C(0xfe80000000000000), "ports: the prefix of GID 0");
	ok(!access(list[0].umad_path, R_OK | W_OK), "ports: the device node %s is there",
	   list[0].umad_path);
	madkit_ports_free(list);

	is_int(madkit_port_open(NULL, &port, &error), -ENODEV, "open: two RoCE ports, none named");
	ok(strstr(error.text, "rxe0/1 (RoCE, Active)"), "open: %s", error.text);
	is_int(madkit_port_open("umad:rxe7", &port, &error), -ENODEV, "open: an unknown CA");
	is_int(madkit_port_open("umad:rxe0/2", &port, &error), -ENODEV, "open: an unknown port");
	port = open_madkit("umad:rxe0");
	is_str(madkit_port_get_info(port)->device, "umad:rxe0/1", "open: a CA by its name");
	is_int(madkit_port_refresh(port), 0, "open: its state can be read again");
	ok(madkit_port_fd(port) > 2, "open: there is a descriptor");
	is_int(madkit_port_wait(port, 20), 0, "wait: nothing to do");
	is_int(madkit_port_process(port), 0, "process: nothing to do");
	madkit_port_close(port);
}

/* Exits with 0 where everything is as it should. */
static int as_nobody(void)
{
	struct madkit_port *port;

	if (setgid(65534) || setuid(65534))
		return 2;
	if (madkit_port_open("umad:rxe0/1", &port, &error) != -EACCES)
		return 3;
	if (!strstr(error.text, "/dev/infiniband/umad") || !strstr(error.text, "0600") ||
	    !strstr(error.text, "owner 0:0") || !strstr(error.text, "65534:65534"))
		return 4;
	return 0;
}

static void permission(void)
{
	int status = 0;
	pid_t pid = fork();

	need(pid >= 0, "fork");
	if (pid == 0)
		_exit(as_nobody());
	waitpid(pid, &status, 0);
	is_int(status, 0, "permission: -EACCES, and the words name node, mode and owner");
}

/* ---- registration ---------------------------------------------------------------- */

static enum madkit_refusal_cause refused(struct madkit_port *port, struct madkit_agent_attr attr,
					 int code)
{
	struct madkit_agent *agent;
	int ret = madkit_agent_register(port, &attr, &agent, &refusal);

	printf("# %d: %s\n", ret, ret ? refusal.error.text : "accepted");
	if (!ret) {
		madkit_agent_unregister(agent);
		return MADKIT_REFUSAL_NONE;
	}
	return ret == code ? refusal.cause : MADKIT_REFUSAL_OTHER;
}

static void refusals(void)
{
	struct madkit_port *port = open_madkit("umad:rxe0"), *holder = open_madkit("umad:rxe0");
	struct madkit_agent_attr attr = vendor(OUI, 0), held = vendor(OUI, 0);
	struct madkit_agent *agents[40];
	unsigned int n = 0;

	is_int(refused(port, attr, 0), MADKIT_REFUSAL_NONE, "register: a vendor class");
	attr.mgmt_class = 0x50;
	is_int(refused(port, attr, -EINVAL), MADKIT_REFUSAL_CLASS, "register: class 0x50");
	attr = vendor(OUI, 0);
	attr.class_version = 0x83;
	is_int(refused(port, attr, -EINVAL), MADKIT_REFUSAL_VERSION, "register: version 0x83");
	is_int(refused(port, vendor(0, 0), -EINVAL), MADKIT_REFUSAL_OUI, "register: no OUI");
	is_int(refused(port, vendor(0x1000000, 0), -EINVAL), MADKIT_REFUSAL_OUI,
	       "register: an OUI too wide");
	is_int(refused(port, vendor(OUI, 2), -EINVAL), MADKIT_REFUSAL_RMPP_VERSION,
	       "register: RMPP version 2");
	attr = (struct madkit_agent_attr) { .mgmt_class = MADKIT_CLASS_PERF, .rmpp_version = 1 };
	is_int(refused(port, attr, -EINVAL), MADKIT_REFUSAL_RMPP_CLASS, "register: PerfMgt with RMPP");
	attr = vendor(OUI, 1);
	attr.flags = MADKIT_AGENT_USER_RMPP;
	is_int(refused(port, attr, 0), MADKIT_REFUSAL_NONE, "register: user-space RMPP");
	attr.flags = 0x6;
	is_int(refused(port, attr, -EINVAL), MADKIT_REFUSAL_FLAGS, "register: flags that nobody has");
	ok(refusal.supported_known && refusal.supported_flags == MADKIT_AGENT_USER_RMPP,
	   "register: the kernel tells those that it has");
	attr = (struct madkit_agent_attr) { .flags = MADKIT_AGENT_USER_RMPP };
	is_int(refused(port, attr, -EINVAL), MADKIT_REFUSAL_CLASS, "register: user-space RMPP of class 0");
	attr = (struct madkit_agent_attr) { .mgmt_class = MADKIT_CLASS_SUBN };
	is_int(refused(port, attr, -EPROTONOSUPPORT), MADKIT_REFUSAL_NO_SMI, "register: SubnMgt on RoCE");
	attr.mgmt_class = MADKIT_CLASS_SUBN_DR;
	is_int(refused(port, attr, -EPROTONOSUPPORT), MADKIT_REFUSAL_NO_SMI, "register: SubnMgtDR on RoCE");
	is_int(refused(port, (struct madkit_agent_attr) { 0 }, 0), MADKIT_REFUSAL_NONE,
	       "register: class 0, for sending only");

	/* methods that somebody else holds: which? */
	madkit_method_mask_set(held.method_mask, METHOD_ASK);
	madkit_method_mask_set(held.method_mask, 0x7f);
	struct madkit_agent *holds = agent_on(holder, &held);

	attr = held;
	madkit_method_mask_set(attr.method_mask, METHOD_GET);
	madkit_method_mask_set(attr.method_mask, METHOD_SEND);
	is_int(refused(port, attr, -EBUSY), MADKIT_REFUSAL_TAKEN, "register: methods taken");
	ok(refusal.taken[0] == UINT64_C(1) << METHOD_ASK && refusal.taken[1] == UINT64_C(1) << 63,
	   "register: exactly those that are");
	is_int(refusal.code, EINVAL, "register: the kernel had said EINVAL");
	attr.method_mask[0] &= ~(UINT64_C(1) << METHOD_ASK);
	attr.method_mask[1] = 0;
	is_int(refused(port, attr, 0), MADKIT_REFUSAL_NONE, "register: the others are free, also of us");
	madkit_agent_unregister(holds);
	is_int(refused(port, held, 0), MADKIT_REFUSAL_NONE, "register: freed when the holder goes");
	attr = (struct madkit_agent_attr) { .mgmt_class = MADKIT_CLASS_CM };
	madkit_method_mask_set(attr.method_mask, METHOD_SEND);
	is_int(refused(port, attr, -EBUSY), MADKIT_REFUSAL_TAKEN, "register: ib_cm holds Send");

	attr = vendor(OUI, 0);
	while (n < 40 && !madkit_agent_register(port, &attr, &agents[n], &refusal))
		n++;
	is_u64(n, 32, "register: 32 agents to an open device");
	is_int(refusal.cause, MADKIT_REFUSAL_AGENTS, "register: the cause of the 33rd's refusal");
	/* the device is full, but the methods can still be found out */
	madkit_agent_unregister(agents[0]);
	holds = agent_on(holder, &held);
	is_int(refused(port, held, -EBUSY), MADKIT_REFUSAL_TAKEN, "register: taken, with 31 agents here");
	madkit_port_close(port);
	madkit_port_close(holder);
}

/* ---- requests ---------------------------------------------------------------------- */

static void answered(void)
{
	pid_t server = echo_start("rxe1");
	struct madkit_port *port = open_madkit("umad:rxe0");
	struct madkit_agent_attr attr = vendor(SERVER_OUI, 0);
	struct madkit_agent *agent = agent_on(port, &attr);
	struct madkit_send *send = message("rxe1", SERVER_OUI, METHOD_ASK, 256);
	struct madkit_reply reply;

	send->timeout_ms = PATIENCE;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "request: to another process");
	is_int(reply.status, 0, "request: answered");
	need(reply.recv != NULL, "no response");
	is_u64(reply.recv->len, 256, "request: 256 bytes");
	is_mem(reply.recv->mad + HEADER, send->mad + HEADER, 256 - HEADER, "request: what was sent");
	ok(reply.attempts == 1 && !reply.kernel_resends, "request: one attempt");
	ok(reply.rtt_ns && reply.rtt_ns < (uint64_t)PATIENCE * MS, "request: in %u us",
	   (unsigned int)(reply.rtt_ns / 1000));
	ok(reply.recv->from.grh && reply.recv->from.qp == 1 &&
	   !memcmp(reply.recv->from.gid, send->to.gid, 16), "request: from where it went");
	is_u64(send->tid & 0xffffffff, be_at(reply.recv->mad + 12, 4), "request: its TID");
	is_u64(send->tid >> 32, be_at(reply.recv->mad + 8, 4), "request: the kernel's half too");
	madkit_recv_free(reply.recv);

	/* a short MAD is padded; the kernel would refuse 30 bytes */
	send->len = 41;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "request: 41 bytes");
	ok(!reply.status && reply.recv && reply.recv->len == 256, "request: answered");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	madkit_port_close(port);
	echo_stop(server);
}

static void timeouts(void)
{
	struct madkit_port *port = open_madkit("umad:rxe0"), *silent = open_madkit("umad:rxe1");
	struct madkit_agent_attr attr = vendor(OUI, 0), listens = vendor(OUI, 0);
	struct madkit_agent *agent = agent_on(port, &attr), *rmpp;
	struct madkit_send *send = message("rxe1", OUI, METHOD_ASK, 256);
	struct madkit_port_counters c;
	struct madkit_reply reply;
	uint64_t begun = madkit_port_now(port);

	madkit_method_mask_set(listens.method_mask, METHOD_ASK);
	agent_on(silent, &listens);
	send->timeout_ms = 200;
	send->retries = 2;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "timeout: to one who is silent");
	is_int(reply.status, -ETIMEDOUT, "timeout: no answer");
	ok(!reply.recv && reply.attempts == 3, "timeout: after three attempts of ours");
	is_between(elapsed_ms(port, begun), 590, 1500, "timeout: 3 x 200 ms");
	madkit_port_get_counters(port, &c);
	is_u64(c.timeouts + c.expired, 3, "timeout: three tries ended");
	ok(c.timeouts > 0, "timeout: %u of them by the kernel's report", (unsigned int)c.timeouts);
	do {
		madkit_port_process(silent);
		madkit_port_get_counters(silent, &c);
	} while (c.received < 3 && madkit_port_wait(silent, PATIENCE) == 1);
	is_u64(c.received, 3, "timeout: the silent one got all three");

	/* with kernel RMPP the kernel resends */
	attr = vendor(OUI, 1);
	rmpp = agent_on(port, &attr);
	begun = madkit_port_now(port);
	is_int(madkit_request(rmpp, send, UINT64_MAX, &reply), 0, "timeout: where the kernel does RMPP");
	ok(reply.status == -ETIMEDOUT && reply.attempts == 1 && reply.kernel_resends,
	   "timeout: one attempt of ours, the others are the kernel's");
	is_between(elapsed_ms(port, begun), 590, 1500, "timeout: 3 x 200 ms");
	begun = madkit_port_now(port);
	is_int(madkit_request(rmpp, send, begun + 100 * MS, &reply), 0, "deadline: sooner than the timeout");
	is_int(reply.status, -ETIMEDOUT, "deadline: no answer");
	is_between(elapsed_ms(port, begun), 100, 500, "deadline: after 100 ms");

	/* nobody there at all */
	memset(send->to.gid, 0, 16);
	send->to.gid[0] = 0xfe;
	send->to.gid[1] = 0x80;
	send->to.gid[15] = 0x77;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "nowhere: a GID that does not resolve");
	is_int(reply.status, -ETIMEDOUT, "nowhere: no answer");
	send->to.grh = false;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "no GRH on RoCE");
	is_int(reply.status, -EINVAL, "no GRH: refused by the kernel");
	madkit_send_free(send);
	madkit_port_close(port);
	madkit_port_close(silent);
}

static void on_alarm(int number)
{
	(void)number;
}

static void interrupted(void)
{
	struct madkit_port *port = open_madkit("umad:rxe0"), *silent = open_madkit("umad:rxe1");
	struct madkit_agent_attr attr = vendor(OUI, 0), listens = vendor(OUI, 0);
	struct madkit_agent *agent = agent_on(port, &attr);
	struct madkit_send *send = message("rxe1", OUI, METHOD_ASK, 256);
	const struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	const struct sigaction action = { .sa_handler = on_alarm };
	struct madkit_reply reply;
	uint64_t begun = madkit_port_now(port);

	madkit_method_mask_set(listens.method_mask, METHOD_ASK);
	agent_on(silent, &listens);
	send->timeout_ms = PATIENCE;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -EINTR, "signal: ends a request");
	is_between(elapsed_ms(port, begun), 0, 5000, "signal: at once");
	is_u64(madkit_agent_outstanding(agent), 0, "signal: nothing is left");
	madkit_send_free(send);
	madkit_port_close(port);
	madkit_port_close(silent);
}

/* ---- many at once --------------------------------------------------------------- */

enum { MANY = 300, WINDOW = 60 };

struct many {
	unsigned int left, answered, ended, failed, wrong;
	const struct madkit_addr *to;
};

static void many_recv(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct many *many = madkit_agent_context(agent);

	many->answered++;
	many->wrong += be_at(recv->mad + 20, 4) != (uintptr_t)recv->send->context;
	madkit_recv_free(recv);
}

static void many_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct many *many = madkit_agent_context(agent);

	many->ended++;
	many->failed += status != 0;
	if (!many->left) {
		madkit_send_free(send);
		return;
	}
	many->left--;
	send->context = (void *)(uintptr_t)many->left;
	put_be(send->mad + 20, 4, many->left);
	if (madkit_agent_post(agent, send))
		many->failed++;
}

static void many_in_flight(void)
{
	pid_t server = echo_start("rxe1");
	struct madkit_port *port = open_madkit("umad:rxe0");
	struct many many = { .left = MANY - WINDOW };
	struct madkit_agent_attr attr = vendor(SERVER_OUI, 0);
	uint64_t begun = madkit_port_now(port);

	attr.send_handler = many_sent;
	attr.recv_handler = many_recv;
	attr.context = &many;

	struct madkit_agent *agent = agent_on(port, &attr);

	for (unsigned int i = 0; i < WINDOW; i++) {
		struct madkit_send *send = message("rxe1", SERVER_OUI, METHOD_ASK, 256);

		send->timeout_ms = 2000;
		send->retries = 3;
		send->context = (void *)(uintptr_t)(MANY + i);
		put_be(send->mad + 20, 4, MANY + i);
		madkit_agent_post(agent, send);
	}
	while (many.ended < MANY && elapsed_ms(port, begun) < PATIENCE) {
		madkit_port_wait(port, 1000);
		madkit_port_process(port);
	}
	ok(many.answered == MANY && !many.failed && !many.wrong,
	   "many: %u of %d answered, each with its own answer, %d in flight, %u ms",
	   many.answered, MANY, WINDOW, (unsigned int)elapsed_ms(port, begun));
	madkit_port_close(port);
	echo_stop(server);
}

/* ---- RMPP --------------------------------------------------------------------------- */

static void long_messages(void)
{
	pid_t server = echo_start("rxe1");
	struct madkit_port *port = open_madkit("umad:rxe0");
	struct madkit_agent_attr attr = vendor(SERVER_OUI, 1);
	struct madkit_agent *agent = agent_on(port, &attr);
	static const size_t sizes[] = { HEADER, 256, 257, 1040, HEADER + MEGABYTE };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct madkit_send *send = message("rxe1", SERVER_OUI, METHOD_ASK, sizes[i]);
		struct madkit_reply reply;
		size_t least = sizes[i] < 256 ? 256 : sizes[i];

		if (sizes[i] <= 256)
			memset(send->mad + 24, 0, 12);
		send->timeout_ms = PATIENCE;
		send->retries = 1;
		is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "RMPP: %zu bytes", sizes[i]);
		is_int(reply.status, 0, "RMPP: answered");
		ok(reply.recv && reply.recv->len >= least &&
		   !memcmp(reply.recv->mad + HEADER, send->mad + HEADER, sizes[i] - HEADER),
		   "RMPP: with the same");
		if (reply.recv)
			printf("# %zu bytes came back in %u ms\n", reply.recv->len,
			       (unsigned int)(reply.rtt_ns / MS));
		madkit_recv_free(reply.recv);
		madkit_send_free(send);
	}
	madkit_port_close(port);
	echo_stop(server);
}

struct inbox {
	unsigned int n;
	size_t len;
	struct madkit_recv *last;
};

static void keep(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct inbox *inbox = madkit_agent_context(agent);

	inbox->n++;
	inbox->len = recv->len;
	madkit_recv_free(inbox->last);
	inbox->last = recv;
}

static void small_buffer(void)
{
	struct madkit_port *port = open_madkit("umad:rxe0"), *server = open_madkit("umad:rxe1");
	struct inbox inbox = { 0 };
	struct madkit_agent_attr attr = vendor(OUI, 1), listens = vendor(OUI, 1);
	struct madkit_agent *agent = agent_on(port, &attr);
	struct madkit_send *send = message("rxe1", OUI, METHOD_SEND, 1040);
	int ret;

	madkit_method_mask_set(listens.method_mask, METHOD_SEND);
	listens.recv_handler = keep;
	listens.context = &inbox;
	agent_on(server, &listens);
	madkit_port_set_receive_limit(server, 300, 300);
	send->retries = 3;
	madkit_agent_post(agent, send);
	madkit_port_process(port);
	is_int(madkit_port_wait(server, PATIENCE), 1, "small buffer: a message comes");
	is_int(madkit_port_process(server), -ENOSPC, "small buffer: 300 bytes are too few");
	is_u64(madkit_port_receive_needed(server), 1040, "small buffer: 1040 are needed");
	is_int(madkit_port_process(server), -ENOSPC, "small buffer: it stays");
	madkit_port_set_receive_limit(server, 100, 100);
	is_int(madkit_port_process(server), -ENOSPC, "small buffer: 100 bytes are too few");
	is_u64(madkit_port_receive_needed(server), 256,
	       "small buffer: below a MAD the kernel does not tell: at least one");
	madkit_port_set_receive_limit(server, 100, 1040);
	ret = madkit_port_process(server);
	ok(ret == 1 && inbox.n == 1 && inbox.len == 1040, "small buffer: it grows from 100 to 1040: %d", ret);
	ok(inbox.last && !inbox.last->send &&
	   !memcmp(inbox.last->mad + HEADER, send->mad + HEADER, 1000), "small buffer: whole");
	madkit_recv_free(inbox.last);
	madkit_send_free(send);
	madkit_port_close(port);
	madkit_port_close(server);
}

/* ---- again and again -------------------------------------------------------------- */

static unsigned int descriptors(void)
{
	unsigned int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void again_and_again(void)
{
	struct madkit_agent_attr attr = vendor(OUI, 0);
	unsigned int before = descriptors(), refused_methods = 0;

	madkit_method_mask_set(attr.method_mask, METHOD_ASK);
	for (unsigned int i = 0; i < 500; i++) {
		struct madkit_port *port = open_madkit("umad:rxe0");
		struct madkit_agent *agent;

		/* would be refused if the one before were still there */
		refused_methods += madkit_agent_register(port, &attr, &agent, &refusal) != 0;
		if (i % 2)
			madkit_agent_register(port, &attr, &agent, &refusal);
		madkit_port_close(port);
	}
	is_u64(refused_methods, 0, "500 times open, register, close: each finds its method free");
	is_u64(descriptors(), before, "... and no descriptor is left, after 250 refusals too");
}

/* ---- the device goes away -------------------------------------------------------- */

static void unplug(void)
{
	struct madkit_port *port = open_madkit("umad:rxe1"), *silent = open_madkit("umad:rxe0");
	struct madkit_agent_attr attr = vendor(OUI, 0), listens = vendor(OUI, 0);
	struct madkit_agent *agent = agent_on(port, &attr), *late;
	struct madkit_send *send = message("rxe0", OUI, METHOD_ASK, 256);
	struct madkit_reply reply;
	uint64_t begun = madkit_port_now(port);
	pid_t pid;

	madkit_method_mask_set(listens.method_mask, METHOD_ASK);
	agent_on(silent, &listens);
	send->timeout_ms = PATIENCE;
	pid = fork();
	need(pid >= 0, "fork");
	if (pid == 0) {
		execlp("rdma", "rdma", "link", "delete", "rxe1", (char *)NULL);
		_exit(127);
	}
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "unplug: while a request waits");
	is_int(reply.status, -ENODEV, "unplug: it ends with -ENODEV");
	is_between(elapsed_ms(port, begun), 0, PATIENCE / 2, "unplug: and not by its timeout");
	is_int(madkit_port_process(port), -ENODEV, "unplug: process says so");
	is_int(madkit_port_wait(port, -1), -ENODEV, "unplug: wait too, without waiting");
	is_int(madkit_agent_post(agent, send), -ENODEV, "unplug: post too");
	is_int(madkit_agent_register(port, &attr, &late, &refusal), -ENODEV, "unplug: registering too");
	is_int(refusal.cause, MADKIT_REFUSAL_DEVICE, "unplug: and why");
	is_int(madkit_port_refresh(port), -ENODEV, "unplug: its state cannot be read");
	waitpid(pid, NULL, 0);
	madkit_port_close(port);
	is_int(madkit_port_open("umad:rxe1", &port, &error), -ENODEV, "unplug: it cannot be opened");
	madkit_send_free(send);
	madkit_port_close(silent);
}

int main(void)
{
	ports();
	permission();
	refusals();
	answered();
	timeouts();
	interrupted();
	many_in_flight();
	long_messages();
	small_buffer();
	again_and_again();
	unplug();
	return tap_done();
}
