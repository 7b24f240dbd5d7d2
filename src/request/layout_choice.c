/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/cpi.h>
#include "layout_choice.h"

enum {
	LAYOUT_ALL_PORTS = 255, /* PortSelect of all ports */
	LAYOUT_LIDS = 0xc000,   /* unicast LIDs are below */
	LAYOUT_PORTS = 256,
};

bool layout_depends(const struct request *r)
{
	return r->header.mgmt_class == MADKIT_CLASS_PERF &&
	       r->header.attribute == MADKIT_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS && r->attribute &&
	       !strcmp(r->attribute->name, "PortExtendedSpeedsCounters");
}

const struct madkit_attribute *layout_rsfec(void)
{
	const struct madkit_attribute *found = NULL;
	uint8_t mgmt_class;
	uint16_t id;

	madkit_attribute_find("PortExtendedSpeedsCountersRSFEC", MADKIT_CLASS_PERF, &mgmt_class, &id, &found,
			      NULL);
	return found;
}

/* Checks if PortInfoExtended has RS-FEC. For low-latency RS-FEC, perfquery shows the other layout. */
static bool layout_message_has_rsfec(const struct madkit_message *m)
{
	struct madkit_record record;
	uint64_t capabilities, mode;

	madkit_record_get(m, 0, &record);
	return !madkit_record_value(&record, "CapMask", &capabilities) &&
	       capabilities & MADKIT_PORT_EXT_CAP_MASK_IS_FEC_MODE_SUPPORTED &&
	       !madkit_record_value(&record, "FECModeActive", &mode) &&
	       (mode == MADKIT_FEC_MODE_RSFEC || mode == MADKIT_FEC_MODE_RSFEC2);
}

/* Returns what an answer says without its data. LAYOUT_RSFEC: the data decides. */
static enum layout_fec layout_answered(const struct answer *a)
{
	if (a->message.kind != MADKIT_MESSAGE_RESPONSE)
		return LAYOUT_UNKNOWN;
	if (a->status == EXIT_STATUS && answer_refuses(a))
		return LAYOUT_WITHOUT;
	return a->status ? LAYOUT_UNKNOWN : LAYOUT_RSFEC;
}

enum layout_fec layout_mode(const struct answer *a)
{
	enum layout_fec says = layout_answered(a);

	return says == LAYOUT_RSFEC && !layout_message_has_rsfec(&a->message) ? LAYOUT_WITHOUT : says;
}

enum layout_fec layout_counts(const struct answer *a, size_t offset)
{
	enum layout_fec says = layout_answered(a);

	if (says != LAYOUT_RSFEC)
		return says;
	if (a->message.len < offset + MADKIT_CPI_BYTES)
		return LAYOUT_UNKNOWN;
	return madkit_cpi_get_capmask(a->message.mad + offset) & MADKIT_CPI_CAP_PERF_IS_RSFEC_MODE_SUPPORTED ?
		       LAYOUT_RSFEC :
		       LAYOUT_WITHOUT;
}

enum layout_fec layout_of(enum layout_fec counts, enum layout_fec mode)
{
	if (counts == LAYOUT_WITHOUT || mode == LAYOUT_WITHOUT)
		return LAYOUT_WITHOUT;
	return counts == mode ? counts : LAYOUT_UNKNOWN;
}

int layout_request(const struct request *r, uint32_t port, struct request *derived)
{
	return request_derive_smp(r, "PortInfoExtended", port, derived);
}

/* A query that is sent to the node before the request. */
struct layout_query {
	struct request request;
	struct answer answer;
};

/* Returns EXIT_DONE, or a status that ends the command, after a report. */
static int layout_ask(struct exchange *x, struct layout_query *q)
{
	int status = exchange_ask(x, &q->request, &q->answer);

	if (status != EXIT_LOCAL && status < EXIT_SIGNAL)
		return EXIT_DONE;
	exchange_show(x, &q->request, &q->answer);
	exchange_tell(x, &q->request, &q->answer);
	return status;
}

/* Reports the answers that leave the layout unknown. Returns a status other than EXIT_DONE. */
static int layout_tell_unknown(struct exchange *x, const struct request *r, const struct layout_query *cpi,
			       enum layout_fec counts, const struct layout_query *extended)
{
	const struct layout_query *queries[] = { cpi, extended };
	const bool unknown[] = { counts == LAYOUT_UNKNOWN,
				 extended->request.mad && layout_mode(&extended->answer) == LAYOUT_UNKNOWN };
	int status = EXIT_DONE;

	for (size_t i = 0; i < 2; i++) {
		const struct layout_query *q = queries[i];

		if (!unknown[i])
			continue;
		exchange_show(x, &q->request, &q->answer);
		exchange_tell(x, &q->request, &q->answer);
		status = exit_worst(status, q->answer.status);
	}
	cli_say("%s: not requested, because the FEC mode of the port is not known", r->attribute_name);
	cli_say("hint: use %s if the port has RS-FEC, and madsend -f raw otherwise", layout_rsfec()->name);
	return status ? status : EXIT_MALFORMED;
}

