/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The preloaded umad device, tested like a kernel's: by system calls only, on a node of a madsim with an
 * active subnet. The expected results are in tests/kernel/FACTS, or hold for every descriptor. No other
 * program of the node may have the issm device open.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rdma/ib_user_mad.h>
#include "tests/tap.h"

#define UMAD "/dev/infiniband/umad0"
#define ISSM "/dev/infiniband/issm0"
#define PORT "/sys/class/infiniband/sim0/ports/1/"

enum {
	NEW = sizeof(struct ib_user_mad_hdr),
	OLD = sizeof(struct ib_user_mad_hdr_old),
	MAD = 256,
	WAIT = 30000, /* ms: for what has to come */
	CLASS = 0x32,
	OUI = 0x5a0001,
	VENDOR = 40, /* header of the class */
	SEND = 3,
	GET = 1,
	RESPONSE = 0x80,
	LONG = 300000,
	SHARED = 20000,
};

static uint32_t next_tid;

static int test_shim_device_open_umad(int flags)
{
	int fd = open(UMAD, O_RDWR | flags);

	if (fd >= 0 && ioctl(fd, IB_USER_MAD_ENABLE_PKEY, NULL))
		printf("# IB_USER_MAD_ENABLE_PKEY: %s\n", strerror(errno));
	return fd;
}

static int attach(int fd, unsigned int mgmt_class, unsigned int oui, unsigned int method, unsigned int rmpp,
		  uint32_t *id)
{
	struct ib_user_mad_reg_req2 req = {
		.qpn = mgmt_class != 0x81,
		.mgmt_class = (uint8_t)mgmt_class,
		.mgmt_class_version = 1,
		.oui = oui,
		.rmpp_version = (uint8_t)rmpp,
	};

	if (method)
		req.method_mask[0] = UINT64_C(1) << method;
	int ret = ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req);

	*id = req.id;
	return ret ? errno : 0;
}

/* Sends Get(NodeInfo) over a directed route of these hops; returns the low half of the TID. */
static ssize_t ask_through(int fd, uint32_t agent, size_t header, const char *path, size_t hops,
			   uint32_t timeout, uint32_t *tid)
{
	uint8_t buf[NEW + MAD] = { 0 }, *mad = buf + header;
	struct ib_user_mad_hdr hdr = { .id = agent, .timeout_ms = timeout, .lid = 0xffff };

	memcpy(buf, &hdr, header);
	memcpy(mad, "\x01\x81\x01\x01", 4);
	mad[7] = (uint8_t)hops;
	*tid = ++next_tid;
	memcpy(mad + 12, &(uint32_t){ htobe32(*tid) }, 4);
	mad[17] = 0x11;
	memset(mad + 32, 0xff, 4);
	memcpy(mad + 129, path, hops);
	return write(fd, buf, header + MAD);
}

static ssize_t test_shim_device_ask(int fd, uint32_t agent, uint32_t *tid)
{
	return ask_through(fd, agent, NEW, "", 0, 1000, tid);
}

static bool is_answer(const uint8_t *buf, size_t header, uint32_t tid)
{
	struct ib_user_mad_hdr hdr = { 0 };
	const uint8_t *mad = buf + header;
	uint32_t low;

	memcpy(&hdr, buf, header);
	memcpy(&low, mad + 12, 4);
	return !hdr.status && hdr.length == header + MAD && mad[3] == 0x81 && mad[17] == 0x11 &&
	       be32toh(low) == tid && mad[65] == 1 && mad[66] == 1;
}

static bool test_shim_device_answered(int fd, uint32_t tid)
{
	uint8_t buf[NEW + MAD];

	return read(fd, buf, sizeof(buf)) == sizeof(buf) && is_answer(buf, NEW, tid);
}

