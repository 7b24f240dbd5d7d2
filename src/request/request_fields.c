/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "request_fields.h"
#include "cli/suggest.h"
#include "util/array_size.h"

/* ---- what a word names ----------------------------------------------------------- */

/* Finds a field. Which fields exist may depend on the data that is set so far. */
static int find_field(const struct request *r, const char *name, size_t len, struct madkit_place *place)
{
	return madkit_attribute_place(r->attribute, r->mad + r->data_offset, r->data_len, name, len, place,
				      NULL);
}

/* Checks if PortSelect selects the port, and the modifier has no meaning. */
static bool request_has_port_select(const struct request *r)
{
	return r->attribute && !r->attribute->modifier &&
	       madkit_attribute_port(r->attribute) == MADKIT_PORT_FIELD;
}

bool request_is_data(const struct request *r, const char *word)
{
	struct madkit_place place;

	if (strncasecmp(word, "data=", 5))
		return false;
	return !strncmp(word, "data=", 5) || !r->attribute || !r->attribute->layout ||
	       madkit_attribute_place(r->attribute, NULL, 0, word, 4, &place, NULL);
}

bool request_names_port(const struct request *r)
{
	for (int i = 0; i < r->nfields; i++) {
		const char *text = r->fields[i];
		size_t n = strcspn(text, "=");
		struct madkit_place place;

		if (request_is_data(r, text) ||
		    (!find_field(r, text, n, &place) && !strcmp(place.field->name, "PortSelect")))
			return true;
	}
	return false;
}

/* ---- the error in a word ---------------------------------------------------- */

int request_check_modifier(const struct request *r)
{
	const uint32_t modifier = r->attribute ? r->header.modifier & ~r->attribute->modifier_mask : 0;
	uint64_t port;

	if (!modifier || !request_has_port_select(r) || request_value(r, "PortSelect", &port) || port)
		return 0;
	return cli_usage_error("%s has no modifier: the port is PortSelect=%u", r->attribute_name, modifier);
}

/* Returns the row of the tables that the data of a register chooses, or NULL. */
static const struct madkit_attribute *register_row(const struct request *r, uint64_t choice)
{
	const struct madkit_class *class = madkit_class_get(r->header.mgmt_class);

	for (size_t i = 0; class && i < class->nattributes; i++) {
		const struct madkit_attribute *a = &class->attributes[i];

		if (a->id == r->attribute->id && a->modifier_value == r->attribute->modifier_value &&
		    a->choice_width && a->choice_value == choice)
			return a;
	}
	return NULL;
}

/* Returns the name of the field that chooses a page or a group of a register. */
static const char *register_choice_name(const struct madkit_attribute *a)
{
	unsigned int i = 0;

	while (i + 1 < a->layout->nfields &&
	       (a->layout->fields[i].offset != a->choice || a->layout->fields[i].width != a->choice_width))
		i++;
	return a->layout->fields[i].name;
}

static int register_clear_named(void *context, const struct madkit_item *item)
{
	const struct madkit_field bits = { .offset = item->bit, .width = item->field->width };
	uint8_t *rest = context;

	if (item->event != MADKIT_WALK_FIELD || item->field->kind == MADKIT_KIND_RESERVED)
		return 0;
	if (item->field->width > 64)
		memset(rest + item->bit / 8, 0, item->field->width / 8);
	else
		madkit_field_put(&bits, 0, rest, MADKIT_FRAME_BYTES, 0);
	return 0;
}

/* Rejects bits that no field has, such as those that clear counters. */
static int register_check_rest(const struct request *r, struct madkit_error *error)
{
	uint8_t rest[MADKIT_FRAME_BYTES] = { 0 };
	const size_t len = r->data_len < sizeof(rest) ? r->data_len : sizeof(rest);
	const struct madkit_layout *layout = r->attribute->layout;

	memcpy(rest, r->mad + r->data_offset, len);
	madkit_walk(layout, r->mad + r->data_offset, len < layout->bytes ? len : layout->bytes,
		    register_clear_named, rest);
	for (size_t i = 0; i < len; i++)
		if (rest[i])
			return madkit_error_set(error, -EINVAL, -1,
						"%s %s: no field has the bits 0x%02x of byte %zu",
						r->method_name, r->attribute_name, rest[i],
						r->data_offset + i);
	return 0;
}

