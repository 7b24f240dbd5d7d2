/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sim/serve/serve.h"

enum { VENDOR_MELLANOX = 0x2c9, ABI_VERSION = 5 };

/* Whom a file is of: port is NULL for those of the CA. */
struct owner {
	struct fabric *f;
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

static void put_node_guid(const struct owner *o, struct madkit_buf *buf)
{
	sim_sysfs_put_guid(buf, of_node(o, MADKIT_NODE_INFO_GUID));
}

static void put_system_guid(const struct owner *o, struct madkit_buf *buf)
{
	sim_sysfs_put_guid(buf, of_node(o, MADKIT_NODE_INFO_SYSTEM_GUID));
}

static void put_node_type(const struct owner *o, struct madkit_buf *buf)
{
	static const char *const names[] = { "<unknown>", "CA", "switch", "router" };

	madkit_buf_printf(buf, "%u: %s\n", o->node->type, names[o->node->type & 3]);
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

static const char firmware[] = "1.0.0";

static void put_firmware(const struct owner *o, struct madkit_buf *buf)
{
	(void)o;
	madkit_buf_printf(buf, "%s\n", firmware);
}

static void put_revision(const struct owner *o, struct madkit_buf *buf)
{
	(void)o;
	madkit_buf_str(buf, "0\n");
}

static void put_board(const struct owner *o, struct madkit_buf *buf)
{
	(void)o;
	madkit_buf_str(buf, "madsim\n");
}

/* ---- files of a port ------------------------------------------------------------------- */

static const char *sim_sysfs_name(const char *const *names, size_t n, uint64_t value)
{
	return value < n && names[value] ? names[value] : "<unknown>";
}

static void sim_sysfs_put_state(const struct owner *o, struct madkit_buf *buf)
{
	static const char *const names[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE" };
	unsigned int state = (unsigned int)of_port(o, MADKIT_PORT_INFO_LINK_STATE);

	madkit_buf_printf(buf, "%u: %s\n", state, sim_sysfs_name(names, 5, state));
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
	unsigned int state = (unsigned int)of_port(o, MADKIT_PORT_INFO_PHYS_LINK_STATE);

	madkit_buf_printf(buf, "%u: %s\n", state, sim_sysfs_name(names, 8, state));
}

static void put_lid(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "0x%x\n", (unsigned int)of_port(o, MADKIT_PORT_INFO_LID));
}

static void put_lmc(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", (unsigned int)of_port(o, MADKIT_PORT_INFO_LMC));
}

static void put_sm_lid(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "0x%x\n", (unsigned int)of_port(o, MADKIT_PORT_INFO_SM_LID));
}

static void put_sm_sl(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", (unsigned int)of_port(o, MADKIT_PORT_INFO_SMSL));
}

static void put_cap_mask(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "0x%08x\n", (unsigned int)of_port(o, MADKIT_PORT_INFO_CAP_MASK));
}

static void put_link_layer(const struct owner *o, struct madkit_buf *buf)
{
	(void)o;
	madkit_buf_str(buf, "InfiniBand\n");
}

/* Of each speed that is active: a lane's rate in tenths of Gb/s, as the kernel has it. */
struct speed {
	const char *name;
	unsigned int rate;
};

static struct speed speed_of(const struct owner *o)
{
	static const struct speed extended[] = {
		{ "FDR", 140 },
		{ "EDR", 250 },
		{ "HDR", 500 },
		{ "NDR", 1000 },
	};
	uint64_t ext = of_port(o, MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE),
		 speed = of_port(o, MADKIT_PORT_INFO_LINK_SPEED_ACTIVE);

	if (of_port(o, MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2) & 1)
		return (struct speed){ "XDR", 2000 };
	for (unsigned int i = 0; i < 4; i++)
		if (ext == UINT64_C(1) << i)
			return extended[i];
	if (o->port->fdr10_active)
		return (struct speed){ "FDR10", 100 };
	return speed == TOPOLOGY_QDR ? (struct speed){ "QDR", 100 } :
	       speed == TOPOLOGY_DDR ? (struct speed){ "DDR", 50 } :
				       (struct speed){ "SDR", 25 };
}

