/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the values of a port, such as widths and speeds. */
#ifndef SRC_PORT_VALUES_H
#define SRC_PORT_VALUES_H

#include <madkit/field.h>

/* Returns the values of a field of the record of a port, such as "width", in their order. */
const struct madkit_value *port_values(const char *field);
/* Returns the name of a value of such a field; "unknown" if it has none. */
const char *port_value_name(const char *field, uint64_t value);

#endif
