/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madreg: registers for a class and explains a refusal; lists the ports. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/command.h"
#include "cli/options.h"
#include "request/holders.h"
#include "request/listen.h"
#include "madreg_options.h"
#include "port_list.h"
#include "register_check.h"
#include "cli/privileges.h"
#include "cli/wait.h"

static const char *const synopsis[] = { "--class CLASS [--method M,..] [options] [--hold [-- COMMAND ...]]",
					"--list [-j]", "--registers [options]", NULL };

static const char help[] =
	"\nRegisters an agent for a management class and reports the result: for a refusal, the\n"
	"cause as far as it is certain, and possible holders. Without --method, the agent\n"
	"receives only responses. --list lists the ports of this host. --registers reads the\n"
	"registers of one node of each type of device, without serial numbers and names.\n";

static const char statuses[] =
	"Exit status: that of COMMAND, if it was started. Otherwise: 0 done,\n"
	"1 local failure, 2 usage, 3 no response or MAD in time, 4 non-zero MAD status,\n"
	"5 malformed, 6 nothing to show or condition not met.\n";

/* ---- what came of it ----------------------------------------------------------------- */

struct outcome {
	const struct madkit_port_info *info; /* NULL: the port could not be opened */
	const struct madkit_agent_attr *attr;
	const struct madkit_agent *agent; /* NULL: refused */
	const struct madkit_refusal *refusal;
	const char *cause;
	struct holders holders;
};

static void outcome_write_methods(const struct madkit_agent_attr *attr, const char *key,
				  const uint64_t mask[2], struct madkit_writer *w)
{
	madkit_writer_array(w, key);
	for (uint8_t m = 0; m < MADKIT_METHOD_RESPONSE; m++) {
		const char *name = madkit_method_name(attr->mgmt_class, m);
		char number[8];

		if (!madkit_method_mask_has(mask, m))
			continue;
		snprintf(number, sizeof(number), "0x%02x", m);
		madkit_writer_string(w, NULL, name ? name : number);
	}
	madkit_writer_close(w);
}

static void madreg_label_methods(struct madkit_buf *buf, const char *label,
				 const struct madkit_agent_attr *attr, const uint64_t mask[2])
{
	madkit_text_label(buf, label);
	listen_methods_text(attr, mask, buf);
	madkit_buf_char(buf, '\n');
}

static void outcome_put_refusal(struct madkit_buf *buf, const struct outcome *o)
{
	const struct madkit_refusal *r = o->refusal;
	const uint64_t client[2] = { o->holders.client ? o->holders.client->methods : 0, 0 };

	text_line(buf, "Cause", "%s", o->cause);
	text_line(buf, "Errno", "%d (%s)", r->code, strerror(r->code));
	if (r->supported_known)
		text_line(buf, "SupportedFlags", "0x%x", r->supported_flags);
	if (r->cause == MADKIT_REFUSAL_TAKEN)
		madreg_label_methods(buf, "MethodsTaken", o->attr, r->taken);
	if (o->holders.simulated)
		text_line(buf, "PossibleHolder", "%s", HOLDERS_SIMULATED);
	if (o->holders.client) {
		struct madkit_buf methods;

		madkit_buf_init(&methods, 0);
		listen_methods_text(o->attr, client, &methods);
		text_line(buf, "PossibleHolder", "kernel module %s (%s), known to register for %.*s",
			  o->holders.client->module,
			  o->holders.client_loaded ? "loaded" : "not loaded, or built in", (int)methods.len,
			  methods.data);
		madkit_buf_free(&methods);
	}
	for (size_t i = 0; i < o->holders.n; i++)
		text_line(buf, "PossibleHolder", "process %d (%s), which has %s open",
			  (int)o->holders.list[i].pid, o->holders.list[i].command, o->info->umad_path);
	if (o->holders.unreadable)
		text_line(buf, "PossibleHolder", "one of %zu processes that this user may not inspect",
			  o->holders.unreadable);
}

static void madreg_show_text(struct madkit_buf *buf, const struct outcome *o)
{
	const struct madkit_agent_attr *attr = o->attr;
	char name[20];

	if (o->agent)
		madkit_buf_printf(buf, "# registered: %s agent %u\n", o->info->device,
				  madkit_agent_id(o->agent));
	else
		madkit_buf_printf(buf, "# refused: %s\n", o->info->device);
	text_line(buf, "Class", "0x%02x (%s)", attr->mgmt_class, madkit_class_name(attr->mgmt_class, name));
	text_line(buf, "ClassVersion", "%u", attr->class_version);
	madreg_label_methods(buf, "Methods", attr, attr->method_mask);
	if (madkit_class_is_vendor2(attr->mgmt_class))
		text_line(buf, "OUI", "0x%06x", attr->oui);
	text_line(buf, "RMPPVersion", "%u", attr->rmpp_version);
	text_line(buf, "Flags", "0x%x", attr->flags);
	if (!o->agent)
		outcome_put_refusal(buf, o);
}

