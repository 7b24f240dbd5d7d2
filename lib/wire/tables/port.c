/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The object "port" of JSON lines: a port of a discovered subnet, with both ends of its cable. It is not an attribute
 * of a class, and is never sent.
 */
#include "tables.h"

static const struct madkit_field port_object_node_fields[] = {
	FIELD("name", NULL, 0, 2048, STRING),
	FIELD("guid", NULL, 2048, 64, GUID),
	FIELD("system_guid", NULL, 2112, 64, GUID),
	FIELD("device_id", NULL, 2176, 16, HEX),
	FIELD("type", NULL, 2192, 8, ENUM, VALUES(port_node_type)),
};
static LAYOUT(port_object_node, "node", 275);

static const struct madkit_field port_object_peer_fields[] = {
	FIELD("node", NULL, 0, 2200, STRUCT, SUB(port_object_node)),
	FIELD("number", NULL, 2200, 8, UNSIGNED),
	FIELD("guid", NULL, 2208, 64, GUID),
	FIELD("lid", NULL, 2272, 16, LID),
	FIELD("label", NULL, 2288, 512, STRING),
	FIELD("plane", NULL, 2800, 8, UNSIGNED),
};
static LAYOUT(port_object_peer, "peer", 351);

static const struct madkit_field port_object_fields[] = {
	FIELD("node", NULL, 0, 2200, STRUCT, SUB(port_object_node)),
	FIELD("number", NULL, 2200, 8, UNSIGNED),
	FIELD("guid", NULL, 2208, 64, GUID),
	FIELD("lid", NULL, 2272, 16, LID),
	FIELD("state", NULL, 2288, 8, ENUM, VALUES(port_state)),
	FIELD("phys", NULL, 2296, 8, ENUM, VALUES(phys_state)),
	FIELD("width", NULL, 2304, 8, ENUM, VALUES(width), NAMED),
	FIELD("speed", NULL, 2312, 16, ENUM, VALUES(speed), NAMED),
	FIELD("gbps", NULL, 2328, 16, UNSIGNED),
	FIELD("width_enabled", NULL, 2344, 8, ENUM, VALUES(width), NAMED),
	FIELD("speed_enabled", NULL, 2352, 16, ENUM, VALUES(speed), NAMED),
	FIELD("width_best", NULL, 2368, 8, ENUM, VALUES(width), NAMED),
	FIELD("speed_best", NULL, 2376, 16, ENUM, VALUES(speed), NAMED),
	FIELD("mtu", NULL, 2392, 16, UNSIGNED),
	FIELD("label", NULL, 2408, 512, STRING),
	FIELD("plane", NULL, 2920, 8, UNSIGNED),
	FIELD("peer", NULL, 2928, 2808, STRUCT, SUB(port_object_peer)),
};
LAYOUT(port_object, "port", 717);

const struct madkit_attribute madkit_attribute_port_object = {
	.name = "port",
	.bytes = 717,
	.layout = &madkit_layout_port_object,
	COLUMNS("node.name,number,state,width,speed,peer.node.name,peer.number"),
};