static int wait_in(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, WAIT) == 1 ? p.revents : 0;
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void test_shim_device_waits(void)
{
	int fd = test_shim_device_open_umad(O_NONBLOCK), other = test_shim_device_open_umad(O_NONBLOCK),
	    ep = epoll_create1(0);
	struct pollfd p[2] = { { .fd = other, .events = POLLIN | POLLOUT },
			       { .fd = fd, .events = POLLIN | POLLOUT } };
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	struct timespec soon = { 0 }, later = { .tv_sec = WAIT / 1000 };
	struct timeval tv = { .tv_sec = WAIT / 1000 };
	uint32_t agent, tid;
	uint8_t buf[NEW + MAD];
	fd_set set;

	ok(fd >= 0 && other >= 0, "a device is opened twice");
	is_int(attach(fd, 0x81, 0, 0, 0, &agent), 0, "an agent for SMPs");
	is_int(read(fd, buf, sizeof(buf)), -1, "nothing has come");
	is_int(errno, EAGAIN, "EAGAIN");
	is_int(poll(p, 2, 0), 2, "poll: both");
	is_int(p[0].revents | p[1].revents, POLLOUT, "... may be written, not read");
	is_int(test_shim_device_ask(fd, agent, &tid), NEW + MAD, "a request is written");
	is_int(wait_in(fd), POLLIN, "poll waits for the answer");
	p[0].events = p[1].events = POLLIN;
	is_int(poll(p, 2, 0), 1, "poll: one of the two may be read");
	ok(!p[0].revents && p[1].revents == POLLIN, "... the one that asked");
	is_int(ppoll(p, 2, &soon, NULL), 1, "ppoll: so it says");
	is_int(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event), 0, "epoll takes the descriptor");
	is_int(epoll_wait(ep, &event, 1, 0), 1, "epoll: it may be read");
	FD_ZERO(&set);
	FD_SET(fd, &set);
	FD_SET(other, &set);
	is_int(select((fd > other ? fd : other) + 1, &set, NULL, NULL, &tv), 1, "select: one");
	ok(FD_ISSET(fd, &set) && !FD_ISSET(other, &set), "... the same");
	ok(test_shim_device_answered(fd, tid), "NodeInfo of a CA is read");
	is_int(epoll_wait(ep, &event, 1, 0), 0, "epoll: nothing is left");

	event = (struct epoll_event){ .events = EPOLLIN | EPOLLET, .data.fd = fd };
	is_int(epoll_ctl(ep, EPOLL_CTL_MOD, fd, &event), 0, "epoll, edge-triggered");
	test_shim_device_ask(fd, agent, &tid);
	is_int(epoll_wait(ep, &event, 1, WAIT), 1, "epoll wakes up");
	ok(test_shim_device_answered(fd, tid), "... for the answer");
	test_shim_device_ask(fd, agent, &tid);
	is_int(epoll_wait(ep, &event, 1, WAIT), 1, "... and for the next");
	is_int(ppoll(p + 1, 1, &later, NULL), 1, "ppoll waits");
	ok(test_shim_device_answered(fd, tid), "... for it too");
	test_shim_device_ask(fd, agent, &tid);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	is_int(select(fd + 1, &set, NULL, NULL, &tv), 1, "select waits");
	ok(test_shim_device_answered(fd, tid), "... for another");
	close(ep);
	close(other);
	close(fd);
}

static void test_shim_device_nothing(int signal)
{
	(void)signal;
}

static void *late_ask(void *context)
{
	const int *ends = context;
	uint32_t tid;

	test_shim_device_ask(ends[0], (uint32_t)ends[1], &tid);
	return NULL;
}

/* Until thread or process tid sleeps. */
static void until_asleep(pid_t tid)
{
	char path[64], stat[256], *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	for (int i = 0; i < WAIT; i++) {
		FILE *f = fopen(path, "r");

		state = f && fgets(stat, sizeof(stat), f) ? strrchr(stat, ')') : NULL;
		if (f)
			fclose(f);
		if (state && state[2] == 'S')
			return;
		poll(NULL, 0, 1);
	}
}

static void blocks(void)
{
	int fd = test_shim_device_open_umad(0), ends[2];
	struct sigaction action = { .sa_handler = test_shim_device_nothing };
	uint8_t buf[NEW + MAD];
	uint32_t agent;
	pthread_t thread;
	pid_t parent = getpid(), child;

	attach(fd, 0x81, 0, 0, 0, &agent);
	ends[0] = fd;
	ends[1] = (int)agent;
	if (!pthread_create(&thread, NULL, late_ask, ends)) {
		is_int(read(fd, buf, sizeof(buf)), NEW + MAD,
		       "a read that blocks gets what another thread asks for");
		pthread_join(thread, NULL);
	}
	sigaction(SIGUSR1, &action, NULL);
	child = fork();
	if (!child) {
		until_asleep(parent);
		kill(parent, SIGUSR1);
		_exit(0);
	}
	is_int(read(fd, buf, sizeof(buf)), -1, "a signal ends it");
	is_int(errno, EINTR, "... with EINTR");
	waitpid(child, NULL, 0);
	is_int(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0, "O_NONBLOCK is set later");
	is_int(read(fd, buf, sizeof(buf)), -1, "... and it blocks no more");
	is_int(errno, EAGAIN, "... but says EAGAIN");
	close(fd);
}

