/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences of counters against arithmetic of the test's own: numbers are strings of binary digits. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "tests/unit/fail_alloc.h"
#include "util/array_size.h"

#define RANDOM_SEED 0x636f756e74657273
#include "tests/random.h"

enum {
	COUNTERS_DATA = 64, /* offset of the data in a MAD of PerfMgt (IBA volume 1, section 16.1) */
	COUNTERS_WIDTHS = 65,
};

/* A response whose data is being written, one bit a character. */
struct response {
	char bits[MADKIT_MAD_BYTES * 8 + 1];
	uint8_t mad[MADKIT_MAD_BYTES];
	struct madkit_message message;
};

static void perf_begin(struct response *r, uint16_t id)
{
	static const uint8_t head[] = { 1, MADKIT_CLASS_PERF, 1, MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE };

	memset(r->bits, '0', sizeof(r->bits));
	memset(r->mad, 0, sizeof(r->mad));
	memcpy(r->mad, head, sizeof(head));
	r->mad[16] = (uint8_t)(id >> 8);
	r->mad[17] = (uint8_t)id;
	r->message = (struct madkit_message){ .kind = MADKIT_MESSAGE_RESPONSE,
					      .mad = r->mad,
					      .len = sizeof(r->mad) };
}

/* Writes the number at a bit of the data. */
static void perf_put(struct response *r, uint32_t bit, unsigned int width, uint64_t number)
{
	for (unsigned int i = width; i-- > 0; number /= 2)
		r->bits[COUNTERS_DATA * 8 + bit + i] = number % 2 ? '1' : '0';
}

static void perf_end(struct response *r)
{
	for (size_t i = COUNTERS_DATA; i < sizeof(r->mad); i++) {
		unsigned int byte = 0;

		for (size_t bit = 0; bit < 8; bit++)
			byte = byte * 2 + (r->bits[i * 8 + bit] == '1');
		r->mad[i] = (uint8_t)byte;
	}
}

static const struct madkit_attribute *perf_find(const char *name)
{
	const struct madkit_attribute *attribute = NULL;
	uint8_t mgmt_class;
	uint16_t id;

	return madkit_attribute_find(name, MADKIT_CLASS_PERF, &mgmt_class, &id, &attribute, NULL) ? NULL :
												    attribute;
}

/* ---- every counter of every attribute, with random numbers --------------------------------- */

/* The digits of an element in a response. */
static char *digits(struct response *r, const struct madkit_field *field, unsigned int index)
{
	return r->bits + COUNTERS_DATA * 8 + field->offset +
	       index * (field->stride ? field->stride : field->width);
}

static uint64_t digits_number(const char *digits, unsigned int width)
{
	char text[COUNTERS_WIDTHS] = "";

	memcpy(text, digits, width);
	return strtoull(text, NULL, 2);
}

static bool digits_full(const char *digits, unsigned int width)
{
	return !memchr(digits, '0', width);
}

/* Subtracts as on paper: digit by digit, with a borrow. */
static uint64_t digits_subtract(const char *from, const char *other, unsigned int width)
{
	char text[COUNTERS_WIDTHS] = "";
	int borrow = 0;

	for (unsigned int i = width; i-- > 0;) {
		int digit = from[i] - other[i] - borrow;

		borrow = digit < 0;
		text[i] = (char)('0' + digit + 2 * borrow);
	}
	return strtoull(text, NULL, 2);
}

/* Writes a number, often one at an end of the range. */
static void digits_put_any(char *digits, unsigned int width)
{
	const uint64_t kind = random64() % 4, near = random64() % 4;

	for (unsigned int i = 0; i < width; i++)
		digits[i] = kind == 0 ? '0' : kind == 1 ? '1' : random64() & 64 ? '1' : '0';
	if (kind < 2 && near)
		digits[width - near] = kind ? '0' : '1';
}

static unsigned int number_count(const struct madkit_field *field)
{
	return field->count ? field->count : 1;
}

