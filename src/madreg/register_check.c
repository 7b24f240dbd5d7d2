/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/survey.h>
#include "cli/privileges.h"
#include "cli/wait.h"
#include "register_check.h"
#include "subnet/gaps.h"
#include "subnet/register_request.h"
#include "subnet/subnet.h"
#include "util/array_size.h"

/* The registers that a type is asked for: at most as many as the class has rows. */
enum { REGISTER_ROWS = 64, REGISTER_SILENT_MAX = 2, REGISTER_STATES = MADKIT_REGISTERS_INVALID + 1 };

/* The response to a request for a register. */
struct register_answer {
	const struct madkit_attribute *attribute;
	int result;      /* exit status of the request; -1: not requested */
	uint16_t status; /* of the MAD, if result is EXIT_STATUS */
};

/* A type of device and firmware, with the port of the node that was checked. */
struct register_type {
	struct register_check *check;
	const struct madkit_registers_type *known;
	const char *why; /* it is not trusted, or not judged */
	char psid[4 * 16 + 1];
	struct register_target target;
	unsigned int ports;  /* of the node */
	unsigned int mapped; /* ports that have a local port */
	struct register_answer answers[REGISTER_ROWS];
	size_t n;
};

struct register_check {
	struct subnet net;
	struct madkit_registers *registers;
	struct madkit_survey *survey;
	uint32_t others[2][REGISTER_STATES]; /* nodes by state, without and with a type */
	bool disagrees;
	bool unjudged; /* a type, because of refusals or silence */
	bool busy;     /* a node, whose status does not say that it has no registers */
	bool shown;    /* the version, before the first type */
	bool cut;      /* the deadline ended the requests */
};

/* ---- requests ---------------------------------------------------------------------------- */

static void register_ask(struct register_type *t, const struct madkit_attribute *attribute, struct answer *a)
{
	struct register_answer *answer = &t->answers[t->n++];
	struct request r = { .mad = NULL };

	*answer = (struct register_answer){ .attribute = attribute,
					    .result = register_request_make(attribute, &t->target, &r) };
	if (!answer->result)
		answer->result = exchange_ask(&t->check->net.x, &r, a);
	if (answer->result == EXIT_STATUS)
		answer->status = madkit_message_status(&a->message);
	request_free(&r);
}

/* Reads the PSID, which GeneralInfo has without registers. */
static void register_read_psid(struct register_type *t, const struct answer *a)
{
	uint8_t psid[16];
	struct madkit_buf text;

	if (madkit_get_bytes(a->message.mad + MADKIT_MLNX_DATA, MADKIT_MAD_BYTES - MADKIT_MLNX_DATA,
			     MADKIT_GENERAL_INFO_FWPSID, psid, sizeof(psid)))
		return;
	madkit_buf_init(&text, 0);
	madkit_text_escape(&text, (const char *)psid, strnlen((const char *)psid, sizeof(psid)));
	snprintf(t->psid, sizeof(t->psid), "%.*s", (int)text.len, text.len ? text.data : "");
	madkit_buf_free(&text);
}

/* Requests GeneralInfo and each register of the node of a type, until it no longer responds. */
static void register_ask_all(struct register_type *t)
{
	const struct madkit_class *class = madkit_class_get(MADKIT_CLASS_MLNX);
	unsigned int silent = 0;

	for (size_t i = 0; i < class->nattributes && t->n < REGISTER_ROWS && !cli_stopped(); i++) {
		const struct madkit_attribute *row = &class->attributes[i];
		const bool general = row->id == MADKIT_ATTR_GENERAL_INFO;
		struct answer a = { .status = EXIT_LOCAL };

		if (!general && !(row->flags & MADKIT_ATTRIBUTE_READ_ONLY))
			continue;
		if (silent == REGISTER_SILENT_MAX) {
			t->answers[t->n++] = (struct register_answer){ .attribute = row, .result = -1 };
			continue;
		}
		register_ask(t, row, &a);
		silent = a.status == EXIT_TIMEOUT ? silent + 1 : 0;
		if (general && !a.status)
			register_read_psid(t, &a);
		answer_free(&a);
	}
}

/* Finds why a type was not judged: the state of its first node that could not be checked. */
static void register_find_reason(struct register_type *t, uint32_t number)
{
	const struct register_check *c = t->check;

	t->why = t->known->why;
	for (uint32_t i = 0; i < c->net.counts.nodes && !t->known->judged && !*t->why; i++) {
		const struct madkit_registers_node node = madkit_registers_get(c->registers, i);

		if (node.type == number && node.reason)
			t->why = node.reason;
	}
}

/* Checks if a type was found to be wrong: a check that could not be made says nothing. PortNumbering is for information. */
static bool register_is_wrong(const struct madkit_registers_type *known)
{
	for (unsigned int i = 0; i < MADKIT_REGISTERS_PORT_NUMBERING; i++)
		if (known->results[i].verdict == MADKIT_REGISTERS_DISAGREES)
			return true;
	return false;
}

