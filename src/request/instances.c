/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "instances.h"
#include "cli/modifiers.h"

enum {
	INSTANCES_MAX = 16384, /* maximum number of requests */
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
	struct madkit_blocks_node node;
	int status; /* exit status of a failed query */
};

int instances_check(const struct cli_options *o, const struct request *r)
{
	const struct madkit_instances *instances = r->attribute ? r->attribute->instances : NULL;
	struct modifiers m;
	int ret = o->request.modifiers ? modifiers_parse(o->request.modifiers, &m, NULL) : -ENOENT;

	if (ret)
		return EXIT_DONE;
	if (r->header.method != MADKIT_METHOD_GET)
		return cli_usage_error("--mod '%s' is only for Get: %s is sent with one modifier",
				       o->request.modifiers, r->method_name);
	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		return cli_usage_error("--mod '%s': %s has no blocks: GetTable gets all records",
				       o->request.modifiers, r->attribute_name);
	if (o->request.locate)
		return cli_usage_error("--locate is for one request, not for --mod '%s'",
				       o->request.modifiers);
	if (r->attribute && !r->attribute->modifier &&
	    madkit_attribute_port(r->attribute) == MADKIT_PORT_FIELD)
		return cli_usage_error("--mod '%s': %s has no modifier: the port is PortSelect=N",
				       o->request.modifiers, r->attribute_name);
	if ((m.values.all || m.have_ports) && !instances)
		return cli_usage_error("--mod '%s': %s has no ports or blocks that can be counted",
				       o->request.modifiers, r->attribute_name);
	if (m.have_ports && !instances->ports)
		return cli_usage_error("--mod '%s': %s has no ports, only blocks: all, or a list as 0-3,7",
				       o->request.modifiers, r->attribute_name);
	if (m.have_ports && !instances->blocks[0].entries &&
	    !(instances->ports & MADKIT_INSTANCES_INPUT_PORTS))
		return cli_usage_error("--mod '%s': %s has no blocks, only ports: all, or a list as 1-4,7",
				       o->request.modifiers, r->attribute_name);
	if ((m.values.all || (m.have_ports && m.ports.all)) && o->request.dry_run)
		return cli_usage_error("--mod '%s': --dry-run does not query the node: use a list as 0-3,7",
				       o->request.modifiers);
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

/* Gets a field of an attribute of the node, for madkit_blocks_all(). The exit status of a failure is kept. */
static int listing_value(void *context, const char *attribute, const char *field, unsigned int port,
			 uint64_t *value)
{
	struct listing *l = context;
	struct madkit_record record;
	struct property *p;

	l->status = property_get(l, attribute, strcmp(attribute, "PortInfo") ? 0 : port, &p);
	if (l->status)
		return -ECANCELED;
	madkit_record_get(&p->answer.message, 0, &record);
	if (!madkit_record_value(&record, field, value))
		return 0;
	cli_say("Get %s: the response has no %s", attribute, field);
	l->status = EXIT_MALFORMED;
	return -ECANCELED;
}

/* ---- composing modifiers -------------------------------------------------------------- */

static int listing_too_many(const struct listing *l)
{
	return cli_usage_error("--mod '%s' is more than %d requests", l->x->options->request.modifiers,
			       INSTANCES_MAX);
}

static int listing_add(struct listing *l, uint32_t modifier)
{
	struct instances *list = l->list;

	if (list->n == INSTANCES_MAX)
		return listing_too_many(l);
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

/* Adds all blocks of a port, or of the node. Returns an exit status. */
static int listing_add_all(struct listing *l, uint32_t port)
{
	struct instances *list = l->list;
	struct madkit_blocks_list blocks = { .modifiers = list->modifiers + list->n,
					     .max = INSTANCES_MAX - list->n };
	const int ret =
		madkit_blocks_all(l->instances, &l->node, port, port << l->instances->port_shift, &blocks);

	list->n += blocks.n;
	if (ret == -ENOENT) {
		cli_say("Get %s: the node is not a switch, and has no such table",
			l->request->attribute_name);
		return EXIT_NOTHING;
	}
	if (ret == -E2BIG)
		return listing_too_many(l);
	return ret ? l->status : EXIT_DONE;
}

/* Adds the given blocks of a port, or of the node. Returns an exit status. */
static int listing_add_blocks(struct listing *l, uint32_t port)
{
	const struct madkit_instances *i = l->instances;

	if (l->given.values.all || (!i->blocks[0].entries && !(i->ports & MADKIT_INSTANCES_INPUT_PORTS)))
		return listing_add_all(l, port);
	return listing_add_list(l, &l->given.values, madkit_blocks_shift(i), port << i->port_shift);
}

static int listing_add_given_ports(struct listing *l)
{
	const struct modifier_list *ports = &l->given.ports;
	int status = EXIT_DONE;

	for (size_t i = 0; i < ports->n && !status; i++) {
		for (uint32_t port = ports->range[i].first; port <= ports->range[i].last && !status; port++) {
			if (l->given.values.all && port > l->node.nports)
				return cli_usage_error("--mod '%s': the node has no port %" PRIu32
						       ", only %u",
						       l->x->options->request.modifiers, port,
						       l->node.nports);
			status = listing_add_blocks(l, port);
		}
	}
	return status;
}

static int listing_add_all_ports(struct listing *l)
{
	unsigned int first, last;
	int status = madkit_blocks_ports(l->instances, &l->node, &first, &last) ? l->status : EXIT_DONE;

	for (; !status && first <= last; first++)
		status = listing_add_blocks(l, first);
	return status;
}

static int listing_make(struct listing *l)
{
	uint64_t type, ports;

	if (!l->given.have_ports && !l->given.values.all)
		return listing_add_list(l, &l->given.values, 0, 0);
	if (l->given.have_ports && !l->given.values.all && !l->given.ports.all)
		return listing_add_given_ports(l);
	if (listing_value(l, "NodeInfo", "NodeType", 0, &type) ||
	    listing_value(l, "NodeInfo", "NumPorts", 0, &ports))
		return l->status;
	l->node.is_switch = type == MADKIT_NODE_TYPE_SWITCH;
	l->node.nports = (uint8_t)ports;
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
		.node = { .value = listing_value, .context = &l },
	};
	int status;

	list->n = 0;
	list->modifiers = calloc(INSTANCES_MAX, sizeof(*list->modifiers));
	if (!list->modifiers)
		return cli_no_memory();
	status = modifiers_parse(o->request.modifiers, &l.given, NULL) ? EXIT_USAGE : listing_make(&l);
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
