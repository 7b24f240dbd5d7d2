/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "exchange.h"
#include "holders.h"
#include "cli/input.h"
#include "cli/wait.h"

const char *port_summary(const struct madkit_port_info *info, char buf[PORT_SUMMARY_MAX])
{
	const char *state = madkit_port_state_name(info->state);
	char lid[12] = "unknown", sm_lid[12] = "unknown";

	if (!state)
		state = "without a state";
	if (!(info->unread & MADKIT_PORT_LID))
		snprintf(lid, sizeof(lid), "%u", info->lid);
	if (!(info->unread & MADKIT_PORT_SM_LID))
		snprintf(sm_lid, sizeof(sm_lid), "%u", info->sm_lid);
	if (info->link_layer == MADKIT_LINK_ETHERNET)
		snprintf(buf, PORT_SUMMARY_MAX, "%s/%u: %s (RoCE)", info->ca, info->port, state);
	else
		snprintf(buf, PORT_SUMMARY_MAX, "%s/%u: %s, LID %s, SM LID %s", info->ca, info->port, state,
			 lid, sm_lid);
	return buf;
}

const char *exchange_phys_name(const struct madkit_port_info *info)
{
	static const char field[] = "phys";
	struct madkit_place place;

	if (info->unread & MADKIT_PORT_PHYS_STATE ||
	    madkit_place_find(madkit_sweep_attribute()->layout, field, strlen(field), &place, NULL))
		return NULL;
	return madkit_value_name(place.field->values, info->phys_state);
}

const char *exchange_port_summary(struct exchange *x, char buf[PORT_SUMMARY_MAX])
{
	if (madkit_port_refresh(x->port)) {
		snprintf(buf, PORT_SUMMARY_MAX, "%s/%u: its state cannot be read", x->info->ca,
			 x->info->port);
		return buf;
	}
	return port_summary(x->info, buf);
}

void exchange_refresh(struct exchange *x)
{
	uint64_t now = madkit_port_now(x->port);

	if (x->info->lid && x->info->sm_lid && now - x->time.refreshed_ns < 1000 * NS_PER_MS)
		return;
	madkit_port_refresh(x->port);
	x->time.refreshed_ns = now;
}

bool exchange_is_gone(struct exchange *x)
{
	int ret = madkit_port_wait(x->port, 0);

	return ret == -EIO || ret == -ENODEV;
}

/* ---- what fails ---------------------------------------------------------------- */

int exchange_fail(struct exchange *x, int status, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(x->failure.why, sizeof(x->failure.why), format, args);
	va_end(args);
	x->failure.error = error;
	return status;
}

int exchange_port_failed(struct exchange *x, int error)
{
	return exchange_fail(x, EXIT_LOCAL, error, "%s: %s", x->info->device,
			     error == -ENODEV || error == -EIO ? "the device is gone" : strerror(-error));
}

int exchange_why(const struct exchange *x, int status)
{
	if (x->failure.why[0] && status == EXIT_USAGE) {
		/* the device specification has a word of madsim --control, and its error names the page */
		if (!strstr(x->failure.why, "(see madsim-control(7))"))
			return cli_usage_error("%s", x->failure.why);
		cli_insist("%s", x->failure.why);
		return EXIT_USAGE;
	}
	if (x->failure.why[0] && status == EXIT_LOCAL)
		cli_insist("%s", x->failure.why);
	else if (x->failure.why[0])
		cli_say("%s", x->failure.why);
	return status;
}

void exchange_name_device(struct exchange *x, const char *spec)
{
	const char *name = strncmp(spec, "umad:", 5) ? spec : spec + 5;
	char why[sizeof(x->failure.why)];

	x->spec = spec;
	memcpy(why, x->failure.why, sizeof(why));
	if (!strstr(why, name))
		exchange_fail(x, 0, x->failure.error, "%s: %s", spec, why);
}

/* ---- the port --------------------------------------------------------------------- */

/* A registration that was refused because its methods are taken. */
struct exchange_refused {
	const char *cause;
	struct madkit_error error;
	struct holders holders;
};

static void exchange_write_refused(const void *context, struct madkit_writer *w)
{
	const struct exchange_refused *refused = context;

	madkit_writer_string(w, "cause", refused->cause);
	madkit_writer_string(w, "text", refused->error.text);
	holders_write(&refused->holders, "possible_holders", w, NULL, NULL);
}

