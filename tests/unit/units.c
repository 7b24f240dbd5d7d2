/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers with units, bit error rates and padded strings. The expected texts are worked out by hand from the bits. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "util/array_size.h"
#include "util/decimal.h"

enum { DATA = 32, MAD = 256 };

struct units_sample {
	uint8_t mad[MAD];
	struct madkit_message message;
	const struct madkit_attribute *attribute;
};

static void units_begin(struct units_sample *s, const char *attribute)
{
	struct madkit_header h = { .base_version = 1, .class_version = 1, .method = 0x81 };
	struct madkit_error e = { .text = "" };
	uint16_t id = 0;

	memset(s, 0, sizeof(*s));
	if (madkit_attribute_find(attribute, -1, &h.mgmt_class, &id, &s->attribute, &e))
		ok(false, "%s: %s", attribute, e.text);
	h.attribute = id;
	h.modifier = s->attribute->modifier_value;
	madkit_header_put(s->mad, sizeof(s->mad), &h);
	madkit_attribute_choose(s->attribute, s->mad + DATA, MAD - DATA);
	s->message = (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.attribute = s->attribute,
		.rtt_us = -1,
		.attempts = -1,
		.mad = s->mad,
		.len = sizeof(s->mad),
	};
}

/* Puts the bits of a field. */
static void units_put(struct units_sample *s, const char *field, uint64_t bits)
{
	struct madkit_place place;

	if (madkit_place_find(s->attribute->layout, field, strlen(field), &place, NULL) ||
	    madkit_field_put(place.field, place.index, s->mad + DATA + place.base / 8,
			     MAD - DATA - place.base / 8, bits))
		ok(false, "%s is a field of %s", field, s->attribute->name);
}

/* Writes the line without its end. Returns the text, which is freed by the caller. */
static char *units_line(struct units_sample *s, const char *fields, const char *form)
{
	struct madkit_projection *p = NULL;
	struct madkit_format format = { .show_keys = true };
	struct madkit_table *table;
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	if (fields && madkit_projection_new(fields, &p, NULL))
		ok(false, "fields %s", fields);
	format.fields = p;
	if (!strcmp(form, "json")) {
		madkit_format_json(&buf, &s->message, &format);
	} else if (!strcmp(form, "text")) {
		madkit_format_text(&buf, &s->message, &format);
	} else {
		table = madkit_table_new(fields);
		if (!strcmp(form, "csv"))
			madkit_table_as_csv(table);
		madkit_table_add(table, &buf, &s->message, &format);
		madkit_table_flush(table, &buf);
		madkit_table_free(table);
	}
	madkit_projection_free(p);
	buf.len -= !strcmp(form, "csv") ? strlen("\r\n") : strlen("\n");
	madkit_buf_char(&buf, 0);
	return buf.data;
}

/* Returns what follows the last "begin" in a line. */
static const char *units_after(const char *line, const char *begin)
{
	const char *at = NULL;

	for (const char *next = line; (next = strstr(next, begin)); next++)
		at = next + strlen(begin);
	return at ? at : line;
}

/* ---- one value in every format ------------------------------------------------------------ */

