/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include "batch_counts.h"

/* A count, by its name in JSON and its text. */
struct batch_count {
	const char *name, *text;
	uint64_t n;
};

enum { BATCH_COUNTS = 11 };

static void batch_write_counts(const void *context, struct madkit_writer *w)
{
	const struct batch_count *counts = context;

	for (size_t i = 0; i < BATCH_COUNTS; i++)
		madkit_writer_number(w, counts[i].name, counts[i].n);
}

void batch_summarize(struct exchange *x, const struct batch_counts *c, uint64_t lines)
{
	const struct batch_count counts[BATCH_COUNTS] = {
		{ "lines", "lines", lines },
		{ "sent", "sent", c->sent },
		{ "answered", "answered", c->answered },
		{ "refused", "of them with a status", c->refused },
		{ "timeouts", "without a response", c->timeouts },
		{ "errors", "failed", c->errors },
		{ "cancelled", "cancelled", c->cancelled },
		{ "one_way", "without a response to wait for", c->one_way },
		{ "outstanding", "outstanding", c->outstanding },
		{ "not_sent", "not sent", c->unsent },
		{ "bad_lines", "not valid", c->bad_lines },
	};
	const struct madkit_object data = { batch_write_counts, counts };
	struct madkit_message message;

	if (x->out->format == FORMAT_TEXT || x->out->format == FORMAT_TABLE) {
		output_rows(x->out);
		madkit_buf_char(&x->out->buf, '#');
		for (size_t i = 0; i < BATCH_COUNTS; i++)
			if (i < 3 || counts[i].n)
				madkit_buf_printf(&x->out->buf, "%s %" PRIu64 " %s", i ? "," : "",
						  counts[i].n, counts[i].text);
		madkit_buf_char(&x->out->buf, '\n');
	}
	if (x->out->format != FORMAT_JSON)
		return;
	exchange_message(x, MADKIT_MESSAGE_SUMMARY, &message);
	exchange_object(x, &message, &data);
}
