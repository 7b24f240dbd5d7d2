/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "instances.h"
#include "cli/modifiers.h"

enum {
	INSTANCES_MAX = 16384, /* maximum number of requests */
	INSTANCES_RUNS = 2,    /* blocks of struct madkit_instances */
	INSTANCES_SWITCH = 2,  /* NodeInfo:NodeType */
};

/* An attribute of the node that contains the number of ports or blocks. */
struct property {
	const char *attribute; /* NULL: not read */
	uint32_t modifier;
	struct request request;
	struct answer answer;
};

enum { PROPERTIES = 3 }; /* NodeInfo, SwitchInfo, PortInfo */

/* A list that is being built. */
struct listing {
	struct exchange *x;
	const struct request *request;
	const struct madkit_instances *instances;
	struct modifiers given;
	struct instances *list;
	struct property properties[PROPERTIES];
	bool is_switch;
	uint64_t ports; /* NumPorts */
};

int instances_check(const struct cli_options *o, const struct request *r)
{
	const struct madkit_instances *instances = r->attribute ? r->attribute->instances : NULL;
	struct modifiers m;
	int ret = o->modifiers ? modifiers_parse(o->modifiers, &m, NULL) : -ENOENT;

	if (ret)
		return EXIT_DONE;
	if (r->header.method != MADKIT_METHOD_GET)
		return cli_usage_error("--mod '%s' is only for Get: %s is sent with one modifier",
				       o->modifiers, r->method_name);
	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		return cli_usage_error("--mod '%s': %s has no blocks: GetTable gets all records",
				       o->modifiers, r->attribute_name);
	if (cli_flag(o, OPT_LOCATE))
		return cli_usage_error("--locate is for one request, not for --mod '%s'", o->modifiers);
	if (r->attribute && !r->attribute->modifier &&
	    madkit_attribute_port(r->attribute) == MADKIT_PORT_FIELD)
		return cli_usage_error("--mod '%s': %s has no modifier: the port is PortSelect=N",
				       o->modifiers, r->attribute_name);
	if ((m.values.all || m.have_ports) && !instances)
		return cli_usage_error("--mod '%s': %s has no ports or blocks that can be counted",
				       o->modifiers, r->attribute_name);
	if (m.have_ports && !instances->ports)
		return cli_usage_error("--mod '%s': %s has no ports, only blocks: all, or a list as 0-3,7",
				       o->modifiers, r->attribute_name);
	if (m.have_ports && !instances->blocks[0].entries &&
	    !(instances->ports & MADKIT_INSTANCES_INPUT_PORTS))
		return cli_usage_error("--mod '%s': %s has no blocks, only ports: all, or a list as 1-4,7",
				       o->modifiers, r->attribute_name);
	if ((m.values.all || (m.have_ports && m.ports.all)) && cli_flag(o, OPT_DRY_RUN))
		return cli_usage_error("--mod '%s': --dry-run does not query the node: use a list as 0-3,7",
				       o->modifiers);
	return EXIT_DONE;
}

/* ---- what the node has -------------------------------------------------------------- */

static void property_free(struct property *p)
{
	if (!p->attribute)
		return;
	answer_free(&p->answer);
	request_free(&p->request);
	p->attribute = NULL;
}

/* Reads the attribute, unless it is known. Returns EXIT_DONE, or a status after the failure was shown and
 * reported. */
static int property_get(struct listing *l, const char *attribute, uint32_t modifier,
			struct property **property)
{
	struct property *p = l->properties;
	int status;

	while (p->attribute && strcmp(p->attribute, attribute) != 0)
		p++;
	*property = p;
	if (p->attribute && p->modifier == modifier)
		return EXIT_DONE;
	property_free(p);
	if (request_derive_smp(l->request, attribute, modifier, &p->request))
		return cli_no_memory();
	p->attribute = attribute;
	p->modifier = modifier;
	status = exchange_ask(l->x, &p->request, &p->answer);
	if (status) {
		exchange_show(l->x, &p->request, &p->answer);
		exchange_tell(l->x, &p->request, &p->answer);
	}
	return status;
}

