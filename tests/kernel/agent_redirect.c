/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Redirected requests: a process on rxe1's QP 1 redirects them to another queue pair there, which has QP 1's
 * Q_Key (umad reaches it) or a different one (libibverbs reaches it). Also redirections that form a loop.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/kernel/agent_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

/* the servers send any attribute back that means nothing to them */
enum { OWN_QKEY = 0x1234567, ATTR_ANY = 0x40, TIMEOUT = 5000, SHORT = 300 };

/* ---- who redirects ---- */

/* Shared by both processes: the destination of the redirection, and its kind. */
static struct shared {
	struct madkit_cpi_target target;
	bool at_once; /* the response is the ClassPortInfo itself */
	uint32_t qp;  /* of one that redirects from a queue pair */
} * shared;

static void gone(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void redirect(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_send *send = madkit_send_new(256);
	struct madkit_header h;

	need(send && !madkit_header_get(recv->mad, recv->len, &h), "madkit_send_new");
	memcpy(send->mad, recv->mad, HEADER);
	memset(send->mad + MADKIT_HEADER_BYTES, 0, MADKIT_RMPP_HEADER_BYTES);
	if (h.method != MADKIT_METHOD_GET)
		h.status = MADKIT_STATUS_REDIRECT;
	if (h.method == MADKIT_METHOD_GET || shared->at_once) {
		h.attribute = MADKIT_ATTR_CLASS_PORT_INFO;
		need(!madkit_cpi_set_redirect(send->mad + HEADER, false, &shared->target),
		     "madkit_cpi_set_redirect");
	}
	h.method |= MADKIT_METHOD_RESPONSE;
	madkit_header_put(send->mad, send->len, &h);
	send->to = recv->from;
	need(madkit_agent_post(agent, send) == 0, "madkit_agent_post");
	madkit_recv_free(recv);
}

static void redirect_on(const char *spec)
{
	struct madkit_agent_attr attr = agent_end_attr(SERVER_OUI, METHOD_ASK, RMPP_KERNEL);
	struct madkit_port *port = agent_end_open_port(spec);
	struct madkit_agent *agent;

	madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_GET);
	attr.send_handler = gone;
	attr.recv_handler = redirect;
	need(madkit_agent_register(port, &attr, &agent, NULL) == 0, "madkit_agent_register");
	if (madkit_port_get_info(port)->qp)
		shared->qp = madkit_port_get_info(port)->qp;
	child_ready();
	while (madkit_port_wait(port, -1) >= 0)
		madkit_port_process(port);
}

/* ---- who asks ---- */

struct seen {
	unsigned int sent, received;
};

static void agent_redirect_snoop(void *context, const struct madkit_snooped *snooped)
{
	struct seen *seen = context;

	seen->sent += snooped->direction == MADKIT_SNOOP_POSTED_SENDS;
	seen->received += snooped->direction == MADKIT_SNOOP_RECVS;
}

static struct madkit_reply reply;
static struct madkit_redirected told;

/* Requests an echo of this many bytes of data. Returns "" or the error in the response. */
static const char *agent_redirect_ask(struct madkit_agent *agent, size_t data, unsigned int hops,
				      uint32_t timeout_ms)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_ANY, HEADER + data, timeout_ms, 3);
	const char *wrong = "";
	int ret;

	fill_random(send->mad + HEADER, data, (uint32_t)data);
	madkit_recv_free(reply.recv);
	ret = madkit_request_redirected(agent, send, UINT64_MAX, hops, &reply, &told);
	if (ret)
		wrong = strerror(-ret);
	else if (told.error.code)
		wrong = told.error.text;
	else if (reply.status)
		wrong = strerror(-reply.status);
	else if (reply.recv->len < send->len || memcmp(reply.recv->mad + HEADER, send->mad + HEADER, data))
		wrong = "other data";
	madkit_send_free(send);
	return wrong;
}

static uint16_t answer_status(void)
{
	struct madkit_header h = { .status = 0xffff };

	if (reply.recv)
		madkit_header_get(reply.recv->mad, reply.recv->len, &h);
	return h.status;
}

static void agent_redirect_follow(struct madkit_agent *agent, const char *how)
{
	static const size_t sizes[] = { 1, 216, 217, 10000, MEGABYTE };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		is_str(agent_redirect_ask(agent, sizes[i], 1, TIMEOUT), "", "%s: %zu bytes there and back",
		       how, sizes[i]);
		ok(told.hops == 1 && reply.recv && reply.recv->from.qp == shared->target.qp,
		   "%s: from the queue pair", how);
	}
}