/* Finds the port of the node that was checked, and how many ports have local ports. */
static void register_find_port(struct register_type *t)
{
	const struct register_check *c = t->check;
	const uint32_t node = t->known->node;
	const struct madkit_sweep_node *n = madkit_sweep_node(c->net.sweep, node);
	const unsigned int first = t->known->port ? t->known->port : 1;
	const uint8_t port = n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : (uint8_t)first;
	struct madkit_addr to;

	if (madkit_sweep_lid_address(c->net.sweep, node, port, &to))
		t->target.lid = to.lid;
	t->target.local = madkit_registers_local_port(c->registers, node, first);
	t->target.v_key = subnet_v_key(&t->check->net, n, port);
	t->ports = n->nports;
	for (unsigned int i = 1; i <= n->nports; i++)
		t->mapped += madkit_registers_local_port(c->registers, node, i) > 0;
}

/* ---- output -------------------------------------------------------------------------------- */

static const char *const register_verdicts[] = {
	[MADKIT_REGISTERS_UNCHECKED] = "not checked",
	[MADKIT_REGISTERS_AGREES] = "agrees",
	[MADKIT_REGISTERS_DISAGREES] = "disagrees",
	[MADKIT_REGISTERS_IMPOSSIBLE] = "impossible",
};

static const char *register_result(const struct register_answer *a)
{
	const char *text = a->result == EXIT_STATUS ? madkit_registers_status_text(a->status) : NULL;

	if (text)
		return text;
	switch (a->result) {
	case EXIT_DONE:
		return "ok";
	case EXIT_STATUS:
		return "unknown status";
	case EXIT_TIMEOUT:
		return "no response";
	case EXIT_MALFORMED:
		return "a response about something else";
	case -1:
		return "not requested";
	default:
		return "failed";
	}
}

static void register_write_check(const struct madkit_registers_type *known, unsigned int check,
				 struct madkit_writer *w)
{
	const struct madkit_registers_result *r = &known->results[check];

	madkit_writer_object(w, NULL);
	madkit_writer_string(w, "check", madkit_registers_check_name(check));
	madkit_writer_string(w, "verdict", register_verdicts[r->verdict]);
	madkit_writer_known(w, "status", r->status, r->status);
	madkit_writer_string(w, "text", r->text);
	madkit_writer_close(w);
}

static void register_write_answer(const struct register_answer *a, struct madkit_writer *w)
{
	madkit_writer_object(w, NULL);
	madkit_writer_string(w, "attribute", a->attribute->name);
	madkit_writer_string(w, "alias", a->attribute->alias);
	madkit_writer_known(w, "register", a->attribute->modifier_mask, a->attribute->modifier_value);
	madkit_writer_known(w, "status", !a->result || a->result == EXIT_STATUS, a->status);
	madkit_writer_string(w, "text", register_result(a));
	madkit_writer_close(w);
}

static void register_write(const void *context, struct madkit_writer *w)
{
	const struct register_type *t = context;
	const struct madkit_registers_type *known = t->known;
	char firmware[40];

	snprintf(firmware, sizeof(firmware), "%" PRIu32 ".%" PRIu32 ".%" PRIu32, known->firmware[0],
		 known->firmware[1], known->firmware[2]);
	madkit_writer_string(w, "madkit", PACKAGE_VERSION);
	madkit_writer_number(w, "device_id", known->device);
	madkit_writer_number(w, "hw_device_id", known->hw_device);
	madkit_writer_string(w, "psid", *t->psid ? t->psid : NULL);
	madkit_writer_string(w, "firmware", firmware);
	madkit_writer_number(w, "nodes", known->nodes);
	if (known->judged)
		madkit_writer_bool(w, "trusted", known->trusted);
	else
		madkit_writer_null(w, "trusted");
	madkit_writer_string(w, "why", *t->why ? t->why : NULL);
	madkit_writer_known(w, "ports", t->ports, t->ports);
	madkit_writer_known(w, "ports_mapped", t->ports, t->mapped);
	madkit_writer_array(w, "checks");
	for (unsigned int i = 0; i < MADKIT_REGISTERS_CHECKS; i++)
		register_write_check(known, i, w);
	madkit_writer_close(w);
	madkit_writer_array(w, "registers");
	for (size_t i = 0; i < t->n; i++)
		register_write_answer(&t->answers[i], w);
	madkit_writer_close(w);
}

