/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the members of a line. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "json/line.h"
#include "json/value.h"

bool line_has_entry(enum envelope_group group, const struct json_token *key)
{
	for (size_t i = 0; group == ENVELOPE_TOP && envelope_groups[i]; i++)
		if (!strcmp(envelope_groups[i], key->text))
			return true;
	for (unsigned int id = 0; id < ENVELOPE_N; id++) {
		const struct envelope_entry *e = &envelope_entries[id];

		if (e->group == group && e->key_len == key->len &&
		    !memcmp(e->name + e->key, key->text, key->len))
			return true;
	}
	return false;
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

int line_remote(struct madkit_json_message *m, const struct json_token *line, struct madkit_error *error)
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
	const struct json_token *remote = line_member(line, "remote");
	uint64_t n[4];
	struct madkit_error reason = { .text = "" };
	const char *path, *gid, *guid, *name;

	if (!remote)
		return 0;
	if (!json_is(remote, SCAN_OBJECT))
		return json_error(error, "", "remote", "must be an object or null");
	json_each(key, remote) {
		struct nearest nearest = nearest_begin(key->text);

		if (line_has_entry(ENVELOPE_REMOTE, key) || !strcmp(key->text, "guid"))
			continue;
		nearest_try(&nearest, "guid");
		return line_unknown(ENVELOPE_REMOTE, "remote", "an address has none", &nearest, error);
	}
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
	if (path || n[0])
		name = NULL;
	m->given |= (path ? MADKIT_JSON_PATH : 0u) | (gid ? MADKIT_JSON_GID : 0u) |
		    (guid ? MADKIT_JSON_GUID : 0u) | (name ? MADKIT_JSON_NAME : 0u);
	m->name = name;
	return 0;
}
