/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The constants of madkit/constants.h are those of the tables, and the fields of libibmad. */
#include <errno.h>
#include <infiniband/mad.h>
#include <madkit/madkit.h>
#define RANDOM_SEED UINT64_C(0x6d61646b6974)
#include "tests/random.h"
#include "tests/tap.h"
#include "util/array_size.h"
#include "wire/tables/tables.h"

/* tests/unit/constants_list.h is made by lib/wire/constants.awk, as the header is. */
#define X(constant, layout, field) { constant, #constant, layout, field },
static const struct {
	uint64_t at;
	const char *constant, *layout, *field;
} constants[] = {
#include "tests/unit/constants_list.h"
};
#undef X

static bool constant_seen[ARRAY_SIZE(constants)];
static unsigned int complaints;

/* Marks the constants of a field: at least one has to be there. */
static void constant_find(const char *layout, const char *path, uint64_t at)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (constants[i].at != at || strcmp(constants[i].layout, layout) ||
		    strcmp(constants[i].field, path))
			continue;
		constant_seen[i] = true;
		found = true;
	}
	if (!found && ++complaints <= 20)
		printf("# %s %s: no constant is 0x%016" PRIx64 "\n", layout, path, at);
}

/* The fields from part on, with names that begin with prefix; outer: of an array of structures, or NULL. */
static void constants_of(const struct madkit_layout *layout, const struct madkit_field *fields, size_t n,
			 const char *prefix, uint32_t base, const struct madkit_field *outer,
			 unsigned int begin, bool components)
{
	/* the start from which positions count; IDs of layouts of headers begin with a small letter */
	unsigned int origin = layout == &madkit_layout_port_object ||
					      layout == &madkit_layout_problem_object ||
					      layout == &madkit_layout_difference_object ?
				      MADKIT_AT_PORT_OBJECT :
			      layout->name[0] >= 'a' ? MADKIT_AT_HEADER :
						       0;

	for (size_t i = 0; i < n; i++) {
		const struct madkit_field *f = &fields[i];
		const struct madkit_field *array = outer ? outer : f;
		bool is_struct = f->kind == MADKIT_KIND_STRUCT;
		unsigned int component = f->component && components ? begin + f->component : 0;
		char path[MADKIT_PATH_MAX];

		if (f->kind == MADKIT_KIND_RESERVED)
			continue;
		snprintf(path, sizeof(path), "%s%s", prefix, f->name);
		constant_find(layout->name, path,
			      MADKIT_AT_FULL(base + f->offset, f->width, array->count,
					     !array->count ? 0 :
					     array->stride ? array->stride :
							     array->width,
					     origin    ? origin :
					     is_struct ? 0 :
							 component,
					     f->components == 2));
		if (!is_struct)
			continue;
		strncat(path, ".", sizeof(path) - strlen(path) - 1);
		constants_of(layout, f->sub->fields, f->sub->nfields, path, base + f->offset,
			     f->count ? f : outer, component, component);
	}
}

static void constants_of_layout(const struct madkit_layout *layout)
{
	if (!layout)
		return;
	constants_of(layout, layout->fields, layout->nfields, "", 0, NULL, 0, true);
	constants_of(layout, layout->spans, layout->nspans, "", 0, NULL, 0, true);
}

static void test_tables(void)
{
	size_t nclasses;
	const struct madkit_class *classes = madkit_classes(&nclasses);
	unsigned int missing = 0;

	constants_of_layout(&madkit_layout_header);
	constants_of_layout(&madkit_layout_header_dr);
	constants_of_layout(&madkit_layout_rmpp);
	constants_of_layout(madkit_attribute_class_port_info_opa.layout);
	constants_of_layout(&madkit_layout_port_object);
	constants_of_layout(&madkit_layout_problem_object);
	constants_of_layout(&madkit_layout_difference_object);
	for (size_t c = 0; c < nclasses; c++) {
		constants_of_layout(classes[c].header);
		for (size_t a = 0; a < classes[c].nattributes; a++) {
			const struct madkit_attribute *attribute = &classes[c].attributes[a];

			constants_of_layout(attribute->layout);
			for (unsigned int e = 0; e < attribute->neditions; e++)
				constants_of_layout(attribute->editions[e].layout);
		}
	}
	is_u64(complaints, 0, "each field of the tables has its constant");
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (!constant_seen[i] && ++missing <= 20)
			printf("# %s is no field of %s\n", constants[i].constant, constants[i].layout);
	is_u64(missing, 0, "each of %zu constants is a field of the tables", ARRAY_SIZE(constants));
	ok(ARRAY_SIZE(constants) > 1000, "there are more than 1000");
}

