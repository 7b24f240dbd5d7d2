/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sim/serve/serve.h"
#include "util/array_size.h"

#define FIRMWARE "1.0.0"

enum { VENDOR_MELLANOX = 0x2c9 };

/* Whom a file is of: port is NULL for those of the CA. */
struct owner {
	struct fabric *f;
	uint32_t number;
	const struct node *node;
	const struct port *port;
};

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

static void put_node_type(const struct owner *o, struct madkit_buf *buf)
{
	static const char *const names[] = { NULL, "CA", "switch", "router" };

	sim_sysfs_put_name(buf, names, ARRAY_SIZE(names), o->node->type);
}

static void put_description(const struct owner *o, struct madkit_buf *buf)
{
	const uint8_t *text = o->node->description, *nul = memchr(text, 0, FABRIC_INFO_BYTES);

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

	sim_sysfs_put_name(buf, names, ARRAY_SIZE(names), of_port(o, MADKIT_PORT_INFO_LINK_STATE));
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

	sim_sysfs_put_name(buf, names, ARRAY_SIZE(names), of_port(o, MADKIT_PORT_INFO_PHYS_LINK_STATE));
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
	unsigned int speed = speed_of(o), lanes = sim_sysfs_lanes(o);
	unsigned int rate = lanes * topology_lane_rate(speed);

	madkit_buf_printf(buf, "%u%s Gb/sec (%uX %s)\n", rate / 10, rate % 10 ? ".5" : "", lanes,
			  topology_speed_name(speed));
}