/* ---- copies ------------------------------------------------------------------------------ */

static void copies(void)
{
	int fd = test_shim_device_open_umad(0), copy = dup(fd), high = dup2(fd, 200), status = -1;
	uint32_t agent, tid;
	pid_t child;

	attach(fd, 0x81, 0, 0, 0, &agent);
	close(fd);
	is_int(test_shim_device_ask(copy, agent, &tid), NEW + MAD, "dup: a copy of the descriptor writes");
	ok(test_shim_device_answered(high, tid), "dup2: another one reads");
	close(high);
	child = fork();
	if (!child) {
		test_shim_device_ask(copy, agent, &tid);
		_exit(!test_shim_device_answered(copy, tid));
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "fork: the child writes and reads");
	test_shim_device_ask(copy, agent, &tid);
	ok(test_shim_device_answered(copy, tid), "... and so does its parent");
	child = fork();
	if (!child) {
		uint32_t own;
		int mine = test_shim_device_open_umad(0);

		close(copy);
		_exit(attach(mine, 0x81, 0, 0, 0, &own) || test_shim_device_ask(mine, own, &tid) < 0 ||
		      !test_shim_device_answered(mine, tid));
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "a child opens the device itself");
	test_shim_device_ask(copy, agent, &tid);
	ok(test_shim_device_answered(copy, tid), "... which ends nothing of its parent's");
	close(copy);
	is_int(fcntl(test_shim_device_open_umad(O_CLOEXEC), F_GETFD), FD_CLOEXEC, "O_CLOEXEC");
	is_int(fcntl(test_shim_device_open_umad(0), F_GETFD), 0, "... or not");
}

static void test_shim_device_many(void)
{
	unsigned int good = 0;
	uint32_t agent, tid;

	/* methods that would be in each other's way */
	for (int i = 0; i < 2000; i++) {
		int fd = test_shim_device_open_umad(0);

		good += fd >= 0 && !attach(fd, CLASS, OUI, SEND, 0, &agent);
		close(fd);
	}
	is_int(good, 2000, "a closed file has given up its agents when the next one is opened");
	int fd = test_shim_device_open_umad(0);

	attach(fd, 0x81, 0, 0, 0, &agent);
	test_shim_device_ask(fd, agent, &tid);
	ok(test_shim_device_answered(fd, tid), "... 2000 times");
	close(fd);
}

/* ---- lengths ----------------------------------------------------------------------------- */

static void test_shim_device_sizes(void)
{
	int fd = test_shim_device_open_umad(0), old = open(UMAD, O_RDWR);
	struct ib_user_mad_reg_req req = { .qpn = 0, .mgmt_class = 0x81, .mgmt_class_version = 1 };
	uint8_t buf[NEW + MAD];
	uint32_t agent, tid;

	attach(fd, 0x81, 0, 0, 0, &agent);
	test_shim_device_ask(fd, agent, &tid);
	is_int(wait_in(fd), POLLIN, "an answer waits");
	is_int(read(fd, buf, NEW - 1), -1, "read: less than a header");
	is_int(errno, EINVAL, "EINVAL");
	is_int(read(fd, buf, NEW + MAD - 1), -1, "read: less than a MAD");
	is_int(errno, EINVAL, "EINVAL");
	ok(test_shim_device_answered(fd, tid), "... the message has stayed");
	is_int(write(fd, buf, NEW + 35), -1, "write: less than 36 bytes of MAD");
	is_int(errno, EINVAL, "EINVAL");

	is_int(ioctl(old, IB_USER_MAD_REGISTER_AGENT, &req), 0, "the older registration");
	is_int(ask_through(old, req.id, OLD, "", 0, 1000, &tid), OLD + MAD,
	       "a header of 56 bytes, without pkey_index");
	is_int(read(old, buf, sizeof(buf)), OLD + MAD, "... comes with the answer");
	ok(is_answer(buf, OLD, tid), "... and says so");
	is_int(ioctl(old, IB_USER_MAD_ENABLE_PKEY, NULL), -1, "too late for pkey_index");
	is_int(errno, EINVAL, "EINVAL");
	close(old);
	close(fd);
}

static unsigned int test_shim_device_number(const char *path)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	return (unsigned int)strtoul(text, NULL, 0);
}

