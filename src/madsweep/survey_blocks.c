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

	if (!o->modifiers) {
		*list = (struct modifier_list){ .n = 1, .range = { { o->modifier, o->modifier } } };
		return EXIT_DONE;
	}
	if (modifiers_parse(o->modifiers, &m, &error))
		return cli_usage_error("%s", error.text);
	if (m.have_ports)
		return cli_usage_error(
			"--mod '%s': --select chooses the ports of %s, as in --select 'number < 5'",
			o->modifiers, r->attribute_name);
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
	if (!cli_given(o, OPT_MOD))
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

/* Gets a field of NodeInfo, SwitchInfo or PortInfo. Returns false if the node has not responded with it. */
static bool blocks_field(const struct survey_blocks *b, const struct madkit_sweep_node *n, unsigned int port,
			 const char *attribute, const char *field, uint64_t *value)
{
	const bool is_switch = n->type == MADKIT_NODE_TYPE_SWITCH;
	const struct madkit_sweep_port *p = &n->ports[is_switch && !b->instances->ports ? 0 : port];

	if (!strcmp(attribute, "NodeInfo")) {
		*value = !strcmp(field, "NumPorts") ? n->nports : n->partitions;
		return true;
	}
	if (!strcmp(attribute, "SwitchInfo"))
		return n->switched == MADKIT_SWEEP_ANSWERED &&
		       blocks_value(n->switch_info, MADKIT_ATTR_SWITCH_INFO, field, value);
	return p->state == MADKIT_SWEEP_ANSWERED &&
	       blocks_value(p->info, MADKIT_ATTR_PORT_INFO, field, value);
}

/* Returns the number of blocks of a run; if it is not known, 1, and sets *uncounted. */
static uint64_t blocks_of_run(const struct survey_blocks *b, const struct madkit_sweep_node *n,
			      unsigned int port, const struct madkit_blocks *run, bool *uncounted)
{
	const bool external = n->type == MADKIT_NODE_TYPE_SWITCH && port && run->external.attribute;
	const struct madkit_extent *e = external ? &run->external : &run->own;
	uint64_t value, entries;

	*uncounted = false;
	if (!run->entries)
		return 0;
	*uncounted = !blocks_field(b, n, port, e->attribute, e->field, &value);
	if (*uncounted)
		return 1;
	entries = (int64_t)value + e->add < 0 ? 0 : value + (uint64_t)(int64_t)e->add;
	*uncounted = !value && e->instead && !blocks_field(b, n, port, e->attribute, e->instead, &entries);
	if (*uncounted)
		return 1;
	return (entries + run->entries - 1) / run->entries;
}

/* ---- modifiers ------------------------------------------------------------------------ */

/* A list that is built, or only counted. */
struct blocks_list {
	uint32_t *modifiers; /* or NULL */
	size_t n;
	bool uncounted; /* the number of blocks of a run is not known */
	uint32_t beyond;
};

static void blocks_add(struct blocks_list *list, uint32_t modifier)
{
	if (list->modifiers)
		list->modifiers[list->n] = modifier;
	list->n++;
}

static void blocks_add_given(const struct survey_blocks *b, unsigned int shift, uint32_t base,
			     struct blocks_list *list)
{
	for (size_t i = 0; i < b->given.n; i++)
		for (uint64_t n = b->given.range[i].first; n <= b->given.range[i].last; n++)
			blocks_add(list, base | (uint32_t)n << shift);
}

static void blocks_add_inputs(const struct survey_blocks *b, const struct madkit_sweep_node *n, uint32_t base,
			      struct blocks_list *list)
{
	const unsigned int last = n->type == MADKIT_NODE_TYPE_SWITCH ? n->nports : 0;

	for (unsigned int input = 0; input <= last; input++)
		blocks_add(list, base | input << b->instances->input_shift);
}

static void blocks_add_runs(const struct survey_blocks *b, const struct madkit_sweep_node *n,
			    unsigned int port, uint32_t base, struct blocks_list *list)
{
	const struct madkit_instances *i = b->instances;
	const unsigned int positions = i->position ? n->nports / i->position + 1u : 1;

	for (uint32_t at = 0; at < positions; at++)
		for (size_t run = 0; run < ARRAY_SIZE(i->blocks); run++) {
			const uint32_t place = base | at << i->position_shift;
			bool uncounted;
			const uint64_t blocks = blocks_of_run(b, n, port, &i->blocks[run], &uncounted);

			for (uint32_t block = 0; block < blocks; block++)
				blocks_add(list, place | (i->blocks[run].first + block) << i->block_shift);
			if (uncounted && !list->uncounted)
				list->beyond = place | (i->blocks[run].first + 1) << i->block_shift;
			list->uncounted |= uncounted;
		}
	if (list->uncounted)
		blocks_add(list, list->beyond);
}

size_t survey_blocks_list(const struct survey_blocks *b, const struct madkit_sweep_node *n, unsigned int port,
			  uint32_t *modifiers, bool *uncounted)
{
	const struct madkit_instances *i = b->instances;
	const bool is_switch = n->type == MADKIT_NODE_TYPE_SWITCH;
	const bool in_modifier = is_switch ? i->ports : i->ports & MADKIT_INSTANCES_CA_PORTS;
	const bool inputs = i->ports & MADKIT_INSTANCES_INPUT_PORTS;
	const uint32_t base = in_modifier ? port << i->port_shift : 0;
	struct blocks_list list = { .modifiers = modifiers };

	*uncounted = false;
	if (!is_switch && i->blocks[0].entries && !strcmp(i->blocks[0].own.attribute, "SwitchInfo"))
		return 0;
	if (!b->given.all)
		blocks_add_given(b, inputs ? i->input_shift : i->block_shift, base, &list);
	else if (inputs)
		blocks_add_inputs(b, n, base, &list);
	else
		blocks_add_runs(b, n, port, base, &list);
	*uncounted = list.uncounted;
	return list.n;
}
