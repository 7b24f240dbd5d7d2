/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "listen.h"
#include "request_args.h"
#include "respond.h"
#include "subscribe.h"
#include "rmpp_choice.h"

#define TRAPS_MAX 64

struct subscription {
	struct listener listener;
	uint16_t traps[TRAPS_MAX];
	size_t ntraps;
	size_t subscribed;	/* the first so many */
};

static int read_traps(const char *text, struct subscription *s)
{
	struct madkit_error error = { .text = "" };

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		uint64_t trap;

		if (s->ntraps == TRAPS_MAX)
			return cli_usage_error("more than %d traps", TRAPS_MAX);
		if (madkit_parse_number(p, len, 0xffff, "trap", &trap, &error))
			return cli_usage_error("%s", error.text);
		s->traps[s->ntraps++] = (uint16_t)trap;
		p += len;
		if (!*p)
			return EXIT_DONE;
	}
}

/* ---- InformInfo --------------------------------------------------------------------- */

/* Tells the SA to report a trap from everywhere, or no longer (IBA volume 1,
 * section 13.4.8.3). */
static int inform(struct subscription *s, uint16_t trap, bool wanted)
{
	char subscribe_word[16], trap_word[24];
	char words[][24] = { "Set", "SA:InformInfo", "LIDRangeBegin=0xffff",
			     "IsGeneric=1", "Type=0xffff", "QPN=1",
			     "RespTimeValue=18", "ProducerType=0xffffff" };
	char *argv[] = { words[0], words[1], words[2], words[3], words[4],
			 words[5], words[6], words[7], subscribe_word, trap_word };
	struct request request;
	struct answer answer = { .send = NULL };
	int status;

	snprintf(subscribe_word, sizeof(subscribe_word), "Subscribe=%d", wanted);
	snprintf(trap_word, sizeof(trap_word), "TrapNumber=%u", trap);
	status = request_build(s->listener.x.options, argv, 10, &request);
	if (!status)
		status = exchange_address(&s->listener.x, &request);
	if (!status) {
		status = exchange_ask(&s->listener.x, &request, &answer);
		exchange_tell(&s->listener.x, &request, &answer);
	}
	answer_free(&answer);
	request_free(&request);
	return status;
}

static int subscribe_all(struct subscription *s)
{
	int status = EXIT_DONE;

	while (!status && s->subscribed < s->ntraps) {
		status = inform(s, s->traps[s->subscribed], true);
		if (!status)
			s->subscribed++;
	}
	return status;
}

/* On every way out; what does not work is told, and the status with it. */
static int unsubscribe_all(struct subscription *s)
{
	int status = EXIT_DONE;

	s->listener.x.deadline_ns = UINT64_MAX;
	while (s->subscribed)
		status = exit_worst(status, inform(s, s->traps[--s->subscribed], false));
	return status;
}

/* ---- Reports ----------------------------------------------------------------------- */

static bool wanted(const struct madkit_recv *recv)
{
	struct madkit_header h;

	return !madkit_header_get(recv->mad, recv->len, &h) &&
	       h.method == MADKIT_METHOD_REPORT &&
	       h.attribute == MADKIT_ATTR_NOTICE;
}

/* ---- the whole ----------------------------------------------------------------------- */

int subscribe(const struct cli_options *o, struct output *out)
{
	struct subscription s = {
		/* ReportResp is the Report with another method (IBA volume 1,
		 * section 13.4.9) */
		.listener = { .wanted = wanted, .respond = respond_echo },
	};
	struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SA,
		.send_handler = respond_sent,
		.recv_handler = listener_receive,
		.context = &s.listener,
	};
	struct exchange *x = &s.listener.x;
	int status = read_traps(o->subscribe, &s), ret;

	if (status)
		return status;
	rmpp_choice_put(rmpp_choice(o, MADKIT_CLASS_SA), &attr);
	madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_REPORT);
	status = exchange_open(x, o, out, NULL);
	if (!status)
		status = exchange_register(x, &attr);
	if (!status) {
		status = subscribe_all(&s);
		if (!status)
			status = listener_run(&s.listener);
		cli_clean_up();
		ret = unsubscribe_all(&s);
		if (status < EXIT_SIGNAL)
			status = exit_worst(status, ret);
	}
	exchange_close(x);
	return status;
}
