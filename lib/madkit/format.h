/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages to text, JSON and hex; streams of MADs to pcap. */
#ifndef MADKIT_FORMAT_H
#define MADKIT_FORMAT_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/escape.h>
#include <madkit/expr.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

struct madkit_format {
	bool show_keys;                         /* else secrets are null, "<not displayed>" */
	bool pretty;                            /* JSON over several lines */
	bool verbose;                           /* text shows the headers too */
	const struct madkit_projection *fields; /* NULL: all */
	const struct madkit_expr *filter;       /* NULL: all */
	struct madkit_plans *plans;             /* NULL: every field is looked up anew,
					 * which is several times as slow */
};

/*
 * What is found out once about messages of a kind, for the next of them: owned by who
 * formats, one thread at a time. Whatever has no place in it is formatted all the same.
 * NULL: no memory.
 */
struct madkit_plans *madkit_plans_new(void);
void madkit_plans_free(struct madkit_plans *plans);

/*
 * JSON, beyond what madsend(1) says of it: rest holds bits, so that a reader
 * who builds the MAD again ORs them to what the fields give. The one exception
 * are strings that are no UTF-8: where rest has any byte of a STRING field, the
 * field is the bytes of rest alone, zero where there are none. Members of header
 * after "status" are fields of the class's header (madkit_class.header), of the
 * common header's last two bytes or of a directed route, by their names; rmpp is
 * an object where the class has RMPP and the header's ACTIVE flag is set.
 *
 * A response whose MAD status is not zero has no values: data is null (text is its
 * title, and with verbose its headers), and of its bytes those that are not zero
 * stand in rest. Without show_keys secrets are null there, missing in rest, and
 * listed in redacted; where data may hold secrets at places that nobody knows
 * ("data.Data": a later segment of an RMPP message, an attribute whose layout is
 * not known) that holds for all of it.
 *
 * Each appends every record of the message that passes the filter to buf, in
 * whole lines, and returns how many it appended; -errno where buf could not
 * grow (what it held before is kept). One line each in JSON (unless pretty);
 * a message without a MAD (timeout, error) is one line too, and so is an empty
 * table.
 */
int madkit_format_json(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format);
int madkit_format_text(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format);
/* "0000: 01 81 ..." 16 bytes a line, the whole message; without show_keys the
 * secrets are zero. */
int madkit_format_hex(struct madkit_buf *buf, const struct madkit_message *message,
		      const struct madkit_format *format);

/* The pieces, for objects that are no messages (--describe, madreg --list). */

/* Breaks what the buffer holds from begin on, one JSON value and a newline,
 * into lines, two spaces a level. */
void madkit_json_indent(struct madkit_buf *buf, size_t begin);

/* Appends "Name:" and dots up to column 33, as libibmad's dumps do. */
void madkit_text_label(struct madkit_buf *buf, const char *name);

/* The tables themselves, one line (JSON) or one block (text) an attribute: see
 * madsend --describe. Offsets and widths are bits, from the attribute's first.
 * JSON has "when" with a field of an edition ({"TrapNumber":[64,65]}: the values that
 * choose it), and "base_version" with what is OPA's.
 * attribute NULL: all of the class. How many were appended; -errno where buf
 * could not grow. */
int madkit_describe_json(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			 const struct madkit_attribute *attribute);
int madkit_describe_text(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			 const struct madkit_attribute *attribute);

/*
 * Capture files: classic pcap, nanoseconds, little-endian, link type ERF (197),
 * records of type 21 (InfiniBand): LRH, GRH where there is one, BTH, DETH, the
 * MAD (filled up to 256 or 2048 bytes) and six bytes of CRC. umad hands over no
 * link headers: they are made from the addresses. near is the end that is not
 * remote: of it lid, gid (where remote has a GRH) and qp, 0 for the usual one; NULL:
 * not known, and zero in the file. The P_Key is remote's, 0xffff where that is not
 * known; PSN and CRCs are not known. A message of several segments becomes its segments, numbered anew. sent
 * tells which end is remote. Without show_keys
 * secrets are zero in the file. madkit_pcap_add() appends nothing for what is no
 * MAD; 0, or -errno where buf could not grow (it holds what it held before).
 */
void madkit_pcap_begin(struct madkit_buf *buf);
int madkit_pcap_add(struct madkit_buf *buf, const struct madkit_message *message,
		    const struct madkit_addr *near, bool sent, bool show_keys);

MADKIT_END_DECLS
#endif
