/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of differences, and a difference as a record. */
#include <string.h>
#include <madkit/compare.h>
#include "util/array_size.h"
#include "wire/object.h"
#include "wire/tables/tables.h"

static const struct madkit_difference_kind difference_kinds[] = {
	{ "subnet", MADKIT_SEVERITY_WARNING, "the subnet prefix is another one",
	  "compare with a plan of this subnet" },
	{ "replaced", MADKIT_SEVERITY_INFO, "another node is at the position of a node that is gone",
	  "if it is intended, renew the plan" },
	{ "moved", MADKIT_SEVERITY_CRITICAL, "all cables of a node are at other places",
	  "move the cable back, or renew the plan" },
	{ "swapped", MADKIT_SEVERITY_WARNING, "two cables are exchanged at one end",
	  "exchange the cables, or renew the plan" },
	{ "recabled", MADKIT_SEVERITY_CRITICAL, "a cable leads from a port to another port than planned",
	  "connect the cable as planned, or renew the plan" },
	{ "node-gone", MADKIT_SEVERITY_WARNING, "a planned node is not in the subnet",
	  "check its power and its cables" },
	{ "node-new", MADKIT_SEVERITY_INFO, "a node is not in the plan", "renew the plan" },
	{ "link-gone", MADKIT_SEVERITY_CRITICAL, "a planned link is down",
	  "check the cable, and whether a port is disabled: madport PLACE" },
	{ "link-new", MADKIT_SEVERITY_INFO, "a link is not in the plan", "renew the plan" },
	{ "split", MADKIT_SEVERITY_WARNING, "a switch has another number of ports than planned",
	  "check whether its ports are split; then renew the plan" },
	{ "rate", MADKIT_SEVERITY_WARNING, "a link has another rate than planned",
	  "see the port and its cable: madport PLACE" },
	{ "renamed", MADKIT_SEVERITY_INFO, "a node has another name than planned", "renew the plan" },
	{ "lid", MADKIT_SEVERITY_INFO, "a port has another LID than planned", "renew the plan" },
};

const struct madkit_difference_kind *madkit_difference_kinds(size_t *count)
{
	_Static_assert(ARRAY_SIZE(difference_kinds) == MADKIT_DIFFERENCE_LID, "one row for each kind");

	*count = ARRAY_SIZE(difference_kinds);
	return difference_kinds;
}

const struct madkit_attribute *madkit_difference_attribute(void)
{
	return &madkit_attribute_difference_object;
}

void madkit_difference_record(const struct madkit_difference *d, uint8_t event, const char *since, uint8_t by,
			      struct madkit_difference_record *r)
{
	_Static_assert(sizeof(r->data) == 2899, "length of the layout of the object difference");
	struct wire_object object = { r->data, r->known };

	memset(r, 0, sizeof(*r));
	object_begin(&r->message, MADKIT_MESSAGE_DIFFERENCE, &r->record, &madkit_attribute_difference_object,
		     &object);
	r->message.difference = &r->record;
	object_put_text(&object, MADKIT_DIFFERENCE_OBJECT_WHAT, difference_kinds[d->kind - 1].name);
	object_put_number(&object, MADKIT_DIFFERENCE_OBJECT_SEVERITY, d->severity);
	object_put_number(&object, MADKIT_DIFFERENCE_OBJECT_EVENT, event);
	object_put_text(&object, MADKIT_DIFFERENCE_OBJECT_KEY, d->key);
	object_put_text(&object, MADKIT_DIFFERENCE_OBJECT_SINCE, since);
	object_put_text(&object, MADKIT_DIFFERENCE_OBJECT_PLACE, d->place);
	object_put_text(&object, MADKIT_DIFFERENCE_OBJECT_BEFORE, d->before);
	object_put_text(&object, MADKIT_DIFFERENCE_OBJECT_AFTER, d->after);
	object_put_text(&object, MADKIT_DIFFERENCE_OBJECT_TEXT, d->text);
	if (by)
		object_put_number(&object, MADKIT_DIFFERENCE_OBJECT_BY, by);
}
