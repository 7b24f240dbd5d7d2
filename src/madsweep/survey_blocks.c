/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include "survey_blocks.h"
#include "util/array_size.h"

enum { BLOCKS_MAX = 16384 }; /* maximum number of blocks given for a port or node */

/* ---- the option -------------------------------------------------------------------- */

static int blocks_read_list(const struct cli_options *o, const struct request *r, struct modifier_list *list)
{
	struct madkit_error error = { .text = "" };
	struct modifiers m;

	if (!o->request.modifiers) {
		*list = (struct modifier_list){ .n = 1,
						.range = { { o->request.modifier, o->request.modifier } } };
		return EXIT_DONE;
	}
	if (modifiers_parse(o->request.modifiers, &m, &error))
		return cli_usage_error("%s", error.text);
	if (m.have_ports)
		return cli_usage_error(
			"--mod '%s': --select chooses the ports of %s, as in --select 'number < 5'",
			o->request.modifiers, r->attribute_name);
	*list = m.values;
	return EXIT_DONE;
}

/* Returns the highest block number: if the modifier also contains a port, fewer bits are left. */
static uint32_t blocks_highest(const struct madkit_instances *i)
{
	return i->ports & MADKIT_INSTANCES_INPUT_PORTS ? UINT8_MAX : i->ports ? UINT16_MAX : UINT32_MAX;
}

static int blocks_check_list(const struct madkit_instances *i, const struct modifier_list *list,
			     const struct request *r)
{
	uint64_t n = 0;

	for (size_t at = 0; at < list->n; at++) {
		n += (uint64_t)list->range[at].last - list->range[at].first + 1;
		if (list->range[at].last > blocks_highest(i))
			return cli_usage_error("--mod: %s has no block %" PRIu32, r->attribute_name,
					       list->range[at].last);
	}
	return n <= BLOCKS_MAX ? EXIT_DONE :
				 cli_usage_error("--mod is more than %d requests for each %s", BLOCKS_MAX,
						 i->ports ? "port" : "node");
}

/* Checks if the sweep has read the attribute that contains the number of blocks. */
static bool blocks_are_counted(const struct madkit_instances *i)
{
	static const char *const known[] = { "NodeInfo", "PortInfo", "SwitchInfo" };

	for (size_t at = 0; at < ARRAY_SIZE(known); at++)
		if (!i->blocks[0].entries || !strcmp(i->blocks[0].own.attribute, known[at]))
			return true;
	return false;
}

int survey_blocks_read(const struct cli_options *o, const struct request *r, struct survey_blocks *b)
{
	const struct madkit_instances *i = r->attribute ? r->attribute->instances : NULL;
	const bool has = i && (i->blocks[0].entries || i->ports & MADKIT_INSTANCES_INPUT_PORTS);
	int status;

	*b = (struct survey_blocks){ .instances = has ? i : NULL };
	if (!cli_given(o, "mod"))
		return has ? cli_usage_error(
				     "%s is a table in blocks: -m all gets all of them, -m 0-3 a list",
				     r->attribute_name) :
			     EXIT_DONE;
	if (!has)
		return cli_usage_error("--mod has no effect: %s has no blocks%s", r->attribute_name,
				       i ? "; --select chooses ports, as in --select 'number == 1'" : "");
	b->port0 = i->ports & MADKIT_INSTANCES_PORT0 && !o->select && !o->route && !o->mlid;
	status = blocks_read_list(o, r, &b->given);
	if (!status && b->given.all && !blocks_are_counted(i))
		return cli_usage_error(
			"--mod all: the sweep does not read %s, which counts the blocks of %s: use "
			"a list as 0-3,7",
			i->blocks[0].own.attribute, r->attribute_name);
	return status ? status : blocks_check_list(i, &b->given, r);
}

bool survey_blocks_by_port(const struct survey_blocks *b)
{
	return b->instances && b->instances->ports;
}

/* ---- what a node has ----------------------------------------------------------------- */

static bool blocks_value(const uint8_t *info, uint16_t attribute, const char *field, uint64_t *value)
{
	const struct madkit_attribute *a =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SUBN_DR, attribute);
	const struct madkit_record record = {
		.attribute = a, .layout = a ? a->layout : NULL, .data = info, .len = MADKIT_SWEEP_INFO_BYTES
	};

	return !madkit_record_value(&record, field, value);
}

/* The node of a sweep, and whether each of its ports has a table. */
struct blocks_swept {
	const struct madkit_sweep_node *node;
	bool by_port;
};

/* Gets a field of NodeInfo, SwitchInfo or PortInfo, for madkit_blocks_all(). Returns 1 if the node has not
 * responded with it. */
static int blocks_field(void *context, const char *attribute, const char *field, unsigned int port,
			uint64_t *value)
{
	const struct blocks_swept *swept = context;
	const struct madkit_sweep_node *n = swept->node;
	const bool own = n->type == MADKIT_NODE_TYPE_SWITCH && !swept->by_port;
	const struct madkit_sweep_port *p = &n->ports[own ? 0 : port];

	if (!strcmp(attribute, "NodeInfo")) {
		*value = !strcmp(field, "NumPorts") ? n->nports : n->partitions;
		return 0;
	}
	if (!strcmp(attribute, "SwitchInfo"))
		return n->switched != MADKIT_SWEEP_ANSWERED ||
		       !blocks_value(n->switch_info, MADKIT_ATTR_SWITCH_INFO, field, value);
	return p->state != MADKIT_SWEEP_ANSWERED ||
	       !blocks_value(p->info, MADKIT_ATTR_PORT_INFO, field, value);
}

/* ---- modifiers ------------------------------------------------------------------------ */

static size_t blocks_list_given(const struct survey_blocks *b, uint32_t base, uint32_t *modifiers)
{
	const unsigned int shift = madkit_blocks_shift(b->instances);
	size_t count = 0;

	for (size_t i = 0; i < b->given.n; i++)
		for (uint64_t n = b->given.range[i].first; n <= b->given.range[i].last; n++, count++)
			if (modifiers)
				modifiers[count] = base | (uint32_t)n << shift;
	return count;
}

size_t survey_blocks_list(const struct survey_blocks *b, const struct madkit_sweep_node *n, unsigned int port,
			  uint32_t *modifiers, bool *uncounted)
{
	const struct madkit_instances *i = b->instances;
	struct blocks_swept swept = { .node = n, .by_port = i->ports };
	const struct madkit_blocks_node node = { .is_switch = n->type == MADKIT_NODE_TYPE_SWITCH,
						 .nports = n->nports,
						 .value = blocks_field,
						 .context = &swept };
	const uint32_t base = madkit_blocks_base(i, node.is_switch, port);
	struct madkit_blocks_list list = { .modifiers = modifiers, .max = SIZE_MAX };

	*uncounted = false;
	if (!node.is_switch && i->blocks[0].entries && !strcmp(i->blocks[0].own.attribute, "SwitchInfo"))
		return 0;
	if (!b->given.all)
		return blocks_list_given(b, base, modifiers);
	madkit_blocks_all(i, &node, port, base, &list);
	*uncounted = list.unknown;
	return list.n;
}
