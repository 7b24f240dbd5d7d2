/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The title of a record in text output: "PortInfo: Lid 5 port 1". */
#include <inttypes.h>
#include <madkit/format.h>
#include <madkit/mad.h>
#include "expr/envelope.h"
#include "util/put.h"
#include "wire/access.h"
#include "wire/wire_int.h"

/* Writes the modifier of an attribute that has several instances for a port: "port 1 block 2". */
static void title_put_instance(struct madkit_buf *buf, const struct madkit_instances *i, uint32_t modifier)
{
	uint32_t blocks = i->position ? (UINT32_C(1) << i->position_shift) - 1 : UINT16_MAX;

	if (i->ports) {
		LIT(buf, "port ");
		put_number(buf, modifier >> i->port_shift & UINT8_MAX);
		LIT(buf, " ");
	}
	if (i->ports & MADKIT_INSTANCES_INPUT_PORTS) {
		LIT(buf, "input ");
		put_number(buf, modifier >> i->input_shift & UINT8_MAX);
		return;
	}
	if (i->position) {
		LIT(buf, "position ");
		put_number(buf, modifier >> i->position_shift);
		LIT(buf, " ");
	}
	LIT(buf, "block ");
	put_number(buf, modifier >> i->block_shift & blocks);
}

/* Returns false if the name is not known. */
static bool title_put_node_name(struct madkit_buf *buf, const struct madkit_record *port)
{
	size_t at = field_at(MADKIT_PORT_OBJECT_NODE_NAME);
	const char *name = (const char *)port->data + at;
	size_t len = at_width(MADKIT_PORT_OBJECT_NODE_NAME) / 8;

	while (len && !name[len - 1])
		len--;
	madkit_text_escape(buf, name, len);
	return len > 0;
}

/* Writes "node1 port 1", with a GUID if the name is not known. */
static void title_put_port_name(struct madkit_buf *buf, const struct madkit_record *port)
{
	if (!title_put_node_name(buf, port))
		put_hex(buf, field_get(MADKIT_PORT_OBJECT_NODE_GUID, port->data), 16);
	LIT(buf, " port ");
	put_number(buf, field_get(MADKIT_PORT_OBJECT_NUMBER, port->data));
}

/* Writes "about leaf1 port 3": the port that a notice is about, with its address if the name is not known. */
static void title_put_about(struct madkit_buf *buf, const struct madkit_record *port)
{
	uint64_t lid = field_get(MADKIT_PORT_OBJECT_LID, port->data);
	uint64_t guid = field_get(MADKIT_PORT_OBJECT_GUID, port->data);
	uint64_t number = field_get(MADKIT_PORT_OBJECT_NUMBER, port->data);

	if (!lid && !guid)
		return;
	LIT(buf, " about ");
	if (title_put_node_name(buf, port))
		;
	else if (lid)
		madkit_buf_printf(buf, "Lid %" PRIu64, lid);
	else
		madkit_buf_printf(buf, "Guid 0x%016" PRIx64, guid);
	if (number)
		madkit_buf_printf(buf, " port %" PRIu64, number);
}

/* Writes "Set PortInfo". */
static void title_put_name(struct madkit_buf *buf, const struct madkit_record *r)
{
	const struct madkit_message *m = r->message;
	char text[MADKIT_ADDR_TEXT_MAX];
	const char *method;
	uint8_t mgmt_class;

	if (!m->mad || m->len < MADKIT_HEADER_BYTES) {
		madkit_buf_str(buf, message_kind_name(m->kind));
		return;
	}
	mgmt_class = m->mad[MADKIT_MAD_CLASS];
	method = madkit_method_name(mgmt_class, m->mad[MADKIT_MAD_METHOD]);
	/* a plain response needs no verb */
	if (m->kind != MADKIT_MESSAGE_RESPONSE && m->kind != MADKIT_MESSAGE_TIMEOUT) {
		if (method)
			madkit_buf_str(buf, method);
		else
			madkit_buf_printf(buf, "method 0x%02x", m->mad[MADKIT_MAD_METHOD]);
		LIT(buf, " ");
	}
	if (r->attribute) {
		madkit_buf_str(buf, r->attribute->name);
	} else {
		madkit_buf_str(buf, madkit_class_name(mgmt_class, text));
		madkit_buf_printf(buf, " attribute 0x%04x", get_be16(m->mad + MADKIT_MAD_ATTRIBUTE));
	}
}

/* Writes the destination or the source. Returns the separator before the next part. */
static const char *title_put_address(struct madkit_buf *buf, const struct madkit_message *m, const char *sep)
{
	char text[MADKIT_ADDR_TEXT_MAX];
	struct madkit_addr route;

	route.lid = 0; /* an SMP does not contain it */
	if (m->unresolved) {
		madkit_buf_str(buf, sep);
		if (m->unresolved->name) {
			LIT(buf, "Name ");
			madkit_text_escape(buf, m->unresolved->name, strlen(m->unresolved->name));
		} else {
			madkit_buf_printf(buf, "Guid 0x%016" PRIx64, m->unresolved->guid);
		}
		return " ";
	}
	if (!m->remote && (!m->mad || madkit_smp_get_route(m->mad, m->len, &route)))
		return sep;
	madkit_buf_str(buf, sep);
	madkit_buf_str(buf, madkit_addr_text(m->remote ? m->remote : &route, text));
	return " ";
}

