/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "batch_line.h"
#include "request/request_fields.h"

/* Sets the destination. The class of an SMP is the line's, if the line has one. Returns 0 or -EINVAL. */
static int batch_line_route(const struct cli_options *o, const struct madkit_json_message *m,
			    struct request *r, struct madkit_error *error)
{
	struct destination *d = &r->destination;
	unsigned int to = m->given & (MADKIT_JSON_GUID | MADKIT_JSON_GID | MADKIT_JSON_NAME);
	uint8_t mgmt_class = r->header.mgmt_class;
	int ret;

	/* with a LID, a path begins at that LID, and a GID is put into the GRH */
	if (to & (to - 1) || (to && m->given & MADKIT_JSON_PATH) ||
	    (to && to != MADKIT_JSON_GID && d->have_lid))
		return madkit_error_set(
			error, -EINVAL, -1,
			"remote: several destinations: give one of lid, path, gid, guid and name, or lid with path or gid");
	if (m->given & MADKIT_JSON_PATH && !madkit_class_is_smi(mgmt_class))
		return madkit_error_set(
			error, -EINVAL, -1,
			"remote.path: %s is not an SMP: a directed route is only for subnet management",
			r->attribute_name);
	/* an option for SMPs only does not prevent other requests */
	if (!madkit_class_is_smi(mgmt_class) && !(m->given & MADKIT_JSON_PATH))
		d->have_direct = false;
	ret = request_route(r, error);
	if (ret || !(m->given & MADKIT_JSON_CLASS) || !r->smp)
		return ret;
	r->header.mgmt_class = mgmt_class;
	/* by LID, but without a LID: the port's own, as for other classes */
	if (mgmt_class != MADKIT_CLASS_SUBN_DR && !d->have_direct) {
		r->to.direct = false;
		if (!d->have_lid)
			r->to.lid = 0;
	}
	if (mgmt_class != MADKIT_CLASS_SUBN_DR && r->to.direct)
		return madkit_error_set(error, -EINVAL, -1,
					"header.class: %s: a directed route (path) needs class SubnMgtDR",
					r->attribute_name);
	if (mgmt_class == MADKIT_CLASS_SUBN_DR && !(m->given & MADKIT_JSON_PATH) &&
	    m->given & MADKIT_JSON_ROUTE && r->header.base_version == MADKIT_BASE_VERSION_IB &&
	    madkit_smp_get_route(m->mad, m->len, &r->to) && !o->request.dry_run)
		return madkit_error_set(error, -EINVAL, -1, "header.hop_count: a route has at most %d hops",
					MADKIT_HOPS_MAX);
	return 0;
}

/* Writes the parts of the MAD that the line does not have. Returns an exit status. */
static int batch_line_complete(const struct cli_options *o, const struct madkit_json_message *m,
			       struct request *r, struct madkit_error *error)
{
	struct madkit_error why = { .text = "" };

	madkit_header_put(r->mad, r->len, &r->header);
	/* keys of the command line, unless the line has its own */
	if (!(m->given & (MADKIT_JSON_M_KEY | MADKIT_JSON_SM_KEY)))
		request_put_keys(o, r);
	if (!(m->given & MADKIT_JSON_ROUTE))
		request_put_route(r);
	if (request_need_port(r, m->given & MADKIT_JSON_PORT, &why))
		madkit_error_set(error, -EINVAL, -1, "data: %s", why.text);
	else if (request_need_select(o, r, m->given & MADKIT_JSON_SELECT, &why))
		madkit_error_set(error, -EINVAL, -1, "data: %s", why.text);
	else if (r->local_port && o->request.dry_run)
		madkit_error_set(
			error, -EINVAL, -1,
			"data: PortSelect is missing, and --dry-run opens no port to take the default from");
	else
		return EXIT_DONE;
	return EXIT_MALFORMED;
}

int batch_line(const struct cli_options *o, const struct madkit_json_message *m, struct request *r,
	       struct madkit_error *error)
{
	bool printed = m->given & MADKIT_JSON_PRINTED;
	char text[20];

	memset(r, 0, sizeof(*r));
	r->destination = o->to;
	destination_take_json(&r->destination, m);
	madkit_header_get(m->mad, m->len, &r->header);
	r->attribute = m->attribute;
	request_name(r);
	r->vendor2 = madkit_class_is_vendor2(r->header.mgmt_class);
	if (r->vendor2)
		r->oui = (uint32_t)m->mad[MADKIT_VENDOR2_OUI] << 16 |
			 (uint32_t)m->mad[MADKIT_VENDOR2_OUI + 1] << 8 | m->mad[MADKIT_VENDOR2_OUI + 2];
	if (r->vendor2 && !r->oui && !printed && o->class.have_oui)
		r->oui = o->class.oui;
	if (r->vendor2 && !r->oui && !(printed && o->request.dry_run)) {
		madkit_error_set(error, -EINVAL, -1, "header.oui: class %s needs it, or --oui",
				 madkit_class_name(r->header.mgmt_class, text));
		return EXIT_MALFORMED;
	}
	if (batch_line_route(o, m, r, error))
		return EXIT_MALFORMED;
	r->timeout_ms = m->timeout_ms;
	r->have_retries = m->given & MADKIT_JSON_RETRIES;
	r->retries = m->retries;
	r->expects_response = request_waits(r->header.method) && !o->request.no_response;
	if (request_leaves_rest(o, r, m->given & MADKIT_JSON_WHOLE)) {
		madkit_error_set(
			error, -EINVAL, -1,
			"data: Set %s replaces the whole attribute: give every field, or use --zero-rest",
			r->attribute_name);
		return EXIT_MALFORMED;
	}
	r->rmpp = rmpp_choice(o, r->header.mgmt_class);
	r->data_offset = madkit_attribute_offset(r->header.base_version, r->header.mgmt_class, r->attribute);
	r->len = m->len;
	r->data_len = r->len > r->data_offset ? r->len - r->data_offset : 0;
	/* a printed line may have joined the blocks of a register */
	if (!(printed && o->request.dry_run) && r->rmpp == RMPP_NONE &&
	    r->len > madkit_mad_bytes(r->header.base_version)) {
		madkit_error_set(error, -EINVAL, -1, "data: %zu bytes do not fit: %s holds %zu without RMPP",
				 r->data_len, madkit_class_name(r->header.mgmt_class, text),
				 request_data_room(r));
		return EXIT_MALFORMED;
	}
	r->mad = malloc(r->len);
	if (!r->mad) {
		madkit_error_set(error, -ENOMEM, -1, "out of memory");
		return EXIT_LOCAL;
	}
	memcpy(r->mad, m->mad, r->len);
	/* a printed request may be decoded again, but not sent */
	if (!(printed && o->request.dry_run) && request_check_register(r, error))
		return EXIT_MALFORMED;
	return printed ? EXIT_DONE : batch_line_complete(o, m, r, error);
}