/* A message to the node's own LID, by the kernel's RMPP, of LONG bytes behind its header. */
static void long_message(void)
{
	const size_t whole = NEW + VENDOR + LONG;
	int from = test_shim_device_open_umad(0), to = test_shim_device_open_umad(0);
	struct ib_user_mad_hdr hdr = { .timeout_ms = 2500,
				       .retries = 3,
				       .qpn = htobe32(1),
				       .qkey = htobe32(0x80010000),
				       .lid = htobe16((uint16_t)test_shim_device_number(PORT "lid")) };
	uint8_t *buf = calloc(1, whole), *got = calloc(1, whole);
	uint8_t *mad = buf + NEW;
	uint8_t *part = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(part + 8192, whole - 8192);
	ok(!attach(to, CLASS, OUI, SEND, 1, &hdr.id) && !attach(from, CLASS, OUI, 0, 1, &hdr.id),
	   "agents with RMPP");
	memcpy(buf, &hdr, NEW);
	memcpy(mad, "\x01\x32\x01\x03", 4);
	mad[15] = 1;
	mad[24] = 1; /* RMPP version, type, flags */
	mad[25] = 1;
	mad[26] = 1;
	memcpy(mad + 36, "\0\x5a\0\x01", 4);
	for (size_t i = 0; i < LONG; i++)
		mad[VENDOR + i] = (uint8_t)(i * 31 >> 3);
	is_int(write(from, buf, whole), (int64_t)whole, "a message of %d bytes is written", LONG);
	is_int(wait_in(to), POLLIN, "it arrives");
	is_int(read(to, got, NEW + MAD - 1), -1, "room for less than a segment");
	is_int(errno, EINVAL, "EINVAL");
	is_int(read(to, got, whole - 1), -1, "one byte less than needed");
	is_int(errno, ENOSPC, "ENOSPC");
	memcpy(&hdr, got, NEW);
	is_u64(hdr.length, whole, "... and the length that is needed");
	is_mem(got + NEW + VENDOR, mad + VENDOR, MAD - VENDOR, "... and its first segment");
	is_int(read(to, part, whole), -1, "B5: read into a buffer that is partly mapped");
	is_int(errno, EFAULT, "B5: EFAULT");
	is_int(read(to, got, whole), (int64_t)whole, "it is read");
	is_mem(got + NEW + VENDOR, mad + VENDOR, LONG, "... as it was");
	munmap(part, 8192);
	free(buf);
	free(got);
	close(from);
	close(to);
}

/* ---- pointers to nothing ----------------------------------------------------------------- */

static void pointers(void)
{
	static void *volatile nowhere[] = { NULL, (void *)8 };
	uint8_t got[NEW + MAD];
	uint32_t agent, tid;
	int fd = test_shim_device_open_umad(O_NONBLOCK);

	is_int(attach(fd, 0x81, 0, 0, 0, &agent), 0, "a client");
	for (size_t i = 0; i < 2; i++) {
		const unsigned long requests[] = {
			IB_USER_MAD_REGISTER_AGENT,
			IB_USER_MAD_REGISTER_AGENT2,
			IB_USER_MAD_UNREGISTER_AGENT,
		};

		for (size_t r = 0; r < 3; r++) {
			is_int(ioctl(fd, requests[r], nowhere[i]), -1, "an ioctl of nothing");
			is_int(errno, EFAULT, "EFAULT");
		}
		is_int(write(fd, nowhere[i], NEW + MAD), -1, "nothing is written");
		is_int(errno, EFAULT, "EFAULT");
	}
	/* the header is there, what follows it is not */
	long page = sysconf(_SC_PAGESIZE);
	uint8_t *end =
		mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_user_mad_hdr hdr = { .id = agent, .lid = 0xffff };

	munmap(end + page, (size_t)page);
	memcpy(end + page - NEW, &hdr, NEW);
	is_int(write(fd, end + page - NEW, NEW + MAD), -1, "a header without a MAD");
	is_int(errno, EFAULT, "EFAULT");
	is_int(test_shim_device_ask(fd, agent, &tid), NEW + MAD, "a request, on the same connection");
	is_int(wait_in(fd), POLLIN, "... is answered");
	is_int(read(fd, nowhere[1], NEW + MAD), -1, "read to nowhere");
	is_int(errno, EFAULT, "EFAULT");
	is_int(read(fd, got, sizeof(got)), NEW + MAD, "... the message is still there");
	ok(is_answer(got, NEW, tid), "... and whole");
	/* the header has room, the MAD has some */
	is_int(test_shim_device_ask(fd, agent, &tid), NEW + MAD, "B5: a request");
	is_int(wait_in(fd), POLLIN, "B5: ... is answered");
	is_int(read(fd, end + page - 100, NEW + MAD), -1, "B5: read into a buffer that is partly mapped");
	is_int(errno, EFAULT, "B5: EFAULT");
	is_int(read(fd, got, sizeof(got)), NEW + MAD, "B5: ... the message is still there");
	ok(is_answer(got, NEW, tid), "B5: ... and whole");
	is_int(read(fd, got, sizeof(got)), -1, "B5: ... and is read once");
	munmap(end, (size_t)page);
	close(fd);
}

