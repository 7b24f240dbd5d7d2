/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's user MAD devices through libibumad. No other file depends on
 * libibumad's error conventions:
 *	umad_open_port	its own -errno: EIO for every failed open()
 *	umad_register2	positive errno
 *	umad_register	-EPERM, the cause in errno
 *	umad_send	-EIO, the cause in errno
 *	umad_recv	-errno; *length is valid only on success or -ENOSPC
 *	umad_poll	-ETIMEDOUT, or -EIO with the cause in errno
 * umad_done() is never called: other users of libibumad may be in the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <infiniband/umad.h>
#include <madkit/mad.h>
#include "transport/choose.h"
#include "transport/clock.h"
#include "transport/refusal.h"
#include "transport/sysfs.h"
#include "transport/transport.h"
#include "transport/umad_probe.h"

struct umad {
	struct transport base;
	int fd;
	unsigned int id; /* of /dev/infiniband/umadID */
	char ca[64];
	unsigned int port;
	/* As read when the port was chosen: for the first call of info(), which port_create() makes at
	 * once. */
	struct madkit_port_info chosen;
	bool chosen_is_new;
};

static struct umad *umad_of(struct transport *transport)
{
	return (struct umad *)transport;
}

/* ---- opening ----------------------------------------------------------------- */

/* Finds out why libibumad failed to open the device, by opening it directly. */
static int umad_explain_open(const struct madkit_port_info *info, struct madkit_error *error)
{
	struct stat st;
	int fd, err;

	errno = 0;
	fd = open(info->umad_path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	err = errno;
	if (fd >= 0) {
		close(fd);
		return madkit_error_set(error, -EIO, -1, "%s opens, but libibumad cannot open %s/%u",
					info->umad_path, info->ca, info->port);
	}
	if (err == EACCES || err == EPERM) {
		if (stat(info->umad_path, &st))
			return madkit_error_set(error, -EACCES, -1, "no permission to open %s",
						info->umad_path);
		return madkit_error_set(
			error, -EACCES, -1,
			"no permission to open %s: its mode is %04o, its owner %u:%u, this process runs as %u:%u",
			info->umad_path, (unsigned int)st.st_mode & 07777, (unsigned int)st.st_uid,
			(unsigned int)st.st_gid, (unsigned int)geteuid(), (unsigned int)getegid());
	}
	if (err == ENOENT)
		return madkit_error_set(error, -ENODEV, -1, "%s/%u has no device node %s: is udev running?",
					info->ca, info->port, info->umad_path);
	if (err == ENXIO || err == ENODEV)
		return madkit_error_set(error, -ENODEV, -1, "%s/%u is gone", info->ca, info->port);
	return madkit_error_set(error, sysfs_exhausted(-err) ? -err : -EIO, -1, "cannot open %s: %s",
				info->umad_path, err ? strerror(err) : "no reason given");
}

static int open_info(const struct madkit_port_info *info, struct transport **transport,
		     struct madkit_error *error)
{
	struct umad *umad = calloc(1, sizeof(*umad));

	if (!umad)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	umad->base.ops = &transport_umad;
	snprintf(umad->ca, sizeof(umad->ca), "%s", info->ca);
	umad->port = info->port;
	umad->id = sysfs_umad_id(info);
	umad->chosen = *info;
	umad->chosen_is_new = true;
	umad_init();
	umad->fd = umad_open_port(umad->ca, (int)umad->port);
	if (umad->fd < 0) {
		free(umad);
		return umad_explain_open(info, error);
	}
	/* fails for a simulator's descriptor, which does not need it */
	fcntl(umad->fd, F_SETFD, FD_CLOEXEC);
	*transport = &umad->base;
	return 0;
}

static int umad_transport_open(const char *spec, const struct madkit_limit *limit,
			       struct transport **transport, struct madkit_error *error)
{
	struct madkit_port_info *ports;
	struct port_wish wish;
	size_t count, chosen = 0;
	int ret = port_wish_parse(spec, &wish, error);

	(void)limit; /* the kernel responds at once */
	if (ret)
		return ret;
	ret = madkit_ports_list(&ports, &count, NULL);
	/* without the module, there are no ports */
	if (!ret && !count) {
		ret = sysfs_umad_loaded();
		if (ret)
			madkit_ports_free(ports);
	}
	if (ret == -ENOENT)
		return madkit_error_set(error, -ENOENT, -1,
					"no /sys/class/infiniband_mad: the ib_umad module is not loaded");
	if (ret)
		return madkit_error_set(error, ret, -1, "cannot read /sys/class/infiniband_mad: %s",
					strerror(-ret));
	ret = port_choose(ports, count, &wish, &chosen, error);
	if (!ret)
		ret = open_info(&ports[chosen], transport, error);
	madkit_ports_free(ports);
	return ret;
}

static void umad_transport_close(struct transport *transport)
{
	umad_close_port(umad_of(transport)->fd);
	free(transport);
}

static int umad_transport_info(struct transport *transport, struct madkit_port_info *info)
{
	struct umad *umad = umad_of(transport);
	bool is_new = umad->chosen_is_new;
	int ret = is_new ? sysfs_port_identity(umad->id, info) : sysfs_port(umad->id, info);

	umad->chosen_is_new = false;
	/* a new device may have the number of a removed one */
	if (ret || strcmp(info->ca, umad->ca) || info->port != umad->port)
		return sysfs_exhausted(ret) ? ret : -ENODEV;
	if (is_new)
		*info = umad->chosen;
	return 0;
}

/* ---- registration -------------------------------------------------------------- */

/* Returns 0 with *id, or a positive errno. */
static int umad_transport_register(int fd, const struct madkit_agent_attr *attr, uint32_t *id)
{
	struct umad_reg_attr reg = {
		.mgmt_class = attr->mgmt_class,
		.mgmt_class_version = attr->class_version,
		.flags = attr->flags,
		.method_mask = { attr->method_mask[0], attr->method_mask[1] },
		.oui = attr->oui,
		.rmpp_version = attr->rmpp_version,
	};
	int ret;

	errno = 0;
	ret = umad_register2(fd, &reg, id);
	return ret < 0 ? -ret : ret;
}

/* Tries a registration and withdraws it at once, on a second open file of the device, because the first may
 * have no room for another agent. Returns 0 or a positive errno. */
static int umad_transport_try_attach(void *context, const struct madkit_agent_attr *attr)
{
	const struct umad *umad = context;
	char ca[sizeof(umad->ca)];
	int second, fd, ret;
	uint32_t id;

	memcpy(ca, umad->ca, sizeof(ca));
	second = umad_open_port(ca, (int)umad->port);
	fd = second >= 0 ? second : umad->fd;
	ret = umad_probe(fd, attr, &id);
	if (ret && !umad_can_probe(fd))
		ret = umad_transport_register(fd, attr, &id);
	if (!ret)
		umad_unregister(fd, (int)id);
	if (second >= 0)
		umad_close_port(second);
	return ret;
}

/* A planarized port has QP0 and QP1 on two devices: reports the other device. */
static int umad_explain_no_qp(struct umad *umad, const struct madkit_agent_attr *attr, const char *device,
			      struct madkit_refusal *refusal)
{
	const struct madkit_port_info *partner = NULL;
	struct madkit_port_info *ports = NULL;
	size_t count;
	int ret;

	if (!madkit_ports_list(&ports, &count, NULL))
		partner = madkit_port_partner(&umad->chosen, ports, count);
	ret = refusal_no_qp(refusal, attr->mgmt_class, device, partner);
	madkit_ports_free(ports);
	return ret;
}

static int umad_explain_attach(struct umad *umad, const struct madkit_agent_attr *attr, int code,
			       struct madkit_refusal *refusal)
{
	char device[sizeof(umad->ca) + 8];
	int ret;

	snprintf(device, sizeof(device), "%s/%u", umad->ca, umad->port);
	if (code == EPROTONOSUPPORT)
		return umad_explain_no_qp(umad, attr, device, refusal);
	/* only if needed: the kernel logs a line for this query */
	if (attr->flags & ~(uint32_t)MADKIT_AGENT_USER_RMPP && code == EINVAL) {
		ret = umad_supported_flags(umad->fd, &refusal->supported_flags);
		refusal->supported_known = !ret || ret == -ENOTTY;
		if (ret == -ENOTTY)
			refusal->supported_flags = 0;
	}
	return refusal_explain(attr, code, device, umad_transport_try_attach, umad, refusal);
}

static int umad_transport_attach(struct transport *transport, const struct madkit_agent_attr *attr,
				 uint32_t *id, struct madkit_refusal *refusal)
{
	struct umad *umad = umad_of(transport);
	int code;

	if (refusal_before(attr, refusal))
		return refusal->error.code;
	code = umad_transport_register(umad->fd, attr, id);
	return code ? umad_explain_attach(umad, attr, code, refusal) : 0;
}

static int umad_transport_detach(struct transport *transport, uint32_t id)
{
	errno = 0;
	if (!umad_unregister(umad_of(transport)->fd, (int)id))
		return 0;
	return errno ? -errno : -EIO;
}

/* ---- MADs ---------------------------------------------------------------------- */

static int umad_transport_send(struct transport *transport, uint32_t id, const struct madkit_addr *to,
			       uint8_t *mad, size_t len, uint32_t timeout_ms, uint32_t retries)
{
	void *umad = mad - umad_size();
	struct ib_mad_addr *addr = umad_get_mad_addr(umad);
	int err;

	if (to->lid > 0xffff || len > INT_MAX - TRANSPORT_HEADROOM)
		return -EINVAL;
	memset(umad, 0, umad_size());
	umad_set_addr(umad, (int)to->lid, (int)to->qp, to->sl, (int)to->qkey);
	umad_set_pkey(umad, to->pkey_index);
	addr->path_bits = to->path_bits;
	if (to->grh) {
		/* umad_set_grh() does not set gid_index */
		addr->grh_present = 1;
		addr->gid_index = to->gid_index;
		addr->hop_limit = to->hop_limit;
		addr->traffic_class = to->traffic_class;
		memcpy(addr->gid, to->gid, sizeof(addr->gid));
		addr->flow_label = htobe32(to->flow_label);
	}
	if (timeout_ms > INT_MAX && timeout_ms != MADKIT_FOREVER)
		timeout_ms = INT_MAX;
	if (retries > INT_MAX)
		retries = INT_MAX;
	if (!umad_send(umad_of(transport)->fd, (int)id, umad, (int)len,
		       timeout_ms == MADKIT_FOREVER ? -1 : (int)timeout_ms, (int)retries))
		return 0;
	err = errno;
	if (err == EINTR)
		return -EAGAIN;
	/* a GID could not be resolved on Ethernet: nothing was sent. ETIMEDOUT would mean that there was no
	 * response. */
	if (err == ETIMEDOUT)
		return -EHOSTUNREACH;
	return err ? -err : -EIO;
}

static void umad_read_addr(void *umad, struct madkit_addr *from)
{
	const struct ib_mad_addr *addr = umad_get_mad_addr(umad);

	memset(from, 0, sizeof(*from));
	from->lid = be16toh(addr->lid);
	from->qp = be32toh(addr->qpn);
	from->qkey = be32toh(addr->qkey);
	from->pkey_index = (uint16_t)umad_get_pkey(umad);
	from->sl = addr->sl;
	from->path_bits = addr->path_bits;
	from->grh = addr->grh_present;
	if (from->grh) {
		memcpy(from->gid, addr->gid, sizeof(from->gid));
		from->gid_index = addr->gid_index;
		from->hop_limit = addr->hop_limit;
		from->traffic_class = addr->traffic_class;
		from->flow_label = be32toh(addr->flow_label);
	}
}

static int umad_transport_receive(struct transport *transport, uint32_t *id, struct madkit_addr *from,
				  uint8_t *buf, size_t size, size_t *len, int *status)
{
	struct umad *umad = umad_of(transport);
	void *frame = buf - umad_size();
	int length, ret;

	if (size > INT_MAX - TRANSPORT_HEADROOM)
		size = INT_MAX - TRANSPORT_HEADROOM;
	length = (int)size;
	ret = umad_recv(umad->fd, frame, &length, 0);
	switch (ret) {
	case -EAGAIN:
	case -EINTR:
		return -EAGAIN;
	case -ENOSPC:
		*len = length > 0 ? (size_t)length : 0;
		return -ENOSPC;
	case -EINVAL:
		/* not even one MAD fits, and it is not known which of the two sizes it has */
		if (size >= MADKIT_FRAME_BYTES)
			return -EIO;
		*len = size < MADKIT_MAD_BYTES ? MADKIT_MAD_BYTES : MADKIT_FRAME_BYTES;
		return -ENOSPC;
	}
	/* the kernel's error for a removed device; its files in sysfs may remain for a moment */
	if (ret == -EIO)
		return -ENODEV;
	if (ret < 0)
		return ret;
	if (length < 0 || (size_t)length > size)
		length = 0;
	*id = (uint32_t)ret;
	*len = (size_t)length;
	*status = umad_status(frame);
	umad_read_addr(frame, from);
	return 0;
}

static int umad_transport_wait(struct transport *transport, int timeout_ms)
{
	int ret = umad_poll(umad_of(transport)->fd, timeout_ms);

	if (!ret)
		return 1;
	if (ret == -ETIMEDOUT)
		return 0;
	return errno == EINTR ? -EINTR : -EIO;
}

static int umad_transport_fd(struct transport *transport)
{
	return umad_get_fd(umad_of(transport)->fd);
}

const struct transport_ops transport_umad = {
	.name = "umad",
	.fixed_qkey = true,
	.rmpp = true,
	.open = umad_transport_open,
	.entry = sysfs_entry,
	.close = umad_transport_close,
	.info = umad_transport_info,
	.attach = umad_transport_attach,
	.detach = umad_transport_detach,
	.send = umad_transport_send,
	.receive = umad_transport_receive,
	.wait = umad_transport_wait,
	.fd = umad_transport_fd,
	.now = clock_now,
	.realtime = clock_realtime,
	.seed = clock_seed,
};
