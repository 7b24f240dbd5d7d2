/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the data of a message, and the records in it. */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/rmpp.h>
#include "util/array_size.h"
#include "util/bits.h"
#include "wire/payload.h"
#include "wire/wire_int.h"

const char *message_kind_name(enum madkit_message_kind kind)
{
	static const char *const names[] = {
		[MADKIT_MESSAGE_REQUEST] = "request", [MADKIT_MESSAGE_RESPONSE] = "response",
		[MADKIT_MESSAGE_TIMEOUT] = "timeout", [MADKIT_MESSAGE_UNSOLICITED] = "unsolicited",
		[MADKIT_MESSAGE_EVENT] = "event",     [MADKIT_MESSAGE_ERROR] = "error",
		[MADKIT_MESSAGE_SUMMARY] = "summary", [MADKIT_MESSAGE_PORT] = "port",
		[MADKIT_MESSAGE_PROBLEM] = "problem", [MADKIT_MESSAGE_DIFFERENCE] = "difference",
	};

	if ((unsigned int)kind >= ARRAY_SIZE(names))
		return "error";
	return names[kind];
}

/* Checks if messages of a kind have no MAD, but an object of their own. */
static bool message_is_object(enum madkit_message_kind kind)
{
	return kind == MADKIT_MESSAGE_PORT || kind == MADKIT_MESSAGE_PROBLEM ||
	       kind == MADKIT_MESSAGE_DIFFERENCE;
}

static const struct madkit_record *message_object(const struct madkit_message *message)
{
	return message->kind == MADKIT_MESSAGE_PORT    ? message->port :
	       message->kind == MADKIT_MESSAGE_PROBLEM ? message->problem :
							 message->difference;
}

/* The place of the data, and how it is divided. */
struct extent {
	const struct madkit_attribute *attribute;
	size_t begin; /* data: [begin, end) of the message */
	size_t end;
	size_t stride;     /* of a table: distance from record to record */
	uint64_t declared; /* data bytes according to the RMPP header; 0: unknown */
	bool table;        /* an SA table response */
	bool fragment;     /* a later segment of a message, by itself */
	bool cut;          /* data is missing */
	bool padded;       /* a full frame: the data may end before it */
};

static bool message_is_table(const uint8_t *mad)
{
	uint8_t method = mad[MADKIT_MAD_METHOD];

	return mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SA &&
	       (method == (MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE) ||
		method == (MADKIT_METHOD_GET_TRACE_TABLE | MADKIT_METHOD_RESPONSE) ||
		method == (MADKIT_METHOD_GET_MULTI | MADKIT_METHOD_RESPONSE));
}

/* Applies the RMPP header to the extent. */
static void rmpp_extent(const struct madkit_message *message, struct extent *e)
{
	const uint8_t *mad = message->mad;
	size_t frame = madkit_mad_bytes(mad[MADKIT_MAD_BASE_VERSION]);
	uint32_t payload = madkit_rmpp_get_length(mad);
	uint8_t flags = madkit_rmpp_get_flags(mad);
	uint8_t type = madkit_rmpp_get_type(mad);

	if (type == MADKIT_RMPP_ACK || type == MADKIT_RMPP_STOP || type == MADKIT_RMPP_ABORT) {
		e->end = e->begin;
		return;
	}
	if (type == MADKIT_RMPP_DATA && madkit_rmpp_get_segment(mad) > 1) {
		e->fragment = true;
		if (!(flags & MADKIT_RMPP_LAST) || payload > frame - MADKIT_RMPP_END)
			payload = 0;
	} else if (type != MADKIT_RMPP_DATA || !(flags & MADKIT_RMPP_FIRST)) {
		/* Senders may leave all flags except ACTIVE to the kernel. Without a kernel (opensm on
		 * ibsim), a table arrives like that, and ends with the frame: a full one must count as
		 * cut. */
		e->cut |= e->table && message->len == frame;
		return;
	} else if (!(flags & MADKIT_RMPP_LAST) && message->len <= frame) {
		/* several segments, once reassembled, are longer than one */
		e->cut = true;
	}
	e->declared = payload_data(payload, frame, e->begin);
	e->padded = !e->declared && message->len == frame;
	/* PayloadLength 0 means unknown; class headers only are an empty table */
	if (e->declared > e->end - e->begin)
		e->cut = true;
	else if (e->declared)
		e->end = e->begin + (size_t)e->declared;
	else if (payload && !e->cut)
		e->end = e->begin;
}

