/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include "madport.h"
#include "subnet/register_request.h"
#include "util/array_size.h"

enum {
	PAGES_NO_GENERAL = 12, /* status of a device that does not have GeneralInfo */
};

/* ---- values ---------------------------------------------------------------------------- */

const struct answer *cable_page_get(const struct cable_pages *pages, enum cable_page page)
{
	return pages->requests[page].mad && !pages->answers[page].status ? &pages->answers[page] : NULL;
}

bool cable_page_put(const struct answer *page, const char *field, struct madkit_buf *buf)
{
	const size_t before = buf->len;
	struct madkit_record record;
	struct madkit_expr *expr;
	int ret;

	if (madkit_expr_new(field, &expr, NULL))
		return false;
	madkit_record_get(&page->message, 0, &record);
	ret = madkit_expr_put_value(expr, 0, false, &record, false, buf);
	madkit_expr_free(expr);
	/* "-" is the cell of a field with a unit that has no value */
	if (ret > 0 && buf->len > before && !(buf->len == before + 1 && buf->data[before] == '-'))
		return true;
	buf->len = before;
	return false;
}

uint64_t cable_page_value(const struct answer *page, const char *field)
{
	struct madkit_record record;
	uint64_t value = 0;

	madkit_record_get(&page->message, 0, &record);
	madkit_record_value(&record, field, &value);
	return value;
}

/* ---- requests -------------------------------------------------------------------------- */

static uint64_t pages_v_key(const struct cable *c, const struct cable_end *end)
{
	const struct madkit_sweep_node *node = madkit_sweep_node(c->m->net.sweep, end->at.node);

	return subnet_v_key(&c->m->net, node, node->type == MADKIT_NODE_TYPE_SWITCH ? 0 : end->at.port);
}

/* Sends a Get of class Mlnx; local is the port of a register, 0 if the attribute has none. The caller frees request and
 * answer. Returns EXIT_DONE, or the failure, which is not reported. */
static int pages_ask(struct cable *c, const struct cable_end *end, const char *attribute, unsigned int local,
		     struct request *request, struct answer *answer)
{
	const struct register_target target = {
		.lid = end->lid, .local = local, .v_key = pages_v_key(c, end), .about = end->place
	};
	const struct madkit_attribute *row;
	uint8_t mgmt_class;
	uint16_t id;
	int status;

	if (madkit_attribute_find(attribute, MADKIT_CLASS_MLNX, &mgmt_class, &id, &row, NULL))
		return EXIT_LOCAL;
	status = register_request_make(row, &target, request);
	if (status)
		return status;
	return exchange_ask(&c->m->net.x, request, answer);
}

/* Notes why registers were not read. Returns false. */
static bool pages_fail(struct cable_pages *pages, const char *attribute, int status, uint16_t mad_status)
{
	const char *text = madkit_registers_status_text(mad_status);

	if (status == EXIT_STATUS)
		snprintf(pages->why, sizeof(pages->why), "Get %s was answered with status %u%s%s", attribute,
			 mad_status, text ? ": " : "", text ? text : "");
	else
		snprintf(pages->why, sizeof(pages->why), "%s to Get %s",
			 status == EXIT_TIMEOUT ? "no response" : "a wrong response", attribute);
	return false;
}

/* ---- preparation ----------------------------------------------------------------------- */

/* The last request that prepared an end, of which the result may have to be reported. */
struct pages_last {
	const char *attribute;
	int status;          /* exit status */
	uint16_t mad_status; /* of the response, if status is EXIT_STATUS */
};

/* Sends a request of madkit_registers_next(). Returns EXIT_DONE, or the failure. */
static int pages_send(struct cable *c, const struct cable_end *end, const uint8_t *mad,
		      struct request *request, struct answer *answer)
{
	const struct madkit_addr to = { .lid = end->lid };
	const struct madkit_attribute *row = madkit_attribute_of(mad, MADKIT_MAD_BYTES, NULL);
	struct madkit_header header;
	struct cable_request get;
	int status;

	if (!row || madkit_header_get(mad, MADKIT_MAD_BYTES, &header))
		return EXIT_LOCAL;
	get = (struct cable_request){ .mgmt_class = header.mgmt_class,
				      .method = header.method,
				      .modifier = header.modifier,
				      .attribute = row->name,
				      .about = end->place };
	status = cable_request_make(&get, &to, request);
	if (status)
		return status;
	memcpy(request->mad + MADKIT_HEADER_BYTES, mad + MADKIT_HEADER_BYTES,
	       MADKIT_MAD_BYTES - MADKIT_HEADER_BYTES);
	if (header.mgmt_class == MADKIT_CLASS_MLNX)
		request_put_header(request, "v_key", pages_v_key(c, end));
	return exchange_ask(&c->m->net.x, request, answer);
}

/* Prepares an end as a survey does. Returns false if that was interrupted, or failed on this host. */
static bool pages_prepare(struct cable *c, const struct cable_end *end, struct madkit_registers *registers,
			  struct pages_last *last)
{
	uint8_t mad[MADKIT_MAD_BYTES];