static int listing_value(struct listing *l, const char *attribute, const char *field, uint32_t modifier,
			 uint64_t *value)
{
	struct madkit_record record;
	struct property *p;
	int status = property_get(l, attribute, modifier, &p);

	if (status)
		return status;
	madkit_record_get(&p->answer.message, 0, &record);
	if (!madkit_record_value(&record, field, value))
		return EXIT_DONE;
	cli_say("Get %s: the response has no %s", attribute, field);
	return EXIT_MALFORMED;
}

/* Gets the number of entries of a table of a port. Returns an exit status. */
static int listing_extent(struct listing *l, const struct madkit_extent *e, uint32_t port, uint64_t *n)
{
	uint32_t modifier = strcmp(e->attribute, "PortInfo") ? 0 : port;
	int64_t entries;
	int status;

	if (!l->is_switch && !strcmp(e->attribute, "SwitchInfo")) {
		cli_say("Get %s: the node is not a switch, and has no such table",
			l->request->attribute_name);
		return EXIT_NOTHING;
	}
	status = listing_value(l, e->attribute, e->field, modifier, n);
	if (status)
		return status;
	if (!*n && e->instead)
		return listing_value(l, e->attribute, e->instead, modifier, n);
	entries = (int64_t)*n + e->add;
	*n = entries < 0 ? 0 : (uint64_t)entries;
	return EXIT_DONE;
}

/* ---- composing modifiers -------------------------------------------------------------- */

static int listing_add(struct listing *l, uint32_t modifier)
{
	struct instances *list = l->list;

	if (list->n == INSTANCES_MAX)
		return cli_usage_error("--mod '%s' is more than %d requests", l->x->options->modifiers,
				       INSTANCES_MAX);
	list->modifiers[list->n++] = modifier;
	return EXIT_DONE;
}

/* Adds the numbers of a list that is not "all", each combined with the bits of base. Returns an exit
 * status. */
static int listing_add_list(struct listing *l, const struct modifier_list *given, unsigned int shift,
			    uint32_t base)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < given->n && !status; i++) {
		/* 64 bits: the last number may be UINT32_MAX */
		for (uint64_t n = given->range[i].first; n <= given->range[i].last && !status; n++)
			status = listing_add(l, base | (uint32_t)n << shift);
	}
	return status;
}

static int listing_add_run(struct listing *l, const struct madkit_blocks *blocks, uint32_t port,
			   uint32_t base)
{
	bool external = l->is_switch && port && blocks->external.attribute;
	uint64_t entries;
	int status = listing_extent(l, external ? &blocks->external : &blocks->own, port, &entries);

	for (uint64_t n = 0; !status && n * blocks->entries < entries; n++)
		status = listing_add(l, base | (uint32_t)(blocks->first + n) << l->instances->block_shift);
	return status;
}

static int listing_add_blocks(struct listing *l, uint32_t port, uint32_t base)
{
	const struct madkit_instances *i = l->instances;
	uint64_t positions = i->position ? l->ports / i->position + 1 : 1;
	int status = EXIT_DONE;

	if (!i->blocks[0].entries)
		return listing_add(l, base);
	if (!l->given.values.all)
		return listing_add_list(l, &l->given.values, i->block_shift, base);
	for (uint64_t at = 0; at < positions && !status; at++)
		for (size_t run = 0; run < INSTANCES_RUNS && !status; run++)
			if (i->blocks[run].entries)
				status = listing_add_run(l, &i->blocks[run], port,
							 base | (uint32_t)at << i->position_shift);
	return status;
}

/* Gets the range of the ports that have the attribute. Returns an exit status. */
static int listing_ports(struct listing *l, uint64_t *first, uint64_t *last)
{
	unsigned int ports = l->instances->ports;
	int status = EXIT_DONE;

	*first = 1;
	*last = l->ports;
	if (!l->is_switch && !(ports & MADKIT_INSTANCES_CA_PORTS))
		*first = *last = 0;
	if (l->is_switch && ports & MADKIT_INSTANCES_PORT0)
		*first = 0;
	if (l->is_switch && ports & MADKIT_INSTANCES_ENHANCED_PORT0) {
		status = listing_value(l, "SwitchInfo", "EnhancedPort0", 0, first);
		*first = !*first;
	}
	return status;
}

