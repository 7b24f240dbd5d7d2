/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "port_table.h"
#include "util/array_size.h"

struct madkit_grid *port_grid_new(const struct port_column *columns, size_t n,
				  const struct madkit_terminal *terminal)
{
	struct madkit_grid *t = madkit_grid_new(1);
	int ret = t ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++)
		ret = madkit_grid_add_column(t, columns[i].title, columns[i].flags);
	if (!ret) {
		madkit_grid_set_terminal(t, terminal);
		return t;
	}
	madkit_grid_free(t);
	return NULL;
}

struct madkit_grid *port_table_new(const struct madkit_terminal *terminal)
{
	static const struct port_column columns[] = {
		{ "NODE", MADKIT_GRID_NAME },
		{ "PORT", MADKIT_GRID_RIGHT },
		{ "LID", MADKIT_GRID_RIGHT },
		{ "STATE", 0 },
		{ "LINK", 0 },
		{ "PEER", MADKIT_GRID_NAME },
		{ "PORT", MADKIT_GRID_RIGHT },
		{ "NOTE", MADKIT_GRID_NOTE },
	};

	return port_grid_new(columns, ARRAY_SIZE(columns), terminal);
}

/* ---- cells ------------------------------------------------------------------------ */

int port_put_number(struct madkit_grid *t, const struct madkit_record *port, const char *name)
{
	struct madkit_buf *cell = madkit_grid_cell(t);
	uint64_t value;

	if (!madkit_record_value(port, name, &value))
		madkit_buf_printf(cell, "%" PRIu64, value);
	else
		madkit_buf_str(cell, "-");
	return madkit_grid_end_cell(t);
}

/* Returns the name of a value of a field, or NULL if it has none. */
static const char *port_value_word(const char *name, uint64_t value)
{
	struct madkit_place place;

	if (madkit_place_find(madkit_sweep_attribute()->layout, name, strlen(name), &place, NULL))
		return NULL;
	return madkit_value_name(place.field->values, value);
}

/* Returns the name of the value of an enumeration, or NULL if the value is null. */
static const char *port_word(const struct madkit_record *port, const char *name)
{
	uint64_t value;

	return madkit_record_value(port, name, &value) ? NULL : port_value_word(name, value);
}

int port_put_name(struct madkit_grid *t, const struct madkit_record *port, const char *name,
		  const char *guid_name)
{
	struct madkit_buf *cell = madkit_grid_cell(t);
	struct madkit_place place;
	const char *text = "";
	uint64_t guid;
	size_t len = 0;

	if (!madkit_place_find(port->layout, name, strlen(name), &place, NULL)) {
		text = (const char *)port->data + (place.base + place.field->offset) / 8;
		len = strnlen(text, place.field->width / 8);
	}
	if (len)
		madkit_text_escape(cell, text, len);
	else if (!madkit_record_value(port, guid_name, &guid))
		madkit_buf_printf(cell, "0x%016" PRIx64, guid);
	else
		madkit_buf_str(cell, "-");
	return madkit_grid_end_cell(t);
}

int port_put_text(struct madkit_grid *t, const char *text, enum madkit_color color)
{
	madkit_grid_color(t, color);
	madkit_buf_str(madkit_grid_cell(t), text);
	return madkit_grid_end_cell(t);
}

void port_link_text(const struct madkit_record *port, char text[PORT_LINK_MAX])
{
	const char *width = port_word(port, "width"), *speed = port_word(port, "speed");

	if (width || speed)
		snprintf(text, PORT_LINK_MAX, "%s %s", width ? width : "?", speed ? speed : "?");
	else
		strcpy(text, "-");
}

int port_table_add(struct madkit_grid *t, const struct madkit_record *port, const struct port_note *note)
{
	const char *state = port_word(port, "state"), *phys = port_word(port, "phys");
	char link[PORT_LINK_MAX];

	/* for a port that is down, show the physical state: Polling, Disabled */
	if (state && !strcmp(state, "Down") && phys)
		state = phys;
	port_link_text(port, link);
	port_put_name(t, port, "node.name", "node.guid");
	port_put_number(t, port, "number");
	port_put_number(t, port, "lid");
	port_put_text(t, state ? state : "-", MADKIT_COLOR_NONE);
	port_put_text(t, link, note->link ? note->color : MADKIT_COLOR_NONE);
	port_put_name(t, port, "peer.node.name", "peer.node.guid");
	port_put_number(t, port, "peer.number");
	return port_put_text(t, note->text ? note->text : "", note->color);
}

/* Appends "TEXT: 4x EDR END". */
static void port_add_note(struct port_note *note, const char *text, uint32_t width, uint32_t speed,
			  const char *end)
{
	const char *w = port_value_word("width", width), *s = port_value_word("speed", speed);
	const size_t len = note->text ? strlen(note->buf) : 0;

	snprintf(note->buf + len, PORT_NOTE_MAX - len, "%s%s: %s%s%s %s", len ? "; " : "", text, w ? w : "",
		 w && s ? " " : "", s ? s : "", end);
	note->text = note->buf;
}

void port_link_note(const struct madkit_record *port, const struct madkit_sweep_link *link,
		    struct port_note *note)
{
	uint64_t width = 0, speed = 0, gbps;
	char share[48] = "is possible";

	if (link->limits & MADKIT_SWEEP_LINK_DIFFERS)
		note->text = strcpy(note->buf, "half: the other end shows another rate");
	/* the row of the other end has its own note */
	if (link->limits & MADKIT_SWEEP_LINK_MISCONFIGURED)
		port_add_note(note, "misconfigured", link->width_best, link->speed_best, "is not enabled");
	else if (link->limits & MADKIT_SWEEP_LINK_LIMITED)
		port_add_note(note, "limited by peer", link->width_best, link->speed_best,
			      "is not enabled there");
	madkit_record_value(port, "width", &width);
	madkit_record_value(port, "speed", &speed);
	gbps = madkit_sweep_gbps((uint32_t)width, (uint32_t)speed);
	if (gbps)
		snprintf(share, sizeof(share), "is possible (%" PRIu64 " Gb/s of %" PRIu64 ")", gbps,
			 madkit_sweep_gbps(link->width_enabled, link->speed_enabled));
	if (link->limits & MADKIT_SWEEP_LINK_SLOW)
		port_add_note(note, "slow", link->width_enabled, link->speed_enabled, share);
	note->link = note->text;
	note->color = link->limits & MADKIT_SWEEP_LINK_DIFFERS ? MADKIT_COLOR_RED :
		      note->text                               ? MADKIT_COLOR_YELLOW :
								 MADKIT_COLOR_NONE;
}

void port_describe(const struct madkit_record *port, char *text, size_t size)
{
	const char *state = port_word(port, "state"), *width = port_word(port, "width");
	const char *speed = port_word(port, "speed");
	uint64_t guid = 0, number = 0;

	madkit_record_value(port, "node.guid", &guid);
	madkit_record_value(port, "number", &number);
	/* the name is the first field */
	snprintf(text, size, " (%.64s 0x%016" PRIx64 " port %" PRIu64 ": %s%s%s%s%s)",
		 (const char *)port->data, guid, number, state ? state : "state unknown", width ? ", " : "",
		 width ? width : "", width && speed ? " " : "", width && speed ? speed : "");
}
