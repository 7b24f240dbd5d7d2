/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looks up classes and attributes, by number and by name. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <madkit/num.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "util/word.h"
#include "wire/access.h"
#include "tables/tables.h"
#include "wire/wire_int.h"

#define class_each(class) \
	array_each(const struct madkit_class, class, madkit_class_table, ARRAY_SIZE(madkit_class_table))

/* ---- classes --------------------------------------------------------------- */

const struct madkit_class *madkit_classes(size_t *count)
{
	*count = ARRAY_SIZE(madkit_class_table);
	return madkit_class_table;
}

/* Returns the class as used by this vendor; for a vendor that is not in the tables, the shared one. */
static const struct madkit_class *class_of_vendor(uint8_t mgmt_class, uint32_t oui)
{
	const struct madkit_class *shared = NULL;

	class_each(class) {
		if (mgmt_class < class->id || mgmt_class > class->last)
			continue;
		if (class->oui == oui)
			return class;
		if (!class->oui)
			shared = class;
	}
	return shared;
}

const struct madkit_class *madkit_class_get(uint8_t mgmt_class)
{
	return class_of_vendor(mgmt_class, 0);
}

uint8_t madkit_class_version(uint8_t mgmt_class)
{
	const struct madkit_class *class = madkit_class_get(mgmt_class);

	return class ? class->version : 1;
}

const char *madkit_class_name(uint8_t mgmt_class, char buf[20])
{
	const struct madkit_class *class = madkit_class_get(mgmt_class);

	if (class && class->id == class->last)
		return class->name;
	snprintf(buf, 20, "%s0x%02x", class ? class->name : "Class", mgmt_class);
	return buf;
}

static int class_find(const char *name, size_t len, uint8_t *mgmt_class, struct madkit_error *error)
{
	uint64_t id;
	int ret;

	class_each(class) {
		if (!names_is(class->name, name, len) && !names_have(class->alias, name, len))
			continue;
		if (class->id != class->last)
			return madkit_error_set(error, -ENOENT, 0,
						"class '%.*s' is a range: give one class, as in %s0x%02x",
						clip(len), name, class->name, class->id);
		*mgmt_class = class->id;
		return 0;
	}
	/* the names of madkit_class_name(): Vendor0x32, Class0x50 */
	size_t prefix = 0;

	for (size_t i = 0; i + 1 < len && !prefix; i++)
		if (name[i] == '0' && (name[i + 1] | 0x20) == 'x')
			prefix = i;
	if (prefix) {
		char buf[20];

		if (!madkit_parse_number(name + prefix, len - prefix, 0xff, "class", &id, NULL) &&
		    strlen(madkit_class_name((uint8_t)id, buf)) == len &&
		    !strncasecmp(madkit_class_name((uint8_t)id, buf), name, len)) {
			*mgmt_class = (uint8_t)id;
			return 0;
		}
	}
	ret = madkit_parse_number(name, len, 0xff, "class", &id, NULL);
	if (ret)
		return madkit_error_set(error, -ENOENT, 0,
					ret == -ERANGE ? "class %.*s: a class is at most 0xff" :
							 "there is no class '%.*s'",
					clip(len), name);
	*mgmt_class = (uint8_t)id;
	return 0;
}

int madkit_class_find(const char *name, uint8_t *mgmt_class, struct madkit_error *error)
{
	return class_find(name, strlen(name), mgmt_class, error);
}

/* ---- attributes ------------------------------------------------------------ */

static const struct madkit_attribute *attribute_get(uint8_t base_version, uint8_t mgmt_class, uint32_t oui,
						    uint16_t id)
{
	const struct madkit_class *class = class_of_vendor(mgmt_class, oui);

	if (!class)
		return NULL;
	if (base_version == MADKIT_BASE_VERSION_OPA)
		/* other attributes of OPA are not those with the same ID */
		return id == MADKIT_ATTR_CLASS_PORT_INFO && !madkit_class_is_smi(mgmt_class) ?
			       &madkit_attribute_class_port_info_opa :
			       NULL;
	array_each(const struct madkit_attribute, row, class->attributes, class->nattributes)
		if (row->id == id)
			return row;
	return NULL;
}

