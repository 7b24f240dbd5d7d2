/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet management attributes. A Set is all or nothing: if a value cannot be set, the response has the
 * status "invalid field" and nothing changes.
 */
#include <stdlib.h>
#include <string.h>
#include <madkit/addr.h>
#include "sim/fabric/lanes.h"
#include "sim/fabric/sma.h"
#include "sim/fabric/trap.h"
#include "util/array.h"
#include "util/array_size.h"
#include "util/time.h"
#include "wire/status.h"

enum { NO_MEMORY = MADKIT_STATUS_BUSY };

struct request {
	struct fabric *f;
	struct node *node;
	struct port *end; /* destination of the SMP */
	struct port *in;  /* port of arrival */
	uint32_t modifier;
	uint16_t attribute;
	bool set;
	uint64_t key;
	bool key_matches; /* the M_Key is correct, or the port has none */
	uint8_t *data;
};

/* Writes n bytes and then zeros to the data of the response. Returns 0. */
static int sma_put_data(const struct request *r, const uint8_t *bytes, size_t n)
{
	memcpy(r->data, bytes, n);
	memset(r->data + n, 0, FABRIC_INFO_BYTES - n);
	return 0;
}

/* Gets or sets n bytes at the offset at of a table of size bytes. The first Set allocates the table; until
 * then it reads as zeros. */
static int sma_table(const struct request *r, uint8_t **table, size_t size, size_t at, size_t n)
{
	static const uint8_t zeros[FABRIC_INFO_BYTES];

	if (r->set && !*table)
		*table = calloc(1, size);
	if (r->set && !*table)
		return NO_MEMORY;
	if (r->set)
		memcpy(*table + at, r->data, n);
	return sma_put_data(r, *table ? *table + at : zeros, n);
}

/* ---- small attributes ---------------------------------------------------------------- */

static int node_description(struct request *r)
{
	return sma_put_data(r, r->node->description, FABRIC_INFO_BYTES);
}

static int node_info(struct request *r)
{
	sma_put_data(r, r->node->info, FABRIC_INFO_BYTES);
	field_put(MADKIT_NODE_INFO_PORT_GUID, r->data, r->end->guid);
	field_put(MADKIT_NODE_INFO_LOCAL_PORT, r->data, r->in->number);
	return 0;
}

static int sma_led_info(struct request *r)
{
	if (r->set)
		field_put(MADKIT_LED_INFO_LED_MASK, r->node->led,
			  field_get(MADKIT_LED_INFO_LED_MASK, r->data));
	return sma_put_data(r, r->node->led, FABRIC_INFO_BYTES);
}

static int guid_info(struct request *r)
{
	if (r->modifier >= FABRIC_GUIDS / 8)
		return STATUS_BAD_FIELD;
	/* The first GUID is the port's own and read-only. */
	for (unsigned int i = 1; r->set && i < 8; i++)
		element_put(MADKIT_GUID_INFO_GUID, i, r->end->end->guids,
			    element_get(MADKIT_GUID_INFO_GUID, i, r->data));
	return sma_put_data(r, r->end->end->guids, FABRIC_GUIDS * 8);
}

/* Returns the port in the upper half of the modifier, or NULL if there is none. On a CA or router, it is
 * always the end port. */
static struct port *port_named(const struct request *r)
{
	uint32_t number = r->modifier >> 16;

	if (!is_switch(r->node))
		return r->end;
	return number <= r->node->nports ? node_port(r->f, r->node, number) : NULL;
}

/* The external ports of a switch have shorter tables, with which they enforce partitions. */
static int sma_pkey_table(struct request *r)
{
	unsigned int block = r->modifier & 0xffff;
	struct port *port = port_named(r);
	uint8_t *keys;

	if (!port || block >= (port->end ? FABRIC_PKEYS : FABRIC_ENFORCED_PKEYS) / 32)
		return STATUS_BAD_FIELD;
	keys = fabric_pkeys(port);
	if (!keys)
		return NO_MEMORY;
	keys += block * FABRIC_INFO_BYTES;
	if (r->set)
		memcpy(keys, r->data, FABRIC_INFO_BYTES);
	return sma_put_data(r, keys, FABRIC_INFO_BYTES);
}

