/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "request/exchange.h"
#include "request/holders.h"
#include "port_list.h"
#include "port_record.h"
#include "util/array_size.h"
#include "cli/wait.h"

static const char *link_layer_name(enum madkit_link_layer layer)
{
	switch (layer) {
	case MADKIT_LINK_INFINIBAND:
		return "InfiniBand";
	case MADKIT_LINK_ETHERNET:
		return "Ethernet";
	default:
		return "unknown";
	}
}

/* Returns the name of a value in PortInfo's table, or NULL. */
static const char *port_info_name(const char *field, uint64_t value)
{
	const struct madkit_attribute *attribute;
	struct madkit_place place;
	uint8_t class;
	uint16_t id;

	if (madkit_attribute_find("PortInfo", MADKIT_CLASS_SUBN, &class, &id, &attribute, NULL) ||
	    !attribute || madkit_place_find(attribute->layout, field, strlen(field), &place, NULL))
		return NULL;
	return madkit_value_name(place.field->values, value);
}

/* ---- a device node ------------------------------------------------------------------ */

struct node {
	const char *path;
	bool exists;
	mode_t mode;
	char owner[40], group[40];
	bool usable; /* this process may open it */
	struct holders holders;
};

static void node_look(struct node *node, const struct madkit_port_info *port, const char *path)
{
	struct stat st;
	struct passwd *user;
	struct group *group;

	memset(node, 0, sizeof(*node));
	node->path = path;
	if (!*path || stat(path, &st))
		return;
	node->exists = true;
	node->mode = st.st_mode & 07777;
	user = getpwuid(st.st_uid);
	group = getgrgid(st.st_gid);
	if (user)
		snprintf(node->owner, sizeof(node->owner), "%s", user->pw_name);
	else
		snprintf(node->owner, sizeof(node->owner), "%u", st.st_uid);
	if (group)
		snprintf(node->group, sizeof(node->group), "%s", group->gr_name);
	else
		snprintf(node->group, sizeof(node->group), "%u", st.st_gid);
	/* by the effective user and capabilities, as open() does */
	node->usable = !faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS);
	holders_find(port, path, &node->holders);
}

static void node_write(struct madkit_writer *w, const char *name, const struct node *node)
{
	char mode[8];

	if (!*node->path) {
		madkit_writer_null(w, name);
		return;
	}
	madkit_writer_object(w, name);
	madkit_writer_string(w, "path", node->path);
	snprintf(mode, sizeof(mode), "%04o", (unsigned int)node->mode);
	madkit_writer_string(w, "mode", node->exists ? mode : NULL);
	madkit_writer_string(w, "owner", node->exists ? node->owner : NULL);
	madkit_writer_string(w, "group", node->exists ? node->group : NULL);
	madkit_writer_bool(w, "usable", node->usable);
	holders_write(&node->holders, "open_by", w, NULL, NULL);
	madkit_writer_close(w);
}

static void node_text(struct madkit_buf *buf, const char *label, const struct node *node)
{
	madkit_text_label(buf, label);
	if (!*node->path) {
		madkit_buf_str(buf, "none\n");
		return;
	}
	madkit_buf_str(buf, node->path);
	if (node->exists)
		madkit_buf_printf(buf, " mode %04o %s:%s%s", (unsigned int)node->mode, node->owner,
				  node->group, node->usable ? "" : ", not for this user");
	if (node->holders.simulated)
		madkit_buf_str(buf, ", open by: " HOLDERS_SIMULATED);
	for (size_t i = 0; i < node->holders.n; i++) {
		madkit_buf_printf(buf, "%s%d (", i ? ", " : ", open by ", (int)node->holders.list[i].pid);
		madkit_text_escape(buf, node->holders.list[i].command, strlen(node->holders.list[i].command));
		madkit_buf_char(buf, ')');
	}
	if (node->holders.unreadable)
		madkit_buf_printf(buf, ", %zu processes may not be inspected", node->holders.unreadable);
	madkit_buf_char(buf, '\n');
}

/* ---- a port --------------------------------------------------------------------------- */

/* These functions write null, or "unknown" in text, if the value could not be read (bit). */
static void port_write_hex(struct madkit_writer *w, const struct madkit_port_info *p, uint32_t bit,
			   const char *name, uint64_t value)
{
	if (p->unread & bit)
		madkit_writer_null(w, name);
	else
		madkit_writer_hex(w, name, value, 16);
}

static void port_write_number(struct madkit_writer *w, const struct madkit_port_info *p, uint32_t bit,
			      const char *name, uint64_t value)
{
	madkit_writer_known(w, name, !(p->unread & bit), value);
}