static const struct {
	const char *attribute, *field;
	uint64_t bits;
	const char *with; /* another field, and its bits */
	uint64_t with_bits;
	const char *json, *text;
	const char *csv; /* NULL: as in JSON */
} shown[] = {
	{ "ModuleInfo", "Temperature", 0x3080, NULL, 0, "48.5", "48.5 C", NULL },
	{ "ModuleInfo", "Temperature", 0xfec0, NULL, 0, "-1.25", "-1.25 C", NULL },
	{ "ModuleInfo", "Temperature", 0x0001, NULL, 0, "0.00390625", "0.00391 C", NULL },
	{ "ModuleInfo", "Temperature", 0xffff, NULL, 0, "-0.00390625", "-0.00391 C", NULL },
	{ "ModuleInfo", "Temperature", 0x8000, NULL, 0, "-128", "-128 C", NULL },
	{ "ModuleInfo", "Temperature", 0x7fff, NULL, 0, "127.99609375", "128 C", NULL },
	{ "ModuleInfo", "Temperature", 0, NULL, 0, "null", "-", "" },
	{ "ModuleInfo", "Voltage", 32986, NULL, 0, "3.2986", "3.3 V", NULL },
	{ "ModuleInfo", "MaxPower", 21, NULL, 0, "5.25", "5.25 W", NULL },
	{ "ModuleInfo", "MaxPower", 0, NULL, 0, "0", "0 W", NULL },
	{ "ModuleInfo", "Wavelength", 850, NULL, 0, "850", "850 nm", NULL },
	{ "ModuleInfo", "Attenuation5G", 7, NULL, 0, "7", "7 dB", NULL },
	{ "ModuleInfo", "RxPowerLow", 0xfff4, "PowerUnit", 0, "-12", "-12 dBm", NULL },
	{ "ModuleInfo", "RxPowerLow", 0xfff4, "CableType", 3, "-12", "-12 dBm", NULL },
	{ "ModuleInfo", "RxPowerLow", 0, "CableType", 2, "0", "0 dBm", NULL },
	{ "ModuleInfo", "RxPowerLow", 0, "CableType", 1, "0", "0 dBm", NULL },
	{ "ModuleInfo", "RxPowerLow", 0, "CableType", 3, "null", "-", "" },
	{ "ModuleInfo", "RxPowerLow", 0xfff4, "PowerUnit", 1, "65524", "65524 uW", NULL },
	{ "ModuleInfo", "TxBiasHigh", 3252, "TxBiasScale", 0, "6.504", "6.5 mA", NULL },
	{ "ModuleInfo", "TxBiasHigh", 3252, "TxBiasScale", 1, "13.008", "13 mA", NULL },
	{ "ModuleInfo", "TxBiasHigh", 3252, "TxBiasScale", 2, "26.016", "26 mA", NULL },
	{ "ModuleInfo", "TxBiasHigh", 3252, "TxBiasScale", 3, "52.032", "52 mA", NULL },
	{ "ModuleInfo", "TxBiasHigh", 0, "TxBiasScale", 3, "null", "-", "" },
	/* QSFP28: metres; CMIS: 0.1 m, times a power of ten in the first two bits */
	{ "ModuleInfo", "CableLength", 5, "CableIdentifier", 0, "5", "5 m", NULL },
	{ "ModuleInfo", "CableLength", 200, "CableIdentifier", 1, "200", "200 m", NULL },
	{ "ModuleInfo", "CableLength", 5, "CableIdentifier", 8, "0.5", "0.5 m", NULL },
	{ "ModuleInfo", "CableLength", 0x40 | 15, "CableIdentifier", 7, "15", "15 m", NULL },
	{ "ModuleInfo", "CableLength", 0xc0 | 63, "CableIdentifier", 10, "6300", "6300 m", NULL },
	{ "ModuleInfo", "CableLength", 0, "CableIdentifier", 8, "null", "-", "" },
	{ "ModuleInfo", "CableLength", 0x40, "CableIdentifier", 8, "null", "-", "" },
	{ "ModuleInfo", "CableLength", 0x80, "CableIdentifier", 8, "null", "-", "" },
	{ "ModuleInfo", "CableLength", 0xc0, "CableIdentifier", 8, "null", "-", "" },
	{ "BitErrors", "RawPhysicalBER", 0x100f, NULL, 0, "15e-16", "1.5e-15", NULL },
	{ "BitErrors", "RawPhysicalBER", 0x0803, NULL, 0, "3e-8", "3e-8", NULL },
	{ "BitErrors", "RawPhysicalBER", 0xff0f, NULL, 0, "15e-255", "none seen", NULL },
	{ "BitErrors", "RawPhysicalBER", 0xfe0f, NULL, 0, "15e-254", "1.5e-253", NULL },
	{ "BitErrors", "RawPhysicalBER", 0x010c, NULL, 0, "12e-1", "1.2", NULL },
	{ "BitErrors", "RawPhysicalBER", 0x000c, NULL, 0, "12", "1.2e1", NULL },
	{ "BitErrors", "RawPhysicalBER", 0x0a0a, NULL, 0, "10e-10", "1e-9", NULL },
	{ "BitErrors", "RawPhysicalBER", 0x0009, NULL, 0, "9", "9", NULL },
	{ "BitErrors", "RawPhysicalBER", 0, NULL, 0, "null", "-", "" },
	{ "BitErrors", "RawPhysicalBER", 0x0700, NULL, 0, "null", "-", "" },
	{ "LinkDownInfo", "LastRawBER", 7, NULL, 0, "null", "-", "" },
	{ "LinkDownInfo", "LastRawBER", 0xf10, NULL, 0, "15e-16", "1.5e-15", NULL },
	{ "LinkDownInfo", "LastRawBER", 0xfff, NULL, 0, "15e-255", "none seen", NULL },
	{ "BitErrors", "TimeSinceLastClear", 1500, NULL, 0, "1.5", "1.5 s", NULL },
	{ "BitErrors", "TimeSinceLastClear", UINT64_MAX, NULL, 0, "18446744073709551.615",
	  "18446744073709552 s", NULL },
	{ "LinkModes", "DataRate", 2000, NULL, 0, "200", "200 Gb/s", NULL },
	{ "LinkModes", "DataRate", 25, NULL, 0, "2.5", "2.5 Gb/s", NULL },
	{ "Sensor", "Temperature", 0xfff6, NULL, 0, "-1.25", "-1.25 C", NULL },
	{ "Sensors", "Sensor[1].Temperature", 0x0184, NULL, 0, "48.5", "48.5 C", NULL },
	{ "Sensors", "Sensor[1].Temperature", 0x8000, NULL, 0, "null", "-", "" },
	{ "Sensors", "Sensor[1].Temperature", 0x8003, NULL, 0, "null", "-", "" },
	{ "Sensors", "Sensor[1].Temperature", 0x8004, NULL, 0, "-4095.5", "-4096 C", NULL },
	{ "Sensors", "Sensor[1].Temperature", 0, NULL, 0, "0", "0 C", NULL },
};

