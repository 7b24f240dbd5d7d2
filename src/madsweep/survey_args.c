/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Builds the requests of a survey from the words of the command line. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include "request/request_args.h"
#include "cli/suggest.h"
#include "survey.h"
#include "survey_run.h"
#include "util/array_size.h"

enum { SURVEY_BLOCKS_MAX = 16384 }; /* maximum number of blocks given for a port or node */

/* ---- -m ------------------------------------------------------------------------------ */

static int survey_blocks_parse(const struct cli_options *o, const struct request *r,
			       struct modifier_list *list)
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
static uint32_t survey_blocks_highest(const struct madkit_instances *i)
{
	return i->ports & MADKIT_INSTANCES_INPUT_PORTS ? UINT8_MAX : i->ports ? UINT16_MAX : UINT32_MAX;
}

static int survey_blocks_check(const struct madkit_instances *i, const struct modifier_list *list,
			       const struct request *r)
{
	uint64_t n = 0;

	for (size_t at = 0; at < list->n; at++) {
		n += (uint64_t)list->range[at].last - list->range[at].first + 1;
		if (list->range[at].last > survey_blocks_highest(i))
			return cli_usage_error("--mod: %s has no block %" PRIu32, r->attribute_name,
					       list->range[at].last);
	}
	return n <= SURVEY_BLOCKS_MAX ? EXIT_DONE :
					cli_usage_error("--mod is more than %d requests for each %s",
							SURVEY_BLOCKS_MAX, i->ports ? "port" : "node");
}

/* Checks if the sweep has read the attribute that contains the number of blocks. */
static bool survey_blocks_are_counted(const struct madkit_instances *i)
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
	const struct madsweep_options *own = madsweep_options(o);
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
	b->port0 = i->ports & MADKIT_INSTANCES_PORT0 && !own->select && !own->route && !own->mlid;
	status = survey_blocks_parse(o, r, &b->given);
	if (!status && b->given.all && !survey_blocks_are_counted(i))
		return cli_usage_error(
			"--mod all: the sweep does not read %s, which counts the blocks of %s: use "
			"a list as 0-3,7",
			i->blocks[0].own.attribute, r->attribute_name);
	return status ? status : survey_blocks_check(i, &b->given, r);
}

/* ---- the request ---------------------------------------------------------------------- */

/* Checks if the request has a value other than 0 in a field. */
static bool survey_has(const struct request *r, const char *field)
{
	struct madkit_place place;
	uint64_t value = 0;

	return r->header.mgmt_class == MADKIT_CLASS_MLNX && r->attribute && r->attribute->layout &&
	       !madkit_place_find(r->attribute->layout, field, strlen(field), &place, NULL) &&
	       !madkit_field_get(place.field, 0, r->mad + r->data_offset, r->len - r->data_offset, &value) &&
	       value;
}

static int survey_check_attribute(const struct cli_options *o, const struct request *r)
{
	struct survey_blocks blocks;

	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		return cli_usage_error(
			"%s is an attribute of the subnet administrator, not of each node: madsend %s %s",
			r->attribute_name, r->method_name, r->attribute_name);
	if (r->attribute && madkit_attribute_port(r->attribute) == MADKIT_PORT_FIELD && !r->local_port)
		return cli_usage_error(
			"PortSelect: each port is asked; --select chooses ports, as in --select 'number == 1'");
	if (survey_has(r, "PortSelectMsb"))
		return cli_usage_error("PortSelectMsb: each port is asked; --select chooses ports");
	/* a local port would be taken as a port of the IBA: that of another cable */
	if (survey_has(r, "PortNumbering"))
		return cli_usage_error("PortNumbering: ports are asked by their local ports, with 0");
	if (survey_has(r, "Plane") && madsweep_options(o)->have_plane)
		return cli_usage_error("--plane: the request has Plane already");
	if (r->len > MADKIT_MAD_BYTES)
		return cli_usage_error("data is longer than one MAD");
	return survey_blocks_read(o, r, &blocks);
}

/* Sets the plane of --plane. */
static int survey_put_plane(const struct cli_options *o, struct request *r)
{
	const struct madsweep_options *own = madsweep_options(o);
	struct madkit_place place;

	if (!own->have_plane)
		return EXIT_DONE;
	if (r->header.mgmt_class != MADKIT_CLASS_MLNX || !r->attribute || !r->attribute->layout ||
	    madkit_place_find(r->attribute->layout, "Plane", strlen("Plane"), &place, NULL))
		return cli_usage_error("--plane: %s has no planes", r->attribute_name);
	madkit_field_put(place.field, 0, r->mad + r->data_offset, r->len - r->data_offset, own->plane);
	return EXIT_DONE;
}