static int listing_add_port(struct listing *l, uint32_t port)
{
	const struct madkit_instances *i = l->instances;
	uint32_t base = port << i->port_shift;
	uint64_t inputs = l->is_switch ? l->ports + 1 : 1;
	int status = EXIT_DONE;

	if (!(i->ports & MADKIT_INSTANCES_INPUT_PORTS))
		return listing_add_blocks(l, port, base);
	if (!l->given.values.all)
		return listing_add_list(l, &l->given.values, i->input_shift, base);
	for (uint64_t input = 0; input < inputs && !status; input++)
		status = listing_add(l, base | (uint32_t)input << i->input_shift);
	return status;
}

static int listing_add_given_ports(struct listing *l)
{
	const struct modifier_list *ports = &l->given.ports;
	int status = EXIT_DONE;

	for (size_t i = 0; i < ports->n && !status; i++) {
		for (uint32_t port = ports->range[i].first; port <= ports->range[i].last && !status; port++) {
			if (l->given.values.all && port > l->ports)
				return cli_usage_error("--mod '%s': the node has no port %" PRIu32
						       ", only %" PRIu64,
						       l->x->options->modifiers, port, l->ports);
			status = listing_add_port(l, port);
		}
	}
	return status;
}

static int listing_add_all_ports(struct listing *l)
{
	uint64_t first, last;
	int status = listing_ports(l, &first, &last);

	for (; !status && first <= last; first++)
		status = listing_add_port(l, (uint32_t)first);
	return status;
}

static int listing_make(struct listing *l)
{
	uint64_t type;
	int status;

	if (!l->given.have_ports && !l->given.values.all)
		return listing_add_list(l, &l->given.values, 0, 0);
	if (l->given.have_ports && !l->given.values.all && !l->given.ports.all)
		return listing_add_given_ports(l);
	status = listing_value(l, "NodeInfo", "NodeType", 0, &type);
	if (!status)
		status = listing_value(l, "NodeInfo", "NumPorts", 0, &l->ports);
	if (status)
		return status;
	l->is_switch = type == INSTANCES_SWITCH;
	if (!l->instances->ports)
		return listing_add_blocks(l, 0, 0);
	return l->given.have_ports && !l->given.ports.all ? listing_add_given_ports(l) :
							    listing_add_all_ports(l);
}

int instances_get(struct exchange *x, const struct cli_options *o, const struct request *r,
		  struct instances *list)
{
	struct exchange none = { .options = o };
	struct listing l = {
		.x = x ? x : &none,
		.request = r,
		.instances = r->attribute ? r->attribute->instances : NULL,
		.list = list,
	};
	int status;

	list->n = 0;
	list->modifiers = calloc(INSTANCES_MAX, sizeof(*list->modifiers));
	if (!list->modifiers)
		return cli_no_memory();
	status = modifiers_parse(o->modifiers, &l.given, NULL) ? EXIT_USAGE : listing_make(&l);
	for (size_t i = 0; i < PROPERTIES; i++)
		property_free(&l.properties[i]);
	if (status)
		return status;
	/* the queries were not shown: numbering starts again */
	l.x->seq = 0;
	if (list->n)
		return EXIT_DONE;
	cli_say("Get %s: the node has no block of it", r->attribute_name);
	return EXIT_NOTHING;
}

void instances_free(struct instances *list)
{
	free(list->modifiers);
	list->modifiers = NULL;
	list->n = 0;
}

int instances_request(const struct request *r, uint32_t modifier, struct request *copy)
{
	*copy = *r;
	copy->mad = malloc(r->len);
	if (!copy->mad)
		return -ENOMEM;
	memcpy(copy->mad, r->mad, r->len);
	copy->header.modifier = modifier;
	if (copy->attribute)
		copy->attribute = madkit_attribute_row(copy->attribute, modifier);
	return madkit_header_put(copy->mad, copy->len, &copy->header);
}
