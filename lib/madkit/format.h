/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_format - write messages as JSON, text, hexadecimal and pcap
 *
 * Each function appends its output to a struct madkit_buf, which the caller then writes to a file. The
 * functions do not block. They are the inverse of madkit_json_in(3) and madkit_capture(3).
 *
 * All functions with the return type int return -ENOMEM, or -EFBIG, if the buffer cannot grow. The
 * buffer then keeps its previous content.
 */
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

/* ---- JSON lines -------------------------------------------------------------
 * madkit-json(7) describes the keys of a JSON line. In addition:
 *
 * - rest contains the bits of the MAD that no field covers. A reader that rebuilds the MAD ORs them to
 *   the bits of the fields. There is one exception: a STRING field that is not valid UTF-8. If rest
 *   contains any byte of a STRING field, the field consists only of the bytes in rest; all its other
 *   bytes are zero.
 * - The members of header after status are the fields of the class header (madkit_class.header), of the
 *   last two bytes of the common header, or of a directed route.
 * - rmpp is an object if the class supports RMPP and the ACTIVE flag of the RMPP header is set.
 * - A response with a MAD status other than zero has no values: data is null, and rest contains the
 *   bytes that are not zero. Its text is its title and, with verbose, its headers.
 * - Unless show_keys is set, secrets are null, missing from rest, and listed in redacted. If the
 *   position of secrets is not known, all the data is treated as secret, and redacted lists
 *   "data.Data". Examples are a later segment of an RMPP message, and an attribute without a known
 *   layout.
 */

/* How to format messages. */
struct madkit_format {
	bool show_keys;                         /* show secrets; else null, or "<not displayed>" in text */
	bool pretty;                            /* JSON with indentation, on several lines */
	bool verbose;                           /* text with headers */
	const struct madkit_projection *fields; /* fields to show; NULL: all */
	const struct madkit_expr *filter;       /* records to show; NULL: all */
	struct madkit_plans *plans;             /* from madkit_plans_new(); NULL: several times slower */
};

/*
 * madkit_plans_new - make a cache for formatting
 *
 * The cache stores how messages of each kind are written, which makes formatting several times faster from the
 * tenth message of a kind on.
 * It never changes the output. Only one thread may use it at a time.
 *
 * Return: the cache, which the caller frees with madkit_plans_free(); NULL if out of memory.
 */
struct madkit_plans *madkit_plans_new(void);

/*
 * madkit_plans_free - free a cache for formatting
 * @plans: cache to free, or NULL
 */
void madkit_plans_free(struct madkit_plans *plans);

/*
 * madkit_format_json, madkit_format_text - append the records of a message as JSON or text
 * @buf:     receives whole lines
 * @message: the message
 * @format:  how to format it
 *
 * Appends every record that passes the filter: in JSON one line for each record, unless pretty is set.
 * A message without a MAD (timeout, error) and an empty table are also one line.
 *
 * Return: the number of records appended, or a negated errno value if @buf cannot grow.
 */
int madkit_format_json(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format);
int madkit_format_text(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format);

/* ---- tables -----------------------------------------------------------------
 * A table has a row for each record, and a line with the names of its columns before the first row. Columns
 * are separated by two blanks and aligned: rows are held until madkit_table_flush(), or until there are 1000,
 * or 1 MiB of text. A column of an array, or of a nested layout, has all values, separated by blanks. A bit
 * set is the names of its bits, joined by "|". "-" is a value that the record does not have. A quantity that
 * has several fields is shown by its effective value (struct madkit_layout).
 *
 * Without a list of fields, the attribute determines the columns (struct madkit_attribute); a record with
 * other columns than the one before begins a new table, after an empty line.
 */

struct madkit_table;
struct madkit_terminal;

/*
 * madkit_table_new - make a table
 * @fields: names of the columns as for madkit_projection_new(), or NULL; at most 64
 *
 * Return: the table, which the caller frees with madkit_table_free(); NULL if out of memory.
 */
struct madkit_table *madkit_table_new(const char *fields);

/*
 * madkit_table_as_csv - write the rows of a table as CSV (RFC 4180)
 * @table: the table, without rows
 *
 * Rows are not held or aligned; they end with CR LF. A value that the record does not have is empty. A cell with a
 * comma, a quote or a line break is in quotes.
 */
void madkit_table_as_csv(struct madkit_table *table);

/*
 * madkit_table_set_terminal - choose the terminal that shows a table
 * @table:    the table, without rows
 * @terminal: the terminal, which is copied (madkit_grid(3)). If it limits the lines, all rows are held until
 *            madkit_table_flush(), so that names that are cut remain different. If it has colours, counters of errors that
 *            are not 0 are yellow, and the cells of a port that did not respond are red.
 */
void madkit_table_set_terminal(struct madkit_table *table, const struct madkit_terminal *terminal);

/*
 * madkit_table_free - free a table
 * @table: table to free, or NULL; rows that are held are lost
 */