static void units_check_shown(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		const char *csv = shown[i].csv ? shown[i].csv : shown[i].json;
		const char *name = strrchr(shown[i].field, '.');
		struct units_sample s;
		char key[80], *json, *text, *row, *cell;

		units_begin(&s, shown[i].attribute);
		units_put(&s, shown[i].field, shown[i].bits);
		if (shown[i].with)
			units_put(&s, shown[i].with, shown[i].with_bits);
		if (shown[i].with && !strcmp(shown[i].with, "PowerUnit"))
			units_put(&s, "CableType", 2);
		json = units_line(&s, shown[i].field, "json");
		text = units_line(&s, shown[i].field, "text");
		row = units_line(&s, shown[i].field, "csv");
		cell = units_line(&s, shown[i].field, "table");
		snprintf(key, sizeof(key), "\"%s\":", name ? name + 1 : shown[i].field);
		ok(!strncmp(units_after(json, key), shown[i].json, strlen(shown[i].json)) &&
			   strchr(",}", units_after(json, key)[strlen(shown[i].json)]),
		   "%s 0x%" PRIx64 ": JSON %s in %s", shown[i].field, shown[i].bits, shown[i].json, json);
		ok(!strcmp(units_after(text, "."), units_after(shown[i].text, ".")) &&
			   strstr(text, shown[i].text),
		   "%s 0x%" PRIx64 ": text %s", shown[i].field, shown[i].bits, text);
		ok(!strcmp(units_after(row, "\n"), csv), "%s 0x%" PRIx64 ": CSV %s", shown[i].field,
		   shown[i].bits, row);
		ok(!strncmp(units_after(cell, "\n"), shown[i].text, strlen(shown[i].text)),
		   "%s 0x%" PRIx64 ": table %s", shown[i].field, shown[i].bits, cell);
		free(json);
		free(text);
		free(row);
		free(cell);
	}
}

/* ---- text to bits --------------------------------------------------------------------------- */

