/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef WIRE_EDITION_H
#define WIRE_EDITION_H

#include <stdbool.h>
#include <madkit/registry.h>

/* Checks if this field of the attribute's own layout, with all of its bits, chooses the edition, and gets the
 * values that choose it. */
bool edition_selects(const struct madkit_edition *edition, const struct madkit_field *field, uint64_t *first,
		     uint64_t *last);

/* Writes "IsGeneric=1 TrapNumber=64-67". */
void edition_text(const struct madkit_attribute *attribute, const struct madkit_edition *edition, char *buf,
		  size_t room);

#endif