void madkit_table_free(struct madkit_table *table);

/*
 * madkit_table_add - add the records of a message as rows
 * @table:   the table
 * @buf:     receives whole lines, if rows can no longer be held
 * @message: the message; its data is not used later
 * @format:  filter and show_keys are used
 *
 * Return: the number of records that passed the filter; or -E2BIG if there are too many fields, -EINVAL if
 * they are not names, or a negated errno value if memory is short: the records before that one are rows.
 */
int madkit_table_add(struct madkit_table *table, struct madkit_buf *buf, const struct madkit_message *message,
		     const struct madkit_format *format);

/*
 * madkit_table_flush - append the rows that are held
 * @table: the table
 * @buf:   receives whole lines
 *
 * The columns of later rows are at least as wide as those before.
 */
void madkit_table_flush(struct madkit_table *table, struct madkit_buf *buf);

/*
 * madkit_format_hex - append a message as a hexadecimal dump
 * @buf:     receives lines of 16 bytes, such as "0000: 01 81 ..."
 * @message: the message
 * @format:  how to format it. Unless show_keys is set, secrets are zero.
 *
 * Return: 1 if the message was appended; 0 if it has no MAD or does not pass the filter; or a negated
 * errno value if @buf cannot grow.
 */
int madkit_format_hex(struct madkit_buf *buf, const struct madkit_message *message,
		      const struct madkit_format *format);

/*
 * madkit_text_title - append the title of a record in text output
 * @buf:    receives "PortInfo: Lid 5 port 1", and the status if there is one; safe to print on a terminal
 * @record: the record
 * @name:   false: omit what precedes the address, as in "Lid 5 port 1"
 */
void madkit_text_title(struct madkit_buf *buf, const struct madkit_record *record, bool name);

/*
 * madkit_text_csv - append a cell of CSV (RFC 4180)
 * @buf:  receives the cell: in quotes if it has a character that separates cells, or blanks at its ends
 * @text: text of the cell; it needs no NUL
 * @len:  bytes of @text
 */
void madkit_text_csv(struct madkit_buf *buf, const char *text, size_t len);

/*
 * madkit_text_bytes - append a number of bytes with a unit that a person reads, such as "10.9 GB"
 * @buf:   the buffer
 * @bytes: number of bytes, not negative
 */
void madkit_text_bytes(struct madkit_buf *buf, double bytes);

/*
 * madkit_text_label - append the label of a line of text
 * @buf:  the buffer
 * @name: name of the field
 *
 * Appends "NAME:" and dots up to column 33, as the dump functions of libibmad do.
 */
void madkit_text_label(struct madkit_buf *buf, const char *name);

/*
 * madkit_describe_json, madkit_describe_text - append a description of attributes and their fields
 * @buf:        receives one line (JSON) or one block (text) for each attribute
 * @mgmt_class: class of the attributes; NULL: the attribute is an object of JSON lines, as
 *              madkit_sweep_attribute() returns it; in JSON its name has the key "object"
 * @attribute:  attribute to describe; NULL: all attributes of the class
 *
 * This is the output of madsend --describe. Offsets and widths are in bits, from the start of the
 * attribute. In JSON, a field that exists only if other fields have certain values has the key "when",
 * which lists those values: {"TrapNumber":[64,65]}. Attributes of Omni-Path have the key
 * "base_version".
 *
 * Return: the number of attributes appended, or a negated errno value if @buf cannot grow.
 */
int madkit_describe_json(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			 const struct madkit_attribute *attribute);
int madkit_describe_text(struct madkit_buf *buf, const struct madkit_class *mgmt_class,
			 const struct madkit_attribute *attribute);

/*
 * madkit_pcap_begin - append the header of a capture file
 * @buf: the buffer
 *
 * The file is a classic little-endian pcap with nanoseconds and link type ERF (197).
 */
void madkit_pcap_begin(struct madkit_buf *buf);

/*
 * madkit_pcap_add - append a message as packets of a capture file
 * @buf:       the buffer
 * @message:   the message; nothing is appended if it has no MAD
 * @near:      address of the local end: lid, gid (if remote has a GRH) and qp (0: the usual one); NULL:
 *             not known, written as zero
 * @sent:      true if the message was sent to remote; false if it was received from remote
 * @show_keys: write secrets; else they are zero in the file
 *
 * Each packet is an ERF record of type 21 (InfiniBand): LRH, GRH if there is one, BTH, DETH, the MAD
 * (padded to 256 or 2048 bytes) and six bytes of CRC. umad does not report link headers: they are
 * derived from the addresses. The P_Key is that of remote, or 0xffff if it is not known. The PSN and
 * the CRCs are not known. A message of several segments is written as its segments, numbered again.
 *
 * Return: 0, or a negated errno value if @buf cannot grow.
 */
int madkit_pcap_add(struct madkit_buf *buf, const struct madkit_message *message,
		    const struct madkit_addr *near, bool sent, bool show_keys);

MADKIT_END_DECLS
#endif
