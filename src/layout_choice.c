/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/cpi.h>
#include "layout_choice.h"

enum { LAYOUT_ALL_PORTS = 255 }; /* PortSelect */

bool layout_depends(const struct request *r)
{
	return r->header.mgmt_class == MADKIT_CLASS_PERF &&
	       r->header.attribute == MADKIT_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS && r->attribute &&
	       !strcmp(r->attribute->name, "PortExtendedSpeedsCounters");
}

const struct madkit_attribute *layout_rsfec(const struct request *r)
{
	const struct madkit_attribute *found = NULL;
	uint8_t mgmt_class;
	uint16_t id;

	return madkit_attribute_find("PortExtendedSpeedsCountersRSFEC", MADKIT_CLASS_PERF, &mgmt_class, &id,
				     &found, NULL) ?
		       r->attribute :
		       found;
}

bool layout_has_rsfec(const struct answer *a)
{
	struct madkit_record record;
	uint64_t mode;

	if (a->status || a->message.kind != MADKIT_MESSAGE_RESPONSE)
		return false;
	madkit_record_get(&a->message, 0, &record);
	return !madkit_record_value(&record, "FECModeActive", &mode) &&
	       (mode == MADKIT_FEC_MODE_RSFEC || mode == MADKIT_FEC_MODE_LOW_LATENCY_RSFEC);
}

int layout_request(const struct request *r, uint32_t port, struct request *derived)
{
	return request_derive_smp(r, "PortInfoExtended", port, derived);
}

/* Asks one of the two. known: there was a response, also one that refuses. EXIT_DONE, or a status that ends the command. */
static int layout_ask(struct exchange *x, const struct request *r, struct answer *a, bool *known)
{
	int status = exchange_ask(x, r, a);

	*known = status != EXIT_TIMEOUT && status != EXIT_MALFORMED;
	if (status != EXIT_LOCAL && status < EXIT_SIGNAL)
		return EXIT_DONE;
	exchange_show(x, r, a);
	exchange_tell(x, r, a);
	return status;
}

static int layout_counts_rsfec(struct exchange *x, const struct request *r, bool *counts, bool *known)
{
	struct answer a = { .job.send = NULL };
	struct request cpi;
	int status;

	if (request_derive(r, "ClassPortInfo", 0, &cpi))
		return cli_no_memory();
	status = layout_ask(x, &cpi, &a, known);
	*counts = !status && !a.status && a.message.kind == MADKIT_MESSAGE_RESPONSE &&
		  a.message.len >= cpi.data_offset + MADKIT_CPI_BYTES &&
		  madkit_cpi_get_capmask(a.message.mad + cpi.data_offset) &
			  MADKIT_CPI_CAP_PERF_IS_RSFEC_MODE_SUPPORTED;
	answer_free(&a);
	request_free(&cpi);
	return status;
}

static int layout_rsfec_active(struct exchange *x, const struct request *r, uint64_t port, bool *active,
			       bool *known)
{
	struct answer a = { .job.send = NULL };
	struct request extended;
	int status;

	if (layout_request(r, (uint32_t)port, &extended))
		return cli_no_memory();
	status = layout_ask(x, &extended, &a, known);
	*active = !status && layout_has_rsfec(&a);
	answer_free(&a);
	request_free(&extended);
	return status;
}

int layout_choose(struct exchange *x, struct request *r)
{
	bool counts = false, active = false, known = true;
	uint64_t port;
	int status;

	if (!layout_depends(r) || request_value(r, "PortSelect", &port) || port == LAYOUT_ALL_PORTS)
		return EXIT_DONE;
	status = layout_counts_rsfec(x, r, &counts, &known);
	if (!status && counts)
		status = layout_rsfec_active(x, r, port, &active, &known);
	if (status)
		return status;
	/* the queries were not shown */
	x->seq = 0;
	if (active)
		r->attribute = layout_rsfec(r);
	else if (!known)
		cli_say("%s: the FEC mode of the port is not known: shown as without RS-FEC",
			r->attribute_name);
	return EXIT_DONE;
}
