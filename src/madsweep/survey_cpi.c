/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <madkit/cpi.h>
#include "request/layout_choice.h"
#include "survey_cpi.h"

enum {
	SURVEY_FIRST_EDITION = 72, /* bytes of PortCountersExtended without error counters */
};

bool survey_has_extended(const struct survey_node *n)
{
	return n->counters & MADKIT_CPI_COUNTERS_EXTENDED;
}

void survey_take_cpi(struct survey *s, struct survey_node *n, const struct survey_ask *ask)
{
	static const char what[] = "to nodes without counters of errors",
			  doubt[] = "to nodes without a response to Get ClassPortInfo";
	const struct answer *a = &ask->task.answer;
	const struct madkit_message *m = &a->message;
	size_t offset = s->cpi.data_offset;

	/* without a response, request the attribute itself: its result shows the problem */
	n->counters = MADKIT_CPI_COUNTERS_EXTENDED;
	n->rsfec = layout_counts(a, offset);
	if (a->status || m->len < offset + MADKIT_CPI_BYTES) {
		n->doubts_errors = s->extended;
		if (s->extended && failures_count(&s->failures, EXIT_TIMEOUT, -ENODATA, doubt))
			cli_say("%s of %s: counters of errors that are 0 are omitted, because ClassPortInfo %s",
				s->request->attribute_name, ask->name,
				a->status == EXIT_MALFORMED ? "is not known" : "was not read");
		return;
	}
	n->counters = (uint8_t)madkit_cpi_get_counters(m->mad + offset);
	n->no_errors = s->extended && survey_has_extended(n) && !(n->counters & MADKIT_CPI_COUNTERS_ERRORS);
	if (n->no_errors && failures_count(&s->failures, EXIT_TIMEOUT, -EOPNOTSUPP, what))
		cli_say("%s of %s has no counters of errors: its ClassPortInfo does not have IsAdditionalPortCountersExtendedSupported",
			s->request->attribute_name, ask->name);
}

void survey_cut_errors(const struct survey *s, struct survey_ask *ask)
{
	const struct survey_node *n = &s->targets.nodes[ask->node];
	struct madkit_message *m = &ask->task.answer.message;
	const size_t len = s->request->data_offset + SURVEY_FIRST_EDITION;
	bool cut = n->no_errors || n->doubts_errors;

	/* a counter that is not 0 exists */
	for (size_t i = len; n->doubts_errors && cut && i < m->len; i++)
		cut = !m->mad[i];
	if (cut && m->kind == MADKIT_MESSAGE_RESPONSE && m->len > len)
		m->len = len;
}