const struct madkit_attribute *madkit_attribute_get(uint8_t base_version, uint8_t mgmt_class, uint16_t id)
{
	return attribute_get(base_version, mgmt_class, 0, id);
}

/* Returns the class with the row in its table, or NULL. */
static const struct madkit_class *class_of(const struct madkit_attribute *row)
{
	class_each(class) {
		if (row >= class->attributes && row < class->attributes + class->nattributes)
			return class;
	}
	return NULL;
}

static bool attribute_suits(const struct madkit_attribute *row, uint32_t modifier)
{
	return (modifier & row->modifier_mask) == row->modifier_value;
}

/* Returns the last row of the attribute that suits: rows for all modifiers come before those for one. mad: the data
 * chooses too; NULL: it is not known. */
static const struct madkit_attribute *attribute_suited(const struct madkit_attribute *row, uint32_t modifier,
						       const uint8_t *mad, size_t len)
{
	const struct madkit_class *class = class_of(row);
	const struct madkit_attribute *found = NULL;
	uint64_t value;

	array_each(const struct madkit_attribute, other, class ? class->attributes : row,
		   class ? class->nattributes : 1) {
		const struct madkit_field choice = { .offset = other->choice, .width = other->choice_width };

		if (other->id != row->id || !attribute_suits(other, modifier))
			continue;
		if (mad && choice.width &&
		    (len < class->offset ||
		     madkit_field_get(&choice, 0, mad + class->offset, len - class->offset, &value) ||
		     value != other->choice_value))
			continue;
		if (!found || other->modifier_mask != found->modifier_mask)
			found = other;
	}
	return found ? found : row;
}

const struct madkit_attribute *madkit_attribute_row(const struct madkit_attribute *attribute,
						    uint32_t modifier)
{
	return attribute_suits(attribute, modifier) ? attribute :
						      attribute_suited(attribute, modifier, NULL, 0);
}

const struct madkit_attribute *madkit_attribute_of(const uint8_t *mad, size_t len,
						   const struct madkit_attribute *wanted)
{
	const struct madkit_attribute *row;
	uint32_t modifier;

	if (len < MADKIT_HEADER_BYTES)
		return NULL;
	row = attribute_get(mad[MADKIT_MAD_BASE_VERSION], mad[MADKIT_MAD_CLASS], oui_get(mad, len),
			    get_be16(mad + MADKIT_MAD_ATTRIBUTE));
	if (!row)
		return NULL;
	modifier = get_be32(mad + MADKIT_MAD_MODIFIER);
	if (wanted && wanted->id == row->id && class_of(wanted) == class_of(row) &&
	    attribute_suits(wanted, modifier))
		return wanted;
	return attribute_suited(row, modifier, mad, len);
}

void madkit_attribute_choose(const struct madkit_attribute *attribute, uint8_t *data, size_t len)
{
	const struct madkit_field choice = { .offset = attribute->choice, .width = attribute->choice_width };
	const struct madkit_field preset = { .offset = attribute->preset, .width = attribute->preset_width };

	if (choice.width)
		madkit_field_put(&choice, 0, data, len, attribute->choice_value);
	if (preset.width)
		madkit_field_put(&preset, 0, data, len, attribute->preset_value);
}

const struct madkit_attribute *madkit_attribute_vendor(uint8_t mgmt_class, uint32_t oui, uint16_t id)
{
	return attribute_get(MADKIT_BASE_VERSION_IB, mgmt_class, oui, id);
}

uint32_t madkit_attribute_oui(const struct madkit_attribute *attribute)
{
	const struct madkit_class *class = class_of(attribute);

	return class ? class->oui : 0;
}

enum madkit_port_choice madkit_attribute_port(const struct madkit_attribute *attribute)
{
	const struct madkit_layout *layout = attribute->layout;

	for (unsigned int i = 0; layout && i < layout->nfields; i++)
		if (!strcmp(layout->fields[i].name, "PortSelect"))
			return MADKIT_PORT_FIELD;
	return attribute->modifier && !strcmp(attribute->modifier, "port") ? MADKIT_PORT_MODIFIER :
									     MADKIT_PORT_NONE;
}

