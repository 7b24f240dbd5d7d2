/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of a listener that wait for the names of nodes: the sender and, if the line is a notice, the node that it is
 * about. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/names.h>
#include <madkit/sweep.h>
#include "held_lines.h"
#include "util/array_size.h"

/* ---- the node of a notice ---------------------------------------------------------------- */

struct notice_node {
	struct madkit_node_key key;
	uint16_t trap; /* number of a generic trap; else 0 */
	uint8_t port;  /* port number; 0: not in the notice */
};

/* The fields with the LID and the port number in the details of generic traps; 0: none. All other traps are
 * about the issuer. */
static const struct {
	uint16_t first, last;
	uint64_t lid, port;
} notice_traps[] = {
	/* with a GID, or about multicast groups and paths */
	{ 64, 69, 0, 0 },
	{ 128, 128, MADKIT_NOTICE_128_LIDADDR, 0 },
	{ 129, 131, MADKIT_NOTICE_129_131_LIDADDR, MADKIT_NOTICE_129_131_PORTNO },
	{ 144, 144, MADKIT_NOTICE_144_LIDADDR, 0 },
	{ 145, 145, MADKIT_NOTICE_145_LIDADDR, 0 },
	{ 259, 259, MADKIT_NOTICE_ISSUER_LID, MADKIT_NOTICE_259_PORTNO },
};

/* Returns 0 if the field is 0, or if the notice does not have it. */
static uint64_t notice_value(const struct madkit_record *r, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(r->data, r->len, field, &value);
	return value;
}

/* Returns the second half of the GID. */
static uint64_t notice_port_guid(const struct madkit_record *r)
{
	uint8_t gid[16] = { 0 };
	uint64_t guid = 0;

	madkit_get_bytes(r->data, r->len, MADKIT_NOTICE_64_67_GIDADDR, gid, sizeof(gid));
	for (int i = 8; i < 16; i++)
		guid = guid << 8 | gid[i];
	return guid;
}

static bool notice_is_numbered(uint8_t mgmt_class)
{
	return madkit_class_is_smi(mgmt_class) || mgmt_class == MADKIT_CLASS_SA;
}

/*
 * Finds the node that a notice is about (IBA volume 1, section 14.2.5.1): for traps 64 and 65 the node with
 * the GID, for 128 to 131, 144 and 145 the node with the LID in the details, for 66 to 69 none, else the
 * issuer. Returns false if the message is not a notice.
 */
static bool notice_node_get(const struct madkit_message *m, struct notice_node *node)
{
	struct madkit_record r;
	uint64_t lid = MADKIT_NOTICE_ISSUER_LID, port = 0;

	*node = (struct notice_node){ .trap = 0 };
	if (!m->mad || m->len < MADKIT_HEADER_BYTES)
		return false;
	madkit_record_get(m, 0, &r);
	if (!r.data || !r.attribute || r.attribute->id != MADKIT_ATTR_NOTICE)
		return false;
	/* other classes define trap numbers of their own */
	if (notice_is_numbered(m->mad[MADKIT_MAD_CLASS]) && notice_value(&r, MADKIT_NOTICE_IS_GENERIC))
		node->trap = (uint16_t)notice_value(&r, MADKIT_NOTICE_TRAP_NUMBER);
	for (size_t i = 0; node->trap && i < ARRAY_SIZE(notice_traps); i++) {
		if (node->trap < notice_traps[i].first || node->trap > notice_traps[i].last)
			continue;
		lid = notice_traps[i].lid;
		port = notice_traps[i].port;
	}
	node->key.lid = (uint32_t)notice_value(&r, lid);
	node->port = (uint8_t)notice_value(&r, port);
	if (node->trap == MADKIT_TRAP_GID_IN || node->trap == MADKIT_TRAP_GID_OUT)
		node->key.port_guid = notice_port_guid(&r);
	return true;
}

