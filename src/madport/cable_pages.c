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
	PAGES_MELLANOX = 0x2c9, /* vendor in NodeInfo */
	PAGES_REFUSALS_MAX = 8,
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

/* Sends a Get of class Mlnx; local is the port of a register, 0 if the attribute has none. The caller frees request and
 * answer. Returns EXIT_DONE, or the failure, which is not reported. */
static int pages_ask(struct cable *c, const struct cable_end *end, const char *attribute, unsigned int local,
		     struct request *request, struct answer *answer)
{
	const struct madkit_sweep_node *node = madkit_sweep_node(c->m->net.sweep, end->at.node);
	const uint8_t port = node->type == MADKIT_NODE_TYPE_SWITCH ? 0 : end->at.port;
	const struct register_target target = { .lid = end->lid,
						.local = local,
						.v_key = subnet_v_key(&c->m->net, node, port),
						.about = end->place };
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

/* The result of a request of which only one value is needed. */
struct pages_result {
	int status;          /* exit status */
	uint16_t mad_status; /* of the response, if status is EXIT_STATUS */
	uint64_t value;
};

static struct pages_result pages_get(struct cable *c, const struct cable_end *end, const char *attribute,
				     unsigned int local, const char *field)
{
	struct request request = { .mad = NULL };
	struct answer answer = { .status = EXIT_LOCAL };
	struct pages_result result = { .status = pages_ask(c, end, attribute, local, &request, &answer) };

	if (!result.status)
		result.value = cable_page_value(&answer, field);
	if (result.status == EXIT_STATUS)
		result.mad_status = madkit_message_status(&answer.message);
	answer_free(&answer);
	request_free(&request);
	return result;
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

/* Checks if the device says that it has registers. Devices of other vendors are not asked: they may be silent. */
static bool pages_exist(struct cable *c, struct cable_end *end)
{
	const uint32_t vendor = madkit_sweep_node(c->m->net.sweep, end->at.node)->vendor;
	struct pages_result general;

	if (vendor && vendor != PAGES_MELLANOX)
		return false;
	general = pages_get(c, end, "GeneralInfo", 0, "CapabilityMask");
	if (!general.status)
		return general.value & MADKIT_MLNX_GENERAL_CAP_IS_ACCESS_REGISTER_GMP_SUPPORTED;
	if (general.mad_status == PAGES_NO_GENERAL)
		return false;
	end->pages.locked = general.status == EXIT_TIMEOUT || general.status == EXIT_STATUS;
	return pages_fail(&end->pages, "GeneralInfo", general.status, general.mad_status);
}

/* ---- local ports ----------------------------------------------------------------------- */

/* Returns candidate i for the local port of a port: its own number first, then the nearest numbers. 0: there are no more. */
static unsigned int pages_candidate(unsigned int port, unsigned int i)
{
	unsigned int seen = 0;

	for (unsigned int distance = 0; distance <= MADKIT_REGISTERS_LOCAL_PORTS + UINT8_MAX; distance++)
		for (unsigned int below = 0; below <= (distance > 0); below++) {
			const unsigned int local = below ? port - distance : port + distance;

			/* a number below 1 has wrapped around */
			if (local && local <= MADKIT_REGISTERS_LOCAL_PORTS && seen++ == i)
				return local;
		}
	return 0;
}

/* Finds the number that registers of a switch have for a port, by PortMapping. A number without a port has an error status,
 * or port 0. */
static bool pages_find_local(struct cable *c, struct cable_end *end)
{
	const struct madkit_sweep_node *node = madkit_sweep_node(c->m->net.sweep, end->at.node);
	unsigned int local, answered = 0;

	end->pages.local = node->type == MADKIT_NODE_TYPE_SWITCH ? 0 : 1;
	for (unsigned int i = 0; !end->pages.local && (local = pages_candidate(end->at.port, i)); i++) {
		const struct pages_result r = pages_get(c, end, "PortMapping", local, "IBPort");

		answered += !r.status;
		if (cli_stopped())
			return false;
		/* a switch that has refused several numbers at first does not have the register */
		if ((r.status && r.status != EXIT_STATUS) || (!answered && i + 1 == PAGES_REFUSALS_MAX))
			return pages_fail(&end->pages, "PortMapping", r.status, r.mad_status);
		if (!r.status && r.value == end->at.port)
			end->pages.local = local;
	}
	if (!end->pages.local)
		snprintf(end->pages.why, sizeof(end->pages.why), "PortMapping has no local port for port %u",
			 end->at.port);
	return end->pages.local;
}

/* ---- trust ----------------------------------------------------------------------------- */

/* Appends the names of a set of widths or speeds of a register. */
static void pages_put_set(const struct answer *modes, const char *field, struct madkit_buf *buf)
{
	const size_t before = buf->len;

	cable_page_put(modes, field, buf);
	if (buf->len == before)
		madkit_buf_str(buf, "none");
}

/* Checks if a set of LinkModes has a width or speed of the port: it alone if the link is up. */
static bool pages_agree(const struct cable *c, const struct answer *modes, const char *active,
			const char *capability, const char *name)
{
	const char *field = c->up ? active : capability;
	struct madkit_place place;
	const uint64_t set = cable_page_value(modes, field);

	/* a speed is not known if MLNXExtendedPortInfo, which separates FDR10 from QDR, was not read */
	if (!name)
		return true;
	if (madkit_place_find(modes->message.attribute->layout, field, strlen(field), &place, NULL))
		return false;
	for (const struct madkit_value *v = place.field->values; v->name; v++)
		if (!strcmp(v->name, name))
			return c->up ? set == v->value : set & v->value;
	return false;
}

/* Returns the name of the highest value of a set; NULL: the set is not known. */
static const char *pages_best(const char *field, uint32_t set)
{
	const char *best = NULL;

	for (const struct madkit_value *v = port_values(field); v->name; v++)
		if (set & v->value)
			best = v->name;
	return best;
}

/* Checks if LinkModes of the port has the width and the speed of its PortInfo. If not, the layout of the registers, or the
 * local port, is wrong. */
static bool pages_trust(struct cable *c, unsigned int i, const struct answer *modes)
{
	struct cable_end *end = &c->ends[i];
	struct madkit_sweep_rates rates;
	const char *width, *speed;
	struct madkit_buf text;

	madkit_sweep_rates_get(c->m->net.sweep, end->at.node, end->at.port, &rates);
	width = pages_best("width", c->up ? rates.width : rates.widths_supported);
	speed = pages_best("speed", c->up ? rates.speed : rates.speeds_supported);
	if (pages_agree(c, modes, "WidthActive", "WidthCapability", width) &&
	    pages_agree(c, modes, "SpeedActive", "SpeedCapability", speed))
		return true;
	madkit_buf_init(&text, 0);
	pages_put_set(modes, c->up ? "WidthActive" : "WidthCapability", &text);
	madkit_buf_char(&text, ' ');
	pages_put_set(modes, c->up ? "SpeedActive" : "SpeedCapability", &text);
	snprintf(end->pages.why, sizeof(end->pages.why), "LinkModes has %.*s, but PortInfo %s %s",
		 (int)text.len, text.len ? text.data : "", width ? width : "unknown",
		 speed ? speed : "unknown");
	madkit_buf_free(&text);
	return false;
}

static bool pages_are_trusted(struct cable *c, unsigned int i)
{
	struct cable_end *end = &c->ends[i];
	struct request request = { .mad = NULL };
	struct answer answer = { .status = EXIT_LOCAL };
	int status = pages_ask(c, end, "LinkModes", end->pages.local, &request, &answer);
	bool trusted =
		status ? pages_fail(&end->pages, "LinkModes", status,
				    status == EXIT_STATUS ? madkit_message_status(&answer.message) : 0) :
			 pages_trust(c, i, &answer);

	answer_free(&answer);
	request_free(&request);
	return trusted;
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
	else if (pages_exist(c, end) && pages_find_local(c, end) && pages_are_trusted(c, i))
		pages_read_all(c, end);
}

void cable_pages_free(struct cable_pages *pages)
{
	for (enum cable_page page = 0; page < CABLE_PAGES; page++) {
		answer_free(&pages->answers[page]);
		request_free(&pages->requests[page]);
	}
}