static void exchange_free_refused(struct exchange *x)
{
	if (x->failure.refused)
		holders_free(&x->failure.refused->holders);
	free(x->failure.refused);
	x->failure.refused = NULL;
}

int exchange_report(struct exchange *x, const struct request *r, int status)
{
	const struct madkit_object refused = { exchange_write_refused, x->failure.refused };
	struct madkit_message message;

	if (!status)
		return status;
	exchange_why(x, status);
	if (x->out->format != FORMAT_JSON || !x->failure.error)
		return status;
	x->seq++;
	exchange_message(x, x->failure.error == -ETIMEDOUT ? MADKIT_MESSAGE_TIMEOUT : MADKIT_MESSAGE_ERROR,
			 &message);
	message.send_status = -x->failure.error;
	message.attribute = r ? r->attribute : NULL;
	message.mad = r ? r->mad : NULL;
	message.len = r ? r->len : 0;
	if (message.kind == MADKIT_MESSAGE_TIMEOUT)
		output_message(x->out, &message);
	else
		exchange_error(x, &message, x->failure.refused ? &refused : NULL, x->failure.why);
	return status;
}

struct exchange_reason {
	const struct madkit_object *more;
	const char *reason;
};

static void exchange_write_reason(const void *context, struct madkit_writer *w)
{
	const struct exchange_reason *error = context;

	if (error->more)
		error->more->write(error->more->context, w);
	madkit_writer_string(w, "error", error->reason);
}

void exchange_error(struct exchange *x, struct madkit_message *message, const struct madkit_object *more,
		    const char *reason)
{
	const struct exchange_reason error = { more, reason };
	const struct madkit_object data = { exchange_write_reason, &error };

	exchange_object(x, message, &data);
}

void exchange_begin(struct exchange *x, const struct cli_options *options, struct output *out)
{
	memset(x, 0, sizeof(*x));
	x->options = options;
	x->time.timeout_ms = options->timing.timeout_ms;
	x->out = out;
	if (gethostname(x->host, sizeof(x->host) - 1))
		x->host[0] = 0;
}

/* Notes the file in "TRANSPORT:FILE[@NODE][,OPTIONS]". Each part may contain the separators. */
static void exchange_note_device(const char *spec)
{
	const char *colon = strchr(spec, ':');
	char path[PATH_MAX];
	size_t n;

	if (!colon || strlen(spec) >= sizeof(path))
		return;
	n = strlen(strcpy(path, colon + 1));
	for (; n; n--)
		if (strchr("@,?", path[n])) {
			path[n] = 0;
			input_note_path(path);
		}
}

/* Notes the files that the library reads. */
static void exchange_note_files(const struct cli_options *o, const char *spec)
{
	const char *device = getenv("MADKIT_DEVICE");

	if (o->names.map_path)
		input_note_path(o->names.map_path);
	for (size_t i = 0; i < o->port.ndevices; i++)
		exchange_note_device(o->port.devices[i]);
	if (spec || device)
		exchange_note_device(spec ? spec : device);
}

/* Sets the command's deadline on the port's clock. A virtual clock starts when the port is opened; if the
 * port uses the command's clock, the time since the start of the command counts. */
static void set_deadline(struct exchange *x, const struct cli_options *o)
{
	uint64_t before = wait_elapsed_ns(), now = madkit_port_now(x->port), after = wait_elapsed_ns();

	x->time.is_virtual = now - wait_started_ns() < before || now - wait_started_ns() > after;
	x->time.deadline_ns = o->timing.deadline_ms < 0 ? UINT64_MAX :
							  (x->time.is_virtual ? now : wait_started_ns()) +
								  (uint64_t)o->timing.deadline_ms * NS_PER_MS;
}

/* Checks if the specification is at fault, and not the device. */
static bool exchange_is_bad_spec(int ret, const struct madkit_error *error)
{
	/* without a position, the error is that a library is missing */
	return ret == -EINVAL || (ret == -EOPNOTSUPP && error->position >= 0);
}

