/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "port_record.h"
#include "util/array_size.h"

#define TEXT(n, bytes, at) \
	{ \
		.name = n, .kind = MADKIT_KIND_STRING, .width = (bytes)*8, .offset = (at)*8 \
	}
#define NUMBER(n, k, bytes, at) \
	{ \
		.name = n, .kind = MADKIT_KIND_##k, .width = (bytes)*8, .offset = (at)*8 \
	}

static const struct madkit_field node_fields[] = {
	TEXT("path", 64, 0),
	TEXT("mode", 8, 64),
	TEXT("owner", 40, 72),
	TEXT("group", 40, 112),
	NUMBER("usable", UNSIGNED, 1, 152),
};

enum { NODE_BYTES = 153 };

static const struct madkit_layout node_layout = {
	.name = "node",
	.fields = node_fields,
	.nfields = ARRAY_SIZE(node_fields),
	.bytes = NODE_BYTES,
};

#define NODE(n, at) \
	{ \
		.name = n, .kind = MADKIT_KIND_STRUCT, .width = NODE_BYTES * 8, .offset = (at)*8, \
		.sub = &node_layout \
	}

enum port_field {
	DEVICE,
	CA,
	PORT,
	CA_TYPE,
	FIRMWARE,
	LINK_LAYER,
	NODE_GUID,
	PORT_GUID,
	GID_PREFIX,
	STATE,
	PHYS_STATE,
	LID,
	LMC,
	SM_LID,
	SM_SL,
	RATE,
	CAP_MASK,
	UMAD,
	ISSM,
	PORT_FIELDS,
};

enum { PORT_BYTES = 824 };

static const struct madkit_field port_fields[PORT_FIELDS] = {
	[DEVICE] = TEXT("device", 256, 0),
	[CA] = TEXT("ca", 64, 256),
	[PORT] = NUMBER("port", UNSIGNED, 4, 320),
	[CA_TYPE] = TEXT("ca_type", 64, 324),
	[FIRMWARE] = TEXT("firmware", 64, 388),
	[LINK_LAYER] = TEXT("link_layer", 16, 452),
	[NODE_GUID] = NUMBER("node_guid", GUID, 8, 468),
	[PORT_GUID] = NUMBER("port_guid", GUID, 8, 476),
	[GID_PREFIX] = NUMBER("gid_prefix", HEX, 8, 484),
	[STATE] = NUMBER("state", ENUM, 1, 492),
	[PHYS_STATE] = NUMBER("phys_state", ENUM, 1, 493),
	[LID] = NUMBER("lid", LID, 4, 494),
	[LMC] = NUMBER("lmc", UNSIGNED, 1, 498),
	[SM_LID] = NUMBER("sm_lid", LID, 4, 499),
	[SM_SL] = NUMBER("sm_sl", UNSIGNED, 1, 503),
	[RATE] = NUMBER("rate", UNSIGNED, 4, 504),
	[CAP_MASK] = NUMBER("cap_mask", UNSIGNED, 4, 508),
	[UMAD] = NODE("umad", 512),
	[ISSM] = NODE("issm", 512 + NODE_BYTES),
};

struct port_record {
	struct madkit_field fields[PORT_FIELDS];
	struct madkit_layout layout;
	struct madkit_attribute attribute;
	uint8_t data[PORT_BYTES], known[PORT_BYTES];
};

/* Returns the names of a field's values in PortInfo. */
static const struct madkit_value *port_record_names(const char *field)
{
	const struct madkit_attribute *attribute;
	struct madkit_place place;
	uint8_t mgmt_class;
	uint16_t id;

	if (madkit_attribute_find("PortInfo", MADKIT_CLASS_SUBN, &mgmt_class, &id, &attribute, NULL) ||
	    madkit_place_find(attribute->layout, field, strlen(field), &place, NULL))
		return NULL;
	return place.field->values;
}

struct port_record *port_record_new(void)
{
	struct port_record *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	memcpy(r->fields, port_fields, sizeof(r->fields));
	r->fields[STATE].values = port_record_names("LinkState");
	r->fields[PHYS_STATE].values = port_record_names("PhysLinkState");
	r->layout = (struct madkit_layout){
		.name = "madreg --list",
		.fields = r->fields,
		.nfields = PORT_FIELDS,
		.bytes = PORT_BYTES,
	};
	r->attribute = (struct madkit_attribute){ .name = "line", .layout = &r->layout };
	return r;
}

