/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the header and rmpp of a line. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <madkit/mad.h>
#include "expr/envelope.h"
#include "json/in.h"
#include "json/line.h"
#include "json/value.h"
#include "util/bits.h"
#include "wire/wire_int.h"

/* Reads class, method and attribute, by name, by number, or by both if they agree. */
static int get_names(const struct json_token *header, struct madkit_header *h,
		     const struct madkit_attribute **attribute, struct madkit_error *error)
{
	const char *class_name, *method_name, *attribute_name;
	struct madkit_error reason = { .text = "" };
	uint64_t mgmt_class, method, id;
	uint8_t number;

	if (line_text(header, "header", "class", &class_name, error) ||
	    line_text(header, "header", "method", &method_name, error) ||
	    line_text(header, "header", "attribute", &attribute_name, error) ||
	    line_number(header, "header", "class_id", 0xff, UINT64_MAX, &mgmt_class, error) ||
	    line_number(header, "header", "method_id", 0xff, UINT64_MAX, &method, error) ||
	    line_number(header, "header", "attribute_id", 0xffff, UINT64_MAX, &id, error))
		return -EINVAL;
	if (class_name) {
		if (madkit_class_find(class_name, &number, &reason))
			return json_error(error, "header", "class", "%s", reason.text);
		if (mgmt_class != UINT64_MAX && mgmt_class != number)
			return json_error(error, "header", "class_id", "%" PRIu64 " is not class %s",
					  mgmt_class, class_name);
		mgmt_class = number;
	}
	*attribute = NULL;
	h->attribute = (uint16_t)id;
	h->mgmt_class = (uint8_t)mgmt_class;
	if (attribute_name) {
		if (madkit_attribute_find(attribute_name, mgmt_class == UINT64_MAX ? -1 : (int)mgmt_class,
					  &h->mgmt_class, &h->attribute, attribute, &reason))
			return json_error(error, "header", "attribute", "%s", reason.text);
		if (id != UINT64_MAX && id != h->attribute)
			return json_error(error, "header", "attribute_id", "%" PRIu64 " is not %s", id,
					  attribute_name);
	} else if (id == UINT64_MAX) {
		return json_error(error, "header", "attribute", "is missing");
	} else if (mgmt_class == UINT64_MAX) {
		return json_error(error, "header", "class", "is missing");
	}
	if (method_name) {
		if (madkit_method_find(h->mgmt_class, method_name, &h->method))
			return json_error(error, "header", "method", "there is no method '%.40s'",
					  method_name);
		if (method != UINT64_MAX && method != h->method)
			return json_error(error, "header", "method_id", "%" PRIu64 " is not %s", method,
					  method_name);
	} else if (method == UINT64_MAX) {
		return json_error(error, "header", "method", "is missing");
	} else {
		h->method = (uint8_t)method;
	}
	return 0;
}

/* Checks if the header of any class has this field. */
static bool is_header_field(const struct json_token *name)
{
	struct madkit_place place;
	const char *key = name->text;
	size_t len = name->len, n;
	const struct madkit_class *classes = madkit_classes(&n);
	bool found = !madkit_place_find(&madkit_layout_header_dr, key, len, &place, NULL) ||
		     !madkit_place_find(&madkit_layout_header, key, len, &place, NULL);

	if (found)
		return !envelope_has_field(place.field);
	for (size_t i = 0; !found && i < n; i++)
		found = classes[i].header && !madkit_place_find(classes[i].header, key, len, &place, NULL);
	return found;
}

/* Called before the names are read: for "methd", the error must say that there is no such key, not that the
 * method is missing. */
static int check_header_keys(const struct json_token *header, struct madkit_error *error)
{
	json_each(key, header) {
		struct nearest nearest = nearest_begin(key->text);
		size_t n;
		const struct madkit_class *classes = madkit_classes(&n);

		if (line_has_entry(ENVELOPE_HEADER, key) || is_header_field(key))
			continue;
		json_try_fields(&nearest, &madkit_layout_header_dr);
		for (size_t i = 0; i < n; i++)
			json_try_fields(&nearest, classes[i].header);
		return line_unknown(ENVELOPE_HEADER, "header", "unknown key", &nearest, error);
	}
	return 0;
}