/* ---- virtual lanes -------------------------------------------------------------------- */

static int sma_sl2vl(struct request *r)
{
	unsigned int in = r->modifier >> 8 & 0xff, to = r->modifier & 0xff;
	const unsigned int ports = r->node->nports + 1u;
	uint8_t map[FABRIC_LANES_BYTES], *own;

	/* A CA or router has one map for each port. */
	if (!is_switch(r->node))
		in = 0, to = r->end->number;
	if (in >= ports || to >= ports)
		return STATUS_BAD_FIELD;
	lanes_put_first(map);
	own = r->set ? fabric_lanes(r->node, in, to) : lanes_map(r->node, in, to);
	if (r->set && !own)
		return NO_MEMORY;
	if (r->set)
		memcpy(own, r->data, FABRIC_LANES_BYTES);
	return sma_put_data(r, own ? own : map, FABRIC_LANES_BYTES);
}

enum { ARBITRATION_BYTES = FABRIC_ARBITRATION * 2 };

/* Initially, the VLs have equal weights, and none has high priority. */
static void sma_first_arbitration(uint8_t *tables)
{
	enum { WEIGHT = 32 };

	for (unsigned int vl = 0; vl < FABRIC_VLS; vl++) {
		element_put(MADKIT_VL_ARBITRATION_TABLE_BLOCK_VL, vl, tables, vl);
		element_put(MADKIT_VL_ARBITRATION_TABLE_BLOCK_WEIGHT, vl, tables, WEIGHT);
		element_put(MADKIT_VL_ARBITRATION_TABLE_BLOCK_VL, vl, tables + ARBITRATION_BYTES, vl);
	}
}

/* Blocks 1 and 2 are the low-priority table, blocks 3 and 4 the high-priority table. Each table fits in the
 * first of its two blocks. */
static int sma_vl_arbitration(struct request *r)
{
	uint8_t first[2 * ARBITRATION_BYTES] = { 0 };
	unsigned int block = r->modifier >> 16, number = r->modifier & 0xffff;
	struct port *port = r->end;
	size_t at;

	if (is_switch(r->node)) {
		if (number > r->node->nports)
			return STATUS_BAD_FIELD;
		port = node_port(r->f, r->node, number);
	}
	if (block != 1 && block != 3)
		return STATUS_BAD_FIELD;
	at = block / 2 * ARBITRATION_BYTES;
	sma_first_arbitration(first);
	if (r->set && !port->arbitration) {
		port->arbitration = malloc(sizeof(first));
		if (!port->arbitration)
			return NO_MEMORY;
		memcpy(port->arbitration, first, sizeof(first));
	}
	if (r->set)
		memcpy(port->arbitration + at, r->data, ARBITRATION_BYTES);
	return sma_put_data(r, (port->arbitration ? port->arbitration : first) + at, ARBITRATION_BYTES);
}

/* ---- switches ---------------------------------------------------------------------------- */

static int switch_info(struct request *r)
{
	static const uint64_t settable[] = {
		MADKIT_SWITCH_INFO_LINEAR_FDB_TOP,      MADKIT_SWITCH_INFO_DEF_PORT,
		MADKIT_SWITCH_INFO_DEF_MCAST_PRIM_PORT, MADKIT_SWITCH_INFO_DEF_MCAST_NOT_PRIM_PORT,
		MADKIT_SWITCH_INFO_LIFE_TIME,
	};
	uint8_t *info = r->node->switch_info;

	if (r->set && field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, r->data) >= FABRIC_LINEAR_CAP)
		return STATUS_BAD_FIELD;
	for (size_t i = 0; r->set && i < ARRAY_SIZE(settable); i++)
		field_put(settable[i], info, field_get(settable[i], r->data));
	/* Writing 1 clears PortStateChange. */
	if (r->set && field_get(MADKIT_SWITCH_INFO_STATE_CHANGE, r->data))
		field_put(MADKIT_SWITCH_INFO_STATE_CHANGE, info, 0);
	return sma_put_data(r, info, FABRIC_INFO_BYTES);
}

