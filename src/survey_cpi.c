/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <madkit/cpi.h>
#include "survey_cpi.h"

enum {
	SURVEY_CAP2_ERRORS = 1 << 1, /* IsAdditionalPortCountersExtendedSupported */
	SURVEY_FIRST_EDITION = 72,   /* bytes of PortCountersExtended without counters of errors */
};

bool survey_has_extended(const struct survey_node *n)
{
	return n->capabilities & (MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED |
				  MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED_NO_IETF);
}

void survey_take_cpi(struct survey *s, struct survey_node *n, const struct survey_ask *ask)
{
	static const char what[] = "to nodes without counters of errors";
	const struct answer *a = &ask->task.answer;
	const struct madkit_message *m = &a->message;
	size_t offset = s->cpi.data_offset;

	/* without a response, the attribute itself is requested: that will show what is wrong */
	n->capabilities = MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED;
	if (a->status || m->len < offset + MADKIT_CPI_BYTES)
		return;
	n->capabilities = madkit_cpi_get_capmask(m->mad + offset);
	n->no_errors = s->extended && survey_has_extended(n) &&
		       !(madkit_cpi_get_capmask2(m->mad + offset) & SURVEY_CAP2_ERRORS);
	if (n->no_errors && failures_count(&s->failures, EXIT_TIMEOUT, -EOPNOTSUPP, what))
		cli_say("%s of %s has no counters of errors: its ClassPortInfo does not have IsAdditionalPortCountersExtendedSupported",
			s->request->attribute_name, ask->name);
}

void survey_cut_errors(const struct survey *s, struct survey_ask *ask)
{
	struct madkit_message *m = &ask->task.answer.message;
	const size_t len = s->request->data_offset + SURVEY_FIRST_EDITION;

	if (s->targets.nodes[ask->node].no_errors && m->kind == MADKIT_MESSAGE_RESPONSE && m->len > len)
		m->len = len;
}