static void register_text(const struct register_type *t, struct madkit_buf *buf)
{
	const struct madkit_registers_type *known = t->known;

	madkit_buf_printf(buf,
			  "# device %" PRIu16 " (0x%04x), PSID %s, firmware %" PRIu32 ".%" PRIu32 ".%" PRIu32
			  ": %" PRIu32 " %s\n",
			  known->device, known->hw_device, *t->psid ? t->psid : "unknown", known->firmware[0],
			  known->firmware[1], known->firmware[2], known->nodes,
			  known->nodes == 1 ? "node" : "nodes");
	madkit_buf_printf(buf, "trust: %s%s%s\n",
			  !known->judged ? "not judged" :
			  known->trusted ? "yes" :
					   "no",
			  *t->why ? ": " : "", t->why);
	for (unsigned int i = 0; i < MADKIT_REGISTERS_CHECKS; i++) {
		const struct madkit_registers_result *r = &known->results[i];

		madkit_buf_printf(buf, "  %s: %s", madkit_registers_check_name(i),
				  register_verdicts[r->verdict]);
		if (r->status)
			madkit_buf_printf(buf, ", status %u", r->status);
		madkit_buf_printf(buf, *r->text ? " (%s)\n" : "%s\n", r->text);
	}
	if (t->ports)
		madkit_buf_printf(buf, "  local ports: %u of %u ports\n", t->mapped, t->ports);
	for (size_t i = 0; i < t->n; i++) {
		const struct register_answer *a = &t->answers[i];

		madkit_buf_printf(buf, "%-20s  %-10s  ", a->attribute->name,
				  a->attribute->alias ? a->attribute->alias : "");
		if (!a->result || a->result == EXIT_STATUS)
			madkit_buf_printf(buf, "%2u ", a->status);
		else
			madkit_buf_str(buf, " - ");
		madkit_buf_printf(buf, "%s\n", register_result(a));
	}
}

static void register_show(struct register_type *t)
{
	struct exchange *x = &t->check->net.x;
	const struct madkit_object data = { register_write, t };
	struct madkit_message message;

	x->seq++;
	exchange_message(x, MADKIT_MESSAGE_EVENT, &message);
	/* these are names, too */
	message.host = NULL;
	message.device = NULL;
	message.data = &data;
	if (!output_event(x->out, &message) || x->out->format == FORMAT_JSON)
		return;
	if (!t->check->shown)
		madkit_buf_printf(&x->out->buf, "# madkit %s\n", PACKAGE_VERSION);
	t->check->shown = true;
	register_text(t, &x->out->buf);
}

/* ---- the subnet ---------------------------------------------------------------------------- */

/* The responses matter only to the object that keeps the types. */
static unsigned int register_take(void *context, struct madkit_survey_result *result)
{
	(void)context;
	(void)result;
	return MADKIT_SURVEY_NEXT;
}

static uint64_t register_v_key(void *context, const struct madkit_sweep_node *node, unsigned int port)
{
	struct register_check *c = context;

	return subnet_v_key(&c->net, node, port);
}

static int register_step(void *context, uint64_t until_ns)
{
	struct register_check *c = context;

	return madkit_survey_step(c->survey, until_ns);
}

/* Requests a register of each node, so that the types become known and are checked. */
static int register_survey(struct register_check *c)
{
	struct exchange *x = &c->net.x;
	struct madkit_survey_attr attr = { .deadline_ns = x->time.deadline_ns,
					   .redirects = x->options->timing.redirects,
					   .v_key = register_v_key,
					   .result = register_take,
					   .context = c };
	int ret = madkit_attribute_find("DeviceInfo", MADKIT_CLASS_MLNX, &attr.mgmt_class, &attr.id,
					&attr.attribute, NULL);

	if (!ret)
		ret = madkit_registers_new(c->net.sweep, &c->registers);
	attr.registers = c->registers;
	if (!ret)
		ret = madkit_survey_new(c->net.sweep, &attr, &c->survey);
	if (!ret)
		ret = exchange_drive(x, register_step, NULL, c);
	madkit_survey_free(c->survey);
	c->cut = !ret;
	if (cli_stopped())
		return cli_stopped_status();
	return ret < 0 ? exchange_report(x, NULL,
					 exchange_fail(x, EXIT_LOCAL, ret, "the requests failed: %s",
						       strerror(-ret))) :
			 EXIT_DONE;
}

static void register_count(struct register_check *c)
{
	for (uint32_t i = 0; i < c->net.counts.nodes; i++) {
		const struct madkit_registers_node node = madkit_registers_get(c->registers, i);
		/* a status is that of a response to GeneralInfo */
		const bool refused = node.state == MADKIT_REGISTERS_MISSING && node.status;

		c->others[node.type != UINT32_MAX][refused ? MADKIT_REGISTERS_REFUSED : node.state]++;
		c->busy |= refused && !madkit_registers_lacks(node.status);
	}
}

