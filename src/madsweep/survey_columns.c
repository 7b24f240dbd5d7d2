/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "request/layout_choice.h"
#include "survey_columns.h"
#include "util/array_size.h"

/* Finds the counter of a column in the attributes. */
static void column_find_fields(const struct survey_delta *d, struct survey_column *c)
{
	const struct madkit_attribute *const attributes[COLUMNS_LAYOUTS] = { d->request->attribute,
									     d->wide.attribute,
									     layout_rsfec() };
	const size_t len = strcspn(c->counter, "[");
	struct madkit_place place;

	c->index = c->counter[len] ? atoi(c->counter + len + 1) : -1;
	for (size_t i = 0; i < COLUMNS_LAYOUTS; i++)
		if (attributes[i] && !madkit_place_find(attributes[i]->layout, c->counter, len, &place, NULL))
			c->fields[i] = place.field;
}

/* Finds out which counter a field is a part of. */
static void column_read_name(const struct survey_delta *d, struct survey_column *c)
{
	static const struct {
		const char *name;
		enum column_part part;
	} parts[] = {
		{ "delta", COLUMN_DELTA },           { "rate", COLUMN_RATE },
		{ "rate_bytes", COLUMN_RATE_BYTES }, { "share", COLUMN_SHARE },
		{ "share_percent", COLUMN_SHARE },   { "value", COLUMN_VALUE },
		{ "reset", COLUMN_VALUE },           { "saturated", COLUMN_VALUE },
	};
	const struct madkit_layout *layout = survey_delta_attribute(d)->layout;
	const char *name = strncasecmp(c->name, "data.", 5) ? c->name : c->name + 5;
	const char *dot = strrchr(name, '.');
	size_t len = strlen(name);
	struct madkit_place place;

	c->part = COLUMN_DELTA;
	for (size_t i = 0; dot && i < ARRAY_SIZE(parts); i++)
		if (!strcasecmp(dot + 1, parts[i].name)) {
			c->part = parts[i].part;
			len = (size_t)(dot - name);
		}
	snprintf(c->counter, sizeof(c->counter), "%.*s", (int)len, name);
	if (!madkit_place_find(layout, c->counter, len, &place, NULL) &&
	    place.field->kind == MADKIT_KIND_COUNTER) {
		column_find_fields(d, c);
		return;
	}
	c->counter[0] = 0;
	c->part = COLUMN_VALUE;
}

static int columns_add_one(struct survey_columns *columns, const char *name, size_t len)
{
	struct survey_column *c = &columns->list[columns->n];
	struct madkit_error error = { .text = "" };
	int ret;

	if (columns->n == COLUMNS_MAX)
		return cli_usage_error("--fields: more than %d columns", COLUMNS_MAX);
	*c = (struct survey_column){ .part = COLUMN_VALUE };
	snprintf(c->name, sizeof(c->name), "%.*s", (int)len, name);
	ret = madkit_expr_new(c->name, &c->expr, &error);
	if (ret)
		return ret == -ENOMEM ? cli_no_memory() :
					output_expression_error("--fields", c->name, &error);
	columns->n++;
	column_read_name(columns->delta, c);
	return EXIT_DONE;
}

int survey_columns_add(struct survey_columns *columns, const char *names)
{
	int status = EXIT_DONE;

	for (const char *p = names; !status; p++) {
		const size_t skip = strspn(p, " \t"), len = strcspn(p, ",");
		size_t word = len;

		while (word > skip && strchr(" \t", p[word - 1]))
			word--;
		if (word > skip)
			status = columns_add_one(columns, p + skip, word - skip);
		p += len;
		if (!*p)
			break;
	}
	return status;
}

bool survey_columns_have(const struct survey_columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->n; i++)
		if (!strcasecmp(columns->list[i].name, name))
			return true;
	return false;
}

/* Checks if a field counts octets, at any port. */
static bool column_has_octets(const struct survey_column *c)
{
	for (size_t i = 0; i < COLUMNS_LAYOUTS; i++)
		if (c->fields[i] && c->fields[i]->flags & MADKIT_FIELD_OCTETS4)
			return true;
	return false;
}

/* Adds a counter of CSV: how much it rose, or of octets, their rate and the share of the link. */
static int columns_add_counter(struct survey_columns *columns, const char *name)
{
	static const char *const parts[] = { ".rate_bytes", ".share_percent" };
	char part[MADKIT_PATH_MAX];
	int status = columns_add_one(columns, name, strlen(name));

	if (status || !column_has_octets(&columns->list[columns->n - 1]))
		return status;
	madkit_expr_free(columns->list[--columns->n].expr);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !status; i++) {
		snprintf(part, sizeof(part), "%s%s", name, parts[i]);
		status = columns_add_one(columns, part, strlen(part));
	}
	return status;
}

/* Checks if the attribute lists a field as one of its usual columns, or lists none. */
static bool columns_are_usual(const struct madkit_attribute *a, const char *name)
{
	const size_t len = strlen(name);

	for (const char *p = a->columns; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == len && !strncmp(p, name, len))
			return true;
	return !a->columns;
}

