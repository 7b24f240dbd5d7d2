/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replies of all kinds, as the client of a served simulation receives them. The reply is there before the call. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "sim/serve/client.h"
#include "sim/serve/wire.h"
#include "tests/tap.h"

static int ends[2], asked;
static char room[8];

static int test_sim_client_interrupted(struct sim_client *client, int err)
{
	(void)client;
	asked = err;
	return -ETIMEDOUT;
}

static struct sim_client client = { .interrupted = test_sim_client_interrupted };

static void test_sim_client_begin(void)
{
	const struct timeval slice = { .tv_usec = 1000 };

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) ||
	    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice)))
		abort();
	client.fd = ends[0];
	client.broken = 0;
}

static void test_sim_client_end(void)
{
	close(ends[0]);
	close(ends[1]);
}

static void test_sim_client_reply(struct proto_reply reply, const char *text, int fd)
{
	if (sim_wire_send(ends[1], &reply, sizeof(reply), text, strlen(text), fd))
		abort();
}

static int test_sim_client_call(enum proto_op op, struct sim_call *c)
{
	static char sysfs_path[] = "x";

	memset(room, '-', sizeof(room));
	*c = (struct sim_call){ .call = { .op = op }, .text = room, .size = 4 };
	if (op == PROTO_SYSFS)
		c->rest[0] = (struct iovec){ sysfs_path, 1 };
	return sim_client_call(&client, c);
}

static void test_sim_client_texts(void)
{
	int fd = sim_wire_file("abcdefgh", 8);
	struct sim_call c;

	test_sim_client_begin();
	test_sim_client_reply((struct proto_reply){ .op = PROTO_SYSFS, .len = 3 }, "abc", -1);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), 0, "T3: a text, for a path that outlives the call");
	ok(c.len == 3 && !memcmp(room, "abc-", 4), "... that fits");
	test_sim_client_reply((struct proto_reply){ .op = PROTO_SYSFS, .len = 6 }, "abcdef", -1);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), 0, "a text that is too long");
	ok(c.len == 4 && !memcmp(room, "abcd----", 8), "... is cut, and nothing is written behind its room");
	test_sim_client_reply((struct proto_reply){ .op = PROTO_SYSFS, .len = 8, .flags = PROTO_PASSED }, "",
			      fd);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), 0, "a text in a file");
	ok(c.len == 4 && c.fd < 0 && !memcmp(room, "abcd----", 8), "... is cut as well");
	test_sim_client_reply((struct proto_reply){ .op = PROTO_SYSFS, .error = ENOENT }, "", -1);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), 0, "a refusal is a reply");
	ok(c.reply.error == ENOENT && !c.len, "... with its error");
	close(fd);
	test_sim_client_end();
}

static void test_sim_client_descriptors(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct sim_call c;

	test_sim_client_begin();
	test_sim_client_reply((struct proto_reply){ .op = PROTO_OPEN, .value = 7 }, "", null);
	is_int(test_sim_client_call(PROTO_OPEN, &c), 0, "OPEN");
	ok(c.fd >= 0 && c.reply.value == 7 && fcntl(c.fd, F_GETFD) == FD_CLOEXEC, "... has a descriptor");
	close(c.fd);
	test_sim_client_reply((struct proto_reply){ .op = PROTO_OPEN, .error = EINVAL }, "", null);
	is_int(test_sim_client_call(PROTO_OPEN, &c), 0, "OPEN that is refused");
	is_int(c.fd, -1, "... has none, whatever came");
	test_sim_client_reply((struct proto_reply){ .op = PROTO_OPEN }, "", -1);
	is_int(test_sim_client_call(PROTO_OPEN, &c), -EPROTO, "OPEN without a descriptor");
	is_int(test_sim_client_call(PROTO_OPEN, &c), -EPROTO, "... and no more calls");
	close(null);
	test_sim_client_end();
}

static void test_sim_client_failures(void)
{
	struct sim_call c;
	int fd;

	test_sim_client_begin();
	test_sim_client_reply((struct proto_reply){ .op = PROTO_SYSFS, .len = 4 }, "abc", -1);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), -EPROTO, "a length that is wrong");
	test_sim_client_end();
	test_sim_client_begin();
	test_sim_client_reply((struct proto_reply){ .op = PROTO_TREE, .len = 3 }, "abc", -1);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), -EPROTO, "the reply to another call");
	test_sim_client_end();
	test_sim_client_begin();
	fd = sim_wire_file("abc", 3);
	test_sim_client_reply((struct proto_reply){ .op = PROTO_SYSFS, .len = 4, .flags = PROTO_PASSED }, "",
			      fd);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), -EPROTO, "a file that is shorter than its reply says");
	close(fd);
	test_sim_client_end();
	test_sim_client_begin();
	is_int(test_sim_client_call(PROTO_SYSFS, &c), -ETIMEDOUT, "no reply");
	is_int(asked, EAGAIN, "... because interrupted() gave up after the socket's time limit");
	is_int(test_sim_client_call(PROTO_SYSFS, &c), -ETIMEDOUT, "... nor is another call made");
	test_sim_client_end();
	test_sim_client_begin();
	shutdown(ends[1], SHUT_WR);
	is_int(test_sim_client_call(PROTO_SYSFS, &c), -ECONNRESET, "a server that is gone");
	test_sim_client_end();
}

int main(void)
{
	test_sim_client_texts();
	test_sim_client_descriptors();
	test_sim_client_failures();
	return tap_done();
}