static void outcome_write_client(const void *context, struct madkit_writer *w)
{
	const struct outcome *o = context;
	const uint64_t methods[2] = { o->holders.client->methods, 0 };

	outcome_write_methods(o->attr, "methods", methods, w);
}

static void outcome_write(const void *context, struct madkit_writer *w)
{
	const struct outcome *o = context;
	const struct madkit_agent_attr *attr = o->attr;
	const struct madkit_refusal *r = o->refusal;
	const uint64_t none[2] = { 0, 0 };
	char name[20];

	madkit_writer_bool(w, "registered", o->agent != NULL);
	madkit_writer_string(w, "class", madkit_class_name(attr->mgmt_class, name));
	madkit_writer_number(w, "class_id", attr->mgmt_class);
	madkit_writer_number(w, "class_version", attr->class_version);
	outcome_write_methods(attr, "methods", attr->method_mask, w);
	madkit_writer_known(w, "oui", madkit_class_is_vendor2(attr->mgmt_class), attr->oui);
	madkit_writer_number(w, "rmpp_version", attr->rmpp_version);
	madkit_writer_number(w, "flags", attr->flags);
	if (o->agent)
		return;
	madkit_writer_string(w, "cause", o->cause);
	madkit_writer_string(w, "text", r->error.text);
	madkit_writer_string(w, "error", r->error.text);
	madkit_writer_number(w, "errno", (uint64_t)r->code);
	madkit_writer_known(w, "supported_flags", r->supported_known, r->supported_flags);
	outcome_write_methods(attr, "methods_taken", r->cause == MADKIT_REFUSAL_TAKEN ? r->taken : none, w);
	holders_write(&o->holders, "possible_holders", w, outcome_write_client, o);
}

static void madreg_show(struct exchange *x, const struct outcome *o)
{
	const struct madkit_object data = { outcome_write, o };
	struct madkit_message message;

	exchange_message(x, o->agent ? MADKIT_MESSAGE_EVENT : MADKIT_MESSAGE_ERROR, &message);
	message.data = &data;
	if (!o->agent)
		message.send_status = o->refusal->code;
	if (output_event(x->out, &message) && x->out->format != FORMAT_JSON)
		madreg_show_text(&x->out->buf, o);
}

/* ---- registering ------------------------------------------------------------------------ */

static int madreg_hold(struct exchange *x, char **command)
{
	int ret = 1;

	if (!command)
		privileges_drop(x->options);
	if (output_flush(x->out))
		return EXIT_DONE;
	if (command) {
		wait_set_deadline(-1);
		return cli_run(command, -1);
	}
	while (!cli_stopped() && !output_over(x->out) && ret > 0)
		ret = listen_wait(x);
	return cli_stopped() ? cli_stopped_status() : ret < 0 ? EXIT_LOCAL : EXIT_DONE;
}

static int read_attributes(const struct cli_options *o, struct madkit_agent_attr *attr)
{
	*attr = (struct madkit_agent_attr){
		.mgmt_class = o->class.id,
		.class_version = o->class.have_version ? o->class.version : madkit_class_version(o->class.id),
		.class_version_given = true,
		.oui = o->class.oui,
		.rmpp_version = madreg_options(o)->rmpp_version,
		.flags = madreg_options(o)->user_rmpp ? MADKIT_AGENT_USER_RMPP : 0,
	};
	/* the OUI is ignored for a class that has none, as umad_register2(3) documents */
	if (madkit_class_is_vendor2(o->class.id) && cli_check_oui(o))
		return EXIT_USAGE;
	return listen_methods(o, attr->method_mask);
}

/* Shows that the port cannot be used, in the same line of JSON as a refusal. */
static void show_unopened(struct exchange *x, struct outcome *outcome, struct madkit_refusal *refusal)
{
	switch (x->failure.error) {
	case -EACCES:
		outcome->cause = madkit_refusal_cause_name(MADKIT_REFUSAL_PERMISSION);
		break;
	case -ENOENT:
		outcome->cause = "module-not-loaded";
		break;
	case -ENODEV:
		outcome->cause = "no-device";
		break;
	default:
		outcome->cause = madkit_refusal_cause_name(MADKIT_REFUSAL_OTHER);
	}
	refusal->code = -x->failure.error;
	madkit_error_set(&refusal->error, x->failure.error, -1, "%s", x->failure.why);
	madreg_show(x, outcome);
}