/* Checks and shows each type. Returns their number. */
static uint32_t register_show_types(struct register_check *c)
{
	const struct madkit_registers_type *known;
	uint32_t i;

	for (i = 0; (known = madkit_registers_type(c->registers, i)) && !cli_stopped(); i++) {
		struct register_type t = { .check = c, .known = known };

		register_find_reason(&t, i);
		if (known->node != MADKIT_SWEEP_NONE) {
			register_find_port(&t);
			register_ask_all(&t);
		}
		c->disagrees |= register_is_wrong(known);
		c->unjudged |= !known->judged || !known->trusted;
		register_show(&t);
	}
	return i;
}

/* Reports the numbers of nodes that are not ready: those of a type are part of its number, too. */
static void register_tell_counts(const struct register_check *c, bool typed)
{
	static const char *const texts[][REGISTER_STATES] = {
		{ [MADKIT_REGISTERS_MISSING] = "had no registers",
		  [MADKIT_REGISTERS_REFUSED] = "refused GeneralInfo",
		  [MADKIT_REGISTERS_INVALID] = "gave a wrong answer",
		  [MADKIT_REGISTERS_SILENT] = "did not respond",
		  [MADKIT_REGISTERS_UNKNOWN] = "not asked" },
		{ [MADKIT_REGISTERS_REFUSED] = "refused PortMapping or the checks",
		  [MADKIT_REGISTERS_INVALID] = "gave a wrong answer to PortMapping",
		  [MADKIT_REGISTERS_SILENT] = "did not respond to PortMapping or the checks",
		  [MADKIT_REGISTERS_UNKNOWN] = "not asked for all" },
	};
	struct madkit_buf text;

	madkit_buf_init(&text, 0);
	for (unsigned int i = 0; i < REGISTER_STATES; i++)
		if (texts[typed][i] && c->others[typed][i])
			madkit_buf_printf(&text, "%s%" PRIu32 " %s", text.len ? ", " : "",
					  c->others[typed][i], texts[typed][i]);
	if (text.len)
		cli_say("nodes %s: %.*s", typed ? "of these types" : "without a known type", (int)text.len,
			text.data);
	madkit_buf_free(&text);
}

/* Reports nodes that were not found, or could not be asked. */
static void register_tell_others(const struct register_check *c)
{
	const struct cli_options *o = c->net.x.options;
	const struct area all = { .sweep = c->net.sweep };
	struct gaps gaps;

	gaps_find(c->net.sweep, &all, &gaps);
	gaps.port = c->net.x.info;
	gaps_tell(c->net.sweep, &gaps, false);

	register_tell_counts(c, false);
	register_tell_counts(c, true);
	if (c->others[false][MADKIT_REGISTERS_SILENT] + c->others[true][MADKIT_REGISTERS_SILENT])
		request_hint_v_key();
	if (cli_given(o, "write"))
		cli_say("hint: unlike the report, the capture has serial numbers, GUIDs and names");
}

static int register_run(struct register_check *c)
{
	const uint32_t *others = c->others[false];
	struct exchange *x = &c->net.x;
	int status = subnet_begin(&c->net, 0);
	uint32_t types;

	if (!status)
		status = subnet_run(&c->net);
	if (status)
		return cli_stopped() ? status : exchange_report(x, NULL, status);
	if (!c->net.counts.nodes) {
		const struct gaps gaps = { .missing = c->net.counts.missing, .port = x->info };

		return gaps_tell_missing(c->net.sweep, &gaps);
	}
	status = register_survey(c);
	if (status)
		return status;
	types = register_show_types(c);
	if (cli_stopped())
		return cli_stopped_status();
	status = output_flush(x->out);
	register_count(c);
	register_tell_others(c);
	if (c->cut || madkit_port_now(x->port) >= x->time.deadline_ns) {
		cli_say("the deadline ended the check");
		return exit_worst(status, EXIT_TIMEOUT);
	}
	if (status)
		return status;
	if (!types)
		return !c->busy && others[MADKIT_REGISTERS_MISSING] + others[MADKIT_REGISTERS_REFUSED] +
					       others[MADKIT_REGISTERS_INVALID] ?
			       EXIT_NOTHING :
			       EXIT_TIMEOUT;
	if (c->disagrees)
		return EXIT_NOTHING;
	return c->unjudged ? EXIT_TIMEOUT : EXIT_DONE;
}

int register_check(const struct cli_options *o, struct output *out)
{
	struct subnet_common common = { .names = NULL };
	struct register_check c = { .net.common = &common };
	char *specs[] = { NULL };
	const struct rails list = { specs, 1 };
	int status;

	status = subnet_read_keys(&common, o);
	if (!status)
		status = subnet_open(&c.net, &list, 0, out, o, MADKIT_CLASS_SUBN_DR);
	privileges_drop(o);
	if (!status)
		status = register_run(&c);
	madkit_registers_free(c.registers);
	if (c.net.x.out)
		subnet_close(&c.net);
	subnet_common_free(&common);
	return status;
}