/* How often something was wrong. */
struct faults {
	unsigned int order, value, delta, rate, share, zero, flags, record;
	/* observed: */
	bool widths[COUNTERS_WIDTHS];
	unsigned int saturated, grown, were_reset;
};

/* Checks the member of the counter's object in the record. */
static bool record_has(const struct madkit_record *record, const struct madkit_change *c, const char *member,
		       bool known, uint64_t want)
{
	char name[MADKIT_PATH_MAX];
	uint64_t got = 0;
	int ret;

	snprintf(name, sizeof(name), c->field->count ? "%s[%u]%s" : "%s%.0u%s", c->field->name, c->index,
		 member);
	ret = madkit_record_value(record, name, &got);
	return known ? !ret && got == want : ret == -ENODATA;
}

/* Rounds a rate up by its decimal digits, of which there are at most 52 behind the point above 2^-52. */
static uint64_t rate_whole(double rate)
{
	char text[400], *point;
	uint64_t whole;

	if (rate >= 0x1p64)
		return UINT64_MAX;
	snprintf(text, sizeof(text), "%.80f", rate);
	whole = strtoull(text, &point, 10);
	return whole + (strspn(point, ".0") < strlen(point));
}

/* reset: a counter of the attribute has decreased. */
static void change_check(struct faults *f, const struct madkit_change *c, const char *was, const char *is,
			 bool reset, uint64_t interval_ns, const struct madkit_record *record)
{
	const unsigned int width = c->field->width;
	const bool full = digits_full(is, width);
	const bool known = !reset && !digits_full(was, width), rated = !reset && !full;
	const uint64_t value = digits_number(is, width), delta = known ? digits_subtract(is, was, width) : 0;
	const double rate = rated && interval_ns ? (double)delta / ((double)interval_ns / 1e9) : 0;

	f->value += c->value != value;
	f->delta += c->known != known || c->delta != delta;
	f->flags += c->saturated != full || c->reset != reset || c->rated != rated;
	/* names of counters of octets contain Data; other names may, too */
	f->flags += c->unit && (c->unit != 4 || !strstr(c->field->name, "Data"));
	f->rate += c->rate > rate * 1.000000001 || c->rate < rate * 0.999999999;
	f->record += !record_has(record, c, "", known, delta) ||
		     !record_has(record, c, ".delta", known, delta) ||
		     !record_has(record, c, ".value", true, value) ||
		     !record_has(record, c, ".rate", rated, rate_whole(c->rate)) ||
		     !record_has(record, c, ".rate_bytes", rated && c->unit, rate_whole(4 * c->rate)) ||
		     !record_has(record, c, ".share", rated && c->unit, rate_whole(c->share)) ||
		     !record_has(record, c, ".saturated", true, full) ||
		     !record_has(record, c, ".reset", true, reset);
	/* 25 Gb/s are 3,125,000,000 octets a second: 1 percent is 31,250,000 */
	f->share += c->shared != (rated && c->unit) ||
		    (c->shared && (c->share * 31250000 > 4 * rate * 1.000000001 ||
				   c->share * 31250000 < 4 * rate * 0.999999999));
	f->zero += rated && interval_ns && delta && record_has(record, c, ".rate", true, 0);
	f->widths[width] = true;
	f->saturated += full;
	f->grown += rated && delta;
	f->were_reset += reset;
}

