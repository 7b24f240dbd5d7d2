/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "passage.h"
#include "util/array_size.h"

enum { PASSAGE_PARTITION = 0x7fff, PASSAGE_VL15 = 15, PASSAGE_VLS = 16 };

/* ---- notes about a port ------------------------------------------------------------------ */

enum passage_fact { PASSAGE_DROPS, PASSAGE_LANE, PASSAGE_KEY, PASSAGE_KEYS, PASSAGE_MTU, PASSAGE_FACTS };

static const char *const passage_words[PASSAGE_FACTS] = {
	[PASSAGE_DROPS] = "no VL",          [PASSAGE_LANE] = "VL not read", [PASSAGE_KEY] = "no P_Key",
	[PASSAGE_KEYS] = "P_Keys not read", [PASSAGE_MTU] = "smaller MTU",
};

/* Checks if the MTU of a port is smaller than others of the route. Both ends of a link with such an MTU are one fact. */
static bool passage_is_small(const struct madkit_passage *p, unsigned int hop, bool egress)
{
	const uint16_t mtu = egress ? p->hops[hop].mtu : p->hops[hop].mtu_in;

	return mtu && mtu < p->mtu_max && (egress || p->hops[hop - 1].mtu != mtu);
}

static bool passage_has(const struct madkit_passage *p, unsigned int hop, bool egress, enum passage_fact fact)
{
	const struct madkit_passage_hop *h = &p->hops[hop];
	const uint8_t pkey = egress ? h->pkey : h->pkey_in;

	switch (fact) {
	case PASSAGE_DROPS:
		return egress && h->lane == MADKIT_PASSING_DISCARDED;
	case PASSAGE_LANE:
		return egress && h->lane == MADKIT_PASSING_UNREAD;
	case PASSAGE_KEY:
		return pkey == MADKIT_PASSING_DISCARDED;
	case PASSAGE_KEYS:
		return pkey == MADKIT_PASSING_UNREAD;
	default:
		return passage_is_small(p, hop, egress);
	}
}

bool passage_has_note(const struct madkit_passage *p, unsigned int hop, bool egress)
{
	for (enum passage_fact fact = 0; fact < PASSAGE_FACTS; fact++)
		if (passage_has(p, hop, egress, fact))
			return true;
	return false;
}

static void passage_note(const struct madkit_passage *p, unsigned int hop, enum passage_fact fact,
			 bool egress, char *text, size_t size)
{
	const struct madkit_passage_hop *h = &p->hops[hop];

	switch (fact) {
	case PASSAGE_DROPS:
		snprintf(text, size, "SL %u has VL %u%s: packets are discarded here", p->sl, h->vl,
			 h->vl == PASSAGE_VL15 ? "" : ", which is not operational");
		break;
	case PASSAGE_LANE:
		snprintf(text, size, "the VL of SL %u was not read", p->sl);
		break;
	case PASSAGE_KEY:
		snprintf(text, size, "P_Key 0x%04x is not allowed: packets are discarded here",
			 p->pkey & PASSAGE_PARTITION);
		break;
	case PASSAGE_KEYS:
		snprintf(text, size, "the P_Keys of the port were not read");
		break;
	default:
		snprintf(text, size, "MTU %u, elsewhere %u", egress ? h->mtu : h->mtu_in, p->mtu_max);
	}
}

void passage_put_notes(const struct madkit_passage *p, unsigned int hop, bool egress, char *text, size_t size)
{
	for (enum passage_fact fact = 0; fact < PASSAGE_FACTS; fact++) {
		const size_t len = strlen(text), room = size - len;

		if (!passage_has(p, hop, egress, fact) || room < 3)
			continue;
		if (len)
			strcpy(text + len, "; ");
		passage_note(p, hop, fact, egress, text + (len ? len + 2 : 0), len ? room - 2 : room);
	}
}

void passage_write_notes(const struct madkit_passage *p, unsigned int hop, bool egress,
			 struct madkit_writer *w)
{
	for (enum passage_fact fact = 0; fact < PASSAGE_FACTS; fact++)
		if (passage_has(p, hop, egress, fact))
			madkit_writer_string(w, NULL, passage_words[fact]);
}

/* ---- the route --------------------------------------------------------------------------- */

/* Checks if the VL of a hop has this result. */
static bool passage_any_lane(const struct passage_of *of, enum madkit_passing passing)
{
	for (unsigned int i = 0; i + 1u < of->path->nhops; i++)
		if (of->passage->hops[i].lane == passing)
			return true;
	return false;
}

/* Appends the ends with a table that was not read, else both. */
static void passage_put_ends(const struct passage_of *of, const char *between, struct madkit_buf *buf)
{
	const bool *unread = of->passage->unread, all = !unread[0] && !unread[1];

	if (unread[0] || all)
		madkit_sweep_put_place(of->sweep, buf, of->path->node, of->path->port);
	if (unread[0] == unread[1])
		madkit_buf_str(buf, between);
	if (unread[1] || all)
		madkit_sweep_put_place(of->sweep, buf, of->node, of->port);
}

static void passage_put_partition(const struct passage_of *of, struct madkit_buf *buf)
{
	const struct madkit_passage *p = of->passage;

	switch (p->partition) {
	case MADKIT_PARTITION_SHARED:
		madkit_buf_printf(buf, "P_Key 0x%04x", p->pkey & PASSAGE_PARTITION);
		break;
	case MADKIT_PARTITION_NONE:
		madkit_buf_str(buf, "no P_Key in common");
		break;
	case MADKIT_PARTITION_LIMITED:
		madkit_buf_str(buf, "both limited members");
		break;
	default:
		madkit_buf_str(buf, "P_Keys of ");
		passage_put_ends(of, " and ", buf);
		madkit_buf_str(buf, " not read");
	}
}

