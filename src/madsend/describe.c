/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "describe.h"
#include "cli/suggest.h"
#include "util/array_size.h"

/* Describes a class, or one of its attributes. OPA's ClassPortInfo, which all classes share, is listed with
 * the SA's. */
static int describe_one(struct madkit_buf *buf, bool json, const struct madkit_class *mgmt_class,
			const struct madkit_attribute *attribute)
{
	const struct madkit_attribute *opa =
		madkit_attribute_get(MADKIT_BASE_VERSION_OPA, mgmt_class->id, MADKIT_ATTR_CLASS_PORT_INFO);
	int ret = json ? madkit_describe_json(buf, mgmt_class, attribute) :
			 madkit_describe_text(buf, mgmt_class, attribute);

	if (ret < 0 || !opa || mgmt_class->id != MADKIT_CLASS_SA || (attribute && attribute->id != opa->id))
		return ret;
	return json ? madkit_describe_json(buf, mgmt_class, opa) : madkit_describe_text(buf, mgmt_class, opa);
}

static int describe_all(struct madkit_buf *buf, const struct cli_options *o)
{
	size_t count;
	const struct madkit_class *classes = madkit_classes(&count);
	int ret = 0;

	for (size_t i = 0; i < count && ret >= 0; i++)
		if (!o->class.given || (o->class.id >= classes[i].id && o->class.id <= classes[i].last))
			ret = describe_one(buf, o->output.format == FORMAT_JSON, &classes[i], NULL);
	return ret;
}

/* Describes an attribute by its name, for each class that has it. */
static int describe_named(struct madkit_buf *buf, const struct cli_options *o, const char *name, bool *found,
			  struct madkit_error *error)
{
	size_t count;
	const struct madkit_class *classes = madkit_classes(&count);
	const struct madkit_attribute *attribute;
	uint8_t id;
	uint16_t number;
	int ret = madkit_attribute_find(name, o->class.given ? o->class.id : -1, &id, &number, &attribute,
					error);
	bool any = ret == -EEXIST;

	if (ret && !any)
		return 0;
	*found = true;
	ret = 0;
	for (size_t i = 0; i < count && ret >= 0; i++) {
		if (any && madkit_attribute_find(name, classes[i].id, &id, &number, &attribute, NULL))
			continue;
		if (!any && (id < classes[i].id || id > classes[i].last ||
			     (attribute && madkit_attribute_oui(attribute) != classes[i].oui)))
			continue;
		if (!attribute) {
			*found = false;
			madkit_error_set(error, -ENOENT, -1, "unknown attribute 0x%04x", number);
			continue;
		}
		ret = describe_one(buf, o->output.format == FORMAT_JSON, &classes[i], attribute);
	}
	return ret;
}

/* Describes all attributes of a class by its name. Returns false if no class has the name. */
static bool describe_class(struct madkit_buf *buf, bool json, const char *name)
{
	size_t count;
	const struct madkit_class *classes = madkit_classes(&count);
	uint8_t id = 0;
	bool known = !madkit_class_find(name, &id, NULL);

	/* a number is an attribute whose class is missing */
	if (*name >= '0' && *name <= '9')
		return false;
	for (size_t k = 0; k < 2 * count; k++) {
		size_t i = k % count;

		/* also a range of classes, although no MAD belongs to all of them; and one vendor's use of a
		 * class in preference to that of all vendors */
		if (k < count ? strcasecmp(classes[i].name, name) != 0 :
				!known || id < classes[i].id || id > classes[i].last)
			continue;
		describe_one(buf, json, &classes[i], NULL);
		return true;
	}
	return false;
}

/* Reports a word that is not an attribute, as a field or a typing error. Returns EXIT_USAGE. */
static int describe_none(const char *name, int mgmt_class, const struct madkit_error *error)
{
	size_t count, used = 0;
	const struct madkit_class *classes = madkit_classes(&count);
	char near[SUGGESTION_MAX], list[300] = "";

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < classes[i].nattributes; j++) {
			const struct madkit_attribute *a = &classes[i].attributes[j];
			struct madkit_place place;

			if (classes[i].id == MADKIT_CLASS_SUBN_DR || !a->layout ||
			    madkit_place_find(a->layout, name, strlen(name), &place, NULL) ||
			    used >= sizeof(list) || strstr(list, a->name))
				continue;
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
						 a->name);
		}
	if (used)
		return cli_usage_error("'%s' is a field of %s%s", name, list,
				       used < sizeof(list) ? "" : " ...");
	return cli_usage_error("%s%s", error->text, suggest_attribute(name, mgmt_class, near));
}

/* Describes an object of JSON lines. Returns false if none has the name. */
static bool describe_object(struct madkit_buf *buf, bool json, const char *name)
{
	const struct madkit_attribute *const objects[] = { madkit_sweep_attribute(),
							   madkit_health_attribute(),
							   madkit_difference_attribute() };

	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		if (strcasecmp(name, objects[i]->name) != 0)
			continue;
		if (json)
			madkit_describe_json(buf, NULL, objects[i]);
		else
			madkit_describe_text(buf, NULL, objects[i]);
		return true;
	}
	return false;
}

int describe(const struct cli_options *o, const struct cli_words *w, struct output *out)
{
	struct madkit_error error = { .text = "" };
	bool found = !w->nwords;
	int ret;

	if (w->nwords > 1)
		return cli_usage_error("--describe accepts one ATTRIBUTE, not also '%s'", w->words[1]);
	if (o->output.format != FORMAT_TEXT && o->output.format != FORMAT_JSON)
		return cli_usage_error("--describe is text or JSON");
	if (w->nwords && describe_object(&out->buf, o->output.format == FORMAT_JSON, w->words[0]))
		return out->buf.error ? cli_no_memory() : output_flush(out);
	if (w->nwords)
		ret = describe_named(&out->buf, o, w->words[0], &found, &error);
	else
		ret = describe_all(&out->buf, o);
	if (!found && !describe_class(&out->buf, o->output.format == FORMAT_JSON, w->words[0]))
		return describe_none(w->words[0], o->class.given ? o->class.id : -1, &error);
	if (ret >= 0 && !out->buf.len)
		return cli_usage_error("unknown class 0x%02x", o->class.id);
	if (ret < 0) {
		return cli_insist("%s", strerror(-ret));
	}
	return output_flush(out);
}
