/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "listen.h"

int listen_methods(const struct cli_options *o, uint64_t mask[2])
{
	for (const char *p = o->class.methods; p; p++) {
		size_t len = strcspn(p, ",");
		char word[32];
		uint8_t method;

		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		if (len >= sizeof(word) || !len || madkit_method_find(o->class.id, word, &method))
			return cli_usage_error("unknown method '%s'", word);
		if (method & MADKIT_METHOD_RESPONSE)
			return cli_usage_error("method '%s' is a response: only requests can be registered",
					       word);
		madkit_method_mask_set(mask, method);
		p += len;
		if (!*p)
			break;
	}
	return EXIT_DONE;
}

int listen_check_oui(const struct cli_options *o)
{
	char text[20];

	if (madkit_class_is_vendor2(o->class.id))
		return cli_check_oui(o);
	return cli_refuse(o, "oui", "class %s has no OUI, classes 0x30 to 0x4f have one",
			  madkit_class_name(o->class.id, text));
}

void listen_methods_text(const struct madkit_agent_attr *attr, const uint64_t mask[2], struct madkit_buf *buf)
{
	bool any = false;

	for (uint8_t m = 0; m < MADKIT_METHOD_RESPONSE; m++) {
		const char *name = madkit_method_name(attr->mgmt_class, m);

		if (!madkit_method_mask_has(mask, m))
			continue;
		if (any)
			madkit_buf_char(buf, ',');
		any = true;
		if (name)
			madkit_buf_str(buf, name);
		else
			madkit_buf_printf(buf, "0x%02x", m);
	}
	if (!any)
		madkit_buf_str(buf, "none");
}

int listen_attributes(const struct cli_options *o, struct madkit_agent_attr *attr)
{
	int ret = rmpp_choice_check(o, o->class.id);

	if (!ret)
		ret = listen_check_oui(o);
	*attr = (struct madkit_agent_attr){
		.mgmt_class = o->class.id,
		.class_version = o->class.version,
		.class_version_given = o->class.have_version,
		.oui = o->class.oui,
	};
	rmpp_choice_put(rmpp_choice(o, o->class.id), attr);
	if (ret)
		return ret;
	if (o->class.methods)
		return listen_methods(o, attr->method_mask);
	for (uint8_t m = 1; m < MADKIT_METHOD_RESPONSE; m++)
		if (madkit_method_name(o->class.id, m))
			madkit_method_mask_set(attr->method_mask, m);
	return EXIT_DONE;
}

/* Returns the size of --buffer after one that was too small; 0: none is left. */
static size_t listener_next_size(const struct listener *l, size_t needed)
{
	const struct cli_options *o = l->x.options;

	for (size_t i = 0; i < o->buffers.n; i++)
		if (o->buffers.sizes[i] > l->buffer)
			return o->buffers.sizes[i];
	return o->buffers.needed && needed > l->buffer ? needed : 0;
}

struct listener_sizes {
	size_t needed, buffer, next;
};

static void listener_write_sizes(const void *context, struct madkit_writer *w)
{
	const struct listener_sizes *sizes = context;

	madkit_writer_number(w, "needed", sizes->needed);
	madkit_writer_number(w, "buffer", sizes->buffer);
	madkit_writer_known(w, "next", sizes->next, sizes->next);
}

/* Reports a message that is longer than --buffer and still queued. Returns 1 if it can be received now, with
 * the next size; else -ENOSPC. */
static int listener_enlarge(struct listener *l)
{
	struct exchange *x = &l->x;
	size_t needed = madkit_port_receive_needed(x->port);
	size_t size = l->buffer ? l->buffer : x->options->buffers.sizes[0];
	/* the kernel does not report the length if less than one MAD fits */
	bool least = size < MADKIT_MAD_BYTES || needed == MADKIT_FRAME_BYTES;
	struct madkit_message message;
	struct listener_sizes sizes = { .needed = needed, .buffer = size };
	const struct madkit_object data = { listener_write_sizes, &sizes };
	char reason[400];

	listener_flush(l);
	l->buffer = size;
	sizes.next = listener_next_size(l, needed);
	snprintf(reason, sizeof(reason), "%s: the next message needs %s%zu bytes, and --buffer is %zu",
		 x->info->device, least ? "at least " : "", needed, size);
	cli_insist("%s", reason);
	x->seq++;
	exchange_message(x, MADKIT_MESSAGE_ERROR, &message);
	message.send_status = ENOSPC;
	exchange_error(x, &message, &data, reason);
	output_flush(x->out);
	if (!sizes.next || madkit_port_set_receive_limit(x->port, sizes.next, sizes.next))
		return -ENOSPC;
	l->buffer = sizes.next;
	return 1;
}

void listen_failed(struct madkit_port *port, int error)
{
	cli_insist("%s: %s", madkit_port_get_info(port)->device,
		   error == -ENODEV || error == -EIO ? "the device is gone" : strerror(-error));
}

int listen_wait(struct exchange *x)
{
	int ms = exchange_listen_ms(x), ret;
	bool over = !ms, late = over && x->time.deadline_ns != UINT64_MAX;

	if (x->time.wake_ns && x->time.wake_ns != UINT64_MAX) {
		int slice = exchange_slice_ms(x, x->time.wake_ns);

		/* without a deadline, virtual time advances as long as something is due */
		over &= x->time.deadline_ns != UINT64_MAX;
		ms = x->time.deadline_ns == UINT64_MAX || slice < ms ? slice : ms;
	}

	if (cli_stopped())
		return 0;
	ret = madkit_port_wait(x->port, ms);
	if (ret > 0)
		ret = madkit_port_process(x->port);
	else if (!ret)
		return !over;
	if (ret == -ENOSPC && x->options->buffers.n)
		return ret;
	if (ret < 0 && ret != -EINTR) {
		listen_failed(x->port, ret);
		return ret;
	}
	/* in a flood, MADs never stop arriving: the deadline ends the wait */
	return !late;
}