static int sma_linear_table(struct request *r)
{
	uint32_t first = r->modifier * 64;
	uint8_t none[64];

	if (r->modifier >= FABRIC_LINEAR_CAP / 64)
		return STATUS_BAD_FIELD;
	if (r->set && array_extend(&r->node->linear, &r->node->nlinear, first + 64, 1, 0xff))
		return NO_MEMORY;
	for (unsigned int i = 0; r->set && i < 64; i++)
		r->node->linear[first + i] =
			(uint8_t)element_get(MADKIT_LINEAR_FORWARDING_TABLE_PORT, i, r->data);
	memset(none, 0xff, sizeof(none));
	for (unsigned int i = 0; first < r->node->nlinear && i < 64; i++)
		element_put(MADKIT_LINEAR_FORWARDING_TABLE_PORT, i, none, r->node->linear[first + i]);
	return sma_put_data(r, none, sizeof(none));
}

static int sma_multicast_table(struct request *r)
{
	unsigned int block = r->modifier & 0x1ff, position = r->modifier >> 28;
	size_t at = FABRIC_INFO_BYTES * (size_t)(block * r->node->positions + position);
	size_t size = FABRIC_MULTICAST_CAP / 32u * r->node->positions * FABRIC_INFO_BYTES;

	if (block >= FABRIC_MULTICAST_CAP / 32 || position >= r->node->positions)
		return STATUS_BAD_FIELD;
	return sma_table(r, &r->node->multicast, size, at, FABRIC_INFO_BYTES);
}

/* ---- PortInfo ------------------------------------------------------------------------------ */

enum { EXTENDED = 0x80000000 }; /* in the modifier: the manager knows extended speeds */

/* The enabled masks: 0 keeps the mask, all enables everything that is supported, none disables (0 if the field has no such value). */
static const struct {
	uint64_t enabled, supported;
	uint8_t all, none;
	bool extended; /* only from managers that know extended speeds */
} sma_rates[] = {
	{ MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, 0xff, 0, false },
	{ MADKIT_PORT_INFO_LINK_SPEED_ENABLED, MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED, 0xf, 0, false },
	{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, 0x1f, 30,
	  true },
	{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, 7, 6, true },
};

static bool sma_rates_ok(const struct request *r, const struct port *port)
{
	for (size_t i = 0; i < ARRAY_SIZE(sma_rates); i++) {
		uint64_t v = field_get(sma_rates[i].enabled, r->data);

		if ((r->modifier & EXTENDED || !sma_rates[i].extended) && v != sma_rates[i].all &&
		    v != sma_rates[i].none && (v & ~field_get(sma_rates[i].supported, port->info)))
			return false;
	}
	return true;
}

static void sma_set_rates(const struct request *r, struct port *port)
{
	for (size_t i = 0; i < ARRAY_SIZE(sma_rates); i++) {
		uint64_t v = field_get(sma_rates[i].enabled, r->data);

		if (v && (r->modifier & EXTENDED || !sma_rates[i].extended))
			field_put(sma_rates[i].enabled, port->info,
				  v == sma_rates[i].all ? field_get(sma_rates[i].supported, port->info) : v);
	}
}

/* IBA 14.2.5.6: Down is valid at any time, Armed from Init, Active from Armed. */
static bool state_ok(const struct request *r, const struct port *port)
{
	uint64_t state = field_get(MADKIT_PORT_INFO_LINK_STATE, r->data),
		 now = field_get(MADKIT_PORT_INFO_LINK_STATE, port->info);
	uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, r->data);

	if (phys > PHYS_DISABLED || (phys && state > PORT_DOWN))
		return false;
	if (is_switch(r->node) && !port->number)
		return !phys && (!state || state == now);
	switch (state) {
	case PORT_NO_CHANGE:
	case PORT_DOWN:
		return true;
	case PORT_ARMED:
		return now == PORT_INIT || now == PORT_ARMED;
	case PORT_ACTIVE:
		return now == PORT_ARMED || now == PORT_ACTIVE;
	default:
		return false;
	}
}

