/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layouts that no other oracle has, against the structures of the kernel's ib_mad.h and ib_pma.h: OPA's
 * ClassPortInfo and PortSamplesResultExtended. The kernel only names the parts of a word: the bits are those
 * of IBA volume 1, 13.4.8.1, with OPA's SLs of 5 bits.
 */
#include <stddef.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "../tap.h"
#include "util/array_size.h"

typedef uint8_t u8;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint64_t __be64;
#define __packed __attribute__((packed))

#include "tests/oracle/kernel_structs.h"

/* A member, or a part of it: so many bits, and so many to the right of it. */
#define PART(name, type, member, r, w) \
	{ \
		name, \
			offsetof(struct type, member) * 8 + sizeof(((struct type *)0)->member) * 8 - (r) - \
				(w), \
			w, 0 \
	}
#define ALL(name, type, member) PART(name, type, member, 0, sizeof(((struct type *)0)->member) * 8)
#define ARRAY(name, type, member) \
	{ \
		name, offsetof(struct type, member) * 8, sizeof(((struct type *)0)->member[0]) * 8, \
			ARRAY_SIZE(((struct type *)0)->member) \
	}

struct theirs {
	const char *name;
	size_t offset, width, count;
};

#define CPI(name, member)            ALL(name, opa_class_port_info, member)
#define CPI_PART(name, member, r, w) PART(name, opa_class_port_info, member, r, w)
static const struct theirs class_port_info[] = {
	CPI("BaseVersion", base_version),
	CPI("ClassVersion", class_version),
	CPI("CapabilityMask", cap_mask),
	CPI_PART("CapabilityMask2", cap_mask2_resp_time, 5, 27),
	CPI_PART("RespTimeVal", cap_mask2_resp_time, 0, 5),
	CPI("RedirectGID", redirect_gid),
	CPI_PART("RedirectTC", redirect_tc_fl, 24, 8),
	CPI_PART("RedirectFL", redirect_tc_fl, 0, 20),
	CPI("RedirectLID", redirect_lid),
	CPI_PART("RedirectSL", redirect_sl_qp, 27, 5),
	CPI_PART("RedirectQP", redirect_sl_qp, 0, 24),
	CPI("RedirectQKey", redirect_qkey),
	CPI("TrapGID", trap_gid),
	CPI_PART("TrapTC", trap_tc_fl, 24, 8),
	CPI_PART("TrapFL", trap_tc_fl, 0, 20),
	CPI("TrapLID", trap_lid),
	CPI_PART("TrapHL", trap_hl_qp, 24, 8),
	CPI_PART("TrapQP", trap_hl_qp, 0, 24),
	CPI("TrapQKey", trap_qkey),
	CPI("TrapPKey", trap_pkey),
	CPI("RedirectPKey", redirect_pkey),
	CPI_PART("TrapSL", trap_sl_rsvd, 3, 5),
};

static const struct theirs samples_result_extended[] = {
	ALL("Tag", ib_pma_portsamplesresult_ext, tag),
	/* "only lower 2 bits" */
	PART("SampleStatus", ib_pma_portsamplesresult_ext, sample_status, 0, 2),
	/* "only upper 2 bits" */
	PART("ExtendedWidth", ib_pma_portsamplesresult_ext, extended_width, 30, 2),
	ARRAY("Counter", ib_pma_portsamplesresult_ext, counter),
};

static void kernel_structs_compare(const char *name, const struct madkit_attribute *a, size_t bytes,
				   const struct theirs *theirs, size_t n)
{
	size_t named = 0;

	is_u64(a ? a->layout->bytes : 0, bytes, "%s: bytes", name);
	for (size_t i = 0; a && i < n; i++) {
		struct madkit_place place;

		ok(!madkit_place_find(a->layout, theirs[i].name, strlen(theirs[i].name), &place, NULL) &&
			   place.base + place.field->offset == theirs[i].offset &&
			   place.field->width == theirs[i].width && place.field->count == theirs[i].count,
		   "%s.%s", name, theirs[i].name);
	}
	for (unsigned int i = 0; a && i < a->layout->nfields; i++)
		named += a->layout->fields[i].kind != MADKIT_KIND_RESERVED;
	is_u64(named, n, "%s: each field is compared", name);
}

int main(void)
{
	kernel_structs_compare(
		"ClassPortInfo of OPA",
		madkit_attribute_get(MADKIT_BASE_VERSION_OPA, MADKIT_CLASS_PERF, MADKIT_ATTR_CLASS_PORT_INFO),
		sizeof(struct opa_class_port_info), class_port_info, ARRAY_SIZE(class_port_info));
	kernel_structs_compare("PortSamplesResultExtended",
			       madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, 0x1e),
			       sizeof(struct ib_pma_portsamplesresult_ext), samples_result_extended,
			       ARRAY_SIZE(samples_result_extended));
	return tap_done();
}
