/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madkit/addr.h>
#include "sim/serve/serve.h"
#include "util/array_size.h"

#define FIRMWARE "1.0.0"

#define SYSFS_NODE_DESC "node_desc"
#define SYSFS_LIFESPAN  "lifespan"

enum {
	VENDOR_MELLANOX = 0x2c9,
	CAP_MASK_ROCE = 0x04010000, /* a communication manager, GIDs by IP addresses */
};

/* The device and port that a file belongs to; NULL: none. */
struct owner {
	struct fabric *f;
	const struct devices *devices;
	const struct device *device;
	const struct node *node;
	struct port *port;   /* the node's */
	unsigned int number; /* of the device's port; port->number is the node's */
};

/* The GUIDs of a RoCE device differ from those of the CA in this bit. */
#define GUID_BESIDE (UINT64_C(1) << 41)

static bool is_roce(const struct owner *o)
{
	return o->device && o->device->kind == DEVICE_ROCE;
}

static uint64_t of_port(const struct owner *o, uint64_t which)
{
	return field_get(which, o->port->info);
}

static uint64_t of_node(const struct owner *o, uint64_t which)
{
	return field_get(which, o->node->info);
}

/* ---- files of the CA ----------------------------------------------------------------- */

static void sim_sysfs_put_guid(struct madkit_buf *buf, uint64_t guid)
{
	madkit_buf_printf(buf, "%04x:%04x:%04x:%04x\n", (unsigned int)(guid >> 48 & 0xffff),
			  (unsigned int)(guid >> 32 & 0xffff), (unsigned int)(guid >> 16 & 0xffff),
			  (unsigned int)(guid & 0xffff));
}

static void sim_sysfs_put_name(struct madkit_buf *buf, const char *const *names, size_t n, uint64_t value)
{
	madkit_buf_printf(buf, "%u: %s\n", (unsigned int)value,
			  value < n && names[value] ? names[value] : "<unknown>");
}

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

	/* in the format of rdma-ndd */
	if (is_roce(o))
		madkit_buf_printf(buf, "%s %s", o->devices->host, o->device->name);
	else
		madkit_buf_add(buf, text, nul ? (size_t)(nul - text) : FABRIC_INFO_BYTES);
	madkit_buf_char(buf, '\n');
}

static void ca_type(const struct owner *o, char *text, size_t size)
{
	/* as mlx5_ib calls them */
	if (of_node(o, MADKIT_NODE_INFO_VENDOR_ID) == VENDOR_MELLANOX)
		snprintf(text, size, "MT%u", (unsigned int)of_node(o, MADKIT_NODE_INFO_DEV_ID));
	else
		snprintf(text, size, "madsim");
}

static void put_ca_type(const struct owner *o, struct madkit_buf *buf)
{
	char text[64];

	ca_type(o, text, sizeof(text));
	madkit_buf_printf(buf, "%s\n", text);
}

/* ---- files of a port ------------------------------------------------------------------- */