static void set_state(const struct request *r, struct port *port)
{
	unsigned int was = (unsigned int)field_get(MADKIT_PORT_INFO_LINK_STATE, port->info);
	uint64_t state = field_get(MADKIT_PORT_INFO_LINK_STATE, r->data);
	uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, r->data);

	if (phys)
		field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info, phys);
	if (state > PORT_DOWN) {
		field_put(MADKIT_PORT_INFO_LINK_STATE, port->info, state);
		port_tell_state(r->f, port, was);
	} else if (state || phys) {
		link_train(r->f, port, port);
	}
}

static bool link_ok(const struct request *r, const struct port *port)
{
	uint64_t mtu = field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, r->data);

	return state_ok(r, port) && sma_rates_ok(r, port) &&
	       mtu <= field_get(MADKIT_PORT_INFO_MTU_CAP, port->info) &&
	       field_get(MADKIT_PORT_INFO_LINK_DOWN_DEF_STATE, r->data) <= PHYS_POLLING &&
	       field_get(MADKIT_PORT_INFO_OPER_VLS, r->data) <=
		       field_get(MADKIT_PORT_INFO_VL_CAP, port->info);
}

/* Sets the fields of a switch's external ports. */
static void set_enforcement(const struct request *r, struct port *port)
{
	field_put(MADKIT_PORT_INFO_PART_ENFORCE_INB, port->info,
		  field_get(MADKIT_PORT_INFO_PART_ENFORCE_INB, r->data));
	field_put(MADKIT_PORT_INFO_PART_ENFORCE_OUTB, port->info,
		  field_get(MADKIT_PORT_INFO_PART_ENFORCE_OUTB, r->data));
	fabric_enforce(port);
	field_put(MADKIT_PORT_INFO_FILTER_RAW_INB, port->info,
		  field_get(MADKIT_PORT_INFO_FILTER_RAW_INB, r->data));
	field_put(MADKIT_PORT_INFO_FILTER_RAW_OUTB, port->info,
		  field_get(MADKIT_PORT_INFO_FILTER_RAW_OUTB, r->data));
}

static void set_link(const struct request *r, struct port *port)
{
	static const uint64_t settable[] = {
		MADKIT_PORT_INFO_VL_HIGH_LIMIT,  MADKIT_PORT_INFO_VL_STALL_COUNT, MADKIT_PORT_INFO_HOQ_LIFE,
		MADKIT_PORT_INFO_LOCAL_PHYS_ERR, MADKIT_PORT_INFO_OVERRUN_ERR,
	};
	/* 0 keeps the value of these fields. */
	static const uint64_t unless_zero[] = {
		MADKIT_PORT_INFO_NEIGHBOR_MTU,
		MADKIT_PORT_INFO_LINK_DOWN_DEF_STATE,
		MADKIT_PORT_INFO_OPER_VLS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(settable); i++)
		field_put(settable[i], port->info, field_get(settable[i], r->data));
	for (size_t i = 0; i < ARRAY_SIZE(unless_zero); i++)
		if (field_get(unless_zero[i], r->data))
			field_put(unless_zero[i], port->info, field_get(unless_zero[i], r->data));
	if (is_switch(r->node) && port->number)
		set_enforcement(r, port);
	sma_set_rates(r, port);
	set_state(r, port);
}

/* Checks the fields of end ports. */
static bool end_ok(const struct request *r, const struct port *port)
{
	bool base = is_switch(r->node) && !field_get(MADKIT_SWITCH_INFO_ENHANCED_PORT0, r->node->switch_info);

	return lid_is_unicast(field_get(MADKIT_PORT_INFO_LID, r->data)) &&
	       (lid_is_unicast(field_get(MADKIT_PORT_INFO_SM_LID, r->data)) ||
		field_get(MADKIT_PORT_INFO_SM_LID, r->data) ==
			field_get(MADKIT_PORT_INFO_SM_LID, port->info)) &&
	       !(base && field_get(MADKIT_PORT_INFO_LMC, r->data));
}

