/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text against libibmad's dumps of the same buffers, line by line: values as implementations send them, and
 * random bytes. tests/data/text-differences lists the accepted differences; it is an error if one of them
 * never occurs.
 */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <unistd.h>
#include <infiniband/mad.h>
#include <madkit/madkit.h>
#include "util/array_size.h"
#include "util/bits.h"
#define RANDOM_SEED 0x6d61646b6974
#include "tests/random.h"
#include "tests/tap.h"

#define VALUE_COLUMN 33

/* ---- the list ---------------------------------------------------------------- */

static struct difference {
	char attribute[80], field[80], pattern[80];
	regex_t regex;
	unsigned int seen;
} differences[128];
static size_t ndifferences;

static bool read_differences(void)
{
	const char *top = getenv("top_srcdir");
	char path[1000], line[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/text-differences", top ? top : ".");
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		struct difference *d = &differences[ndifferences];
		int at = 0;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (ndifferences == ARRAY_SIZE(differences) ||
		    sscanf(line, "%79s %79s %79s %n", d->attribute, d->field, d->pattern, &at) != 3 ||
		    !line[at] || regcomp(&d->regex, d->pattern, REG_EXTENDED | REG_NOSUB)) {
			fprintf(stderr, "%s: %s", path, line);
			fclose(f);
			return false;
		}
		ndifferences++;
	}
	fclose(f);
	return true;
}

static bool may_differ(const char *attribute, const char *field, const char *value)
{
	bool may = false;

	for (size_t i = 0; i < ndifferences; i++) {
		struct difference *d = &differences[i];

		if (strcmp(d->attribute, attribute) || strcmp(d->field, field) ||
		    regexec(&d->regex, value, 0, NULL, 0))
			continue;
		d->seen++;
		may = true;
	}
	return may;
}

/* ---- texts ------------------------------------------------------------------- */

/* A field with the lines that belong to it. */
struct entry {
	const char *line;
	char field[80];
	char value[2000];
};

/* Fields in the order of the text; comments are left out. */
static size_t entries(const char *text, struct entry *e, size_t max)
{
	size_t n = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *colon = memchr(text, ':', len);

		if (text[0] == '\t' && n) {
			snprintf(e[n - 1].value + strlen(e[n - 1].value),
				 sizeof(e->value) - strlen(e[n - 1].value), "\n%.*s", (int)len, text);
		} else if (colon && text[0] != '#' && n < max) {
			e[n].line = text;
			snprintf(e[n].field, sizeof(e->field), "%.*s", (int)(colon - text), text);
			snprintf(e[n].value, sizeof(e->value), "%.*s",
				 (int)(len > VALUE_COLUMN ? len - VALUE_COLUMN : 0),
				 text + (len > VALUE_COLUMN ? VALUE_COLUMN : len));
			n++;
		}
		text += len + (text[len] == '\n');
	}
	return n;
}

/* The dots: each line's first 33 characters are libibmad's too. */
static bool columns_equal(const char *our_line, const char *their_line)
{
	return !strncmp(our_line, their_line, VALUE_COLUMN);
}

static struct entry ours[200], theirs[200];

static bool oracle_text_compare(const char *attribute, const char *our_text, const char *their_text)
{
	size_t n = entries(our_text, ours, ARRAY_SIZE(ours));
	size_t m = entries(their_text, theirs, ARRAY_SIZE(theirs));
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (k == m || strcmp(ours[i].field, theirs[k].field)) {
			if (may_differ(attribute, ours[i].field, ours[i].value))
				continue;
			/* an empty value: a line that only libibmad prints */
			if (k < m && may_differ(attribute, theirs[k].field, "")) {
				k++;
				i--;
				continue;
			}
			printf("# a line of ours alone: %s (theirs: %s)\n", ours[i].field,
			       k < m ? theirs[k].field : "end");
			return false;
		}
		if (strcmp(ours[i].value, theirs[k].value) &&
		    !may_differ(attribute, ours[i].field, ours[i].value)) {
			printf("# %s: ours '%s', theirs '%s'\n", ours[i].field, ours[i].value,
			       theirs[k].value);
			return false;
		}
		if (!columns_equal(ours[i].line, theirs[k].line)) {
			printf("# the dots behind %s\n", ours[i].field);
			return false;
		}
		k++;
	}
	if (k < m)
		printf("# a line of theirs alone: %s\n", theirs[k].field);
	return k == m && n;
}

/* ---- buffers ------------------------------------------------------------------ */