/* Checks if the names of fields matter to the output. */
static bool layout_is_seen(const struct exchange *x)
{
	const struct cli_options *o = x->options;

	return x->out->format != FORMAT_RAW || o->output.filter || o->output.assert_ || o->request.until;
}

static int layout_find(struct exchange *x, struct request *r, struct layout_query *cpi,
		       struct layout_query *extended, uint64_t port)
{
	enum layout_fec counts, layout;
	int status;

	if (request_derive(r, "ClassPortInfo", 0, &cpi->request))
		return cli_no_memory();
	status = layout_ask(x, cpi);
	if (status)
		return status;
	counts = layout = layout_counts(&cpi->answer, cpi->request.data_offset);
	if (counts != LAYOUT_WITHOUT && cpi->answer.status != EXIT_MALFORMED) {
		if (layout_request(r, (uint32_t)port, &extended->request))
			return cli_no_memory();
		status = layout_ask(x, extended);
		if (status)
			return status;
		layout = layout_of(counts, layout_mode(&extended->answer));
	}
	if (layout == LAYOUT_UNKNOWN)
		return layout_tell_unknown(x, r, cpi, counts, extended);
	/* the queries were not shown: numbering starts again */
	x->seq = 0;
	if (layout == LAYOUT_RSFEC)
		r->attribute = layout_rsfec();
	return EXIT_DONE;
}

int layout_choose(struct exchange *x, struct request *r)
{
	struct layout_query cpi = { .request.mad = NULL }, extended = { .request.mad = NULL };
	uint64_t port;
	int status;

	if (!layout_depends(r) || !r->expects_response || !layout_is_seen(x) ||
	    request_value(r, "PortSelect", &port) || port == LAYOUT_ALL_PORTS)
		return EXIT_DONE;
	status = layout_find(x, r, &cpi, &extended, port);
	answer_free(&cpi.answer);
	request_free(&cpi.request);
	answer_free(&extended.answer);
	request_free(&extended.request);
	/* the names were checked against the other layout; a difference has its own names */
	return status || layout_depends(r) || x->options->mode == MODE_DELTA ?
		       status :
		       output_check(x->out, r->attribute);
}

/* ---- a capture ----------------------------------------------------------------------- */

/* Gets the bit of a port. Returns false if its LID is not known or not unicast. */
static bool layout_seen_bit(const struct madkit_message *m, uint64_t port, size_t *bit)
{
	if (!m->remote || m->remote->direct || !m->remote->lid || m->remote->lid >= LAYOUT_LIDS ||
	    port >= LAYOUT_PORTS)
		return false;
	*bit = (size_t)m->remote->lid * LAYOUT_PORTS + port;
	return true;
}

static void layout_seen_note(struct layout_seen *s, const struct madkit_message *m, uint32_t port)
{
	const size_t bytes = (size_t)LAYOUT_LIDS * LAYOUT_PORTS / 8;
	size_t bit;

	if (!layout_seen_bit(m, port, &bit))
		return;
	if (!s->known)
		s->known = calloc(2, bytes);
	if (!s->known)
		return;
	s->active = s->known + bytes;
	s->known[bit / 8] |= (uint8_t)(1u << bit % 8);
	s->active[bit / 8] &= (uint8_t) ~(1u << bit % 8);
	if (layout_message_has_rsfec(m))
		s->active[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static bool layout_seen_set(const struct layout_seen *s, struct madkit_message *m)
{
	struct madkit_record record;
	uint64_t port;
	size_t bit;

	madkit_record_get(m, 0, &record);
	if (madkit_record_value(&record, "PortSelect", &port) || port == LAYOUT_ALL_PORTS)
		return true;
	if (!layout_seen_bit(m, port, &bit) || !s->known || !(s->known[bit / 8] >> bit % 8 & 1))
		return false;
	if (s->active[bit / 8] >> bit % 8 & 1)
		m->attribute = layout_rsfec();
	return true;
}

static bool layout_seen_matters(const struct madkit_message *m)
{
	uint16_t id;

	if (m->len < MADKIT_HEADER_BYTES)
		return false;
	id = (uint16_t)(m->mad[MADKIT_MAD_ATTRIBUTE] << 8 | m->mad[MADKIT_MAD_ATTRIBUTE + 1]);
	return (id == MADKIT_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS &&
		m->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_PERF) ||
	       (id == MADKIT_ATTR_PORT_INFO_EXTENDED && madkit_class_is_smi(m->mad[MADKIT_MAD_CLASS]));
}

bool layout_seen_apply(struct layout_seen *s, struct madkit_message *m)
{
	struct madkit_header h;

	/* a quick check: few MADs of a capture matter */
	if (!layout_seen_matters(m) || m->kind != MADKIT_MESSAGE_RESPONSE ||
	    madkit_header_get(m->mad, m->len, &h) || h.base_version != MADKIT_BASE_VERSION_IB)
		return true;
	if (h.mgmt_class == MADKIT_CLASS_PERF)
		return madkit_message_status(m) || layout_seen_set(s, m);
	/* a port that refuses the request has no RS-FEC */
	layout_seen_note(s, m, h.modifier);
	return true;
}

void layout_seen_free(struct layout_seen *s)
{
	free(s->known);
	*s = (struct layout_seen){ .known = NULL };
}
