/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef WIRE_EFFECTIVE_H
#define WIRE_EFFECTIVE_H

#include <madkit/field.h>

/*
 * If the item, an element of a field of layout, is one of several fields of a quantity (layout->effective): replaces it by
 * the one that has the effective value. Returns the short names of its values, or NULL: the item is unchanged, and is
 * shown as any other.
 */
const struct madkit_value *effective_item(const struct madkit_layout *layout, struct madkit_item *item);

#endif