void port_record_free(struct port_record *r)
{
	free(r);
}

const struct madkit_attribute *port_record_attribute(const struct port_record *r)
{
	return &r->attribute;
}

/* Sets a field of text. base: bytes before the layout that has the field. */
static void port_record_text(struct port_record *r, size_t base, const struct madkit_field *field,
			     const char *text)
{
	size_t at = base + field->offset / 8, bytes = field->width / 8;

	if (!text)
		return;
	strncpy((char *)r->data + at, text, bytes);
	memset(r->known + at, 0xff, bytes);
}

static void port_record_number(struct port_record *r, size_t base, const struct madkit_field *field,
			       uint64_t value)
{
	size_t at = base + field->offset / 8, bytes = field->width / 8;

	madkit_field_put(field, 0, r->data + base, PORT_BYTES - base, value);
	memset(r->known + at, 0xff, bytes);
}

static void port_record_put_node(struct port_record *r, enum port_field field,
				 const struct port_record_node *node)
{
	size_t base = r->fields[field].offset / 8;

	if (!*node->path)
		return;
	port_record_text(r, base, &node_fields[0], node->path);
	port_record_text(r, base, &node_fields[1], node->mode);
	port_record_text(r, base, &node_fields[2], node->owner);
	port_record_text(r, base, &node_fields[3], node->group);
	port_record_number(r, base, &node_fields[4], node->usable);
}

void port_record_set(struct port_record *r, const struct madkit_port_info *p,
		     const struct port_record_node *umad, const struct port_record_node *issm)
{
	static const char *const layers[] = {
		[MADKIT_LINK_UNKNOWN] = "unknown",
		[MADKIT_LINK_INFINIBAND] = "InfiniBand",
		[MADKIT_LINK_ETHERNET] = "Ethernet",
	};
	const struct {
		enum port_field field;
		uint32_t bit;
		uint64_t value;
	} numbers[] = {
		{ PORT, 0, p->port },
		{ NODE_GUID, MADKIT_PORT_NODE_GUID, p->node_guid },
		{ PORT_GUID, MADKIT_PORT_GID, p->port_guid },
		{ GID_PREFIX, MADKIT_PORT_GID, p->gid_prefix },
		{ STATE, 0, p->state },
		{ PHYS_STATE, MADKIT_PORT_PHYS_STATE, p->phys_state },
		{ LID, MADKIT_PORT_LID, p->lid },
		{ LMC, MADKIT_PORT_LMC, p->lmc },
		{ SM_LID, MADKIT_PORT_SM_LID, p->sm_lid },
		{ SM_SL, MADKIT_PORT_SM_SL, p->sm_sl },
		{ RATE, MADKIT_PORT_RATE, p->rate },
		{ CAP_MASK, MADKIT_PORT_CAP_MASK, p->cap_mask },
	};

	memset(r->data, 0, sizeof(r->data));
	memset(r->known, 0, sizeof(r->known));
	port_record_text(r, 0, &r->fields[DEVICE], p->device);
	port_record_text(r, 0, &r->fields[CA], p->ca);
	port_record_text(r, 0, &r->fields[CA_TYPE], p->unread & MADKIT_PORT_CA_TYPE ? NULL : p->ca_type);
	port_record_text(r, 0, &r->fields[FIRMWARE], p->unread & MADKIT_PORT_FIRMWARE ? NULL : p->firmware);
	port_record_text(r, 0, &r->fields[LINK_LAYER],
			 p->unread & MADKIT_PORT_LINK_LAYER ? NULL : layers[p->link_layer]);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!(p->unread & numbers[i].bit))
			port_record_number(r, 0, &r->fields[numbers[i].field], numbers[i].value);
	port_record_put_node(r, UMAD, umad);
	port_record_put_node(r, ISSM, issm);
}

void port_record_view(const struct port_record *r, const struct madkit_message *message,
		      struct madkit_record *view)
{
	*view = (struct madkit_record){
		.message = message,
		.attribute = &r->attribute,
		.layout = &r->layout,
		.data = r->data,
		.len = sizeof(r->data),
		.end = sizeof(r->data),
		.records = 1,
		.known = r->known,
	};
}
