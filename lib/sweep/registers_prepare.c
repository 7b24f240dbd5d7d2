/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include "sweep/registers_prepare.h"
#include "sweep/registers_trust.h"
#include "util/array.h"
#include "util/array_size.h"
#include "wire/access.h"

enum {
	PREPARE_REFUSALS = 16, /* of PortMapping by status 20: the device does not have the register */
	PREPARE_NODES = 3, /* of a type, that did not respond to its checks or refused them: it is left out */
};

/* The number of local ports by device. Ports without an IB port are refused, or have IB port 0. */
static const struct {
	uint16_t device;
	uint8_t ports;
} prepare_ports[] = {
	{ 52000, 36 },  /* Switch-IB */
	{ 53000, 36 },  /* Switch-IB 2 */
	{ 54000, 82 },  /* Quantum */
	{ 54002, 130 }, /* Quantum-2 */
	{ 54004, MADKIT_REGISTERS_LOCAL_PORTS },
};

static unsigned int prepare_last_port(const struct madkit_registers *r, uint32_t node)
{
	const uint16_t device = r->types[r->nodes[node].known.type].known.device;

	for (size_t i = 0; i < ARRAY_SIZE(prepare_ports); i++)
		if (prepare_ports[i].device == device)
			return prepare_ports[i].ports;
	return MADKIT_REGISTERS_LOCAL_PORTS;
}

/* Returns the local port that is asked for next: all from 1 on or, for one port, the nearest to its number. 0: there are no
 * more. */
static unsigned int prepare_next_port(const struct madkit_registers *r, uint32_t node)
{
	const struct registers_node *n = &r->nodes[node];
	const unsigned int last = prepare_last_port(r, node);
	unsigned int seen = 0;

	if (!n->only)
		return n->local < last ? n->local + 1u : 0;
	for (unsigned int distance = 0; distance <= last + UINT8_MAX; distance++)
		for (unsigned int below = 0; below <= (distance > 0); below++) {
			const unsigned int local = below ? n->only - distance : n->only + distance;

			/* a number below 1 has wrapped around */
			if (local && local <= last && seen++ == n->tried)
				return local;
		}
	return 0;
}

/* ---- types --------------------------------------------------------------------------- */

/* Reads the firmware of GeneralInfo: three numbers of 32 bits, or of 8 in older devices. */
static void prepare_firmware(const uint8_t *data, uint32_t firmware[3])
{
	firmware[0] = (uint32_t)field_get(MADKIT_GENERAL_INFO_FW_EXT_MAJOR, data);
	firmware[1] = (uint32_t)field_get(MADKIT_GENERAL_INFO_FW_EXT_MINOR, data);
	firmware[2] = (uint32_t)field_get(MADKIT_GENERAL_INFO_FW_EXT_SUB_MINOR, data);
	if (firmware[0] || firmware[1] || firmware[2])
		return;
	firmware[0] = (uint32_t)field_get(MADKIT_GENERAL_INFO_FW_MAJOR, data);
	firmware[1] = (uint32_t)field_get(MADKIT_GENERAL_INFO_FW_MINOR, data);
	firmware[2] = (uint32_t)field_get(MADKIT_GENERAL_INFO_FW_SUB_MINOR, data);
}

static bool prepare_is_type(const struct madkit_registers_type *t, const struct madkit_registers_type *other)
{
	return t->device == other->device && t->hw_device == other->hw_device &&
	       !memcmp(t->firmware, other->firmware, sizeof(t->firmware));
}

/* Finds or adds the type of a node. Returns its number, or UINT32_MAX if memory ran out. */
static uint32_t prepare_type(struct madkit_registers *r, uint32_t node, const uint8_t *data)
{
	struct madkit_registers_type type = {
		.device = madkit_sweep_node(r->sweep, node)->device,
		.hw_device = (uint16_t)field_get(MADKIT_GENERAL_INFO_HW_DEVICE_ID, data),
		.nodes = 1,
		.node = MADKIT_SWEEP_NONE,
	};

	if (!type.device)
		type.device = type.hw_device;
	prepare_firmware(data, type.firmware);
	for (uint32_t i = 0; i < r->ntypes; i++) {
		if (!prepare_is_type(&r->types[i].known, &type))
			continue;
		r->types[i].known.nodes++;
		return i;
	}
	if (array_room(&r->types, &r->cap, r->ntypes, 1, sizeof(*r->types)))
		return UINT32_MAX;
	REGISTERS_PRINT(type.name, "MT%u %" PRIu32 ".%" PRIu32 ".%04" PRIu32, type.device, type.firmware[0],
			type.firmware[1], type.firmware[2]);
	r->types[r->ntypes] = (struct registers_type){ .known = type };
	return r->ntypes++;
}

/* ---- GeneralInfo ----------------------------------------------------------------------- */