/* libibmad has the same positions under different names. */
static void test_libibmad(void)
{
	static const struct {
		enum MAD_FIELDS theirs;
		uint64_t ours;
	} pairs[] = {
		{ IB_NODE_TYPE_F, MADKIT_NODE_INFO_NODE_TYPE },
		{ IB_NODE_NPORTS_F, MADKIT_NODE_INFO_NUM_PORTS },
		{ IB_NODE_GUID_F, MADKIT_NODE_INFO_GUID },
		{ IB_NODE_DEVID_F, MADKIT_NODE_INFO_DEV_ID },
		{ IB_NODE_VENDORID_F, MADKIT_NODE_INFO_VENDOR_ID },
		{ IB_PORT_LID_F, MADKIT_PORT_INFO_LID },
		{ IB_PORT_STATE_F, MADKIT_PORT_INFO_LINK_STATE },
		{ IB_PORT_LMC_F, MADKIT_PORT_INFO_LMC },
		{ IB_PORT_CAPMASK_F, MADKIT_PORT_INFO_CAP_MASK },
		{ IB_PORT_LINK_SPEED_EXT_ENABLED_F, MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED },
		{ IB_SW_LINEAR_FDB_TOP_F, MADKIT_SWITCH_INFO_LINEAR_FDB_TOP },
		{ IB_SW_STATE_CHANGE_F, MADKIT_SWITCH_INFO_STATE_CHANGE },
		{ IB_SMINFO_PRIO_F, MADKIT_SM_INFO_PRIORITY },
		{ IB_PC_ERR_SYM_F, MADKIT_PORT_COUNTERS_SYMBOL_ERROR_COUNTER },
		{ IB_PC_XMT_WAIT_F, MADKIT_PORT_COUNTERS_PORT_XMIT_WAIT },
		{ IB_PC_EXT_XMT_BYTES_F, MADKIT_PORT_COUNTERS_EXTENDED_PORT_XMIT_DATA },
		{ IB_SA_PR_DLID_F, MADKIT_PATH_RECORD_DLID },
		{ IB_SA_PR_SL_F, MADKIT_PATH_RECORD_SL },
		{ IB_SA_MCM_QKEY_F, MADKIT_MC_MEMBER_RECORD_Q_KEY },
		{ IB_SA_SR_LEASE_F, MADKIT_SERVICE_RECORD_SERVICE_LEASE },
	};
	uint8_t theirs[256], ours[256];
	unsigned int wrong = 0;
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		unsigned int width = pairs[i].ours >> 16 & 0xffff;
		bool wide = width > 32;

		random_bytes(theirs, sizeof(theirs));
		memcpy(ours, theirs, sizeof(ours));
		wrong += madkit_get(ours, sizeof(ours), pairs[i].ours, &value) ||
			 value != (wide ? mad_get_field64(theirs, 0, pairs[i].theirs) :
					  mad_get_field(theirs, 0, pairs[i].theirs));
		value = random64() >> (64 - width);
		if (wide)
			mad_set_field64(theirs, 0, pairs[i].theirs, value);
		else
			mad_set_field(theirs, 0, pairs[i].theirs, (uint32_t)value);
		wrong += madkit_put(ours, sizeof(ours), pairs[i].ours, value) ||
			 memcmp(ours, theirs, sizeof(ours));
	}
	is_u64(wrong, 0, "libibmad gets and sets the same bits");
}

static void test_values(void)
{
	is_u64(MADKIT_ATTR_NODE_INFO, IB_ATTR_NODE_INFO, "NodeInfo");
	is_u64(MADKIT_ATTR_PATH_RECORD, IB_SA_ATTR_PATHRECORD, "PathRecord");
	is_u64(MADKIT_ATTR_PORT_COUNTERS_EXTENDED, IB_GSI_PORT_COUNTERS_EXT, "PortCountersExtended");
	is_u64(MADKIT_NODE_TYPE_CHANNEL_ADAPTER, IB_NODE_CA, "a channel adapter");
	is_u64(MADKIT_NODE_TYPE_SWITCH, IB_NODE_SWITCH, "a switch");
	is_u64(MADKIT_PORT_STATE_ACTIVE, 4, "an active port");
	is_u64(MADKIT_CAP_MASK_IS_SM, 1u << 1, "IsSM");
	is_u64(MADKIT_CAP_MASK_IS_HIERARCHY_INFO_SUPPORTED, 1u << 31, "the highest bit");
}

