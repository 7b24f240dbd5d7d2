/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics in the text format: labels, numbers at their limits, families, and memory that runs out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "tests/unit/fail_alloc.h"
#include "util/array_size.h"

enum { METRICS_DATA = 64 };

static const struct madkit_metrics_run metrics_run = { .sweep_us = 1500000,
						       .survey_us = 7,
						       .ended = 1800000000 };

/* Writes all, and sets parts to the number of parts; the caller frees the buffer, which ends with a NUL. */
static void metrics_text(struct madkit_metrics *m, struct madkit_buf *buf, unsigned int *parts)
{
	madkit_buf_init(buf, 0);
	for (*parts = 1; madkit_metrics_write(m, &metrics_run, buf);)
		++*parts;
	madkit_buf_char(buf, '\0');
}

static bool metrics_have(const struct madkit_buf *buf, const char *line)
{
	const char *at = strstr(buf->data, line);

	return at && (at == buf->data || at[-1] == '\n');
}

static uint32_t metrics_add(struct madkit_metrics *m, uint8_t type, uint64_t guid, const char *name,
			    size_t len)
{
	const struct madkit_metrics_device d = {
		.type = type, .guid = guid, .lid = 7, .name = name, .name_len = len
	};
	uint32_t number = 99;

	is_int(madkit_metrics_add_device(m, &d, &number), 0, "a device is added");
	return number;
}

static uint32_t metrics_port(struct madkit_metrics *m, uint32_t device, uint8_t number, uint32_t width,
			     uint32_t speed)
{
	const struct madkit_metrics_port p = { .device = device,
					       .number = number,
					       .peer = MADKIT_METRICS_NONE,
					       .known = true,
					       .up = width,
					       .width = width,
					       .speed = speed };
	uint32_t row = 99;

	is_int(madkit_metrics_add_port(m, &p, &row), 0, "a port is added");
	return row;
}

/* Takes a response of an attribute of PerfMgt, with a counter. */
static void metrics_answer(struct madkit_metrics *m, uint32_t row, uint16_t id, unsigned int byte,
			   unsigned int bytes, uint64_t value)
{
	uint8_t mad[MADKIT_MAD_BYTES] = { 1, MADKIT_CLASS_PERF, 1,
					  MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE };
	const struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE, .mad = mad, .len = sizeof(mad), .attempts = 3, .rtt_us = 5
	};

	mad[17] = (uint8_t)id;
	for (unsigned int i = bytes; i-- > 0; value >>= 8)
		mad[METRICS_DATA + byte + i] = (uint8_t)value;
	madkit_metrics_take(m, row, &message);
}

static void test_labels(void)
{
	static const char name[] = "a\"b\\c\nd\xc3\xa9\x1b\xff";
	struct madkit_metrics *m = madkit_metrics_new();
	uint32_t device = metrics_add(m, 2, 0xabc, name, sizeof(name) - 1);
	struct madkit_buf buf;
	unsigned int parts;

	metrics_port(m, device, 3, 2, 1 << 8);
	metrics_text(m, &buf, &parts);
	ok(metrics_have(
		   &buf,
		   "infiniband_switch_info{guid=\"0x0000000000000abc\",switch=\"a\\\"b\\\\c\\nd\xc3\xa9\\\\x1b\\\\xff\","
		   "lid=\"7\"} 1\n"),
	   "quotes, backslashes and newlines have an escape; UTF-8 stays; others become hex");
	ok(metrics_have(&buf,
			"infiniband_switch_port_rate_bytes_per_second{guid=\"0x0000000000000abc\",port=\"3\","
			"switch=\"a\\\"b\\\\c\\nd\xc3\xa9\\\\x1b\\\\xff\"} 100000000000\n"),
	   "4x XDR is 800 Gb/s");
	madkit_buf_free(&buf);
	madkit_metrics_free(m);
}

static void test_rates(void)
{
	static const struct {
		uint32_t speed;
		const char *rate, *raw;
	} rates[] = { { 1 << 0, "1000000000", "1250000000" },    { 1 << 1, "2000000000", "2500000000" },
		      { 1 << 2, "4000000000", "5000000000" },    { 1 << 3, "5000000000", "5156250000" },
		      { 1 << 4, "6818182000", "7031250000" },    { 1 << 5, "12500000000", "12890625000" },
		      { 1 << 6, "25000000000", "25000000000" },  { 1 << 7, "50000000000", "50000000000" },
		      { 1 << 8, "100000000000", "100000000000" } };

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct madkit_metrics *m = madkit_metrics_new();
		char line[200];
		struct madkit_buf buf;
		unsigned int parts;

		metrics_port(m, metrics_add(m, 1, 1, "h", 1), 1, 2, rates[i].speed);
		metrics_text(m, &buf, &parts);
		snprintf(
			line, sizeof(line),
			"infiniband_hca_port_rate_bytes_per_second{guid=\"0x0000000000000001\",hca=\"h\"} %s\n",
			rates[i].rate);
		ok(metrics_have(&buf, line), "4x rate %s", rates[i].rate);
		snprintf(
			line, sizeof(line),
			"infiniband_hca_port_raw_rate_bytes_per_second{guid=\"0x0000000000000001\",hca=\"h\"} %s\n",
			rates[i].raw);
		ok(metrics_have(&buf, line), "4x raw rate %s", rates[i].raw);
		madkit_buf_free(&buf);
		madkit_metrics_free(m);
	}
}