int request_check_register(const struct request *r, struct madkit_error *error)
{
	const struct madkit_attribute *a = r->attribute;
	const struct madkit_attribute *other;
	uint64_t choice;

	if (!a || !(a->flags & MADKIT_ATTRIBUTE_READ_ONLY) || r->header.method & MADKIT_METHOD_RESPONSE)
		return 0;
	if (r->header.method != MADKIT_METHOD_GET)
		return madkit_error_set(error, -EINVAL, -1, "%s %s: Get is the only method of a register",
					r->method_name, r->attribute_name);
	if (!r->mad)
		return 0;
	if (!a->choice_width ||
	    madkit_field_get(&(struct madkit_field){ .offset = a->choice, .width = a->choice_width }, 0,
			     r->mad + r->data_offset, r->data_len, &choice) ||
	    choice == a->choice_value)
		return register_check_rest(r, error);
	other = register_row(r, choice);
	return madkit_error_set(error, -EINVAL, -1, "%s has %s=%u: %" PRIu64 " is %s", r->attribute_name,
				register_choice_name(a), a->choice_value, choice,
				other ? other->name : "not an attribute");
}

void request_hint_register(const struct request *r)
{
	cli_insist(
		"hint: --class Mlnx -m 0x%x %s AccessRegisterGMP data=HEX sends any bytes: madkit-attributes(7)",
		r->attribute->modifier_value, r->method_name);
}

/* Reports an error of madkit_attribute_set(), with a similar name if the name is not known. Returns
 * EXIT_USAGE. */
static int field_error(const struct request *r, const char *name, const struct madkit_error *error)
{
	char near[SUGGESTION_MAX] = "";
	struct madkit_place place;
	bool prefixed = !strncmp(error->text, r->attribute_name, strlen(r->attribute_name));
	/* -EINVAL: the name is known, but its index is wrong */
	int found = madkit_attribute_place(r->attribute, NULL, 0, name, strlen(name), &place, NULL);

	if (!found && place.field->values && error->code == -EINVAL) {
		cli_insist("%s%s%s (madsend --describe %s lists all names)",
			   prefixed ? "" : r->attribute_name, prefixed ? "" : ": ", error->text,
			   r->attribute_name);
		return EXIT_USAGE;
	}
	if (found != -ENOENT)
		return cli_usage_error("%s%s%s", prefixed ? "" : r->attribute_name, prefixed ? "" : ": ",
				       error->text);
	suggest_field(name, r->attribute->layout, near);
	cli_insist("%s%s%s%s (see madsend --describe %s)", prefixed ? "" : r->attribute_name,
		   prefixed ? "" : ": ", error->text, near, r->attribute_name);
	return EXIT_USAGE;
}

/* Reports a word without '='. In infiniband-diags, the port is a separate word. */
static int request_not_a_field(const struct request *r, const char *word)
{
	char option[SUGGESTED_ADDRESS_MAX], text[SUGGESTED_ADDRESS_MAX];
	uint64_t port;

	if (!madkit_parse_number(word, strlen(word), UINT8_MAX, "port", &port, NULL)) {
		if (r->attribute && madkit_attribute_port(r->attribute) == MADKIT_PORT_MODIFIER)
			return cli_usage_error("'%s' is not Field=value: the port is -m %s", word, word);
		if (request_has_port_select(r))
			return cli_usage_error("'%s' is not Field=value: the port is PortSelect=%s", word,
					       word);
	}
	if (!destination_given(&r->destination) && suggest_address(word, option, text))
		return cli_usage_error("'%s' is not Field=value; %s", word, text);
	return cli_usage_error("'%s' is not Field=value", word);
}

/* ---- setting them ------------------------------------------------------------------- */

/* The fields that the words have set so far. */
struct given {
	uint8_t bits[MADKIT_FRAME_BYTES]; /* of the data */
	uint64_t mask;                    /* SA components */
	bool data;                        /* data=HEX */
	bool select_all;                  /* CounterSelect=all */
};

/* When a word is set: the values of earlier ones may determine which fields exist, and in which unit. */
enum given_pass { GIVEN_COMMON, GIVEN_CHOSEN, GIVEN_UNITS, GIVEN_PASSES };

/* Returns the pass of a field: of those that the attribute always has, those that it has only with certain data, or
 * those with a unit that depends on another field. */
static enum given_pass given_pass(const struct madkit_layout *layout, const char *name)
{
	struct madkit_place place;
	int ret = madkit_place_find(layout, name, strlen(name), &place, NULL);

	if (ret == -ENOENT)
		return GIVEN_CHOSEN;
	return !ret && place.field->unit && place.field->unit->other ? GIVEN_UNITS : GIVEN_COMMON;
}