static void port_text_hex(struct madkit_buf *buf, const struct madkit_port_info *p, uint32_t bit,
			  const char *label, uint64_t value)
{
	text_line(buf, label, p->unread & bit ? "unknown" : "0x%016" PRIx64, value);
}

static void port_text_number(struct madkit_buf *buf, const struct madkit_port_info *p, uint32_t bit,
			     const char *label, uint32_t value)
{
	text_line(buf, label, p->unread & bit ? "unknown" : "%u", value);
}

/* The driver may not report this word; the line is then omitted. */
static void port_text_word(struct madkit_buf *buf, const struct madkit_port_info *p, uint32_t bit,
			   const char *label, const char *word)
{
	if (*word || p->unread & bit)
		text_line(buf, label, "%s", p->unread & bit ? "unknown" : word);
}

/* Checks if --fields selects a key of the data, or a member of it. */
static bool port_key_is_chosen(const struct madkit_projection *fields, const char *name)
{
	char path[40];

	snprintf(path, sizeof(path), "data.%s", name);
	/* without "data.", these are keys of the line */
	if (!strcmp(name, "device") || !strcmp(name, "port"))
		return madkit_projection_has(fields, path);
	return madkit_projection_has(fields, name) || madkit_projection_has(fields, path);
}

static void port_write_text(struct madkit_writer *w, const struct madkit_port_info *p, uint32_t bit,
			    const char *name, const char *text)
{
	madkit_writer_string(w, name, p->unread & bit ? NULL : text);
}

static void port_write_state(struct madkit_writer *w, const struct madkit_port_info *p, uint32_t bit,
			     const char *name, uint8_t value, const char *of)
{
	char companion[40];

	snprintf(companion, sizeof(companion), "%s_name", name);
	port_write_number(w, p, bit, name, value);
	port_write_text(w, p, bit, companion, port_info_name(of, value));
}

/* A port as a line of JSON shows it. */
struct port_view {
	const struct madkit_port_info *port;
	const struct node *umad, *issm;
	const struct madkit_projection *fields; /* keys to write; NULL: all */
};

static void port_write(const void *context, struct madkit_writer *w)
{
	const struct port_view *view = context;
	const struct madkit_port_info *p = view->port;
	const struct madkit_projection *fields = view->fields;

#define CHOSEN(name, call) \
	do { \
		if (port_key_is_chosen(fields, name)) \
			call; \
	} while (0)
	CHOSEN("device", madkit_writer_string(w, "device", p->device));
	CHOSEN("ca", madkit_writer_string(w, "ca", p->ca));
	CHOSEN("port", madkit_writer_number(w, "port", p->port));
	CHOSEN("ca_type", port_write_text(w, p, MADKIT_PORT_CA_TYPE, "ca_type", p->ca_type));
	CHOSEN("firmware", port_write_text(w, p, MADKIT_PORT_FIRMWARE, "firmware", p->firmware));
	CHOSEN("link_layer",
	       port_write_text(w, p, MADKIT_PORT_LINK_LAYER, "link_layer", link_layer_name(p->link_layer)));
	CHOSEN("node_guid", port_write_hex(w, p, MADKIT_PORT_NODE_GUID, "node_guid", p->node_guid));
	CHOSEN("port_guid", port_write_hex(w, p, MADKIT_PORT_GID, "port_guid", p->port_guid));
	CHOSEN("gid_prefix", port_write_hex(w, p, MADKIT_PORT_GID, "gid_prefix", p->gid_prefix));
	if (port_key_is_chosen(fields, "state") || port_key_is_chosen(fields, "state_name"))
		port_write_state(w, p, 0, "state", p->state, "LinkState");
	if (port_key_is_chosen(fields, "phys_state") || port_key_is_chosen(fields, "phys_state_name"))
		port_write_state(w, p, MADKIT_PORT_PHYS_STATE, "phys_state", p->phys_state, "PhysLinkState");
	CHOSEN("lid", port_write_number(w, p, MADKIT_PORT_LID, "lid", p->lid));
	CHOSEN("lmc", port_write_number(w, p, MADKIT_PORT_LMC, "lmc", p->lmc));
	CHOSEN("sm_lid", port_write_number(w, p, MADKIT_PORT_SM_LID, "sm_lid", p->sm_lid));
	CHOSEN("sm_sl", port_write_number(w, p, MADKIT_PORT_SM_SL, "sm_sl", p->sm_sl));
	if (port_key_is_chosen(fields, "rate") && p->unread & MADKIT_PORT_RATE)
		madkit_writer_null(w, "rate");
	else if (port_key_is_chosen(fields, "rate") && p->rate_tenths)
		madkit_writer_decimal(w, "rate", p->rate + p->rate_tenths / 10.0, 1);
	else if (port_key_is_chosen(fields, "rate"))
		madkit_writer_number(w, "rate", p->rate);
	CHOSEN("cap_mask", port_write_number(w, p, MADKIT_PORT_CAP_MASK, "cap_mask", p->cap_mask));
	CHOSEN("umad", node_write(w, "umad", view->umad));
	CHOSEN("issm", node_write(w, "issm", view->issm));
#undef CHOSEN
}