/* Sets fields of the common header or of the class header that are not entries of the envelope. */
static int put_header_fields(struct madkit_json_in *in, const struct json_token *header, uint8_t *given_bits,
			     struct madkit_error *error)
{
	uint8_t *mad = (uint8_t *)in->mad.data;
	const struct madkit_layout *common = layout_of_header(mad[MADKIT_MAD_CLASS]);
	const struct madkit_layout *own = layout_of_class_header(mad, in->mad.len);
	unsigned int *given = &in->message.given;

	json_each(key, header) {
		struct json_target target = {
			.layout = common,
			.scope = "header",
			.base = mad,
			.len = in->mad.len,
			.given = given_bits,
		};
		struct madkit_place place;
		int ret;

		if (line_has_entry(ENVELOPE_HEADER, key))
			continue;
		if (madkit_place_find(common, key->text, key->len, &place, NULL) ||
		    envelope_has_field(place.field)) {
			if (!own || madkit_place_find(own, key->text, key->len, &place, NULL))
				return json_error(error, "header", key->text, "a MAD of this class has none");
			target.layout = own;
		}
		ret = json_put_member(&target, key->text, key + 1, error);
		if (ret)
			return ret;
		if (!strcmp(place.field->name, "m_key"))
			*given |= MADKIT_JSON_M_KEY;
		if (!strcmp(place.field->name, "sm_key"))
			*given |= MADKIT_JSON_SM_KEY;
		if (!strcmp(place.field->name, "initial_path"))
			*given |= MADKIT_JSON_ROUTE;
	}
	return 0;
}

int header_put(struct madkit_json_in *in, const struct json_token *line, const struct json_token *header,
	       struct madkit_error *error)
{
	const struct json_token *rmpp = line_member(line, "rmpp");
	struct madkit_header h = { .mgmt_class = 0 };
	uint8_t given[GIVEN_BYTES] = { 0 }; /* header and rmpp count from the same byte */
	uint64_t base, version, modifier, tid, status;
	uint32_t oui;
	int ret;

	if (check_header_keys(header, error) || get_names(header, &h, &in->message.attribute, error) ||
	    line_number(header, "header", "base_version", 0xff, MADKIT_BASE_VERSION_IB, &base, error) ||
	    line_number(header, "header", "class_version", 0xff, madkit_class_version(h.mgmt_class), &version,
			error) ||
	    line_number(header, "header", "modifier", UINT32_MAX, 0, &modifier, error) ||
	    line_number(header, "header", "tid", UINT64_MAX, 0, &tid, error) ||
	    line_number(header, "header", "status", h.mgmt_class == MADKIT_CLASS_SUBN_DR ? 0x7fff : 0xffff, 0,
			&status, error))
		return -EINVAL;
	if (line_member(header, "class") || line_member(header, "class_id"))
		in->message.given |= MADKIT_JSON_CLASS;
	else if (h.mgmt_class == MADKIT_CLASS_SUBN && in->message.remote.direct)
		h.mgmt_class = MADKIT_CLASS_SUBN_DR;
	h.base_version = (uint8_t)base;
	h.class_version = (uint8_t)version;
	h.modifier = (uint32_t)modifier;
	h.tid = tid;
	h.status = (uint16_t)status;
	if (line_member(header, "tid"))
		in->message.given |= MADKIT_JSON_TID;
	ret = line_extend(&in->mad, madkit_mad_bytes(h.base_version));
	if (ret)
		return ret;
	madkit_header_put((uint8_t *)in->mad.data, in->mad.len, &h);
	oui = in->message.attribute ? madkit_attribute_oui(in->message.attribute) : 0;
	if (oui)
		bits_put((uint8_t *)in->mad.data, MADKIT_VENDOR2_OUI * 8, 24, oui);
	ret = put_header_fields(in, header, given, error);
	if (!ret && rmpp) {
		struct json_target target = {
			.layout = &madkit_layout_rmpp,
			.scope = "rmpp",
			.base = (uint8_t *)in->mad.data,
			.len = in->mad.len,
			.given = given,
		};

		if (!json_is(rmpp, SCAN_OBJECT))
			return json_error(error, "", "rmpp", "must be an object or null");
		if (!madkit_class_is_rmpp(h.mgmt_class))
			return json_error(error, "", "rmpp", "a MAD of this class has none");
		ret = json_put_object(&target, "", rmpp, error);
	}
	in->message.attribute =
		madkit_attribute_of((uint8_t *)in->mad.data, in->mad.len, in->message.attribute);
	return ret;
}
