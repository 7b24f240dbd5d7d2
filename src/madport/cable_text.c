/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <string.h>
#include "cli/terminal.h"
#include "madport.h"
#include "util/array_size.h"

/* Appends a value, and before it a separator unless it is the first since `first`. Returns false if it is null or empty. */
static bool cable_put_value(const struct answer *page, const char *field, const char *separator, size_t first,
			    struct madkit_buf *buf)
{
	const size_t before = buf->len;

	if (before > first)
		madkit_buf_str(buf, separator);
	if (cable_page_put(page, field, buf))
		return true;
	buf->len = before;
	return false;
}

/* Changes the first letter of a word: names of values begin with a capital. */
static void cable_lower(struct madkit_buf *buf, size_t at)
{
	if (at + 1 < buf->len && islower((unsigned char)buf->data[at + 1]))
		buf->data[at] = (char)tolower((unsigned char)buf->data[at]);
}

/* ---- cells --------------------------------------------------------------------------------- */

void cable_put_down(const struct cable_end *end, struct madkit_buf *buf)
{
	const struct answer *page = cable_page_get(&end->pages, CABLE_DOWN);
	const char *const reasons[] = { "LocalReason", "RemoteReason" };
	const char *const ends[] = { "local: ", "remote: " };
	uint64_t blame;
	size_t at;

	if (!page)
		return;
	/* 1 local, 2 remote; else the first end with a reason */
	blame = cable_page_value(page, "DownBlame");
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		const size_t j = blame == 2 ? 1 - i : i;

		if (!cable_page_value(page, reasons[j]))
			continue;
		madkit_buf_str(buf, ends[j]);
		at = buf->len;
		cable_page_put(page, reasons[j], buf);
		cable_lower(buf, at);
		return;
	}
}

/* Returns the lane with the least received power: those that the link uses are the first. -1: the module has no receivers. */
static int cable_weakest_lane(const struct answer *page)
{
	enum { CABLE_RX_MONITORED = 1 << 3, CABLE_LANES = 4 };
	int weakest = 0;
	int16_t least = INT16_MAX;

	if (!(cable_page_value(page, "Monitored") & CABLE_RX_MONITORED))
		return -1;
	for (int i = 0; i < CABLE_LANES; i++) {
		char lane[] = "RxPower[0]", bias[] = "TxBias[0]";
		int16_t power;

		lane[sizeof("RxPower[") - 1] = bias[sizeof("TxBias[") - 1] = (char)('0' + i);
		power = (int16_t)cable_page_value(page, lane);
		/* a lane that does not exist has 0, as one with 0 dBm */
		if (power < least && (power || cable_page_value(page, bias))) {
			least = power;
			weakest = i;
		}
	}
	return weakest;
}

void cable_put_module(const struct cable_end *end, struct madkit_buf *buf)
{
	const struct answer *page = cable_page_get(&end->pages, CABLE_MODULE);
	const size_t first = buf->len;
	char lane[] = "RxPower[0]";
	int weakest;

	if (!page)
		return;
	cable_put_value(page, "Temperature", "", first, buf);
	weakest = cable_weakest_lane(page);
	if (weakest < 0)
		return;
	lane[sizeof("RxPower[") - 1] = (char)('0' + weakest);
	cable_put_value(page, lane, ", Rx ", first, buf);
}

enum { CABLE_NO_ERRORS = 0xff0f }; /* 15e-255 */

static void cable_put_rate(const struct answer *page, const char *field, struct madkit_buf *buf)
{
	if (cable_page_value(page, field) == CABLE_NO_ERRORS)
		madkit_buf_str(buf, "none");
	else if (!cable_page_put(page, field, buf))
		madkit_buf_str(buf, "-");
}

void cable_put_bits(const struct cable_end *end, struct madkit_buf *buf)
{
	const struct answer *bits = cable_page_get(&end->pages, CABLE_BITS);
	const struct answer *phy = cable_page_get(&end->pages, CABLE_PHY);
	const bool fec = phy && cable_page_value(phy, "FECActive");

	if (bits)
		cable_put_rate(bits, "RawPhysicalBER", buf);
	/* without FEC, no error is corrected */
	if (bits && (fec || !phy)) {
		madkit_buf_str(buf, ", ");
		cable_put_rate(bits, "EffectivePhysicalBER", buf);
	}
	if (fec) {
		madkit_buf_str(buf, bits ? " after " : "");
		cable_page_put(phy, "FECActive", buf);
	} else if (phy) {
		madkit_buf_str(buf, bits ? " without FEC" : "no FEC");
	}
	/* the rate that madcheck judges from HDR on */
	if (bits && cable_page_value(bits, "SymbolBER") != CABLE_NO_ERRORS) {
		const size_t before = buf->len;

		madkit_buf_str(buf, ", symbols ");
		if (!cable_page_put(bits, "SymbolBER", buf))
			buf->len = before;
	}
}

/* ---- the cable ------------------------------------------------------------------------------ */

/* A link has one cable with one serial number, or two transceivers. */
enum cable_material { CABLE_MATERIAL_UNKNOWN, CABLE_COPPER, CABLE_OPTICAL };

