/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madkit/addr.h>
#include "sim/serve/sysfs.h"
#include "util/array_size.h"

#define FIRMWARE "1.0.0"

#define SYSFS_NODE_DESC "node_desc"

/* ---- files of the CA ----------------------------------------------------------------- */

static void put_node_guid(const struct owner *o, struct madkit_buf *buf)
{
	sim_sysfs_put_guid(buf, of_node(o, MADKIT_NODE_INFO_GUID) ^ (is_roce(o) ? GUID_BESIDE : 0));
}

static void put_system_guid(const struct owner *o, struct madkit_buf *buf)
{
	sim_sysfs_put_guid(buf, of_node(o, MADKIT_NODE_INFO_SYSTEM_GUID) ^ (is_roce(o) ? GUID_BESIDE : 0));
}

static void put_node_type(const struct owner *o, struct madkit_buf *buf)
{
	static const char *const names[] = { NULL, "CA", "switch", "router" };

	sim_sysfs_put_name(buf, names, ARRAY_SIZE(names), o->node->type);
}

static void put_description(const struct owner *o, struct madkit_buf *buf)
{
	const uint8_t *text = o->node->description, *nul = memchr(text, 0, FABRIC_INFO_BYTES);

	/* the format of rdma-ndd */
	if (is_roce(o))
		madkit_buf_printf(buf, "%s %s", o->devices->host, o->device->name);
	else
		madkit_buf_add(buf, text, nul ? (size_t)(nul - text) : FABRIC_INFO_BYTES);
	madkit_buf_char(buf, '\n');
}

/* Stores the bytes as they are, including a newline, as node_desc_store() does. */
static int store_description(const struct owner *o, const char *bytes, size_t n)
{
	return is_roce(o) ? 0 : fabric_set_description(o->f, o->device->node, bytes, n);
}

static void sysfs_ca_type(const struct owner *o, char *text, size_t size)
{
	/* the name that mlx5_ib uses */
	if (of_node(o, MADKIT_NODE_INFO_VENDOR_ID) == MADKIT_OUI_MELLANOX)
		snprintf(text, size, "MT%u", (unsigned int)of_node(o, MADKIT_NODE_INFO_DEV_ID));
	else
		snprintf(text, size, "madsim");
}

static void put_ca_type(const struct owner *o, struct madkit_buf *buf)
{
	char text[64];

	sysfs_ca_type(o, text, sizeof(text));
	madkit_buf_printf(buf, "%s\n", text);
}

/* ---- files of a port ------------------------------------------------------------------- */

static void put_port(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", o->number);
}

static void put_ibdev(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%s\n", o->device->name);
}

static void put_umad_dev(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, PROTO_MAJOR ":%u\n", o->device->umad + o->number - o->device->first);
}

static void put_issm_dev(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, PROTO_MAJOR ":%u\n",
			  PROTO_ISSM_MINOR + o->device->umad + o->number - o->device->first);
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct file ca_files[] = {
	{ "board_id", .text = "madsim\n" },
	{ "fw_ver", .text = FIRMWARE "\n" },
	{ "hca_type", .put = put_ca_type },
	{ "hw_rev", .text = "0\n" },
	{ SYSFS_NODE_DESC, .put = put_description, .store = store_description },
	{ "node_guid", .put = put_node_guid },
	{ "node_type", .put = put_node_type },
	{ "sys_image_guid", .put = put_system_guid },
	{ .name = NULL },
};

static const struct file umad_files[] = {
	{ "dev", .put = put_umad_dev },
	{ "ibdev", .put = put_ibdev },
	{ "port", .put = put_port },
	{ .name = NULL },
};

static const struct file issm_files[] = {
	{ "dev", .put = put_issm_dev },
	{ "ibdev", .put = put_ibdev },
	{ "port", .put = put_port },
	{ .name = NULL },
};

static const struct file class_files[] = {
	{ "abi_version", .text = "5\n" },
	{ .name = NULL },
};
/* clang-format on */

/* ---- directories ------------------------------------------------------------------------ */

/* Sets the port. Returns false if the device has no port with this number. */
static bool sim_sysfs_take_port(struct owner *o, unsigned int number)
{
	if (number < o->device->first || number > o->device->last)
		return false;
	o->number = number;
	o->port = fabric_end_port(o->f, o->device->node, device_node_port(o->device, number));
	return o->port;
}

static int sim_sysfs_read_ports(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	unsigned int n;

	if (!sim_sysfs_next_word(path)) {
		for (n = o->device->first; n <= o->device->last; n++)
			madkit_buf_printf(buf, "%u/\n", n);
		return 0;
	}
	if (!path->dir || !sim_sysfs_word_number(path, "", UINT16_MAX, &n) || !sim_sysfs_take_port(o, n))
		return -ENOENT;
	return sim_sysfs_read_port(o, path, buf);
}

static bool sim_sysfs_take_device(struct owner *o, const struct device *device)
{
	if (!device || device->node >= o->f->nnodes)
		return false;
	o->device = device;
	o->node = &o->f->nodes[device->node];
	return true;
}

static int read_ca(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	if (!sim_sysfs_next_word(path)) {
		for (unsigned int i = 0; i < o->devices->n; i++)
			madkit_buf_printf(buf, "%s/\n", o->devices->list[i].name);
		return 0;
	}
	if (!path->dir || !sim_sysfs_take_device(o, devices_find(o->devices, path->word, path->len)))
		return -ENOENT;
	if (!sim_sysfs_next_word(path))
		return sim_sysfs_list(ca_files, "ports/\n", buf);
	if (path->dir)
		return sim_sysfs_word_is(path, "ports") ? sim_sysfs_read_ports(o, path, buf) : -ENOENT;
	return sim_sysfs_put_file(ca_files, path, o, buf);
}

