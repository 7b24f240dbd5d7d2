/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The vendor class of Mellanox: GeneralInfo, which has the version of the firmware and the PSID of the board, and
 * registers.
 */
#include <errno.h>
#include "sim/fabric/device.h"
#include "sim/fabric/misbehaviour.h"
#include "sim/fabric/phy.h"
#include "sim/fabric/registers.h"
#include "util/array_size.h"
#include "wire/status.h"

enum {
	VENDOR_ACCESS_REGISTER = 1 << 20, /* a bit of CapabilityMask */
	VENDOR_ADDRESS_ID = 0x0f010014,   /* modifier: a dword at the address 0xf0014, the ID of the device */
};

static void vendor_general_info(const struct fabric *f, const struct node *node, uint8_t *data)
{
	struct fabric_firmware firmware;
	const struct {
		uint64_t field, extended;
	} fields[] = {
		{ MADKIT_GENERAL_INFO_FW_MAJOR, MADKIT_GENERAL_INFO_FW_EXT_MAJOR },
		{ MADKIT_GENERAL_INFO_FW_MINOR, MADKIT_GENERAL_INFO_FW_EXT_MINOR },
		{ MADKIT_GENERAL_INFO_FW_SUB_MINOR, MADKIT_GENERAL_INFO_FW_EXT_SUB_MINOR },
	};

	device_firmware(node, &firmware);
	memset(data, 0, MADKIT_MAD_BYTES - MADKIT_MLNX_DATA);
	field_put(MADKIT_GENERAL_INFO_HW_REVISION, data, DEVICE_REVISION);
	field_put(MADKIT_GENERAL_INFO_HW_DEVICE_ID, data, device_id(node));
	field_put(MADKIT_GENERAL_INFO_HW_UP_TIME, data, phy_uptime_ms(f) / 1000);
	/* the first fields are too narrow for recent versions, and have the lowest bits */
	for (size_t i = 0; i < 3; i++) {
		field_put(fields[i].field, data, firmware.version[i] & 0xff);
		field_put(fields[i].extended, data, firmware.version[i]);
	}
	memcpy(data + field_at(MADKIT_GENERAL_INFO_FWPSID), firmware.psid, sizeof(firmware.psid));
	if (node->device && !(node->misbehaves && node->misbehaves->off))
		field_put(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data, VENDOR_ACCESS_REGISTER);
}

/* Answers the only read of the configuration space that does not need a key: programs read the ID before all else. */
static int vendor_config_space(const struct node *node, uint32_t modifier, uint8_t *data)
{
	if (modifier != VENDOR_ADDRESS_ID)
		return STATUS_BAD_ATTRIBUTE;
	put_be32(data, DEVICE_REVISION << 16 | node->device->hardware);
	return 0;
}

int vendor_read_smp(const struct fabric *f, const struct node *node, uint16_t attribute, uint32_t modifier,
		    uint8_t *data)
{
	/* parts of GeneralInfo, by the modifier: hardware, firmware, software */
	static const struct {
		uint8_t at, bytes;
	} parts[] = { { 0, 32 }, { 32, 64 }, { 96, 32 } };
	uint8_t info[MADKIT_MAD_BYTES];

	if (!node->device)
		return STATUS_BAD_ATTRIBUTE;
	if (attribute == MADKIT_ATTR_MLNX_CONFIG_SPACE_ACCESS)
		return vendor_config_space(node, modifier,
					   data + field_at(MADKIT_MLNX_CONFIG_SPACE_ACCESS_DWORD));
	if (modifier >= ARRAY_SIZE(parts))
		return STATUS_BAD_FIELD;
	vendor_general_info(f, node, info);
	memcpy(data, info + parts[modifier].at, parts[modifier].bytes);
	return 0;
}

static int vendor_dispatch(struct fabric *f, struct port *end, uint8_t *mad)
{
	const struct node *node = &f->nodes[end->node];
	const uint32_t modifier = get_be32(mad + MADKIT_MAD_MODIFIER);
	const bool off = node->misbehaves && node->misbehaves->off;
	uint8_t *data = mad + MADKIT_MLNX_DATA;

	if (mad[MADKIT_MAD_CLASS_VERSION] != 1)
		return STATUS_BAD_VERSION;
	if (mad[MADKIT_MAD_METHOD] != MADKIT_METHOD_GET)
		return STATUS_BAD_ATTRIBUTE;
	switch (get_be16(mad + MADKIT_MAD_ATTRIBUTE)) {
	case MADKIT_ATTR_GENERAL_INFO:
		vendor_general_info(f, node, data);
		return 0;
	case MADKIT_ATTR_CONFIG_SPACE_ACCESS:
		return vendor_config_space(node, modifier, data);
	case MADKIT_ATTR_ACCESS_REGISTER_GMP:
		return off ? STATUS_BAD_ATTRIBUTE : registers_answer(f, end, mad);
	default:
		return STATUS_BAD_ATTRIBUTE;
	}
}

bool vendor_answer(struct fabric *f, struct port *end, uint8_t *mad)
{
	const struct misbehaviour *m = f->nodes[end->node].misbehaves;
	const bool refused = m && m->keyed && field_get(MADKIT_HEADER_MLNX_V_KEY, mad) != m->key;

	if (refused && !m->key_status)
		return false;
	fabric_respond(mad, refused ? m->key_status : (uint16_t)vendor_dispatch(f, end, mad));
	return true;
}

int fabric_set_firmware(struct fabric *f, uint32_t node, const struct fabric_firmware *firmware)
{
	if (node >= f->nnodes || (!f->nodes[node].device && !node_is_mellanox(&f->nodes[node])))
		return -EINVAL;
	f->nodes[node].firmware = *firmware;
	f->nodes[node].firmware.known = true;
	return 0;
}
