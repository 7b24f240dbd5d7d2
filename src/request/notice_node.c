/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include "notice_node.h"
#include "util/array_size.h"

/* The fields with the LID and the port number in the details of generic traps; 0: none. All other traps are
 * about the issuer. */
static const struct {
	uint16_t first, last;
	uint64_t lid, port;
} notice_traps[] = {
	/* with a GID, or about multicast groups and paths */
	{ 64, 69, 0, 0 },
	{ 128, 128, MADKIT_NOTICE_128_LIDADDR, 0 },
	{ 129, 131, MADKIT_NOTICE_129_131_LIDADDR, MADKIT_NOTICE_129_131_PORTNO },
	{ 144, 144, MADKIT_NOTICE_144_LIDADDR, 0 },
	{ 145, 145, MADKIT_NOTICE_145_LIDADDR, 0 },
	{ 259, 259, MADKIT_NOTICE_ISSUER_LID, MADKIT_NOTICE_259_PORTNO },
};

/* Returns 0 if the field is 0, or if the notice does not have it. */
static uint64_t notice_value(const struct madkit_record *r, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(r->data, r->len, field, &value);
	return value;
}

/* Returns the second half of the GID. */
static uint64_t notice_port_guid(const struct madkit_record *r)
{
	uint8_t gid[16] = { 0 };
	uint64_t guid = 0;

	madkit_get_bytes(r->data, r->len, MADKIT_NOTICE_64_67_GIDADDR, gid, sizeof(gid));
	for (int i = 8; i < 16; i++)
		guid = guid << 8 | gid[i];
	return guid;
}

static bool notice_is_numbered(uint8_t mgmt_class)
{
	return madkit_class_is_smi(mgmt_class) || mgmt_class == MADKIT_CLASS_SA;
}

bool notice_node_get(const struct madkit_message *m, struct notice_node *node)
{
	struct madkit_record r;
	uint64_t lid = MADKIT_NOTICE_ISSUER_LID, port = 0;

	*node = (struct notice_node){ .trap = 0 };
	if (!m->mad || m->len < MADKIT_HEADER_BYTES)
		return false;
	madkit_record_get(m, 0, &r);
	if (!r.data || !r.attribute || r.attribute->id != MADKIT_ATTR_NOTICE)
		return false;
	/* other classes define trap numbers of their own */
	if (notice_is_numbered(m->mad[MADKIT_MAD_CLASS]) && notice_value(&r, MADKIT_NOTICE_IS_GENERIC))
		node->trap = (uint16_t)notice_value(&r, MADKIT_NOTICE_TRAP_NUMBER);
	for (size_t i = 0; node->trap && i < ARRAY_SIZE(notice_traps); i++) {
		if (node->trap < notice_traps[i].first || node->trap > notice_traps[i].last)
			continue;
		lid = notice_traps[i].lid;
		port = notice_traps[i].port;
	}
	node->key.lid = (uint32_t)notice_value(&r, lid);
	node->port = (uint8_t)notice_value(&r, port);
	if (node->trap == MADKIT_TRAP_GID_IN || node->trap == MADKIT_TRAP_GID_OUT)
		node->key.port_guid = notice_port_guid(&r);
	return true;
}

/* ---- the object ------------------------------------------------------------------------ */

static void notice_put(struct madkit_sweep_record *r, uint64_t field, uint64_t value)
{
	if (!value)
		return;
	madkit_put(r->data, sizeof(r->data), field, value);
	madkit_put(r->known, sizeof(r->known), field, UINT64_MAX >> (64 - (field >> 16 & 0xffff)));
}

void notice_node_put(const struct notice_node *node, const struct node_name *name,
		     struct madkit_sweep_record *r)
{
	uint8_t ones[256];

	madkit_sweep_record_init(r);
	notice_put(r, MADKIT_PORT_OBJECT_NUMBER, node->port);
	notice_put(r, MADKIT_PORT_OBJECT_LID, node->key.lid);
	notice_put(r, MADKIT_PORT_OBJECT_GUID, node->key.port_guid);
	if (!name)
		return;
	notice_put(r, MADKIT_PORT_OBJECT_NODE_GUID, name->node_guid);
	notice_put(r, MADKIT_PORT_OBJECT_NODE_SYSTEM_GUID, name->system_guid);
	notice_put(r, MADKIT_PORT_OBJECT_NODE_DEVICE_ID, name->device);
	notice_put(r, MADKIT_PORT_OBJECT_NODE_TYPE, name->type);
	if (!name->text[0])
		return;
	madkit_put_bytes(r->data, sizeof(r->data), MADKIT_PORT_OBJECT_NODE_NAME, name->text,
			 strlen(name->text));
	memset(ones, 0xff, sizeof(ones));
	madkit_put_bytes(r->known, sizeof(r->known), MADKIT_PORT_OBJECT_NODE_NAME, ones, sizeof(ones));
}
