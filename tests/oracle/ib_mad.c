/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's ib_mad.h and ib_smi.h, compiled here, against the library: every constant, structure and helper.
 * A name of these headers is compared or is one of kernel_only[], with the reason; a name that is in neither fails
 * the test, so that a newer kernel's additions are noticed.
 * With the argument --table, prints instead what each name is compared with.
 */
#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "tests/unit/fake_transport.h"
#include "../tap.h"
#include "util/array_size.h"
#define RANDOM_SEED UINT64_C(0x9e3779b97f4a7c15)
#include "tests/random.h"
#include "wire/tables/values.h"

/* ---- what the headers that ib_mad.h includes would bring -------------------------------- */

typedef uint8_t u8;
typedef uint16_t u16, __be16;
typedef uint32_t u32, __be32;
typedef uint64_t u64, __be64;
typedef unsigned int gfp_t;
#define __packed __attribute__((packed))
#define __bitwise
#define __force
#define BIT(n) (1ul << (n))
/* constants, so that they can be initializers */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define cpu_to_be16(x) ((__be16)__builtin_bswap16((uint16_t)(x)))
#define cpu_to_be32(x) ((__be32)__builtin_bswap32((uint32_t)(x)))
#define cpu_to_be64(x) ((__be64)__builtin_bswap64((uint64_t)(x)))
#else
#define cpu_to_be16(x) ((__be16)(x))
#define cpu_to_be32(x) ((__be32)(x))
#define cpu_to_be64(x) ((__be64)(x))
#endif
#define be32_to_cpu(x)             be32toh(x)
#define DECLARE_BITMAP(name, bits) unsigned long name[(bits) / (8 * sizeof(long))]
struct list_head {
	struct list_head *next, *prev;
};
union ib_gid {
	u8 raw[16];
};
enum ib_qp_type { NO_QP_TYPE };
enum ib_wc_status { NO_WC_STATUS };
/* of uapi/rdma/ib_user_mad.h */
#define IB_USER_MAD_USER_RMPP (1 << 0)
struct ib_device;
struct ib_qp;
struct ib_ah;
struct ib_grh;
struct ib_wc;

#include "tests/oracle/ib_mad.h"

/* ---- functions that the header only declares, by the rules of drivers/infiniband/core/mad.c -- */

static bool is_device_class(u8 c)
{
	return c == IB_MGMT_CLASS_DEVICE_MGMT || c == IB_MGMT_CLASS_DEVICE_ADM || c == IB_MGMT_CLASS_BIS;
}

static bool is_vendor_class(u8 c)
{
	return c >= IB_MGMT_CLASS_VENDOR_RANGE2_START && c <= IB_MGMT_CLASS_VENDOR_RANGE2_END;
}

int ib_is_mad_class_rmpp(u8 c)
{
	return c == IB_MGMT_CLASS_SUBN_ADM || is_device_class(c) || is_vendor_class(c);
}

int ib_get_mad_data_offset(u8 c)
{
	return c == IB_MGMT_CLASS_SUBN_ADM ? IB_MGMT_SA_HDR :
	       is_device_class(c)          ? IB_MGMT_DEVICE_HDR :
	       is_vendor_class(c)          ? IB_MGMT_VENDOR_HDR :
					     IB_MGMT_MAD_HDR;
}

int ib_response_mad(const struct ib_mad_hdr *h)
{
	return h->method & IB_MGMT_METHOD_RESP || h->method == IB_MGMT_METHOD_TRAP_REPRESS ||
	       (h->mgmt_class == IB_MGMT_CLASS_BM && h->attr_mod & IB_BM_ATTR_MOD_RESP);
}

int ib_mad_kernel_rmpp_agent(const struct ib_mad_agent *agent)
{
	return agent->rmpp_version && !(agent->flags & IB_MAD_USER_RMPP);
}

/* ib_cancel_mad() calls it */
static struct ib_mad_send_buf *modified;
static u32 modified_to = 1;

int ib_modify_mad(struct ib_mad_send_buf *send_buf, u32 timeout_ms)
{
	modified = send_buf;
	modified_to = timeout_ms;
	return 0;
}

/* ---- what has been compared -------------------------------------------------------------- */

static struct {
	const char *name, *ours;
} compared[512];
static size_t ncompared;
static bool show_table;

static void ib_mad_note(const char *name, const char *ours)
{
	if (ncompared < ARRAY_SIZE(compared)) {
		compared[ncompared].name = name;
		compared[ncompared++].ours = ours;
	}
}

static void ib_mad_same(const char *name, uint64_t theirs, const char *ours_name, uint64_t ours)
{
	ib_mad_note(name, ours_name);
	is_u64(ours, theirs, "%s", name);
}
#define SAME(theirs, ours) ib_mad_same(#theirs, (uint64_t)(theirs), #ours, (uint64_t)(ours))
/* in network order there */
#define SAME16(theirs, ours) ib_mad_same(#theirs, be16toh(theirs), #ours, (uint64_t)(ours))
#define SAME32(theirs, ours) ib_mad_same(#theirs, be32toh(theirs), #ours, (uint64_t)(ours))

static const struct madkit_attribute *ib_mad_attribute_of(uint8_t mgmt_class, const char *name)
{
	const struct madkit_attribute *a = NULL;
	uint8_t found;
	uint16_t id;

	if (madkit_attribute_find(name, mgmt_class, &found, &id, &a, NULL) || !a) {
		printf("Bail out! no attribute %s\n", name);
		exit(1);
	}
	return a;
}

