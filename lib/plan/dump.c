/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plans that are the output of madsweep -j: lines of the kind port. */
#include <errno.h>
#include <strings.h>
#include <madkit/num.h>
#include "plan/plan_int.h"
#include "util/array_size.h"
#include "wire/tables/values.h"

/* A line. */
struct dump {
	struct madkit_plan *p;
	struct madkit_error *error;
};

static int dump_wrong(const struct dump *d, const char *key)
{
	return plan_fail(d->p, d->error, -EINVAL, "port.%s is missing or not valid", key);
}

/* Gets a number; null and a missing one are otherwise. Returns false if it is not valid. */
static bool dump_number(const struct json_token *object, const char *key, uint64_t max, uint64_t otherwise,
			uint64_t *value)
{
	const struct json_token *v = json_member(object, key);

	*value = otherwise;
	return !v || v->kind == SCAN_NULL ||
	       (v->kind == SCAN_INTEGER && !madkit_parse_number(v->raw, v->raw_len, max, key, value, NULL));
}

static bool dump_guid(const struct json_token *object, const char *key, uint64_t *guid)
{
	const struct json_token *v = json_member(object, key);

	*guid = 0;
	return !v || v->kind == SCAN_NULL ||
	       (json_is_text(v) && !madkit_parse_number(v->text, v->len, UINT64_MAX, key, guid, NULL));
}

/* Checks if a number is a value without a name, which the standard reserves: it is shown as a number. */
static bool dump_is_reserved(const struct json_token *v, const struct madkit_value *values)
{
	uint64_t number;

	if (madkit_parse_number(v->raw, v->raw_len, UINT8_MAX, "value", &number, NULL))
		return false;
	for (; values->name; values++)
		if (values->value == number)
			return false;
	return true;
}

/* Gets the value of a name of a list; null, a missing one and reserved ones are 0. Returns false if it is not valid. */
static bool dump_value(const struct json_token *object, const char *key, const struct madkit_value *values,
		       uint64_t *value)
{
	const struct json_token *v = json_member(object, key);

	*value = 0;
	if (!v || v->kind == SCAN_NULL)
		return true;
	if (v->kind == SCAN_INTEGER)
		return dump_is_reserved(v, values);
	for (; json_is_text(v) && values->name; values++)
		if (!strcasecmp(values->name, v->text)) {
			*value = values->value;
			return true;
		}
	return false;
}

/* Reads the node and the number of a port. */
static int dump_end(const struct dump *d, const struct json_token *end, const char *which, uint32_t *node,
		    int16_t *port)
{
	const struct json_token *n = json_member(end, "node"), *name = json_member(n, "name");
	uint64_t guid, system_guid, number, lid, type;
	struct plan_node *known;
	int ret;

	if (!json_is(n, SCAN_OBJECT) || !dump_guid(n, "guid", &guid) || !guid ||
	    !dump_guid(n, "system_guid", &system_guid))
		return dump_wrong(d, which);
	if (!dump_number(end, "number", PLAN_PORT_MAX, UINT64_MAX, &number) || number == UINT64_MAX)
		return dump_wrong(d, "number");
	if (!dump_number(end, "lid", UINT16_MAX, 0, &lid))
		return dump_wrong(d, "lid");
	if (!dump_value(n, "type", madkit_values_port_node_type, &type))
		return dump_wrong(d, "node.type");
	if (name && name->kind != SCAN_NULL && !json_is_text(name))
		return dump_wrong(d, "node.name");
	ret = plan_add_node(d->p, guid, json_is_text(name) ? name->text : "", node, d->error);
	if (ret)
		return ret;
	known = &d->p->nodes[*node];
	known->system_guid = system_guid;
	if (!known->type)
		known->type = (uint8_t)type;
	if (known->type == MADKIT_NODE_TYPE_SWITCH)
		known->lid = (uint16_t)lid;
	*port = (int16_t)number;
	return 0;
}

/* Reads the properties of a port. */
static int dump_properties(const struct dump *d, const struct json_token *port,
			   struct madkit_cabling_port *out)
{
	static const struct {
		const char *key;
		const struct madkit_value *values;
	} named[] = {
		{ "state", madkit_values_port_state },
		{ "phys", madkit_values_phys_state },
		{ "width", madkit_values_width },
		{ "speed", madkit_values_speed },
	};
	uint64_t guid, lid, values[ARRAY_SIZE(named)];