static void attribute_check(const struct madkit_attribute *a, struct faults *f)
{
	static struct response before, now;
	const uint64_t interval_ns = random64() % 3 ? random64() % UINT64_C(1000000000000) : 0;
	const struct madkit_counters_link link = { .gbps = 25 };
	const bool grows = random64() % 2;
	struct madkit_reading was, is;
	bool reset = false;
	struct madkit_counters *counters;
	struct madkit_record record;
	const struct madkit_change *change;
	size_t i = 0;

	if (madkit_counters_new(a, 0, &counters))
		return;
	perf_begin(&before, a->id);
	perf_begin(&now, a->id);
	for (unsigned int k = 0; k < a->layout->nfields; k++) {
		const struct madkit_field *field = &a->layout->fields[k];

		for (unsigned int e = 0; field->kind == MADKIT_KIND_COUNTER && e < number_count(field); e++) {
			char *was_digits = digits(&before, field, e);
			char *is_digits = digits(&now, field, e);

			digits_put_any(was_digits, field->width);
			memcpy(is_digits, was_digits, field->width);
			if (random64() % 4)
				digits_put_any(is_digits, field->width);
			if (grows && memcmp(is_digits, was_digits, field->width) < 0)
				memcpy(is_digits, was_digits, field->width);
		}
	}
	/* fields may share bits */
	for (unsigned int k = 0; k < a->layout->nfields; k++) {
		const struct madkit_field *field = &a->layout->fields[k];

		for (unsigned int e = 0; field->kind == MADKIT_KIND_COUNTER && e < number_count(field); e++)
			reset |= memcmp(digits(&now, field, e), digits(&before, field, e), field->width) < 0;
	}
	perf_end(&before);
	perf_end(&now);
	f->order += madkit_reading_take(&was, &before.message, 5) != 0;
	f->order += madkit_reading_take(&is, &now.message, 5 + interval_ns) != 0;
	f->order += madkit_counters_attribute(counters, 0) != a || madkit_counters_attribute(counters, 1);
	madkit_counters_set_link(counters, &link);
	madkit_counters_compare(counters, &was, &is);
	madkit_counters_record(counters, &now.message, &record);
	for (unsigned int k = 0; k < a->layout->nfields; k++) {
		const struct madkit_field *field = &a->layout->fields[k];

		for (unsigned int e = 0; field->kind == MADKIT_KIND_COUNTER && e < number_count(field); e++) {
			change = madkit_counters_change(counters, i++);
			if (change && change->field == field && change->index == e)
				change_check(f, change, digits(&before, field, e), digits(&now, field, e),
					     reset, interval_ns, &record);
			else
				f->order++;
		}
	}
	f->order += madkit_counters_change(counters, i) != NULL;
	madkit_counters_free(counters);
}

static void attributes_check(void)
{
	const struct madkit_class *perf = madkit_class_get(MADKIT_CLASS_PERF);
	struct faults f = { 0 };

	for (unsigned int round = 0; round < 1000 / random_share(); round++)
		for (size_t i = 0; i < perf->nattributes; i++)
			if (perf->attributes[i].layout)
				attribute_check(&perf->attributes[i], &f);
	is_u64(f.order, 0, "each element of each counter of each attribute has its change, in order");
	is_u64(f.value, 0, "values");
	is_u64(f.delta, 0, "differences");
	is_u64(f.rate, 0, "rates");
	is_u64(f.share, 0, "shares of the link");
	is_u64(f.flags, 0, "full, reset, octets");
	is_u64(f.record, 0, "... all of them in the record, with rates rounded up");
	is_u64(f.zero, 0, "... that of a counter that changes is above 0");
	ok(f.widths[4] && f.widths[8] && f.widths[16] && f.widths[32] && f.widths[64],
	   "counters of 4, 8, 16, 32 and 64 bits");
	ok(f.saturated > 100 && f.were_reset > 100 && f.grown > 100, "full, reset and growing counters");
}

/* ---- which attribute a counter is read from ------------------------------------------------ */

/* The counters of PortCountersExtended that depend on the port, as perfquery knows them. */
static bool is_ietf(const char *name)
{
	return strstr(name, "cast");
}

static bool is_error(const char *name)
{
	return !is_ietf(name) && strcmp(name, "PortXmitData") && strcmp(name, "PortRcvData") &&
	       strcmp(name, "PortXmitPkts") && strcmp(name, "PortRcvPkts");
}