#define PORT_1 "{guid=\"0x0000000000000001\",port=\"1\",switch=\"s\"} "

static void test_counters(void)
{
	const struct madkit_attribute *counters =
		madkit_attribute_get(1, MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS);
	struct madkit_metrics *m = madkit_metrics_new();
	uint32_t row = metrics_port(m, metrics_add(m, 2, 1, "s", 1), 1, 0, 0);
	struct madkit_buf buf;
	unsigned int parts;

	ok(madkit_metrics_lacks(m, row, counters), "without a response, everything is lacking");
	metrics_answer(m, row, MADKIT_ATTR_PORT_COUNTERS_EXTENDED, 8, 8, UINT64_MAX);
	ok(!madkit_metrics_lacks(m, row, counters), "PortCountersExtended has all counters of PortCounters");
	/* PortXmitData at byte 24: it has a value */
	metrics_answer(m, row, MADKIT_ATTR_PORT_COUNTERS, 24, 4, 5);
	metrics_text(m, &buf, &parts);
	ok(metrics_have(&buf,
			"infiniband_switch_port_transmit_data_bytes_total" PORT_1 "73786976294838206460\n"),
	   "4 times 64 bits are exact, and the first value counts");
	ok(metrics_have(&buf, "infiniband_switch_port_state" PORT_1 "0\n"), "the link is down");
	ok(metrics_have(&buf, "infiniband_exporter_collect_retries_total{collector=\"switch-runonce\"} 4\n"),
	   "tries after the first one are counted");
	ok(metrics_have(
		   &buf,
		   "infiniband_exporter_collector_duration_seconds{collector=\"ibnetdiscover-runonce\"} 1.500000\n"),
	   "durations are in seconds");
	ok(!strstr(buf.data, "looping"), "counters without a value are absent");
	madkit_buf_free(&buf);
	madkit_metrics_free(m);

	m = madkit_metrics_new();
	row = metrics_port(m, metrics_add(m, 2, 1, "s", 1), 1, 0, 0);
	metrics_answer(m, row, MADKIT_ATTR_PORT_COUNTERS, 24, 4, UINT32_MAX);
	metrics_text(m, &buf, &parts);
	ok(!strstr(buf.data, "transmit_data"), "a counter of 32 bits that is full is absent");
	ok(metrics_have(&buf, "infiniband_switch_port_symbol_error_total" PORT_1 "0\n"), "others are not");
	madkit_buf_free(&buf);
	madkit_metrics_free(m);
}

/* Takes each kind of result, and returns the values of up, error and timeout as text. */
static void test_results(void)
{
	static const struct {
		enum madkit_message_kind kind;
		int error;
		const char *values, *what;
	} results[] = { { MADKIT_MESSAGE_RESPONSE, 0, "100", "a response" },
			{ MADKIT_MESSAGE_TIMEOUT, ETIMEDOUT, "001", "a timeout" },
			{ MADKIT_MESSAGE_ERROR, ENETUNREACH, "010", "no address" },
			{ MADKIT_MESSAGE_ERROR, EOPNOTSUPP, "000", "no such attribute" } };

	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		struct madkit_message message = {
			.kind = results[i].kind, .send_status = results[i].error, .attempts = -1, .rtt_us = -1
		};
		struct madkit_metrics *m = madkit_metrics_new();
		uint32_t row = metrics_port(m, metrics_add(m, 2, 1, "s", 1), 1, 0, 0);
		char lines[3][100];
		struct madkit_buf buf;
		unsigned int parts;

		if (results[i].kind == MADKIT_MESSAGE_RESPONSE)
			metrics_answer(m, row, MADKIT_ATTR_PORT_COUNTERS, 24, 4, 5);
		else
			madkit_metrics_take(m, row, &message);
		metrics_text(m, &buf, &parts);
		snprintf(lines[0], sizeof(lines[0]),
			 "infiniband_switch_up{guid=\"0x0000000000000001\",switch=\"s\"} %c\n",
			 results[i].values[0]);
		for (int j = 1; j < 3; j++)
			snprintf(
				lines[j], sizeof(lines[j]),
				"infiniband_switch_collect_%s{guid=\"0x0000000000000001\",collector=\"switch-runonce\"} %c\n",
				j == 1 ? "error" : "timeout", results[i].values[j]);
		for (int j = 0; j < 3; j++)
			ok(metrics_have(&buf, lines[j]), "%s: %s", results[i].what, lines[j]);
		madkit_buf_free(&buf);
		madkit_metrics_free(m);
	}
}

/* Checks that each family is contiguous, behind one TYPE, and that no two samples have the same labels. Returns the number of
 * samples. */
