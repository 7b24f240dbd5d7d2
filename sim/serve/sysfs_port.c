/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files below infiniband/DEVICE/ports/N/. */
#include <errno.h>
#include <string.h>
#include <madkit/addr.h>
#include "sim/serve/sysfs.h"
#include "util/array_size.h"

enum { CAP_MASK_ROCE = 0x04010000 /* communication management, IP-based GIDs */ };

/* ---- files ------------------------------------------------------------------------------- */

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

unsigned int sim_sysfs_speed(const struct owner *o)
{
	unsigned int speed = port_speed(o->port);

	return speed ? speed : TOPOLOGY_SDR;
}

unsigned int sim_sysfs_lanes(const struct owner *o)
{
	unsigned int lanes = topology_lanes((unsigned int)of_port(o, MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE));

	return lanes ? lanes : 1;
}

static void put_rate(const struct owner *o, struct madkit_buf *buf)
{
	unsigned int speed = is_roce(o) ? TOPOLOGY_EDR : sim_sysfs_speed(o);
	unsigned int lanes = is_roce(o) ? 4 : sim_sysfs_lanes(o);
	unsigned int rate = lanes * topology_lane_rate(speed);

	madkit_buf_printf(buf, "%u%s Gb/sec (%uX %s)\n", rate / 10, rate % 10 ? ".5" : "", lanes,
			  topology_speed_name(speed));
}

/* Writes PortInfo.CapabilityMask as the driver of the device modifies it. */
static void put_cap_mask(const struct owner *o, struct madkit_buf *buf)
{
	uint64_t mask = of_port(o, MADKIT_PORT_INFO_CAP_MASK);

	/* mlx5_query_hca_port(): only the SMI device does subnet management */
	if (o->device->kind == DEVICE_GSI)
		mask = (mask | MADKIT_CAP_MASK_IS_S_MDISABLED) & ~(uint64_t)MADKIT_CAP_MASK_IS_SM;
	if (is_roce(o))
		mask = CAP_MASK_ROCE;
	madkit_buf_printf(buf, "0x%08x\n", (unsigned int)mask);
}

/* Returns a field of PortInfo; 0 for RoCE, which has no subnet. */
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

/* clang-format off */
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

/* The files of counters/, as in pma_attrs_ext[]: 64-bit counters come from PortCountersExtended, others from
 * PortCounters. */
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

/* ---- tables ------------------------------------------------------------------------------ */

/* Gets the GID with this index. Returns false if the entry is empty. */
static bool sysfs_gid_at(const struct owner *o, unsigned int i, uint64_t gid[2])
{
	gid[0] = is_roce(o) ? FABRIC_GID_PREFIX : of_port(o, MADKIT_PORT_INFO_GID_PREFIX);
	gid[1] = element_get(MADKIT_GUID_INFO_GUID, i, o->port->end->guids);
	/* entries 0 and 1 have the same GID, for RoCE v1 and v2 */
	if (is_roce(o))
		gid[1] = i < 2 ? o->port->guid ^ GUID_BESIDE : 0;
	if (is_roce(o) && !gid[1])
		gid[0] = 0;
	return gid[1];
}

static int put_port_gid(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	uint64_t gid[2];

	sysfs_gid_at(o, i, gid);
	for (int word = 48; word >= 0; word -= 16)
		madkit_buf_printf(buf, "%04x:", (unsigned int)(gid[0] >> word & 0xffff));
	sim_sysfs_put_guid(buf, gid[1]);
	return 0;
}

static int put_pkey(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	const uint16_t pkey = get_be16(o->port->end->pkeys + 2 * i);

	if (is_roce(o) && i)
		return -ENOENT;
	madkit_buf_printf(buf, "0x%04x\n", is_roce(o) ? MADKIT_PKEY_DEFAULT : (unsigned int)pkey);
	return 0;
}

/* As in the kernel, returns -EINVAL if the entry is empty. */
static int put_gid_type(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	uint64_t gid[2];

	if (!sysfs_gid_at(o, i, gid))
		return -EINVAL;
	madkit_buf_str(buf, is_roce(o) && i ? "RoCE v2\n" : "IB/RoCE v1\n");
	return 0;
}