/* Returns the width of the counter in the attribute; 0: the attribute does not have it. */
static unsigned int width_in(const struct madkit_attribute *a, const char *name)
{
	for (unsigned int i = 0; i < a->layout->nfields; i++)
		if (a->layout->fields[i].kind == MADKIT_KIND_COUNTER &&
		    !strcmp(a->layout->fields[i].name, name))
			return a->layout->fields[i].width;
	return 0;
}

/* Returns the width with which a port reads the counter; 0: the port does not have it. */
static unsigned int width_wanted(const char *name, unsigned int has)
{
	const struct madkit_attribute *narrow = perf_find("PortCounters"),
				      *wide = perf_find("PortCountersExtended");
	bool in_wide = has & MADKIT_CPI_COUNTERS_EXTENDED && width_in(wide, name);

	if (is_ietf(name))
		in_wide = in_wide && has & MADKIT_CPI_COUNTERS_IETF;
	if (is_error(name))
		in_wide = in_wide && has & MADKIT_CPI_COUNTERS_ERRORS;
	return in_wide ? width_in(wide, name) : width_in(narrow, name);
}

static void groups_check(unsigned int has, const char *what, unsigned int nattributes)
{
	const struct madkit_attribute *narrow = perf_find("PortCounters"),
				      *wide = perf_find("PortCountersExtended");
	struct madkit_reading readings[MADKIT_COUNTERS_ATTRIBUTES];
	struct madkit_counters *counters;
	struct madkit_record record;
	const struct madkit_change *change;
	static struct response r;
	unsigned int n = 0, seen = 0, wanted = 0, wrong = 0, missing = 0;

	if (!ok(!madkit_counters_new(narrow, has, &counters), "%s", what))
		return;
	for (; madkit_counters_attribute(counters, n); n++) {
		const struct madkit_attribute *a = madkit_counters_attribute(counters, n);

		wrong += a != (n || !(has & MADKIT_CPI_COUNTERS_EXTENDED) ? narrow : wide);
		perf_begin(&r, a->id);
		perf_end(&r);
		madkit_reading_take(&readings[n], &r.message, 0);
	}
	is_u64(n, nattributes, "... attributes to read");
	madkit_counters_compare(counters, readings, readings);
	for (size_t i = 0; (change = madkit_counters_change(counters, i)); i++, seen++)
		wrong += change->field->width != width_wanted(change->field->name, has);
	madkit_counters_record(counters, NULL, &record);
	for (unsigned int k = 0; k < 2; k++) {
		const struct madkit_layout *layout = k ? narrow->layout : wide->layout;

		for (unsigned int i = 0; i < layout->nfields; i++) {
			const struct madkit_field *field = &layout->fields[i];
			uint64_t value;
			bool known;

			if (field->kind != MADKIT_KIND_COUNTER || (k && width_in(wide, field->name)))
				continue;
			known = width_wanted(field->name, has);
			wanted += known;
			missing += madkit_record_value(&record, field->name, &value) !=
				   (known ? 0 : -ENODATA);
		}
	}
	is_u64(wrong, 0, "... each counter comes from the attribute that counts it");
	is_u64(seen, wanted, "... and no counter is missing");
	is_u64(missing, 0, "... the record has the others, too, as null");
	is_str(record.attribute->name, madkit_counters_attribute(counters, 0)->name,
	       "... and the name of the first attribute");
	madkit_counters_free(counters);
}

/* ---- expressions -------------------------------------------------------------------------- */

/* The answer of an expression, or the error that stops it. */
static int counters_eval(const struct madkit_counters *counters, const char *text)
{
	static const struct madkit_message message = { .kind = MADKIT_MESSAGE_EVENT };
	struct madkit_record record;
	struct madkit_expr *expr;
	int ret = madkit_expr_new(text, &expr, NULL);

	if (ret)
		return ret;
	madkit_counters_record(counters, &message, &record);
	ret = madkit_expr_check(expr, record.attribute, NULL);
	if (!ret)
		ret = madkit_expr_eval(expr, &record);
	madkit_expr_free(expr);
	return ret;
}

