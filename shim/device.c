/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel's ib_umad makes of a program's calls. A device's descriptor is known by
 * the socket that it is, whatever number it has and whichever process dup()ed or forked it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <rdma/ib_user_mad.h>
#include "shim/shim.h"

enum {
	HEADER		= sizeof(struct ib_user_mad_hdr),
	HEADER_OLD	= sizeof(struct ib_user_mad_hdr_old),
	SEGMENT		= 256,	/* there has to be room for one */
	LEAST		= 36,	/* of a MAD that is written: its header, and RMPP's */
	AGENTS		= HOST_AGENTS_MAX,
	ISSM_WAIT_NS	= 20 * 1000 * 1000,
};

/* ---- the files there are ---------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	struct entry {
		dev_t dev;
		ino_t ino;
		struct shim_file file;
		bool seen;
	} *list;
	size_t count, cap;
} files = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* One reader at a time looks at a message and takes it. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
	pthread_mutex_lock(&reading);
	pthread_mutex_lock(&files.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&files.lock);
	pthread_mutex_unlock(&reading);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

static struct entry *entry_of(int fd)
{
	struct stat st;

	if (!files.count || fstat(fd, &st) || !S_ISSOCK(st.st_mode))
		return NULL;
	for (size_t i = files.count; i--; )
		if (files.list[i].ino == st.st_ino && files.list[i].dev == st.st_dev)
			return &files.list[i];
	return NULL;
}

/* Forgets files of which this process has no descriptor any more. */
static void forget(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	size_t n = 0;

	if (!dir)
		return;
	for (size_t i = 0; i < files.count; i++)
		files.list[i].seen = false;
	while ((d = readdir(dir))) {
		struct entry *entry = entry_of(atoi(d->d_name));

		if (entry)
			entry->seen = true;
	}
	closedir(dir);
	for (size_t i = 0; i < files.count; i++)
		if (files.list[i].seen)
			files.list[n++] = files.list[i];
	files.count = n;
}

static int remember(int fd, uint64_t token)
{
	struct stat st;
	int ret = 0;

	if (fstat(fd, &st))
		return -errno;
	pthread_mutex_lock(&files.lock);
	if (files.count == files.cap)
		forget();
	if (2 * files.count >= files.cap) {
		size_t cap = files.cap ? 2 * files.cap : 16;
		struct entry *list = realloc(files.list, cap * sizeof(*list));

		if (list) {
			files.list = list;
			files.cap = cap;
		}
	}
	if (files.count == files.cap)
		ret = -ENOMEM;
	else
		files.list[files.count++] = (struct entry){
			.dev = st.st_dev, .ino = st.st_ino, .file.token = token,
		};
	pthread_mutex_unlock(&files.lock);
	return ret;
}