static unsigned int sim_sysfs_lanes(const struct owner *o)
{
	switch (of_port(o, MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE)) {
	case TOPOLOGY_4X:
		return 4;
	case TOPOLOGY_8X:
		return 8;
	case TOPOLOGY_12X:
		return 12;
	case TOPOLOGY_2X:
		return 2;
	default:
		return 1;
	}
}

static void put_rate(const struct owner *o, struct madkit_buf *buf)
{
	struct speed speed = speed_of(o);
	unsigned int lanes = sim_sysfs_lanes(o), rate = lanes * speed.rate;

	madkit_buf_printf(buf, "%u%s Gb/sec (%uX %s)\n", rate / 10, rate % 10 ? ".5" : "", lanes, speed.name);
}

/* ---- files of a umad device -------------------------------------------------------------- */

static void put_ibdev(const struct owner *o, struct madkit_buf *buf)
{
	(void)o;
	madkit_buf_str(buf, PROTO_CA "\n");
}

static void put_port(const struct owner *o, struct madkit_buf *buf)
{
	madkit_buf_printf(buf, "%u\n", o->port->number);
}

static void put_abi_version(const struct owner *o, struct madkit_buf *buf)
{
	(void)o;
	madkit_buf_printf(buf, "%u\n", (unsigned int)ABI_VERSION);
}

/* ---- the tree ---------------------------------------------------------------------------- */

struct file {
	const char *name;
	void (*put)(const struct owner *o, struct madkit_buf *buf);
};

/* clang-format off */
static const struct file ca_files[] = {
	{ "board_id", put_board },
	{ "fw_ver", put_firmware },
	{ "hca_type", put_ca_type },
	{ "hw_rev", put_revision },
	{ "node_desc", put_description },
	{ "node_guid", put_node_guid },
	{ "node_type", put_node_type },
	{ "sys_image_guid", put_system_guid },
	{ NULL, NULL },
};

static const struct file port_files[] = {
	{ "cap_mask", put_cap_mask },
	{ "lid", put_lid },
	{ "lid_mask_count", put_lmc },
	{ "link_layer", put_link_layer },
	{ "phys_state", put_phys_state },
	{ "rate", put_rate },
	{ "sm_lid", put_sm_lid },
	{ "sm_sl", put_sm_sl },
	{ "state", sim_sysfs_put_state },
	{ NULL, NULL },
};

static const struct file device_files[] = {
	{ "ibdev", put_ibdev },
	{ "port", put_port },
	{ NULL, NULL },
};

static const struct file class_files[] = {
	{ "abi_version", put_abi_version },
	{ NULL, NULL }
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
	for (; !path->dir && files->name; files++)
		if (sim_sysfs_word_is(path, files->name)) {
			files->put(o, buf);
			return 0;
		}
	return -ENOENT;
}

static void list(const struct file *files, struct madkit_buf *buf)
{
	for (; files->name; files++)
		madkit_buf_printf(buf, "%s\n", files->name);
}

static bool sim_sysfs_is_end_port(const struct node *node, unsigned int port)
{
	return is_switch(node) ? !port : port && port <= node->nports;
}

/* From its number: a switch has port 0 alone. */
static unsigned int first_port(const struct node *node)
{
	return is_switch(node) ? 0 : 1;
}

static unsigned int end_ports(const struct node *node)
{
	return is_switch(node) ? 1 : node->nports;
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
	if (!sim_sysfs_next_word(path)) {
		list(port_files, buf);
		madkit_buf_str(buf, "gids/\npkeys/\n");
		return 0;
	}
	if (path->dir && (sim_sysfs_word_is(path, "gids") || sim_sysfs_word_is(path, "pkeys")))
		return read_table(o, path, sim_sysfs_word_is(path, "gids"), buf);
	return sim_sysfs_put_file(port_files, path, o, buf);
}