/* Sends SMInfo also to each node, instead of to the subnet manager. */
static int survey_leave_manager(struct request *r)
{
	struct madkit_error error = { .text = "" };

	if (!r->to_manager)
		return EXIT_DONE;
	r->destination.have_direct = r->destination.addr.direct = true;
	if (request_route(r, &error))
		return cli_usage_error("%s", error.text);
	madkit_header_put(r->mad, r->len, &r->header);
	return EXIT_DONE;
}

int survey_build(const struct cli_options *o, char **words, int nwords, struct request *r)
{
	int status;

	memset(r, 0, sizeof(*r));
	if (nwords && is_method_name(words[0]) && strcasecmp(words[0], "Get") != 0)
		return cli_usage_error("'%s': madsweep only reads, with Get; --clear resets counters",
				       words[0]);
	status = request_build(o, words, nwords, r);
	if (status)
		return status;
	if (r->header.method != MADKIT_METHOD_GET)
		return cli_usage_error("'%s': madsweep only reads, with Get; --clear resets counters",
				       words[0]);
	status = survey_check_attribute(o, r);
	/* each request gets its port and its block later */
	r->local_port = false;
	if (!status)
		status = survey_put_plane(o, r);
	return status ? status : survey_leave_manager(r);
}

/* In tables and CSV, shows a column for each counter of errors. */
static int survey_columns_of_errors(const struct cli_options *o, struct output *out,
				    const struct madkit_layout *l)
{
	struct madkit_buf fields;
	int status;

	if (!out->table)
		return EXIT_DONE;
	madkit_buf_init(&fields, 0);
	madkit_buf_str(&fields, "port.node.name,port.number");
	for (unsigned int i = 0; i < l->nfields; i++)
		if (l->fields[i].flags & MADKIT_FIELD_ERROR)
			madkit_buf_printf(&fields, ",%s", l->fields[i].name);
	madkit_buf_str(&fields, ",port.peer.node.name,port.peer.number");
	status = fields.error ? cli_no_memory() : output_table(out, o, fields.data);
	madkit_buf_free(&fields);
	return status;
}

int survey_build_get(const struct cli_options *o, const char *attribute, struct request *r)
{
	static char get_word[] = "Get";
	char *words[] = { get_word, (char *)attribute };

	return survey_build(o, words, ARRAY_SIZE(words), r);
}

int survey_build_errors(const struct cli_options *o, struct output *out, struct request *r)
{
	int status;

	/* of differences, survey_show() omits those without errors */
	if (!madsweep_options(o)->delta && !madsweep_options(o)->since &&
	    madkit_expr_new("any_error", &out->filter, NULL))
		return cli_no_memory();
	out->how.filter = out->filter;
	status = survey_build_get(o, "PortCounters", r);
	return status ? status : survey_columns_of_errors(o, out, r->attribute->layout);
}

int survey_build_clear(const struct cli_options *o, const char *attribute, struct request *r)
{
	static char get_word[] = "Get", set_word[] = "Set", all[] = "CounterSelect=all";
	struct request get = { .mad = NULL };
	char *words[] = { get_word, (char *)attribute, all };
	int status;

	memset(r, 0, sizeof(*r));
	status = request_build(o, words, 2, &get);
	get.header.method = MADKIT_METHOD_SET;
	if (!status && !request_resets(&get))
		status = cli_usage_error("--clear '%s': it has no counters that can be reset", attribute);
	request_free(&get);
	if (status)
		return status;
	words[0] = set_word;
	status = request_build(o, words, 3, r);
	if (!status)
		status = survey_check_attribute(o, r);
	r->local_port = false;
	return status;
}

void survey_by_lid(struct request *r)
{
	if (!r->smp)
		return;
	r->header.mgmt_class = MADKIT_CLASS_SUBN;
	r->to.direct = r->to_manager = false;
	r->to.dr_slid = r->to.dr_dlid = 0;
	r->destination.have_direct = r->destination.addr.direct = false;
	/* without a directed route, these fields are reserved */
	memset(r->mad + MADKIT_SMP_DR_SLID, 0, MADKIT_SMP_DATA - MADKIT_SMP_DR_SLID);
	madkit_header_put(r->mad, r->len, &r->header);
}

