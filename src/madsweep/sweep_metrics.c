/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <madkit/madkit.h>
#include "sweep_metrics.h"

int sweeping_build_metrics(struct sweeping *s, const struct cli_options *o)
{
	bool extended = false, counters = false;

	for (size_t i = 0; i < s->nrequests; i++) {
		const struct request *r = &s->requests[i];

		if (!madkit_metrics_has(r->attribute))
			return cli_usage_error("Get %s: -f prometheus has no metrics of it",
					       r->attribute_name);
		extended |= r->header.attribute == MADKIT_ATTR_PORT_COUNTERS_EXTENDED;
		counters |= r->header.attribute == MADKIT_ATTR_PORT_COUNTERS;
	}
	return extended && !counters ? survey_build_get(o, "PortCounters", &s->fallback) : EXIT_DONE;
}

/* Gets PortCounters of the ports without counters of PortCountersExtended, because their nodes do not have it, or only its
 * first edition. */
static int sweeping_fall_back(struct sweeping *s)
{
	struct scope part = { .ports = NULL };
	int status = metrics_part(s->metrics, &s->scope, s->fallback.attribute, &part);

	if (!status && part.n)
		status = survey_run(&s->net.x, &part, &s->fallback, NULL, &s->fallback_tally);
	survey_tally_add(&s->tally, &s->fallback_tally);
	free(part.ports);
	return status;
}

int sweeping_measure(struct sweeping *s)
{
	const uint64_t begins = madkit_port_now(s->net.x.port);
	int status = metrics_begin(s->metrics, &s->scope);

	s->scope.metrics = s->metrics;
	for (size_t i = 0; i < s->nrequests && !status; i++) {
		status = survey_run(&s->net.x, &s->scope, &s->requests[i], NULL, &s->tallies[i]);
		/* what a node does not have is read from PortCounters instead */
		if (s->fallback.mad && s->tallies[i].status == EXIT_STATUS && !s->tallies[i].refused)
			s->tallies[i].status = EXIT_DONE;
		survey_tally_add(&s->tally, &s->tallies[i]);
	}
	if (!status && s->fallback.mad)
		status = sweeping_fall_back(s);
	s->measured_ns = madkit_port_now(s->net.x.port) - begins;
	return status;
}