/* Runs a shell command: its first line of output, and its exit status. */
static int agent_redirect_run(const char *command, char *output, size_t size)
{
	FILE *pipe = popen(command, "r");
	size_t n = 0, got;
	int status;

	need(pipe != NULL, "popen");
	while (n < size - 1 && (got = fread(output + n, 1, size - 1 - n, pipe)))
		n += got;
	output[n] = 0;
	output[strcspn(output, "\n")] = 0;
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define MADSEND "madsend -C rxe0 --gid fe80::ff:fe00:2 --class 0x32 --oui 0x5a0002 -t 5000 "

static void command(void)
{
	char output[8192], qp[32];

	snprintf(qp, sizeof(qp), "\"qp\":%u,", shared->target.qp);
	is_int(agent_redirect_run(MADSEND "0x10 0x40 data=c0ffee -j 2>&1", output, sizeof(output)), 0,
	       "madsend follows a redirection");
	ok(strstr(output, qp) && strstr(output, "\"Data\":\"c0ffee00"), "... to the queue pair");
	is_int(agent_redirect_run(MADSEND "--redirects 0 0x10 0x40 -j 2>&1 >/dev/null", output,
				  sizeof(output)),
	       4, "madsend --redirects 0 does not");
	ok(strstr(output, "redirect"), "... %s", output);
	is_int(agent_redirect_run(
		       "line=$(" MADSEND
		       "--dry-run -j 0x10 0x40 data=c0ffee); for i in 1 2 3; do echo \"$line\"; done |"
		       "madsend -C rxe0 --batch - -j | grep -cF '\"Data\":\"c0ffee00' | grep -x 3",
		       output, sizeof(output)),
	       0, "madsend --batch follows each");
	/* too late to follow: each response, or the timeout, is shown as it arrives */
	is_int(agent_redirect_run(
		       "line=$(" MADSEND
		       "--dry-run -j 0x10 0x40); file=$(mktemp); for i in $(seq 16); do echo \"$line\"; done >$file;"
		       "for n in $(seq 10); do madsend -C rxe0 --batch $file --deadline 0 -j 2>/dev/null; done | wc -l | grep -x 160",
		       output, sizeof(output)),
	       0, "madsend --batch, no time to follow: each line has its own: %s", output);
	shared->target.pkey = 0x9abc;
	is_int(agent_redirect_run(MADSEND "0x10 0x40 2>&1 >/dev/null", output, sizeof(output)), 4,
	       "madsend: a partition it is not in");
	ok(strstr(output, "0x9abc"), "... %s", output);
	shared->target.pkey = 0xffff;
}

int main(void)
{
	struct madkit_addr to;
	struct seen seen = { .sent = 0 };
	struct madkit_snoop *watcher = NULL;
	struct end *client;
	pid_t redirector, server;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED, "mmap");
	redirector = child_start(redirect_on, "umad:rxe1");
	client = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_KERNEL);

	server = qp_server_start("rxe1", MADKIT_QKEY_GSI, &to);
	shared->target = (struct madkit_cpi_target){ .qp = to.qp, .qkey = to.qkey, .pkey = 0xffff };
	memcpy(shared->target.gid, to.gid, 16);
	agent_redirect_follow(client->agent, "QP 1's Q_Key");
	shared->at_once = true;
	agent_redirect_follow(client->agent, "where to is in the answer");
	shared->at_once = false;
	ok(*agent_redirect_ask(client->agent, 1, 0, TIMEOUT) && answer_status() == MADKIT_STATUS_REDIRECT &&
		   !told.hops && !told.error.code,
	   "no hop allowed: the answer that redirects");
	child_stop(server);

	server = qp_server_start("rxe1", OWN_QKEY, &to);
	shared->target.qp = to.qp;
	shared->target.qkey = to.qkey;
	agent_redirect_follow(client->agent, "a Q_Key of its own");
	madkit_snoop_register(client->port, MADKIT_SNOOP_POSTED_SENDS | MADKIT_SNOOP_RECVS,
			      agent_redirect_snoop, &seen, &watcher);
	is_str(agent_redirect_ask(client->agent, 1, 1, TIMEOUT), "", "watched: followed");
	is_int(seen.sent, 3, "watched: the request, the ClassPortInfo's, the request");
	is_int(seen.received, 3, "watched: and their answers");
	madkit_snoop_unregister(watcher);
	command();
	child_stop(server);

	/* there is no longer a responder */
	ok(*agent_redirect_ask(client->agent, 1, 1, SHORT) && reply.status == -ETIMEDOUT && told.hops == 1,
	   "a queue pair that is gone: a timeout, after one hop");

	/* back and forth */
	server = child_start(redirect_on, "verbs:rxe1");
	shared->target.qp = shared->qp;
	shared->target.qkey = MADKIT_QKEY_GSI;
	is_str(agent_redirect_ask(client->agent, 1, 1, TIMEOUT), "the responder redirects again",
	       "a circle: the second redirection is not followed");
	is_int(told.error.code, -ELOOP, "a circle: that is the code");
	ok(told.hops == 1 && answer_status() == MADKIT_STATUS_REDIRECT && reply.recv->from.qp == shared->qp,
	   "a circle: the answer of the second place is there");
	is_str(agent_redirect_ask(client->agent, 1, 9, TIMEOUT), "the responder redirects to itself",
	       "a circle: nor where more were allowed");
	madkit_recv_free(reply.recv);
	end_close(client);
	child_stop(server);
	child_stop(redirector);
	return tap_done();
}