static void test_access(void)
{
	static const uint8_t zero[16];
	uint8_t data[64] = { 0 }, gid[16] = { 0xfe, 0x80 };
	uint64_t value = 7, weight = MADKIT_VL_ARBITRATION_TABLE_BLOCK_WEIGHT;

	is_int(madkit_put(data, 64, MADKIT_PORT_INFO_LINK_STATE, 3), 0, "four bits are set");
	is_u64(data[32], 0x03, "... where they are, alone");
	is_int(madkit_put(data, 64, MADKIT_PORT_INFO_LINK_STATE, 16), -ERANGE, "a value with too many bits");
	is_int(madkit_get(data, 33, MADKIT_PORT_INFO_LINK_STATE, &value), 0, "enough bytes");
	is_u64(value, 3, "... read back");
	value = 7;
	is_int(madkit_get(data, 32, MADKIT_PORT_INFO_LINK_STATE, &value), -ENODATA, "a byte too few");
	is_int(madkit_get(data, 64, MADKIT_PATH_RECORD_DGID, &value), -EINVAL, "more than 64 bits");
	is_int(madkit_get(data, 64, MADKIT_GUID_INFO_GUID, &value), -EINVAL, "an array");
	is_int(madkit_get(data, 64, madkit_element(MADKIT_GUID_INFO_GUID, 8), &value), -ERANGE,
	       "an element too many");
	is_int(madkit_get(data, 64, madkit_element(MADKIT_NODE_INFO_GUID, 0), &value), -ERANGE,
	       "an element of a field that is not an array");
	is_u64(value, 7, "failures leave the value alone");
	memset(data, 0, sizeof(data));
	is_int(madkit_put(data, 64, madkit_element(weight, 31), 0xab), 0,
	       "the last of an array of structures");
	is_u64(data[63], 0xab, "... where it is");
	is_int(madkit_put_bytes(data, 64, MADKIT_PATH_RECORD_DGID, gid, 16), 0, "a GID");
	is_u64(data[8] << 8 | data[9], 0xfe80, "... where it is");
	is_int(madkit_get_bytes(data, 23, MADKIT_PATH_RECORD_DGID, gid, 16), -ENODATA, "cut");
	is_int(madkit_get_bytes(data, 64, MADKIT_PATH_RECORD_DGID, gid, 15), -ERANGE, "room for less");
	is_int(madkit_put_bytes(data, 64, MADKIT_PATH_RECORD_DGID, gid, 17), -ERANGE, "bytes too many");
	is_int(madkit_put_bytes(data, 64, MADKIT_PORT_INFO_LINK_STATE, gid, 1), -EINVAL, "half a byte");
	is_int(madkit_put_bytes(data, 64, MADKIT_PATH_RECORD_DGID, NULL, 0), 0, "nothing");
	is_int(madkit_get_bytes(data, 24, MADKIT_PATH_RECORD_DGID, gid, 16), 0, "... and its bytes");
	ok(!memcmp(gid, zero, 16), "... are zeros");
}

/* IBA volume 1, table 205 (PathRecord), 15.2.5.3 (NodeRecord), ServiceRecord's arrays */
static void test_components(void)
{
	is_u64(madkit_component(MADKIT_PATH_RECORD_SERVICE_ID), 3, "two components");
	is_u64(madkit_component(MADKIT_PATH_RECORD_DGID), 1 << 2, "DGID");
	is_u64(madkit_component(MADKIT_PATH_RECORD_NUMB_PATH), UINT64_C(1) << 12, "NumbPath");
	is_u64(madkit_component(MADKIT_NODE_RECORD_NODE_INFO_GUID), UINT64_C(1) << 7, "NodeInfo.Guid");
	is_u64(madkit_component(MADKIT_NODE_RECORD_NODE_INFO), 0, "a structure");
	is_u64(madkit_component(MADKIT_PORT_INFO_RECORD_PORT_INFO_LINK_SPEED_EXT_ACTIVE2), 0, "none");
	is_u64(madkit_component(madkit_element(MADKIT_SERVICE_RECORD_SERVICE_DATA64, 1)), UINT64_C(1) << 36,
	       "an element");
	is_u64(madkit_component(MADKIT_SERVICE_RECORD_SERVICE_DATA64), UINT64_C(3) << 35, "all elements");
}

int main(void)
{
	test_tables();
	test_libibmad();
	test_values();
	test_access();
	test_components();
	return tap_done();
}
