/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/cpi.h>
#include "layout_choice.h"

enum {
	LAYOUT_ALL_PORTS = 255, /* PortSelect */
	LAYOUT_LIDS = 0xc000,   /* unicast */
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

/* PortInfoExtended with RS-FEC. With the low-latency one, perfquery shows the other layout. */
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

bool layout_has_rsfec(const struct answer *a)
{
	return !a->status && a->message.kind == MADKIT_MESSAGE_RESPONSE &&
	       layout_message_has_rsfec(&a->message);
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
		r->attribute = layout_rsfec();
	else if (!known)
		cli_say("%s: the FEC mode of the port is not known: shown as without RS-FEC",
			r->attribute_name);
	return EXIT_DONE;
}

/* ---- a capture ----------------------------------------------------------------------- */

/* The bit of a port. False: its LID is not known, or is none. */
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

	/* of few MADs of a capture */
	if (!layout_seen_matters(m) || m->kind != MADKIT_MESSAGE_RESPONSE ||
	    madkit_header_get(m->mad, m->len, &h) || madkit_message_status(m) ||
	    h.base_version != MADKIT_BASE_VERSION_IB)
		return true;
	if (h.mgmt_class == MADKIT_CLASS_PERF)
		return layout_seen_set(s, m);
	layout_seen_note(s, m, h.modifier);
	return true;
}

void layout_seen_free(struct layout_seen *s)
{
	free(s->known);
	*s = (struct layout_seen){ .known = NULL };
}