static const struct {
	const char *attribute, *field, *text;
	int ret;
	uint64_t bits; /* or the word in the reason of a failure */
	const char *why;
} taken[] = {
	{ "ModuleInfo", "Temperature", "48.5", 0, 0x3080, NULL },
	{ "ModuleInfo", "Temperature", "48.500", 0, 0x3080, NULL },
	{ "ModuleInfo", "Temperature", "4850e-2", 0, 0x3080, NULL },
	{ "ModuleInfo", "Temperature", "-1.25", 0, 0xfec0, NULL },
	{ "ModuleInfo", "Temperature", "-128", 0, 0x8000, NULL },
	{ "ModuleInfo", "Temperature", "127.99609375", 0, 0x7fff, NULL },
	{ "ModuleInfo", "Temperature", "-", 0, 0, NULL },
	{ "ModuleInfo", "Temperature", "null", 0, 0, NULL },
	{ "ModuleInfo", "Temperature", "128", -ERANGE, 0, "out of range" },
	{ "ModuleInfo", "Temperature", "1e300", -ERANGE, 0, "out of range" },
	{ "ModuleInfo", "Temperature", "99999999999999999999", -ERANGE, 0, "out of range" },
	{ "ModuleInfo", "Temperature", "48.3", -EINVAL, 0, "multiple of 1/256 C" },
	{ "ModuleInfo", "Temperature", "1e-300", -EINVAL, 0, "multiple of 1/256 C" },
	{ "ModuleInfo", "Temperature", "48.5C", -EINVAL, 0, "'48.5C' is not a number" },
	{ "ModuleInfo", "Temperature", "1.", -EINVAL, 0, "not a number" },
	{ "ModuleInfo", "Temperature", ".", -EINVAL, 0, "not a number" },
	{ "ModuleInfo", "Temperature", "--1", -EINVAL, 0, "not a number" },
	{ "ModuleInfo", "Temperature", "1e", -EINVAL, 0, "not a number" },
	{ "ModuleInfo", "Temperature", "", -EINVAL, 0, "not a number" },
	{ "ModuleInfo", "Voltage", "-1", -ERANGE, 0, "out of range" },
	{ "ModuleInfo", "Voltage", "3.3", 0, 33000, NULL },
	{ "ModuleInfo", "MaxPower", "-", -EINVAL, 0, "always has a value" },
	{ "ModuleInfo", "MaxPower", "63.75", 0, 255, NULL },
	{ "ModuleInfo", "MaxPower", "64", -ERANGE, 0, "out of range" },
	{ "ModuleInfo", "Wavelength", "1310", 0, 1310, NULL },
	{ "ModuleInfo", "Wavelength", "1310.5", -EINVAL, 0, "multiple of 1 nm" },
	{ "BitErrors", "SymbolBER", "1.5e-15", 0, 0x100f, NULL },
	{ "BitErrors", "SymbolBER", "15e-16", 0, 0x100f, NULL },
	{ "BitErrors", "SymbolBER", "10e-16", 0, 0x100a, NULL },
	{ "BitErrors", "SymbolBER", "1.0E-15", 0, 0x0f01, NULL },
	{ "BitErrors", "SymbolBER", "0.00000003", 0, 0x0803, NULL },
	{ "BitErrors", "SymbolBER", "15e-255", 0, 0xff0f, NULL },
	{ "BitErrors", "SymbolBER", "0", 0, 0, NULL },
	{ "BitErrors", "SymbolBER", "1.6e-15", -EINVAL, 0, "coefficient from 0 to 15" },
	{ "BitErrors", "SymbolBER", "1e-256", -ERANGE, 0, "out of range" },
	{ "BitErrors", "SymbolBER", "16", -EINVAL, 0, "coefficient" },
	{ "BitErrors", "SymbolBER", "1e2", -ERANGE, 0, "out of range" },
	{ "BitErrors", "SymbolBER", "-1e-8", -ERANGE, 0, "out of range" },
	{ "BitErrors", "SymbolBER", "null", 0, 0, NULL },
	{ "BitErrors", "TimeSinceLastClear", "18446744073709551.615", 0, UINT64_MAX, NULL },
	{ "BitErrors", "TimeSinceLastClear", "18446744073709551.616", -ERANGE, 0, "out of range" },
	{ "Sensors", "Sensor[2].Temperature", "-", 0, 0x8000, NULL },
	{ "Sensors", "Sensor[2].Temperature", "48.125", 0, 385, NULL },
};

