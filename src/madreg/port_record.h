/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port of madreg --list as a record, for --filter, --assert and --fields: its fields have the names of the
 * JSON keys under data. Values that could not be read are null.
 */
#ifndef SRC_PORT_RECORD_H
#define SRC_PORT_RECORD_H

#include <madkit/madkit.h>

/* A device node of the port. */
struct port_record_node {
	const char *path;                 /* "": none */
	const char *mode, *owner, *group; /* NULL: not known */
	bool usable;
};

struct port_record;

/* Returns NULL if memory ran out. */
struct port_record *port_record_new(void);
void port_record_free(struct port_record *record);

/* Returns the attribute that names are checked against. Valid as long as the record. */
const struct madkit_attribute *port_record_attribute(const struct port_record *record);

/* Replaces all values. */
void port_record_set(struct port_record *record, const struct madkit_port_info *port,
		     const struct port_record_node *umad, const struct port_record_node *issm);

/* Initialises a view of the record for expressions, with the envelope of message. */
void port_record_view(const struct port_record *record, const struct madkit_message *message,
		      struct madkit_record *view);

#endif