/* Reads PortVLXmitWait of 16 VLs, of which the response contains the first vls. */
static void waits_take(const uint16_t waits[16], unsigned int vls, uint64_t time_ns,
		       struct madkit_reading *reading)
{
	static struct response r;

	perf_begin(&r, MADKIT_ATTR_PORT_VL_XMIT_WAIT_COUNTERS);
	perf_put(&r, 8, 8, 1);
	for (unsigned int vl = 0; vl < 16; vl++)
		perf_put(&r, 32 + vl * 16, 16, waits[vl]);
	perf_end(&r);
	r.message.len = COUNTERS_DATA + 4 + 2 * vls;
	madkit_reading_take(reading, &r.message, time_ns);
}

/* Waits on VL 3 and a full counter on VL 5; VL 9 and above are not read. */
static void expressions_check(void)
{
	static const struct {
		const char *text;
		int want;
	} tests[] = {
		{ "PortVLXmitWait[3] == 10", 1 },
		{ "PortVLXmitWait3 == 10", 1 },
		{ "PortVLXmitWait[3].delta == 10 && PortVLXmitWait[3].rate > 9 && PortVLXmitWait[3].value == 30",
		  1 },
		{ "PortVLXmitWait[3].rate == 200", 1 },
		{ "PortVLXmitWait > 5", 1 },
		{ "PortVLXmitWait.rate > 5", 1 },
		{ "PortVLXmitWait.saturated && !PortVLXmitWait[7].reset", 1 },
		{ "PortVLXmitWait[5].saturated && PortVLXmitWait[5].value == 65535", 1 },
		{ "PortVLXmitWait[4].saturated || PortVLXmitWait[4].reset || PortVLXmitWait[4]", 0 },
		{ "PortVLXmitWait[5] >= 0", -ENODATA },
		{ "!PortVLXmitWait[5].rate", -ENODATA },
		{ "PortVLXmitWait[6] == 100 && PortVLXmitWait[6].saturated", 1 },
		{ "PortVLXmitWait[6].rate >= 0", -ENODATA },
		{ "PortVLXmitWait[7] == 0", 1 },
		{ "PortVLXmitWait[9].value >= 0", -ENODATA },
		{ "PortVLXmitWait[9].saturated", -ENODATA },
		/* the null elements may have waited more */
		{ "PortVLXmitWait > 100", -ENODATA },
		{ "!(PortVLXmitWait > 100)", -ENODATA },
		{ "PortVLXmitWait.rate_bytes > 0", -ENODATA },
		{ "PortSelect == 1 && interval_us == 50000", 1 },
	};
	uint16_t before[16], now[16];
	struct madkit_reading was, is;
	struct madkit_counters *counters;
	struct madkit_record record;
	uint64_t value = 0;

	if (!ok(!madkit_counters_new(perf_find("PortVLXmitWaitCounters"), 0, &counters),
		"PortVLXmitWaitCounters"))
		return;
	is_int(counters_eval(counters, "PortVLXmitWait[3] >= 0 || PortSelect == 1 || interval_us >= 0"),
	       -ENODATA, "A5: everything is null before the first comparison");
	for (uint16_t vl = 0; vl < 16; vl++)
		before[vl] = now[vl] = vl;
	before[3] = 20;
	now[3] = 30;
	before[5] = now[5] = 0xffff;
	before[6] = 0xffff - 100;
	now[6] = 0xffff;
	waits_take(before, 16, 1000, &was);
	waits_take(now, 9, 50001000, &is);
	madkit_counters_compare(counters, &was, &is);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		is_int(counters_eval(counters, tests[i].text), tests[i].want,
		       "A5: full, reset and missing elements of an array: %s", tests[i].text);
	madkit_counters_record(counters, NULL, &record);
	ok(!madkit_record_value(&record, "PortVLXmitWait[3]", &value) && value == 10 &&
		   madkit_record_value(&record, "PortVLXmitWait[5]", &value) == -ENODATA && value == 10,
	   "A5: the value of an element of which another one is full");
	/* the next round */
	before[5] = 0;
	now[5] = 2;
	waits_take(before, 16, 1000, &was);
	waits_take(now, 16, 50001000, &is);
	madkit_counters_compare(counters, &was, &is);
	is_int(counters_eval(counters, "PortVLXmitWait[5] == 2 && PortVLXmitWait[9].value == 9"), 1,
	       "A5: elements that were null in the round before are known in this one");
	/* VL 7 shows that the attribute was reset: VL 3 may have been, too */
	now[7] = 1;
	waits_take(now, 16, 50001000, &is);
	madkit_counters_compare(counters, &was, &is);
	is_int(counters_eval(counters, "PortVLXmitWait[7].reset && PortVLXmitWait[3].reset"), 1,
	       "A5: a reset is one of the whole attribute");
	is_int(counters_eval(counters, "PortVLXmitWait[3] >= 0 || PortVLXmitWait[3].rate >= 0"), -ENODATA,
	       "... of which no difference is known");
	waits_take(now, 3, 50001000, &is);
	madkit_counters_compare(counters, &was, &is);
	is_int(counters_eval(counters, "PortVLXmitWait[3] >= 0"), -ENODATA,
	       "A5: an element that was known in the round before is null in this one");
	madkit_counters_free(counters);
}

