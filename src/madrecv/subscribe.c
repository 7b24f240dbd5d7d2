/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "cli/privileges.h"
#include "cli/wait.h"
#include "madrecv_options.h"
#include "request/listen.h"
#include "request/subscription.h"
#include "respond.h"
#include "subscribe.h"

/* A listener with a subscription. */
struct subscriber {
	struct listener listener;
	struct subscription subscription;
};

static int subscriber_read_traps(const char *text, struct subscription *s)
{
	struct madkit_error error = { .text = "" };

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		uint64_t trap;

		if (madkit_parse_number(p, len, 0xffff, "trap", &trap, &error))
			return cli_usage_error("%s", error.text);
		if (subscription_add(s, (uint16_t)trap))
			return EXIT_USAGE;
		p += len;
		if (!*p)
			return EXIT_DONE;
	}
}

static void subscriber_flush(struct exchange *x)
{
	listener_flush((struct listener *)(void *)x);
}

static void subscriber_tend(struct listener *l)
{
	struct subscriber *s = (struct subscriber *)(void *)l;

	if (!l->done)
		subscription_tend(&s->subscription);
}

static bool subscriber_wants(const struct madkit_recv *recv)
{
	struct madkit_header h;

	return !madkit_header_get(recv->mad, recv->len, &h) && h.method == MADKIT_METHOD_REPORT &&
	       h.attribute == MADKIT_ATTR_NOTICE;
}

/* Subscribes and listens, until the count, the deadline or a signal. */
static int subscriber_run(struct subscriber *s)
{
	struct listener *l = &s->listener;
	int status;

	privileges_drop(l->x.options);
	/* a subscription lasts longer than this process */
	wait_stop_on_all();
	status = subscription_begin(&s->subscription);
	if (!status && l->held && subscription_has(&s->subscription, MADKIT_TRAP_GID_OUT))
		held_lines_prepare(l->held);
	if (!status)
		status = listener_run(l);
	cli_clean_up();
	subscription_end(&s->subscription);
	return status;
}

int subscribe(const struct cli_options *o, struct output *out)
{
	struct subscriber s = {
		/* ReportResp is the Report with another method (IBA volume 1,
		 * section 13.4.9) */
		.listener = { .wanted = subscriber_wants, .respond = respond_echo, .tend = subscriber_tend },
	};
	struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SA,
		.send_handler = respond_sent,
		.recv_handler = listener_receive,
		.context = &s.listener,
	};
	struct exchange *x = &s.listener.x;
	int status = subscriber_read_traps(madrecv_options(o)->subscribe, &s.subscription);

	if (status)
		return status;
	if (o->timing.have_interval && !o->timing.interval_ms)
		return cli_usage_error("-i 0: the interval is at least 1 ms");
	s.subscription.x = x;
	s.subscription.flush = subscriber_flush;
	rmpp_choice_put(rmpp_choice(o, MADKIT_CLASS_SA), &attr);
	madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_REPORT);
	status = exchange_open(x, o, out, NULL);
	if (!status)
		status = exchange_report(x, NULL, exchange_register(x, &attr));
	if (!status)
		status = listener_begin(&s.listener);
	if (!status)
		status = subscriber_run(&s);
	listener_end(&s.listener);
	exchange_close(x);
	return status;
}
