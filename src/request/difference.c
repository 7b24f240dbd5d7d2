/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/constants.h>
#include "difference.h"
#include "util/array_size.h"

static const char congestion[] = "congestion";

int difference_new(const struct request *r, unsigned int has, struct madkit_counters **counters)
{
	int ret;

	if (!r->attribute || !r->attribute->layout)
		return cli_usage_error("madkit does not know the counters of %s", r->attribute_name);
	ret = madkit_counters_new(r->attribute, has, counters);
	if (ret == -ENOENT)
		return cli_usage_error("%s has no counters to show", r->attribute_name);
	return ret ? cli_no_memory() : EXIT_DONE;
}

/* ---- the fields that are shown --------------------------------------------------- */

/* Checks if --fields selects the counter, as a field of the attribute or as a key of the line. */
static bool difference_names(const struct output *out, const char *name)
{
	char path[sizeof("data.counters.") + MADKIT_PATH_MAX];

	snprintf(path, sizeof(path), "data.counters.%s", name);
	return madkit_projection_has(out->how.fields, name) || madkit_projection_has(out->how.fields, path);
}

bool difference_selects(const struct output *out, const struct madkit_change *change)
{
	char element[MADKIT_PATH_MAX];

	if (!out->how.fields)
		return true;
	snprintf(element, sizeof(element), "%s[%u]", change->field->name, change->index);
	return difference_names(out, change->field->name) ||
	       (change->field->count && difference_names(out, element));
}

bool difference_needs_congestion(const struct madkit_expr *expr)
{
	const size_t len = sizeof(congestion) - 1;

	for (size_t i = 0; expr && i < madkit_expr_count(expr); i++) {
		struct madkit_expr_test test;

		madkit_expr_get(expr, i, &test);
		if (test.name_len >= len && !strncasecmp(test.name + test.name_len - len, congestion, len))
			return true;
	}
	return false;
}

bool difference_asks_congestion(const struct output *out)
{
	if (difference_needs_congestion(out->filter) || difference_needs_congestion(out->assertion.expr))
		return true;
	return out->fields && (madkit_projection_has(out->fields, congestion) ||
			       madkit_projection_has(out->fields, "data.congestion"));
}

bool difference_shows_congestion(const struct output *out)
{
	return difference_asks_congestion(out) || (!out->fields && out->format == FORMAT_JSON);
}

/* ---- the length of a tick ----------------------------------------------------------- */

int difference_ticks_request(const struct request *r, struct request *derived)
{
	return request_derive(r, "PortSamplesControl", 0, derived);
}

bool difference_tick(const struct answer *a, size_t offset, uint64_t *tick)
{
	struct madkit_record record;

	if (a->status || a->message.kind != MADKIT_MESSAGE_RESPONSE || a->message.len <= offset)
		return false;
	madkit_record_get(&a->message, 0, &record);
	return !madkit_record_value(&record, "Tick", tick);
}

unsigned int difference_lanes(const struct madkit_record *record, const char *field)
{
	struct madkit_place place;
	uint64_t width, lanes;

	if (madkit_record_value(record, field, &width) ||
	    madkit_place_find(record->layout, field, strlen(field), &place, NULL) ||
	    madkit_value_magnitude(place.field->values, width, &lanes))
		return 0;
	return (unsigned int)lanes;
}

/* ---- counters that are full soon ------------------------------------------------------ */

const struct madkit_change *difference_narrow(const struct difference *d)
{
	const struct madkit_change *change;

	for (size_t i = 0; (change = madkit_counters_change(d->counters, i)); i++)
		if (change->unit && change->field->width <= 32 && difference_selects(d->out, change))
			return change;
	return NULL;
}

const char *difference_full(const struct madkit_field *field, double gbps, char text[DIFFERENCE_FULL_BYTES])
{
	const double s = madkit_counters_full_s(field, gbps);
	struct madkit_buf bytes;

	if (s > 0) {
		snprintf(text, DIFFERENCE_FULL_BYTES, "full after %.*f s at %.0f Gb/s", s < 10 ? 2 : 0, s,
			 gbps);
		return text;
	}
	madkit_buf_init(&bytes, 0);
	madkit_text_bytes(&bytes, 4 * ((double)(UINT64_MAX >> (64 - field->width))));
	snprintf(text, DIFFERENCE_FULL_BYTES, "full after %.*s", (int)bytes.len, bytes.len ? bytes.data : "");
	madkit_buf_free(&bytes);
	return text;
}