static void set_end(const struct request *r, struct port *port)
{
	static const uint64_t settable[] = {
		MADKIT_PORT_INFO_MKEY,
		MADKIT_PORT_INFO_GID_PREFIX,
		MADKIT_PORT_INFO_LID,
		MADKIT_PORT_INFO_SM_LID,
		MADKIT_PORT_INFO_MKEY_LEASE_PERIOD,
		MADKIT_PORT_INFO_PROTECT_BITS,
		MADKIT_PORT_INFO_LMC,
		MADKIT_PORT_INFO_SMSL,
		MADKIT_PORT_INFO_INIT_TYPE,
		MADKIT_PORT_INFO_SUBNET_TIMEOUT,
	};
	/* The port counts violations; a Set can only reset these counters to 0. */
	static const uint64_t counters[] = {
		MADKIT_PORT_INFO_MKEY_VIOLATIONS,
		MADKIT_PORT_INFO_PKEY_VIOLATIONS,
		MADKIT_PORT_INFO_QKEY_VIOLATIONS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(settable); i++)
		field_put(settable[i], port->info, field_get(settable[i], r->data));
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (!field_get(counters[i], r->data))
			field_put(counters[i], port->info, 0);
}

/* The kernel would pass this event to libibverbs; umad has no such event. */
static void report_reregister(struct fabric *f, const struct port *port)
{
	const struct sim_event event = { .kind = EVENT_REREGISTER, .node = port->node, .port = port->number };

	fabric_report(f, &event);
}

/* Each port of a CA or router is managed through itself: the M_Key that was checked is not that of another
 * port. */
static bool sma_may_set(const struct request *r, const struct port *port)
{
	return !r->set || is_switch(r->node) || port == r->end;
}

static int port_info(struct request *r)
{
	uint32_t number = r->modifier & ~(uint32_t)EXTENDED;
	struct port *port;
	bool key_matches = r->key_matches;
	uint64_t reregister;

	if (number > r->node->nports)
		return STATUS_BAD_FIELD;
	if (!number)
		number = r->end->number;
	port = node_port(r->f, r->node, number);
	if (!sma_may_set(r, port))
		return STATUS_BAD_FIELD;
	if (port->end && port != r->end)
		key_matches = r->key == field_get(MADKIT_PORT_INFO_MKEY, port->info);
	if (r->set && (!link_ok(r, port) || (port->end && !end_ok(r, port))))
		return STATUS_BAD_FIELD;
	if (r->set && port->end)
		set_end(r, port);
	if (r->set)
		set_link(r, port);
	reregister = r->set && port->end ? field_get(MADKIT_PORT_INFO_CLIENT_REREGISTER, r->data) : 0;
	if (reregister)
		report_reregister(r->f, port);
	sma_put_data(r, port->info, FABRIC_INFO_BYTES);
	/* Only the response to the Set has this bit, never a Get (IBA o14-12.2.1). */
	field_put(MADKIT_PORT_INFO_CLIENT_REREGISTER, r->data, reregister);
	field_put(MADKIT_PORT_INFO_LOCAL_PORT, r->data, r->in->number);
	/* Hide the M_Key from a requester that does not have it. */
	if (!key_matches && field_get(MADKIT_PORT_INFO_PROTECT_BITS, port->info))
		field_put(MADKIT_PORT_INFO_MKEY, r->data, 0);
	return 0;
}

/* Nodes of Mellanox have this attribute, with zeros at ports without FDR10: opensm logs any other status as
 * an error. A new enabled mask takes effect when the link comes up again. */