static void units_check_taken(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		struct madkit_error e = { .text = "" };
		struct madkit_place place;
		struct units_sample s;
		uint64_t bits = 0;
		int ret;

		units_begin(&s, taken[i].attribute);
		units_put(&s, taken[i].field, 1);
		ret = madkit_set(s.attribute->layout, s.mad + DATA, MAD - DATA, taken[i].field, taken[i].text,
				 &place, &e);
		is_int(ret, taken[i].ret, "%s=%s: %s", taken[i].field, taken[i].text, e.text);
		madkit_place_find(s.attribute->layout, taken[i].field, strlen(taken[i].field), &place, NULL);
		madkit_field_get(place.field, place.index, s.mad + DATA + place.base / 8,
				 MAD - DATA - place.base / 8, &bits);
		is_u64(bits, ret ? 1 : taken[i].bits, "%s=%s: the bits", taken[i].field, taken[i].text);
		if (ret)
			ok(strstr(e.text, taken[i].why) && strstr(e.text, place.field->name), "%s=%s: %s",
			   taken[i].field, taken[i].text, e.text);
	}
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Reads a line. Returns false, with the reason in e, if it is refused or makes another MAD. */
static bool units_read(struct units_sample *s, const char *line, struct madkit_error *e)
{
	struct madkit_json_in *in = madkit_json_in_new();
	const struct madkit_json_message *m = madkit_json_in_message(in);
	bool same;

	*e = (struct madkit_error){ .text = "" };
	same = madkit_json_in_line(in, line, strlen(line), e) == 1 && m->len == MAD &&
	       !memcmp(m->mad, s->mad, MAD);
	madkit_json_in_free(in);
	return same;
}

/* Values that do not have all bits: rest has them. */
static const struct {
	const char *attribute, *field;
	uint64_t bits;
	const char *with;
	uint64_t with_bits;
	const char *rest;
} kept[] = {
	{ "ModuleInfo", "Temperature", 0x3080, NULL, 0, "{}" },
	/* 5 m are 50 x 0.1 m, and 5 x 1 m */
	{ "ModuleInfo", "CableLength", 0x40 | 5, "CableIdentifier", 8, "{\"49\":\"45\"}" },
	{ "ModuleInfo", "CableLength", 0x40, "CableIdentifier", 8, "{\"49\":\"40\"}" },
	{ "BitErrors", "RawPhysicalBER", 0x0700, NULL, 0, "{\"142\":\"07\"}" },
	{ "BitErrors", "RawPhysicalBER", 0x0713, NULL, 0, "{\"142\":\"0713\"}" },
	/* the first bits of its first byte are reserved */
	{ "LinkDownInfo", "LastRawBER", 0x007, NULL, 0, "{\"61\":\"07\"}" },
	{ "LinkDownInfo", "LastRawBER", 0xf10, NULL, 0, "{}" },
	{ "Sensors", "Sensor[0].Temperature", 0x8000, NULL, 0, "{}" },
	{ "Sensors", "Sensor[0].Temperature", 0x8001, NULL, 0, "{\"54\":\"8001\"}" },
};

static void units_check_kept(void)
{
	struct madkit_error e;
	struct units_sample s;
	char *line;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		units_begin(&s, kept[i].attribute);
		units_put(&s, kept[i].field, kept[i].bits);
		if (kept[i].with)
			units_put(&s, kept[i].with, kept[i].with_bits);
		line = units_line(&s, NULL, "json");
		ok(!strncmp(units_after(line, "\"rest\":"), kept[i].rest, strlen(kept[i].rest)),
		   "%s 0x%" PRIx64 ": rest %s", kept[i].field, kept[i].bits, units_after(line, "\"rest\":"));
		ok(units_read(&s, line, &e), "%s 0x%" PRIx64 ": the same MAD %s", kept[i].field, kept[i].bits,
		   e.text);
		free(line);
	}
	/* reserved bits beside a rate that is whole */
	units_begin(&s, "LinkDownInfo");
	units_put(&s, "LastRawBER", 0xf10);
	s.mad[36 + 24] |= 0xa0;
	line = units_line(&s, NULL, "json");
	ok(strstr(line, "\"rest\":{\"60\":\"a0\"}") && units_read(&s, line, &e),
	   "a rate beside reserved bits: %s", e.text);
	free(line);
}