/* Writes the port of a register: its number in the subnet if a sweep has it, else its local port. The modifier is left out, because the
 * name says which register it is. */
static const char *title_put_register(struct madkit_buf *buf, const struct madkit_record *r, const char *sep)
{
	const struct madkit_record *about = r->message->port;
	uint64_t port, above = 0;

	if (about)
		port = field_get(MADKIT_PORT_OBJECT_NUMBER, about->data);
	else if (madkit_record_value(r, "PortSelect", &port))
		return sep;
	else
		madkit_record_value(r, "PortSelectMsb", &above);
	madkit_buf_str(buf, sep);
	madkit_buf_str(buf, about ? "port " : "local port ");
	put_number(buf, above << 8 | port);
	return " ";
}

/* Writes the instance of the attribute: its modifier, or its port. Returns the separator before the next
 * part. */
static const char *title_put_modifier(struct madkit_buf *buf, const struct madkit_record *r, const char *sep)
{
	const struct madkit_message *m = r->message;
	const struct madkit_attribute *a = r->attribute;
	const bool known = m->mad && m->len >= MADKIT_HEADER_BYTES;
	const uint8_t mgmt_class = known ? m->mad[MADKIT_MAD_CLASS] : 0;
	const uint32_t modifier = known ? get_be32(m->mad + MADKIT_MAD_MODIFIER) : 0;
	const char *word = a && a->modifier && !strchr(a->modifier, ' ') ? a->modifier : NULL;
	uint64_t port;

	if (a && a->flags & MADKIT_ATTRIBUTE_READ_ONLY)
		return title_put_register(buf, r, sep);
	/* an SMP is for a port, whatever its attribute */
	if (!word && (!a || !a->modifier) && madkit_class_is_smi(mgmt_class))
		word = "port";
	if (known && a && a->instances && !word) {
		madkit_buf_str(buf, sep);
		title_put_instance(buf, a->instances, modifier);
	} else if (known && (word || modifier || (a && a->modifier))) {
		madkit_buf_str(buf, sep);
		madkit_buf_str(buf, word ? word : "mod");
		LIT(buf, " ");
		put_number(buf, word && a && a->selects ? modifier & a->selects : modifier);
	} else if (mgmt_class == MADKIT_CLASS_PERF && !madkit_record_value(r, "PortSelect", &port)) {
		madkit_buf_str(buf, sep);
		LIT(buf, "port ");
		put_number(buf, port);
	} else {
		return sep;
	}
	return " ";
}

/* Writes the failure, the status, or that there are no records. */
static void title_put_result(struct madkit_buf *buf, const struct madkit_record *r, const char *sep)
{
	const struct madkit_message *m = r->message;
	const uint16_t status = madkit_message_status(m);
	char text[MADKIT_ADDR_TEXT_MAX];

	if (m->send_status) {
		LIT(buf, ": ");
		madkit_buf_str(buf, envelope_failure(m, text));
	} else if (status) {
		madkit_status_text(m->mad[MADKIT_MAD_CLASS], status, text, sizeof(text));
		madkit_buf_printf(buf, ": status 0x%04x (%s)", status, text);
	} else if (m->mad && !r->records && m->len > MADKIT_HEADER_BYTES &&
		   m->kind == MADKIT_MESSAGE_RESPONSE) {
		madkit_buf_str(buf, sep);
		LIT(buf, "no records");
	}
}

void madkit_text_title(struct madkit_buf *buf, const struct madkit_record *r, bool name)
{
	const struct madkit_message *m = r->message;
	const bool known = m->mad && m->len >= MADKIT_HEADER_BYTES;
	/* the address of a table is that of the SA, not of the node that the record is about */
	const bool is_table = known && m->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SA && r->records != 1 &&
			      r->data;
	const char *sep = name ? ": " : "";

	if (name)
		title_put_name(buf, r);
	if (m->kind == MADKIT_MESSAGE_PORT && m->port) {
		madkit_buf_str(buf, sep);
		title_put_port_name(buf, m->port);
		sep = " ";
	}
	if (m->unresolved || !is_table)
		sep = title_put_address(buf, m, sep);
	sep = title_put_modifier(buf, r, sep);
	if (known && r->records != 1 && r->data) {
		madkit_buf_str(buf, sep);
		LIT(buf, "record ");
		put_number(buf, r->record + 1);
		LIT(buf, " of ");
		put_number(buf, r->records);
	}
	if (m->name && !m->unresolved && !is_table) {
		madkit_buf_str(buf, *sep ? " (" : "(");
		madkit_text_escape(buf, m->name, strlen(m->name));
		LIT(buf, ")");
	}
	if (m->kind == MADKIT_MESSAGE_REQUEST && m->port)
		title_put_about(buf, m->port);
	title_put_result(buf, r, sep);
}