static int sim_sysfs_read_ports(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	unsigned int first = first_port(o->node), n;

	if (!sim_sysfs_next_word(path)) {
		for (n = first; sim_sysfs_is_end_port(o->node, n); n++)
			madkit_buf_printf(buf, "%u/\n", n);
		return 0;
	}
	if (!path->dir || !sim_sysfs_word_number(path, "", 256, &n) || !sim_sysfs_is_end_port(o->node, n))
		return -ENOENT;
	o->port = node_port(o->f, o->node, n);
	return read_port(o, path, buf);
}

static int read_ca(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	if (!sim_sysfs_next_word(path)) {
		madkit_buf_str(buf, PROTO_CA "/\n");
		return 0;
	}
	if (!path->dir || !sim_sysfs_word_is(path, PROTO_CA))
		return -ENOENT;
	if (!sim_sysfs_next_word(path)) {
		list(ca_files, buf);
		madkit_buf_str(buf, "ports/\n");
		return 0;
	}
	if (path->dir)
		return sim_sysfs_word_is(path, "ports") ? sim_sysfs_read_ports(o, path, buf) : -ENOENT;
	return sim_sysfs_put_file(ca_files, path, o, buf);
}

static int sim_sysfs_read_devices(struct owner *o, struct path *path, struct madkit_buf *buf)
{
	unsigned int n, count = end_ports(o->node);

	if (!sim_sysfs_next_word(path)) {
		list(class_files, buf);
		for (n = 0; n < count; n++)
			madkit_buf_printf(buf, "issm%u/\numad%u/\n", n, n);
		return 0;
	}
	if (!path->dir)
		return sim_sysfs_put_file(class_files, path, o, buf);
	if (!sim_sysfs_word_number(path, "umad", count, &n) &&
	    !sim_sysfs_word_number(path, "issm", count, &n))
		return -ENOENT;
	o->port = node_port(o->f, o->node, first_port(o->node) + n);
	if (!sim_sysfs_next_word(path)) {
		list(device_files, buf);
		return 0;
	}
	return sim_sysfs_put_file(device_files, path, o, buf);
}

int sim_sysfs_read(struct fabric *f, uint32_t node, const char *path, size_t len, struct madkit_buf *buf)
{
	struct path rest = { .p = path, .end = path + len };
	struct owner o = { .f = f };

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
	struct owner o = { .f = f };

	memset(info, 0, sizeof(*info));
	if (node >= f->nnodes || !sim_sysfs_is_end_port(&f->nodes[node], port))
		return -EINVAL;
	o.node = &f->nodes[node];
	o.port = node_port(f, o.node, port);
	info->node_guid = of_node(&o, MADKIT_NODE_INFO_GUID);
	info->port_guid = o.port->guid;
	info->gid_prefix = of_port(&o, MADKIT_PORT_INFO_GID_PREFIX);
	info->port = port;
	info->lid = (uint32_t)of_port(&o, MADKIT_PORT_INFO_LID);
	info->sm_lid = (uint32_t)of_port(&o, MADKIT_PORT_INFO_SM_LID);
	info->rate = sim_sysfs_lanes(&o) * speed_of(&o).rate / 10;
	info->cap_mask = (uint32_t)of_port(&o, MADKIT_PORT_INFO_CAP_MASK);
	info->lmc = (uint8_t)of_port(&o, MADKIT_PORT_INFO_LMC);
	info->sm_sl = (uint8_t)of_port(&o, MADKIT_PORT_INFO_SMSL);
	info->state = (uint8_t)of_port(&o, MADKIT_PORT_INFO_LINK_STATE);
	info->phys_state = (uint8_t)of_port(&o, MADKIT_PORT_INFO_PHYS_LINK_STATE);
	snprintf(info->ca, sizeof(info->ca), "%s", PROTO_CA);
	ca_type(&o, info->ca_type, sizeof(info->ca_type));
	snprintf(info->firmware, sizeof(info->firmware), "%s", firmware);
	return 0;
}
