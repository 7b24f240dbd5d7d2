/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef WIRE_EDITION_H
#define WIRE_EDITION_H

#include <stdbool.h>
#include <madkit/registry.h>

/* Whether the edition is chosen by all of this field of the attribute's own layout,
 * and by which values of it. */
bool edition_selects(const struct madkit_edition *edition, const struct madkit_field *field, uint64_t *first,
		     uint64_t *last);

/* "IsGeneric=1 TrapNumber=64-67" */
void edition_text(const struct madkit_attribute *attribute, const struct madkit_edition *edition, char *buf,
		  size_t room);

#endif