int exchange_find_port(struct exchange *x, const struct cli_options *options, struct output *out,
		       const char *spec)
{
	struct madkit_error error = { .text = "", .position = -1 };
	uint64_t end_ns = wait_calls_end(wait_deadline_ns());
	bool bad;
	int ret;

	exchange_begin(x, options, out);
	ret = madkit_port_open_limited(spec, wait_limit(), &x->port, &error);
	wait_calls_end_put(end_ns);
	if (ret)
		x->port = NULL;
	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	if (ret == -EINTR && wait_now() >= wait_deadline_ns())
		return exchange_fail(
			x, EXIT_TIMEOUT, -ETIMEDOUT,
			"%s: it could not be opened by the deadline: does its server, if it has one, run?",
			spec ? spec : "the device");
	bad = exchange_is_bad_spec(ret, &error);
	if (ret)
		return exchange_fail(x,
				     bad             ? EXIT_USAGE :
				     ret == -EBADMSG ? EXIT_MALFORMED :
						       cli_status_of(ret),
				     bad ? 0 : ret, "%s", error.text[0] ? error.text : strerror(-ret));
	x->info = out->port = madkit_port_get_info(x->port);
	out->ports++;
	/* children must not inherit it; under a simulator, it may not be a real descriptor */
	fcntl(madkit_port_fd(x->port), F_SETFD, FD_CLOEXEC);
	exchange_note_files(options, spec);
	return EXIT_DONE;
}

int exchange_set_up_port(struct exchange *x)
{
	const struct cli_options *options = x->options;
	struct output *out = x->out;
	const struct madkit_dispatcher_attr limits = {
		.window = options->timing.have_window                              ? options->timing.window :
			  options->request.modifiers && options->mode == MODE_SEND ? EXCHANGE_ONE_NODE :
										     0,
	};
	int flags = MADKIT_SNOOP_POSTED_SENDS | MADKIT_SNOOP_SEND_COMPLETIONS | MADKIT_SNOOP_RECVS;
	int ret = output_capture(out);

	if (ret)
		return ret;
	set_deadline(x, options);
	madkit_port_set_mad_rate(x->port, options->timing.rate);
	ret = madkit_dispatcher_new(x->port, &limits, &x->dispatcher);
	if (ret)
		return exchange_fail(x, EXIT_LOCAL, ret, "%s", strerror(-ret));
	if (out->capture_fd >= 0 || out->debug) {
		ret = madkit_snoop_register(x->port, flags, output_snoop, out, NULL);
		if (ret)
			return exchange_fail(x, EXIT_LOCAL, ret, "%s", strerror(-ret));
	}
	if (out->debug)
		cli_insist("%s", port_summary(x->info, (char[192]){ 0 }));
	return EXIT_DONE;
}

int exchange_open_port(struct exchange *x, const struct cli_options *options, struct output *out,
		       const char *spec)
{
	int status = exchange_find_port(x, options, out, spec);

	return status ? status : exchange_set_up_port(x);
}

void exchange_close(struct exchange *x)
{
	if (x->port)
		x->out->ports--;
	madkit_names_free(x->names.names);
	madkit_dispatcher_free(x->dispatcher);
	madkit_port_close(x->port);
	madkit_name_map_free(x->names.map);
	exchange_free_refused(x);
	/* it belonged to the port */
	if (x->out && x->out->port == x->info)
		x->out->port = NULL;
	x->info = NULL;
	x->port = NULL;
	x->agent = NULL;
	x->dispatcher = NULL;
	x->names.names = NULL;
	x->names.map = NULL;
}

void exchange_message(struct exchange *x, enum madkit_message_kind kind, struct madkit_message *message)
{
	*message = (struct madkit_message){
		.kind = kind,
		.host = x->host[0] ? x->host : NULL,
		.device = x->info ? x->info->device : x->spec,
		.agent = x->agent ? madkit_agent_id(x->agent) : 0,
		.seq = x->seq,
		.rtt_us = -1,
		.attempts = -1,
	};
	if (x->port)
		madkit_port_realtime(x->port, &message->time);
	else
		clock_gettime(CLOCK_REALTIME, &message->time);
}

void exchange_object(struct exchange *x, struct madkit_message *message, const struct madkit_object *data)
{
	message->data = data;
	output_object(x->out, message);
}

/* ---- the agent --------------------------------------------------------------------- */

