/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/cc.h"
#include "util/array_size.h"
#include "util/time.h"
#include "wire/status.h"

enum {
	CC_VERSION = 2,
	CC_BUSY = 1, /* MAD status if out of memory */
	CC_LOG_SWITCH = 1,
	CC_LOG_CA = 2,
	CC_TICK_NS = 1024,
	CC_BLOCKS = 2, /* blocks of the control table */
	CC_BLOCK_ENTRIES = 64,
	CC_PORTS = 32, /* ports in a block of SwitchPortCongestionSetting */
	CC_BYTES = MADKIT_MAD_BYTES - MADKIT_CC_DATA,
};

/* The settings that a manager has made. */
struct congestion {
	uint8_t key[16]; /* CongestionKeyInfo */
	bool lease;      /* the lease of the key runs, until lease_end */
	uint64_t lease_end;
	uint8_t of_switch[76];
	uint8_t of_ports[256 / CC_PORTS][CC_PORTS * 4];
	uint8_t of_ca[132];
	uint16_t limit; /* CCTI_Limit of the control table */
	uint8_t table[CC_BLOCKS][CC_BLOCK_ENTRIES * 2];
};

struct cc_request {
	struct fabric *f;
	struct port *end;
	bool of_switch, set;
	uint32_t modifier;
	struct congestion *c;
	uint8_t *data;
};

static const uint8_t *cc_put(struct cc_request *r, const void *bytes, size_t len)
{
	memset(r->data, 0, CC_BYTES);
	return memcpy(r->data, bytes, len);
}

/* ---- attributes ------------------------------------------------------------------------ */

static int cc_class_port_info(struct cc_request *r)
{
	memset(r->data, 0, CC_BYTES);
	field_put(MADKIT_CLASS_PORT_INFO_BASE_VERSION, r->data, 1);
	field_put(MADKIT_CLASS_PORT_INFO_CLASS_VERSION, r->data, CC_VERSION);
	field_put(MADKIT_CLASS_PORT_INFO_RESP_TIME_VAL, r->data, 18);
	return 0;
}

static int cc_info(struct cc_request *r)
{
	memset(r->data, 0, CC_BYTES);
	field_put(MADKIT_CONGESTION_INFO_CONTROL_TABLE_CAP, r->data, r->of_switch ? 0 : CC_BLOCKS);
	return 0;
}

static int cc_key_info(struct cc_request *r)
{
	uint64_t violations = field_get(MADKIT_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS, r->c->key);

	if (r->set) {
		/* The node counts violations; a Set can only reset the counter to 0. */
		if (!field_get(MADKIT_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS, r->data))
			violations = 0;
		memcpy(r->c->key, r->data, sizeof(r->c->key));
		field_put(MADKIT_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS, r->c->key, violations);
	}
	cc_put(r, r->c->key, sizeof(r->c->key));
	return 0;
}

static int cc_log(struct cc_request *r)
{
	/* The data of this attribute begins earlier than that of the others. */
	uint8_t *data = r->data - MADKIT_CC_DATA + 32;

	memset(data, 0, MADKIT_MAD_BYTES - 32);
	field_put(MADKIT_CONGESTION_LOG_LOG_TYPE, data, r->of_switch ? CC_LOG_SWITCH : CC_LOG_CA);
	field_put(r->of_switch ? MADKIT_CONGESTION_LOG_SWITCH_CURRENT_TIME_STAMP :
				 MADKIT_CONGESTION_LOG_CHANNEL_ADAPTER_CURRENT_TIME_STAMP,
		  data, r->f->now / CC_TICK_NS & UINT32_MAX);
	return 0;
}

static int cc_setting(struct cc_request *r, uint8_t *bytes, size_t len)
{
	if (r->set)
		memcpy(bytes, r->data, len);
	cc_put(r, bytes, len);
	return 0;
}

static int cc_switch_setting(struct cc_request *r)
{
	return cc_setting(r, r->c->of_switch, sizeof(r->c->of_switch));
}

static int cc_port_setting(struct cc_request *r)
{
	return cc_setting(r, r->c->of_ports[r->modifier], sizeof(r->c->of_ports[0]));
}

static int cc_ca_setting(struct cc_request *r)
{
	return cc_setting(r, r->c->of_ca, sizeof(r->c->of_ca));
}

static int cc_table(struct cc_request *r)
{
	size_t first = field_at(MADKIT_CONGESTION_CONTROL_TABLE_ENTRY);
	uint64_t limit = field_get(MADKIT_CONGESTION_CONTROL_TABLE_CCTI_LIMIT, r->data);

	if (r->set && limit >= CC_BLOCKS * CC_BLOCK_ENTRIES)
		return STATUS_BAD_FIELD;
	if (r->set) {
		r->c->limit = (uint16_t)limit;
		memcpy(r->c->table[r->modifier], r->data + first, sizeof(r->c->table[0]));
	}
	memset(r->data, 0, CC_BYTES);
	field_put(MADKIT_CONGESTION_CONTROL_TABLE_CCTI_LIMIT, r->data, r->c->limit);
	memcpy(r->data + first, r->c->table[r->modifier], sizeof(r->c->table[0]));
	return 0;
}