/* The ports of a switch are mapped next; a CA needs no map. Returns 0 or -ENOMEM. */
static int prepare_begin_ports(struct madkit_registers *r, uint32_t node)
{
	struct registers_node *n = &r->nodes[node];
	const struct madkit_sweep_node *of = madkit_sweep_node(r->sweep, node);

	n->stage = REGISTERS_TRUST;
	if (of->type != MADKIT_NODE_TYPE_SWITCH)
		return 0;
	n->stage = REGISTERS_PORTS;
	n->local = (uint8_t)prepare_next_port(r, node);
	n->local_of = calloc(of->nports + 1u, 1);
	return n->local_of ? 0 : -ENOMEM;
}

static int prepare_take_general(struct madkit_registers *r, uint32_t node, const struct registers_answer *a)
{
	static const char refused[] = "it refused GeneralInfo",
			  none[] = "its GeneralInfo does not have IsAccessRegisterGMPSupported";
	struct registers_node *n = &r->nodes[node];

	if (a->status) {
		registers_settle(n, MADKIT_REGISTERS_MISSING, a->status, refused);
		return 0;
	}
	if (!(field_get(MADKIT_GENERAL_INFO_CAPABILITY_MASK, a->data) &
	      MADKIT_MLNX_GENERAL_CAP_IS_ACCESS_REGISTER_GMP_SUPPORTED)) {
		registers_settle(n, MADKIT_REGISTERS_MISSING, 0, none);
		return 0;
	}
	madkit_get_bytes(a->data, a->len, MADKIT_GENERAL_INFO_FWPSID, n->psid, sizeof(n->psid));
	n->known.type = prepare_type(r, node, a->data);
	return n->known.type == UINT32_MAX ? -ENOMEM : prepare_begin_ports(r, node);
}

/* ---- PortMapping ----------------------------------------------------------------------- */

/* Keeps the local port of an IB port. If two local ports claim the same IB port, neither is used. */
static void prepare_map(struct registers_node *n, const struct madkit_sweep_node *of, uint64_t ib_port)
{
	if (!ib_port || ib_port > of->nports)
		return;
	n->found += !n->local_of[ib_port];
	n->local_of[ib_port] = n->local_of[ib_port] ? REGISTERS_SEVERAL : n->local;
}

/* Checks if a response to PortMapping is about the node, not about one local port. It has been asked several times
 * before it stays busy. */
static bool prepare_is_refused(const struct registers_node *n, uint16_t status)
{
	switch (status) {
	case 0:
	case REGISTERS_BAD_PARAMETER:
		return false;
	case REGISTERS_NO_REGISTER:
		return n->refusals >= PREPARE_REFUSALS;
	case MADKIT_STATUS_BUSY:
	case REGISTERS_NO_CLASS:
	case REGISTERS_NO_METHOD:
		return true;
	default:
		return !n->found;
	}
}

static void prepare_take_port(struct madkit_registers *r, uint32_t node, const struct registers_answer *a)
{
	struct registers_node *n = &r->nodes[node];
	const struct madkit_sweep_node *of = madkit_sweep_node(r->sweep, node);
	unsigned int next;

	n->refusals += !n->found && a->status == REGISTERS_NO_REGISTER;
	if (prepare_is_refused(n, a->status)) {
		registers_settle(n, MADKIT_REGISTERS_REFUSED, a->status, "it refused PortMapping");
		return;
	}
	if (!a->status)
		prepare_map(n, of, field_get(MADKIT_PORT_MAPPING_IB_PORT, a->data));
	n->tried++;
	next = prepare_next_port(r, node);
	if (!next || (n->only ? n->local_of[n->only] > 0 : n->found == of->nports)) {
		n->stage = REGISTERS_TRUST;
		if (n->only ? !n->local_of[n->only] : !n->found)
			registers_settle(n, MADKIT_REGISTERS_REFUSED, a->status,
					 a->status ? "it refused PortMapping" :
						     "PortMapping has no local port for its ports");
	}
	n->local = (uint8_t)next;
}

/* ---- requests --------------------------------------------------------------------------- */

/* The checks of the type: by this node, if no other one has begun. */
static enum registers_turn prepare_trust(struct madkit_registers *r, uint32_t node, uint8_t *mad)
{
	struct registers_node *n = &r->nodes[node];
	struct registers_type *t = &r->types[n->known.type];

	if (!t->known.judged && (t->known.node == MADKIT_SWEEP_NONE || t->passed))
		registers_trust_begin(t, node);
	if (!t->known.judged && t->known.node != node)
		return REGISTERS_WAIT;
	if (!t->known.judged && registers_trust_next(r, t, mad))
		return REGISTERS_SEND;
	registers_settle(n, MADKIT_REGISTERS_READY, 0, NULL);
	return REGISTERS_OVER;
}

enum registers_turn registers_next(struct madkit_registers *r, uint32_t node, uint8_t *mad)
{
	struct registers_node *n = &r->nodes[node];

	if (n->stage == REGISTERS_DONE)
		return REGISTERS_OVER;
	if (n->stage == REGISTERS_TRUST)
		return prepare_trust(r, node, mad);
	registers_fill(mad, MADKIT_CLASS_MLNX, n->stage == REGISTERS_PORTS ? r->mapping : r->general);
	if (n->stage == REGISTERS_PORTS)
		madkit_registers_select(r->mapping, n->local, mad + MADKIT_MLNX_DATA,
					MADKIT_MAD_BYTES - MADKIT_MLNX_DATA);
	return REGISTERS_SEND;
}