/* ---- agents ------------------------------------------------------------------------------ */

static void test_shim_device_agents(void)
{
	int fd = test_shim_device_open_umad(O_NONBLOCK), other = test_shim_device_open_umad(O_NONBLOCK);
	struct ib_user_mad_reg_req2 req = {
		.qpn = 1, .mgmt_class = CLASS, .oui = OUI, .mgmt_class_version = 1, .flags = 0x80
	};
	uint8_t buf[NEW + MAD];
	struct ib_user_mad_hdr hdr;
	uint32_t agent, tid, more;
	unsigned int n = 1;

	is_int(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req), -1, "a flag that is not known");
	is_int(errno, EINVAL, "EINVAL");
	is_u64(req.flags, 1, "... with those that are");
	req = (struct ib_user_mad_reg_req2){ .qpn = 1, .mgmt_class = 0x81, .mgmt_class_version = 1 };
	is_int(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req), -1, "SMPs on QP 1");
	is_int(errno, EINVAL, "EINVAL");
	req.qpn = 2;
	is_int(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req), -1, "QP 2");
	is_int(errno, EINVAL, "EINVAL");
	is_int(attach(fd, CLASS, OUI, SEND, 0, &agent), 0, "a class, an OUI and a method");
	is_int(attach(other, CLASS, OUI, SEND, 0, &more), EINVAL, "... are taken then");
	is_int(ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &agent), 0, "unregistered");
	is_int(attach(other, CLASS, OUI, SEND, 0, &more), 0, "... they are free");
	is_int(ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &agent), -1, "unregistered again");
	is_int(errno, EINVAL, "EINVAL");
	is_int(test_shim_device_ask(fd, agent, &tid), -1, "written by nobody");
	is_int(errno, EIO, "EIO");
	is_int(test_shim_device_ask(fd, 32, &tid), -1, "by an agent that there cannot be");
	is_int(errno, EINVAL, "EINVAL");
	is_int(ioctl(fd, _IO(0x1b, 0x3f), NULL), -1, "an ioctl that is none");
	is_int(errno, ENOTTY, "ENOTTY");
	is_int(attach(fd, 0x81, 0, 0, 0, &agent), 0, "a client");
	while (!attach(fd, 0x81, 0, 0, 0, &more))
		n++;
	is_int(n, 32, "32 of them");
	/* node1 has a cable at its port 1 alone; leaf1 has none at 3 */
	is_int(ask_through(fd, agent, NEW, "\x01\x03", 2, 50, &tid), NEW + MAD, "to nowhere");
	is_int(wait_in(fd), POLLIN, "it comes back");
	is_int(read(fd, buf, sizeof(buf)), NEW + 24, "as the header of a MAD");
	memcpy(&hdr, buf, NEW);
	is_u64(hdr.status, ETIMEDOUT, "with status ETIMEDOUT");
	is_u64(hdr.length, 0, "and no length");
	is_u64(hdr.lid, 0xffff, "its destination is kept");
	close(other);
	close(fd);
}

/* The events that two readers of one descriptor have seen. */
struct shared {
	uint8_t seen[SHARED];
	unsigned int foreign; /* answers with the header of another */
};

static void read_shared(int fd, const uint32_t agents[2], uint32_t first, struct shared *shared)
{
	uint8_t buf[NEW + MAD];

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		struct ib_user_mad_hdr hdr;
		uint32_t tid;

		if (poll(&p, 1, 2000) != 1)
			return;
		if (read(fd, buf, sizeof(buf)) != sizeof(buf))
			continue;
		memcpy(&hdr, buf, sizeof(hdr));
		memcpy(&tid, buf + NEW + 12, sizeof(tid));
		tid = be32toh(tid) - first;
		if (tid >= SHARED || hdr.id != agents[tid % 2] || hdr.status)
			__atomic_fetch_add(&shared->foreign, 1, __ATOMIC_RELAXED);
		else
			__atomic_fetch_add(&shared->seen[tid], 1, __ATOMIC_RELAXED);
	}
}