	while (!cli_stopped() && madkit_registers_next(registers, end->at.node, mad)) {
		struct request request = { .mad = NULL };
		struct answer answer = { .status = EXIT_LOCAL };
		const struct madkit_message *m = &answer.message;
		int ret = 0;

		*last = (struct pages_last){ .status = pages_send(c, end, mad, &request, &answer) };
		if (request.attribute)
			last->attribute = request.attribute->name;
		if (last->status == EXIT_STATUS)
			last->mad_status = madkit_message_status(m);
		if (last->status == EXIT_DONE || last->status == EXIT_STATUS)
			ret = madkit_registers_take(registers, end->at.node, m->mad, m->len, false);
		else if (last->status == EXIT_MALFORMED)
			ret = madkit_registers_take(registers, end->at.node, mad, sizeof(mad), true);
		else if (last->status == EXIT_TIMEOUT)
			ret = madkit_registers_take(registers, end->at.node, NULL, 0, false);
		if (ret)
			last->status = EXIT_LOCAL;
		answer_free(&answer);
		request_free(&request);
		if (last->status == EXIT_LOCAL)
			return false;
	}
	return !cli_stopped();
}

/* Notes why an end was not prepared, unless it does not have registers. Returns false. */
static bool pages_refused(struct cable_end *end, const struct madkit_registers_node *known,
			  const struct pages_last *last)
{
	const char *asked = last->attribute ? last->attribute : "";
	const bool general = !strcmp(asked, "GeneralInfo");

	if (known->state == MADKIT_REGISTERS_MISSING && (!known->status || known->status == PAGES_NO_GENERAL))
		return false;
	end->pages.locked = general && (last->status == EXIT_TIMEOUT || last->status == EXIT_STATUS);
	if (last->status && known->state != MADKIT_REGISTERS_LEFT_OUT)
		return pages_fail(&end->pages, asked, last->status, last->mad_status);
	snprintf(end->pages.why, sizeof(end->pages.why), "%s", known->reason);
	return false;
}

/* Checks if registers of an end can be read, and finds its local port. */
static bool pages_are_ready(struct cable *c, struct cable_end *end)
{
	const uint32_t vendor = madkit_sweep_node(c->m->net.sweep, end->at.node)->vendor;
	struct madkit_registers *registers = NULL;
	struct pages_last last = { .status = EXIT_DONE };
	struct madkit_registers_node known;
	bool ready = false;

	/* devices of other vendors may be silent */
	if (vendor && vendor != MADKIT_OUI_MELLANOX)
		return false;
	/* each end is checked with its own port, also if both ends are of one type */
	if (!madkit_registers_new(c->m->net.sweep, &registers) &&
	    !madkit_registers_begin(registers, end->at.node, end->at.port) &&
	    pages_prepare(c, end, registers, &last)) {
		known = madkit_registers_get(registers, end->at.node);
		end->pages.local = madkit_registers_local_port(registers, end->at.node, end->at.port);
		ready = known.state == MADKIT_REGISTERS_READY;
		if (!ready)
			pages_refused(end, &known, &last);
		else if (!end->pages.local)
			snprintf(end->pages.why, sizeof(end->pages.why), "only port 1 of a CA has registers");
	}
	if (!registers || last.status == EXIT_LOCAL)
		snprintf(end->pages.why, sizeof(end->pages.why), "%s failed on this host",
			 last.attribute ? last.attribute : "the preparation");
	madkit_registers_free(registers);
	return ready && end->pages.local;
}

/* ---- all --------------------------------------------------------------------------------- */

/* Requests the pages of an end. The reason why the first of them was not read is that of all. */
static void pages_read_all(struct cable *c, struct cable_end *end)
{
	static const char *const attributes[CABLE_PAGES] = { "ModuleInfo", "BitErrors", "PhyOperation",
							     "LinkDownInfo" };
	struct cable_pages *pages = &end->pages;

	for (enum cable_page page = 0; page < CABLE_PAGES && !cli_stopped(); page++) {
		const struct answer *a = &pages->answers[page];
		const int status = pages_ask(c, end, attributes[page], pages->local, &pages->requests[page],
					     &pages->answers[page]);

		if (status && !*pages->why)
			pages_fail(pages, attributes[page], status,
				   status == EXIT_STATUS ? madkit_message_status(&a->message) : 0);
		if (status == EXIT_TIMEOUT)
			return;
	}
}

void cable_pages_read(struct cable *c, unsigned int i)
{
	struct cable_end *end = &c->ends[i];

	if (cli_stopped() || !end->lid)
		return;
	/* such a port has no performance agent, or is not reached by LID */
	if (end->answer.status == EXIT_TIMEOUT)
		pages_fail(&end->pages, "PortCounters", EXIT_TIMEOUT, 0);
	else if (pages_are_ready(c, end))
		pages_read_all(c, end);
}

void cable_pages_free(struct cable_pages *pages)
{
	for (enum cable_page page = 0; page < CABLE_PAGES; page++) {
		answer_free(&pages->answers[page]);
		request_free(&pages->requests[page]);
	}
}
