// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The state of an open file of umad: its queue, which outlives the agents that it was filled for, and its
 * agents, which a forked process shares. Needs the soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"

/* Sends MADs 1 to count to rxe1's agent for OUI, and returns when all are queued there. */
static void fill_queue(struct end client, unsigned int count)
{
	struct end asker = open_end("rxe0", SERVER_OUI, 0, 0);
	void *umad = umad_end_request("rxe1", OUI, METHOD_ASK, 0),
	     *echo = umad_end_request("rxe1", SERVER_OUI, METHOD_ASK, 9);
	int length = MAD_SIZE;

	for (unsigned int i = 1; i <= count; i++) {
		put_be((uint8_t *)umad_get_mad(umad) + 8, 8, i);
		need(send_errno(client, umad, MAD_SIZE, 0, 0) == 0, "a request for the queue");
	}
	/* a later request has been answered, so all earlier packets have arrived */
	need(send_errno(asker, echo, MAD_SIZE, PATIENCE, 0) == 0, "a request for the echo");
	need(umad_recv(asker.fd, echo, &length, PATIENCE) == (int)asker.agent && !umad_status(echo),
	     "the echo");
	umad_free(umad);
	umad_free(echo);
	close_end(asker);
}

/* The next MAD of the queue: its TID's low half, with the agent that it is for. -1: none. */
static int next_tid(int fd, int *agent)
{
	void *umad = new_umad(MAD_SIZE);
	int length = MAD_SIZE, tid = -1;

	*agent = umad_recv(fd, umad, &length, 0);
	if (*agent >= 0)
		tid = (int)be_at((uint8_t *)umad_get_mad(umad) + 12, 4);
	umad_free(umad);
	return tid;
}

static void stale(void)
{
	struct end client = open_end("rxe0", OUI, 0, 0), server = open_end("rxe1", OUI, METHOD_ASK, 0);
	struct umad_reg_attr other = umad_end_attr(OUI + 5, 0, 0);
	uint32_t id;
	int agent;

	fill_queue(client, 3);
	is_int(next_tid(server.fd, &agent), 1, "stale: the first of three is read");
	is_int(umad_unregister(server.fd, (int)server.agent), 0, "stale: the agent of the others goes");
	is_int(umad_poll(server.fd, 0), 0, "stale: the file stays readable");
	is_int(next_tid(server.fd, &agent), 2, "stale: what was queued is still read");
	is_int(agent, (int)server.agent, "stale: with the number of the agent that has gone");
	is_int(umad_register2(server.fd, &other, &id), 0, "stale: an agent for something else");
	is_int((int)id, (int)server.agent, "stale: gets the number of the one that has gone");
	is_int(next_tid(server.fd, &agent), 3, "stale: the rest of the queue is read under its number");
	is_int(agent, (int)id, "stale: ... although it has registered no method");
	is_int(next_tid(server.fd, &agent), -1, "stale: and then the queue is empty");
	close_end(server);
	close_end(client);
}

/* Runs act on a forked process's copy of the file, to its end. */
static int umad_queue_forked(int (*act)(struct end end), struct end end)
{
	pid_t pid = fork();
	int status;

	need(pid >= 0, "fork");
	if (!pid)
		_exit(act(end));
	need(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the child");
	return WEXITSTATUS(status);
}

static int act_close(struct end end)
{
	return umad_close_port(end.fd) != 0;
}

static int act_read(struct end end)
{
	int agent, tid = next_tid(end.fd, &agent);

	return tid < 0 ? 99 : tid;
}

static int act_register(struct end end)
{
	return register_errno(end.fd, umad_end_attr(OUI + 6, METHOD_ASK, 0));
}

static int act_unregister(struct end end)
{
	return umad_unregister(end.fd, (int)end.agent) != 0;
}

static void forks(void)
{
	struct end client = open_end("rxe0", OUI, 0, 0), server = open_end("rxe1", OUI, METHOD_ASK, 0), end;
	struct umad_reg_attr attr;
	int agent, holds[2];
	pid_t pid;
	char c;

	is_int(umad_queue_forked(act_close, server), 0, "fork: the child closes its descriptor");
	fill_queue(client, 3);
	is_int(next_tid(server.fd, &agent), 1, "fork: the parent's agent receives as before");
	is_int(umad_queue_forked(act_read, server), 2, "fork: a child reads from the same queue");
	is_int(next_tid(server.fd, &agent), 3, "fork: what it has read the parent does not get");
	is_int(next_tid(server.fd, &agent), -1, "fork: ... nor anything twice");

	is_int(umad_queue_forked(act_register, server), 0, "fork: a child registers an agent");
	is_int(register_errno(server.fd, umad_end_attr(OUI + 6, METHOD_ASK, 0)), EINVAL,
	       "fork: it outlives the child");
	is_int(umad_queue_forked(act_unregister, server), 0, "fork: a child unregisters the parent's agent");
	errno = 0;
	ok(umad_unregister(server.fd, (int)server.agent) < 0 && errno == EINVAL,
	   "fork: then the parent has none");
	close_end(server);

	/* the file is closed when the last process has closed it */
	server = open_end("rxe1", OUI, METHOD_ASK, 0);
	need(pipe(holds) == 0, "pipe");
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		close(holds[1]);
		_exit(read(holds[0], &c, 1) != 0);
	}
	close(holds[0]);
	close_end(server);
	attr = umad_end_attr(OUI, METHOD_ASK, 0);
	end.fd = umad_end_open_port("rxe1");
	is_int(register_errno(end.fd, attr), EINVAL,
	       "fork: closed by the parent alone, the agent keeps its methods");
	close(holds[1]);
	need(waitpid(pid, NULL, 0) == pid, "waitpid");
	is_int(register_errno(end.fd, attr), 0, "fork: with the child's end they are free");
	close_end(end);
	close_end(client);
}

int main(void)
{
	pid_t echo;

	need(umad_init() == 0, "umad_init");
	umad_close_port(umad_end_open_port("rxe0"));
	echo = echo_start("rxe1");
	stale();
	forks();
	child_stop(echo);
	umad_done();
	return tap_done();
}