/* The name of a value in a field of the tables. */
static void named_value(const char *name, uint64_t theirs, const char *attribute, const char *field,
			const char *word)
{
	struct madkit_place place;
	const struct madkit_attribute *a = ib_mad_attribute_of(MADKIT_CLASS_SUBN, attribute);
	const char *got = madkit_place_find(a->layout, field, strlen(field), &place, NULL) ?
				  NULL :
				  madkit_value_name(place.field->values, theirs);

	ib_mad_note(name, word);
	is_str(got, word, "%s: %s of %s.%s", name, word, attribute, field);
}
#define VALUE_NAMED(theirs, attribute, field, word) \
	named_value(#theirs, (uint32_t)(theirs), attribute, field, word)

/* ---- constants ------------------------------------------------------------------------------ */

static void header_constants(void)
{
	SAME(IB_MGMT_BASE_VERSION, MADKIT_BASE_VERSION_IB);
	SAME(OPA_MGMT_BASE_VERSION, MADKIT_BASE_VERSION_OPA);
	SAME(IB_MGMT_CLASS_SUBN_LID_ROUTED, MADKIT_CLASS_SUBN);
	SAME(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, MADKIT_CLASS_SUBN_DR);
	SAME(IB_MGMT_CLASS_SUBN_ADM, MADKIT_CLASS_SA);
	SAME(IB_MGMT_CLASS_PERF_MGMT, MADKIT_CLASS_PERF);
	SAME(IB_MGMT_CLASS_BM, MADKIT_CLASS_BM);
	SAME(IB_MGMT_CLASS_DEVICE_MGMT, MADKIT_CLASS_DEVICE);
	SAME(IB_MGMT_CLASS_CM, MADKIT_CLASS_CM);
	SAME(IB_MGMT_CLASS_SNMP, MADKIT_CLASS_SNMP);
	SAME(IB_MGMT_CLASS_DEVICE_ADM, MADKIT_CLASS_DEVADM);
	SAME(IB_MGMT_CLASS_BOOT_MGMT, MADKIT_CLASS_BOOT);
	SAME(IB_MGMT_CLASS_BIS, MADKIT_CLASS_BIS);
	SAME(IB_MGMT_CLASS_CONG_MGMT, MADKIT_CLASS_CC);
	SAME(IB_MGMT_CLASS_VENDOR_RANGE2_START, MADKIT_CLASS_VENDOR2_FIRST);
	SAME(IB_MGMT_CLASS_VENDOR_RANGE2_END, MADKIT_CLASS_VENDOR2_LAST);
	SAME(IB_OPENIB_OUI, MADKIT_OUI_OPENIB);
	SAME(IB_MGMT_METHOD_GET, MADKIT_METHOD_GET);
	SAME(IB_MGMT_METHOD_SET, MADKIT_METHOD_SET);
	SAME(IB_MGMT_METHOD_GET_RESP, MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE);
	SAME(IB_MGMT_METHOD_SEND, MADKIT_METHOD_SEND);
	SAME(IB_MGMT_METHOD_TRAP, MADKIT_METHOD_TRAP);
	SAME(IB_MGMT_METHOD_REPORT, MADKIT_METHOD_REPORT);
	SAME(IB_MGMT_METHOD_REPORT_RESP, MADKIT_METHOD_REPORT | MADKIT_METHOD_RESPONSE);
	SAME(IB_MGMT_METHOD_TRAP_REPRESS, MADKIT_METHOD_TRAP_REPRESS);
	SAME(IB_MGMT_METHOD_RESP, MADKIT_METHOD_RESPONSE);
	SAME(IB_MGMT_MAX_METHODS, sizeof(((struct madkit_agent_attr *)0)->method_mask) * 8);
	SAME(IB_MGMT_MAD_STATUS_BUSY, MADKIT_STATUS_BUSY);
	SAME(IB_MGMT_MAD_STATUS_REDIRECT_REQD, MADKIT_STATUS_REDIRECT);
	SAME(IB_MGMT_MAD_STATUS_BAD_VERSION, 1 << MADKIT_STATUS_CODE_SHIFT);
	SAME(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD, 2 << MADKIT_STATUS_CODE_SHIFT);
	SAME(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB, 3 << MADKIT_STATUS_CODE_SHIFT);
	SAME(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE, 7 << MADKIT_STATUS_CODE_SHIFT);
	SAME(IB_QP1_QKEY, MADKIT_QKEY_GSI);
	SAME16(IB_MGMT_CLASSPORTINFO_ATTR_ID, MADKIT_ATTR_CLASS_PORT_INFO);
	SAME(IB_MAD_USER_RMPP, MADKIT_AGENT_USER_RMPP);
	ib_mad_note("IB_USER_MAD_USER_RMPP", "MADKIT_AGENT_USER_RMPP");
}

/* In words, as they have no constants of their own. */
static void ib_mad_statuses(void)
{
	static const struct {
		const char *name;
		uint16_t status;
		const char *word;
	} list[] = {
		{ "IB_MGMT_MAD_STATUS_SUCCESS", IB_MGMT_MAD_STATUS_SUCCESS, "OK" },
		{ "IB_MGMT_MAD_STATUS_BUSY", IB_MGMT_MAD_STATUS_BUSY, "usy" },
		{ "IB_MGMT_MAD_STATUS_REDIRECT_REQD", IB_MGMT_MAD_STATUS_REDIRECT_REQD, "edirect" },
		{ "IB_MGMT_MAD_STATUS_BAD_VERSION", IB_MGMT_MAD_STATUS_BAD_VERSION, "ersion" },
		{ "IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD", IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD, "ethod" },
		{ "IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB",
		  IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB, "ttribute" },
		{ "IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE", IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE,
		  "alue" },
	};

	ib_mad_note("IB_MGMT_MAD_STATUS_SUCCESS", "0, \"OK\"");
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		char text[128];

		madkit_status_text(MADKIT_CLASS_PERF, list[i].status, text, sizeof(text));
		ok(strstr(text, list[i].word) != NULL, "%s: %s", list[i].name, text);
	}
}

static void rmpp_constants(void)
{
	SAME(IB_MGMT_RMPP_VERSION, MADKIT_RMPP_VERSION);
	SAME(IB_MGMT_RMPP_TYPE_DATA, MADKIT_RMPP_DATA);
	SAME(IB_MGMT_RMPP_TYPE_ACK, MADKIT_RMPP_ACK);
	SAME(IB_MGMT_RMPP_TYPE_STOP, MADKIT_RMPP_STOP);
	SAME(IB_MGMT_RMPP_TYPE_ABORT, MADKIT_RMPP_ABORT);
	SAME(IB_MGMT_RMPP_FLAG_ACTIVE, MADKIT_RMPP_ACTIVE);
	SAME(IB_MGMT_RMPP_FLAG_FIRST, MADKIT_RMPP_FIRST);
	SAME(IB_MGMT_RMPP_FLAG_LAST, MADKIT_RMPP_LAST);
	SAME(IB_MGMT_RMPP_NO_RESPTIME, MADKIT_RMPP_RESPTIME_UNSPECIFIED);
	SAME(IB_MGMT_RMPP_STATUS_SUCCESS, MADKIT_RMPP_STATUS_OK);
	SAME(IB_MGMT_RMPP_STATUS_RESX, MADKIT_RMPP_STATUS_RESOURCES);
	SAME(IB_MGMT_RMPP_STATUS_ABORT_MIN, MADKIT_RMPP_STATUS_TIME);
	SAME(IB_MGMT_RMPP_STATUS_T2L, MADKIT_RMPP_STATUS_TIME);
	SAME(IB_MGMT_RMPP_STATUS_BAD_LEN, MADKIT_RMPP_STATUS_LENGTH);
	SAME(IB_MGMT_RMPP_STATUS_BAD_SEG, MADKIT_RMPP_STATUS_FIRST);
	SAME(IB_MGMT_RMPP_STATUS_BADT, MADKIT_RMPP_STATUS_TYPE);
	SAME(IB_MGMT_RMPP_STATUS_W2S, MADKIT_RMPP_STATUS_WINDOW);
	SAME(IB_MGMT_RMPP_STATUS_S2B, MADKIT_RMPP_STATUS_SEGMENT);
	SAME(IB_MGMT_RMPP_STATUS_BAD_STATUS, MADKIT_RMPP_STATUS_ILLEGAL);
	SAME(IB_MGMT_RMPP_STATUS_UNV, MADKIT_RMPP_STATUS_VERSION);
	SAME(IB_MGMT_RMPP_STATUS_TMR, MADKIT_RMPP_STATUS_RETRIES);
	SAME(IB_MGMT_RMPP_STATUS_UNSPEC, MADKIT_RMPP_STATUS_UNSPECIFIED);
	SAME(IB_MGMT_RMPP_STATUS_ABORT_MAX, MADKIT_RMPP_STATUS_UNSPECIFIED);
	for (unsigned int s = IB_MGMT_RMPP_STATUS_ABORT_MIN; s <= IB_MGMT_RMPP_STATUS_ABORT_MAX; s++)
		ok(madkit_value_name(madkit_values_rmpp_status, s) != NULL, "RMPP status %u has a name", s);
	ok(!madkit_value_name(madkit_values_rmpp_status, IB_MGMT_RMPP_STATUS_ABORT_MIN - 1),
	   "... and the one below the first ABORT has none");
}

static void ib_mad_sizes(void)
{
	SAME(IB_MGMT_MAD_HDR, MADKIT_HEADER_BYTES);
	SAME(IB_MGMT_MAD_DATA, MADKIT_MAD_BYTES - MADKIT_HEADER_BYTES);
	SAME(IB_MGMT_RMPP_HDR, MADKIT_RMPP_END);
	SAME(IB_MGMT_RMPP_DATA, MADKIT_RMPP_PAYLOAD_MAX);
	SAME(IB_MGMT_VENDOR_HDR, MADKIT_VENDOR2_DATA);
	SAME(IB_MGMT_VENDOR_DATA, MADKIT_MAD_BYTES - MADKIT_VENDOR2_DATA);
	SAME(IB_MGMT_SA_HDR, MADKIT_SA_DATA);
	SAME(IB_MGMT_SA_DATA, MADKIT_MAD_BYTES - MADKIT_SA_DATA);
	SAME(IB_MGMT_DEVICE_HDR, MADKIT_DEVICE_DATA);
	SAME(IB_MGMT_DEVICE_DATA, MADKIT_MAD_BYTES - MADKIT_DEVICE_DATA);
	SAME(IB_MGMT_MAD_SIZE, MADKIT_MAD_BYTES);
	SAME(OPA_MGMT_MAD_DATA, MADKIT_MAD_OPA_BYTES - MADKIT_HEADER_BYTES);
	SAME(OPA_MGMT_RMPP_DATA, MADKIT_MAD_OPA_BYTES - MADKIT_RMPP_END);
	SAME(OPA_MGMT_MAD_SIZE, MADKIT_MAD_OPA_BYTES);
	SAME(IB_SMP_DATA_SIZE, MADKIT_SMP_INITIAL_PATH - MADKIT_SMP_DATA);
	SAME(IB_SMP_MAX_PATH_HOPS, MADKIT_HOPS_MAX + 1);
	SAME(IB_CLASS_PORT_INFO_RESP_TIME_MASK, (1 << 5) - 1);
	SAME(IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE, 5);
}

