/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Order: which enumerations of the tables have one, and what < and > say by it. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <madkit/expr.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "util/array_size.h"
#include "wire/tables/values.h"
#include "../tap.h"

/* Every other list of an enumeration has no order: a reason here would be a row. */
/* clang-format off */
static const struct { const struct madkit_value *values; const char *what; } ordered[] = {
	{ madkit_values_rate, "rates" }, { madkit_values_mtu, "MTUs" },
	{ madkit_values_link_width_active, "widths" },
	{ madkit_values_link_speed_active, "speeds" },
	{ madkit_values_link_speed_ext_active, "extended speeds" },
	{ madkit_values_link_speed_ext2_active, "extended speeds 2" },
	{ madkit_values_vl_cap, "VLs" }, { madkit_values_oper_vls, "operational VLs" },
	{ madkit_values_port_state, "port states" }, { madkit_values_mc_scope, "scopes" },
	{ madkit_values_extended_width, "widths of counters" },
};
/* clang-format on */

static bool magnitude_is_ordered(const struct madkit_value *values)
{
	for (size_t i = 0; i < ARRAY_SIZE(ordered); i++)
		if (ordered[i].values == values)
			return true;
	return false;
}

/* -errno of the check, or what the expression says of the data. */
static int magnitude_judge(const struct madkit_attribute *row, const uint8_t *data, const char *text,
			   bool check)
{
	struct madkit_message m = { .kind = MADKIT_MESSAGE_REQUEST };
	struct madkit_record r = { .message = &m, .attribute = row, .records = 1 };
	struct madkit_error e = { .text = "" };
	struct madkit_expr *expr;
	int ret;

	r.layout = madkit_attribute_layout(row, data, row->layout->bytes);
	r.data = data;
	r.len = row->layout->bytes;
	if (madkit_expr_new(text, &expr, &e)) {
		ok(false, "%s: %s", text, e.text);
		return -EINVAL;
	}
	ret = check ? madkit_expr_check(expr, row, &e) : madkit_expr_eval(expr, &r);
	if (check && ret && !*e.text)
		ok(false, "%s is refused without a reason", text);
	madkit_expr_free(expr);
	return ret;
}

static unsigned int enumerations, sets, pairs;

/* Whatever two codes a field may have: as their magnitudes, unknown without. */
static unsigned int compare_all(const struct madkit_attribute *row, const struct madkit_field *f,
				const char *path, uint32_t bit)
{
	static const char *const ops[] = { "<", "<=", ">", ">=" };
	unsigned int wrong = 0;
	uint64_t codes = UINT64_C(1) << f->width;

	if (codes > 64)
		codes = 64; /* LinkWidthActive has 8 bits: what lies above is reserved */
	for (uint64_t code = 0; code < codes; code++) {
		struct madkit_field at = { .offset = bit, .width = f->width };
		uint8_t data[256] = { 0 };
		uint64_t a, b;
		bool known = !madkit_value_magnitude(f->values, code, &a);

		madkit_field_put(&at, 0, data, sizeof(data), code);
		for (const struct madkit_value *v = f->values; v->name; v++) {
			for (unsigned int op = 0; op < 4; op++) {
				char text[240];
				int want, got;

				snprintf(text, sizeof(text), "%s %s '%s'", path, ops[op], v->name);
				got = magnitude_judge(row, data, text, false);
				if (madkit_value_magnitude(f->values, v->value, &b)) {
					wrong += magnitude_judge(row, data, text, true) != -EINVAL;
					want = -ENODATA;
				} else {
					want = !known  ? -ENODATA :
					       op == 0 ? a < b :
					       op == 1 ? a <= b :
					       op == 2 ? a > b :
							 a >= b;
					wrong += magnitude_judge(row, data, text, true) != 0;
				}
				wrong += got != want;
				pairs++;
			}
		}
	}
	return wrong;
}

static const struct madkit_field *done[512];
static unsigned int ndone;

static bool magnitude_seen(const struct madkit_field *f)
{
	for (unsigned int i = 0; i < ndone; i++)
		if (done[i] == f)
			return true;
	if (ndone < ARRAY_SIZE(done))
		done[ndone++] = f;
	return false;
}