/* A value that means something. */
static uint64_t valid_value(const struct madkit_field *f)
{
	uint64_t value = random64() & bits_mask(f->width);
	const struct madkit_value *v = f->values;
	size_t n = 0;

	while (v && v[n].name)
		n++;
	if (f->kind == MADKIT_KIND_ENUM && n)
		return v[random64() % n].value;
	if (f->kind == MADKIT_KIND_BITS) {
		uint64_t known = 0;

		for (size_t i = 0; i < n; i++)
			known |= v[i].value;
		value &= known;
		/* a link has some width and speed */
		if (!value && !madkit_value_name(v, 0))
			value = v[0].value;
	}
	return value;
}

static void oracle_text_fill(const struct madkit_layout *layout, uint8_t *data, bool valid)
{
	for (size_t i = 0; i < layout->bytes; i++)
		data[i] = (uint8_t)(random64() >> 24);
	for (unsigned int i = 0; valid && i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];

		if (f->width <= 64 && f->kind != MADKIT_KIND_RESERVED && f->kind != MADKIT_KIND_STRUCT)
			for (unsigned int k = 0; k < madkit_field_count(f); k++)
				madkit_field_put(f, k, data, layout->bytes, valid_value(f));
	}
}

static void oracle_text_format(struct madkit_buf *buf, uint8_t mgmt_class, uint16_t id, uint8_t *mad)
{
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.mad = mad,
		.len = 256,
		.rtt_us = -1,
		.attempts = -1,
	};
	const struct madkit_format show = { .show_keys = true };

	mad[0] = 1;
	mad[1] = mgmt_class;
	mad[2] = 1;
	mad[3] = 0x81;
	mad[16] = (uint8_t)(id >> 8);
	mad[17] = (uint8_t)id;
	madkit_buf_reset(buf);
	madkit_format_text(buf, &m, &show);
	madkit_buf_char(buf, 0);
}

static void dump_description(char *buf, int size, void *val, int len)
{
	char text[65] = "";

	/* libibmad reads beyond 64 bytes if none of them is zero; the label is smpquery's except for a
	 * blank */
	memcpy(text, val, 64);
	len = snprintf(buf, (size_t)size, "NodeDescription:.................");
	mad_dump_nodedesc(buf + len, size - len, text, 65);
}

static const struct dump {
	const char *attribute;
	void (*dump)(char *buf, int size, void *val, int len);
} dumps[] = {
	{ "SubnMgt:NodeInfo", mad_dump_nodeinfo },
	{ "SubnMgt:PortInfo", mad_dump_portinfo },
	{ "SubnMgt:SwitchInfo", mad_dump_switchinfo },
	{ "SubnMgt:NodeDescription", dump_description },
	{ "PerfMgt:PortCounters", mad_dump_perfcounters },
	{ "PerfMgt:PortCountersExtended", mad_dump_perfcounters_ext },
	{ "PerfMgt:ClassPortInfo", mad_dump_classportinfo },
	{ "PerfMgt:PortSamplesControl", mad_dump_portsamples_control },
	{ "PerfMgt:PortSamplesResult", mad_dump_portsamples_result },
	{ "PerfMgt:PortRcvErrorDetails", mad_dump_perfcounters_rcv_err },
	{ "PerfMgt:PortXmitDiscardDetails", mad_dump_perfcounters_xmt_disc },
	{ "PerfMgt:PortOpRcvCounters", mad_dump_perfcounters_port_op_rcv_counters },
	{ "PerfMgt:PortFlowCtlCounters", mad_dump_perfcounters_port_flow_ctl_counters },
	{ "PerfMgt:PortVLOpPackets", mad_dump_perfcounters_port_vl_op_packet },
	{ "PerfMgt:PortVLOpData", mad_dump_perfcounters_port_vl_op_data },
	{ "PerfMgt:PortVLXmitFlowCtlUpdateErrors",
	  mad_dump_perfcounters_port_vl_xmit_flow_ctl_update_errors },
	{ "PerfMgt:PortVLXmitWaitCounters", mad_dump_perfcounters_port_vl_xmit_wait_counters },
	{ "PerfMgt:PortExtendedSpeedsCounters", mad_dump_port_ext_speeds_counters },
	{ "PerfMgt:SwPortVLCongestion", mad_dump_perfcounters_sw_port_vl_congestion },
	{ "PerfMgt:PortRcvConCtrl", mad_dump_perfcounters_rcv_con_ctrl },
	{ "PerfMgt:PortSLRcvFECN", mad_dump_perfcounters_sl_rcv_fecn },
	{ "PerfMgt:PortSLRcvBECN", mad_dump_perfcounters_sl_rcv_becn },
	{ "PerfMgt:PortXmitConCtrl", mad_dump_perfcounters_xmit_con_ctrl },
	{ "PerfMgt:PortVLXmitTimeCong", mad_dump_perfcounters_vl_xmit_time_cong },
	{ "PerfMgt:PortXmitDataSL", mad_dump_perfcounters_xmt_sl },
	{ "PerfMgt:PortRcvDataSL", mad_dump_perfcounters_rcv_sl },
	{ "CC:CongestionInfo", mad_dump_cc_congestioninfo },
	{ "CC:CongestionKeyInfo", mad_dump_cc_congestionkeyinfo },
	{ "CC:SwitchCongestionSetting", mad_dump_cc_switchcongestionsetting },
	{ "CC:Timestamp", mad_dump_cc_timestamp },
};