bool shim_device(int fd, struct shim_file *file)
{
	int saved = errno;
	struct entry *entry;

	if (!__atomic_load_n(&files.count, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&files.lock);
	entry = entry_of(fd);
	if (entry)
		*file = entry->file;
	pthread_mutex_unlock(&files.lock);
	errno = saved;
	return entry;
}

/* ---- opening ---------------------------------------------------------------------------- */

static int lost_or(const struct shim_answer *answer, int lost, int ret)
{
	return ret && answer->lost ? lost : ret;
}

static int with_flags(int fd, int flags)
{
	if ((flags & O_CLOEXEC || !fcntl(fd, F_SETFD, 0)) &&
	    (!(flags & O_NONBLOCK) || !fcntl(fd, F_SETFL, O_NONBLOCK)))
		return fd;
	int err = errno;

	close(fd);
	return -err;
}

static int open_umad(unsigned int port, int flags)
{
	struct shim_answer answer = { .fd = -1 };
	int ret = shim_call(&(struct shim_call){ .op = PROTO_OPEN, .arg = port, .pass = -1 },
			    &answer);

	if (ret)
		return ret;
	ret = answer.fd < 0 ? -EIO : remember(answer.fd, answer.value);
	if (!ret)
		return with_flags(answer.fd, flags);
	if (answer.fd >= 0)
		close(answer.fd);
	return ret;
}

/* Who opens it to wait waits until nobody else has it. */
static int open_issm(unsigned int port, int flags)
{
	for (;;) {
		struct timespec wait = { .tv_nsec = ISSM_WAIT_NS };
		struct shim_answer answer = { .fd = -1 };
		int ret = shim_call(&(struct shim_call){ .op = PROTO_ISSM, .arg = port,
							 .pass = -1 }, &answer);

		if (!ret)
			return answer.fd < 0 ? -EIO : with_flags(answer.fd, flags);
		if (ret != -EAGAIN || answer.lost || flags & O_NONBLOCK)
			return ret;
		if (nanosleep(&wait, NULL))
			return -errno;
	}
}

int shim_device_open(const struct shim_place *place, int flags)
{
	int port = shim_device_port(place);

	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if (port < 0)
		return port;
	return place->kind == SHIM_UMAD ? open_umad((unsigned int)port, flags) :
					  open_issm((unsigned int)port, flags);
}

/* ---- reading ---------------------------------------------------------------------------- */

/* The header of the message that stands first. 1; 0: there is none; -errno. */
static int look(int fd, struct proto_mad *head, int flags)
{
	ssize_t n = recv(fd, head, sizeof(*head), MSG_PEEK | flags);

	if (n < 0)
		return errno == EAGAIN && flags & MSG_DONTWAIT ? 0 : -errno;
	/* the server is gone, and the device with it */
	return n == (ssize_t)sizeof(*head) ? 1 : -EIO;
}

/* Its first len bytes, and it is gone from the queue unless flags have MSG_PEEK. */
static int take(int fd, void *bytes, size_t len, int flags)
{
	struct proto_mad head;
	struct iovec iov[] = { { &head, sizeof(head) }, { bytes, len } };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2,
			      .msg_control = &control, .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | flags);
	size_t done = 0;
	int memfd = -1;

	if (n < 0)
		return -errno;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(&memfd, CMSG_DATA(c), sizeof(int));
	if (!(head.flags & PROTO_PASSED))
		done = (size_t)n - sizeof(head);
	while (memfd >= 0 && done < len) {
		n = pread(memfd, (char *)bytes + done, len - done, (off_t)done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (memfd >= 0)
		close(memfd);
	return done == len ? 0 : -EIO;
}

static int put_header(const struct proto_mad *head, size_t header, void *buf)
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

/* The message that stands first, if it fits. */
static ssize_t read_one(int fd, const struct proto_mad *head, size_t header, char *buf,
			size_t count)
{
	size_t least = head->len < SEGMENT ? head->len : SEGMENT;
	int ret;

	if (count < header + least)
		return -EINVAL;
	if (count < header + head->len) {
		ret = put_header(head, header, buf);
		if (!ret)
			ret = take(fd, buf + header, least, MSG_PEEK);
		return ret ? ret : -ENOSPC;
	}
	/* first: a message that has no place to go to stays */
	ret = put_header(head, header, buf);
	if (!ret)
		ret = take(fd, buf + header, head->len, 0);
	return ret ? ret : (ssize_t)(header + head->len);
}

ssize_t shim_device_read(int fd, const struct shim_file *file, void *buf, size_t count)
{
	size_t header = file->pkey ? HEADER : HEADER_OLD;
	struct proto_mad head;
	ssize_t ret;

	if (count < header)
		return -EINVAL;
	for (;;) {
		pthread_mutex_lock(&reading);
		ret = look(fd, &head, MSG_DONTWAIT);
		if (ret > 0)
			ret = read_one(fd, &head, header, buf, count);
		pthread_mutex_unlock(&reading);
		if (ret)
			return ret;
		/* waits, if the descriptor does; somebody else may be quicker then */
		ret = look(fd, &head, 0);
		if (ret < 0)
			return ret;
	}
}

/* ---- writing ---------------------------------------------------------------------------- */

/* A descriptor of a file without a name that holds these bytes; -errno. */
static int in_memory(const void *bytes, size_t len)
{
	int fd = memfd_create("mad", MFD_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < len) {
		ssize_t n = libc_write(fd, (const char *)bytes + done, len - done);

		if (n <= 0) {
			close(fd);
			return n && errno != EINTR ? -errno : -ENOMEM;
		}
		done += (size_t)n;
	}
	return fd;
}

ssize_t shim_device_write(const struct shim_file *file, const void *buf, size_t count)
{
	size_t header = file->pkey ? HEADER : HEADER_OLD, len = count - header;
	const char *mad = (const char *)buf + header;
	struct ib_user_mad_hdr hdr = { 0 };
	struct shim_answer answer = { .fd = -1 };
	int ret;

	if (count < header + LEAST)
		return -EINVAL;
	ret = shim_copy(&hdr, buf, header);
	if (ret)
		return ret;
	if (hdr.id >= AGENTS || len > PROTO_MESSAGE_MAX)
		return -EINVAL;
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
	struct shim_call call = { .op = PROTO_SEND, .file = file->token, .pass = -1,
				  .head = &head, .head_len = sizeof(head),
				  .rest = mad, .rest_len = len };

	if (hdr.grh_present) {
		memcpy(head.addr.gid, hdr.gid, sizeof(hdr.gid));
		head.addr.gid_index = hdr.gid_index;
		head.addr.hop_limit = hdr.hop_limit;
		head.addr.traffic_class = hdr.traffic_class;
		head.addr.flow_label = be32toh(hdr.flow_label);
	}
	if (sizeof(struct proto_call) + sizeof(head) + len > PROTO_PACKET_MAX) {
		call.pass = in_memory(mad, len);
		if (call.pass < 0)
			return call.pass;
		call.rest_len = 0;
		head.flags = PROTO_PASSED;
	}
	ret = lost_or(&answer, -EIO, shim_call(&call, &answer));
	if (call.pass >= 0)
		close(call.pass);
	return ret ? ret : (ssize_t)count;
}

/* ---- agents ----------------------------------------------------------------------------- */

/* An agent of the queue pair; *supported are the flags that are known, of a refusal. */
static int enter(int fd, const struct shim_file *file, uint32_t qpn,
		 const struct proto_agent *agent, uint32_t *id, uint32_t *supported)
{
	struct shim_answer answer = { .fd = -1 };
	bool smi = agent->mgmt_class == 0x01 || agent->mgmt_class == 0x81;
	struct entry *entry;
	int ret;

	if (qpn > 1)
		return -EINVAL;
	/* a class is either QP 0's or QP 1's: no flags make it another's */
	if (agent->mgmt_class && smi != !qpn && !(agent->flags & ~(uint32_t)HOST_FLAGS))
		return -EINVAL;
	ret = lost_or(&answer, -EPIPE,
		      shim_call(&(struct shim_call){ .op = PROTO_REGISTER, .file = file->token,
						     .pass = -1, .rest = agent,
						     .rest_len = sizeof(*agent) }, &answer));
	*supported = answer.supported;
	if (ret)
		return ret;
	*id = (uint32_t)answer.value;
	pthread_mutex_lock(&files.lock);
	entry = entry_of(fd);
	if (entry)
		entry->file.used = true;
	pthread_mutex_unlock(&files.lock);
	return 0;
}

static int register_old(int fd, const struct shim_file *file, void *arg)
{
	struct ib_user_mad_reg_req req;
	int ret = shim_copy(&req, arg, sizeof(req));

	if (ret)
		return ret;
	struct proto_agent agent = {
		.mgmt_class = req.mgmt_class,
		.class_version = req.mgmt_class_version,
		.rmpp_version = req.rmpp_version,
		.oui = (uint32_t)req.oui[0] << 16 | (uint32_t)req.oui[1] << 8 | req.oui[2],
	};
	uint32_t supported, id;

	/* bit 0 of the first long is method 0, however long a long is */
	for (unsigned int m = 0; m < 128; m++)
		if (req.method_mask[m / (8 * sizeof(long))] >> m % (8 * sizeof(long)) & 1)
			agent.method_mask[m / 64] |= UINT64_C(1) << m % 64;
	ret = enter(fd, file, req.qpn, &agent, &id, &supported);
	if (ret)
		return ret;
	req.id = id;
	return shim_copy(arg, &req, sizeof(req));
}

static int register_new(int fd, const struct shim_file *file, void *arg)
{
	struct ib_user_mad_reg_req2 req;
	int ret = shim_copy(&req, arg, sizeof(req));

	if (ret)
		return ret;
	struct proto_agent agent = {
		.mgmt_class = req.mgmt_class,
		.class_version = req.mgmt_class_version,
		.rmpp_version = req.rmpp_version,
		.oui = req.oui,
		.flags = req.flags,
		.method_mask = { req.method_mask[0], req.method_mask[1] },
	};
	uint32_t supported = 0, id;

	ret = enter(fd, file, req.qpn, &agent, &id, &supported);
	if (!ret)
		req.id = id;
	else if (ret == -EINVAL && req.flags & ~supported && req.qpn <= 1)
		req.flags = supported;
	return shim_copy(arg, &req, sizeof(req)) ? -EFAULT : ret;
}

static int unregister(const struct shim_file *file, uint32_t id)
{
	struct shim_answer answer = { .fd = -1 };

	if (id >= AGENTS)
		return -EINVAL;
	return lost_or(&answer, -EINVAL,
		       shim_call(&(struct shim_call){ .op = PROTO_UNREGISTER, .file = file->token,
						      .arg = id, .pass = -1 }, &answer));
}

static int enable_pkey(int fd)
{
	struct entry *entry;
	int ret = -EBADF;

	pthread_mutex_lock(&files.lock);
	entry = entry_of(fd);
	if (entry) {
		ret = entry->file.used ? -EINVAL : 0;
		if (!ret)
			entry->file.pkey = true;
	}
	pthread_mutex_unlock(&files.lock);
	return ret;
}

int shim_device_ioctl(int fd, const struct shim_file *file, unsigned long request, void *arg)
{
	uint32_t id;

	/* the kernel looks at 32 bits; older programs hand an int over */
	switch ((uint32_t)request) {
	case (uint32_t)IB_USER_MAD_ENABLE_PKEY:
		return enable_pkey(fd);
	case (uint32_t)IB_USER_MAD_REGISTER_AGENT:
		return register_old(fd, file, arg);
	case (uint32_t)IB_USER_MAD_REGISTER_AGENT2:
		return register_new(fd, file, arg);
	case (uint32_t)IB_USER_MAD_UNREGISTER_AGENT:
		return shim_copy(&id, arg, sizeof(id)) ? -EFAULT : unregister(file, id);
	default:
		return -ENOTTY;
	}
}