static void check_layout(const struct madkit_attribute *row, const struct madkit_layout *layout,
			 const char *prefix, uint32_t base)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		static const uint8_t zeros[256];
		char path[MADKIT_PATH_MAX], text[240];

		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", f->name);
		if (f->kind == MADKIT_KIND_STRUCT && !f->count) {
			check_layout(row, f->sub, path, base + f->offset);
			continue;
		}
		if ((f->kind != MADKIT_KIND_ENUM && f->kind != MADKIT_KIND_BITS) || magnitude_seen(f))
			continue;
		/* a name of the envelope goes before */
		snprintf(text, sizeof(text), "data.%s < 1", path);
		if (f->kind == MADKIT_KIND_BITS) {
			sets++;
			is_int(magnitude_judge(row, zeros, text, true), -EINVAL,
			       "A2: %s: %s is a set, which has no order", row->name, path);
			is_int(magnitude_judge(row, zeros, text, false), -ENODATA, "A2: ... unknown");
			continue;
		}
		enumerations++;
		ok(magnitude_is_ordered(f->values) == !madkit_value_magnitude(f->values, 0, NULL),
		   "A2: %s: %s has an order, or none, as the list says", row->name, path);
		if (!magnitude_is_ordered(f->values)) {
			is_int(magnitude_judge(row, zeros, text, true), -EINVAL,
			       "A2: %s: %s has no order: < is refused", row->name, path);
			is_int(magnitude_judge(row, zeros, text, false), -ENODATA, "A2: ... unknown");
		} else {
			is_int(compare_all(row, f, path, base + f->offset), 0,
			       "A2: %s: %s compares by magnitude", row->name, path);
		}
	}
}

static void magnitude_check_rows(void)
{
	const struct madkit_class *classes;
	size_t n;

	classes = madkit_classes(&n);
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; i < classes[c].nattributes; i++)
			check_layout(&classes[c].attributes[i], classes[c].attributes[i].layout, "", 0);
	ok(enumerations > 30 && sets > 20 && pairs > 10000 && ndone < ARRAY_SIZE(done),
	   "A2: %u enumerations, %u sets, %u comparisons", enumerations, sets, pairs);
}

static void check_known(void)
{
	static const struct {
		uint16_t id;
		const char *set, *value, *text;
		int want;
	} list[] = {
		{ 0x35, "Rate", "50 Gbps", "Rate > '100 Gbps'", 0 },
		{ 0x35, "Rate", "200 Gbps", "Rate > '100 Gbps'", 1 },
		{ 0x35, "Rate", "120 Gbps", "Rate > '100 Gbps'", 1 },
		{ 0x35, "Rate", "5 Gbps", "Rate < '10 Gbps'", 1 },
		{ 0x35, "Rate", "1", "Rate < '10 Gbps'", -ENODATA },
		{ 0x35, "Rate", "1", "!(Rate < '10 Gbps')", -ENODATA },
		{ 0x35, "Rate", "50 Gbps", "Rate == '50 Gbps'", 1 },
		{ 0x35, "Rate", "50 Gbps", "Rate == 20", 1 },
		{ 0x35, "MTU", "2048", "MTU >= 1024", 1 },
		{ 0x12, "LinkWidthActive", "2X", "LinkWidthActive < 4X", 1 },
		{ 0x12, "LinkWidthActive", "8X", "LinkWidthActive < 4X", 0 },
		{ 0x12, "LinkSpeedExtActive", "0", "LinkSpeedExtActive < '25.78125 Gbps'", 1 },
		{ 0x12, "LinkSpeedExtActive", "0", "LinkSpeedExtActive >= '14.0625 Gbps'", 0 },
		{ 0x12, "LinkState", "0", "LinkState < Active", -ENODATA },
		{ 0x12, "LinkState", "Armed", "LinkState >= Armed && LinkState < Active", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		const struct madkit_attribute *row = madkit_attribute_get(1, 3, list[i].id);
		uint8_t data[256] = { 0 };

		madkit_attribute_set(row, data, sizeof(data), list[i].set, list[i].value, NULL, NULL);
		is_int(magnitude_judge(row, data, list[i].text, false), list[i].want, "A2: %s is %s: %s",
		       list[i].set, list[i].value, list[i].text);
	}
}

/* The magnitudes are those of libibverbs, which uses the codes of the IBA. */
static void check_verbs(void)
{
	void *verbs = dlopen("libibverbs.so.1", RTLD_NOW);
	int (*mbps)(int rate) = NULL;
	unsigned int compared = 0;

	if (verbs)
		*(void **)&mbps = dlsym(verbs, "ibv_rate_to_mbps");
	for (const struct madkit_value *v = madkit_values_rate; mbps && v->name; v++) {
		/* -1: older than the rate */
		if (mbps((int)v->value) < 0)
			continue;
		is_u64(v->magnitude / 1000, mbps((int)v->value), "A2: libibverbs has %s, too", v->name);
		compared++;
	}
	ok(!mbps || compared >= 18, "A2: %u rates are those of libibverbs%s", compared,
	   mbps ? "" : " # SKIP no libibverbs");
}

int main(void)
{
	magnitude_check_rows();
	check_known();
	check_verbs();
	return tap_done();
}
