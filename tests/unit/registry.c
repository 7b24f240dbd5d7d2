/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Classes and attributes by number and by name. */
#include <errno.h>
#include <infiniband/umad_str.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "../tap.h"
#include "util/array_size.h"

static void class_numbers(void)
{
	static const struct {
		uint8_t id;
		const char *name;
		bool known;
		uint8_t version;
		uint16_t offset;
	} rows[] = {
		{ 0x00, "Class0x00", false, 1, 24 },
		{ 0x01, "SubnMgt", true, 1, 64 },
		{ 0x02, "Class0x02", false, 1, 24 },
		{ 0x03, "SA", true, 2, 56 },
		{ 0x04, "PerfMgt", true, 1, 64 },
		{ 0x05, "BM", true, 1, 64 },
		{ 0x06, "DevMgt", true, 1, 64 },
		{ 0x07, "CM", true, 2, 24 },
		{ 0x08, "SNMP", true, 1, 64 },
		{ 0x09, "Vendor0x09", true, 1, 24 },
		{ 0x0f, "Vendor0x0f", true, 1, 24 },
		{ 0x10, "DevAdm", true, 1, 64 },
		{ 0x11, "BootMgt", true, 1, 24 },
		{ 0x12, "BIS", true, 1, 64 },
		{ 0x13, "Application0x13", true, 1, 24 },
		{ 0x20, "Application0x20", true, 1, 24 },
		{ 0x21, "CC", true, 2, 64 },
		{ 0x22, "Application0x22", true, 1, 24 },
		{ 0x2f, "Application0x2f", true, 1, 24 },
		{ 0x30, "Vendor0x30", true, 1, 40 },
		{ 0x32, "Vendor0x32", true, 1, 40 },
		{ 0x4f, "Vendor0x4f", true, 1, 40 },
		{ 0x50, "Class0x50", false, 1, 24 },
		{ 0x80, "Class0x80", false, 1, 24 },
		{ 0x81, "SubnMgtDR", true, 1, 64 },
		{ 0x82, "Class0x82", false, 1, 24 },
		{ 0xff, "Class0xff", false, 1, 24 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct madkit_class *class = madkit_class_get(rows[i].id);
		uint8_t found = 0xee;
		char buf[20];

		is_str(madkit_class_name(rows[i].id, buf), rows[i].name, "class 0x%02x by number",
		       rows[i].id);
		ok((class != NULL) == rows[i].known, "... is %sknown", rows[i].known ? "" : "un");
		is_int(madkit_class_find(rows[i].name, &found, NULL), 0, "... its name is found");
		is_u64(found, rows[i].id, "... and means it");
		is_u64(madkit_class_version(rows[i].id), rows[i].version, "... its version");
		is_u64(madkit_attribute_offset(1, rows[i].id, NULL), rows[i].offset,
		       "... where its data begins");
		if (class)
			is_u64(class->bytes, madkit_class_is_smi(rows[i].id) ? 64 : 256 - rows[i].offset,
			       "... and how long it is");
	}
}

static void class_names(void)
{
	/* clang-format off */
	static const struct {
		const char *name;
		int ret;
		uint8_t id;
	} rows[] = {
		{ "subnmgt", 0, 0x01 }, { "SUBN", 0, 0x01 }, { "subnadm", 0, 0x03 },
		{ "sa", 0, 0x03 }, { "pm", 0, 0x04 }, { "Perf", 0, 0x04 },
		{ "commmgt", 0, 0x07 }, { "congestionmgt", 0, 0x21 },
		{ "cc", 0, 0x21 }, { "vendor0X32", 0, 0x32 }, { "0x32", 0, 0x32 },
		{ "129", 0, 0x81 }, { "0", 0, 0 }, { "255", 0, 255 },
		{ "256", -ENOENT, 0 }, { "", -ENOENT, 0 }, { "0x", -ENOENT, 0 },
		{ "4x", -ENOENT, 0 }, { "-1", -ENOENT, 0 }, { " 4", -ENOENT, 0 },
		{ "Vendor", -ENOENT, 0 }, { "Application", -ENOENT, 0 },
		{ "Vendor0x50", -ENOENT, 0 }, { "Application0x32", -ENOENT, 0 },
		{ "Vendor0x032", -ENOENT, 0 }, { "SubnMgtt", -ENOENT, 0 },
		{ "Subn,SM", -ENOENT, 0 }, { ",", -ENOENT, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_error error = { 0 };
		uint8_t id = 0xee;

		is_int(madkit_class_find(rows[i].name, &id, &error), rows[i].ret, "class '%s'", rows[i].name);
		if (rows[i].ret) {
			is_u64(id, 0xee, "... leaves the result alone");
			ok(error.code == rows[i].ret && error.text[0], "... says: %s", error.text);
		} else {
			is_u64(id, rows[i].id, "... is 0x%02x", rows[i].id);
		}
	}
}

static void attribute_names(void)
{
	/* clang-format off */
	static const struct {
		const char *name;
		int class;	/* given, or -1 */
		int ret;
		uint8_t found;
		uint16_t id;
		const char *entry;
	} rows[] = {
		{ "NodeInfo", -1, 0, 0x01, 0x11, "NodeInfo" },
		{ "ni", -1, 0, 0x01, 0x11, "NodeInfo" },
		{ "NODEDESC", -1, 0, 0x01, 0x10, "NodeDescription" },
		{ "si", -1, 0, 0x01, 0x12, "SwitchInfo" },
		{ "gi", -1, 0, 0x01, 0x14, "GUIDInfo" },
		{ "pi", -1, 0, 0x01, 0x15, "PortInfo" },
		{ "pkeys", -1, 0, 0x01, 0x16, "P_KeyTable" },
		{ "smi", -1, 0, 0x01, 0x20, "SMInfo" },
		{ "mepi", -1, 0, 0x01, 0xff90, "MlnxExtendedPortInfo" },
		{ "nr", -1, 0, 0x03, 0x11, "NodeRecord" },
		{ "PR", -1, 0, 0x03, 0x35, "PathRecord" },
		{ "pir", -1, 0, 0x03, 0x12, "PortInfoRecord" },
		{ "mcmr", -1, 0, 0x03, 0x38, "MCMemberRecord" },
		{ "sr", -1, 0, 0x03, 0x31, "ServiceRecord" },
		{ "lr", -1, 0, 0x03, 0x20, "LinkRecord" },
		{ "InformInfo", -1, 0, 0x03, 0x03, "InformInfo" },
		{ "portcounters", -1, 0, 0x04, 0x12, "PortCounters" },
		{ "REQ", -1, 0, 0x07, 0x10, "REQ" },
		{ "CongestionLog", -1, 0, 0x21, 0x13, "CongestionLog" },
		/* of a class */
		{ "NodeInfo", 0x81, 0, 0x81, 0x11, "NodeInfo" },
		{ "SubnMgtDR:NodeInfo", -1, 0, 0x81, 0x11, "NodeInfo" },
		{ "SubnMgt:NodeInfo", 0x81, 0, 0x81, 0x11, "NodeInfo" },
		{ "PerfMgt:ClassPortInfo", -1, 0, 0x04, 0x01, "ClassPortInfo" },
		{ "pm:cpi", -1, 0, 0x04, 0x01, "ClassPortInfo" },
		{ "ClassPortInfo", 0x03, 0, 0x03, 0x01, "ClassPortInfo" },
		{ "ClassPortInfo", 0x32, 0, 0x32, 0x01, "ClassPortInfo" },
		{ "Vendor0x0a:CPI", -1, 0, 0x0a, 0x01, "ClassPortInfo" },
		/* by number */
		{ "0x11", 0x01, 0, 0x01, 0x11, "NodeInfo" },
		{ "17", 0x03, 0, 0x03, 0x11, "NodeRecord" },
		{ "SA:0x35", -1, 0, 0x03, 0x35, "PathRecord" },
		{ "0x10", 0x32, 0, 0x32, 0x10, NULL },
		{ "0xffff", 0x01, 0, 0x01, 0xffff, NULL },
		{ "0x52:7", -1, 0, 0x52, 7, NULL },
		/* not at all */
		{ "ClassPortInfo", -1, -EEXIST, 0, 0, NULL },
		{ "Notice", -1, -EEXIST, 0, 0, NULL },
		{ "0x11", -1, -ENOENT, 0, 0, NULL },
		{ "0x10000", 0x01, -ENOENT, 0, 0, NULL },
		{ "NodeInfo", 0x03, -ENOENT, 0, 0, NULL },
		{ "ClassPortInfo", 0x01, -ENOENT, 0, 0, NULL },
		{ "NodeInfos", -1, -ENOENT, 0, 0, NULL },
		{ "", -1, -ENOENT, 0, 0, NULL },
		{ "", 0x01, -ENOENT, 0, 0, NULL },
		{ "SubnMgt:", -1, -ENOENT, 0, 0, NULL },
		{ ":NodeInfo", -1, -ENOENT, 0, 0, NULL },
		{ "nosuch:NodeInfo", -1, -ENOENT, 0, 0, NULL },
		{ "SA:NodeRecord", 0x04, -EINVAL, 0, 0, NULL },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct madkit_attribute *attribute = NULL;
		struct madkit_error error = { 0 };
		uint8_t class = 0xee;
		uint16_t id = 0xeeee;
		int ret = madkit_attribute_find(rows[i].name, rows[i].class, &class, &id, &attribute, &error);

		is_int(ret, rows[i].ret, "'%s' of class %d", rows[i].name, rows[i].class);
		if (rows[i].ret) {
			ok(error.code == rows[i].ret && error.text[0], "... says: %s", error.text);
			continue;
		}
		is_u64(class, rows[i].found, "... class");
		is_u64(id, rows[i].id, "... number");
		is_str(attribute ? attribute->name : NULL, rows[i].entry, "... entry");
		ok(attribute == madkit_attribute_get(1, class, id), "... the one of that number");
	}

	struct madkit_error error;
	const struct madkit_attribute *attribute;
	const char *text;
	uint8_t class;
	uint16_t id;

	madkit_attribute_find("SubnMgt:nosuch", -1, &class, &id, &attribute, &error);
	is_int(error.position, 8, "an error points at the word: %s", error.text);
	madkit_attribute_find("Notice", -1, &class, &id, &attribute, &error);
	is_str(error.text,
	       "several classes have 'Notice': SubnMgt:Notice, "
	       "SA:Notice, BM:Notice, DevMgt:Notice, CC:Notice",
	       "an ambiguous name lists whose it is");
	madkit_attribute_find("ClassPortInfo", -1, &class, &id, &attribute, &error);
	text = strrchr(error.text, ':');
	is_str(text ? text : "", ":ClassPortInfo ...", "... and of too many whole names: %s", error.text);
	is_int(madkit_attribute_find("ClassPortInfo", -1, &class, &id, &attribute, NULL), -EEXIST,
	       "... and needs no error");
}

static void opa(void)
{
	const struct madkit_attribute *cpi = madkit_attribute_get(0x80, 0x04, 1);

	ok(cpi && cpi->bytes == 80, "OPA's ClassPortInfo has 80 bytes");
	ok(!madkit_attribute_get(0x80, 0x01, 0x11), "OPA's NodeInfo is not ours");
	ok(!madkit_attribute_get(0x80, 0x01, 1), "SMPs have no ClassPortInfo");
	is_u64(madkit_attribute_offset(0x80, 0x04, cpi), 24, "... in PM, as the kernel's hfi1 has it");
	is_u64(madkit_attribute_offset(0x80, 0x03, cpi), 56, "... in the SA");
	is_u64(madkit_attribute_offset(0x80, 0x01, NULL), 32, "OPA SMP data");
	is_u64(madkit_attribute_offset(0x80, 0x81, NULL), 176, "OPA directed-route SMP data");
	is_u64(madkit_attribute_offset(1, 0x21, madkit_attribute_get(1, 0x21, 0x13)), 32,
	       "CongestionLog begins at 32");
	is_u64(madkit_attribute_offset(1, 0x21, madkit_attribute_get(1, 0x21, 0x11)), 64,
	       "... CongestionInfo at 64");
}

/* libibumad's names of attributes, where it has them, are names or aliases. */
static void umad_names(void)
{
	static const uint8_t classes[] = { 0x01, 0x03, 0x07 };

	for (size_t c = 0; c < ARRAY_SIZE(classes); c++) {
		const struct madkit_class *class = madkit_class_get(classes[c]);
		unsigned int known = 0;
		bool good = true;

		for (size_t i = 0; i < class->nattributes; i++) {
			const struct madkit_attribute *ours = &class->attributes[i];
			const struct madkit_attribute *found = NULL;
			const char *theirs = umad_attribute_str(classes[c], htobe16(ours->id));
			uint8_t id;
			uint16_t number;

			/* "<unknown>", "Class Port Info" */
			if (theirs[0] == '<' || strchr(theirs, ' '))
				continue;
			known++;
			if (madkit_attribute_find(theirs, classes[c], &id, &number, &found, NULL) ||
			    found != ours) {
				printf("# ours %s, theirs %s\n", ours->name, theirs);
				good = false;
			}
		}
		ok(good && known > 10, "%s: %u names of libibumad", class->name, known);
	}
}

/* Board management sends a command and its answer with the same method. */
static void rows(void)
{
	uint8_t mad[256] = { 1, 0x05, 1, 0x03, [17] = 0x21 };
	const struct madkit_attribute *request = madkit_attribute_of(mad, 256, NULL);
	const struct madkit_attribute *answer;

	is_str(request ? request->name : NULL, "ReadVPD", "a request");
	mad[23] = 1;
	answer = madkit_attribute_of(mad, 256, request);
	is_str(answer ? answer->name : NULL, "ReadVPDResponse", "its answer");
	mad[20] = 0x80;
	ok(madkit_attribute_of(mad, 256, NULL) == answer, "... whatever the other bits");
	mad[23] = 2;
	ok(madkit_attribute_of(mad, 256, answer) == request, "a request is no answer");
	ok(madkit_attribute_row(answer, 0) == request, "from one row to the other");
	mad[17] = 0x10;
	answer = madkit_attribute_of(mad, 256, request);
	is_str(answer ? answer->name : NULL, "BKeyInfo", "another attribute");
}

/* The fields are compared by hand: no look-up by name is involved. */
static bool test_registry_has_port_select(const struct madkit_attribute *a)
{
	for (unsigned int i = 0; a->layout && i < a->layout->nfields; i++)
		if (!strcmp(a->layout->fields[i].name, "PortSelect"))
			return true;
	return false;
}

static void test_registry_ports(void)
{
	const struct madkit_class *perf = madkit_class_get(MADKIT_CLASS_PERF);
	const struct madkit_class *subn = madkit_class_get(MADKIT_CLASS_SUBN);
	unsigned int by_field = 0;

	for (size_t i = 0; i < perf->nattributes; i++) {
		const struct madkit_attribute *a = &perf->attributes[i];
		bool field = test_registry_has_port_select(a);

		by_field += field;
		is_int(madkit_attribute_port(a), field ? MADKIT_PORT_FIELD : MADKIT_PORT_NONE,
		       "A4: %s selects its port %s", a->name, field ? "by PortSelect" : "not at all");
	}
	is_u64(by_field, 21, "A4: all of PerfMgt but ClassPortInfo and the results of samples");
	for (size_t i = 0; i < subn->nattributes; i++)
		if (!strcmp(subn->attributes[i].name, "PortInfo"))
			is_int(madkit_attribute_port(&subn->attributes[i]), MADKIT_PORT_MODIFIER,
			       "A4: PortInfo selects its port by the modifier");
		else if (!strcmp(subn->attributes[i].name, "NodeInfo"))
			is_int(madkit_attribute_port(&subn->attributes[i]), MADKIT_PORT_NONE,
			       "A4: NodeInfo selects no port");
}

int main(void)
{
	rows();
	test_registry_ports();
	class_numbers();
	class_names();
	attribute_names();
	opa();
	umad_names();
	return tap_done();
}