static void ib_mad_attributes(void)
{
#define ATTRIBUTE_ID(theirs, ours) \
	ib_mad_same(#theirs, be16toh(theirs), ours, ib_mad_attribute_of(MADKIT_CLASS_SUBN, ours)->id)
	ATTRIBUTE_ID(IB_SMP_ATTR_NOTICE, "Notice");
	ATTRIBUTE_ID(IB_SMP_ATTR_NODE_DESC, "NodeDescription");
	ATTRIBUTE_ID(IB_SMP_ATTR_NODE_INFO, "NodeInfo");
	ATTRIBUTE_ID(IB_SMP_ATTR_SWITCH_INFO, "SwitchInfo");
	ATTRIBUTE_ID(IB_SMP_ATTR_GUID_INFO, "GUIDInfo");
	ATTRIBUTE_ID(IB_SMP_ATTR_PORT_INFO, "PortInfo");
	ATTRIBUTE_ID(IB_SMP_ATTR_PKEY_TABLE, "P_KeyTable");
	ATTRIBUTE_ID(IB_SMP_ATTR_SL_TO_VL_TABLE, "SLtoVLMappingTable");
	ATTRIBUTE_ID(IB_SMP_ATTR_VL_ARB_TABLE, "VLArbitrationTable");
	ATTRIBUTE_ID(IB_SMP_ATTR_LINEAR_FORWARD_TABLE, "LinearForwardingTable");
	ATTRIBUTE_ID(IB_SMP_ATTR_RANDOM_FORWARD_TABLE, "RandomForwardingTable");
	ATTRIBUTE_ID(IB_SMP_ATTR_MCAST_FORWARD_TABLE, "MulticastForwardingTable");
	ATTRIBUTE_ID(IB_SMP_ATTR_SM_INFO, "SMInfo");
	ATTRIBUTE_ID(IB_SMP_ATTR_VENDOR_DIAG, "VendorDiag");
	ATTRIBUTE_ID(IB_SMP_ATTR_LED_INFO, "LedInfo");
}

static void capability_bits(void)
{
#define CAP(theirs, word) VALUE_NAMED(theirs, "PortInfo", "CapMask", word)
	SAME(IB_DEFAULT_PKEY_PARTIAL, MADKIT_PKEY_DEFAULT_LIMITED);
	SAME(IB_DEFAULT_PKEY_FULL, MADKIT_PKEY_DEFAULT);
	CAP(IB_PORT_SM, "IsSM");
	CAP(IB_PORT_NOTICE_SUP, "IsNoticeSupported");
	CAP(IB_PORT_TRAP_SUP, "IsTrapSupported");
	CAP(IB_PORT_OPT_IPD_SUP, "IsOptionalIPDSupported");
	CAP(IB_PORT_AUTO_MIGR_SUP, "IsAutomaticMigrationSupported");
	CAP(IB_PORT_SL_MAP_SUP, "IsSLMappingSupported");
	CAP(IB_PORT_MKEY_NVRAM, "IsMKeyNVRAM");
	CAP(IB_PORT_PKEY_NVRAM, "IsPKeyNVRAM");
	CAP(IB_PORT_LED_INFO_SUP, "IsLedInfoSupported");
	CAP(IB_PORT_SM_DISABLED, "IsSMdisabled");
	CAP(IB_PORT_SYS_IMAGE_GUID_SUP, "IsSystemImageGUIDsupported");
	CAP(IB_PORT_PKEY_SW_EXT_PORT_TRAP_SUP, "IsPkeySwitchExternalPortTrapSupported");
	CAP(IB_PORT_EXTENDED_SPEEDS_SUP, "IsExtendedSpeedsSupported");
	CAP(IB_PORT_CAP_MASK2_SUP, "IsCapabilityMask2Supported");
	CAP(IB_PORT_CM_SUP, "IsCommunicatonManagementSupported");
	CAP(IB_PORT_SNMP_TUNNEL_SUP, "IsSNMPTunnelingSupported");
	CAP(IB_PORT_REINIT_SUP, "IsReinitSupported");
	CAP(IB_PORT_DEVICE_MGMT_SUP, "IsDeviceManagementSupported");
	CAP(IB_PORT_VENDOR_CLASS_SUP, "IsVendorClassSupported");
	CAP(IB_PORT_DR_NOTICE_SUP, "IsDRNoticeSupported");
	CAP(IB_PORT_CAP_MASK_NOTICE_SUP, "IsCapabilityMaskNoticeSupported");
	CAP(IB_PORT_BOOT_MGMT_SUP, "IsBootManagementSupported");
	CAP(IB_PORT_LINK_LATENCY_SUP, "IsLinkRoundTripLatencySupported");
	CAP(IB_PORT_CLIENT_REG_SUP, "IsClientRegistrationSupported");
	CAP(IB_PORT_OTHER_LOCAL_CHANGES_SUP, "IsOtherLocalChangesNoticeSupported");
	CAP(IB_PORT_LINK_SPEED_WIDTH_TABLE_SUP, "IsLinkSpeedWidthPairsTableSupported");
	CAP(IB_PORT_VENDOR_SPECIFIC_MADS_TABLE_SUP, "IsVendorSpecificMadsTableSupported");
	CAP(IB_PORT_MCAST_PKEY_TRAP_SUPPRESSION_SUP, "IsMcastPkeyTrapSuppressionSupported");
	CAP(IB_PORT_MCAST_FDB_TOP_SUP, "IsMulticastFDBTopSupported");
	CAP(IB_PORT_HIERARCHY_INFO_SUP, "IsHierarchyInfoSupported");
	ib_mad_note("ib_port_capability_mask_bits", "the names of PortInfo.CapMask");
#define CAP2(theirs, word) VALUE_NAMED(theirs, "PortInfo", "CapabilityMask2", word)
	CAP2(IB_PORT_SET_NODE_DESC_SUP, "IsSetNodeDescriptionSupported");
	CAP2(IB_PORT_EX_PORT_INFO_EX_SUP, "IsPortInfoExtendedSupported");
	CAP2(IB_PORT_VIRT_SUP, "IsVirtualizationSupported");
	CAP2(IB_PORT_SWITCH_PORT_STATE_TABLE_SUP, "IsSwitchPortStateTableSupported");
	CAP2(IB_PORT_LINK_WIDTH_2X_SUP, "IsLinkWidth2xSupported");
	CAP2(IB_PORT_LINK_SPEED_HDR_SUP, "IsLinkSpeedHDRSupported");
	CAP2(IB_PORT_LINK_SPEED_NDR_SUP, "IsLinkSpeedNDRSupported");
	ib_mad_note("ib_port_capability_mask2_bits", "the names of PortInfo.CapabilityMask2");
}

/* The layout that a trap's number chooses. */
static const struct madkit_layout *ib_mad_notice_layout(uint16_t trap)
{
	uint8_t data[64] = { 0x80 };

	data[4] = (uint8_t)(trap >> 8);
	data[5] = (uint8_t)trap;
	return madkit_attribute_layout(ib_mad_attribute_of(MADKIT_CLASS_SUBN, "Notice"), data, sizeof(data));
}

static void notices(void)
{
	/* the highest bit is IsGeneric */
#define TYPE(theirs, word) named_value(#theirs, theirs & 0x7f, "Notice", "Type", word)
	TYPE(IB_NOTICE_TYPE_FATAL, "Fatal");
	TYPE(IB_NOTICE_TYPE_URGENT, "Urgent");
	TYPE(IB_NOTICE_TYPE_SECURITY, "Security");
	TYPE(IB_NOTICE_TYPE_SM, "SubnetManagement");
	TYPE(IB_NOTICE_TYPE_INFO, "Informational");
#define PRODUCER(theirs, word) named_value(#theirs, be16toh(theirs), "Notice", "ProducerType", word)
	PRODUCER(IB_NOTICE_PROD_CA, "Channel Adapter");
	PRODUCER(IB_NOTICE_PROD_SWITCH, "Switch");
	PRODUCER(IB_NOTICE_PROD_ROUTER, "Router");
	PRODUCER(IB_NOTICE_PROD_CLASS_MGR, "Class Manager");
	/* each has the layout of its number */
#define TRAP(theirs, layout, ours) \
	do { \
		ib_mad_same(#theirs, be16toh(theirs), #ours, ours); \
		is_str(ib_mad_notice_layout(be16toh(theirs))->name, layout, #theirs); \
	} while (0)
	TRAP(IB_NOTICE_TRAP_LLI_THRESH, "Notice of trap 129 to 131", MADKIT_TRAP_LINK_INTEGRITY);
	TRAP(IB_NOTICE_TRAP_EBO_THRESH, "Notice of trap 129 to 131", MADKIT_TRAP_BUFFER_OVERRUN);
	TRAP(IB_NOTICE_TRAP_FLOW_UPDATE, "Notice of trap 129 to 131", MADKIT_TRAP_FLOW_CONTROL);
	TRAP(IB_NOTICE_TRAP_CAP_MASK_CHG, "Notice of trap 144", MADKIT_TRAP_LOCAL_CHANGE);
	TRAP(IB_NOTICE_TRAP_SYS_GUID_CHG, "Notice of trap 145", MADKIT_TRAP_SYSTEM_GUID);
	TRAP(IB_NOTICE_TRAP_BAD_MKEY, "Notice of trap 256", MADKIT_TRAP_BAD_M_KEY);
	TRAP(IB_NOTICE_TRAP_BAD_PKEY, "Notice of trap 257 or 258", MADKIT_TRAP_BAD_P_KEY);
	TRAP(IB_NOTICE_TRAP_BAD_QKEY, "Notice of trap 257 or 258", MADKIT_TRAP_BAD_Q_KEY);
}

/* A flag of a byte of a notice is a field of one bit. */
static void notice_flag(const char *name, uint8_t theirs, uint16_t trap, size_t byte, const char *field)
{
	uint8_t data[64] = { 0x80 };
	struct madkit_place place;
	uint64_t value = 0;

	data[byte] = theirs;
	ib_mad_note(name, field);
	ok(!madkit_place_find(ib_mad_notice_layout(trap), field, strlen(field), &place, NULL) &&
		   !madkit_field_get(place.field, 0, data + place.base / 8, sizeof(data) - place.base / 8,
				     &value) &&
		   value == 1,
	   "%s: %s", name, field);
}
#define NOTICE_BYTE(part) \
	(offsetof(struct ib_mad_notice_attr, details) + \
	 offsetof(__typeof__(((struct ib_mad_notice_attr *)0)->details), part))

static void notice_flags(void)
{
	const size_t change = NOTICE_BYTE(ntc_144.change_flags), hop = NOTICE_BYTE(ntc_256.dr_trunc_hop);

	notice_flag("IB_NOTICE_TRAP_LSE_CHG", IB_NOTICE_TRAP_LSE_CHG, 144, change, "LinkSpeedEnabledChange");
	notice_flag("IB_NOTICE_TRAP_LWE_CHG", IB_NOTICE_TRAP_LWE_CHG, 144, change, "LinkWidthEnabledChange");
	notice_flag("IB_NOTICE_TRAP_NODE_DESC_CHG", IB_NOTICE_TRAP_NODE_DESC_CHG, 144, change,
		    "NodeDescriptionChange");
	notice_flag("IB_NOTICE_TRAP_DR_NOTICE", IB_NOTICE_TRAP_DR_NOTICE, 256, hop, "DRNotice");
	notice_flag("IB_NOTICE_TRAP_DR_TRUNC", IB_NOTICE_TRAP_DR_TRUNC, 256, hop, "DRPathTruncated");
}

/* ---- structures ----------------------------------------------------------------------------- */

/* A member and the fields that are in it, comma-separated ("": reserved). */
struct member {
	const char *name;
	size_t offset, bytes;
	const char *fields;
};

static bool is_listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += n)
		if ((at == list || at[-1] == ',') && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

/*
 * The members lie one behind the other, from first to the end of the structure (less padding of at most 7
 * bytes). Each field of the layout in this range lies within the member that lists it. base: where the structure
 * begins in the layout, in bytes.
 */
static void structure(const char *name, const struct madkit_layout *layout, size_t base, size_t first,
		      size_t bytes, const struct member *members, size_t n)
{
	size_t at = first, named = 0, listed = 0;

	ib_mad_note(name, layout->name);
	for (size_t i = 0; i < n; at = members[i].offset + members[i].bytes, i++) {
		size_t begin = (base + members[i].offset) * 8, end = begin + members[i].bytes * 8;
		bool good = members[i].offset == at;

		for (unsigned int f = 0; f < layout->nfields; f++) {
			const struct madkit_field *field = &layout->fields[f];
			size_t last = field->offset + (size_t)field->width * madkit_field_count(field);
			bool inside = field->offset >= begin && last <= end;

			if (field->kind == MADKIT_KIND_RESERVED || last <= begin || field->offset >= end)
				continue;
			good = good && inside && is_listed(members[i].fields, field->name);
			named++;
		}
		for (const char *c = members[i].fields; *c; c++)
			listed += c == members[i].fields || *c == ',';
		ok(good, "%s.%s: %s", name, members[i].name,
		   members[i].fields[0] ? members[i].fields : "reserved");
	}
	ok(bytes - at < 8, "%s: the members are all of it", name);
	is_u64(named, listed, "%s: each listed field exists", name);
}
#define M(type, m, fields) \
	{ \
#m, offsetof(struct type, m), sizeof(((struct type *)0)->m), fields \
	}
#define STRUCTURE(type, layout, base, members) \
	structure(#type, layout, base, members[0].offset, sizeof(struct type), members, ARRAY_SIZE(members))

static void mad_structures(void)
{
	static const struct member hdr[] = {
		M(ib_mad_hdr, base_version, "base_version"),
		M(ib_mad_hdr, mgmt_class, "class"),
		M(ib_mad_hdr, class_version, "class_version"),
		M(ib_mad_hdr, method, "method"),
		M(ib_mad_hdr, status, "status"),
		M(ib_mad_hdr, class_specific, "class_specific"),
		M(ib_mad_hdr, tid, "tid"),
		M(ib_mad_hdr, attr_id, "attribute"),
		M(ib_mad_hdr, resv, ""),
		M(ib_mad_hdr, attr_mod, "modifier"),
	};
	static const struct member rmpp[] = {
		M(ib_rmpp_hdr, rmpp_version, "version"),
		M(ib_rmpp_hdr, rmpp_type, "type"),
		M(ib_rmpp_hdr, rmpp_rtime_flags, "resptime,flags"),
		M(ib_rmpp_hdr, rmpp_status, "status"),
		M(ib_rmpp_hdr, seg_num, "segment"),
		M(ib_rmpp_hdr, paylen_newwin, "payload_length"),
	};
	static const struct member sa[] = {
		M(ib_sa_hdr, sm_key, "sm_key"),
		M(ib_sa_hdr, attr_offset, "attribute_offset"),
		M(ib_sa_hdr, reserved, ""),
		M(ib_sa_hdr, comp_mask, "component_mask"),
	};
	static const struct member vendor[] = {
		M(ib_vendor_mad, reserved, ""),
		M(ib_vendor_mad, oui, "oui"),
		M(ib_vendor_mad, data, ""),
	};
	static const struct member smp[] = {
		M(ib_smp, mkey, "m_key"),
		M(ib_smp, dr_slid, "dr_slid"),
		M(ib_smp, dr_dlid, "dr_dlid"),
		M(ib_smp, reserved, ""),
		M(ib_smp, data, ""),
		M(ib_smp, initial_path, "initial_path"),
		M(ib_smp, return_path, "return_path"),
	};
	static const struct member smp_hdr[] = {
		M(ib_smp, base_version, "base_version"),   M(ib_smp, mgmt_class, "class"),
		M(ib_smp, class_version, "class_version"), M(ib_smp, method, "method"),
		M(ib_smp, status, "direction,status"),     M(ib_smp, hop_ptr, "hop_pointer"),
		M(ib_smp, hop_cnt, "hop_count"),           M(ib_smp, tid, "tid"),
		M(ib_smp, attr_id, "attribute"),           M(ib_smp, resv, ""),
		M(ib_smp, attr_mod, "modifier"),
	};
	const struct madkit_layout *dr = madkit_class_get(MADKIT_CLASS_SUBN_DR)->header;

	STRUCTURE(ib_mad_hdr, &madkit_layout_header, 0, hdr);
	STRUCTURE(ib_rmpp_hdr, &madkit_layout_rmpp, MADKIT_RMPP_OFFSET, rmpp);
	STRUCTURE(ib_sa_hdr, madkit_class_get(MADKIT_CLASS_SA)->header, MADKIT_RMPP_END, sa);
	STRUCTURE(ib_vendor_mad, madkit_class_get(MADKIT_CLASS_VENDOR2_FIRST)->header, 0, vendor);
	STRUCTURE(ib_smp, dr, 0, smp);
	structure("ib_smp", &madkit_layout_header_dr, 0, 0, offsetof(struct ib_smp, mkey), smp_hdr,
		  ARRAY_SIZE(smp_hdr));

#define AT(type, m, ours) ib_mad_same(#type, offsetof(struct type, m), #ours, ours)
	AT(ib_mad_hdr, mgmt_class, MADKIT_MAD_CLASS);
	AT(ib_mad_hdr, class_version, MADKIT_MAD_CLASS_VERSION);
	AT(ib_mad_hdr, method, MADKIT_MAD_METHOD);
	AT(ib_mad_hdr, status, MADKIT_MAD_STATUS);
	AT(ib_mad_hdr, tid, MADKIT_MAD_TID);
	AT(ib_mad_hdr, attr_id, MADKIT_MAD_ATTRIBUTE);
	AT(ib_mad_hdr, attr_mod, MADKIT_MAD_MODIFIER);
	AT(ib_mad, data, MADKIT_HEADER_BYTES);
	ib_mad_same("ib_mad", sizeof(struct ib_mad), "MADKIT_MAD_BYTES", MADKIT_MAD_BYTES);
	AT(opa_mad, data, MADKIT_HEADER_BYTES);
	ib_mad_same("opa_mad", sizeof(struct opa_mad), "MADKIT_MAD_OPA_BYTES", MADKIT_MAD_OPA_BYTES);
	AT(ib_rmpp_mad, rmpp_hdr, MADKIT_RMPP_OFFSET);
	AT(ib_rmpp_mad, data, MADKIT_RMPP_END);
	ib_mad_same("ib_rmpp_mad", sizeof(struct ib_rmpp_mad), "MADKIT_MAD_BYTES", MADKIT_MAD_BYTES);
	AT(opa_rmpp_mad, data, MADKIT_RMPP_END);
	ib_mad_same("opa_rmpp_mad", sizeof(struct opa_rmpp_mad), "MADKIT_MAD_OPA_BYTES",
		    MADKIT_MAD_OPA_BYTES);
	AT(ib_sa_mad, sa_hdr.sm_key, MADKIT_SA_KEY);
	AT(ib_sa_mad, sa_hdr.attr_offset, MADKIT_SA_ATTRIBUTE_OFFSET);
	AT(ib_sa_mad, sa_hdr.comp_mask, MADKIT_SA_COMPONENT_MASK);
	AT(ib_sa_mad, data, MADKIT_SA_DATA);
	ib_mad_same("ib_sa_mad", sizeof(struct ib_sa_mad), "MADKIT_MAD_BYTES", MADKIT_MAD_BYTES);
	AT(ib_vendor_mad, oui, MADKIT_VENDOR2_OUI);
	AT(ib_vendor_mad, data, MADKIT_VENDOR2_DATA);
	AT(ib_smp, hop_ptr, MADKIT_MAD_HOP_POINTER);
	AT(ib_smp, hop_cnt, MADKIT_MAD_HOP_COUNT);
	AT(ib_smp, mkey, MADKIT_SMP_MKEY);
	AT(ib_smp, dr_slid, MADKIT_SMP_DR_SLID);
	AT(ib_smp, dr_dlid, MADKIT_SMP_DR_DLID);
	AT(ib_smp, data, MADKIT_SMP_DATA);
	AT(ib_smp, initial_path, MADKIT_SMP_INITIAL_PATH);
	AT(ib_smp, return_path, MADKIT_SMP_RETURN_PATH);
}

static void attribute_structures(void)
{
#define CPI(m, fields) M(ib_class_port_info, m, fields)
	static const struct member cpi[] = {
		CPI(base_version, "BaseVersion"),
		CPI(class_version, "ClassVersion"),
		CPI(capability_mask, "CapabilityMask"),
		CPI(cap_mask2_resp_time, "CapabilityMask2,RespTimeVal"),
		CPI(redirect_gid, "RedirectGID"),
		CPI(redirect_tcslfl, "RedirectTC,RedirectSL,RedirectFL"),
		CPI(redirect_lid, "RedirectLID"),
		CPI(redirect_pkey, "RedirectPKey"),
		CPI(redirect_qp, "RedirectQP"),
		CPI(redirect_qkey, "RedirectQKey"),
		CPI(trap_gid, "TrapGID"),
		CPI(trap_tcslfl, "TrapTC,TrapSL,TrapFL"),
		CPI(trap_lid, "TrapLID"),
		CPI(trap_pkey, "TrapPKey"),
		CPI(trap_hlqp, "TrapHL,TrapQP"),
		CPI(trap_qkey, "TrapQKey"),
	};
#define OPA(m, fields) M(opa_class_port_info, m, fields)
	static const struct member opa[] = {
		OPA(base_version, "BaseVersion"),   OPA(class_version, "ClassVersion"),
		OPA(cap_mask, "CapabilityMask"),    OPA(cap_mask2_resp_time, "CapabilityMask2,RespTimeVal"),
		OPA(redirect_gid, "RedirectGID"),   OPA(redirect_tc_fl, "RedirectTC,RedirectFL"),
		OPA(redirect_lid, "RedirectLID"),   OPA(redirect_sl_qp, "RedirectSL,RedirectQP"),
		OPA(redirect_qkey, "RedirectQKey"), OPA(trap_gid, "TrapGID"),
		OPA(trap_tc_fl, "TrapTC,TrapFL"),   OPA(trap_lid, "TrapLID"),
		OPA(trap_hl_qp, "TrapHL,TrapQP"),   OPA(trap_qkey, "TrapQKey"),
		OPA(trap_pkey, "TrapPKey"),         OPA(redirect_pkey, "RedirectPKey"),
		OPA(trap_sl_rsvd, "TrapSL"),        OPA(reserved, ""),
	};
#define PI(m, fields) M(ib_port_info, m, fields)
	static const struct member port_info[] = {
		PI(mkey, "Mkey"),
		PI(gid_prefix, "GidPrefix"),
		PI(lid, "Lid"),
		PI(sm_lid, "SMLid"),
		PI(cap_mask, "CapMask"),
		PI(diag_code, "DiagCode"),
		PI(mkey_lease_period, "MkeyLeasePeriod"),
		PI(local_port_num, "LocalPort"),
		PI(link_width_enabled, "LinkWidthEnabled"),
		PI(link_width_supported, "LinkWidthSupported"),
		PI(link_width_active, "LinkWidthActive"),
		PI(linkspeed_portstate, "LinkSpeedSupported,LinkState"),
		PI(portphysstate_linkdown, "PhysLinkState,LinkDownDefState"),
		PI(mkeyprot_resv_lmc, "ProtectBits,LMC"),
		PI(linkspeedactive_enabled, "LinkSpeedActive,LinkSpeedEnabled"),
		PI(neighbormtu_mastersmsl, "NeighborMTU,SMSL"),
		PI(vlcap_inittype, "VLCap,InitType"),
		PI(vl_high_limit, "VLHighLimit"),
		PI(vl_arb_high_cap, "VLArbHighCap"),
		PI(vl_arb_low_cap, "VLArbLowCap"),
		PI(inittypereply_mtucap, "InitReply,MtuCap"),
		PI(vlstallcnt_hoqlife, "VLStallCount,HoqLife"),
		PI(operationalvl_pei_peo_fpi_fpo,
		   "OperVLs,PartEnforceInb,PartEnforceOutb,FilterRawInb,FilterRawOutb"),
		PI(mkey_violations, "MkeyViolations"),
		PI(pkey_violations, "PkeyViolations"),
		PI(qkey_violations, "QkeyViolations"),
		PI(guid_cap, "GuidCap"),
		PI(clientrereg_resv_subnetto,
		   "ClientReregister,McastPkeyTrapSuppressionEnabled,SubnetTimeout"),
		PI(resv_resptimevalue, "RespTimeVal"),
		PI(localphyerrors_overrunerrors, "LocalPhysErr,OverrunErr"),
		PI(max_credit_hint, "MaxCreditHint"),
		/* reserved there; newer editions of the IBA have these fields */
		PI(resv, "LinkSpeedExtActive2,LinkSpeedExtSupported2,LinkSpeedExtEnabled2"),
		PI(link_roundtrip_latency, "RoundTrip"),
	};
#define NI(m, fields) M(ib_node_info, m, fields)
	static const struct member node_info[] = {
		NI(base_version, "BaseVers"), NI(class_version, "ClassVers"),  NI(node_type, "NodeType"),
		NI(num_ports, "NumPorts"),    NI(sys_guid, "SystemGuid"),      NI(node_guid, "Guid"),
		NI(port_guid, "PortGuid"),    NI(partition_cap, "PartCap"),    NI(device_id, "DevId"),
		NI(revision, "Revision"),     NI(local_port_num, "LocalPort"), NI(vendor_id, "VendorId"),
	};
	static const struct member vl[] = {
		M(ib_vl_weight_elem, vl, "VL"),
		M(ib_vl_weight_elem, weight, "Weight"),
	};

	STRUCTURE(ib_class_port_info, ib_mad_attribute_of(MADKIT_CLASS_PERF, "ClassPortInfo")->layout, 0,
		  cpi);
	ib_mad_same("ib_class_port_info", sizeof(struct ib_class_port_info), "MADKIT_CPI_BYTES",
		    MADKIT_CPI_BYTES);
	STRUCTURE(opa_class_port_info,
		  madkit_attribute_get(MADKIT_BASE_VERSION_OPA, MADKIT_CLASS_PERF,
				       MADKIT_ATTR_CLASS_PORT_INFO)
			  ->layout,
		  0, opa);
	ib_mad_same("opa_class_port_info", sizeof(struct opa_class_port_info), "MADKIT_CPI_OPA_BYTES",
		    MADKIT_CPI_OPA_BYTES);
	STRUCTURE(ib_port_info, ib_mad_attribute_of(MADKIT_CLASS_SUBN, "PortInfo")->layout, 0, port_info);
	STRUCTURE(ib_node_info, ib_mad_attribute_of(MADKIT_CLASS_SUBN, "NodeInfo")->layout, 0, node_info);
	STRUCTURE(ib_vl_weight_elem,
		  ib_mad_attribute_of(MADKIT_CLASS_SUBN, "VLArbitrationTable")->layout->fields[0].sub, 0, vl);
}

static void notice_structures(void)
{
#define N(m, fields) M(ib_mad_notice_attr, m, fields)
#define D(m, fields) \
	{ \
#m, NOTICE_BYTE(m), sizeof(((struct ib_mad_notice_attr *)0)->details.m), fields \
	}
	static const struct member head[] = {
		N(generic_type, "IsGeneric,Type"),
		{ "prod_type", 1, 3, "ProducerType" },
		N(trap_num, "TrapNumber"),
		N(issuer_lid, "IssuerLID"),
		N(toggle_count, "NoticeToggle,NoticeCount"),
		D(raw_data.details, "DataDetails"),
	};
	static const struct member ntc_129[] = {
		D(ntc_129_131.reserved, ""),
		D(ntc_129_131.lid, "LIDADDR"),
		D(ntc_129_131.port_num, "PORTNO"),
	};
	/* the low bit of local_changes; the three flags of change_flags, and three that are newer */
	static const struct member ntc_144[] = {
		D(ntc_144.reserved, ""),
		D(ntc_144.lid, "LIDADDR"),
		D(ntc_144.reserved2, ""),
		D(ntc_144.local_changes, "OtherLocalChanges"),
		D(ntc_144.new_cap_mask, "CAPABILITYMASK"),
		D(ntc_144.reserved3, ""),
		D(ntc_144.change_flags,
		  "CapabilityMask2Change,HierarchyInfoChange,SMPriorityChange,LinkSpeedEnabledChange,"
		  "LinkWidthEnabledChange,NodeDescriptionChange"),
	};
	static const struct member ntc_145[] = {
		D(ntc_145.reserved, ""),
		D(ntc_145.lid, "LIDADDR"),
		D(ntc_145.reserved2, ""),
		D(ntc_145.new_sys_guid, "SYSTEMIMAGEGUID"),
	};
	static const struct member ntc_256[] = {
		D(ntc_256.reserved, ""),
		D(ntc_256.lid, "LIDADDR"),
		D(ntc_256.dr_slid, "DRSLID"),
		D(ntc_256.method, "METHOD"),
		D(ntc_256.reserved2, ""),
		D(ntc_256.attr_id, "ATTRIBUTEID"),
		D(ntc_256.attr_mod, "ATTRIBUTEMODIFIER"),
		D(ntc_256.mkey, "MKEY"),
		D(ntc_256.reserved3, ""),
		D(ntc_256.dr_trunc_hop, "DRNotice,DRPathTruncated,DRHopCount"),
		D(ntc_256.dr_rtn_path, "DRNoticeReturnPath"),
	};
	static const struct member ntc_257[] = {
		D(ntc_257_258.reserved, ""),     D(ntc_257_258.lid1, "LIDADDR1"),
		D(ntc_257_258.lid2, "LIDADDR2"), D(ntc_257_258.key, "KEY"),
		D(ntc_257_258.sl_qp1, "SL,QP1"), D(ntc_257_258.qp2, "QP2"),
		D(ntc_257_258.gid1, "GIDADDR1"), D(ntc_257_258.gid2, "GIDADDR2"),
	};

	ok(offsetof(struct ib_mad_notice_attr, prod_type_msb) == 1 &&
		   offsetof(struct ib_mad_notice_attr, prod_type_lsb) == 2,
	   "ib_mad_notice_attr.prod_type_msb, prod_type_lsb: the 24 bits of ProducerType");
	STRUCTURE(ib_mad_notice_attr, ib_mad_attribute_of(MADKIT_CLASS_SUBN, "Notice")->layout, 0, head);
#define DETAILS_OF(trap, members) \
	structure("ib_mad_notice_attr.details of trap " #trap, ib_mad_notice_layout(trap), 0, \
		  members[0].offset, \
		  members[ARRAY_SIZE(members) - 1].offset + members[ARRAY_SIZE(members) - 1].bytes, members, \
		  ARRAY_SIZE(members))
	DETAILS_OF(129, ntc_129);
	DETAILS_OF(130, ntc_129);
	DETAILS_OF(131, ntc_129);
	DETAILS_OF(144, ntc_144);
	DETAILS_OF(145, ntc_145);
	DETAILS_OF(256, ntc_256);
	DETAILS_OF(257, ntc_257);
	DETAILS_OF(258, ntc_257);
}

/* ---- helpers, on random input ---------------------------------------------------------------- */

enum { ROUNDS = 100000 };

static void class_helpers(void)
{
	unsigned int wrong = 0;

	for (unsigned int c = 0; c < 256; c++)
		wrong += madkit_class_is_rmpp((uint8_t)c) != !!ib_is_mad_class_rmpp((uint8_t)c);
	ib_mad_note("ib_is_mad_class_rmpp", "madkit_class_is_rmpp()");
	is_u64(wrong, 0, "ib_is_mad_class_rmpp: 256 classes");
	for (unsigned int c = 0; c < 256; c++)
		wrong += madkit_class_data_offset((uint8_t)c) != (size_t)ib_get_mad_data_offset((uint8_t)c);
	ib_mad_note("ib_get_mad_data_offset", "madkit_class_data_offset()");
	is_u64(wrong, 0, "ib_get_mad_data_offset: 256 classes");
	/* every class and method, with each of the lowest four bits of the attribute modifier */
	for (unsigned int i = 0; i < 256 * 256 * 16; i++) {
		struct ib_mad mad;

		random_bytes((uint8_t *)&mad, sizeof(mad.mad_hdr));
		mad.mad_hdr.mgmt_class = (uint8_t)(i >> 8);
		mad.mad_hdr.method = (uint8_t)i;
		((uint8_t *)&mad.mad_hdr.attr_mod)[3] = (uint8_t)(i >> 16);
		wrong += madkit_mad_is_response((const uint8_t *)&mad, sizeof(mad)) !=
			 !!ib_response_mad(&mad.mad_hdr);
	}
	ib_mad_note("ib_response_mad", "madkit_mad_is_response()");
	ib_mad_note("IB_BM_ATTR_MOD_RESP", "madkit_mad_is_response()");
	is_u64(wrong, 0, "ib_response_mad: 1048576 headers");
}

static void rmpp_helpers(void)
{
	unsigned int wrong[4] = { 0 };

	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct ib_rmpp_mad ours, theirs;
		uint8_t value = (uint8_t)random64();

		random_bytes((uint8_t *)&ours, sizeof(ours));
		theirs = ours;
		wrong[0] += madkit_rmpp_get_resptime((uint8_t *)&ours) !=
			    ib_get_rmpp_resptime(&theirs.rmpp_hdr);
		wrong[1] += madkit_rmpp_get_flags((uint8_t *)&ours) != ib_get_rmpp_flags(&theirs.rmpp_hdr);
		madkit_rmpp_set_resptime((uint8_t *)&ours, value);
		ib_set_rmpp_resptime(&theirs.rmpp_hdr, value);
		wrong[2] += memcmp(&ours, &theirs, sizeof(ours)) != 0;
		theirs = ours;
		value = (uint8_t)random64();
		madkit_rmpp_set_flags((uint8_t *)&ours, value);
		ib_set_rmpp_flags(&theirs.rmpp_hdr, value);
		wrong[3] += memcmp(&ours, &theirs, sizeof(ours)) != 0;
	}
	ib_mad_note("ib_get_rmpp_resptime", "madkit_rmpp_get_resptime()");
	ib_mad_note("ib_get_rmpp_flags", "madkit_rmpp_get_flags()");
	ib_mad_note("ib_set_rmpp_resptime", "madkit_rmpp_set_resptime()");
	ib_mad_note("ib_set_rmpp_flags", "madkit_rmpp_set_flags()");
	is_u64(wrong[0], 0, "ib_get_rmpp_resptime: %u headers", ROUNDS);
	is_u64(wrong[1], 0, "ib_get_rmpp_flags: %u headers", ROUNDS);
	is_u64(wrong[2], 0, "ib_set_rmpp_resptime: %u headers and values of 8 bits", ROUNDS);
	is_u64(wrong[3], 0, "ib_set_rmpp_flags: %u headers and values of 8 bits", ROUNDS);
}

static void cpi_helpers(void)
{
	unsigned int wrong[5] = { 0 };

	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct ib_class_port_info ours, theirs;
		struct opa_class_port_info opa;
		uint32_t value = (uint32_t)random64();

		random_bytes((uint8_t *)&ours, sizeof(ours));
		random_bytes((uint8_t *)&opa, sizeof(opa));
		theirs = ours;
		wrong[0] += madkit_cpi_get_resp_time((uint8_t *)&ours) != ib_get_cpi_resp_time(&theirs);
		wrong[1] += madkit_cpi_get_capmask2((uint8_t *)&ours) != ib_get_cpi_capmask2(&theirs);
		wrong[2] += madkit_cpi_get_capmask2((uint8_t *)&opa) != opa_get_cpi_capmask2(&opa);
		madkit_cpi_set_resp_time((uint8_t *)&ours, (uint8_t)value);
		ib_set_cpi_resp_time(&theirs, (uint8_t)value);
		wrong[3] += memcmp(&ours, &theirs, sizeof(ours)) != 0;
		theirs = ours;
		madkit_cpi_set_capmask2((uint8_t *)&ours, value);
		ib_set_cpi_capmask2(&theirs, value);
		wrong[4] += memcmp(&ours, &theirs, sizeof(ours)) != 0;
	}
	ib_mad_note("ib_get_cpi_resp_time", "madkit_cpi_get_resp_time()");
	ib_mad_note("ib_get_cpi_capmask2", "madkit_cpi_get_capmask2()");
	ib_mad_note("opa_get_cpi_capmask2", "madkit_cpi_get_capmask2()");
	ib_mad_note("ib_set_cpi_resp_time", "madkit_cpi_set_resp_time()");
	ib_mad_note("ib_set_cpi_capmask2", "madkit_cpi_set_capmask2()");
	is_u64(wrong[0], 0, "ib_get_cpi_resp_time: %u attributes", ROUNDS);
	is_u64(wrong[1], 0, "ib_get_cpi_capmask2: %u attributes", ROUNDS);
	is_u64(wrong[2], 0, "opa_get_cpi_capmask2: %u attributes", ROUNDS);
	is_u64(wrong[3], 0, "ib_set_cpi_resp_time: %u attributes and values of 8 bits", ROUNDS);
	is_u64(wrong[4], 0, "ib_set_cpi_capmask2: %u attributes and values of 32 bits", ROUNDS);
}

static void smp_helpers(void)
{
	unsigned int wrong = 0;
	struct ib_smp query = { 0 };
	struct madkit_header h;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct madkit_place place;
		struct ib_smp smp;
		uint64_t direction = 2;

		random_bytes((uint8_t *)&smp, sizeof(smp));
		if (madkit_place_find(&madkit_layout_header_dr, "direction", 9, &place, NULL) ||
		    madkit_field_get(place.field, 0, (uint8_t *)&smp, sizeof(smp), &direction) ||
		    direction != ib_get_smp_direction(&smp))
			wrong++;
		/* the status that is read is without the direction */
		smp.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
		if (madkit_header_get((uint8_t *)&smp, sizeof(smp), &h) ||
		    h.status != be16toh(smp.status & (uint16_t)~IB_SMP_DIRECTION))
			wrong++;
	}
	ib_mad_note("ib_get_smp_direction", "the field direction of madkit_layout_header_dr");
	ib_mad_note("IB_SMP_DIRECTION", "the field direction of madkit_layout_header_dr");
	is_u64(wrong, 0, "ib_get_smp_direction: %u SMPs", ROUNDS);
	ib_init_query_mad(&query);
	ib_mad_note("ib_init_query_mad", "madkit_header_put()");
	h = (struct madkit_header){ MADKIT_BASE_VERSION_IB,
				    MADKIT_CLASS_SUBN,
				    madkit_class_version(MADKIT_CLASS_SUBN),
				    MADKIT_METHOD_GET,
				    0,
				    0,
				    0,
				    0 };
	uint8_t ours[sizeof(query)] = { 0 };
	madkit_header_put(ours, sizeof(ours), &h);
	is_mem(ours, &query, sizeof(query), "ib_init_query_mad: the same bytes");
}

static void component_masks(void)
{
	unsigned int wrong = 0;

	/* a bit of the field component_mask, in the order of the wire */
	for (unsigned int n = 0; n < 64; n++) {
		struct ib_sa_mad sa = { .sa_hdr.comp_mask = IB_SA_COMP_MASK(n) };
		const struct madkit_layout *layout = madkit_class_get(MADKIT_CLASS_SA)->header;
		struct madkit_place place;
		uint64_t mask = 0;

		wrong += madkit_place_find(layout, "component_mask", 14, &place, NULL) ||
			 madkit_field_get(place.field, 0, (uint8_t *)&sa, sizeof(sa), &mask) ||
			 mask != UINT64_C(1) << n;
	}
	ib_mad_note("IB_SA_COMP_MASK", "the field component_mask of the SA's header");
	ib_mad_note("ib_sa_comp_mask", "uint64_t, host order");
	is_u64(wrong, 0, "IB_SA_COMP_MASK: 64 components");
}

static void ib_mad_agents(void)
{
	struct ib_mad_send_buf send_buf = { .timeout_ms = 1 };
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 4; i++) {
		struct madkit_agent_attr attr = {
			.mgmt_class = MADKIT_CLASS_SA,
			.rmpp_version = i & 1,
			.flags = i & 2 ? MADKIT_AGENT_USER_RMPP : 0,
		};
		const struct ib_mad_agent theirs = { .rmpp_version = attr.rmpp_version, .flags = attr.flags };
		struct madkit_port *port = fake_port(fake_new());
		struct madkit_agent *agent;

		if (madkit_agent_register(port, &attr, &agent, NULL) ||
		    madkit_agent_kernel_rmpp(agent) != !!ib_mad_kernel_rmpp_agent(&theirs))
			wrong++;
		madkit_port_close(port);
	}
	ib_mad_note("ib_mad_kernel_rmpp_agent", "madkit_agent_kernel_rmpp()");
	is_u64(wrong, 0, "ib_mad_kernel_rmpp_agent: RMPP versions 0 and 1, with and without the flag");
	ib_cancel_mad(&send_buf);
	ib_mad_note("ib_cancel_mad",
		    "madkit_agent_cancel(); madkit_agent_modify() with 0 (tests/unit/agent_modify)");
	ok(modified == &send_buf && !modified_to, "ib_cancel_mad: a timeout of 0, as here");
}

