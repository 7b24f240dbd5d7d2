/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What lines of JSON have in common that come of MADs of the same class, method and
 * attribute: all but values. */
#ifndef FORMAT_JSON_SHAPE_H
#define FORMAT_JSON_SHAPE_H

#include "format/json_int.h"
#include "format/plan.h"

enum { SHAPE_MAD, SHAPE_DATA, SHAPE_BASES };

/* All lines of a shape have one plan. */
struct json_shape {
	struct json_shape *next;
	uint32_t begin; /* base version, class, its version, method */
	uint16_t attribute_id;
	bool rmpp, show_keys;
	const struct madkit_attribute *attribute;
	const struct madkit_layout *layout; /* NULL: bytes */
	struct plan plan[SHAPE_BASES];      /* up to the data, and the data */
	struct madkit_buf tail;             /* what stands behind rest */
	size_t header;                      /* so much has to be there */
	size_t reach;                       /* so much is read from the data on */
	bool usable;
	uint8_t named[MADKIT_MAD_BYTES]; /* bits that the headers' fields have */
	uint8_t named_data[];
};

/* The shape of the record's line; begin: its MAD's first four bytes. NULL: no memory. */
struct json_shape *json_shape_new(struct json *j, uint32_t begin, bool rmpp);
void json_shape_free(struct json_shape *shape);

#endif