	if (!dump_guid(port, "guid", &guid))
		return dump_wrong(d, "guid");
	if (!dump_number(port, "lid", UINT16_MAX, 0, &lid))
		return dump_wrong(d, "lid");
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (!dump_value(port, named[i].key, named[i].values, &values[i]))
			return dump_wrong(d, named[i].key);
	*out = (struct madkit_cabling_port){
		.guid = guid,
		.state = values[0] == MADKIT_PORT_STATE_DOWN ? MADKIT_CABLING_DOWN : MADKIT_CABLING_UNKNOWN,
		.phys = (uint8_t)values[1],
		.width = (uint8_t)values[2],
		.speed = (uint16_t)values[3],
		.lid = (uint16_t)lid,
	};
	return 0;
}

static int dump_port(const struct dump *d, const struct json_token *port)
{
	struct plan_row row = { .nodes = { 0, MADKIT_CABLING_NONE }, .half = true };
	const struct json_token *peer = json_member(port, "peer");
	int ret = dump_end(d, port, "node.guid", &row.nodes[0], &row.ports[0]);

	if (!ret)
		ret = dump_properties(d, port, &row.port);
	if (!ret && json_is(peer, SCAN_OBJECT))
		ret = dump_end(d, peer, "peer.node.guid", &row.nodes[1], &row.ports[1]);
	else if (!ret && peer && peer->kind != SCAN_NULL)
		ret = dump_wrong(d, "peer");
	if (ret)
		return ret;
	if (d->p->nodes[row.nodes[0]].type == MADKIT_NODE_TYPE_SWITCH)
		row.port.lid = 0;
	return plan_add_row(d->p, &row, d->error);
}

/* Checks that a sweep was read to its end, and that all its lines are here. Nodes that did not respond, or only in part, are
 * no reason to refuse it: the state of the ports before them is not known. */
static int dump_summary(const struct dump *d, const struct json_token *data)
{
	struct madkit_plan *p = d->p;
	const struct json_token *missing = json_member(data, "missing");
	uint64_t ports, shown;

	if (!dump_number(data, "ports", UINT64_MAX, UINT64_MAX, &ports) ||
	    !dump_number(data, "shown", UINT64_MAX, UINT64_MAX, &shown) || !json_is(missing, SCAN_ARRAY))
		return plan_fail(p, d->error, -EINVAL, "not a summary of madsweep -j");
	if (missing->len)
		return plan_fail(p, d->error, -EINVAL, "the sweep is not complete: %.*s",
				 JSON_SHOWN(missing + 1));
	if (shown != p->pending)
		return plan_fail(p, d->error, -EINVAL, "the sweep showed %llu ports, but %u are in the file",
				 (unsigned long long)shown, (unsigned int)p->pending);
	p->complete = (p->complete || !p->summed) && ports == shown &&
		      json_is(json_member(data, "complete"), SCAN_TRUE);
	p->summed = true;
	p->pending = 0;
	return 0;
}

int dump_finish(const struct madkit_plan *p, struct madkit_error *error)
{
	if (p->summed && !p->pending)
		return 0;
	return plan_fail(p, error, -EINVAL,
			 "the file ends without the summary of madsweep -j: is it cut off?");
}

/* Most of a line is not read: to skip it takes half the time. */
void dump_begin(struct madkit_plan *p)
{
	static const char *const keys[] = {
		"kind", "port",   "data",  "node",    "name",     "guid",  "system_guid",
		"type", "number", "lid",   "state",   "phys",     "width", "speed",
		"peer", "ports",  "shown", "missing", "complete",
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_want(&p->wanted, keys[i]);
	p->tokens.wanted = &p->wanted;
}

int dump_line(struct madkit_plan *p, const char *line, size_t len, struct madkit_error *error)
{
	static const char *const others[] = { "timeout", "error", "event", "problem", "difference" };
	const struct dump d = { p, error };
	const struct json_token *root, *kind, *port;
	struct madkit_error reason = { .text = "" };
	int ret = tokens_read(&p->tokens, line, len, &root, &reason);

	if (ret)
		return plan_fail(p, error, ret, "%s", ret == -ENOMEM ? "out of memory" : reason.text);
	kind = json_member(root, "kind");
	port = json_member(root, "port");
	if (!json_is_text(kind))
		return plan_fail(p, error, -EINVAL, "not a line of madsweep -j: it has no kind");
	if (!strcmp(kind->text, "port")) {
		p->pending++;
		return json_is(port, SCAN_OBJECT) ? dump_port(&d, port) : dump_wrong(&d, "node");
	}
	if (!strcmp(kind->text, "summary"))
		return dump_summary(&d, json_member(root, "data"));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(kind->text, others[i]))
			return 0;
	return plan_fail(p, error, -EINVAL, "a line of kind %.20s: a plan is the output of madsweep -j",
			 kind->text);
}
