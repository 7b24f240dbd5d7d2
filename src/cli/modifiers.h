/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -m with a list: "all", "0-3,7", or "PORTS:BLOCKS", where both parts are such lists. */
#ifndef SRC_MODIFIERS_H
#define SRC_MODIFIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>

enum { MODIFIERS_RANGES = 64 };

/* Numbers, in the order in which they were given. */
struct modifier_list {
	bool all;
	size_t n;
	struct {
		uint32_t first, last;
	} range[MODIFIERS_RANGES];
};

struct modifiers {
	bool have_ports;
	struct modifier_list ports;  /* if have_ports: the list before the colon */
	struct modifier_list values; /* after the colon: blocks; without a colon: modifiers */
};

/* Checks if the text is a list, and not one number. */
bool modifiers_is_list(const char *text);

/* Returns 0, or a negative errno value with an error that names the offending word. */
int modifiers_parse(const char *text, struct modifiers *modifiers, struct madkit_error *error);

#endif