static void sim_sysfs_put_state(const struct owner *o, struct madkit_buf *buf)
{
	static const char *const names[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE" };

	sim_sysfs_put_name(buf, names, ARRAY_SIZE(names),
			   is_roce(o) ? PORT_ACTIVE : of_port(o, MADKIT_PORT_INFO_LINK_STATE));
}

static void put_phys_state(const struct owner *o, struct madkit_buf *buf)
{
	static const char *const names[] = {
		NULL,
		"Sleep",
		"Polling",
		"Disabled",
		"PortConfigurationTraining",
		"LinkUp",
		"LinkErrorRecovery",
		"Phy Test",
	};

	sim_sysfs_put_name(buf, names, ARRAY_SIZE(names),
			   is_roce(o) ? PHYS_LINK_UP : of_port(o, MADKIT_PORT_INFO_PHYS_LINK_STATE));
}

/* The active speed; the kernel takes an unknown one for SDR. */
static unsigned int speed_of(const struct owner *o)
{
	unsigned int speed = o->port->fdr10_active ? TOPOLOGY_FDR10 : port_info_speed(o->port->info);

	return speed ? speed : TOPOLOGY_SDR;
}

static unsigned int sim_sysfs_lanes(const struct owner *o)
{
	unsigned int lanes = topology_lanes((unsigned int)of_port(o, MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE));

	return lanes ? lanes : 1;
}

static void put_rate(const struct owner *o, struct madkit_buf *buf)
{
	unsigned int speed = is_roce(o) ? TOPOLOGY_EDR : speed_of(o);
	unsigned int lanes = is_roce(o) ? 4 : sim_sysfs_lanes(o);
	unsigned int rate = lanes * topology_lane_rate(speed);

	madkit_buf_printf(buf, "%u%s Gb/sec (%uX %s)\n", rate / 10, rate % 10 ? ".5" : "", lanes,
			  topology_speed_name(speed));
}

/* PortInfo's mask, as the driver of the device changes it. */
static void put_cap_mask(const struct owner *o, struct madkit_buf *buf)
{
	uint64_t mask = of_port(o, MADKIT_PORT_INFO_CAP_MASK);

	/* mlx5_query_hca_port(): subnet management needs the SMI device */
	if (o->device->kind == DEVICE_GSI)
		mask = (mask | MADKIT_CAP_MASK_IS_S_MDISABLED) & ~(uint64_t)MADKIT_CAP_MASK_IS_SM;
	if (is_roce(o))
		mask = CAP_MASK_ROCE;
	madkit_buf_printf(buf, "0x%08x\n", (unsigned int)mask);
}

/* A field of PortInfo; 0 for RoCE, which has no subnet. */
static uint64_t sim_sysfs_subnet(const struct owner *o, uint64_t which)
{
	return is_roce(o) ? 0 : of_port(o, which);
}

static void put_lid(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "0x%x\n", (unsigned int)sim_sysfs_subnet(o, MADKIT_PORT_INFO_LID));
}

static void put_lmc(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", (unsigned int)sim_sysfs_subnet(o, MADKIT_PORT_INFO_LMC));
}

static void put_sm_lid(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "0x%x\n", (unsigned int)sim_sysfs_subnet(o, MADKIT_PORT_INFO_SM_LID));
}

static void put_sm_sl(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", (unsigned int)sim_sysfs_subnet(o, MADKIT_PORT_INFO_SMSL));
}

static void put_link_layer(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_str(buf, is_roce(o) ? "Ethernet\n" : "InfiniBand\n");
}

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

/* Its content is text, or what put() appends. */
struct file {
	const char *name;
	const char *text;
	void (*put)(const struct owner *o, struct madkit_buf *buf);
};

/* clang-format off */
static const struct file ca_files[] = {
	{ "board_id", .text = "madsim\n" },
	{ "fw_ver", .text = FIRMWARE "\n" },
	{ "hca_type", .put = put_ca_type },
	{ "hw_rev", .text = "0\n" },
	{ SYSFS_NODE_DESC, .put = put_description },
	{ "node_guid", .put = put_node_guid },
	{ "node_type", .put = put_node_type },
	{ "sys_image_guid", .put = put_system_guid },
	{ .name = NULL },
};