static void shared_by_processes(void)
{
	struct shared *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t agents[2], first = next_tid + 1, tid;
	unsigned int lost = 0, twice = 0, ended = 0;
	int fd = test_shim_device_open_umad(O_NONBLOCK);

	if (shared == MAP_FAILED)
		return;
	is_int(attach(fd, 0x81, 0, 0, 0, &agents[0]) + attach(fd, 0x81, 0, 0, 0, &agents[1]), 0,
	       "two agents for SMPs");
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			read_shared(fd, agents, first, shared);
			_exit(0);
		}
	for (unsigned int i = 0; i < SHARED; i++)
		if (test_shim_device_ask(fd, agents[i % 2], &tid) != NEW + MAD)
			lost++;
	while (wait(NULL) > 0)
		ended++;
	is_u64(ended, 2, "two processes have read");
	for (unsigned int i = 0; i < SHARED; i++) {
		lost += !shared->seen[i];
		twice += shared->seen[i] > 1;
	}
	is_u64(lost, 0, "B5: two processes read one descriptor: no answer is lost");
	is_u64(twice, 0, "B5: ... none is read twice");
	is_u64(shared->foreign, 0, "B5: ... and none has the header of another");
	munmap(shared, sizeof(*shared));
	close(fd);
}

/* The kernel's open() is EMFILE at the limit of descriptors. */
static void no_room(void)
{
	struct rlimit limit, few;
	int last, before = open("/dev/null", O_RDONLY);

	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = (rlim_t)before + 1;
	setrlimit(RLIMIT_NOFILE, &few);
	last = open(UMAD, O_RDWR);
	is_int(last < 0 ? errno : 0, EMFILE, "B5: without a free descriptor open() of umad is EMFILE");
	last = open(ISSM, O_RDONLY | O_NONBLOCK);
	is_int(last < 0 ? errno : 0, EMFILE, "B5: ... and of issm");
	setrlimit(RLIMIT_NOFILE, &limit);
	close(before);
	last = open(UMAD, O_RDWR);
	ok(last >= 0, "B5: with one it opens again");
	close(last);
}

static void issm(void)
{
	const unsigned int is_sm = 1 << 1;
	int fd, second, status = -1;
	struct stat st;
	pid_t child;

	is_int(stat(ISSM, &st), 0, "there is an issm device");
	ok(S_ISCHR(st.st_mode) && minor(st.st_rdev) == 64, "a character device, minor 64");
	ok(!stat(UMAD, &st) && (st.st_mode & 07777) == 0600, "umad has mode 0600");
	ok(!(test_shim_device_number(PORT "cap_mask") & is_sm), "nobody is a subnet manager here");
	fd = open(ISSM, O_NONBLOCK);
	ok(fd >= 0, "opened");
	ok(test_shim_device_number(PORT "cap_mask") & is_sm, "IsSM is set");
	second = open(ISSM, O_NONBLOCK);
	is_int(second, -1, "a second time");
	is_int(errno, EAGAIN, "EAGAIN");
	child = fork();
	if (!child) {
		close(fd);
		_exit(open(ISSM, O_RDONLY) < 0);
	}
	until_asleep(child);
	is_int(waitpid(child, &status, WNOHANG), 0, "who blocks waits");
	close(fd);
	is_int(waitpid(child, &status, 0), child, "... until it is closed");
	is_int(status, 0, "... and has it then");
	fd = open(ISSM, O_NONBLOCK);
	ok(fd >= 0, "when that one has ended it is free");
	close(fd);
	ok(!(test_shim_device_number(PORT "cap_mask") & is_sm), "IsSM is not set");
	is_int(open("/dev/infiniband/umad7", O_RDWR), -1, "a device that there is not");
	is_int(errno, ENOENT, "ENOENT");
}

int main(void)
{
	test_shim_device_waits();
	blocks();
	copies();
	test_shim_device_many();
	test_shim_device_sizes();
	long_message();
	pointers();
	test_shim_device_agents();
	shared_by_processes();
	no_room();
	issm();
	return tap_done();
}