static int mlnx_port_info(struct request *r)
{
	struct port *port;
	uint64_t enabled = field_get(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ENABLED, r->data);

	if (r->modifier > r->node->nports)
		return STATUS_BAD_FIELD;
	port = node_port(r->f, r->node, r->modifier ? r->modifier : r->end->number);
	if (!node_is_mellanox(r->node))
		return STATUS_BAD_ATTRIBUTE;
	if (!sma_may_set(r, port) || (r->set && enabled > port->fdr10_supported))
		return STATUS_BAD_FIELD;
	if (r->set)
		port->fdr10_enabled = enabled;
	memset(r->data, 0, FABRIC_INFO_BYTES);
	field_put(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_SUPPORTED, r->data, port->fdr10_supported);
	field_put(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ENABLED, r->data, port->fdr10_enabled);
	field_put(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ACTIVE, r->data, port->fdr10_active);
	return 0;
}

/* Reports no FEC up to FDR and RS-FEC from EDR on; each supported mode is a bit. */
static int port_info_extended(struct request *r)
{
	enum { NO_FEC, RS_FEC = 2 };
	static const uint64_t rs_fec[] = {
		MADKIT_PORT_INFO_EXTENDED_EDRFEC_MODE_SUPPORTED,
		MADKIT_PORT_INFO_EXTENDED_EDRFEC_MODE_ENABLED,
		MADKIT_PORT_INFO_EXTENDED_HDRFEC_MODE_SUPPORTED,
		MADKIT_PORT_INFO_EXTENDED_HDRFEC_MODE_ENABLED,
		MADKIT_PORT_INFO_EXTENDED_NDRFEC_MODE_SUPPORTED,
		MADKIT_PORT_INFO_EXTENDED_NDRFEC_MODE_ENABLED,
	};
	const struct port *port;

	if (!node_has_rsfec(r->f, r->node))
		return STATUS_BAD_ATTRIBUTE;
	if (r->modifier > r->node->nports)
		return STATUS_BAD_FIELD;
	port = node_port(r->f, r->node, r->modifier ? r->modifier : r->end->number);
	memset(r->data, 0, FABRIC_INFO_BYTES);
	field_put(MADKIT_PORT_INFO_EXTENDED_CAP_MASK, r->data,
		  MADKIT_PORT_EXT_CAP_MASK_IS_FEC_MODE_SUPPORTED);
	field_put(MADKIT_PORT_INFO_EXTENDED_FEC_MODE_ACTIVE, r->data,
		  port_rsfec_active(port) ? RS_FEC : NO_FEC);
	field_put(MADKIT_PORT_INFO_EXTENDED_FDRFEC_MODE_SUPPORTED, r->data, 1 << NO_FEC);
	field_put(MADKIT_PORT_INFO_EXTENDED_FDRFEC_MODE_ENABLED, r->data, 1 << NO_FEC);
	for (size_t i = 0; i < ARRAY_SIZE(rs_fec); i++)
		field_put(rs_fec[i], r->data, 1 << RS_FEC);
	return 0;
}

/* Vendor attributes of devices with registers, as programs of the vendor read them before all else. */
static int sma_vendor(struct request *r)
{
	uint8_t data[FABRIC_INFO_BYTES] = { 0 };
	int status = vendor_read_smp(r->f, r->node, r->attribute, r->modifier, data);

	return status ? status : sma_put_data(r, data, sizeof(data));
}

/* ---- requests ----------------------------------------------------------------------------- */

static const struct {
	uint16_t attribute;
	bool settable, of_switches;
	int (*handle)(struct request *r);
} attributes[] = {
	{ MADKIT_ATTR_NODE_DESCRIPTION, false, false, node_description },
	{ MADKIT_ATTR_NODE_INFO, false, false, node_info },
	{ MADKIT_ATTR_SWITCH_INFO, true, true, switch_info },
	{ MADKIT_ATTR_GUID_INFO, true, false, guid_info },
	{ MADKIT_ATTR_PORT_INFO, true, false, port_info },
	{ MADKIT_ATTR_P_KEY_TABLE, true, false, sma_pkey_table },
	{ MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE, true, false, sma_sl2vl },
	{ MADKIT_ATTR_VL_ARBITRATION_TABLE, true, false, sma_vl_arbitration },
	{ MADKIT_ATTR_LINEAR_FORWARDING_TABLE, true, true, sma_linear_table },
	{ MADKIT_ATTR_MULTICAST_FORWARDING_TABLE, true, true, sma_multicast_table },
	{ MADKIT_ATTR_LED_INFO, true, false, sma_led_info },
	{ VENDOR_SMP_GENERAL_INFO, false, false, sma_vendor },
	{ MADKIT_ATTR_MLNX_CONFIG_SPACE_ACCESS, false, false, sma_vendor },
	{ MADKIT_ATTR_MLNX_EXTENDED_PORT_INFO, true, false, mlnx_port_info },
	{ MADKIT_ATTR_PORT_INFO_EXTENDED, false, false, port_info_extended },
};