static const struct file port_files[] = {
	{ "cap_mask", .put = put_cap_mask },
	{ "lid", .put = put_lid },
	{ "lid_mask_count", .put = put_lmc },
	{ "link_layer", .put = put_link_layer },
	{ "phys_state", .put = put_phys_state },
	{ "rate", .put = put_rate },
	{ "sm_lid", .put = put_sm_lid },
	{ "sm_sl", .put = put_sm_sl },
	{ "state", .put = sim_sysfs_put_state },
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

/* counters/, as in pma_attrs_ext[]: from PortCounters, or from PortCountersExtended for 64-bit counters. */
static const struct {
	const char *name;
	uint64_t field;
	bool extended;
} counters[] = {
	{ "VL15_dropped", MADKIT_PORT_COUNTERS_VL15_DROPPED, false },
	{ "excessive_buffer_overrun_errors", MADKIT_PORT_COUNTERS_EXCESSIVE_BUFFER_OVERRUN_ERRORS, false },
	{ "link_downed", MADKIT_PORT_COUNTERS_LINK_DOWNED_COUNTER, false },
	{ "link_error_recovery", MADKIT_PORT_COUNTERS_LINK_ERROR_RECOVERY_COUNTER, false },
	{ "local_link_integrity_errors", MADKIT_PORT_COUNTERS_LOCAL_LINK_INTEGRITY_ERRORS, false },
	{ "multicast_rcv_packets", MADKIT_PORT_COUNTERS_EXTENDED_PORT_MULTICAST_RCV_PKTS, true },
	{ "multicast_xmit_packets", MADKIT_PORT_COUNTERS_EXTENDED_PORT_MULTICAST_XMIT_PKTS, true },
	{ "port_rcv_constraint_errors", MADKIT_PORT_COUNTERS_PORT_RCV_CONSTRAINT_ERRORS, false },
	{ "port_rcv_data", MADKIT_PORT_COUNTERS_EXTENDED_PORT_RCV_DATA, true },
	{ "port_rcv_errors", MADKIT_PORT_COUNTERS_PORT_RCV_ERRORS, false },
	{ "port_rcv_packets", MADKIT_PORT_COUNTERS_EXTENDED_PORT_RCV_PKTS, true },
	{ "port_rcv_remote_physical_errors", MADKIT_PORT_COUNTERS_PORT_RCV_REMOTE_PHYSICAL_ERRORS, false },
	{ "port_rcv_switch_relay_errors", MADKIT_PORT_COUNTERS_PORT_RCV_SWITCH_RELAY_ERRORS, false },
	{ "port_xmit_constraint_errors", MADKIT_PORT_COUNTERS_PORT_XMIT_CONSTRAINT_ERRORS, false },
	{ "port_xmit_data", MADKIT_PORT_COUNTERS_EXTENDED_PORT_XMIT_DATA, true },
	{ "port_xmit_discards", MADKIT_PORT_COUNTERS_PORT_XMIT_DISCARDS, false },
	{ "port_xmit_packets", MADKIT_PORT_COUNTERS_EXTENDED_PORT_XMIT_PKTS, true },
	{ "port_xmit_wait", MADKIT_PORT_COUNTERS_PORT_XMIT_WAIT, false },
	{ "symbol_error", MADKIT_PORT_COUNTERS_SYMBOL_ERROR_COUNTER, false },
	{ "unicast_rcv_packets", MADKIT_PORT_COUNTERS_EXTENDED_PORT_UNICAST_RCV_PKTS, true },
	{ "unicast_xmit_packets", MADKIT_PORT_COUNTERS_EXTENDED_PORT_UNICAST_XMIT_PKTS, true },
};
/* clang-format on */

/* A path, word by word. */
struct path {
	const char *p, *end;
	const char *word;
	size_t len;
	bool dir; /* the word has a "/" behind it */
};

/* The next word; false: the path ends here, as that of a directory does. */
static bool sim_sysfs_next_word(struct path *path)
{
	const char *slash;

	if (path->p == path->end)
		return false;
	slash = memchr(path->p, '/', (size_t)(path->end - path->p));
	path->word = path->p;
	path->dir = slash;
	path->len = (size_t)((slash ? slash : path->end) - path->p);
	path->p = slash ? slash + 1 : path->end;
	return true;
}

static bool sim_sysfs_word_is(const struct path *path, const char *word)
{
	return path->len == strlen(word) && !memcmp(path->word, word, path->len);
}

/* The word, or the rest of it, is a number below limit, written as the kernel does. */
static bool sim_sysfs_word_number(const struct path *path, const char *prefix, unsigned int limit,
				  unsigned int *n)
{
	size_t skip = strlen(prefix);

	*n = 0;
	if (path->len <= skip || path->len > skip + 5 || memcmp(path->word, prefix, skip) ||
	    (path->word[skip] == '0' && path->len > skip + 1))
		return false;
	for (size_t i = skip; i < path->len; i++) {
		if (path->word[i] < '0' || path->word[i] > '9')
			return false;
		*n = *n * 10 + (unsigned int)(path->word[i] - '0');
	}
	return *n < limit;
}

static int sim_sysfs_put_file(const struct file *files, const struct path *path, const struct owner *o,
			      struct madkit_buf *buf)
{
	if (path->dir)
		return -ENOENT;
	while (files->name && !sim_sysfs_word_is(path, files->name))
		files++;
	if (!files->name)
		return -ENOENT;
	if (files->text)
		madkit_buf_str(buf, files->text);
	else
		files->put(o, buf);
	return 0;
}

/* A directory: its files, and after them its directories, a line each. */
static int list(const struct file *files, const char *directories, struct madkit_buf *buf)
{
	for (; files->name; files++)
		madkit_buf_printf(buf, "%s\n", files->name);
	madkit_buf_str(buf, directories);
	return 0;
}

/* ---- tables of a port ------------------------------------------------------------------- */

/* Gets the GID with an index. False: the entry is empty. */
static bool gid_at(const struct owner *o, unsigned int i, uint64_t gid[2])
{
	gid[0] = is_roce(o) ? FABRIC_GID_PREFIX : of_port(o, MADKIT_PORT_INFO_GID_PREFIX);
	gid[1] = element_get(MADKIT_GUID_INFO_GUID, i, o->port->end->guids);
	/* the same GID for RoCE v1 and v2 */
	if (is_roce(o))
		gid[1] = i < 2 ? o->port->guid ^ GUID_BESIDE : 0;
	if (is_roce(o) && !gid[1])
		gid[0] = 0;
	return gid[1];
}

static int put_port_gid(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	uint64_t gid[2];

	gid_at(o, i, gid);
	for (int word = 48; word >= 0; word -= 16)
		madkit_buf_printf(buf, "%04x:", (unsigned int)(gid[0] >> word & 0xffff));
	sim_sysfs_put_guid(buf, gid[1]);
	return 0;
}

static int put_pkey(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	uint64_t pkey = element_get(MADKIT_P_KEY_TABLE_P_KEY, i, o->port->end->pkeys);

	if (is_roce(o) && i)
		return -ENOENT;
	madkit_buf_printf(buf, "0x%04x\n", is_roce(o) ? MADKIT_PKEY_DEFAULT : (unsigned int)pkey);
	return 0;
}

/* As in the kernel, -EINVAL if the entry is empty. */
static int put_gid_type(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	uint64_t gid[2];

	if (!gid_at(o, i, gid))
		return -EINVAL;
	madkit_buf_str(buf, is_roce(o) && i ? "RoCE v2\n" : "IB/RoCE v1\n");
	return 0;
}

/* As in the kernel, -EINVAL if the entry has no network device. */
static int put_gid_ndev(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	uint64_t gid[2];

	if (!is_roce(o) || !gid_at(o, i, gid))
		return -EINVAL;
	madkit_buf_str(buf, "eth0\n");
	return 0;
}

/* A directory with a file for each number. */
static int read_table(const struct owner *o, struct path *path, unsigned int n,
		      int (*put)(const struct owner *o, unsigned int i, struct madkit_buf *buf),
		      struct madkit_buf *buf)
{
	unsigned int i;

	if (!sim_sysfs_next_word(path)) {
		for (i = 0; i < n; i++)
			madkit_buf_printf(buf, "%u\n", i);
		return 0;
	}
	return path->dir || !sim_sysfs_word_number(path, "", n, &i) ? -ENOENT : put(o, i, buf);
}

static int read_gids(const struct owner *o, struct path *path, struct madkit_buf *buf)
{
	return read_table(o, path, FABRIC_GUIDS, put_port_gid, buf);
}

static int read_pkeys(const struct owner *o, struct path *path, struct madkit_buf *buf)
{
	return read_table(o, path, is_roce(o) ? 1 : FABRIC_PKEYS, put_pkey, buf);
}

static int read_gid_attrs(const struct owner *o, struct path *path, struct madkit_buf *buf)
{
	if (!sim_sysfs_next_word(path)) {
		madkit_buf_str(buf, "ndevs/\ntypes/\n");
		return 0;
	}
	if (path->dir && sim_sysfs_word_is(path, "types"))
		return read_table(o, path, FABRIC_GUIDS, put_gid_type, buf);
	if (path->dir && sim_sysfs_word_is(path, "ndevs"))
		return read_table(o, path, FABRIC_GUIDS, put_gid_ndev, buf);
	return -ENOENT;
}

/* ---- counters --------------------------------------------------------------------------- */

/* As the kernel, reads the counter by passing a MAD to the performance management agent of the device. */
static int put_counter(const struct owner *o, size_t i, struct madkit_buf *buf)
{
	uint8_t mad[MADKIT_MAD_BYTES], *data = mad + MADKIT_PERF_DATA;
	bool extended = counters[i].extended;
	uint64_t value = 0;

	mad_begin(mad, MADKIT_CLASS_PERF, 1, MADKIT_METHOD_GET,
		  extended ? MADKIT_ATTR_PORT_COUNTERS_EXTENDED : MADKIT_ATTR_PORT_COUNTERS, 0, 0);
	field_put(extended ? MADKIT_PORT_COUNTERS_EXTENDED_PORT_SELECT : MADKIT_PORT_COUNTERS_PORT_SELECT,
		  data, o->port->number);
	if (!is_roce(o) && pma_handle(o->f, o->port, mad))
		value = field_get(counters[i].field, data);
	madkit_buf_printf(buf, "%llu\n", (unsigned long long)value);
	return 0;
}

static int read_counters(const struct owner *o, struct path *path, struct madkit_buf *buf)
{
	bool all = !sim_sysfs_next_word(path);

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (all)
			madkit_buf_printf(buf, "%s\n", counters[i].name);
		else if (!path->dir && sim_sysfs_word_is(path, counters[i].name))
			return put_counter(o, i, buf);
	return all ? 0 : -ENOENT;
}

static int read_hardware(const struct owner *o, struct path *path, struct madkit_buf *buf)
{
	bool all = !sim_sysfs_next_word(path);
	const char *name;

	for (unsigned int i = 0; (name = hardware_name(i)); i++) {
		if (all)
			madkit_buf_printf(buf, "%s\n", name);
		if (all || path->dir || !sim_sysfs_word_is(path, name))
			continue;
		madkit_buf_printf(buf, "%llu\n",
				  (unsigned long long)(is_roce(o) ? 0 : hardware_get(o->port, i)));
		return 0;
	}
	if (!all && (path->dir || !sim_sysfs_word_is(path, SYSFS_LIFESPAN)))
		return -ENOENT;
	/* the default of 10 ms, rounded up to ticks of 4 ms */
	madkit_buf_str(buf, all ? SYSFS_LIFESPAN "\n" : "12\n");
	return 0;
}

/* ---- directories ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	int (*read)(const struct owner *o, struct path *path, struct madkit_buf *buf);
} port_directories[] = {
	{ "counters", read_counters },    { "gid_attrs", read_gid_attrs }, { "gids", read_gids },
	{ "hw_counters", read_hardware }, { "pkeys", read_pkeys },
};

static int read_port(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	if (!sim_sysfs_next_word(path)) {
		list(port_files, "", buf);
		for (size_t i = 0; i < ARRAY_SIZE(port_directories); i++)
			madkit_buf_printf(buf, "%s/\n", port_directories[i].name);
		return 0;
	}
	for (size_t i = 0; path->dir && i < ARRAY_SIZE(port_directories); i++)
		if (sim_sysfs_word_is(path, port_directories[i].name))
			return port_directories[i].read(o, path, buf);
	return sim_sysfs_put_file(port_files, path, o, buf);
}

/* Sets the port. False: the device has no port of this number. */
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
	return read_port(o, path, buf);
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
		return list(ca_files, "ports/\n", buf);
	if (path->dir)
		return sim_sysfs_word_is(path, "ports") ? sim_sysfs_read_ports(o, path, buf) : -ENOENT;
	return sim_sysfs_put_file(ca_files, path, o, buf);
}