/* Sets the field that word i names, in its pass. Returns 0 or EXIT_USAGE. */
static int set_field(struct request *r, int i, enum given_pass pass, struct given *given)
{
	const struct madkit_layout *layout = r->attribute ? r->attribute->layout : NULL;
	struct madkit_error error = { .text = "" };
	struct madkit_place place;
	char name[MADKIT_PATH_MAX];
	const char *value = strchr(r->fields[i], '=');
	size_t n;

	if (!value)
		return request_not_a_field(r, r->fields[i]);
	n = (size_t)(value++ - r->fields[i]);
	if (request_is_data(r, r->fields[i])) {
		given->data = true;
		return 0;
	}
	snprintf(name, sizeof(name), "%.*s", (int)n, r->fields[i]);
	if (!layout)
		return cli_usage_error("no table knows the fields of %s: '%s' cannot be set; give data=HEX",
				       r->attribute_name, name);
	if (given_pass(layout, name) != pass)
		return 0;
	if (madkit_attribute_set(r->attribute, r->mad + r->data_offset, r->data_len, name, value, &place,
				 &error))
		return field_error(r, name, &error);
	if (madkit_place_given(&place, given->bits, sizeof(given->bits)))
		return cli_usage_error("%s: %s is given twice", r->attribute_name, name);
	madkit_place_mark(&place, given->bits, sizeof(given->bits));
	given->mask |= madkit_place_mask(&place);
	if (!strcmp(place.field->name, "CounterSelect") && !strcasecmp(value, "all"))
		given->select_all = true;
	return 0;
}

/* CounterSelect=all selects every counter of the attribute, also those of CounterSelect2. */
static void request_select_all(struct request *r, const struct given *given)
{
	static const char name[] = "CounterSelect2";
	struct madkit_place place;

	if (given->select_all && !given->data && !find_field(r, name, sizeof(name) - 1, &place) &&
	    !madkit_place_given(&place, given->bits, sizeof(given->bits)))
		madkit_attribute_set(r->attribute, r->mad + r->data_offset, r->data_len, name, "all", NULL,
				     NULL);
}

/* Checks if one of the words selects the counters that a Set resets. */
static bool request_names_counters(const struct request *r, const struct given *given)
{
	static const char *const names[] = { "CounterSelect", "CounterSelect2" };
	struct madkit_place place;

	for (size_t i = 0; r->attribute && i < ARRAY_SIZE(names); i++)
		if (!find_field(r, names[i], strlen(names[i]), &place) &&
		    madkit_place_given(&place, given->bits, sizeof(given->bits)))
			return true;
	return given->data;
}

/* Writes the component mask: that of the options, or of the given fields. Returns 0 or EXIT_USAGE. */
static int request_put_mask(const struct cli_options *o, struct request *r, uint64_t mask)
{
	struct madkit_error error = { .text = "" };

	if (o->request.have_comp_mask)
		mask = o->request.comp_mask;
	else if (mask && !(r->header.method & MADKIT_METHOD_RESPONSE) &&
		 madkit_select_components(r->attribute->layout, r->mad + r->data_offset, r->data_len, &mask,
					  &error))
		return cli_usage_error("%s: %s", r->attribute_name, error.text);
	request_put_header(r, "component_mask", mask);
	return 0;
}

int request_set_fields(const struct cli_options *o, struct request *r)
{
	struct given given = { .mask = 0 };
	struct madkit_error error = { .text = "" };
	int ret = 0;

	for (enum given_pass pass = 0; pass < GIVEN_PASSES; pass++)
		for (int i = 0; i < r->nfields && !ret; i++)
			ret = set_field(r, i, pass, &given);
	if (ret)
		return ret;
	request_select_all(r, &given);
	if (request_need_select(o, r, request_names_counters(r, &given), &error))
		return cli_usage_error("%s: %s", r->attribute_name, error.text);
	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		return request_put_mask(o, r, given.mask);
	if (o->request.have_comp_mask)
		return cli_usage_error("%s has no component mask: --comp-mask is for the SA",
				       r->attribute_name);
	return 0;
}

/* ---- whether they are all ------------------------------------------------------------- */

/* Returns the number of elements that a value lists. */
static unsigned int request_elements(const char *value)
{
	unsigned int n = 1;

	while ((value = strchr(value, ','))) {
		value++;
		n++;
	}
	return n;
}

/* Checks if one of the words sets all of a field that is not nested. */
static bool request_is_given(const struct request *r, const struct madkit_field *field)
{
	for (int i = 0; i < r->nfields; i++) {
		const char *text = r->fields[i];
		size_t n = strcspn(text, "=");
		struct madkit_place place;

		if (text[n] && field->kind != MADKIT_KIND_STRUCT &&
		    !madkit_place_find(r->attribute->layout, text, n, &place, NULL) && place.field == field &&
		    (!field->count || (place.whole && request_elements(text + n + 1) == field->count)))
			return true;
	}
	return false;
}

bool request_is_whole(const struct request *r)
{
	const struct madkit_layout *layout = r->attribute ? r->attribute->layout : NULL;

	for (unsigned int i = 0; layout && i < layout->nfields; i++)
		if (layout->fields[i].kind != MADKIT_KIND_RESERVED &&
		    !request_is_given(r, &layout->fields[i]))
			return false;
	return layout != NULL;
}
