/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the members of a line: its address, header and rmpp. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <madkit/mad.h>
#include "json/in.h"
#include "json/value.h"
#include "util/bits.h"
#include "wire/wire_int.h"

bool line_has_entry(struct line_entries *entries, enum envelope_group group, const struct json_token *key)
{
	for (size_t i = 0; group == ENVELOPE_TOP && envelope_groups[i]; i++)
		if (*envelope_groups[i] == *key->text && !strcmp(envelope_groups[i], key->text))
			return true;
	for (unsigned int k = 0, id = entries->next; k < ENVELOPE_N; k++, id++) {
		const struct envelope_entry *e;

		id = id < ENVELOPE_N ? id : 0;
		e = &envelope_entries[id];
		if (e->group != group || e->key_len != key->len ||
		    memcmp(e->name + e->key, key->text, key->len) != 0)
			continue;
		entries->found |= UINT64_C(1) << id;
		entries->next = id + 1;
		return true;
	}
	return false;
}

const struct envelope_entry *line_lacks(const struct line_entries *entries, enum envelope_group group)
{
	/* lines may have only one of the two forms of the time */
	for (unsigned int id = 0; id < ENVELOPE_N; id++)
		if (envelope_entries[id].group == group && id != ENVELOPE_EPOCH &&
		    !(entries->found >> id & 1))
			return &envelope_entries[id];
	return NULL;
}

int line_unknown(enum envelope_group group, const char *scope, const char *reason, struct nearest *nearest,
		 struct madkit_error *error)
{
	const char *best;

	for (size_t i = 0; group == ENVELOPE_TOP && envelope_groups[i]; i++)
		nearest_try(nearest, envelope_groups[i]);
	for (unsigned int id = 0; id < ENVELOPE_N; id++)
		if (envelope_entries[id].group == group)
			nearest_try(nearest, envelope_entries[id].name + envelope_entries[id].key);
	best = nearest_word(nearest);
	return json_error(error, scope, nearest->word, "%s%s%s%s", reason, best ? "; did you mean '" : "",
			  best ? best : "", best ? "'?" : "");
}

const struct json_token *line_member(const struct json_token *object, const char *key)
{
	const struct json_token *value = json_member(object, key);

	return json_is(value, SCAN_NULL) ? NULL : value;
}

int line_number(const struct json_token *object, const char *scope, const char *key, uint64_t max,
		uint64_t otherwise, uint64_t *number, struct madkit_error *error)
{
	const struct json_token *value = line_member(object, key);

	*number = otherwise;
	return value ? json_get_number(value, max, number, scope, key, error) : 0;
}

int line_text(const struct json_token *object, const char *scope, const char *key, const char **text,
	      struct madkit_error *error)
{
	const struct json_token *value = line_member(object, key);

	*text = NULL;
	if (!value)
		return 0;
	if (!json_is_text(value))
		return json_error(error, scope, key, "must be text");
	*text = value->text;
	return 0;
}

static int line_remote_numbers(struct madkit_json_message *m, const struct json_token *remote,
			       struct madkit_error *error)
{
	static const struct {
		const char *key;
		uint64_t max;
		unsigned int given;
	} numbers[] = {
		{ "lid", UINT16_MAX, MADKIT_JSON_LID },
		{ "qp", 0xffffff, MADKIT_JSON_QP },
		{ "sl", 15, MADKIT_JSON_SL },
		{ "pkey_index", UINT16_MAX, MADKIT_JSON_PKEY_INDEX },
	};
	uint64_t n[4];

	for (unsigned int i = 0; i < 4; i++) {
		if (line_number(remote, "remote", numbers[i].key, numbers[i].max, 0, &n[i], error))
			return -EINVAL;
		if (line_member(remote, numbers[i].key))
			m->given |= numbers[i].given;
	}
	m->remote.lid = (uint32_t)n[0];
	m->remote.qp = (uint32_t)n[1];
	m->remote.sl = (uint8_t)n[2];
	m->remote.pkey_index = (uint16_t)n[3];
	return 0;
}

int line_remote(struct madkit_json_message *m, const struct json_token *line, struct madkit_error *error)
{
	const struct json_token *remote = line_member(line, "remote");
	struct madkit_error reason = { .text = "" };
	const char *path, *gid, *guid, *name;
	struct line_entries entries = { 0 };

	if (!remote)
		return 0;
	if (!json_is(remote, SCAN_OBJECT))
		return json_error(error, "", "remote", "must be an object or null");
	json_each(key, remote) {
		struct nearest nearest;

		if (line_has_entry(&entries, ENVELOPE_REMOTE, key) || !strcmp(key->text, "guid"))
			continue;
		nearest = nearest_begin(key->text);
		nearest_try(&nearest, "guid");
		return line_unknown(ENVELOPE_REMOTE, "remote", "an address has none", &nearest, error);
	}
	if (line_remote_numbers(m, remote, error))
		return -EINVAL;
	if (line_text(remote, "remote", "path", &path, error) ||
	    line_text(remote, "remote", "gid", &gid, error) ||
	    line_text(remote, "remote", "guid", &guid, error) ||
	    line_text(remote, "remote", "name", &name, error))
		return -EINVAL;
	if (path && madkit_parse_path(path, &m->remote, &reason)) {
		/* the header also has the path, even if it is not valid */
		if (!(m->given & MADKIT_JSON_PRINTED) ||
		    !line_member(line_member(line, "header"), "initial_path"))
			return json_error(error, "remote", "path", "%s", reason.text);
		path = NULL;
	}
	if (gid && madkit_parse_gid(gid, m->remote.gid, &reason))
		return json_error(error, "remote", "gid", "%s", reason.text);
	if (guid && madkit_parse_guid(guid, &m->guid, &reason))
		return json_error(error, "remote", "guid", "%s", reason.text);
	m->remote.grh = gid;
	/* a name beside a LID or a route is only informative */
	if (path || m->remote.lid)
		name = NULL;
	m->given |= (path ? MADKIT_JSON_PATH : 0u) | (gid ? MADKIT_JSON_GID : 0u) |
		    (guid ? MADKIT_JSON_GUID : 0u) | (name ? MADKIT_JSON_NAME : 0u);
	m->name = name;
	return 0;
}