/* ---- congestion ------------------------------------------------------------------------ */

/* PortCounters after one second, with this many words sent and ticks waited. */
static double congestion_of(uint64_t words, uint64_t ticks, double wait_octets)
{
	const struct madkit_counters_link link = { .wait_octets = wait_octets };
	struct madkit_reading readings[2];
	struct madkit_counters *counters;
	static struct response r;
	double percent = -2;

	if (madkit_counters_new(perf_find("PortCounters"), 0, &counters))
		return percent;
	for (unsigned int i = 0; i < 2; i++) {
		perf_begin(&r, MADKIT_ATTR_PORT_COUNTERS);
		/* PortXmitData and PortXmitWait (IBA volume 1, table PortCounters) */
		perf_put(&r, 192, 32, 1000 + i * words);
		perf_put(&r, 320, 32, 500 + i * ticks);
		perf_end(&r);
		madkit_reading_take(&readings[i], &r.message, 1 + i * UINT64_C(1000000000));
	}
	madkit_counters_set_link(counters, &link);
	madkit_counters_compare(counters, &readings[0], &readings[1]);
	percent = madkit_counters_congestion(counters);
	is_int(counters_eval(counters, "congestion >= 0"), percent >= 0 ? 1 : -ENODATA,
	       "congestion is also a field");
	madkit_counters_free(counters);
	return percent;
}

static void congestion_check(void)
{
	/* 1000 words are 4000 octets; 250 ticks of 32 octets are 8000 */
	ok(congestion_of(1000, 250, 32) > 66.66 && congestion_of(1000, 250, 32) < 66.67,
	   "congestion: 8000 octets lost, 4000 sent");
	ok(congestion_of(1000, 0, 32) == 0, "congestion: no wait");
	ok(congestion_of(0, 0, 32) == 0, "congestion: nothing to send");
	ok(congestion_of(0, 5, 32) == 100, "congestion: nothing could be sent");
	ok(congestion_of(1000, 250, 0) == -1, "congestion: without the length of a tick, it is not known");
}