static enum cable_material cable_material(const struct answer *page)
{
	enum {
		CABLE_COPPER_TECHNOLOGIES = 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15 |
					    1 << 18 | 1 << 19 | 1 << 20,
		CABLE_OPTICAL_TECHNOLOGIES = 0xff | 1 << 9 | 1 << 16 | 1 << 17,
		CABLE_TYPE_UNKNOWN = 0,
		CABLE_TYPE_OPTICAL = 2,
		CABLE_TYPE_PASSIVE = 3,
		CABLE_TYPE_UNPLUGGED = 4,
	};
	const uint64_t type = cable_page_value(page, "CableType");
	const uint64_t technology = cable_page_value(page, "CableTechnology");

	if (type == CABLE_TYPE_UNPLUGGED || type == CABLE_TYPE_UNKNOWN || technology > 20)
		return CABLE_MATERIAL_UNKNOWN;
	if (type == CABLE_TYPE_PASSIVE || 1u << technology & CABLE_COPPER_TECHNOLOGIES)
		return CABLE_COPPER;
	return type == CABLE_TYPE_OPTICAL || 1u << technology & CABLE_OPTICAL_TECHNOLOGIES ?
		       CABLE_OPTICAL :
		       CABLE_MATERIAL_UNKNOWN;
}

/* Appends "Mellanox MCP1650-H002E26 SN MT2112VS01234, 2 m passive copper, QSFP28". */
static void cable_describe(const struct answer *page, struct madkit_buf *buf)
{
	static const char *const materials[] = {
		[CABLE_MATERIAL_UNKNOWN] = "", [CABLE_COPPER] = " copper", [CABLE_OPTICAL] = " optical"
	};
	enum { CABLE_TYPE_OPTICAL = 2, CABLE_TYPE_UNPLUGGED = 4 };
	const uint64_t type = cable_page_value(page, "CableType");
	const size_t first = buf->len;
	size_t at;

	if (type == CABLE_TYPE_UNPLUGGED) {
		madkit_buf_str(buf, "unplugged");
		return;
	}
	cable_put_value(page, "VendorName", "", first, buf);
	cable_put_value(page, "VendorPartNumber", " ", first, buf);
	cable_put_value(page, "VendorSerialNumber", " SN ", first, buf);
	if (cable_put_value(page, "CableLength", ", ", first, buf))
		madkit_buf_char(buf, ' ');
	else if (buf->len > first)
		madkit_buf_str(buf, ", ");
	at = buf->len;
	cable_page_put(page, "CableType", buf);
	cable_lower(buf, at);
	if (type != CABLE_TYPE_OPTICAL)
		madkit_buf_str(buf, materials[cable_material(page)]);
	cable_put_value(page, "CableIdentifier", ", ", first, buf);
}

/* Returns NULL if the end has no serial number. */
static const struct answer *cable_serial(const struct cable_end *end, struct madkit_buf *serial)
{
	const struct answer *page = cable_page_get(&end->pages, CABLE_MODULE);

	madkit_buf_init(serial, 0);
	return page && cable_put_value(page, "VendorSerialNumber", "", 0, serial) ? page : NULL;
}

/* Checks if both ends have serial numbers, and compares them: 0 the same, 1 different, -1 not known. */
static int cable_compare(const struct cable *c)
{
	struct madkit_buf serials[2];
	const struct answer *pages[2];
	int ret = -1;

	if (c->n < 2)
		return -1;
	for (unsigned int i = 0; i < 2; i++)
		pages[i] = cable_serial(&c->ends[i], &serials[i]);
	if (pages[0] && pages[1])
		ret = serials[0].len != serials[1].len ||
		      memcmp(serials[0].data, serials[1].data, serials[0].len) != 0;
	for (unsigned int i = 0; i < 2; i++)
		madkit_buf_free(&serials[i]);
	return ret;
}

/* Appends one end on a line with its place, if it has a page. Returns 1 if it does. */
static unsigned int cable_put_end(const struct cable_end *end, struct madkit_buf *buf)
{
	const struct answer *page = cable_page_get(&end->pages, CABLE_MODULE);

	if (!page)
		return 0;
	madkit_buf_printf(buf, "cable at %s: ", end->place);
	cable_describe(page, buf);
	madkit_buf_char(buf, '\n');
	return 1;
}

void cable_put(const struct cable *c, struct madkit_buf *buf, const struct madkit_terminal *terminal)
{
	const int compared = cable_compare(c);
	bool copper = false;

	if (!compared) {
		madkit_buf_str(buf, "cable: ");
		cable_describe(cable_page_get(&c->ends[0].pages, CABLE_MODULE), buf);
		madkit_buf_char(buf, '\n');
		return;
	}
	for (unsigned int i = 0; i < c->n; i++)
		if (cable_put_end(&c->ends[i], buf))
			copper |= cable_material(cable_page_get(&c->ends[i].pages, CABLE_MODULE)) ==
				  CABLE_COPPER;
	if (compared > 0 && copper)
		terminal_put(
			buf,
			"serial numbers differ, although a copper cable has one: are these ends of two cables?",
			MADKIT_COLOR_YELLOW, terminal);
	else if (compared > 0)
		madkit_buf_str(
			buf,
			"serial numbers differ, as those of two transceivers do; an active cable has one");
	if (compared > 0)
		madkit_buf_char(buf, '\n');
}