/* Adds the rates of the counters that there are. */
static int columns_add_rates(struct survey_columns *columns)
{
	const size_t n = columns->n;
	char rate[MADKIT_PATH_MAX + sizeof(".rate")];
	int status = EXIT_DONE;

	for (size_t i = 0; i < n && !status; i++) {
		snprintf(rate, sizeof(rate), "%s.rate", columns->list[i].name);
		if (columns->list[i].counter[0])
			status = columns_add_one(columns, rate, strlen(rate));
	}
	return status;
}

int survey_columns_add_usual(struct survey_columns *columns, bool errors)
{
	const struct madkit_attribute *a = survey_delta_attribute(columns->delta);
	int status = survey_columns_add(
		columns, "port.node.name,port.number,port.peer.node.name,port.peer.number,interval_us");

	for (unsigned int i = 0; i < a->layout->nfields; i++) {
		const struct madkit_field *f = &a->layout->fields[i];

		if (!status && f->kind == MADKIT_KIND_COUNTER &&
		    (errors ? f->flags & MADKIT_FIELD_ERROR : columns_are_usual(a, f->name)))
			status = columns_add_counter(columns, f->name);
	}
	if (!status)
		status = survey_columns_add(columns, "change");
	return status || !errors ? status : columns_add_rates(columns);
}

void survey_columns_free(struct survey_columns *columns)
{
	for (size_t i = 0; i < columns->n; i++)
		madkit_expr_free(columns->list[i].expr);
	columns->n = 0;
}

/* ---- changes ----------------------------------------------------------------------------- */

bool survey_change_counts(const struct madkit_change *change)
{
	return !change->known || change->delta;
}

static bool column_is_of(const struct survey_column *c, const struct madkit_change *change)
{
	for (size_t i = 0; i < COLUMNS_LAYOUTS; i++)
		if (change->field == c->fields[i])
			return c->index < 0 || (unsigned int)c->index == change->index;
	return false;
}

const struct madkit_change *survey_column_find(const struct survey_column *c,
					       const struct survey_compared *compared)
{
	const struct madkit_change *change;

	for (size_t i = 0; (change = madkit_counters_change(compared->difference.counters, i)); i++)
		if (column_is_of(c, change))
			return change->field->count && c->index < 0 ? NULL : change;
	return NULL;
}

bool survey_column_changed(const struct survey_column *c, const struct survey_compared *compared)
{
	const struct madkit_change *change;

	for (size_t i = 0; (change = madkit_counters_change(compared->difference.counters, i)); i++)
		if (survey_change_counts(change) && column_is_of(c, change))
			return true;
	return false;
}

/* ---- the counters that have changed -------------------------------------------------------- */

/* Checks if a change is left out of the columns, because that of the octets says as much. */
static bool columns_omit(const struct survey_compared *compared, const struct madkit_change *change)
{
	static const char packets[] = "Pkts";
	const size_t len = strlen(change->field->name), end = sizeof(packets) - 1;
	const struct madkit_change *other;

	if (len < end || strcmp(change->field->name + len - end, packets) != 0)
		return false;
	for (size_t i = 0; (other = madkit_counters_change(compared->difference.counters, i)); i++)
		if (other->unit)
			return true;
	return false;
}

/* Returns the place of a counter in the attribute. */
static unsigned int columns_rank(const struct survey_columns *columns, const struct madkit_change *change)
{
	const struct madkit_layout *layout = survey_delta_attribute(columns->delta)->layout;
	unsigned int i = 0;

	while (i < layout->nfields && strcmp(layout->fields[i].name, change->field->name))
		i++;
	return i * 1024 + change->index;
}

/* Adds a column for a counter in its place, unless there is one. */
static int columns_insert(struct survey_columns *columns, const struct madkit_change *change)
{
	struct survey_column added;
	char name[MADKIT_PATH_MAX];
	unsigned int rank;
	size_t i;
	int status;

	for (i = 0; i < columns->n; i++)
		if (column_is_of(&columns->list[i], change))
			return EXIT_DONE;
	if (columns->n == COLUMNS_MAX)
		return EXIT_DONE;
	rank = columns_rank(columns, change);
	for (i = 0; i < columns->n && columns->list[i].rank < rank;)
		i++;
	if (change->field->count)
		snprintf(name, sizeof(name), "%s[%u]", change->field->name, change->index);
	else
		snprintf(name, sizeof(name), "%s", change->field->name);
	status = columns_add_one(columns, name, strlen(name));
	if (status)
		return status;
	added = columns->list[columns->n - 1];
	added.rank = rank;
	added.part = COLUMN_MOVE;
	memmove(&columns->list[i + 1], &columns->list[i], (columns->n - 1 - i) * sizeof(added));
	columns->list[i] = added;
	return EXIT_DONE;
}

/* After a reset, nothing is known of any counter: the note says so. */
int survey_columns_add_changed(struct survey_columns *columns, const struct survey_compared *compared)
{
	const struct madkit_change *change;
	int status = EXIT_DONE;

	for (size_t i = 0; !status && (change = madkit_counters_change(compared->difference.counters, i));
	     i++)
		if (survey_change_counts(change) && !change->reset && !columns_omit(compared, change))
			status = columns_insert(columns, change);
	return status;
}