static void check_dump(const struct dump *d, bool valid)
{
	const struct madkit_attribute *a;
	struct madkit_buf buf;
	uint8_t class, copy[256];
	bool good = true;
	uint16_t id;

	if (madkit_attribute_find(d->attribute, -1, &class, &id, &a, NULL) || !a) {
		ok(false, "%s", d->attribute);
		return;
	}
	madkit_buf_init(&buf, 0);
	for (int round = 0; good && round < 3000; round += (int)random_share()) {
		size_t at = madkit_attribute_offset(1, class, a);
		uint8_t mad[256] = { 0 };
		char text[8192] = "";

		oracle_text_fill(a->layout, mad + at, valid);
		/* text of every length, printable if it is meant to be valid */
		for (size_t i = 0; class == 1 && id == 0x10 && i < 64; i++)
			mad[at + i] = i >= random64() % 80 ? 0 :
				      valid                ? (uint8_t)(' ' + mad[at + i] % 95) :
							     mad[at + i];
		oracle_text_format(&buf, class, id, mad);
		memset(copy, 0, sizeof(copy));
		memcpy(copy, mad + at, a->bytes);
		d->dump(text, sizeof(text), copy, a->bytes);
		/* in a description even the colon and the newline are text */
		if (id == 0x10 && class == 1) {
			const char *line = strchr(buf.data, '\n') + 1;
			size_t n = strlen(line) - 1;

			good = (n == strlen(text) && !memcmp(line, text, n)) ||
			       may_differ(d->attribute, "NodeDescription", line);
			if (!good)
				printf("# ours   %s# theirs %s\n", line, text);
		} else {
			good = oracle_text_compare(d->attribute, buf.data, text);
		}
	}
	madkit_buf_free(&buf);
	ok(good, "%s: %s", d->attribute, valid ? "values as they are sent" : "any bytes");
}

/* Tables: libibmad dumps them without a name. */
static void check_tables(void)
{
	struct madkit_buf buf;
	uint8_t mad[256] = { 0 };
	bool good = true;
	char text[2000];

	madkit_buf_init(&buf, 0);
	for (int round = 0; good && round < 500; round++) {
		for (int i = 64; i < 128; i++)
			mad[i] = (uint8_t)(random64() >> 24);
		memset(text, 0, sizeof(text));
		oracle_text_format(&buf, MADKIT_CLASS_SUBN, 0x17, mad);
		mad_dump_sltovl(text, sizeof(text), mad + 64, 8);
		good = !strcmp(strchr(buf.data, '\n') + 1, text);
	}
	if (!ok(good, "SLtoVLMappingTable"))
		printf("# ours\n%s# theirs\n%s", buf.data, text);
	for (int round = 0; round < 500 && good; round++) {
		for (int i = 64; i < 128; i++)
			mad[i] = (uint8_t)(random64() >> 24);
		memset(text, 0, sizeof(text));
		oracle_text_format(&buf, MADKIT_CLASS_SUBN, 0x18, mad);
		mad_dump_vlarbitration(text, sizeof(text), mad + 64, 64);
		good = !strcmp(strchr(buf.data, '\n'), text);
	}
	if (!ok(good, "VLArbitrationTable"))
		printf("# ours\n%s# theirs\n%s", buf.data, text);
	madkit_buf_free(&buf);
}

int main(void)
{
	if (!read_differences()) {
		puts("Bail out! no list of differences");
		return 1;
	}
	/* libibmad warns of every value that it does not know */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
		check_dump(&dumps[i], true);
		check_dump(&dumps[i], false);
	}
	check_tables();
	for (size_t i = 0; i < ndifferences; i++) {
		ok(differences[i].seen, "a difference that is real: %s %s %s", differences[i].attribute,
		   differences[i].field, differences[i].pattern);
		regfree(&differences[i].regex);
	}
	return tap_done();
}