/* Lines as people write them. want: the word in the reason of a refusal, or NULL. */
static void units_check_written(void)
{
	static const struct {
		const char *data, *field;
		uint64_t bits;
		const char *why;
	} rows[] = {
		{ "\"CableLength\":0.5,\"CableIdentifier\":8", "CableLength", 5, NULL },
		{ "\"cable_length\":0.5,\"cable_identifier\":8", "CableLength", 5, NULL },
		{ "\"CableLength\":\"0.5\",\"CableIdentifier\":\"OSFP\"", "CableLength", 5, NULL },
		{ "\"CableLength\":0.5", "CableLength", 0, "data.CableLength" },
		{ "\"TxBias\":[null,13.008],\"TxBiasScale\":1", "TxBias[1]", 3252, NULL },
		{ "\"Temperature\":-1.25", "Temperature", 0xfec0, NULL },
		{ "\"Temperature\":null", "Temperature", 0, NULL },
		{ "\"Temperature\":true", "Temperature", 0, "data.Temperature" },
		{ "\"Temperature\":48.3", "Temperature", 0, "data.Temperature" },
		{ "\"Temperature\":[1]", "Temperature", 0, "data.Temperature" },
		{ "\"MaxPower\":null", "MaxPower", 0, "always has a value" },
		{ "\"PowerClass\":1.5", "PowerClass", 0, "data.PowerClass" },
		{ "\"Temperature\":1,\"Temperature\":2", "Temperature", 0, "Temperature" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_json_in *in = madkit_json_in_new();
		const struct madkit_json_message *m = madkit_json_in_message(in);
		struct madkit_error e = { .text = "" };
		struct madkit_place place;
		char line[400];
		uint64_t bits = 0;
		int ret;

		snprintf(line, sizeof(line),
			 "{\"header\":{\"method\":\"Get\",\"attribute\":\"ModuleInfo\"},\"data\":{%s}}",
			 rows[i].data);
		ret = madkit_json_in_line(in, line, strlen(line), &e);
		if (rows[i].why) {
			ok(ret < 0 && strstr(e.text, rows[i].why), "%s: %s", rows[i].data, e.text);
		} else if (ok(ret == 1, "%s: %s", rows[i].data, e.text)) {
			madkit_place_find(m->attribute->layout, rows[i].field, strlen(rows[i].field), &place,
					  NULL);
			madkit_field_get(place.field, place.index, m->mad + DATA, MAD - DATA, &bits);
			is_u64(bits, rows[i].bits, "%s: the bits", rows[i].data);
		}
		madkit_json_in_free(in);
	}
}

/* ---- strings padded with blanks ------------------------------------------------------------------ */

static void units_check_blanks(void)
{
	static const struct {
		const char bytes[5], *json, *rest;
	} rows[] = {
		{ "A2  ", "\"A2\"", "{}" },
		{ "A2\0", "\"A2\"", "{\"96\":\"4132\"}" },
		{ "A2 \0", "\"A2\"", "{\"96\":\"413220\"}" },
		{ "    ", "\"\"", "{\"96\":\"20202020\"}" },
		{ "\0\0\0", "\"\"", "{}" },
		{ "A 2 ", "\"A 2\"", "{}" },
		{ "A\377  ", "\"A\\u00ff\"", "{\"96\":\"41ff2020\"}" },
	};
	struct madkit_error e;
	struct units_sample s;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *line;

		units_begin(&s, "ModuleInfo");
		memcpy(s.mad + 36 + 60, rows[i].bytes, 4);
		line = units_line(&s, NULL, "json");
		ok(!strncmp(units_after(line, "\"VendorRev\":"), rows[i].json, strlen(rows[i].json)),
		   "blanks %zu: %.12s", i, units_after(line, "\"VendorRev\":"));
		ok(!strncmp(units_after(line, "\"rest\":"), rows[i].rest, strlen(rows[i].rest)),
		   "blanks %zu: rest %s", i, units_after(line, "\"rest\":"));
		ok(units_read(&s, line, &e), "blanks %zu: the same MAD %s", i, e.text);
		free(line);
	}
	units_begin(&s, "ModuleInfo");
	madkit_set(s.attribute->layout, s.mad + DATA, MAD - DATA, "VendorRev", "A2", NULL, NULL);
	ok(!memcmp(s.mad + 36 + 60, "A2  ", 4), "text is padded with blanks");
	madkit_set(s.attribute->layout, s.mad + DATA, MAD - DATA, "VendorRev", "", NULL, NULL);
	ok(!memcmp(s.mad + 36 + 60, "\0\0\0\0", 4), "empty text is zeros");
}

/* ---- expressions --------------------------------------------------------------------------------- */

