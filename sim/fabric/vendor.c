/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The vendor class of Mellanox: GeneralInfo, which has the version of the firmware and the PSID of the board. */
#include <errno.h>
#include "sim/fabric/internal.h"
#include "wire/status.h"

bool vendor_is_asked(const struct node *node, const uint8_t *mad)
{
	return node->firmware.known && mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_MLNX &&
	       mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_GET &&
	       get_be16(mad + MADKIT_MAD_ATTRIBUTE) == MADKIT_ATTR_GENERAL_INFO;
}

void vendor_answer(const struct node *node, uint8_t *mad)
{
	const struct {
		uint64_t field, extended;
	} fields[] = {
		{ MADKIT_GENERAL_INFO_FW_MAJOR, MADKIT_GENERAL_INFO_FW_EXT_MAJOR },
		{ MADKIT_GENERAL_INFO_FW_MINOR, MADKIT_GENERAL_INFO_FW_EXT_MINOR },
		{ MADKIT_GENERAL_INFO_FW_SUB_MINOR, MADKIT_GENERAL_INFO_FW_EXT_SUB_MINOR },
	};
	uint8_t *data = mad + MADKIT_MLNX_DATA;

	memset(data, 0, MADKIT_MAD_BYTES - MADKIT_MLNX_DATA);
	field_put(MADKIT_GENERAL_INFO_HW_DEVICE_ID, data, field_get(MADKIT_NODE_INFO_DEV_ID, node->info));
	/* the first fields are too narrow for recent versions, and have the lowest bits */
	for (size_t i = 0; i < 3; i++) {
		field_put(fields[i].field, data, node->firmware.version[i] & 0xff);
		field_put(fields[i].extended, data, node->firmware.version[i]);
	}
	memcpy(data + field_at(MADKIT_GENERAL_INFO_FWPSID), node->firmware.psid, sizeof(node->firmware.psid));
	fabric_respond(mad, mad[MADKIT_MAD_CLASS_VERSION] == 1 ? 0 : STATUS_BAD_VERSION);
}

int fabric_set_firmware(struct fabric *f, uint32_t node, const struct fabric_firmware *firmware)
{
	if (node >= f->nnodes || !node_is_mellanox(&f->nodes[node]))
		return -EINVAL;
	f->nodes[node].firmware = *firmware;
	f->nodes[node].firmware.known = true;
	return 0;
}
