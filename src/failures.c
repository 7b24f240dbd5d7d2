/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include "failures.h"

bool failures_count(struct failures *f, int status, uint16_t mad_status)
{
	size_t i = 0;

	while (i < f->n && (f->kinds[i].status != status || f->kinds[i].mad_status != mad_status))
		i++;
	if (i == FAILURES_KINDS)
		return true;
	if (i == f->n) {
		f->n++;
		f->kinds[i].status = status;
		f->kinds[i].mad_status = mad_status;
	}
	return ++f->kinds[i].count <= FAILURES_TOLD || f->all;
}

void failures_tell(struct failures *f, struct exchange *x, const struct request *r,
		   const struct answer *answer)
{
	if (answer->status == EXIT_DONE ||
	    failures_count(f, answer->status, madkit_message_status(&answer->message)))
		exchange_tell(x, r, answer);
}

static const char *failures_what(int status)
{
	switch (status) {
	case EXIT_TIMEOUT:
		return "without a response";
	case EXIT_STATUS:
		return "answered";
	case EXIT_MALFORMED:
		return "with a malformed response";
	case EXIT_NOTHING:
		return "for which there is no record";
	default:
		return "that could not be sent";
	}
}

void failures_finish(const struct failures *f)
{
	for (size_t i = 0; i < f->n && !f->all; i++) {
		uint64_t more = f->kinds[i].count > FAILURES_TOLD ? f->kinds[i].count - FAILURES_TOLD : 0;
		char status[32] = "";

		if (!more)
			continue;
		if (f->kinds[i].status == EXIT_STATUS)
			snprintf(status, sizeof(status), " with status 0x%04x", f->kinds[i].mad_status);
		if (f->kinds[i].status == FAILURES_LINE)
			cli_say("and %" PRIu64 " more %s not sent (-v reports each)", more,
				more == 1 ? "line was" : "lines were");
		else
			cli_say("and %" PRIu64 " more %s %s%s (-v reports each)", more,
				more == 1 ? "request" : "requests", failures_what(f->kinds[i].status),
				status);
	}
}