static void notice_put(struct madkit_sweep_record *r, uint64_t field, uint64_t value)
{
	if (!value)
		return;
	madkit_put(r->data, sizeof(r->data), field, value);
	madkit_put(r->known, sizeof(r->known), field, UINT64_MAX >> (64 - (field >> 16 & 0xffff)));
}

/* Fills in the object "port" with the known values. known may be NULL. The record contains pointers into
 * itself. */
static void notice_node_put(const struct notice_node *node, const struct madkit_node *known,
			    struct madkit_sweep_record *r)
{
	uint8_t ones[256];

	madkit_sweep_record_init(r);
	notice_put(r, MADKIT_PORT_OBJECT_NUMBER, node->port);
	notice_put(r, MADKIT_PORT_OBJECT_LID, node->key.lid);
	notice_put(r, MADKIT_PORT_OBJECT_GUID, node->key.port_guid);
	if (!known)
		return;
	notice_put(r, MADKIT_PORT_OBJECT_NODE_GUID, known->guid);
	notice_put(r, MADKIT_PORT_OBJECT_NODE_SYSTEM_GUID, known->system_guid);
	notice_put(r, MADKIT_PORT_OBJECT_NODE_DEVICE_ID, known->device_id);
	notice_put(r, MADKIT_PORT_OBJECT_NODE_TYPE, known->type);
	if (!known->name[0])
		return;
	madkit_put_bytes(r->data, sizeof(r->data), MADKIT_PORT_OBJECT_NODE_NAME, known->name,
			 strlen(known->name));
	memset(ones, 0xff, sizeof(ones));
	madkit_put_bytes(r->known, sizeof(r->known), MADKIT_PORT_OBJECT_NODE_NAME, ones, sizeof(ones));
}

/* ---- the lines ------------------------------------------------------------------------- */

enum {
	/* beyond this, the first line is shown without waiting for names */
	HELD_LINES_MAX = 4096,
	HELD_BYTES_MAX = 1 << 24,
	/* of a try of a query; all tries end within MADKIT_NAMES_WAIT_MS */
	HELD_TIMEOUT_MS = 300,
	HELD_RETRIES = 2,
};

struct held_line {
	struct held_line *next;
	struct madkit_recv *recv; /* message points into it */
	struct madkit_message message;
	struct madkit_node_key sender;
	struct notice_node node;
	bool is_notice;
	uint64_t due_ns;
};

struct held_lines {
	struct exchange *x;
	struct madkit_names *names;
	bool (*show)(void *context, const struct madkit_message *message);
	void *context;
	struct held_line *first, **last;
	size_t n, bytes;
};

int held_lines_new(struct exchange *x, bool (*show)(void *context, const struct madkit_message *message),
		   void *context, struct held_lines **held)
{
	struct held_lines *h = calloc(1, sizeof(*h));
	struct madkit_names_attr attr = {
		.resolver.timeout_ms = HELD_TIMEOUT_MS,
		.resolver.retries = HELD_RETRIES,
		.resolver.deadline_ns = UINT64_MAX,
	};
	struct madkit_error error = { .text = "" };
	int ret;

	*held = h;
	if (!h)
		return exchange_fail(x, EXIT_LOCAL, -ENOMEM, "out of memory");
	h->x = x;
	h->show = show;
	h->context = context;
	h->last = &h->first;
	ret = exchange_names_new(x, &attr, &h->names, &error);
	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	return ret ? exchange_fail(x, cli_status_of(ret), ret, "%s",
				   error.text[0] ? error.text : strerror(-ret)) :
		     EXIT_DONE;
}

static void held_line_free(struct held_line *line)
{
	madkit_recv_free(line->recv);
	free(line);
}

static struct held_line *held_lines_remove(struct held_lines *h)
{
	struct held_line *line = h->first;

	h->first = line->next;
	if (!h->first)
		h->last = &h->first;
	h->n--;
	h->bytes -= line->recv->len;
	return line;
}