/* Finds possible holders. Only methods and agent slots can be held by others: every other refusal is caused
 * by the request or the port. */
static void outcome_find_holders(struct outcome *o)
{
	enum madkit_refusal_cause cause = o->refusal->cause;

	if (cause == MADKIT_REFUSAL_TAKEN)
		holders_find_class(o->info, o->attr->mgmt_class, &o->holders);
	else if (cause == MADKIT_REFUSAL_AGENTS)
		holders_find(o->info, o->info->umad_path, &o->holders);
}

static int register_class(const struct cli_options *o, struct output *out, char **command)
{
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };
	struct madkit_agent_attr attr;
	struct outcome outcome = { .attr = &attr, .refusal = &refusal };
	struct exchange x = { .port = NULL };
	int status = read_attributes(o, &attr), ret;

	if (!status && o->port.ndevices > 1)
		status = cli_usage_error("more than one --device: also '%s'", o->port.devices[1]);
	if (!status)
		status = exchange_open_class(&x, o, out, attr.mgmt_class);
	if (status) {
		exchange_why(&x, status);
		if (x.failure.error && out->format == FORMAT_JSON)
			show_unopened(&x, &outcome, &refusal);
		goto out;
	}
	outcome.info = x.info;
	ret = madkit_agent_register(x.port, &attr, &x.agent, &refusal);
	outcome.agent = x.agent;
	if (ret == -EINTR && cli_stopped()) {
		status = cli_stopped_status();
		goto out;
	}
	if (ret) {
		cli_say(ret == -ETIMEDOUT || ret == -EPROTO ? "%s: no response to the registration: %s" :
							      "%s refused: %s",
			x.info->device, refusal.error.text[0] ? refusal.error.text : strerror(-ret));
		outcome.cause = madkit_refusal_cause_name(refusal.cause);
		outcome_find_holders(&outcome);
		status = cli_status_of(ret);
	}
	/* with a COMMAND, standard output is the command's */
	if (ret || !command)
		madreg_show(&x, &outcome);
	if (!ret && madreg_options(o)->hold)
		status = madreg_hold(&x, command);
out:
	holders_free(&outcome.holders);
	exchange_close(&x);
	return status;
}

static const char *madreg_command(const struct cli_options *o, const struct cli_words *w)
{
	return cli_given(o, "hold") && w->nwords ? w->words[0] : NULL;
}

static int madreg_check(const struct cli_options *o, const struct cli_words *w)
{
	uint8_t class;

	if (o->mode == MODE_REGISTER && cli_refuse_without(o, "write", "hold"))
		return EXIT_USAGE;
	if (w->nwords && madreg_options(o)->hold)
		return cli_usage_error("'%s' is not an option: write -- before COMMAND", w->words[0]);
	if (w->nwords && o->mode == MODE_REGISTER && !o->class.given &&
	    !madkit_class_find(w->words[0], &class, NULL))
		return cli_usage_error("'%s' is not an option: write --class %s", w->words[0], w->words[0]);
	if (w->nwords)
		return cli_usage_error("'%s' is not an option", w->words[0]);
	if (o->mode == MODE_REGISTER && !o->class.given)
		return cli_usage_error("--class, --list or --registers is missing");
	if (w->command_missing)
		return cli_usage_error("COMMAND is missing after --");
	if (w->command && !madreg_options(o)->hold)
		return cli_usage_error("-- COMMAND needs --hold");
	if (o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW)
		return cli_usage_error("there is no MAD to show: use text or JSON");
	if (o->mode == MODE_REGISTERS && o->output.format != FORMAT_TEXT && o->output.format != FORMAT_JSON)
		return cli_usage_error("--registers shows text or JSON");
	if (o->mode == MODE_REGISTERS && o->port.ndevices > 1)
		return cli_usage_error("more than one --device: also '%s'", o->port.devices[1]);
	return EXIT_DONE;
}

/* The data in a line of madreg belongs to no attribute: no name in it is known. */
static int check_names(const struct output *out)
{
	static const struct madkit_layout none = {
		.name = "the envelope, which is all that is looked at here,",
	};
	static const struct madkit_attribute line = { .name = "line", .layout = &none };

	return output_check(out, &line);
}

static int madreg_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	int status;

	if (o->mode == MODE_LIST)
		return port_list(o, out);
	if (o->mode == MODE_REGISTERS)
		return register_check(o, out);
	status = check_names(out);
	return status ? status : register_class(o, out, w->command);
}

const struct command program = {
	.usage = {
		.program = "madreg",
		.synopsis = synopsis,
		.text = help,
		.options = &program_options,
		.statuses = statuses,
		.command = madreg_command,
		.check = madreg_check,
	},
	.run = madreg_run,
};