/* Returns false if the message has no data at all. */
static bool extent_get(const struct madkit_message *message, struct extent *e)
{
	const uint8_t *mad = message->mad;
	const struct madkit_class *mgmt_class;
	struct madkit_header header;
	size_t bytes = 0;

	*e = (struct extent){ .cut = message->truncated };
	if (!mad || madkit_header_get(mad, message->len, &header))
		return false;
	e->attribute = madkit_attribute_of(mad, message->len, message->attribute);
	e->begin = madkit_attribute_offset(header.base_version, header.mgmt_class, e->attribute);
	if (message->kind == MADKIT_MESSAGE_TIMEOUT || message->kind == MADKIT_MESSAGE_ERROR ||
	    message->kind == MADKIT_MESSAGE_SUMMARY || e->begin >= message->len) {
		e->table = message->len > MADKIT_MAD_METHOD && message_is_table(mad);
		return false;
	}
	e->end = message->len;
	e->table = message_is_table(mad);
	if (madkit_mad_has_rmpp(mad, message->len))
		rmpp_extent(message, e);
	if (e->table && !e->fragment) {
		e->stride = 8u * get_be16(mad + MADKIT_SA_ATTRIBUTE_OFFSET);
		return true;
	}
	/* one attribute: the rest of the frame is padding */
	if (e->attribute && !e->fragment) {
		bytes = e->attribute->bytes;
		/* a survey joins the blocks of a register to one message */
		if (e->attribute->joined && e->end - e->begin >= e->attribute->joined->bytes)
			bytes = e->attribute->joined->bytes;
	} else if (message->len <= MADKIT_MAD_BYTES) {
		mgmt_class = madkit_class_get(header.mgmt_class);
		bytes = mgmt_class ? mgmt_class->bytes : 0;
	}
	if (bytes && bytes < e->end - e->begin)
		e->end = e->begin + bytes;
	return e->end > e->begin;
}

/* Returns the number of whole records of a table. The last one may lack the padding of the others. */
static unsigned int table_records(const struct extent *e, uint64_t bytes)
{
	uint64_t n;

	if (!e->stride)
		return 0;
	n = bytes / e->stride;
	if (e->attribute && e->attribute->layout && e->attribute->layout->bytes <= e->stride &&
	    bytes % e->stride >= e->attribute->layout->bytes)
		n++;
	return n < UINT32_MAX ? (unsigned int)n : UINT32_MAX;
}

static unsigned int extent_records(const struct madkit_message *message, const struct extent *e)
{
	/* an error response has no records, whatever its bytes: mostly those of the request, or zeros */
	if (madkit_message_status(message) && madkit_mad_is_response(message->mad, message->len))
		return 0;
	if (!e->table || e->fragment)
		return 1;
	return table_records(e, e->end - e->begin);
}

unsigned int madkit_message_records(const struct madkit_message *message)
{
	struct extent e;

	if (message_is_object(message->kind))
		return message_object(message) != NULL;
	return extent_get(message, &e) ? extent_records(message, &e) : 0;
}

/* Checks if the data of a table cannot be divided into whole records: AttributeOffset is 0, or the data ends
 * within a record. The length of a record without a layout is unknown. */
static bool extent_is_ragged(const struct madkit_message *message, const struct extent *e)
{
	size_t bytes = e->end - e->begin, left;

	if (!e->table || e->fragment || e->cut || e->padded || !bytes || madkit_message_status(message))
		return false;
	left = e->stride ? bytes % e->stride : bytes;
	return left &&
	       (!e->stride || (e->attribute && e->attribute->layout && left < e->attribute->layout->bytes));
}