void held_lines_free(struct held_lines *h)
{
	if (!h)
		return;
	while (h->first)
		held_line_free(held_lines_remove(h));
	madkit_names_free(h->names);
	free(h);
}

void held_lines_prepare(struct held_lines *h)
{
	madkit_names_want_all(h->names);
}

size_t held_lines_count(const struct held_lines *h)
{
	return h->n;
}

/* ---- showing -------------------------------------------------------------------------- */

/* Shows the first line. Returns false if no more lines are needed. */
static bool held_lines_show(struct held_lines *h)
{
	struct held_line *line = held_lines_remove(h);
	const struct madkit_node *sender = madkit_names_get(h->names, line->sender);
	struct madkit_sweep_record port;
	char name[MADKIT_NODE_NAME_MAX + 1];
	bool more;

	if (sender && sender->name[0]) {
		/* a copy, because madkit_names_get() may overwrite the name of the sender */
		memcpy(name, sender->name, sizeof(name));
		line->message.name = name;
	}
	if (line->is_notice) {
		notice_node_put(&line->node, madkit_names_get(h->names, line->node.key), &port);
		line->message.port = &port.record;
	}
	more = h->show(h->context, &line->message);
	held_line_free(line);
	return more;
}

static bool held_line_is_pending(const struct held_lines *h, const struct held_line *line)
{
	return madkit_names_pending(h->names, line->sender) ||
	       (line->is_notice && madkit_names_pending(h->names, line->node.key));
}

uint64_t held_lines_tend(struct held_lines *h)
{
	uint64_t due = madkit_names_tend(h->names), now = madkit_port_now(h->x->port);
	bool more = true, any = false;

	while (h->first && more &&
	       (h->n > HELD_LINES_MAX || h->bytes > HELD_BYTES_MAX || h->first->due_ns <= now ||
		!held_line_is_pending(h, h->first))) {
		more = held_lines_show(h);
		any = true;
	}
	if (any)
		output_flush(h->x->out);
	return h->first && h->first->due_ns < due ? h->first->due_ns : due;
}

void held_lines_flush(struct held_lines *h)
{
	bool more = true;

	if (!h->first)
		return;
	while (h->first && more)
		more = held_lines_show(h);
	output_flush(h->x->out);
}

/* ---- adding --------------------------------------------------------------------------- */

/* If the notice says that a node has appeared, disappeared or changed, discards the known data of the node. */
static void held_lines_heed(struct held_lines *h, const struct notice_node *node)
{
	switch (node->trap) {
	case MADKIT_TRAP_GID_IN:
	case MADKIT_TRAP_GID_OUT:
	case MADKIT_TRAP_LOCAL_CHANGE:
	case MADKIT_TRAP_SYSTEM_GUID:
		madkit_names_forget(h->names, node->key);
	}
}

void held_lines_add(struct held_lines *h, struct madkit_recv *recv, const struct madkit_message *message)
{
	struct held_line *line = calloc(1, sizeof(*line));

	if (!line) {
		held_lines_flush(h);
		h->show(h->context, message);
		madkit_recv_free(recv);
		return;
	}
	line->recv = recv;
	line->message = *message;
	line->due_ns = madkit_port_now(h->x->port) + MADKIT_NAMES_WAIT_MS * NS_PER_MS;
	if (!recv->from.direct)
		line->sender.lid = recv->from.lid;
	line->is_notice = notice_node_get(message, &line->node);
	if (line->is_notice)
		held_lines_heed(h, &line->node);
	madkit_names_want(h->names, line->sender);
	if (line->is_notice)
		madkit_names_want(h->names, line->node.key);
	*h->last = line;
	h->last = &line->next;
	h->n++;
	h->bytes += recv->len;
	/* a handler may be called many times before held_lines_tend() */
	while (h->n > HELD_LINES_MAX || h->bytes > HELD_BYTES_MAX)
		if (!held_lines_show(h))
			break;
}