/* want: 1, 0 or -ENODATA; -EINVAL: madkit_expr_check() refuses it. */
static const struct {
	const char *attribute, *text;
	int want;
} judged[] = {
	{ "ModuleInfo", "Temperature > 70", 0 },
	{ "ModuleInfo", "Temperature > 48.4999", 1 },
	{ "ModuleInfo", "Temperature == 48.5", 1 },
	{ "ModuleInfo", "Temperature == 48.50", 1 },
	{ "ModuleInfo", "Temperature != 48.5", 0 },
	{ "ModuleInfo", "Temperature >= 4850e-2 && Temperature <= 48.5", 1 },
	{ "ModuleInfo", "Temperature", 1 },
	{ "ModuleInfo", "MaxPower", 0 },
	{ "ModuleInfo", "MaxPower == 0 && MaxPower < 0.1 && MaxPower > -0.1", 1 },
	{ "ModuleInfo", "RxPower[0] < -5", 1 },
	{ "ModuleInfo", "RxPower[0]<-5", 1 },
	{ "ModuleInfo", "RxPower[0] < -12", 0 },
	{ "ModuleInfo", "RxPower[0] > -100", 1 },
	{ "ModuleInfo", "RxPower < -5", 1 },
	{ "ModuleInfo", "RxPower < -50", 0 },
	{ "ModuleInfo", "Voltage > 3", -ENODATA },
	{ "ModuleInfo", "Voltage == 0", -ENODATA },
	{ "ModuleInfo", "!(Voltage > 3)", -ENODATA },
	{ "ModuleInfo", "Voltage", -ENODATA },
	{ "ModuleInfo", "Voltage =~ .", -ENODATA },
	{ "ModuleInfo", "TxBias =~ -", -ENODATA },
	{ "ModuleInfo", "Temperature < TemperatureHigh", 1 },
	{ "ModuleInfo", "TemperatureHigh <= Temperature", 0 },
	{ "ModuleInfo", "Temperature < TemperatureLow", -ENODATA },
	{ "ModuleInfo", "RxPower[0] == RxPowerLow", 1 },
	{ "ModuleInfo", "RxPower < RxPowerHigh", 1 },
	{ "ModuleInfo", "Temperature =~ '^48.5 C$'", 1 },
	{ "ModuleInfo", "Temperature > hot", -EINVAL },
	{ "ModuleInfo", "Temperature > 70C", -EINVAL },
	{ "ModuleInfo", "Temperature & 1", -EINVAL },
	{ "ModuleInfo", "Temperature > Voltage", -EINVAL },
	{ "ModuleInfo", "Temperature > PowerClass", -EINVAL },
	{ "ModuleInfo", "VendorSerialNumber == MT2", 1 },
	{ "ModuleInfo", "VendorSerialNumber =~ '^MT2$'", 1 },
	{ "BitErrors", "RawPhysicalBER > 1e-8", 1 },
	{ "BitErrors", "RawPhysicalBER > 3e-8", 0 },
	{ "BitErrors", "RawPhysicalBER == 0.00000003", 1 },
	{ "BitErrors", "EffectivePhysicalBER < 1e-12 && EffectivePhysicalBER == 0", 1 },
	{ "BitErrors", "EffectivePhysicalBER > 0", 0 },
	{ "BitErrors", "EffectivePhysicalBER", 0 },
	{ "BitErrors", "EffectivePhysicalBER == 15e-255", 1 },
	{ "BitErrors", "EffectivePhysicalBER < RawPhysicalBER", 1 },
	{ "BitErrors", "RawPhysicalBER < 1.5e-15", 0 },
	{ "BitErrors", "SymbolBER == 0 || SymbolBER < RawPhysicalBER || SymbolBER", -ENODATA },
	{ "BitErrors", "RawPhysicalBER > TimeSinceLastClear", -EINVAL },
};

static void units_fill(struct units_sample *s, const char *attribute)
{
	units_begin(s, attribute);
	if (!strcmp(attribute, "BitErrors")) {
		units_put(s, "RawPhysicalBER", 0x0803);
		units_put(s, "EffectivePhysicalBER", 0xff0f);
		return;
	}
	units_put(s, "CableType", 2);
	units_put(s, "Temperature", 0x3080);
	units_put(s, "TemperatureHigh", 70 * 256);
	units_put(s, "RxPower[0]", 0xfff4);
	units_put(s, "RxPowerLow", 0xfff4);
	memcpy(s->mad + 36 + 68, "MT2             ", 16);
}