/* ---- the message ---------------------------------------------------------- */

int line_extend(struct madkit_buf *mad, size_t len)
{
	char *room;

	if (len <= mad->len)
		return 0;
	room = len <= LINE_MESSAGE_MAX ? madkit_buf_room(mad, len - mad->len) : NULL;
	if (!room)
		return len > LINE_MESSAGE_MAX ? -EFBIG : -ENOMEM;
	memset(room, 0, len - mad->len);
	mad->len = len;
	return 0;
}

int line_reach(struct madkit_buf *mad, size_t len, const char *scope, const char *key,
	       struct madkit_error *error)
{
	const uint8_t *p = (const uint8_t *)mad->data;
	size_t frame = madkit_mad_bytes(p[MADKIT_MAD_BASE_VERSION]);

	if (len > frame && len > mad->len && !madkit_class_is_rmpp(p[MADKIT_MAD_CLASS]))
		return json_error(error, scope, key, "extends to byte %zu: a MAD of this class has %zu bytes",
				  len, frame);
	if (len > LINE_MESSAGE_MAX)
		return json_error(error, scope, key, "extends to byte %zu: a message has at most %d bytes",
				  len, LINE_MESSAGE_MAX);
	return line_extend(mad, len);
}

/* ---- the header ------------------------------------------------------------ */

/* Reads class, method and attribute, by name, by number, or by both if they agree. */
static int json_get_names(const struct json_token *header, struct madkit_header *h,
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

/* Checks if the header of any class has this field, and it is not an entry of the envelope. */
static bool json_is_header_field(const struct json_token *name)
{
	struct madkit_place place;
	const char *key = name->text;
	size_t len = name->len, n;
	const struct madkit_class *classes = madkit_classes(&n);

	if (!madkit_place_find(&madkit_layout_header_dr, key, len, &place, NULL) ||
	    !madkit_place_find(&madkit_layout_header, key, len, &place, NULL))
		return !envelope_has_field(place.field);
	for (size_t i = 0; i < n; i++)
		if (classes[i].header && (!i || classes[i].header != classes[i - 1].header) &&
		    !madkit_place_find(classes[i].header, key, len, &place, NULL))
			return true;
	return false;
}

/* Called before the names are read: for "methd", the error must say that there is no such key, not that the
 * method is missing. */
static int check_header_keys(const struct json_token *header, struct madkit_error *error)
{
	struct line_entries entries = { 0 };

	json_each(key, header) {
		struct nearest nearest;
		size_t n;
		const struct madkit_class *classes;

		if (line_has_entry(&entries, ENVELOPE_HEADER, key) || json_is_header_field(key))
			continue;
		classes = madkit_classes(&n);
		nearest = nearest_begin(key->text);
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
	struct line_entries entries = { 0 };

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

		if (line_has_entry(&entries, ENVELOPE_HEADER, key))
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
	size_t data;
	int ret;

	if (check_header_keys(header, error) || json_get_names(header, &h, &in->message.attribute, error) ||
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
	/* the name of a register is its number */
	if (in->message.attribute && in->message.attribute->flags & MADKIT_ATTRIBUTE_READ_ONLY &&
	    h.modifier && h.modifier != in->message.attribute->modifier_value)
		return json_error(error, "header", "modifier", "%s is register 0x%x",
				  in->message.attribute->name, in->message.attribute->modifier_value);
	/* a row that was named sets the modifier, as in a command */
	if (in->message.attribute && !(h.modifier & in->message.attribute->modifier_mask))
		h.modifier |= in->message.attribute->modifier_value;
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
		ret = json_put_object(&target, rmpp, error);
	}
	in->message.attribute =
		madkit_attribute_of((uint8_t *)in->mad.data, in->mad.len, in->message.attribute);
	data = madkit_attribute_offset(h.base_version, h.mgmt_class, in->message.attribute);
	/* a printed line has all bits */
	if (!ret && in->message.attribute && data < in->mad.len && !line_member(line, "rest"))
		madkit_attribute_choose(in->message.attribute, (uint8_t *)in->mad.data + data,
					in->mad.len - data);
	return ret;
}