/* ---- JSON ---------------------------------------------------------------------------- */

static void difference_write_change(struct madkit_writer *w, const char *name,
				    const struct madkit_change *change)
{
	madkit_writer_object(w, name);
	madkit_writer_number(w, "value", change->value);
	madkit_writer_known(w, "delta", change->known, change->delta);
	if (change->rated)
		madkit_writer_decimal(w, "rate", change->rate, 3);
	else
		madkit_writer_null(w, "rate");
	if (change->unit && change->rated)
		madkit_writer_decimal(w, "rate_bytes", change->unit * change->rate, 3);
	else if (change->unit)
		madkit_writer_null(w, "rate_bytes");
	if (change->shared)
		madkit_writer_decimal(w, "share", change->share, 3);
	else if (change->unit)
		madkit_writer_null(w, "share");
	madkit_writer_bool(w, "saturated", change->saturated);
	madkit_writer_bool(w, "reset", change->reset);
	madkit_writer_close(w);
}

static void difference_write_counters(const struct difference *d, struct madkit_writer *w)
{
	const struct madkit_change *change;
	const struct madkit_field *array = NULL;

	for (size_t i = 0; (change = madkit_counters_change(d->counters, i)); i++) {
		const struct madkit_field *field = change->field;

		if (!difference_selects(d->out, change))
			continue;
		if (array && field != array) {
			madkit_writer_close(w);
			array = NULL;
		}
		if (field->count && !array) {
			madkit_writer_array(w, field->name);
			array = field;
		}
		difference_write_change(w, array ? NULL : field->name, change);
	}
	if (array)
		madkit_writer_close(w);
}

/* Writes the readings themselves, so that a later run can be compared with this one. */
static void difference_write_readings(const struct difference *d, struct madkit_writer *w)
{
	static const char digits[] = "0123456789abcdef";
	char hex[2 * MADKIT_READING_BYTES + 1];

	for (size_t i = 0; d->readings && i < d->nreadings; i++) {
		const struct madkit_reading *r = &d->readings[i];
		const struct madkit_attribute *a =
			madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, d->ids[i]);

		if (!r->len)
			continue;
		for (size_t at = 0; at < r->len; at++) {
			hex[2 * at] = digits[r->data[at] >> 4];
			hex[2 * at + 1] = digits[r->data[at] & 0xf];
		}
		hex[2 * r->len] = 0;
		madkit_writer_object(w, NULL);
		madkit_writer_string(w, "attribute", a ? a->name : NULL);
		madkit_writer_number(w, "attribute_id", d->ids[i]);
		madkit_writer_number(w, "age_us",
				     d->now_ns > r->time_ns ? (d->now_ns - r->time_ns) / 1000 : 0);
		madkit_writer_string(w, "bytes", hex);
		madkit_writer_close(w);
	}
}

void difference_write(const void *context, struct madkit_writer *w)
{
	const struct difference *d = context;
	const char *event = madkit_counters_event_name(madkit_counters_event(d->counters));
	const double percent = madkit_counters_congestion(d->counters);

	madkit_writer_string(w, "attribute", d->attribute);
	madkit_writer_known(w, "PortSelect", d->of_port, d->port);
	madkit_writer_known(w, "interval_us", d->timed, d->interval_ns / 1000);
	if (percent >= 0)
		madkit_writer_decimal(w, congestion, percent, 3);
	else
		madkit_writer_null(w, congestion);
	madkit_writer_string(w, "change", event);
	madkit_writer_object(w, "counters");
	difference_write_counters(d, w);
	madkit_writer_close(w);
	if (d->out->how.fields && !madkit_projection_has(d->out->how.fields, "data.readings"))
		return;
	madkit_writer_array(w, "readings");
	difference_write_readings(d, w);
	madkit_writer_close(w);
}

/* ---- text ------------------------------------------------------------------------------ */