/* ---- fields that are not compared -------------------------------------------------------------- */

#define KERNEL_OBJECT "an object of the kernel; "
#define VERBS         "declared in ib_verbs.h"
static const struct {
	const char *name, *reason;
} kernel_only[] = {
	{ "OPA_SM_CLASS_VERSION", "class version of OPA's subnet management, which has no tables here" },
	{ "OPA_CLASS_PORT_INFO_PR_SUPPORT", "a bit of OPA's SA, which has no tables here" },
	{ "IB_QP0", "0: madkit_addr.qp is in host order" },
	{ "IB_QP1", "1: madkit_addr.qp is in host order" },
	{ "IB_QP_SET_QKEY", "for the kernel's verbs: a privileged Q_Key" },
	{ "IB_SMP_ATTR_VENDOR_MASK", "0xff00: attributes of vendors; these have no tables of their own" },
	{ "ib_mad_agent", KERNEL_OBJECT "madkit_agent" },
	{ "ib_mad_send_buf", KERNEL_OBJECT "madkit_send" },
	{ "ib_mad_send_wc", KERNEL_OBJECT "status of madkit_send_handler" },
	{ "ib_mad_recv_buf", KERNEL_OBJECT "madkit_recv" },
	{ "ib_mad_recv_wc", KERNEL_OBJECT "madkit_recv" },
	{ "ib_mad_reg_req", KERNEL_OBJECT "madkit_agent_attr" },
	{ "ib_mad_send_handler", "madkit_send_handler: tests/unit/agent_handlers" },
	{ "ib_mad_recv_handler", "madkit_recv_handler: tests/unit/agent_handlers" },
	{ "ib_register_mad_agent", "madkit_agent_register(): tests/conformance/registration.c" },
	{ "ib_unregister_mad_agent", "madkit_agent_unregister(): tests/conformance/dispatch.c" },
	{ "ib_create_send_mad", "madkit_send_new(): tests/unit/agent_post" },
	{ "ib_free_send_mad", "madkit_send_free(): tests/unit/agent_post" },
	{ "ib_post_send_mad", "madkit_agent_post(), madkit_agent_post_list(): tests/unit/agent_post" },
	{ "ib_modify_mad", "madkit_agent_modify(): tests/unit/agent_modify" },
	{ "ib_free_recv_mad", "madkit_recv_free(): tests/unit/agent_receive" },
	{ "ib_get_rmpp_segment", "madkit_send_segment(): tests/unit/rmpp_segment" },
	{ "ib_ah", VERBS },
	{ "ib_device", VERBS },
	{ "ib_gid", VERBS },
	{ "ib_grh", VERBS },
	{ "ib_qp", VERBS },
	{ "ib_qp_type", VERBS },
	{ "ib_wc", VERBS },
	{ "ib_wc_status", VERBS },
	{ "IB_QPT_SMI", VERBS },
	{ "IB_QPT_GSI", VERBS },
};