/* Notes why a registration was refused. Returns an exit status. */
static int exchange_refused(struct exchange *x, const struct madkit_agent_attr *attr, int ret,
			    const struct madkit_refusal *refusal)
{
	char holders[300] = "";

	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	if (ret == -ETIMEDOUT || ret == -EPROTO)
		return exchange_fail(x, cli_status_of(ret), ret, "%s", refusal->error.text);
	if (refusal->cause == MADKIT_REFUSAL_TAKEN) {
		exchange_free_refused(x);
		x->failure.refused = calloc(1, sizeof(*x->failure.refused));
		if (!x->failure.refused)
			return exchange_fail(x, EXIT_LOCAL, -ENOMEM, "out of memory");
		x->failure.refused->cause = madkit_refusal_cause_name(refusal->cause);
		x->failure.refused->error = refusal->error;
		holders_find_class(x->info, attr->mgmt_class, &x->failure.refused->holders);
		holders_explain(&x->failure.refused->holders, x->info, holders, sizeof(holders));
	}
	return exchange_fail(x, EXIT_LOCAL, ret, "%s%s (madreg reports more)",
			     refusal->error.text[0] ? refusal->error.text : strerror(-ret), holders);
}

int exchange_register(struct exchange *x, const struct madkit_agent_attr *attr)
{
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };
	int ret = madkit_agent_register(x->port, attr, &x->agent, &refusal);

	if (!ret)
		return EXIT_DONE;
	x->agent = NULL;
	return exchange_refused(x, attr, ret, &refusal);
}

int exchange_agent(struct exchange *x, const struct request *r, struct madkit_agent **agent)
{
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };
	struct madkit_agent_attr attr = {
		.mgmt_class = r->header.mgmt_class,
		.class_version = r->header.class_version,
		.class_version_given = true,
		.oui = r->oui,
	};
	int ret;

	rmpp_choice_put(r->rmpp, &attr);
	ret = madkit_dispatcher_agent(x->dispatcher, &attr, agent, &refusal);
	return ret ? exchange_refused(x, &attr, ret, &refusal) : EXIT_DONE;
}

/* ---- waiting ----------------------------------------------------------------------- */

uint64_t exchange_deadline(const struct exchange *x, const struct request *r)
{
	return r->deadline_ns && r->deadline_ns < x->time.deadline_ns ? r->deadline_ns : x->time.deadline_ns;
}

int exchange_drive(struct exchange *x, int (*step)(void *context, uint64_t until_ns),
		   void (*show)(void *context), void *context)
{
	int ret = 0;

	while (!ret && !cli_stopped()) {
		const uint64_t now = madkit_port_now(x->port), slice = now + CLI_SLICE_MS * NS_PER_MS;

		if (now >= x->time.deadline_ns || output_over(x->out))
			return 0;
		ret = step(context, slice < x->time.deadline_ns ? slice : x->time.deadline_ns);
		if (show)
			show(context);
		if (ret == -EINTR && !cli_stopped())
			ret = 0;
	}
	return ret;
}

int exchange_slice_ms(const struct exchange *x, uint64_t until_ns)
{
	uint64_t now = madkit_port_now(x->port), left = until_ns > now ? until_ns - now : 0;

	return left < CLI_SLICE_MS * NS_PER_MS ? (int)((left + NS_PER_MS - 1) / NS_PER_MS) : CLI_SLICE_MS;
}

/* A pause until a time of the port clock. */
struct exchange_pause {
	struct exchange *x;
	uint64_t end_ns;
};

static int exchange_step_pause(void *context, uint64_t until_ns)
{
	const struct exchange_pause *pause = context;
	int ret;

	if (madkit_port_now(pause->x->port) >= pause->end_ns)
		return 1;
	ret = madkit_port_wait(pause->x->port,
			       exchange_slice_ms(pause->x,
						 until_ns < pause->end_ns ? until_ns : pause->end_ns));
	return ret < 0 ? ret : 0;
}

void exchange_pause(struct exchange *x, uint32_t ms)
{
	struct exchange_pause pause = { x, madkit_port_now(x->port) + ms * NS_PER_MS };

	if (ms)
		exchange_drive(x, exchange_step_pause, NULL, &pause);
}

int exchange_listen_ms(const struct exchange *x)
{
	return x->time.is_virtual && x->time.deadline_ns == UINT64_MAX ?
		       0 :
		       exchange_slice_ms(x, x->time.deadline_ns);
}
