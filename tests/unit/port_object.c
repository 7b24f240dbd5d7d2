/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The object "port": its values, and its record in a message. */
#include <errno.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "topology/topology.h"
#include "wire/access.h"
#include "wire/tables/tables.h"

#define BYTES 717

static void port_object_values(void)
{
	const struct madkit_layout *layout = &madkit_layout_port_object;
	static const struct {
		const char *field;
		const char *(*name)(unsigned int bit);
	} lists[] = { { "width", topology_width_name }, { "speed", topology_speed_name } };

	is_u64(layout->bytes, BYTES, "the length of the record");
	for (size_t i = 0; i < 2; i++) {
		struct madkit_place place;
		uint64_t all = 0, before = 0;
		unsigned int wrong = 0;

		madkit_place_find(layout, lists[i].field, strlen(lists[i].field), &place, NULL);
		for (const struct madkit_value *v = place.field->values; v->name; v++) {
			wrong += strcmp(v->name, lists[i].name((unsigned int)v->value)) != 0;
			wrong += v->magnitude <= before;
			wrong += i == 0 && v->magnitude != topology_lanes((unsigned int)v->value);
			before = v->magnitude;
			all |= v->value;
		}
		is_u64(wrong, 0, "each %s has the name and the order that lib/topology gives it",
		       lists[i].field);
		is_u64(all, i == 0 ? 0x1f : 0x1ff, "all of them");
	}
}

static void port_object_record(void)
{
	uint8_t data[BYTES] = { 0 };
	const struct madkit_record port = {
		.attribute = &madkit_attribute_port_object,
		.layout = &madkit_layout_port_object,
		.data = data,
		.len = BYTES,
	};
	struct madkit_message message = { .kind = MADKIT_MESSAGE_PORT, .port = &port };
	struct madkit_record record;
	unsigned int got, total;
	uint64_t value;

	field_put(MADKIT_PORT_OBJECT_WIDTH, data, MADKIT_WIDTH_4X);
	field_put(MADKIT_PORT_OBJECT_PEER_NODE_GUID, data, UINT64_C(0x1234567890abcdef));
	is_str(madkit_message_kind_name(message.kind), "port", "the kind of a port's message");
	is_u64(madkit_message_records(&message), 1, "it has one record");
	is_int(madkit_message_complete(&message, &got, &total), 0, "and is complete");
	madkit_record_get(&message, 0, &record);
	ok(record.message == &message && record.data == data && record.records == 1,
	   "which is that of the port");
	is_int(madkit_record_value(&record, "peer.node.guid", &value), 0, "its fields are found by name");
	ok(value == UINT64_C(0x1234567890abcdef), "at the places of the constants");
	is_int(madkit_record_value(&record, "guid", &value), 0, "guid is the port's own");
	is_int(madkit_record_value(&record, "name", &value), -EEXIST, "name could be that of either end");
	ok(!madkit_record_next(&record), "there is no other record");
	madkit_record_get(&message, 1, &record);
	ok(!record.data, "also by number");
	message.port = NULL;
	is_u64(madkit_message_records(&message), 0, "without a port there is none");
	madkit_record_get(&message, 0, &record);
	ok(!record.data && record.message == &message, "and its data is NULL");
}

int main(void)
{
	port_object_values();
	port_object_record();
	return tap_done();
}