/* The length of a tick: of these switches for each lane, of an unknown device not known. */
static void wait_check(void)
{
	enum { MELLANOX = 0x2c9 };

	is_int((int)madkit_counters_wait_octets(MELLANOX, 54000, 4, 7), 8,
	       "wait: Quantum counts for the port");
	is_int((int)madkit_counters_wait_octets(MELLANOX, 4123, 0, 0), 1,
	       "wait: ... a ConnectX too, on any width");
	is_int((int)madkit_counters_wait_octets(MELLANOX, 51000, 4, 31), 128, "wait: SwitchX for each lane");
	is_int((int)madkit_counters_wait_octets(MELLANOX, 52000, 1, 31), 32, "wait: Switch-IB for each lane");
	is_int((int)madkit_counters_wait_octets(MELLANOX, 52000, 0, 31), 0, "wait: ... which must be known");
	is_int((int)madkit_counters_wait_octets(MELLANOX, 53000, 4, 31), 0, "wait: Switch-IB 2 is not known");
	is_int((int)madkit_counters_wait_octets(0x1175, 52000, 4, 31), 0,
	       "wait: another vendor is not known");
	ok(madkit_counters_wait_octets(MELLANOX, 54000, 4, UINT64_MAX) > 1e19, "wait: the longest tick");
}

static void full_check(void)
{
	const struct madkit_attribute *a = perf_find("PortCounters");

	for (unsigned int i = 0; i < a->layout->nfields; i++) {
		const double s = madkit_counters_full_s(&a->layout->fields[i], 400);

		/* 2^32 words of 4 octets at 50 GB/s */
		if (strstr(a->layout->fields[i].name, "Data"))
			ok(s > 0.3435 && s < 0.3437, "%s is full after 0.34 s", a->layout->fields[i].name);
		else if (s != 0)
			ok(false, "%s is no counter of octets", a->layout->fields[i].name);
	}
}

/* ---- readings of many ports -------------------------------------------------------------- */

enum { SET_NODES = 300, SET_PORTS = 3 };

/* Reads PortCounters or PortCountersExtended with these words received. */
static struct madkit_reading reading_set_of(bool wide, uint64_t words)
{
	static struct response r;
	struct madkit_reading reading;

	perf_begin(&r, wide ? MADKIT_ATTR_PORT_COUNTERS_EXTENDED : MADKIT_ATTR_PORT_COUNTERS);
	perf_put(&r, wide ? 128 : 224, 32, words);
	perf_end(&r);
	madkit_reading_take(&reading, &r.message, words + 7);
	return reading;
}

static void reading_set_check(void)
{
	struct madkit_readings *set = madkit_readings_new();
	struct madkit_reading_key key = { .node_guid = 5, .port = 1, .attribute = MADKIT_ATTR_PORT_COUNTERS };
	const struct madkit_reading *found;
	unsigned int wrong = 0, failed = 0;
	struct madkit_reading reading;

	ok(!madkit_readings_get(set, &key), "an empty set has no reading");
	for (uint64_t node = 0; node < SET_NODES; node++)
		for (uint8_t port = 0; port < SET_PORTS; port++)
			for (unsigned int wide = 0; wide < 2; wide++) {
				key = (struct madkit_reading_key){ node << 32 | node, port,
								   wide ? MADKIT_ATTR_PORT_COUNTERS_EXTENDED :
									  MADKIT_ATTR_PORT_COUNTERS };
				reading = reading_set_of(wide, node * 100 + port * 10u + wide);
				failed += madkit_readings_put(set, &key, &reading) != 0;
			}
	is_u64(failed, 0, "readings of 300 nodes are kept");
	is_u64(madkit_readings_count(set), SET_NODES * SET_PORTS * 2, "... each one");
	for (size_t i = 0; i < madkit_readings_count(set); i++) {
		const struct madkit_reading_key *at = madkit_readings_key(set, i);
		const bool wide = at->attribute == MADKIT_ATTR_PORT_COUNTERS_EXTENDED;

		reading = reading_set_of(wide, (uint32_t)at->node_guid * 100 + at->port * 10u + wide);
		found = madkit_readings_get(set, at);
		wrong += !found || found->time_ns != reading.time_ns || found->len != reading.len ||
			 memcmp(found->data, reading.data, reading.len) != 0;
	}
	is_u64(wrong, 0, "... and found again");
	key = *madkit_readings_key(set, 17);
	reading = reading_set_of(false, 99999);
	is_int(madkit_readings_put(set, &key, &reading), 0, "a later reading");
	found = madkit_readings_get(set, &key);
	ok(found && found->time_ns == 99999 + 7, "... replaces the earlier one");
	is_u64(madkit_readings_count(set), SET_NODES * SET_PORTS * 2, "... and is not another one");
	key.port = SET_PORTS;
	ok(!madkit_readings_get(set, &key), "a port that was not read has none");
	ok(!madkit_readings_key(set, SET_NODES * SET_PORTS * 2), "... and there are no more");
	madkit_readings_free(set);
	madkit_readings_free(NULL);
}