static void put_port(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", o->port->number);
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* Its content is one of these. */
struct file {
	const char *name;
	const char *text;
	uint64_t guid;  /* a field of the node */
	uint64_t field; /* a number of the port */
	int hex;        /* ... with so many hexadecimal digits at least; 0: decimal */
	void (*put)(const struct owner *o, struct madkit_buf *buf);
};

/* clang-format off */
static const struct file ca_files[] = {
	{ "board_id", .text = "madsim\n" },
	{ "fw_ver", .text = FIRMWARE "\n" },
	{ "hca_type", .put = put_ca_type },
	{ "hw_rev", .text = "0\n" },
	{ "node_desc", .put = put_description },
	{ "node_guid", .guid = MADKIT_NODE_INFO_GUID },
	{ "node_type", .put = put_node_type },
	{ "sys_image_guid", .guid = MADKIT_NODE_INFO_SYSTEM_GUID },
	{ .name = NULL },
};

static const struct file port_files[] = {
	{ "cap_mask", .field = MADKIT_PORT_INFO_CAP_MASK, .hex = 8 },
	{ "lid", .field = MADKIT_PORT_INFO_LID, .hex = 1 },
	{ "lid_mask_count", .field = MADKIT_PORT_INFO_LMC },
	{ "link_layer", .text = "InfiniBand\n" },
	{ "phys_state", .put = put_phys_state },
	{ "rate", .put = put_rate },
	{ "sm_lid", .field = MADKIT_PORT_INFO_SM_LID, .hex = 1 },
	{ "sm_sl", .field = MADKIT_PORT_INFO_SMSL },
	{ "state", .put = sim_sysfs_put_state },
	{ .name = NULL },
};

static const struct file device_files[] = {
	{ "ibdev", .text = PROTO_CA "\n" },
	{ "port", .put = put_port },
	{ .name = NULL },
};

static const struct file class_files[] = {
	{ "abi_version", .text = "5\n" },
	{ .name = NULL },
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
	if (path->len <= skip || path->len > skip + 3 || memcmp(path->word, prefix, skip) ||
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
	else if (files->guid)
		sim_sysfs_put_guid(buf, of_node(o, files->guid));
	else if (files->put)
		files->put(o, buf);
	else if (files->hex)
		madkit_buf_printf(buf, "0x%0*x\n", files->hex, (unsigned int)of_port(o, files->field));
	else
		madkit_buf_printf(buf, "%u\n", (unsigned int)of_port(o, files->field));
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

/* From its number: a switch has port 0 alone. */
static unsigned int first_port(const struct node *node)
{
	return is_switch(node) ? 0 : 1;
}

/* gids/ and pkeys/ */
static int read_table(const struct owner *o, struct path *path, bool gids, struct madkit_buf *buf)
{
	unsigned int i, n = gids ? FABRIC_GUIDS : FABRIC_PKEYS;
	uint64_t v;

	if (!sim_sysfs_next_word(path)) {
		for (i = 0; i < n; i++)
			madkit_buf_printf(buf, "%u\n", i);
		return 0;
	}
	if (path->dir || !sim_sysfs_word_number(path, "", n, &i))
		return -ENOENT;
	if (!gids) {
		madkit_buf_printf(buf, "0x%04x\n",
				  (unsigned int)element_get(MADKIT_P_KEY_TABLE_P_KEY, i,
							    o->port->end->pkeys));
		return 0;
	}
	v = of_port(o, MADKIT_PORT_INFO_GID_PREFIX);
	for (int word = 48; word >= 0; word -= 16)
		madkit_buf_printf(buf, "%04x:", (unsigned int)(v >> word & 0xffff));
	sim_sysfs_put_guid(buf, element_get(MADKIT_GUID_INFO_GUID, i, o->port->end->guids));
	return 0;
}

static int read_port(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	if (!sim_sysfs_next_word(path))
		return list(port_files, "gids/\npkeys/\n", buf);
	if (path->dir && (sim_sysfs_word_is(path, "gids") || sim_sysfs_word_is(path, "pkeys")))
		return read_table(o, path, sim_sysfs_word_is(path, "gids"), buf);
	return sim_sysfs_put_file(port_files, path, o, buf);
}

static int sim_sysfs_read_ports(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	unsigned int n = first_port(o->node);

	if (!sim_sysfs_next_word(path)) {
		for (; fabric_end_port(o->f, o->number, n); n++)
			madkit_buf_printf(buf, "%u/\n", n);
		return 0;
	}
	if (!path->dir || !sim_sysfs_word_number(path, "", 256, &n))
		return -ENOENT;
	o->port = fabric_end_port(o->f, o->number, n);
	return o->port ? read_port(o, path, buf) : -ENOENT;
}

static int read_ca(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	if (!sim_sysfs_next_word(path)) {
		madkit_buf_str(buf, PROTO_CA "/\n");
		return 0;
	}
	if (!path->dir || !sim_sysfs_word_is(path, PROTO_CA))
		return -ENOENT;
	if (!sim_sysfs_next_word(path))
		return list(ca_files, "ports/\n", buf);
	if (path->dir)
		return sim_sysfs_word_is(path, "ports") ? sim_sysfs_read_ports(o, path, buf) : -ENOENT;
	return sim_sysfs_put_file(ca_files, path, o, buf);
}

static int sim_sysfs_read_devices(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	unsigned int n, first = first_port(o->node);

	if (!sim_sysfs_next_word(path)) {
		list(class_files, "", buf);
		for (n = 0; fabric_end_port(o->f, o->number, first + n); n++)
			madkit_buf_printf(buf, "issm%u/\numad%u/\n", n, n);
		return 0;
	}
	if (!path->dir)
		return sim_sysfs_put_file(class_files, path, o, buf);
	if (!sim_sysfs_word_number(path, "umad", 256, &n) && !sim_sysfs_word_number(path, "issm", 256, &n))
		return -ENOENT;
	o->port = fabric_end_port(o->f, o->number, first + n);
	if (!o->port)
		return -ENOENT;
	if (!sim_sysfs_next_word(path))
		return list(device_files, "", buf);
	return sim_sysfs_put_file(device_files, path, o, buf);
}

int sim_sysfs_read(struct fabric *f, uint32_t node, const char *path, size_t len, struct madkit_buf *buf)
{
	struct path rest = { .p = path, .end = path + len };
	struct owner o = { .f = f, .number = node };

	if (node >= f->nnodes)
		return -ENOENT;
	o.node = &f->nodes[node];
	if (!sim_sysfs_next_word(&rest) || !rest.dir)
		return -ENOENT;
	if (sim_sysfs_word_is(&rest, "infiniband"))
		return read_ca(&o, &rest, buf);
	if (sim_sysfs_word_is(&rest, "infiniband_mad"))
		return sim_sysfs_read_devices(&o, &rest, buf);
	return -ENOENT;
}

int sim_sysfs_info(struct fabric *f, uint32_t node, unsigned int port, struct proto_info *info)
{
	struct owner o = { .f = f, .number = node, .port = fabric_end_port(f, node, port) };

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