static int sim_sysfs_list_devices(const struct owner *o, struct madkit_buf *buf)
{
	list(class_files, "", buf);
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
		return list(issm ? issm_files : umad_files, "", buf);
	return sim_sysfs_put_file(issm ? issm_files : umad_files, path, o, buf);
}

int sim_sysfs_read(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		   struct madkit_buf *buf)
{
	struct path rest = { .p = path, .end = path + len };
	struct owner o = { .f = f, .devices = devices };

	if (!sim_sysfs_next_word(&rest) || !rest.dir)
		return -ENOENT;
	if (sim_sysfs_word_is(&rest, "infiniband"))
		return read_ca(&o, &rest, buf);
	if (sim_sysfs_word_is(&rest, "infiniband_mad"))
		return sim_sysfs_read_devices(&o, &rest, buf);
	return -ENOENT;
}

/* ---- writing ---------------------------------------------------------------------------- */

bool sim_sysfs_is_writable(const char *name)
{
	return !strcmp(name, SYSFS_NODE_DESC) || !strcmp(name, SYSFS_LIFESPAN);
}

/* As node_desc_store(), stores the bytes as they are, including a newline. */
static int store_description(const struct owner *o, const char *bytes, size_t n)
{
	return is_roce(o) ? 0 : fabric_set_description(o->f, o->device->node, bytes, n);
}