int madkit_message_complete(const struct madkit_message *message, unsigned int *got, unsigned int *total)
{
	struct extent e;
	bool data = extent_get(message, &e);

	if (data && extent_is_ragged(message, &e)) {
		*got = extent_records(message, &e);
		*total = e.stride ? *got + 1 : 0;
		return -EBADMSG;
	}
	if (!e.cut)
		return 0;
	*got = e.table && data ? extent_records(message, &e) : 0;
	*total = e.table ? table_records(&e, e.declared) : 1;
	if (*total <= *got && e.table)
		*total = 0; /* the header cannot be right */
	return -ENODATA;
}

/* Sets the layout of a record, whose data and length are set. */
static void message_set_layout(struct madkit_record *record, bool fragment)
{
	const struct madkit_attribute *attribute = record->attribute;

	/* their length is unknown: show their bytes */
	if (!attribute || fragment ||
	    (attribute->flags & MADKIT_ATTRIBUTE_UNKNOWN && record->len < attribute->bytes))
		return;
	record->layout = madkit_attribute_layout(attribute, record->data, record->len);
}

/* Gets the record of a message that has no MAD. */
static void message_object_record(const struct madkit_message *message, unsigned int n,
				  struct madkit_record *record)
{
	const struct madkit_record *object = message_object(message);

	*record = object ? *object : (struct madkit_record){ .data = NULL };
	record->message = message;
	record->record = n;
	record->records = object != NULL;
	record->offset = 0;
	record->end = record->len;
	if (n)
		record->data = NULL;
}

void madkit_record_get(const struct madkit_message *message, unsigned int n, struct madkit_record *record)
{
	struct extent e;
	bool data;

	if (message_is_object(message->kind)) {
		message_object_record(message, n, record);
		return;
	}
	data = extent_get(message, &e);
	*record = (struct madkit_record){
		.message = message,
		.attribute = e.attribute,
		.record = n,
		.records = data ? extent_records(message, &e) : 0,
		.offset = e.begin,
		.end = e.end,
	};
	if (n >= record->records)
		return;
	record->len = e.end - e.begin;
	if (e.table && !e.fragment) {
		record->offset += n * e.stride;
		record->len -= n * e.stride;
		if (record->len > e.stride)
			record->len = e.stride;
	}
	record->data = message->mad + record->offset;
	message_set_layout(record, e.fragment);
}

bool madkit_record_next(struct madkit_record *record)
{
	size_t left;

	if (record->record >= record->records || record->records - record->record < 2)
		return false;
	/* all records except the last are as long as their distance */
	record->record++;
	record->offset += record->len;
	record->data += record->len;
	left = record->end - record->offset;
	if (record->len > left)
		record->len = left;
	record->layout = NULL;
	message_set_layout(record, false);
	return true;
}

int madkit_record_value(const struct madkit_record *record, const char *name, uint64_t *value)
{
	struct madkit_place place;
	uint64_t v;
	size_t skip;
	int ret;

	if (!record->data)
		return -ENODATA;
	if (!record->layout)
		return -ENOENT;
	ret = madkit_place_find(record->layout, name, strlen(name), &place, NULL);
	if (ret)
		return ret;
	if (place.repeat || place.whole || place.field->kind == MADKIT_KIND_STRUCT)
		return -EINVAL;
	skip = place.base / 8;
	if (skip > record->len)
		return -ENODATA;
	ret = madkit_field_get(place.field, place.index, record->data + skip, record->len - skip, &v);
	if (ret)
		return ret;
	if (record->known &&
	    !bits_test(record->known, place.base + madkit_field_offset(place.field, place.index)))
		return -ENODATA;
	*value = v;
	return 0;
}

uint16_t madkit_message_status(const struct madkit_message *message)
{
	struct madkit_header header;

	if (message->kind == MADKIT_MESSAGE_REQUEST || message->kind == MADKIT_MESSAGE_TIMEOUT ||
	    !message->mad || madkit_header_get(message->mad, message->len, &header))
		return 0;
	return header.status;
}