/* Checks if the sweep queries the SA: it then uses the SM_Key and sends no SMPs. */
static bool survey_is_via_sa(const struct cli_options *o)
{
	const char *via = madsweep_options(o)->subnet.via;

	return via && !strcmp(via, "sa");
}

size_t survey_smps(const struct request *requests, size_t n)
{
	size_t smps = 0;

	for (size_t i = 0; i < n; i++)
		smps += requests[i].smp;
	return smps;
}

/* Rejects options that have an effect only on SMPs, or on keys that are shown. */
static int survey_check_smps(const struct cli_options *o, const struct request *requests, size_t n)
{
	int status = EXIT_DONE;

	if (survey_is_via_sa(o) && !survey_smps(requests, n))
		status = cli_refuse(o, "m-key", "with --via sa, no SMPs are sent");
	if (!status && survey_is_via_sa(o) && !n)
		status = cli_refuse(o, "window", "with --via sa, one request is sent at a time");
	if (!status && (!n || o->mode == MODE_CLEAR) && !o->output.write_path && o->output.debug < 2)
		status = cli_refuse(o, "show-keys", "no key is shown without --write, or --debug twice");
	return status;
}

int survey_check_options(const struct cli_options *o, const struct request *requests, size_t n)
{
	static const char *const of_requests[] = { "mod",        "class",   "oui",   "sl",
						   "pkey-index", "sm-port", "sm-key" };
	static const char *const of_gmps[] = { "pkey-index", "sm-port", "sm-key" };
	const size_t n_requests = ARRAY_SIZE(of_requests) - survey_is_via_sa(o),
		     n_gmps = ARRAY_SIZE(of_gmps) - survey_is_via_sa(o);
	const bool smps = n && survey_smps(requests, n) == n;
	bool mlnx = false;
	int status = EXIT_DONE;

	/* "sm-key" is the last one */
	for (size_t i = 0; !n && i < n_requests && !status; i++)
		/* a route is checked for the SL */
		if (!madsweep_options(o)->route || strcmp(of_requests[i], "sl") != 0)
			status = cli_refuse(o, of_requests[i], "there is no METHOD ATTRIBUTE");
	for (size_t i = 0; smps && i < n_gmps && !status; i++)
		status = cli_refuse(o, of_gmps[i], "%s is requested by SMPs", requests[0].attribute_name);
	for (size_t i = 1; n && !smps && o->to.have_sl && i < n_gmps && !status; i++)
		status = cli_refuse(o, of_gmps[i], "with --sl, the subnet administrator is not queried");
	for (size_t i = 0; i < n; i++)
		mlnx |= requests[i].header.mgmt_class == MADKIT_CLASS_MLNX;
	if (!status && !n)
		status = cli_refuse(o, "plane", "there is no METHOD ATTRIBUTE");
	if (!status && !mlnx)
		status = cli_refuse(o, "v-key", "only requests of the class Mlnx have a V_Key");
	return status ? status : survey_check_smps(o, requests, n);
}

/* ---- --clear ---------------------------------------------------------------------------- */

size_t survey_announce_clear(const struct cli_options *o, const struct scope *scope, const struct request *r)
{
	static const char what[] =
		"not sent, because the port is down or its node does not have the attribute";
	struct failures failures = { .all = o->output.verbose };
	size_t n = 0;

	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_port *at = &scope->ports[i];
		const struct madkit_survey_port port = { .node = at->node, .port = at->port };
		const char *reason = madkit_survey_left_out(scope->area.sweep, &port, r->mad, r->len);
		char name[SURVEY_NAME_BYTES];

		if (!reason && !r->to.direct)
			reason = madkit_survey_no_lid(scope->area.sweep, &port);
		n += !reason;
		if (!reason || !failures_count(&failures, EXIT_TIMEOUT, -ENETUNREACH, what))
			continue;
		survey_name(scope->area.sweep, at->node, name);
		cli_say("%s of %s port %u: cannot be cleared, because %s", r->attribute_name, name, at->port,
			reason);
	}
	failures_finish(&failures);
	if (n)
		cli_say("%s of %zu %s will be cleared", r->attribute_name, n, n == 1 ? "port" : "ports");
	return n;
}

bool survey_is_table(const struct cli_options *o, const struct request *r)
{
	const struct madkit_attribute *a = request_answer(r);

	return o->mode == MODE_SWEEP && !madsweep_options(o)->errors && !cli_given(o, "format") &&
	       o->output.format == FORMAT_TEXT && !o->output.verbose && a && a->layout &&
	       !cli_given(o, "mod");
}
