/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include "request/request.h"
#include "sweep_registers.h"

enum { REFUSALS_MAX = 16 }; /* different statuses that are counted */

/* Numbers of nodes by the status with which they refused. */
struct sweep_refusals {
	struct {
		uint16_t status;
		uint32_t nodes;
	} by[REFUSALS_MAX];
	size_t n;
	uint32_t ready, missing, silent, invalid;
};

static void sweep_refusals_add(struct sweep_refusals *r, uint16_t status)
{
	size_t i = 0;

	while (i < r->n && r->by[i].status != status)
		i++;
	if (i == REFUSALS_MAX)
		return;
	r->n += i == r->n;
	r->by[i].status = status;
	r->by[i].nodes++;
}

static void sweep_refusals_count(const struct madkit_registers *registers, uint32_t nodes,
				 struct sweep_refusals *r)
{
	*r = (struct sweep_refusals){ .n = 0 };
	for (uint32_t i = 0; registers && i < nodes; i++) {
		const struct madkit_registers_node known = madkit_registers_get(registers, i);
		const uint16_t status = known.status ? known.status : known.refused;

		if (status)
			sweep_refusals_add(r, status);
		r->ready += known.state == MADKIT_REGISTERS_READY;
		r->missing += known.state == MADKIT_REGISTERS_MISSING && !status;
		r->silent += known.state == MADKIT_REGISTERS_SILENT;
		r->invalid += known.state == MADKIT_REGISTERS_INVALID;
	}
}

void sweep_registers_tell_left_out(const struct madkit_registers *registers)
{
	const struct madkit_registers_type *type;

	for (uint32_t i = 0; (type = madkit_registers_type(registers, i)); i++)
		if (type->judged && !type->trusted)
			cli_say("%" PRIu32 " x %s left out: %s", type->nodes, type->name, type->why);
}

void sweep_registers_hint(const struct madkit_registers *registers, uint32_t nodes)
{
	struct sweep_refusals r;

	sweep_refusals_count(registers, nodes, &r);
	if (r.silent)
		request_hint_v_key();
}

void sweep_registers_tell_refused(const struct madkit_registers *registers, uint32_t nodes)
{
	struct sweep_refusals r;

	sweep_refusals_count(registers, nodes, &r);
	for (size_t i = 0; i < r.n; i++) {
		const char *text = madkit_registers_status_text(r.by[i].status);

		cli_say("%" PRIu32 " %s refused with status %u%s%s%s", r.by[i].nodes,
			r.by[i].nodes == 1 ? "node" : "nodes", r.by[i].status, text ? " (" : "",
			text ? text : "", text ? ")" : "");
	}
}

void sweep_registers_write(const struct madkit_registers *registers, uint32_t nodes, struct madkit_writer *w)
{
	const struct madkit_registers_type *type;
	struct sweep_refusals r;

	if (!registers)
		return;
	sweep_refusals_count(registers, nodes, &r);
	madkit_writer_object(w, "registers");
	madkit_writer_number(w, "ready", r.ready);
	madkit_writer_number(w, "without", r.missing);
	madkit_writer_number(w, "silent", r.silent);
	madkit_writer_number(w, "invalid", r.invalid);
	madkit_writer_array(w, "refused");
	for (size_t i = 0; i < r.n; i++) {
		const char *text = madkit_registers_status_text(r.by[i].status);

		madkit_writer_object(w, NULL);
		madkit_writer_number(w, "status", r.by[i].status);
		if (text)
			madkit_writer_string(w, "text", text);
		madkit_writer_number(w, "nodes", r.by[i].nodes);
		madkit_writer_close(w);
	}
	madkit_writer_close(w);
	madkit_writer_array(w, "left_out");
	for (uint32_t i = 0; (type = madkit_registers_type(registers, i)); i++) {
		if (!type->judged || type->trusted)
			continue;
		madkit_writer_object(w, NULL);
		madkit_writer_string(w, "type", type->name);
		madkit_writer_number(w, "nodes", type->nodes);
		madkit_writer_string(w, "reason", type->why);
		madkit_writer_close(w);
	}
	madkit_writer_close(w);
	madkit_writer_close(w);
}
