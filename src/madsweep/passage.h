/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packets that pass a route of --route: notes about its ports, the end of its title, messages, and JSON. */
#ifndef SRC_PASSAGE_H
#define SRC_PASSAGE_H

#include <madkit/madkit.h>
#include <stdbool.h>
#include <stddef.h>

/* A route that arrives by the forwarding tables, and the port at its end. */
struct passage_of {
	const struct madkit_sweep *sweep;
	const struct madkit_path *path;
	const struct madkit_passage *passage;
	uint32_t node;
	uint8_t port;
};

/* Checks if there are notes about the ingress or the egress port of a hop. */
bool passage_has_note(const struct madkit_passage *passage, unsigned int hop, bool egress);
/* Appends these notes to text, as far as size allows, separated by semicolons. */
void passage_put_notes(const struct madkit_passage *passage, unsigned int hop, bool egress, char *text,
		       size_t size);
/* Writes these notes as words of an array. */
void passage_write_notes(const struct madkit_passage *passage, unsigned int hop, bool egress,
			 struct madkit_writer *writer);

/* Appends "2 hops, MTU 4096, P_Key 0x7fff, SL 0 on VL 0". */
void passage_title(const struct passage_of *of, struct madkit_buf *buf);
/* Reports why packets do not arrive, or why that is not known. */
void passage_tell(const struct passage_of *of);
/* Writes members of the object that describes the route: the values of passage_title(). */
void passage_write(const struct passage_of *of, struct madkit_writer *writer);

#endif
