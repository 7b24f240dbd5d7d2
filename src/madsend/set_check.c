/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "request/request_fields.h"
#include "set_check.h"
#include "util/array_size.h"

enum { SET_VALUE_BYTES = 48 };

#define SET_EXTENDED (UINT32_C(1) << 31)

/* A Set and its response. */
struct set_pair {
	const struct request *request;
	const struct madkit_message *response;
	const uint8_t *asked, *got; /* data of the attribute */
	size_t asked_len, got_len;
};

/* ---- which fields are compared ------------------------------------------------------- */

/* Checks if the response to a Set of the attribute has other data: the state of the responder, or the result
 * of an operation. */
static bool set_is_operation(const struct request *r)
{
	static const char *const names[] = { "SMInfo",
					     "Notice",
					     "MlnxConfigSpaceAccess",
					     "MlnxConfigSpaceRecords",
					     "MlnxRegisterAccess",
					     "MlnxSemaphoreLock" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(r->attribute->name, names[i]))
			return true;
	return false;
}

static bool set_is_compared(const struct request *r, const struct answer *a)
{
	return r->header.method == MADKIT_METHOD_SET && a->status == EXIT_DONE &&
	       a->message.kind == MADKIT_MESSAGE_RESPONSE && r->attribute && r->attribute->layout &&
	       (r->smp || r->header.mgmt_class == MADKIT_CLASS_CC) && !set_is_operation(r);
}

/* Fields of PortInfo and SwitchInfo that are commands (order), and values that are not stored as they are: 0
 * means "no change" in all of them, all means "as supported", and none means "disabled" (IBA volume 1, section
 * 14.2.5.6). */
static const struct {
	const char *attribute, *field;
	bool order;
	uint64_t all, none;
} set_fields[] = {
	{ "PortInfo", "LinkState", true, 0, 0 },
	{ "PortInfo", "PhysLinkState", true, 0, 0 },
	{ "PortInfo", "ClientReregister", true, 0, 0 },
	{ "SwitchInfo", "StateChange", true, 0, 0 },
	{ "PortInfo", "LinkWidthEnabled", false, 0xff, 0 },
	{ "PortInfo", "LinkSpeedEnabled", false, 0xf, 0 },
	{ "PortInfo", "LinkSpeedExtEnabled", false, 31, 30 },
	{ "PortInfo", "LinkSpeedExtEnabled2", false, 7, 6 },
	{ "PortInfo", "LinkDownDefState", false, 0, 0 },
	{ "PortInfo", "NeighborMTU", false, 0, 0 },
	{ "PortInfo", "OperVLs", false, 0, 0 },
};

static bool set_is_special(const struct set_pair *s, const struct madkit_field *field, uint64_t asked)
{
	for (size_t i = 0; i < ARRAY_SIZE(set_fields); i++)
		if (!strcmp(set_fields[i].attribute, s->request->attribute->name) &&
		    !strcmp(set_fields[i].field, field->name))
			return set_fields[i].order || !asked || asked == set_fields[i].all ||
			       asked == set_fields[i].none;
	return madkit_field_is_secret(field);
}

/* ---- comparing ----------------------------------------------------------------------- */

/* Checks if an element has the value that was set. base: bits from the start of the data to the field's
 * layout. */
static bool set_element_holds(const struct set_pair *s, const struct madkit_field *field, unsigned int index,
			      uint32_t base)
{
	const size_t at = base / 8, first = at + madkit_field_offset(field, index) / 8, n = field->width / 8;
	uint64_t asked, got;

	if (at > s->asked_len || at > s->got_len)
		return true;
	if (field->width > 64)
		return first + n > s->asked_len || first + n > s->got_len ||
		       !memcmp(s->asked + first, s->got + first, n);
	if (madkit_field_get(field, index, s->asked + at, s->asked_len - at, &asked) ||
	    madkit_field_get(field, index, s->got + at, s->got_len - at, &got))
		return true;
	return asked == got || set_is_special(s, field, asked);
}