static int cc_timestamp(struct cc_request *r)
{
	memset(r->data, 0, CC_BYTES);
	field_put(MADKIT_TIMESTAMP_TIMESTAMP, r->data, r->f->now / CC_TICK_NS & UINT32_MAX);
	return 0;
}

/* ---- requests --------------------------------------------------------------------------- */

enum { CC_OF_ALL, CC_OF_SWITCHES, CC_OF_CAS };

static const struct {
	uint16_t attribute;
	uint8_t of;
	bool settable, blocks;
	int (*handle)(struct cc_request *r);
} cc_attributes[] = {
	{ MADKIT_ATTR_CLASS_PORT_INFO, CC_OF_ALL, false, false, cc_class_port_info },
	{ MADKIT_ATTR_CONGESTION_INFO, CC_OF_ALL, false, false, cc_info },
	{ MADKIT_ATTR_CONGESTION_KEY_INFO, CC_OF_ALL, true, false, cc_key_info },
	{ MADKIT_ATTR_CONGESTION_LOG, CC_OF_ALL, false, false, cc_log },
	{ MADKIT_ATTR_SWITCH_CONGESTION_SETTING, CC_OF_SWITCHES, true, false, cc_switch_setting },
	{ MADKIT_ATTR_SWITCH_PORT_CONGESTION_SETTING, CC_OF_SWITCHES, true, true, cc_port_setting },
	{ MADKIT_ATTR_CA_CONGESTION_SETTING, CC_OF_CAS, true, false, cc_ca_setting },
	{ MADKIT_ATTR_CONGESTION_CONTROL_TABLE, CC_OF_CAS, true, true, cc_table },
	{ MADKIT_ATTR_TIMESTAMP, CC_OF_ALL, false, false, cc_timestamp },
};

/* Checks the CC_Key as M_Keys are checked: a Get needs no key unless the protect bit is set. A failed check
 * counts a violation and starts the lease; when the lease ends, the protect bit is cleared. */
static bool cc_key_ok(struct cc_request *r, const uint8_t *mad)
{
	struct congestion *c = r->c;
	uint64_t key = field_get(MADKIT_CONGESTION_KEY_INFO_CC_KEY, c->key), violations, lease;
	bool matches;

	if (c->lease && r->f->now >= c->lease_end) {
		c->lease = false;
		field_put(MADKIT_CONGESTION_KEY_INFO_CC_KEY_PROTECT_BIT, c->key, 0);
	}
	matches = !key || field_get(MADKIT_HEADER_CC_CC_KEY, mad) == key;
	if (matches)
		c->lease = false;
	if (matches || (!r->set && !field_get(MADKIT_CONGESTION_KEY_INFO_CC_KEY_PROTECT_BIT, c->key)))
		return true;
	violations = field_get(MADKIT_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS, c->key);
	field_put(MADKIT_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS, c->key,
		  violations == UINT16_MAX ? violations : violations + 1);
	lease = field_get(MADKIT_CONGESTION_KEY_INFO_CC_KEY_LEASE_PERIOD, c->key);
	if (lease && !c->lease) {
		c->lease = true;
		c->lease_end = r->f->now + lease * NS_PER_S;
	}
	return false;
}

static int cc_dispatch(struct cc_request *r, const struct madkit_header *h)
{
	uint32_t blocks = r->of_switch ? r->f->nodes[r->end->node].nports / CC_PORTS + 1u : CC_BLOCKS;
	size_t i = 0;

	if (h->class_version != CC_VERSION)
		return STATUS_BAD_VERSION;
	if (!r->set && h->method != MADKIT_METHOD_GET)
		return STATUS_BAD_METHOD;
	while (i < ARRAY_SIZE(cc_attributes) && cc_attributes[i].attribute != h->attribute)
		i++;
	if (i == ARRAY_SIZE(cc_attributes) || (r->set && !cc_attributes[i].settable) ||
	    cc_attributes[i].of == (r->of_switch ? CC_OF_CAS : CC_OF_SWITCHES))
		return STATUS_BAD_ATTRIBUTE;
	if (h->modifier >= (cc_attributes[i].blocks ? blocks : 1))
		return STATUS_BAD_FIELD;
	return cc_attributes[i].handle(r);
}

enum cc cc_handle(struct fabric *f, struct port *end, uint8_t *mad)
{
	/* The settings of a node that has not been configured. */
	struct congestion first = { .limit = 0 };
	struct madkit_header h;
	struct cc_request r = {
		.f = f,
		.end = end,
		.of_switch = is_switch(&f->nodes[end->node]),
		.data = mad + MADKIT_CC_DATA,
	};
	int status;

	madkit_header_get(mad, MADKIT_MAD_BYTES, &h);
	if (h.mgmt_class != MADKIT_CLASS_CC || !gmp_is_for_agents(&f->nodes[end->node], mad))
		return CC_NOT_MINE;
	r.set = h.method == MADKIT_METHOD_SET;
	r.modifier = h.modifier;
	if (r.set && !end->end->congestion)
		end->end->congestion = calloc(1, sizeof(first));
	r.c = end->end->congestion ? end->end->congestion : &first;
	if (!cc_key_ok(&r, mad))
		return CC_REFUSED;
	status = r.set && !end->end->congestion ? CC_BUSY : cc_dispatch(&r, &h);
	fabric_respond(mad, (uint16_t)status);
	return CC_ANSWER;
}