static unsigned int metrics_check(const struct madkit_buf *buf)
{
	unsigned int types = 0, changes = 0, samples = 0, twice = 0;
	char last[100] = "", name[100], sample[400];

	for (const char *line = buf->data; *line; line = strchr(line, '\n') + 1) {
		types += !strncmp(line, "# TYPE ", 7);
		if (*line == '#')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, "{"), line);
		snprintf(sample, sizeof(sample), "\n%.*s}", (int)strcspn(line, "}"), line);
		twice += strstr(strchr(line, '\n'), sample) != NULL;
		samples++;
		changes += strcmp(name, last) != 0;
		strcpy(last, name);
	}
	is_int(changes, types, "each family is contiguous, and has one TYPE");
	is_int(twice, 0, "each sample has labels of its own");
	return samples;
}

static void test_families(void)
{
	enum { DEVICES = 10, PORTS = 50 };
	struct madkit_metrics *m = madkit_metrics_new();
	struct madkit_buf buf, again;
	unsigned int parts;
	uint32_t number;

	for (unsigned int i = 0; i < DEVICES; i++) {
		uint32_t device = metrics_add(m, i % 2 ? 2 : 1, i + 1, "s", 1);

		for (uint8_t j = 0; j < PORTS; j++) {
			const struct madkit_metrics_port p = { .device = device, .number = j, .peer = 0 };

			madkit_metrics_add_port(m, &p, &number);
			metrics_answer(m, number, MADKIT_ATTR_PORT_COUNTERS_EXTENDED, 8, 8, i);
		}
	}
	metrics_text(m, &buf, &parts);
	/* info, up and 3 of the collection for each device; uplink and 22 counters a port; 5 for 3 collectors but one */
	is_int(metrics_check(&buf), DEVICES * 5 + DEVICES * PORTS * 23 + 14,
	       "no sample is lost between parts");
	ok(parts > 10, "the text has several parts");
	metrics_text(m, &again, &parts);
	ok(again.len == buf.len && !memcmp(again.data, buf.data, buf.len), "it can be written again");
	madkit_buf_free(&again);
	madkit_buf_free(&buf);
	madkit_metrics_free(m);
}

/* Four planes of an XDR port, and two nodes with one GUID. */
static void test_duplicates(void)
{
	struct madkit_metrics *m = madkit_metrics_new();
	uint32_t devices[4], other, last;
	struct madkit_buf buf;
	unsigned int parts;

	for (uint8_t i = 0; i < 4; i++) {
		devices[i] = metrics_add(m, 1, 5, "h", 1);
		last = metrics_port(m, devices[i], i + 1, 1, 1 << 8);
		metrics_answer(m, last, MADKIT_ATTR_PORT_COUNTERS, 24, 4, i);
	}
	ok(devices[0] == devices[3], "planes are one device");
	other = metrics_add(m, 1, 5, "other", 5);
	ok(other == devices[0], "so are nodes with one GUID");
	last = metrics_port(m, other, 1, 1, 1);
	metrics_answer(m, last, MADKIT_ATTR_PORT_COUNTERS, 24, 4, 99);
	metrics_port(m, metrics_add(m, 2, 0, "none", 4), 1, 1, 1);
	metrics_text(m, &buf, &parts);
	metrics_check(&buf);
	ok(metrics_have(
		   &buf,
		   "infiniband_hca_port_rate_bytes_per_second{guid=\"0x0000000000000005\",hca=\"h\"} 100000000000\n"),
	   "the rate of a channel adapter is that of its planes");
	ok(!strstr(buf.data, " 396\n"), "the second port with the same labels has no metrics");
	ok(!strstr(buf.data, "none"), "a device without a GUID has no metrics");
	madkit_buf_free(&buf);
	madkit_metrics_free(m);
}

static void test_memory(void)
{
	const struct madkit_metrics_device d = { .type = 2, .name = "name", .name_len = 4 };
	const struct madkit_metrics_port p = { .peer = MADKIT_METRICS_NONE };
	unsigned int failures = 0;
	uint32_t number;

	for (long n = 0; n < 10; n++) {
		struct madkit_metrics *m;
		int ret;

		left = n;
		m = madkit_metrics_new();
		ret = m ? madkit_metrics_add_device(m, &d, &number) : -ENOMEM;
		if (!ret)
			ret = madkit_metrics_add_port(m, &p, &number);
		madkit_metrics_free(m);
		if (!reached())
			break;
		failures += ret == -ENOMEM;
	}
	ok(failures >= 4, "%u failures of memory are reported", failures);
}

int main(void)
{
	ok(madkit_metrics_has(madkit_attribute_get(1, MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_RCV_ERROR_DETAILS)),
	   "PortRcvErrorDetails has metrics");
	ok(!madkit_metrics_has(madkit_attribute_get(1, MADKIT_CLASS_SUBN, MADKIT_ATTR_NODE_INFO)),
	   "NodeInfo has none");
	ok(!madkit_metrics_has(NULL), "no attribute has none");
	test_labels();
	test_rates();
	test_counters();
	test_results();
	test_families();
	test_duplicates();
	test_memory();
	return tap_done();
}