static int sim_sysfs_list_devices(const struct owner *o, struct madkit_buf *buf)
{
	sim_sysfs_list(class_files, "", buf);
	for (unsigned int i = 0; i < o->devices->n; i++) {
		const struct device *device = &o->devices->list[i];

		for (unsigned int n = 0; n <= device->last - device->first; n++) {
			if (device_has_issm(device))
				madkit_buf_printf(buf, "issm%u/\n", device->umad + n);
			madkit_buf_printf(buf, "umad%u/\n", device->umad + n);
		}
	}
	return 0;
}

static int sim_sysfs_read_devices(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	unsigned int n, port;
	bool issm;

	if (!sim_sysfs_next_word(path))
		return sim_sysfs_list_devices(o, buf);
	if (!path->dir)
		return sim_sysfs_put_file(class_files, path, o, buf);
	issm = sim_sysfs_word_number(path, "issm", UINT16_MAX, &n);
	if (!issm && !sim_sysfs_word_number(path, "umad", UINT16_MAX, &n))
		return -ENOENT;
	if (!sim_sysfs_take_device(o, devices_umad(o->devices, n, &port)) || !sim_sysfs_take_port(o, port) ||
	    (issm && !device_has_issm(o->device)))
		return -ENOENT;
	if (!sim_sysfs_next_word(path))
		return sim_sysfs_list(issm ? issm_files : umad_files, "", buf);
	return sim_sysfs_put_file(issm ? issm_files : umad_files, path, o, buf);
}

static int sim_sysfs_walk(struct owner *o, const char *path, size_t len, struct madkit_buf *buf)
{
	struct path rest = { .p = path, .end = path + len };

	if (!sim_sysfs_next_word(&rest) || !rest.dir)
		return -ENOENT;
	if (sim_sysfs_word_is(&rest, "infiniband"))
		return read_ca(o, &rest, buf);
	if (sim_sysfs_word_is(&rest, "infiniband_mad"))
		return sim_sysfs_read_devices(o, &rest, buf);
	return -ENOENT;
}

int sim_sysfs_read(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		   struct madkit_buf *buf)
{
	struct owner o = { .f = f, .devices = devices };

	return sim_sysfs_walk(&o, path, len, buf);
}

/* ---- writing ---------------------------------------------------------------------------- */

bool sim_sysfs_is_writable(const char *name)
{
	return !strcmp(name, SYSFS_NODE_DESC) || !strcmp(name, SYSFS_LIFESPAN);
}

/* Finds a file that can be written to. 0; -ENOENT; -EACCES. */
static int sim_sysfs_find(struct owner *o, const char *path, size_t len)
{
	struct madkit_buf content;
	int ret;

	madkit_buf_init(&content, 0);
	ret = sim_sysfs_walk(o, path, len, &content);
	madkit_buf_free(&content);
	if (ret == -ENOENT)
		return ret;
	return o->file && o->file->store ? 0 : -EACCES;
}

int sim_sysfs_check(struct fabric *f, const struct devices *devices, const char *path, size_t len)
{
	struct owner o = { .f = f, .devices = devices };

	return sim_sysfs_find(&o, path, len);
}

int sim_sysfs_write(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		    const char *bytes, size_t n)
{
	struct owner o = { .f = f, .devices = devices };
	int ret = sim_sysfs_find(&o, path, len);

	return ret ? ret : o.file->store(&o, bytes, n);
}

int sim_sysfs_info(struct fabric *f, uint32_t node, unsigned int port, struct proto_info *info)
{
	struct owner o = { .f = f, .number = port, .port = fabric_end_port(f, node, port) };

	memset(info, 0, sizeof(*info));
	if (!o.port)
		return -EINVAL;
	o.node = &f->nodes[node];
	info->node_guid = of_node(&o, MADKIT_NODE_INFO_GUID);
	info->port_guid = o.port->guid;
	info->gid_prefix = of_port(&o, MADKIT_PORT_INFO_GID_PREFIX);
	info->port = port;
	info->lid = (uint32_t)of_port(&o, MADKIT_PORT_INFO_LID);
	info->sm_lid = (uint32_t)of_port(&o, MADKIT_PORT_INFO_SM_LID);
	info->rate = sim_sysfs_lanes(&o) * topology_lane_rate(sim_sysfs_speed(&o)) / 10;
	info->cap_mask = (uint32_t)of_port(&o, MADKIT_PORT_INFO_CAP_MASK);
	info->lmc = (uint8_t)of_port(&o, MADKIT_PORT_INFO_LMC);
	info->sm_sl = (uint8_t)of_port(&o, MADKIT_PORT_INFO_SMSL);
	info->state = (uint8_t)of_port(&o, MADKIT_PORT_INFO_LINK_STATE);
	info->phys_state = (uint8_t)of_port(&o, MADKIT_PORT_INFO_PHYS_LINK_STATE);
	snprintf(info->ca, sizeof(info->ca), "%s", PROTO_CA);
	sysfs_ca_type(&o, info->ca_type, sizeof(info->ca_type));
	snprintf(info->firmware, sizeof(info->firmware), "%s", FIRMWARE);
	return 0;
}
