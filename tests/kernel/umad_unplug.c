// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The errors of a real kernel's umad if its device is removed, at every stage of a program: registered, a
 * request outstanding, an RMPP message half sent or half received, a received message not yet read, blocked
 * in poll, blocked in a receive; and the effects that the peer of the device sees. Needs the soft-RoCE
 * devices rxe0 and rxe1, and deletes rxe1.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { DATA = 1, ACTIVE = 1, FIRST = 2, TOTAL = HEADER + 1000 };

struct stage {
	const char *name;
	struct end end;
	struct end peer; /* at rxe0 */
};

static void umad_unplug_registered(struct stage *s, uint32_t oui)
{
	s->end = open_end("rxe1", oui, METHOD_ASK, 0);
}

static int umad_unplug_take(struct end end)
{
	void *umad = new_umad(MAD_SIZE);
	int length = MAD_SIZE, type;
	const uint8_t *mad = umad_get_mad(umad);

	need(umad_recv(end.fd, umad, &length, PATIENCE) == (int)end.agent && umad_status(umad) == 0, "a MAD");
	type = mad[26] & ACTIVE ? mad[25] : 0;
	umad_free(umad);
	return type;
}

static void outstanding(struct stage *s, uint32_t oui)
{
	void *umad = umad_end_request("rxe0", oui, METHOD_ASK, 1);

	s->peer = open_end("rxe0", oui, METHOD_ASK, 0);
	s->end = open_end("rxe1", oui, 0, 0);
	need(send_errno(s->end, umad, MAD_SIZE, PATIENCE, 3) == 0, "umad_send");
	umad_unplug_take(s->peer);
	umad_free(umad);
}

/* A peer that sees the segments, and acknowledges none. */
static struct end open_deaf(const char *ca, uint32_t oui)
{
	struct umad_reg_attr attr = umad_end_attr(oui, METHOD_ASK, 1);
	struct end end = { .fd = umad_end_open_port(ca) };

	attr.flags = UMAD_USER_RMPP;
	need(umad_register2(end.fd, &attr, &end.agent) == 0, "umad_register2 with UMAD_USER_RMPP");
	return end;
}

static void half_sent(struct stage *s, uint32_t oui)
{
	void *umad = new_umad(TOTAL);

	s->peer = open_deaf("rxe0", oui);
	s->end = open_end("rxe1", oui, 0, 1);
	address_device(umad, "rxe0");
	fill_mad(umad, oui, METHOD_ASK, 1);
	fill_rmpp(umad);
	need(send_errno(s->end, umad, TOTAL, PATIENCE, 3) == 0, "umad_send");
	need(umad_unplug_take(s->peer) == DATA, "the first segment");
	umad_free(umad);
}

static void half_received(struct stage *s, uint32_t oui)
{
	void *umad = umad_end_request("rxe1", oui, METHOD_ASK, 1);
	uint8_t *mad = umad_get_mad(umad);

	s->peer = open_deaf("rxe0", oui);
	s->end = open_end("rxe1", oui, METHOD_ASK, 1);
	fill_rmpp(umad);
	mad[26] |= FIRST;
	put_be(mad + 28, 4, 1);
	put_be(mad + 32, 4, 3 * (SEGMENT + 4));
	need(send_errno(s->peer, umad, MAD_SIZE, PATIENCE, 0) == 0, "umad_send");
	umad_unplug_take(s->peer); /* the ACK */
	umad_free(umad);
}

static void umad_unplug_unread(struct stage *s, uint32_t oui)
{
	void *umad = umad_end_request("rxe1", oui, METHOD_ASK, 1);

	s->peer = open_end("rxe0", oui, 0, 0);
	s->end = open_end("rxe1", oui, METHOD_ASK, 0);
	need(send_errno(s->peer, umad, MAD_SIZE, 0, 0) == 0, "umad_send");
	need(umad_poll(s->end.fd, PATIENCE) == 0, "a MAD");
	umad_free(umad);
}

/* ---- the blocked processes: each reports its result by its exit status ---- */

static int blocked_fd;

static void block_in_poll(const char *ca)
{
	struct pollfd wait = { .fd = blocked_fd, .events = POLLIN };

	(void)ca;
	child_ready();
	_exit(poll(&wait, 1, PATIENCE) == 1 ? wait.revents & POLLERR ? 0 : 1 : 2);
}

/* umad_recv itself polls and then reads */
static void block_in_recv(const char *ca)
{
	void *umad = new_umad(MAD_SIZE);
	int length = MAD_SIZE;

	(void)ca;
	child_ready();
	_exit(-umad_recv(blocked_fd, umad, &length, -1));
}

static void block_in_read(const char *ca)
{
	uint8_t buffer[512];

	(void)ca;
	child_ready();
	fcntl(blocked_fd, F_SETFL, 0);
	_exit(read(blocked_fd, buffer, sizeof(buffer)) < 0 ? errno : 0);
}

/* The number of the system call that a process sleeps in, -1 when it sleeps in none. */
static long sleeps_in(pid_t pid)
{
	char path[32];
	long call = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	file = fopen(path, "r");
	need(file != NULL, path);
	/* "running" while it does not sleep */
	if (fscanf(file, "%ld", &call) != 1)
		call = -1;
	fclose(file);
	return call;
}