/* Returns the set of VLs that packets have on the links. */
static unsigned int passage_vls(const struct passage_of *of)
{
	unsigned int vls = 0;

	for (unsigned int i = 0; i + 1u < of->path->nhops; i++)
		if (of->passage->hops[i].vl < PASSAGE_VLS)
			vls |= 1u << of->passage->hops[i].vl;
	return vls;
}

static void passage_put_lanes(const struct passage_of *of, struct madkit_buf *buf)
{
	const unsigned int vls = passage_vls(of);
	const char *before = vls & (vls - 1) ? " on VLs " : " on VL ";

	if (passage_any_lane(of, MADKIT_PASSING_DISCARDED)) {
		madkit_buf_printf(buf, ", SL %u discarded", of->passage->sl);
		return;
	}
	if (passage_any_lane(of, MADKIT_PASSING_UNREAD)) {
		madkit_buf_printf(buf, ", VLs of SL %u not read", of->passage->sl);
		return;
	}
	madkit_buf_printf(buf, ", SL %u", of->passage->sl);
	for (unsigned int vl = 0; vl < PASSAGE_VLS; vl++) {
		if (!(vls >> vl & 1))
			continue;
		madkit_buf_printf(buf, "%s%u", before, vl);
		before = ", ";
	}
}

void passage_title(const struct passage_of *of, struct madkit_buf *buf)
{
	const unsigned int hops = of->path->nhops - 1u;

	if (hops)
		madkit_buf_printf(buf, "%u hop%s, ", hops, hops == 1 ? "" : "s");
	if (hops && of->passage->mtu)
		madkit_buf_printf(buf, "MTU %u, ", of->passage->mtu);
	else if (hops)
		madkit_buf_str(buf, "MTU not read, ");
	passage_put_partition(of, buf);
	if (hops)
		passage_put_lanes(of, buf);
}

/* ---- messages ---------------------------------------------------------------------------- */

/* Reports the notes of one kind, each with its port. */
static void passage_tell_hops(const struct passage_of *of, const char *what, enum passage_fact fact)
{
	for (unsigned int i = 0; i < 2u * of->path->nhops; i++) {
		const struct madkit_path_hop *hop = &of->path->hops[i / 2];
		const bool egress = i % 2;
		struct madkit_buf place;
		char note[96];

		if (!passage_has(of->passage, i / 2, egress, fact))
			continue;
		passage_note(of->passage, i / 2, fact, egress, note, sizeof(note));
		madkit_buf_init(&place, 0);
		madkit_sweep_put_place(of->sweep, &place, hop->node, egress ? hop->egress : hop->ingress);
		madkit_buf_char(&place, '\0');
		if (!place.error)
			cli_say("%s: %s: %s", what, place.data, note);
		madkit_buf_free(&place);
	}
}

static void passage_tell_ends(const struct passage_of *of, const char *what)
{
	static const char *const texts[] = {
		[MADKIT_PARTITION_UNREAD] = "the P_Keys were not read",
		[MADKIT_PARTITION_NONE] = "no P_Key in common",
		[MADKIT_PARTITION_LIMITED] = "both are limited members of each P_Key in common",
	};
	struct madkit_buf ends;

	if (of->passage->partition == MADKIT_PARTITION_SHARED)
		return;
	madkit_buf_init(&ends, 0);
	passage_put_ends(of, " and ", &ends);
	madkit_buf_char(&ends, '\0');
	if (!ends.error)
		cli_say("%s: %s: %s", what, ends.data, texts[of->passage->partition]);
	madkit_buf_free(&ends);
}

void passage_tell(const struct passage_of *of)
{
	const bool discarded = of->passage->passes == MADKIT_PASSING_DISCARDED;
	char what[64];

	snprintf(what, sizeof(what),
		 discarded ? "packets to LID %u do not arrive" :
			     "it is not known if packets to LID %u arrive",
		 of->path->lid);
	if (!discarded || of->passage->partition != MADKIT_PARTITION_UNREAD)
		passage_tell_ends(of, what);
	passage_tell_hops(of, what, discarded ? PASSAGE_KEY : PASSAGE_KEYS);
	passage_tell_hops(of, what, discarded ? PASSAGE_DROPS : PASSAGE_LANE);
}

/* ---- JSON -------------------------------------------------------------------------------- */

void passage_write(const struct passage_of *of, struct madkit_writer *w)
{
	static const char *const partitions[] = {
		[MADKIT_PARTITION_UNREAD] = "not read",
		[MADKIT_PARTITION_SHARED] = "shared",
		[MADKIT_PARTITION_NONE] = "none",
		[MADKIT_PARTITION_LIMITED] = "both limited",
	};
	const struct madkit_passage *p = of->passage;
	const unsigned int vls = passage_vls(of);

	madkit_writer_number(w, "hops", of->path->nhops - 1u);
	madkit_writer_known(w, "mtu", p->mtu > 0, p->mtu);
	madkit_writer_string(w, "partition", partitions[p->partition]);
	madkit_writer_known(w, "pkey", p->partition == MADKIT_PARTITION_SHARED, p->pkey & PASSAGE_PARTITION);
	madkit_writer_number(w, "sl", p->sl);
	madkit_writer_array(w, "vls");
	for (unsigned int vl = 0; vl < PASSAGE_VLS; vl++)
		if (vls >> vl & 1)
			madkit_writer_number(w, NULL, vl);
	madkit_writer_close(w);
}