/* As set_stats_lifespan(), but the number has no effect: counters are never cached. */
static int store_lifespan(const char *bytes, size_t n)
{
	enum { MOST = 10000 };
	uint64_t ms;

	if (n && bytes[n - 1] == '\n')
		n--;
	return madkit_parse_number(bytes, n, MOST, "lifespan", &ms, NULL) ? -EINVAL : 0;
}

/* Finds a file that can be written: its name and its device. */
static int sim_sysfs_find(struct fabric *f, const struct devices *devices, const char *path, size_t len,
			  struct owner *o, char name[32])
{
	struct path rest = { .p = path, .end = path + len };
	struct madkit_buf content;
	int ret;

	*o = (struct owner){ .f = f, .devices = devices };
	name[0] = '\0';
	madkit_buf_init(&content, 0);
	ret = sim_sysfs_read(f, devices, path, len, &content);
	madkit_buf_free(&content);
	if (ret == -ENOENT)
		return ret;
	while (sim_sysfs_next_word(&rest))
		if (!o->device)
			sim_sysfs_take_device(o, devices_find(devices, rest.word, rest.len));
	if (!rest.dir && rest.len < 32)
		snprintf(name, 32, "%.*s", (int)rest.len, rest.word);
	return o->device && sim_sysfs_is_writable(name) ? 0 : -EACCES;
}