/* Appends a number with a prefix of its unit: "9.8 k". */
static void difference_put_number(struct madkit_buf *buf, double number)
{
	static const char prefixes[] = " kMGTPE";
	size_t prefix = 0;

	for (; number >= 999.95 && prefix + 2 < sizeof(prefixes); prefix++)
		number /= 1000;
	madkit_buf_printf(buf, "%.1f", number);
	if (prefix)
		madkit_buf_printf(buf, " %c", prefixes[prefix]);
}

void difference_put_rate(struct madkit_buf *buf, double rate)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 60, "min" }, { 3600, "h" }, { 86400, "d" } };
	/* one in an interval a little longer than its unit is still 1.0/s */
	const double one = 0.995;
	double rest;
	size_t i = 0;

	if (rate >= one || !(rate > 0)) {
		difference_put_number(buf, rate);
		madkit_buf_str(buf, "/s");
		return;
	}
	while (i + 1 < ARRAY_SIZE(units) && rate * units[i].seconds < one)
		i++;
	/* seldom enough to be counted: "3/h" */
	rate *= units[i].seconds;
	rest = rate - (double)(unsigned int)(rate + 0.5);
	madkit_buf_printf(buf, "%.*f/%s", rest < -0.05 || rest > 0.05, rate, units[i].name);
}

void difference_put_bits(struct madkit_buf *buf, double bytes)
{
	const size_t begin = buf->len;

	difference_put_number(buf, 8 * bytes);
	/* "9.8 k" has a prefix before the unit */
	if (buf->len > begin && (unsigned char)(buf->data[buf->len - 1] - '0') < 10)
		madkit_buf_char(buf, ' ');
	madkit_buf_str(buf, "b/s");
}

/* Appends "10.9 GB/s, 87 Gb/s of 200". bytes: octets per second. */
static void difference_put_octets(struct madkit_buf *buf, double bytes, double gbps)
{
	const double rate = 8 * bytes / 1e9;

	madkit_text_bytes(buf, bytes);
	madkit_buf_str(buf, "/s");
	if (gbps > 0)
		madkit_buf_printf(buf, ", %.*f Gb/s of %.*f", rate < 10, rate, gbps < 10, gbps);
}

static void difference_put_change(struct madkit_buf *buf, const struct madkit_change *change, double gbps)
{
	char label[MADKIT_PATH_MAX];

	snprintf(label, sizeof(label), change->field->count ? "%s%u" : "%s", change->field->name,
		 change->index);
	madkit_text_label(buf, label);
	if (!change->rated) {
		madkit_buf_printf(buf, "%" PRIu64 " (%s)\n", change->value,
				  change->saturated ? "saturated" :
				  change->reset     ? "reset" :
						      "rate not known");
		return;
	}
	madkit_buf_printf(buf, "+%" PRIu64 " (", change->delta);
	if (change->unit) {
		madkit_buf_printf(buf, "%.1f/s) = ", change->rate);
		difference_put_octets(buf, change->unit * change->rate, gbps);
	} else {
		difference_put_rate(buf, change->rate);
		madkit_buf_char(buf, ')');
	}
	madkit_buf_printf(buf, ", value %" PRIu64 "\n", change->value);
}

void difference_put_text(const struct difference *d, struct madkit_buf *buf)
{
	const char *event = madkit_counters_event_name(madkit_counters_event(d->counters));
	const struct madkit_projection *fields = d->out->how.fields;
	const double percent = madkit_counters_congestion(d->counters);
	const struct madkit_change *change;

	madkit_buf_printf(buf, "# %s: %s", d->attribute, d->place);
	if (d->of_port)
		madkit_buf_printf(buf, " port %" PRIu64, d->port);
	if (d->timed)
		madkit_buf_printf(buf, " in %.3f s", (double)d->interval_ns / 1e9);
	madkit_buf_char(buf, '\n');
	if (d->of_port && fields && madkit_projection_has(fields, "PortSelect"))
		text_line(buf, "PortSelect", "%" PRIu64, d->port);
	if (fields && madkit_projection_has(fields, congestion) && percent >= 0)
		text_line(buf, congestion, "%.3f %%", percent);
	if (event)
		text_line(buf, "change", "%s", event);
	for (size_t i = 0; (change = madkit_counters_change(d->counters, i)); i++)
		if (difference_selects(d->out, change))
			difference_put_change(buf, change, d->gbps);
}