static const char *reason_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_only); i++)
		if (!strcmp(name, kernel_only[i].name))
			return kernel_only[i].reason;
	return NULL;
}

static const char *compared_with(const char *name)
{
	for (size_t i = 0; i < ncompared; i++)
		if (!strcmp(name, compared[i].name))
			return compared[i].ours;
	return NULL;
}

static void every_name(void)
{
#define ONE(name) name,
	static const char *const names[] = { NAMES(ONE) };
	unsigned int missing = 0, both = 0;
	size_t n = ARRAY_SIZE(names);

	for (size_t i = 0; i < n; i++) {
		const char *ours = compared_with(names[i]), *reason = reason_of(names[i]);

		if (!ours && !reason)
			printf("# %s is in neither list\n", names[i]);
		missing += !ours && !reason;
		both += ours && reason;
		if (show_table)
			printf("TABLE\t%s\t%s\t%s\n", names[i], ours ? ours : "-",
			       ours   ? "no difference" :
			       reason ? reason :
					"?");
	}
	is_u64(missing, 0,
	       "each of the %zu names of ib_mad.h and ib_smi.h is compared, or has a reason not to be", n);
	is_u64(both, 0, "... and not both");
	ok(n > 200, "the headers have names");
}

int main(int argc, char **argv)
{
	show_table = argc > 1 && !strcmp(argv[1], "--table");
	header_constants();
	ib_mad_statuses();
	rmpp_constants();
	ib_mad_sizes();
	ib_mad_attributes();
	capability_bits();
	notices();
	notice_flags();
	mad_structures();
	attribute_structures();
	notice_structures();
	class_helpers();
	rmpp_helpers();
	cpi_helpers();
	smp_helpers();
	component_masks();
	ib_mad_agents();
	every_name();
	return tap_done();
}
