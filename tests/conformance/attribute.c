// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attributes and fields by their names. */
#include "tests/conformance/conformance.h"

struct madkit_send *attribute_send(struct run *r, uint8_t mgmt_class, uint8_t method, const char *name,
				   uint32_t modifier, const struct madkit_addr *to)
{
	const struct madkit_attribute *attribute;
	struct madkit_header h = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = method,
		.modifier = modifier,
	};
	struct madkit_error error;
	uint8_t class;

	need(r, madkit_attribute_find(name, mgmt_class, &class, &h.attribute, &attribute, &error) == 0, "%s",
	     error.text);
	return new_send(r, MADKIT_MAD_BYTES, &h, to);
}

void set(struct run *r, struct madkit_send *send, const char *field, const char *text)
{
	const struct madkit_attribute *attribute = madkit_attribute_of(send->mad, send->len, NULL);
	uint8_t class = send->mad[MADKIT_MAD_CLASS];
	struct madkit_error error = { .text = "no such attribute" };
	struct madkit_place place;
	size_t offset;
	int ret;

	need(r, attribute, "an attribute");
	offset = madkit_attribute_offset(MADKIT_BASE_VERSION_IB, class, attribute);
	ret = madkit_attribute_set(attribute, send->mad + offset, send->len - offset, field, text, &place,
				   &error);
	need(r, ret == 0, "%s=%s: %s", field, text, error.text);
	if (class == MADKIT_CLASS_SA)
		put_be(send->mad + MADKIT_SA_COMPONENT_MASK, 8,
		       be_at(send->mad + MADKIT_SA_COMPONENT_MASK, 8) | madkit_place_mask(&place));
}

void set_number(struct run *r, struct madkit_send *send, const char *field, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	set(r, send, field, text);
}

static struct madkit_message message_of(const struct madkit_recv *recv)
{
	return (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.mad = recv->mad,
		.len = recv->len,
	};
}

unsigned int records(const struct madkit_recv *recv)
{
	struct madkit_message message = message_of(recv);

	return madkit_message_records(&message);
}

uint64_t value_of(struct run *r, const struct madkit_recv *recv, unsigned int n, const char *field)
{
	struct madkit_record record;
	struct madkit_message message;
	uint64_t value = 0;
	int ret;

	need(r, recv, "an answer with %s", field);
	message = message_of(recv);
	madkit_record_get(&message, n, &record);
	ret = madkit_record_value(&record, field, &value);
	need(r, ret == 0, "%s: %s (status 0x%04x)", field, strerror(-ret), status_of(recv));
	return value;
}

uint64_t value(struct run *r, const struct madkit_recv *recv, const char *field)
{
	return value_of(r, recv, 0, field);
}

const char *text_at(const struct madkit_recv *recv, size_t offset, char text[65])
{
	text[0] = 0;
	if (recv->len >= offset + 64) {
		memcpy(text, recv->mad + offset, 64);
		text[64] = 0;
	}
	return text;
}

uint16_t status_of(const struct madkit_recv *recv)
{
	struct madkit_header h = { .status = 0 };

	madkit_header_get(recv->mad, recv->len, &h);
	return h.status;
}