int sim_sysfs_check(struct fabric *f, const struct devices *devices, const char *path, size_t len)
{
	struct owner o;
	char name[32];

	return sim_sysfs_find(f, devices, path, len, &o, name);
}

int sim_sysfs_write(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		    const char *bytes, size_t n)
{
	struct owner o;
	char name[32];
	int ret = sim_sysfs_find(f, devices, path, len, &o, name);

	if (ret)
		return ret;
	return !strcmp(name, SYSFS_NODE_DESC) ? store_description(&o, bytes, n) : store_lifespan(bytes, n);
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
	info->rate = sim_sysfs_lanes(&o) * topology_lane_rate(speed_of(&o)) / 10;
	info->cap_mask = (uint32_t)of_port(&o, MADKIT_PORT_INFO_CAP_MASK);
	info->lmc = (uint8_t)of_port(&o, MADKIT_PORT_INFO_LMC);
	info->sm_sl = (uint8_t)of_port(&o, MADKIT_PORT_INFO_SMSL);
	info->state = (uint8_t)of_port(&o, MADKIT_PORT_INFO_LINK_STATE);
	info->phys_state = (uint8_t)of_port(&o, MADKIT_PORT_INFO_PHYS_LINK_STATE);
	snprintf(info->ca, sizeof(info->ca), "%s", PROTO_CA);
	ca_type(&o, info->ca_type, sizeof(info->ca_type));
	snprintf(info->firmware, sizeof(info->firmware), "%s", FIRMWARE);
	return 0;
}
