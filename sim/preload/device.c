/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls on umad and issm devices, as the kernel's ib_umad implements them. */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <rdma/ib_user_mad.h>
#include "sim/preload/shim.h"
#include "sim/serve/wire.h"

enum {
	HEADER = sizeof(struct ib_user_mad_hdr),
	HEADER_OLD = sizeof(struct ib_user_mad_hdr_old),
	SEGMENT = 256, /* a buffer must have room for one segment */
	LEAST = 36,    /* bytes of a MAD for write(): the headers of MAD and RMPP */
	AGENTS = PROTO_AGENTS_MAX,
	ISSM_WAIT_NS = 20 * 1000 * 1000,
	LOCK_PAUSE_NS = 50 * 1000,
	LOCK_TRIES = 40,
	GONE_PAUSE_NS = 100 * 1000 * 1000,
};

/* ---- one reader at a time ------------------------------------------------------------- */

/*
 * To peek at a message and to take it are several system calls, between which neither another thread nor
 * another process with the descriptor may take the message. The mutex excludes threads; a record lock on the
 * socket excludes processes. None of these system calls blocks. Meanwhile all signals are blocked that a
 * handler could catch, except faults: a handler that reads never interrupts its own thread here.
 */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

struct reading {
	sigset_t signals;
	int cancel;
};

static void reading_begin(struct reading *r)
{
	sigset_t all;

	sigfillset(&all);
	for (int signal = 1; signal < NSIG; signal++)
		if (shim_is_fault(signal))
			sigdelset(&all, signal);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &r->cancel);
	pthread_sigmask(SIG_BLOCK, &all, &r->signals);
	pthread_mutex_lock(&reading);
}

static void reading_end(const struct reading *r)
{
	pthread_mutex_unlock(&reading);
	pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
	pthread_setcancelstate(r->cancel, NULL);
}

/* Returns false if another process has the lock. */
static bool device_lock_socket(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };

	return !fcntl(fd, F_SETLK, &lock) || (errno != EAGAIN && errno != EACCES);
}

/*
 * Waits while another process is reading. That takes microseconds, unless the process was stopped: then there
 * is nothing to read until it continues. A non-blocking descriptor also retries for a moment, because
 * edge-triggered epoll reports a message only once. 0: try again; -EAGAIN; -EINTR.
 */
static int device_await_lock(int fd, unsigned int tries)
{
	struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	int flags = tries < LOCK_TRIES ? 0 : fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	if (flags & O_NONBLOCK)
		return -EAGAIN;
	return nanosleep(&pause, NULL) ? -errno : 0;
}

/* fork() takes the mutex like a reader, so that the child finds it free. */
static struct reading fork_reading;

static void reading_before_fork(void)
{
	struct reading r;

	reading_begin(&r);
	fork_reading = r;
}

static void reading_after_fork(void)
{
	struct reading r = fork_reading;

	reading_end(&r);
}

__attribute__((constructor)) static void device_begin(void)
{
	pthread_atfork(reading_before_fork, reading_after_fork, reading_after_fork);
}

/* ---- opening ---------------------------------------------------------------------------- */

static int open_umad(unsigned int number, int flags)
{
	struct sim_call c = { .call = { .op = PROTO_OPEN, .arg = PROTO_UMAD | number } };
	int ret = shim_call(&c, 0);

	if (ret)
		return ret;
	ret = shim_file_add(c.fd, SHIM_UMAD, c.reply.value);
	if (!ret)
		return shim_with_flags(c.fd, flags);
	close(c.fd);
	return ret;
}

/* Without O_NONBLOCK, waits until no other process has the device open. */
static int open_issm(unsigned int number, int flags)
{
	for (;;) {
		struct timespec wait = { .tv_nsec = ISSM_WAIT_NS };
		struct sim_call c = { .call = { .op = PROTO_ISSM, .arg = number } };
		int ret = shim_call(&c, 0);

		if (!ret)
			return shim_with_flags(c.fd, flags);
		if (ret != -EAGAIN || flags & O_NONBLOCK)
			return ret;
		if (nanosleep(&wait, NULL))
			return -errno;
	}
}

