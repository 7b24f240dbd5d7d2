/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Offsets and accessors that are defined outside the tables agree with the tables. */
#include <madkit/madkit.h>
#include "tests/tap.h"

static const struct madkit_layout *header_of(uint8_t mgmt_class)
{
	return madkit_class_get(mgmt_class)->header;
}

static void offsets_at(const struct madkit_layout *layout, const char *name, unsigned int byte,
		       unsigned int bytes)
{
	struct madkit_place place;

	ok(!madkit_place_find(layout, name, strlen(name), &place, NULL) &&
		   place.base + place.field->offset == byte * 8 && place.field->width == bytes * 8,
	   "%s is at byte %u, %u bytes", name, byte, bytes);
}

static void check_headers(void)
{
	const struct madkit_layout *common = &madkit_layout_header;
	const struct madkit_layout *dr = header_of(MADKIT_CLASS_SUBN_DR);
	const struct madkit_layout *sa = header_of(MADKIT_CLASS_SA);

	offsets_at(common, "base_version", MADKIT_MAD_BASE_VERSION, 1);
	offsets_at(common, "class", MADKIT_MAD_CLASS, 1);
	offsets_at(common, "class_version", MADKIT_MAD_CLASS_VERSION, 1);
	offsets_at(common, "method", MADKIT_MAD_METHOD, 1);
	offsets_at(common, "status", MADKIT_MAD_STATUS, 2);
	offsets_at(common, "tid", MADKIT_MAD_TID, 8);
	offsets_at(common, "attribute", MADKIT_MAD_ATTRIBUTE, 2);
	offsets_at(common, "modifier", MADKIT_MAD_MODIFIER, 4);
	offsets_at(&madkit_layout_header_dr, "hop_pointer", MADKIT_MAD_HOP_POINTER, 1);
	offsets_at(&madkit_layout_header_dr, "hop_count", MADKIT_MAD_HOP_COUNT, 1);
	offsets_at(header_of(MADKIT_CLASS_SUBN), "m_key", MADKIT_SMP_MKEY, 8);
	offsets_at(dr, "m_key", MADKIT_SMP_MKEY, 8);
	offsets_at(dr, "dr_slid", MADKIT_SMP_DR_SLID, 2);
	offsets_at(dr, "dr_dlid", MADKIT_SMP_DR_DLID, 2);
	offsets_at(dr, "initial_path", MADKIT_SMP_INITIAL_PATH, 64);
	offsets_at(dr, "return_path", MADKIT_SMP_RETURN_PATH, 64);
	offsets_at(sa, "sm_key", MADKIT_SA_KEY, 8);
	offsets_at(sa, "attribute_offset", MADKIT_SA_ATTRIBUTE_OFFSET, 2);
	offsets_at(sa, "component_mask", MADKIT_SA_COMPONENT_MASK, 8);
	offsets_at(header_of(MADKIT_CLASS_VENDOR2_FIRST), "oui", MADKIT_VENDOR2_OUI, 3);
	/* a class's own header ends where its data begins */
	is_u64(sa->bytes, MADKIT_SA_DATA, "SA data");
	is_u64(header_of(MADKIT_CLASS_VENDOR2_FIRST)->bytes, MADKIT_VENDOR2_DATA, "vendor data");
	is_u64(header_of(MADKIT_CLASS_PERF)->bytes, MADKIT_PERF_DATA, "PerfMgt data");
	is_u64(header_of(MADKIT_CLASS_BM)->bytes, MADKIT_BM_DATA, "BM data");
	is_u64(header_of(MADKIT_CLASS_DEVICE)->bytes, MADKIT_DEVICE_DATA, "DevMgt data");
	is_u64(header_of(MADKIT_CLASS_CC)->bytes, MADKIT_CC_DATA, "CC data");
	is_u64(madkit_class_get(MADKIT_CLASS_SUBN)->offset, MADKIT_SMP_DATA, "SMP data");
	is_u64(madkit_layout_rmpp.bytes, MADKIT_RMPP_END, "RMPP header");
}

/* Each value is one that only this field's bits give. */
static void offsets_put(const struct madkit_layout *layout, uint8_t *buf, const char *name, uint64_t value)
{
	struct madkit_place place;

	memset(buf, 0xff, layout->bytes);
	if (madkit_place_find(layout, name, strlen(name), &place, NULL) ||
	    madkit_field_put(place.field, 0, buf, layout->bytes, value))
		ok(false, "%s is set", name);
}

static uint64_t offsets_get(const struct madkit_layout *layout, const uint8_t *buf, const char *name)
{
	struct madkit_place place;
	uint64_t value = UINT64_MAX;

	if (!madkit_place_find(layout, name, strlen(name), &place, NULL))
		madkit_field_get(place.field, 0, buf, layout->bytes, &value);
	return value;
}

#define SAME(layout, name, getter, setter, value) \
	do { \
		offsets_put(layout, buf, name, value); \
		is_u64(getter(buf), value, #getter); \
		memset(buf, 0xff, sizeof(buf)); \
		setter(buf, value); \
		is_u64(offsets_get(layout, buf, name), value, #setter); \
	} while (0)

static void check_accessors(void)
{
	const struct madkit_layout *rmpp = &madkit_layout_rmpp;
	const struct madkit_layout *cpi =
		madkit_attribute_get(1, MADKIT_CLASS_SA, MADKIT_ATTR_CLASS_PORT_INFO)->layout;
	const struct madkit_layout *opa =
		madkit_attribute_get(MADKIT_BASE_VERSION_OPA, MADKIT_CLASS_SA, MADKIT_ATTR_CLASS_PORT_INFO)
			->layout;
	uint8_t buf[256];

	SAME(rmpp, "version", madkit_rmpp_get_version, madkit_rmpp_set_version, 0x5a);
	SAME(rmpp, "type", madkit_rmpp_get_type, madkit_rmpp_set_type, 0x5a);
	SAME(rmpp, "resptime", madkit_rmpp_get_resptime, madkit_rmpp_set_resptime, 0x12);
	SAME(rmpp, "flags", madkit_rmpp_get_flags, madkit_rmpp_set_flags, 0x5);
	SAME(rmpp, "status", madkit_rmpp_get_status, madkit_rmpp_set_status, 0x5a);
	SAME(rmpp, "segment", madkit_rmpp_get_segment, madkit_rmpp_set_segment, 0x12345678);
	SAME(rmpp, "payload_length", madkit_rmpp_get_length, madkit_rmpp_set_length, 0x12345678);
	is_u64(cpi->bytes, MADKIT_CPI_BYTES, "ClassPortInfo");
	is_u64(opa->bytes, MADKIT_CPI_OPA_BYTES, "OPA's ClassPortInfo");
	for (int i = 0; i < 2; i++) {
		const struct madkit_layout *layout = i ? opa : cpi;

		SAME(layout, "CapabilityMask", madkit_cpi_get_capmask, madkit_cpi_set_capmask, 0x1234);
		SAME(layout, "CapabilityMask2", madkit_cpi_get_capmask2, madkit_cpi_set_capmask2, 0x1234567);
		SAME(layout, "RespTimeVal", madkit_cpi_get_resp_time, madkit_cpi_set_resp_time, 0x12);
	}
}

int main(void)
{
	check_headers();
	check_accessors();
	return tap_done();
}
