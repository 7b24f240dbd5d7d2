// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* C9: ports and agents after fork(). */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/conformance/conformance.h"

/* Agents of the parent: one that requests and one that receives the requests. */
struct pair {
	struct end *here, *there;
};

static struct pair case_fork_pair(struct run *r, enum rmpp rmpp)
{
	const struct madkit_agent_attr client = vendor_attr(OUI, 0, rmpp),
				       server = vendor_attr(OUI, ASK, rmpp);
	struct pair p = { .here = take(r, HERE, &client) };

	p.there = take(r, THERE, &server);
	return p;
}

static struct madkit_send *case_fork_request(struct run *r, size_t len)
{
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = vendor_send(r, len, OUI, ASK, ECHO, &to);

	send->timeout_ms = PATIENCE / 2;
	send->retries = 3;
	return send;
}

/* Runs act in a child, and returns its exit status: the number of its first failed check, or 0. */
static int in_child(struct run *r, int (*act)(struct run *, const struct pair *), const struct pair *p)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(r, pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(act(r, p));
	need(r, waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Returns true if another program could register the parent's method. */
static bool is_free(struct run *r)
{
	const struct madkit_agent_attr attr = vendor_attr(OUI, ASK, NO_RMPP);
	struct madkit_port *port = another_port(r, THERE);
	struct madkit_agent *agent;
	int ret = madkit_agent_register(port, &attr, &agent, NULL);

	madkit_port_close(port);
	r->nports--;
	check(r, ret == 0 || ret == -EBUSY, "the registration: %s", strerror(-ret));
	return !ret;
}

/* The parent's agents: a request arrives and is answered. posted: it was sent before, and is the first. */
static void case_fork_exchange(struct run *r, const struct pair *p, bool posted)
{
	unsigned int came = p->there->came, answered = p->here->came;

	if (!posted)
		post(r, p->here, case_fork_request(r, MADKIT_MAD_BYTES));
	drive(r, &p->there->came, came + 1);
	post(r, p->there, response_to(r, p->there->recv[came]));
	drive(r, &p->here->came, answered + 1);
	equal(r, p->here->status, 0, "the request has ended well");
	equal(r, p->there->came, came + 1, "it came once");
}

static int close_both(struct run *r, const struct pair *p)
{
	unsigned int ended = p->here->ended;

	madkit_port_close(r->port[HERE]);
	madkit_port_close(r->port[THERE]);
	return p->here->ended != ended + 1 ? 1 : p->here->status != -ECANCELED ? 2 : 0;
}

static void close_in_child(struct run *r)
{
	struct pair p = case_fork_pair(r, NO_RMPP);

	post(r, p.here, case_fork_request(r, MADKIT_MAD_BYTES));
	equal(r, in_child(r, close_both, &p), 0, "the child's copy of the request is cancelled");
	equal(r, p.here->ended, 0, "... and not the parent's");
	check(r, !is_free(r), "the parent's agent is still registered");
	case_fork_exchange(r, &p, true);
	case_fork_exchange(r, &p, false);
	madkit_agent_unregister(p.there->agent);
	check(r, is_free(r), "the parent ends its agent");
}

/* A transfer of the library's own goes on: the child's close sends no ABORT and no STOP. */
static void close_amid_transfer(struct run *r)
{
	enum { TOTAL = HEADER + 100 * SEGMENT };
	struct pair p = case_fork_pair(r, LIBRARY_RMPP);
	struct madkit_send *send = case_fork_request(r, TOTAL);

	post(r, p.here, send);
	equal(r, in_child(r, close_both, &p), 0, "the child's copy of the request is cancelled");
	case_fork_exchange(r, &p, true);
	equal(r, latest(r, p.there)->len, TOTAL, "the message arrived whole");
	equal(r, send->attempts, 1, "... at the first try");
}

static int do_nothing(struct run *r, const struct pair *p)
{
	(void)r;
	(void)p;
	return 0;
}

static void exit_of_child(struct run *r)
{
	struct pair p = case_fork_pair(r, NO_RMPP);

	post(r, p.here, case_fork_request(r, MADKIT_MAD_BYTES));
	equal(r, in_child(r, do_nothing, &p), 0, "the child ends without closing anything");
	case_fork_exchange(r, &p, true);
}

/* The number of the agent means the same to the device in both processes. */
static int unregister_there(struct run *r, const struct pair *p)
{
	(void)r;
	madkit_agent_unregister(p->there->agent);
	return 0;
}

static void unregister_in_child(struct run *r)
{
	struct pair p = case_fork_pair(r, NO_RMPP);

	equal(r, in_child(r, unregister_there, &p), 0, "the child unregisters an agent");
	check(r, is_free(r), "which ends the parent's agent");
}

/* The queue of the descriptor is shared: each MAD goes to the process that reads it first. */
static int receive_one(struct run *r, const struct pair *p)
{
	return madkit_port_process(r->port[THERE]) != 1 || p->there->came != 1;
}

static void receive_in_child(struct run *r)
{
	struct pair p = case_fork_pair(r, NO_RMPP);

	post(r, p.here, case_fork_request(r, MADKIT_MAD_BYTES));
	await(r, port_of(r, THERE));
	equal(r, in_child(r, receive_one, &p), 0, "the child receives the request");
	equal(r, madkit_port_wait(port_of(r, THERE), 0), 0, "the parent no longer has it");
	equal(r, p.there->came, 0, "... and did not have it before");
	case_fork_exchange(r, &p, false);
}

static int open_close_there(struct run *r, const struct pair *p)
{
	const struct madkit_agent_attr attr = vendor_attr(OUI + 1, ASK, NO_RMPP);
	struct madkit_port *port;
	struct madkit_agent *agent;

	(void)p;
	if (madkit_port_open(r->device[THERE], &port, NULL))
		return 1;
	if (madkit_agent_register(port, &attr, &agent, NULL))
		return 2;
	madkit_port_close(port);
	return 0;
}

static void own_port_of_child(struct run *r)
{
	struct pair p = case_fork_pair(r, NO_RMPP);

	equal(r, in_child(r, open_close_there, &p), 0, "the child opens and closes a port of its own");
	case_fork_exchange(r, &p, false);
}

/* As daemon(3): the process that opened the port ends, and its child goes on. */
static int become_daemon(struct run *r, const struct pair *unused)
{
	const struct madkit_agent_attr attr = vendor_attr(OUI, ASK, NO_RMPP);
	const int *pipes = r->arg;
	struct end *end;

	(void)unused;
	r->port[HERE] = NULL; /* it remains the parent's */
	end = take_on(r, another_port(r, THERE), THERE, &attr);
	if (fork())
		return 0;
	if (write(pipes[1], "r", 1) != 1)
		return 1;
	drive(r, &end->came, 1);
	post(r, end, response_to(r, latest(r, end)));
	drive(r, &end->ended, 1);
	madkit_port_close(end->port);
	return write(pipes[1], "c", 1) != 1;
}

static void take_over(struct run *r)
{
	const struct madkit_agent_attr attr = vendor_attr(OUI, 0, NO_RMPP);
	struct end *here = take(r, HERE, &attr);
	int pipes[2];
	char byte;

	need(r, pipe(pipes) == 0, "pipe");
	r->arg = pipes;
	equal(r, in_child(r, become_daemon, NULL), 0, "the opener ends");
	need(r, read(pipes[0], &byte, 1) == 1 && byte == 'r', "its child goes on");
	check(r, ask(r, here, case_fork_request(r, MADKIT_MAD_BYTES)), "... and answers a request");
	need(r, read(pipes[0], &byte, 1) == 1 && byte == 'c', "it closes the port");
	check(r, is_free(r), "... which ends the agent, because no process has the port any more");
	close(pipes[0]);
	close(pipes[1]);
}

static void exec_of_child(struct run *r)
{
	int flags = fcntl(madkit_port_fd(port_of(r, HERE)), F_GETFD);

	need(r, flags >= 0, "the flags of the descriptor: %s", strerror(errno));
	check(r, flags & FD_CLOEXEC, "a program that the child executes does not have it");
}

static const struct test list[] = {
	{ "fork/C9-close", UMAD | PEER | FILES, close_in_child, NULL },
	{ "fork/C9-close-amid-transfer", UMAD | PEER | FILES, close_amid_transfer, NULL },
	{ "fork/C9-exit", UMAD | PEER | FILES, exit_of_child, NULL },
	{ "fork/C9-unregister", UMAD | PEER | FILES, unregister_in_child, NULL },
	{ "fork/C9-receive", UMAD | PEER | FILES, receive_in_child, NULL },
	{ "fork/C9-own-port", UMAD | PEER | FILES, own_port_of_child, NULL },
	{ "fork/C9-take-over", UMAD | PEER | FILES, take_over, NULL },
	{ "fork/C9-exec", UMAD | FILES, exec_of_child, NULL },
};
TESTS(fork_tests, list);