int shim_device_open(const struct shim_place *place, int flags)
{
	int ret;

	if (flags & O_DIRECTORY) {
		ret = shim_device_look(place);
		return ret ? ret : -ENOTDIR;
	}
	return place->kind == SHIM_UMAD ? open_umad(place->number, flags) : open_issm(place->number, flags);
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Peeks at the header of the first message. 1; 0: there is none; -errno. */
static int device_peek(int fd, struct proto_mad *head, int flags)
{
	ssize_t n = recv(fd, head, sizeof(*head), MSG_PEEK | flags);

	if (n < 0)
		return errno == EAGAIN && flags & MSG_DONTWAIT ? 0 : -errno;
	/* the server is gone, and so is the device */
	return n == (ssize_t)sizeof(*head) ? 1 : -EIO;
}

/* Receives the first packet: its header, and up to len bytes after it. Returns the number of these bytes, or
 * -errno. *passed is the descriptor that came with the packet; -1: none. */
static ssize_t device_receive(int fd, struct proto_mad *head, void *bytes, size_t len, int flags, int *passed)
{
	struct iovec iov[] = { { head, sizeof(*head) }, { bytes, len } };
	union sim_wire_control control;
	struct msghdr msg = {
		.msg_iov = iov, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | flags);

	*passed = -1;
	if (n < 0)
		return -errno;
	*passed = sim_wire_passed(&msg);
	return n < (ssize_t)sizeof(*head) ? -EIO : n - (ssize_t)sizeof(*head);
}

/* Copies the first len bytes of the first message, which stays in the queue. 0; -errno. */
static int device_peek_message(int fd, void *bytes, size_t len)
{
	struct proto_mad head;
	int memfd;
	ssize_t n = device_receive(fd, &head, bytes, len, MSG_PEEK, &memfd);
	size_t done = n > 0 && !(head.flags & PROTO_PASSED) ? (size_t)n : 0;

	while (n >= 0 && memfd >= 0 && done < len) {
		n = pread(memfd, (char *)bytes + done, len - done, (off_t)done);
		if (n <= 0) {
			n = n ? -errno : -EIO;
			break;
		}
		done += (size_t)n;
	}
	if (memfd >= 0)
		close(memfd);
	return n < 0 ? (int)n : done == len ? 0 : -EIO;
}

/* Removes the first message from the queue. 0; -errno. */
static int device_drop(int fd)
{
	struct proto_mad head;
	int memfd;
	ssize_t n = device_receive(fd, &head, NULL, 0, 0, &memfd);

	if (memfd >= 0)
		close(memfd);
	return n < 0 ? (int)n : 0;
}

static int device_put_header(const struct proto_mad *head, size_t header, void *buf)
{
	const struct proto_addr *addr = &head->addr;
	struct ib_user_mad_hdr hdr = {
		.id = head->agent,
		.status = head->status,
		.length = head->status ? 0 : (uint32_t)header + head->len,
		.qpn = htobe32(addr->qp),
		.qkey = htobe32(addr->qkey),
		.lid = htobe16((uint16_t)addr->lid),
		.sl = addr->sl,
		.path_bits = addr->path_bits,
		.grh_present = addr->grh,
		.gid_index = addr->gid_index,
		.hop_limit = addr->hop_limit,
		.traffic_class = addr->traffic_class,
		.flow_label = htobe32(addr->flow_label),
		.pkey_index = addr->pkey_index,
	};

	memcpy(hdr.gid, addr->gid, sizeof(hdr.gid));
	return shim_copy(buf, &hdr, header);
}

/* Reads the first message if it fits. Returns its length with the header; -EINVAL: no room for a segment;
 * -ENOSPC: the message is longer than the buffer; or another -errno. */
static ssize_t read_one(int fd, const struct proto_mad *head, size_t header, char *buf, size_t count)
{
	size_t least = head->len < SEGMENT ? head->len : SEGMENT;
	bool fits = count >= header + head->len;
	int ret;

	if (count < header + least)
		return -EINVAL;
	/* ib_umad_read() puts a message back if it does not fit, or if the buffer is not writable */
	ret = device_put_header(head, header, buf);
	if (!ret)
		ret = device_peek_message(fd, buf + header, fits ? head->len : least);
	if (!ret)
		ret = fits ? device_drop(fd) : -ENOSPC;
	return ret ? ret : (ssize_t)(header + head->len);
}

ssize_t shim_device_read(int fd, const struct shim_file *file, void *buf, size_t count)
{
	const struct timespec gone_pause = { .tv_nsec = GONE_PAUSE_NS };
	size_t header = file->pkey ? HEADER : HEADER_OLD;
	struct proto_mad head;
	ssize_t ret;

	if (count < header)
		return -EINVAL;
	for (unsigned int tries = 0;;) {
		struct reading r;
		bool locked;

		reading_begin(&r);
		locked = device_lock_socket(fd, F_WRLCK);
		ret = locked ? device_peek(fd, &head, MSG_DONTWAIT) : 0;
		if (ret > 0)
			ret = read_one(fd, &head, header, buf, count);
		if (locked)
			device_lock_socket(fd, F_UNLCK);
		reading_end(&r);
		/* when a device is gone, opensm reads again at once and logs each error: slow it down */
		if (ret == -EIO)
			nanosleep(&gone_pause, NULL);
		if (ret)
			return ret;
		if (!locked) {
			ret = device_await_lock(fd, ++tries);
			if (ret)
				return ret;
			continue;
		}
		/* blocks, unless the descriptor is non-blocking; another reader may then take the message
		 * first */
		ret = device_peek(fd, &head, 0);
		if (ret < 0)
			return ret;
	}
}

/* ---- writing ---------------------------------------------------------------------------- */

ssize_t shim_device_write(const struct shim_file *file, const void *buf, size_t count)
{
	size_t header = file->pkey ? HEADER : HEADER_OLD, len = count - header;
	struct ib_user_mad_hdr hdr = { 0 };
	char *mad;
	int pass, ret;

	if (count < header + LEAST)
		return -EINVAL;
	ret = shim_copy(&hdr, buf, header);
	if (ret)
		return ret;
	if (hdr.id >= AGENTS || len > PROTO_MESSAGE_MAX)
		return -EINVAL;
	mad = (char *)buf + header;
	struct proto_mad head = {
		.agent = hdr.id,
		.timeout_ms = hdr.timeout_ms,
		.retries = hdr.retries,
		.len = (uint32_t)len,
		.addr = {
			.lid = be16toh(hdr.lid), .qp = be32toh(hdr.qpn), .qkey = be32toh(hdr.qkey),
			.pkey_index = hdr.pkey_index, .sl = hdr.sl, .path_bits = hdr.path_bits,
			.grh = !!hdr.grh_present,
		},
	};

	if (hdr.grh_present) {
		memcpy(head.addr.gid, hdr.gid, sizeof(hdr.gid));
		head.addr.gid_index = hdr.gid_index;
		head.addr.hop_limit = hdr.hop_limit;
		head.addr.traffic_class = hdr.traffic_class;
		head.addr.flow_label = be32toh(hdr.flow_label);
	}
	ret = sim_wire_long(&head, mad, sizeof(struct proto_call), &pass);
	if (ret)
		return ret;
	struct sim_call c = {
		.call = { .op = PROTO_SEND, .file = file->token },
		.rest = { { &head, sizeof(head) }, { mad, pass < 0 ? len : 0 } },
		.pass = &pass,
	};

	ret = shim_call(&c, -EIO);
	if (pass >= 0)
		close(pass);
	return ret ? ret : (ssize_t)count;
}

/* ---- agents ----------------------------------------------------------------------------- */

/* Registers an agent and sets req->id. *supported: the known flags, also if the registration is refused. */
static int device_register_agent(int fd, const struct shim_file *file, struct ib_user_mad_reg_req2 *req,
				 uint32_t *supported)
{
	struct proto_agent agent = {
		.mgmt_class = req->mgmt_class,
		.class_version = req->mgmt_class_version,
		.rmpp_version = req->rmpp_version,
		.oui = req->oui,
		.flags = req->flags,
		.method_mask = { req->method_mask[0], req->method_mask[1] },
	};
	struct sim_call c = {
		.call = { .op = PROTO_REGISTER, .file = file->token },
		.rest = { { &agent, sizeof(agent) } },
	};
	bool smi = agent.mgmt_class == 0x01 || agent.mgmt_class == 0x81;
	int ret;

	if (req->qpn > 1)
		return -EINVAL;
	/* a class belongs either to QP0 or to QP1; the server reports unknown flags first */
	if (agent.mgmt_class && smi != !req->qpn && !(agent.flags & ~(uint32_t)PROTO_AGENT_FLAGS))
		return -EINVAL;
	ret = shim_call(&c, -EPIPE);
	*supported = c.reply.supported;
	if (ret)
		return ret;
	req->id = (uint32_t)c.reply.value;
	shim_file_used(fd);
	return 0;
}

static int register_old(int fd, const struct shim_file *file, void *arg)
{
	struct ib_user_mad_reg_req old;
	uint32_t supported;
	int ret = shim_copy(&old, arg, sizeof(old));

	if (ret)
		return ret;
	struct ib_user_mad_reg_req2 req = {
		.qpn = old.qpn,
		.mgmt_class = old.mgmt_class,
		.mgmt_class_version = old.mgmt_class_version,
		.rmpp_version = old.rmpp_version,
		.oui = (uint32_t)old.oui[0] << 16 | (uint32_t)old.oui[1] << 8 | old.oui[2],
	};

	/* bit 0 of the first long is method 0, on 32-bit machines as well */
	for (unsigned int m = 0; m < 128; m++)
		if (old.method_mask[m / (8 * sizeof(long))] >> m % (8 * sizeof(long)) & 1)
			req.method_mask[m / 64] |= UINT64_C(1) << m % 64;
	ret = device_register_agent(fd, file, &req, &supported);
	if (ret)
		return ret;
	old.id = req.id;
	return shim_copy(arg, &old, sizeof(old));
}

static int register_new(int fd, const struct shim_file *file, void *arg)
{
	struct ib_user_mad_reg_req2 req;
	uint32_t supported = 0;
	int ret = shim_copy(&req, arg, sizeof(req));

	if (ret)
		return ret;
	ret = device_register_agent(fd, file, &req, &supported);
	if (ret == -EINVAL && req.flags & ~supported && req.qpn <= 1)
		req.flags = supported;
	return shim_copy(arg, &req, sizeof(req)) ? -EFAULT : ret;
}

static int device_unregister_agent(const struct shim_file *file, uint32_t id)
{
	struct sim_call c = { .call = { .op = PROTO_UNREGISTER, .file = file->token, .arg = id } };

	return id >= AGENTS ? -EINVAL : shim_call(&c, -EINVAL);
}

int shim_device_ioctl(int fd, const struct shim_file *file, unsigned long request, void *arg)
{
	uint32_t id;

	/* the kernel uses 32 bits of the request; older programs pass it as an int */
	switch ((uint32_t)request) {
	case (uint32_t)IB_USER_MAD_ENABLE_PKEY:
		return shim_file_enable_pkey(fd);
	case (uint32_t)IB_USER_MAD_REGISTER_AGENT:
		return register_old(fd, file, arg);
	case (uint32_t)IB_USER_MAD_REGISTER_AGENT2:
		return register_new(fd, file, arg);
	case (uint32_t)IB_USER_MAD_UNREGISTER_AGENT:
		return shim_copy(&id, arg, sizeof(id)) ? -EFAULT : device_unregister_agent(file, id);
	default:
		return -ENOTTY;
	}
}