/* One node that refuses says nothing about its type: another one checks it, if there are not too many of them. */
static void prepare_take_check(struct madkit_registers *r, uint32_t node, const struct registers_answer *a)
{
	struct registers_node *n = &r->nodes[node];
	struct registers_type *t = &r->types[n->known.type];
	uint16_t status;

	registers_trust_take(r, t, a);
	status = registers_trust_refused(t);
	if (!status || t->given_up + 1 >= PREPARE_NODES)
		return;
	t->given_up++;
	t->passed = true;
	r->news++;
	registers_settle(n, MADKIT_REGISTERS_REFUSED, status, "it refused LinkModes and DeviceInfo");
}

int registers_take(struct madkit_registers *r, uint32_t node, const uint8_t *mad, size_t len, bool mismatch)
{
	struct registers_node *n = &r->nodes[node];
	struct registers_answer a = { .invalid = mismatch || len < MADKIT_HEADER_BYTES };
	size_t wanted, offset = len;

	if (!a.invalid) {
		a.status = get_be16(mad + MADKIT_MAD_STATUS);
		offset = registers_data_offset(mad[MADKIT_MAD_CLASS]);
	}
	if (len > offset) {
		a.data = mad + offset;
		a.len = len - offset;
	}
	if (n->stage == REGISTERS_TRUST)
		prepare_take_check(r, node, &a);
	if (n->stage >= REGISTERS_TRUST)
		return 0;
	wanted = n->stage == REGISTERS_GENERAL ? at_offset(MADKIT_GENERAL_INFO_CAPABILITY_MASK) / 8 + 4 :
						 r->mapping->bytes;
	if (a.invalid || (!a.status && a.len < wanted)) {
		registers_settle(n, MADKIT_REGISTERS_INVALID, 0,
				 n->stage == REGISTERS_GENERAL ? "its answer to GeneralInfo is not valid" :
								 "its answer to PortMapping is not valid");
		return 0;
	}
	if (n->stage == REGISTERS_GENERAL)
		return prepare_take_general(r, node, &a);
	prepare_take_port(r, node, &a);
	return 0;
}

static void prepare_be_silent(struct registers_node *n)
{
	n->silent = n->stage;
	registers_settle(n, MADKIT_REGISTERS_SILENT, 0, "the node does not respond");
}

bool registers_give_up(struct madkit_registers *r, uint32_t node)
{
	struct registers_node *n = &r->nodes[node];
	struct registers_type *t = n->known.type < r->ntypes ? &r->types[n->known.type] : NULL;
	const struct registers_answer none = { .silent = true };

	/* silence may be the answer to the register that the caller asks for */
	if (n->stage == REGISTERS_DONE)
		return false;
	if (n->stage != REGISTERS_TRUST || !t || t->known.node != node || t->known.judged) {
		prepare_be_silent(n);
		return false;
	}
	/* ... or to this one */
	if (t->responded || t->step < REGISTERS_STEP_DEVICE_INFO || t->given_up + 1 >= PREPARE_NODES) {
		registers_trust_take(r, t, &none);
		return true;
	}
	t->given_up++;
	t->known.node = MADKIT_SWEEP_NONE;
	r->news++;
	prepare_be_silent(n);
	return false;
}

void registers_retry(struct madkit_registers *r)
{
	for (uint32_t i = 0; i < r->nnodes; i++) {
		struct registers_node *n = &r->nodes[i];

		if (n->known.state != MADKIT_REGISTERS_SILENT || n->silent == REGISTERS_GENERAL)
			continue;
		registers_settle(n, MADKIT_REGISTERS_UNKNOWN, 0, NULL);
		n->stage = n->silent;
	}
}

void registers_pass_on(struct madkit_registers *r)
{
	for (uint32_t i = 0; i < r->ntypes; i++)
		if (!r->types[i].known.judged)
			r->types[i].known.node = MADKIT_SWEEP_NONE;
	r->news++;
}

/* ---- one port, for a caller who sends the requests -------------------------------------- */

int madkit_registers_begin(struct madkit_registers *r, uint32_t node, unsigned int port)
{
	if (!r || node >= r->nnodes || !port || port > madkit_sweep_node(r->sweep, node)->nports ||
	    r->nodes[node].stage != REGISTERS_GENERAL)
		return -EINVAL;
	r->nodes[node].only = (uint8_t)port;
	return 0;
}

bool madkit_registers_next(struct madkit_registers *r, uint32_t node, uint8_t mad[MADKIT_MAD_BYTES])
{
	return r && node < r->nnodes && registers_next(r, node, mad) == REGISTERS_SEND;
}

int madkit_registers_take(struct madkit_registers *r, uint32_t node, const uint8_t *mad, size_t len,
			  bool mismatch)
{
	if (!r || node >= r->nnodes || r->nodes[node].stage == REGISTERS_DONE)
		return -EINVAL;
	if (mad)
		return registers_take(r, node, mad, len, mismatch);
	registers_give_up(r, node);
	return 0;
}