static pid_t blocked(void (*how)(const char *ca), int fd, long call)
{
	int64_t until = now_ms() + PATIENCE;
	pid_t pid;

	blocked_fd = fd;
	pid = child_start(how, "rxe1");
	while (sleeps_in(pid) != call)
		need(now_ms() < until, "a process that sleeps");
	return pid;
}

static int exit_of(pid_t pid)
{
	int status;

	need(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the exit of a process");
	return WEXITSTATUS(status);
}

static void umad_unplug_is_gone(const struct stage *s)
{
	struct pollfd wait = { .fd = s->end.fd, .events = POLLIN };
	void *umad = umad_end_request("rxe0", OUI, METHOD_ASK, 9);
	int length = MAD_SIZE;

	is_int(poll(&wait, 1, PATIENCE), 1, "unplug, %s: poll wakes up", s->name);
	ok(wait.revents & POLLERR, "unplug, %s: with POLLERR", s->name);
	is_int(umad_recv(s->end.fd, umad, &length, 0), -EIO, "unplug, %s: receive is EIO", s->name);
	umad_free(umad);
	umad = umad_end_request("rxe0", OUI, METHOD_ASK, 9);
	is_int(send_errno(s->end, umad, MAD_SIZE, 0, 0), EIO, "unplug, %s: send is EIO", s->name);
	is_int(register_errno(s->end.fd, umad_end_attr(OUI, METHOD_GET, 0)), EPIPE,
	       "unplug, %s: registration is EPIPE", s->name);
	errno = 0;
	is_int(umad_unregister(s->end.fd, (int)s->end.agent), -1, "unplug, %s: nothing is left to unregister",
	       s->name);
	is_int(errno, EINVAL, "... EINVAL");
	umad_free(umad);
}

int main(void)
{
	struct stage stages[] = {
		{ .name = "registered" },
		{ .name = "a request outstanding" },
		{ .name = "an RMPP message half sent" },
		{ .name = "an RMPP message half received" },
		{ .name = "a MAD unread" },
	};
	void (*const begin[])(struct stage *, uint32_t) = { umad_unplug_registered, outstanding, half_sent,
							    half_received, umad_unplug_unread };
	const size_t n = ARRAY_SIZE(stages);
	struct end asker = { .fd = -1 }, idle[3];
	struct stage late = { .name = "a file opened and without an agent" };
	pid_t poller, receiver, reader, deletion, ended = 0;
	void *umad, *back;
	int64_t until;
	int length = MAD_SIZE;

	need(umad_init() == 0, "umad_init");
	for (size_t i = 0; i < n; i++)
		begin[i](&stages[i], OUI + 0x10 + (uint32_t)i);
	for (int i = 0; i < 3; i++)
		idle[i] = open_end("rxe1", OUI, 0, 0);
	late.end.fd = umad_end_open_port("rxe1");
	asker = open_end("rxe0", OUI + 0x10, 0, 0);
	umad = umad_end_request("rxe1", OUI + 0x10, METHOD_ASK, 1);
	back = new_umad(MAD_SIZE);
	poller = blocked(block_in_poll, idle[0].fd, SYS_poll);
	receiver = blocked(block_in_recv, idle[1].fd, SYS_poll);
	reader = blocked(block_in_read, idle[2].fd, SYS_read);
	need(send_errno(asker, umad, MAD_SIZE, 1000, 0) == 0, "a request to the device that goes");

	deletion = device_delete("rxe1");
	is_int(exit_of(poller), 0, "unplug, blocked in poll: it wakes up with POLLERR");
	is_int(exit_of(receiver), EIO, "unplug, blocked in umad_recv: EIO");
	device_gone(deletion);
	/* after the wake-up, this process only checks if a MAD has arrived */
	until = now_ms() + PATIENCE;
	while (sleeps_in(reader) != SYS_read && !(ended = waitpid(reader, NULL, WNOHANG)))
		need(now_ms() < until, "a process that sleeps or has ended");
	ok(!ended,
	   "unplug, blocked in a bare read: it sleeps on, only a signal ends it: never read without poll");
	if (!ended)
		child_stop(reader);
	for (size_t i = 0; i < n; i++)
		umad_unplug_is_gone(&stages[i]);
	for (int i = 0; i < 3; i++)
		close_end(idle[i]);
	is_int(register_errno(late.end.fd, umad_end_attr(OUI, METHOD_GET, 0)), EPIPE,
	       "unplug, no agent: registration is EPIPE");
	close_end(late.end);

	is_int(umad_recv(asker.fd, back, &length, PATIENCE), asker.agent,
	       "unplug: what its peer asked comes back");
	is_int(umad_status(back), ETIMEDOUT, "unplug: with status 110");
	length = MAD_SIZE;
	is_int(umad_recv(stages[3].peer.fd, back, &length, 0), -EAGAIN,
	       "unplug: its peer is not told of the message");
	for (size_t i = 0; i < n; i++) {
		close_end(stages[i].end);
		if (i)
			close_end(stages[i].peer);
	}
	close_end(asker);

	need(system("rdma link add rxe1 type rxe netdev v1") == 0, "rdma link add");
	umad_unplug_registered(&late, OUI + 0x10);
	is_int(umad_poll(late.end.fd, 0), -ETIMEDOUT, "plugged in again: a new open file is as good as ever");
	close_end(late.end);
	umad_free(umad);
	umad_free(back);
	umad_done();
	return tap_done();
}