/* Returns how many characters of the row's alias are before the colon, if the name has the same there, else 0. */
static size_t alias_begins(const struct madkit_attribute *row, const char *name, size_t len)
{
	const char *own = row->alias ? strchr(row->alias, ':') : NULL, *colon = memchr(name, ':', len);

	return own && colon && own - row->alias == colon - name &&
			       !strncasecmp(row->alias, name, (size_t)(colon - name)) ?
		       (size_t)(colon - name) :
		       0;
}

/* Checks if the alias has the number that the name has behind the same word: PPCNT:22 is PPCNT:0x16. */
static bool alias_is(const struct madkit_attribute *row, const char *name, size_t len)
{
	const size_t n = alias_begins(row, name, len);
	uint64_t own, value;

	return n &&
	       !madkit_parse_number(row->alias + n + 1, strlen(row->alias + n + 1), 0xff, "page", &own,
				    NULL) &&
	       !madkit_parse_number(name + n + 1, len - n - 1, 0xff, "page", &value, NULL) && own == value;
}

/* Reports that no row of the class (-1: any) has the number behind the word, and which numbers there are. Returns 0 if
 * no row has the word. */
static int alias_refuse(const char *name, int mgmt_class, struct madkit_error *error)
{
	char list[100] = "";
	size_t used = 0, n, word = 0;

	class_each(class) {
		if (mgmt_class >= 0 && (mgmt_class < class->id || mgmt_class > class->last))
			continue;
		array_each(const struct madkit_attribute, row, class->attributes, class->nattributes) {
			n = alias_begins(row, name, strlen(name));
			if (!n || used >= sizeof(list))
				continue;
			word = n;
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
						 row->alias + n + 1);
		}
	}
	return word ? madkit_error_set(error, -ENOENT, 0, "there is no attribute '%.24s': %.*s has %s", name,
				       clip(word), name, list) :
		      0;
}

static const struct madkit_attribute *attribute_named(const struct madkit_class *class, const char *name,
						      size_t len)
{
	array_each(const struct madkit_attribute, row, class->attributes, class->nattributes)
		if (names_is(row->name, name, len) || names_have(row->alias, name, len) ||
		    alias_is(row, name, len))
			return row;
	return NULL;
}

/* Searches the tables of a class. */
static const struct madkit_attribute *attribute_in_class(uint8_t mgmt_class, const char *name)
{
	const struct madkit_attribute *found = NULL;

	class_each(class)
		if (!found && mgmt_class >= class->id && mgmt_class <= class->last)
			found = attribute_named(class, name, strlen(name));
	return found;
}

/* Searches all classes with a name of their own. SubnMgtDR is omitted, because it has the attributes of
 * SubnMgt. Returns -EEXIST, with a list in error, if there are several. */
static int attribute_anywhere(const char *name, uint8_t *found_class,
			      const struct madkit_attribute **attribute, struct madkit_error *error)
{
	size_t len = strlen(name);
	char list[160] = "";
	size_t used = 0, n;
	bool cut = false;
	unsigned int found = 0;

	class_each(class) {
		const struct madkit_attribute *here;

		if (class->id != class->last || class->id == MADKIT_CLASS_SUBN_DR)
			continue;
		here = attribute_named(class, name, len);
		if (!here)
			continue;
		if (!found++) {
			*found_class = class->id;
			*attribute = here;
		}
		if (cut)
			continue;
		n = (size_t)snprintf(list + used, sizeof(list) - used, "%s%s:%s", found > 1 ? ", " : "",
				     class->name, here->name);
		cut = n >= sizeof(list) - used;
		used += cut ? 0 : n;
		list[used] = 0;
	}
	if (!found)
		return madkit_error_set(error, -ENOENT, 0, "there is no attribute '%.64s'", name);
	if (found > 1)
		return madkit_error_set(error, -EEXIST, 0, "several classes have '%.24s': %s%s", name, list,
					cut ? " ..." : "");
	return 0;
}