static void units_check_judged(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(judged); i++) {
		struct madkit_error e = { .text = "" };
		struct madkit_record record;
		struct madkit_expr *expr;
		struct units_sample s;
		int ret;

		units_fill(&s, judged[i].attribute);
		if (madkit_expr_new(judged[i].text, &expr, &e)) {
			ok(false, "%s: %s", judged[i].text, e.text);
			continue;
		}
		ret = madkit_expr_check(expr, s.attribute, &e);
		madkit_record_get(&s.message, 0, &record);
		if (!ret)
			ret = madkit_expr_eval(expr, &record);
		is_int(ret, judged[i].want, "%s: %s", judged[i].text, e.text);
		madkit_expr_free(expr);
	}
}

/* ---- order ------------------------------------------------------------------------------------------ */

/* Ascending: each has a greater key than the one before, and is after it. */
static void units_check_order(void)
{
	static const char *const ascending[] = {
		"-1e300",  "-18446744073709551615",
		"-128",    "-1.26",
		"-1.25",   "-1",
		"-0.5",    "-1e-255",
		"0",       "15e-255",
		"2e-254",  "3e-16",
		"1.4e-15", "1.5e-15",
		"0.9999",  "1",
		"9.5",     "10",
		"48.5",    "18446744073709551615",
		"2e19",
	};
	struct decimal before = { 0 }, d;

	for (size_t i = 0; i < ARRAY_SIZE(ascending); i++) {
		is_int(decimal_read(ascending[i], strlen(ascending[i]), &d), 0, "%s is a number",
		       ascending[i]);
		if (i)
			ok(decimal_order(&before, &d) < 0 && decimal_order(&d, &before) > 0 &&
				   !decimal_order(&d, &d) && decimal_key(&before) < decimal_key(&d),
			   "%s is above %s", ascending[i], ascending[i - 1]);
		before = d;
	}
	decimal_read("100e-2", 6, &before);
	decimal_read("0.1e1", 5, &d);
	ok(!decimal_order(&before, &d) && decimal_key(&before) == decimal_key(&d),
	   "1 is 1, however it is written");
	decimal_read("-0", 2, &before);
	decimal_read("0e5", 3, &d);
	ok(!decimal_order(&before, &d) && decimal_key(&before) == decimal_key(&d), "-0 is 0");
}

/* The key of --sort, and the cells of arrays. */
static void units_check_keys(void)
{
	static const uint64_t ascending[] = { 0x8000, 0xfec0, 0xffff, 0x0001, 0x3080, 0x7fff };
	struct madkit_record record;
	struct madkit_expr *expr;
	struct units_sample s;
	struct madkit_buf text;
	uint64_t key, before = 0;
	char *row;

	madkit_buf_init(&text, 0);
	units_begin(&s, "ModuleInfo");
	if (madkit_expr_new("Temperature", &expr, NULL)) {
		ok(false, "Temperature is a name");
		return;
	}
	madkit_record_get(&s.message, 0, &record);
	is_int(madkit_expr_get_key(expr, 0, &record, &key, &text), -ENODATA, "no temperature has no key");
	for (size_t i = 0; i < ARRAY_SIZE(ascending); i++) {
		units_put(&s, "Temperature", ascending[i]);
		ok(!madkit_expr_get_key(expr, 0, &record, &key, &text) && key > before, "key of 0x%" PRIx64,
		   ascending[i]);
		before = key;
	}
	madkit_expr_free(expr);
	madkit_buf_free(&text);
	units_put(&s, "TxBias[0]", 3252);
	units_put(&s, "TxBias[2]", 3200);
	units_put(&s, "TxBias[3]", 3150);
	row = units_line(&s, "TxBias", "table");
	ok(!strcmp(units_after(row, "\n"), "6.5 mA - 6.4 6.3 mA - - - -"), "cell %s", row);
	free(row);
	row = units_line(&s, "TxBias", "csv");
	ok(!strcmp(units_after(row, "\n"), "6.504 - 6.4 6.3 - - - -"), "cell %s", row);
	free(row);
}

int main(void)
{
	units_check_shown();
	units_check_taken();
	units_check_kept();
	units_check_written();
	units_check_blanks();
	units_check_judged();
	units_check_order();
	units_check_keys();
	return tap_done();
}