static int sma_dispatch(struct request *r, uint16_t attribute)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (attributes[i].attribute != attribute)
			continue;
		if ((r->set && !attributes[i].settable) || (attributes[i].of_switches && !is_switch(r->node)))
			break;
		return attributes[i].handle(r);
	}
	return STATUS_BAD_ATTRIBUTE;
}

void sma_count_violation(struct port *end, uint64_t which)
{
	uint64_t n = field_get(which, end->info);

	if (n != 0xffff)
		field_put(which, end->info, n + 1);
}

/*
 * Checks the M_Key (IBA volume 1, section 14.2.4). A Get needs no key if the protection is below 2. Each
 * other SMP without the key counts a violation and starts the lease; when the lease ends, the protection is
 * cleared.
 */
static bool key_ok(struct request *r, const uint8_t *mad)
{
	struct port *end = r->end;
	uint64_t key = field_get(MADKIT_PORT_INFO_MKEY, end->info), lease;

	if (end->lease && r->f->now >= end->lease_end) {
		end->lease = false;
		field_put(MADKIT_PORT_INFO_PROTECT_BITS, end->info, 0);
	}
	r->key = get_be64(mad + MADKIT_SMP_MKEY);
	r->key_matches = !key || r->key == key;
	if (r->key_matches) {
		end->lease = false;
		return true;
	}
	if (mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_GET &&
	    field_get(MADKIT_PORT_INFO_PROTECT_BITS, end->info) < 2)
		return true;
	sma_count_violation(end, MADKIT_PORT_INFO_MKEY_VIOLATIONS);
	lease = field_get(MADKIT_PORT_INFO_MKEY_LEASE_PERIOD, end->info);
	if (lease && !end->lease) {
		end->lease = true;
		end->lease_end = r->f->now + lease * NS_PER_S;
	}
	return false;
}

enum sma_result sma_handle(struct fabric *f, struct port *end, struct port *in, uint8_t *mad)
{
	struct request r = {
		.f = f,
		.node = &f->nodes[end->node],
		.end = end,
		.in = in,
		.data = mad + MADKIT_SMP_DATA,
	};
	struct madkit_header h;
	int status;

	madkit_header_get(mad, MADKIT_MAD_BYTES, &h);
	if (smp_is_for_programs(end, mad))
		return SMA_NOT_MINE;
	r.modifier = h.modifier;
	r.attribute = h.attribute;
	r.set = h.method == MADKIT_METHOD_SET;
	if (h.class_version != 1)
		status = STATUS_BAD_VERSION;
	else if (!key_ok(&r, mad))
		return SMA_REFUSED;
	else if (h.method == MADKIT_METHOD_TRAP_REPRESS && h.attribute == MADKIT_ATTR_NOTICE) {
		trap_repress(end, mad);
		return SMA_DONE;
	} else if (h.method == MADKIT_METHOD_TRAP_REPRESS)
		status = STATUS_BAD_ATTRIBUTE;
	else if (h.method != MADKIT_METHOD_GET && h.method != MADKIT_METHOD_SET)
		status = STATUS_BAD_METHOD;
	else
		status = sma_dispatch(&r, h.attribute);
	fabric_respond(mad, (uint16_t)status);
	return SMA_ANSWER;
}
