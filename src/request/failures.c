/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "failures.h"

bool failures_count(struct failures *f, int status, int code, const char *what)
{
	size_t i = 0;

	while (i < f->n &&
	       (f->kinds[i].status != status || f->kinds[i].code != code || f->kinds[i].what != what))
		i++;
	if (i == FAILURES_KINDS)
		return true;
	if (i == f->n) {
		f->n++;
		f->kinds[i].status = status;
		f->kinds[i].code = code;
		f->kinds[i].what = what;
	}
	return ++f->kinds[i].count <= FAILURES_TOLD || f->all;
}

bool failures_count_line(struct failures *f)
{
	return failures_count(f, FAILURES_LINE, 0, NULL);
}

/* Describes requests that timed out, as exchange_tell() does for one. Returns NULL if it was not a
 * timeout. */
static const char *failures_timeout_what(const struct request *r, const struct answer *a)
{
	static const char not_accepted[] = "not sent, because the device did not accept them",
			  not_known[] = "not known to have arrived", busy[] = "with only BUSY responses",
			  none[] = "without a response";

	if (a->status != EXIT_TIMEOUT)
		return NULL;
	return !a->job.reply.attempts ? not_accepted :
	       !r->expects_response   ? not_known :
	       a->job.send->busy      ? busy :
					none;
}

void failures_tell(struct failures *f, struct exchange *x, const struct request *r,
		   const struct answer *answer)
{
	int code = answer->error ? answer->error : madkit_message_status(&answer->message);

	if (answer->status == EXIT_DONE ||
	    failures_count(f, answer->status, code, failures_timeout_what(r, answer)))
		exchange_tell(x, r, answer);
}

/* Returns a description of the failures of a kind, to follow the number of requests. */
static const char *failures_what(int status, int code, const char *what, char text[80])
{
	switch (status) {
	case EXIT_TIMEOUT:
		return what;
	case EXIT_STATUS:
		if (code < 0)
			return "with a transfer that the peer stopped or aborted";
		snprintf(text, 80, "answered with status 0x%04x", (unsigned int)code);
		return text;
	case EXIT_MALFORMED:
		return "with a malformed response";
	case EXIT_NOTHING:
		return "without a record or data in the response";
	default:
		snprintf(text, 80, "that failed: %s", strerror(-code));
		return text;
	}
}

void failures_finish(const struct failures *f)
{
	for (size_t i = 0; i < f->n && !f->all; i++) {
		uint64_t more = f->kinds[i].count > FAILURES_TOLD ? f->kinds[i].count - FAILURES_TOLD : 0;
		char text[80];

		if (more && f->kinds[i].status == FAILURES_LINE)
			cli_say("and %" PRIu64 " more %s not sent (-v reports each)", more,
				more == 1 ? "line was" : "lines were");
		else if (more)
			cli_say("and %" PRIu64 " more %s %s (-v reports each)", more,
				more == 1 ? "request" : "requests",
				failures_what(f->kinds[i].status, f->kinds[i].code, f->kinds[i].what, text));
	}
}