/* ---- refusals ----------------------------------------------------------------------- */

/* Layouts of all classes: those with counters, and their length. */
static void readings_check(void)
{
	const struct madkit_class *classes;
	unsigned int with = 0, without = 0, wrong = 0, longest = 0;
	size_t n;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < classes[i].nattributes; j++) {
			const struct madkit_attribute *a = &classes[i].attributes[j];
			struct madkit_counters *counters = NULL;
			unsigned int fields = 0;

			for (unsigned int k = 0; a->layout && k < a->layout->nfields; k++)
				fields += a->layout->fields[k].kind == MADKIT_KIND_COUNTER;
			wrong += madkit_counters_new(a, 0, &counters) != (fields ? 0 : -ENOENT);
			madkit_counters_free(counters);
			with += fields != 0;
			without += !fields;
			if (fields && a->layout->bytes > longest)
				longest = a->layout->bytes;
		}
	ok(!wrong && with > 10 && without > 100, "attributes without counters are refused, others are not");
	is_between(longest, 100, MADKIT_READING_BYTES,
		   "a reading has room for every attribute with counters");
}

static void errors_check(void)
{
	static struct response r;
	struct madkit_reading reading, again;
	struct madkit_counters *counters = NULL;
	const struct madkit_attribute *a = perf_find("PortCounters");
	long failed = 0;

	perf_begin(&r, a->id);
	r.mad[5] = 0x1c; /* a status */
	is_int(madkit_reading_take(&reading, &r.message, 1), -ENODATA,
	       "a response with a MAD status has no data");
	ok(!madkit_counters_new(a, 0, &counters), "PortCounters");
	r.mad[5] = 0;
	is_int(madkit_reading_take(&again, &r.message, 2), 0, "... one without has");
	madkit_counters_compare(counters, &reading, &again);
	ok(!madkit_counters_change(counters, 0), "without an earlier value, there is no change");
	madkit_counters_free(counters);
	do {
		left = failed;
		if (madkit_counters_new(a, MADKIT_CPI_COUNTERS_EXTENDED, &counters) != -ENOMEM)
			break;
		failed++;
	} while (reached());
	left = -1;
	madkit_counters_free(counters);
	ok(failed > 3, "without memory: -ENOMEM, %ld times", failed);
}

int main(void)
{
	const unsigned int wide = MADKIT_CPI_COUNTERS_EXTENDED;

	attributes_check();
	groups_check(0, "a port without PortCountersExtended", 1);
	groups_check(wide, "... with PortCountersExtended without two groups", 2);
	groups_check(wide | MADKIT_CPI_COUNTERS_IETF, "... with unicast and multicast packets", 2);
	groups_check(wide | MADKIT_CPI_COUNTERS_ERRORS, "... with counters of errors", 1);
	groups_check(wide | MADKIT_CPI_COUNTERS_IETF | MADKIT_CPI_COUNTERS_ERRORS, "... with both", 1);
	expressions_check();
	congestion_check();
	wait_check();
	full_check();
	readings_check();
	reading_set_check();
	errors_check();
	return tap_done();
}