static void port_text(struct madkit_buf *buf, const struct madkit_port_info *p, const struct node *umad,
		      const struct node *issm)
{
	const char *state = port_info_name("LinkState", p->state);
	const char *phys =
		p->unread & MADKIT_PORT_PHYS_STATE ? NULL : port_info_name("PhysLinkState", p->phys_state);

	madkit_buf_printf(buf, "# %s\n", p->device);
	port_text_word(buf, p, MADKIT_PORT_CA_TYPE, "CAType", p->ca_type);
	port_text_word(buf, p, MADKIT_PORT_FIRMWARE, "Firmware", p->firmware);
	text_line(buf, "LinkLayer", "%s", link_layer_name(p->link_layer));
	port_text_hex(buf, p, MADKIT_PORT_NODE_GUID, "NodeGuid", p->node_guid);
	port_text_hex(buf, p, MADKIT_PORT_GID, "PortGuid", p->port_guid);
	port_text_hex(buf, p, MADKIT_PORT_GID, "GidPrefix", p->gid_prefix);
	text_line(buf, "LinkState", "%s", state ? state : "unknown");
	text_line(buf, "PhysLinkState", "%s", phys ? phys : "unknown");
	port_text_number(buf, p, MADKIT_PORT_LID, "Lid", p->lid);
	port_text_number(buf, p, MADKIT_PORT_LMC, "LMC", p->lmc);
	port_text_number(buf, p, MADKIT_PORT_SM_LID, "SMLid", p->sm_lid);
	port_text_number(buf, p, MADKIT_PORT_SM_SL, "SMSL", p->sm_sl);
	if (p->unread & MADKIT_PORT_RATE)
		text_line(buf, "Rate", "unknown");
	else if (p->rate)
		text_line(buf, "Rate", p->rate_tenths ? "%u.%u Gb/s" : "%u Gb/s", p->rate, p->rate_tenths);
	node_text(buf, "Umad", umad);
	node_text(buf, "Issm", issm);
}

/* Reports the members of a port that could not be read, by their names in JSON, and the first reason. Returns
 * false if all were read. */
static bool port_say_unread(const struct madkit_port_info *p)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} members[] = {
		{ MADKIT_PORT_NODE_GUID, "node_guid" },
		{ MADKIT_PORT_PHYS_STATE, "phys_state" },
		{ MADKIT_PORT_LID, "lid" },
		{ MADKIT_PORT_LMC, "lmc" },
		{ MADKIT_PORT_SM_LID, "sm_lid" },
		{ MADKIT_PORT_SM_SL, "sm_sl" },
		{ MADKIT_PORT_CAP_MASK, "cap_mask" },
		{ MADKIT_PORT_RATE, "rate" },
		{ MADKIT_PORT_GID, "port_guid, gid_prefix" },
		{ MADKIT_PORT_LINK_LAYER, "link_layer" },
		{ MADKIT_PORT_CA_TYPE, "ca_type" },
		{ MADKIT_PORT_FIRMWARE, "firmware" },
	};
	char list[160] = "";
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (p->unread & members[i].bit)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", len ? ", " : "",
						members[i].name);
	if (len)
		cli_insist("%s: cannot read %s: %s", p->device, list, strerror(-p->unread_error));
	return len;
}

static bool port_list_wanted(const struct cli_options *o, const struct madkit_port_info *p)
{
	if (o->port.ca && strcmp(o->port.ca, p->ca))
		return false;
	if (o->port.number && o->port.number != p->port)
		return false;
	for (size_t i = 0; i < o->port.ndevices; i++)
		if (madkit_port_matches(p, o->port.devices[i], NULL) == 1)
			return true;
	return !o->port.ndevices;
}

/* Returns a device node as expressions see it; mode holds the text of its mode. */
static struct port_record_node node_of_record(const struct node *node, char mode[8])
{
	snprintf(mode, 8, "%04o", (unsigned int)node->mode);
	return (struct port_record_node){
		.path = node->path,
		.mode = node->exists ? mode : NULL,
		.owner = node->exists ? node->owner : NULL,
		.group = node->exists ? node->group : NULL,
		.usable = node->usable,
	};
}