static bool set_place_holds(const struct set_pair *s, const struct madkit_place *place)
{
	const unsigned int count = !place->whole   ? 1 :
				   place->elements ? place->elements :
						     madkit_field_count(place->field);
	const unsigned int repeat = place->repeat ? place->repeat : 1;

	for (unsigned int k = 0; k < repeat; k++)
		for (unsigned int i = 0; i < count; i++)
			if (!set_element_holds(s, place->field, place->index + i,
					       place->base + k * place->repeat_stride))
				return false;
	return true;
}

/* ---- reporting ----------------------------------------------------------------------- */

/* Returns the value of a field as text output shows it, without its name. */
static const char *set_value_text(const struct madkit_message *m, const char *path,
				  char text[SET_VALUE_BYTES])
{
	struct madkit_format format = { .fields = NULL };
	struct madkit_projection *one = NULL;
	struct madkit_buf buf;
	const char *value;
	int ret;

	snprintf(text, SET_VALUE_BYTES, "another value");
	if (madkit_projection_new(path, &one, NULL))
		return text;
	format.fields = one;
	madkit_buf_init(&buf, 0);
	ret = madkit_format_text(&buf, m, &format);
	madkit_buf_char(&buf, '\0');
	if (ret >= 0 && !buf.error && (value = strchr(buf.data, '\n')) && (value = strstr(value, ":."))) {
		value += 1 + strspn(value + 1, ".");
		snprintf(text, SET_VALUE_BYTES, "%.*s", (int)strcspn(value, "\n"), value);
	}
	madkit_buf_free(&buf);
	madkit_projection_free(one);
	return text;
}

static void set_tell(const struct set_pair *s, const struct madkit_place *place)
{
	const struct request *r = s->request;
	const struct madkit_message asked = {
		.kind = MADKIT_MESSAGE_REQUEST, .attribute = r->attribute, .mad = r->mad, .len = r->len
	};
	char asked_text[SET_VALUE_BYTES], got_text[SET_VALUE_BYTES];

	cli_say("Set %s: %s is %s, not %s as requested", r->attribute_name, place->path,
		set_value_text(s->response, place->path, got_text),
		set_value_text(&asked, place->path, asked_text));
	if (!strcmp(r->attribute->name, "PortInfo") && !(r->header.modifier & SET_EXTENDED) &&
	    !strncmp(place->field->name, "LinkSpeedExt", 12))
		cli_say("hint: bit 31 of the modifier sets extended speeds: -m 0x%" PRIx32 ", or --merge",
			r->header.modifier | SET_EXTENDED);
}

int set_check(const struct request *r, const struct answer *a)
{
	struct madkit_record record;
	struct set_pair s = { .request = r, .response = &a->message };
	int status = EXIT_DONE;

	if (!set_is_compared(r, a))
		return EXIT_DONE;
	madkit_record_get(&a->message, 0, &record);
	s.asked = r->mad + r->data_offset;
	s.asked_len = r->data_len;
	s.got = record.data;
	s.got_len = record.data ? record.len : 0;
	for (int i = 0; i < r->nfields; i++) {
		const char *word = r->fields[i];
		struct madkit_place place;

		if (request_is_data(r, word) ||
		    madkit_attribute_place(r->attribute, s.asked, s.asked_len, word, strcspn(word, "="),
					   &place, NULL) ||
		    set_place_holds(&s, &place))
			continue;
		set_tell(&s, &place);
		status = EXIT_NOTHING;
	}
	return status;
}

void set_extended(struct request *r, const struct madkit_message *get)
{
	static const char *const supported[] = { "LinkSpeedExtSupported", "LinkSpeedExtSupported2" };
	struct madkit_record record;
	uint64_t value, all = 0;

	if (!r->smp || r->header.attribute != MADKIT_ATTR_PORT_INFO)
		return;
	madkit_record_get(get, 0, &record);
	if (!madkit_record_value(&record, "CapMask", &value))
		all |= value & MADKIT_CAP_MASK_IS_EXTENDED_SPEEDS_SUPPORTED;
	/* the mask of a switch is in its port 0 only */
	for (size_t i = 0; i < ARRAY_SIZE(supported); i++)
		if (!madkit_record_value(&record, supported[i], &value))
			all |= value;
	if (!all)
		return;
	r->header.modifier |= SET_EXTENDED;
	madkit_header_put(r->mad, r->len, &r->header);
}