int listen_timeout(const struct cli_options *o, uint64_t received)
{
	const char *which = o->output.filter ? " that --filter selects" : "";
	char when[64] = "; no event is left on the simulated fabric";

	/* without a deadline, a wait in virtual time ends with the last event */
	if (o->timing.deadline_ms >= 0)
		snprintf(when, sizeof(when), " in %" PRId64 " ms", o->timing.deadline_ms);
	if (o->timing.have_count && received)
		cli_say("%" PRIu64 " of %" PRIu64 " MAD%s%s came%s", received, o->timing.count,
			o->timing.count == 1 ? "" : "s", which, when);
	else
		cli_say("no MAD%s came%s", which, when);
	return EXIT_TIMEOUT;
}

/* ---- showing MADs that arrive ---------------------------------------------------- */

void listen_message(struct exchange *x, const struct madkit_recv *recv, struct madkit_message *message)
{
	x->seq++;
	exchange_message(x, request_kind(recv->mad, recv->len, MADKIT_MESSAGE_UNSOLICITED), message);
	message->time = recv->time;
	message->remote = &recv->from;
	message->mad = recv->mad;
	message->len = recv->len;
}

/* Shows a line. Returns false if it was the last one. */
static bool listener_show(void *context, const struct madkit_message *message)
{
	struct listener *l = context;
	const struct cli_options *o = l->x.options;

	if (l->done)
		return false;
	if (output_message(l->x.out, message))
		l->received++;
	l->done = o->timing.have_count && l->received >= o->timing.count;
	return !l->done && !l->x.out->status;
}

/* Checks if enough lines are held. With a filter, that is known only when they are shown. */
static bool listener_has_enough(const struct listener *l)
{
	const struct cli_options *o = l->x.options;

	return o->timing.have_count && !o->output.filter &&
	       l->received + held_lines_count(l->held) >= o->timing.count;
}

/* Holds a MAD whose names are to be looked up. */
static void listener_hold(struct listener *l, struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_message message;

	if (listener_has_enough(l)) {
		madkit_recv_free(recv);
		return;
	}
	/* respond at once, without waiting for the names */
	if (l->respond)
		l->respond(agent, recv);
	listen_message(&l->x, recv, &message);
	held_lines_add(l->held, recv, &message);
}

void listener_flush(struct listener *l)
{
	if (l->held)
		held_lines_flush(l->held);
}

void listener_receive(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct listener *l = madkit_agent_context(agent);
	const struct cli_options *o = l->x.options;
	struct madkit_message message;

	if (l->buffer) {
		/* the long message has arrived: use the first size for the next one */
		madkit_port_set_receive_limit(l->x.port, o->buffers.sizes[0], o->buffers.sizes[0]);
		l->buffer = 0;
	}
	if (recv->status && l->returned)
		l->returned(recv);
	if (!recv->status && !recv->send && !l->done && (!l->wanted || l->wanted(recv))) {
		if (l->held) {
			listener_hold(l, agent, recv);
			return;
		}
		listen_message(&l->x, recv, &message);
		listener_show(l, &message);
		output_flush(l->x.out);
		if (l->respond)
			l->respond(agent, recv);
	}
	madkit_recv_free(recv);
}

static void listen_banner(const struct exchange *x)
{
	const struct madkit_agent_attr *attr = madkit_agent_get_attr(x->agent);
	struct madkit_buf methods;

	madkit_buf_init(&methods, 0);
	listen_methods_text(attr, attr->method_mask, &methods);
	cli_insist("listening on %s for %.*s", x->info->device, (int)methods.len, methods.data);
	madkit_buf_free(&methods);
}

/* Also called while a request of the listener waits for its response. */
static uint64_t listener_tend_lines(struct exchange *x)
{
	struct listener *l = (struct listener *)(void *)x;
	uint64_t due = held_lines_tend(l->held), slice = madkit_port_now(x->port) + CLI_SLICE_MS * NS_PER_MS;

	return due < slice ? due : slice;
}

int listener_begin(struct listener *l)
{
	int status;

	if (!exchange_has_names(&l->x))
		return EXIT_DONE;
	status = held_lines_new(&l->x, listener_show, l, &l->held);
	if (!status)
		l->x.tend = listener_tend_lines;
	return exchange_report(&l->x, NULL, status);
}

void listener_end(struct listener *l)
{
	listener_flush(l);
	held_lines_free(l->held);
	l->held = NULL;
	l->x.tend = NULL;
	l->x.time.wake_ns = 0;
}

int listener_run(struct listener *l)
{
	const struct cli_options *o = l->x.options;
	struct output *out = l->x.out;
	struct madkit_agent *agent = l->x.agent;
	int ret = 1;

	if (o->output.banner)
		listen_banner(&l->x);
	/* also wait until the last response has been sent */
	while ((!l->done || madkit_agent_outstanding(agent)) && !output_over(out) && !cli_stopped() &&
	       ret > 0) {
		if (l->tend)
			l->tend(l);
		if (l->held)
			l->x.time.wake_ns = held_lines_tend(l->held);
		if (l->done && !madkit_agent_outstanding(agent))
			break;
		ret = listen_wait(&l->x);
		if (ret == -ENOSPC)
			ret = listener_enlarge(l);
	}
	listener_end(l);
	if (cli_stopped())
		return cli_stopped_status();
	if (l->done && !ret)
		return EXIT_DONE;
	if (ret < 0)
		return EXIT_LOCAL;
	if (l->done || out->status || (!o->timing.have_count && l->received))
		return EXIT_DONE;
	return listen_timeout(o, l->received);
}