/* Returns EXIT_DONE, or EXIT_LOCAL if something could not be read. */
static int port_list_show(struct exchange *x, const struct madkit_port_info *p, struct port_record *record)
{
	struct port_record_node umad_record, issm_record;
	char umad_mode[8], issm_mode[8];
	struct madkit_message message;
	struct madkit_record view;
	struct node umad, issm;
	const struct port_view port = { p, &umad, &issm, x->out->fields };
	const struct madkit_object data = { port_write, &port };
	bool unread;

	node_look(&umad, p, p->umad_path);
	node_look(&issm, p, p->issm_path);
	umad_record = node_of_record(&umad, umad_mode);
	issm_record = node_of_record(&issm, issm_mode);
	port_record_set(record, p, &umad_record, &issm_record);
	x->info = p;
	x->seq++;
	exchange_message(x, MADKIT_MESSAGE_EVENT, &message);
	port_record_view(record, &message, &view);
	unread = port_say_unread(p);
	if (!output_judge_record(x->out, &view)) {
		/* filtered */
	} else if (x->out->format == FORMAT_JSON) {
		exchange_object(x, &message, &data);
	} else {
		port_text(&x->out->buf, p, &umad, &issm);
	}
	holders_free(&umad.holders);
	holders_free(&issm.holders);
	return unread ? EXIT_LOCAL : EXIT_DONE;
}

/* Checks if a specification means a device of this machine, and not of another transport. */
static bool port_list_is_local(const char *device)
{
	return !strchr(device, ':') || !strncmp(device, "umad:", 5) || !strncmp(device, "verbs:", 6);
}

/* Reports why there is no port: the error from opening one. */
static void port_list_report_none(const struct cli_options *o)
{
	const char *device = o->port.ndevices ? o->port.devices[0] : o->port.default_device;
	struct madkit_error error = { .text = "" };
	struct madkit_port *port = NULL;

	if (device && !port_list_is_local(device)) {
		cli_say("this machine has no ports; those of a simulated host, as in '%s', are listed "
			"inside madsim TOPOLOGY -- COMMAND",
			device);
		return;
	}

	madkit_port_open_limited(NULL, wait_limit(), &port, &error);
	/* -ENODEV means exactly this */
	if (error.code == -ENODEV)
		cli_say("%s", error.text);
	else
		cli_say("there are no ports with a umad device%s%s", *error.text ? ": " : "", error.text);
	madkit_port_close(port);
}

/* Rejects a word that is not a device. Returns EXIT_DONE or EXIT_USAGE. */
static int port_list_check(const struct cli_options *o)
{
	const struct madkit_port_info none = { .port = 0 };
	struct madkit_error error = { .text = "" };

	for (size_t i = 0; i < o->port.ndevices; i++)
		if (port_list_is_local(o->port.devices[i]) &&
		    madkit_port_matches(&none, o->port.devices[i], &error) == -EINVAL)
			return cli_usage_error("%s", error.text);
	return EXIT_DONE;
}

static int port_list_with(const struct cli_options *o, struct output *out, struct port_record *record)
{
	struct madkit_port_info *ports;
	struct exchange x;
	size_t count, skipped, found = 0;
	int ret = port_list_check(o), status;

	if (!ret)
		ret = output_check(out, port_record_attribute(record));
	if (ret)
		return ret;
	ret = madkit_ports_list(&ports, &count, &skipped);
	if (ret) {
		cli_say("cannot list the ports: %s", strerror(-ret));
		return EXIT_LOCAL;
	}
	status = skipped ? EXIT_LOCAL : EXIT_DONE;
	exchange_begin(&x, o, out);
	for (size_t i = 0; i < count; i++) {
		if (!port_list_wanted(o, &ports[i]))
			continue;
		found++;
		status = exit_worst(status, port_list_show(&x, &ports[i], record));
	}
	madkit_ports_free(ports);
	if (skipped)
		cli_insist("%zu devices cannot be read and are omitted", skipped);
	if (found || (!count && skipped))
		return status;
	if (count)
		cli_say("no such port: madreg --list without -C, -P and --device shows all");
	else
		port_list_report_none(o);
	return EXIT_NOTHING;
}

int port_list(const struct cli_options *o, struct output *out)
{
	struct port_record *record = port_record_new();
	int status = record ? port_list_with(o, out, record) : cli_no_memory();

	port_record_free(record);
	return status;
}