int madkit_attribute_find(const char *name, int mgmt_class, uint8_t *found_class, uint16_t *id,
			  const struct madkit_attribute **attribute, struct madkit_error *error)
{
	const struct madkit_attribute *found = NULL;
	/* an alias may have a colon: PDDR:3 */
	const bool whole = mgmt_class < 0 ? !attribute_anywhere(name, found_class, attribute, NULL) :
					    attribute_in_class((uint8_t)mgmt_class, name) != NULL;
	const char *colon = whole ? NULL : strchr(name, ':'), *start = name;
	uint8_t class = (uint8_t)mgmt_class;
	uint64_t value = 0;
	char buf[20];
	int ret;

	if (colon) {
		ret = alias_refuse(name, mgmt_class, error);
		if (ret)
			return ret;
		ret = class_find(name, (size_t)(colon - name), &class, error);
		if (ret)
			return ret;
		/* SubnMgt:PortInfo is also valid in a directed-route SMP */
		if (mgmt_class >= 0 && mgmt_class != class &&
		    (!madkit_class_is_smi(class) || !madkit_class_is_smi((uint8_t)mgmt_class)))
			return madkit_error_set(error, -EINVAL, 0, "'%.64s' is not of class %s", name,
						madkit_class_name((uint8_t)mgmt_class, buf));
		if (mgmt_class >= 0)
			class = (uint8_t)mgmt_class;
		name = colon + 1;
	} else if (mgmt_class < 0) {
		ret = attribute_anywhere(name, &class, &found, error);
		if (ret == -ENOENT &&
		    !madkit_parse_number(name, strlen(name), 0xffff, "attribute", &value, NULL))
			return madkit_error_set(error, -ENOENT, 0,
						"attribute %.64s: a number needs a class, as in SubnMgt:0x11",
						name);
		if (ret)
			return ret;
	}
	/* a vendor's class, if given by its name, has its own attributes */
	class_each(own)
		if (!found && colon && own->oui && names_is(own->name, start, (size_t)(colon - start)))
			found = attribute_named(own, name, strlen(name));
	if (!found)
		found = attribute_in_class(class, name);
	if (found) {
		value = found->id;
	} else {
		ret = madkit_parse_number(name, strlen(name), 0xffff, "attribute", &value, NULL);
		if (ret)
			return madkit_error_set(
				error, -ENOENT, (int)(name - start),
				ret == -ERANGE ?
					"attribute %.64s of class %s: an attribute is at most 0xffff" :
					"there is no attribute '%.64s' in class %s",
				name, madkit_class_name(class, buf));
		found = madkit_attribute_get(MADKIT_BASE_VERSION_IB, class, (uint16_t)value);
	}
	*found_class = class;
	*id = (uint16_t)value;
	*attribute = found;
	return 0;
}

/* SMPs of OPA are longer (struct opa_smp of the kernel): they have 32-bit LIDs, and the paths are before the
 * data. */
enum {
	OPA_SMP_DATA = 32,
	OPA_SMP_DR_DATA = 176,
	/* performance management has no reserved bytes before its data */
	OPA_PERF_DATA = MADKIT_HEADER_BYTES,
};

size_t madkit_attribute_offset(uint8_t base_version, uint8_t mgmt_class,
			       const struct madkit_attribute *attribute)
{
	const struct madkit_class *class = madkit_class_get(mgmt_class);

	if (base_version == MADKIT_BASE_VERSION_OPA && madkit_class_is_smi(mgmt_class))
		return mgmt_class == MADKIT_CLASS_SUBN ? OPA_SMP_DATA : OPA_SMP_DR_DATA;
	if (base_version == MADKIT_BASE_VERSION_OPA && mgmt_class == MADKIT_CLASS_PERF)
		return OPA_PERF_DATA;
	if (attribute && attribute->offset)
		return attribute->offset;
	return class ? class->offset : madkit_class_data_offset(mgmt_class);
}

const struct madkit_layout *layout_of_header(uint8_t mgmt_class)
{
	return mgmt_class == MADKIT_CLASS_SUBN_DR ? &madkit_layout_header_dr : &madkit_layout_header;
}

const struct madkit_layout *layout_of_class_header(const uint8_t *mad, size_t len)
{
	const struct madkit_class *class;
	uint8_t id;

	if (!mad || len < MADKIT_HEADER_BYTES)
		return NULL;
	id = mad[MADKIT_MAD_CLASS];
	/* OPA has its directed route at another place, but not its M_Key */
	if (id == MADKIT_CLASS_SUBN_DR && mad[MADKIT_MAD_BASE_VERSION] == MADKIT_BASE_VERSION_OPA)
		id = MADKIT_CLASS_SUBN;
	class = madkit_class_get(id);
	return class ? class->header : NULL;
}