/* As in the kernel, returns -EINVAL if the entry has no network device. */
static int put_gid_ndev(const struct owner *o, unsigned int i, struct madkit_buf *buf)
{
	uint64_t gid[2];

	if (!is_roce(o) || !sysfs_gid_at(o, i, gid))
		return -EINVAL;
	madkit_buf_str(buf, "eth0\n");
	return 0;
}

/* Reads a directory with a file for each number below n. */
static int read_table(struct owner *o, struct path *path, unsigned int n,
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

static int read_gids(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	return read_table(o, path, FABRIC_GUIDS, put_port_gid, buf);
}

static int read_pkeys(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	return read_table(o, path, is_roce(o) ? 1 : FABRIC_PKEYS, put_pkey, buf);
}

static int read_gid_attrs(struct owner *o, struct path *path, struct madkit_buf *buf)
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

/* Reads the counter as the kernel does: passes a MAD to the performance management agent of the device. */
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

static int read_counters(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	bool all = !sim_sysfs_next_word(path);

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (all)
			madkit_buf_printf(buf, "%s\n", counters[i].name);
		else if (!path->dir && sim_sysfs_word_is(path, counters[i].name))
			return put_counter(o, i, buf);
	return all ? 0 : -ENOENT;
}

static int put_hardware(const struct owner *o, unsigned int which, struct madkit_buf *buf)
{
	uint64_t value = is_roce(o) ? 0 : hardware_shown(o->f, o->port, which);

	madkit_buf_printf(buf, "%llu\n", (unsigned long long)value);
	return 0;
}

static void put_lifespan(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", hardware_lifespan(o->port, is_roce(o)));
}

/* Parses a number as kstrtoint() does with base 10. */
static int sim_sysfs_parse(const char *bytes, size_t n, int64_t *value)
{
	const char *nul = memchr(bytes, 0, n), *end = nul ? nul : bytes + n;
	bool negative = bytes < end && *bytes == '-';
	const char *p = bytes + (bytes < end && (*bytes == '-' || *bytes == '+')), *digits = p;

	for (*value = 0; p < end && *p >= '0' && *p <= '9'; p++)
		if (*value <= INT32_MAX)
			*value = *value * 10 + (*p - '0');
	if (p == digits || p + (p < end && *p == '\n') != end)
		return -EINVAL;
	if (negative)
		*value = -*value;
	return *value < INT32_MIN || *value > INT32_MAX ? -ERANGE : 0;
}

/* Checks the value as set_stats_lifespan() does. */
static int store_lifespan(const struct owner *o, const char *bytes, size_t n)
{
	enum { MOST = 10000 };
	int64_t ms;
	int ret = sim_sysfs_parse(bytes, n, &ms);

	if (ret)
		return ret;
	return ms < 0 || ms > MOST ? -EINVAL : hardware_set_lifespan(o->port, is_roce(o), (unsigned int)ms);
}

static const struct file hardware_files[] = {
	{ SYSFS_LIFESPAN, .put = put_lifespan, .store = store_lifespan },
	{ .name = NULL },
};

static int read_hardware(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	bool all = !sim_sysfs_next_word(path);
	const char *name;

	for (unsigned int i = 0; (name = hardware_name(i)); i++)
		if (all)
			madkit_buf_printf(buf, "%s\n", name);
		else if (!path->dir && sim_sysfs_word_is(path, name))
			return put_hardware(o, i, buf);
	return all ? sim_sysfs_list(hardware_files, "", buf) :
		     sim_sysfs_put_file(hardware_files, path, o, buf);
}

/* ---- directories ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	int (*read)(struct owner *o, struct path *path, struct madkit_buf *buf);
} port_directories[] = {
	{ "counters", read_counters },    { "gid_attrs", read_gid_attrs }, { "gids", read_gids },
	{ "hw_counters", read_hardware }, { "pkeys", read_pkeys },
};

int sim_sysfs_read_port(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	if (!sim_sysfs_next_word(path)) {
		sim_sysfs_list(port_files, "", buf);
		for (size_t i = 0; i < ARRAY_SIZE(port_directories); i++)
			madkit_buf_printf(buf, "%s/\n", port_directories[i].name);
		return 0;
	}
	for (size_t i = 0; path->dir && i < ARRAY_SIZE(port_directories); i++)
		if (sim_sysfs_word_is(path, port_directories[i].name))
			return port_directories[i].read(o, path, buf);
	return sim_sysfs_put_file(port_files, path, o, buf);
}
