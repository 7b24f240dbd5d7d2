/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths from subnet administration: their ends, their capabilities, and the constraints of queries. */
#include "tests/unit/sim_sa.h"
#include "util/array_size.h"
#include "wire/tables/values.h"
#include <iba/ib_types.h>

enum {
	INVALID = 0x0200,
	NO_RECORDS = 0x0300,
	TOO_MANY = 0x0400,
	INVALID_GID = 0x0500,
	INSUFFICIENT = 0x0600,
};

static const ib_path_rec_t *sim_sa_path_rec(const struct desk *d, unsigned int n)
{
	return (const void *)(d->records + n * d->stride);
}

static uint8_t *sim_sa_path_info(struct desk *d, const char *node, unsigned int port)
{
	return d->s.ports[desk_port(d, node, port)].info;
}

static void one(struct desk *d)
{
	const ib_path_rec_t *r;
	unsigned int h3 = desk_lid(d, "h3", 1), h2 = desk_lid(d, "h2", 1);

	static const struct {
		const char *node;
		unsigned int port;
	} fast[] = { { "A", 3 }, { "B", 2 }, { "B", 1 }, { "h2", 1 } };

	for (unsigned int i = 0; i < 4; i++)
		mad_set_field(sim_sa_path_info(d, fast[i].node, fast[i].port), 0,
			      IB_PORT_LINK_SPEED_EXT_ACTIVE_F, 4);
	mad_set_field(sim_sa_path_info(d, "A", 3), 0, IB_PORT_NEIGHBOR_MTU_F, 2);
	is_int(desk_ask(d, GET, "PathRecord", "SGID=fe80::10:1 DGID=fe80::10:3 NumbPath=1"), 0,
	       "PathRecord from h1 to h2 by GIDs");
	is_u64(get_be16((const uint8_t *)d->out.data + 44) * 8, sizeof(*r), "... as long as opensm's");
	r = sim_sa_path_rec(d, 0);
	is_u64(cl_ntoh64(r->dgid.unicast.interface_id), 0x100003, "... DGID");
	is_u64(cl_ntoh64(r->dgid.unicast.prefix), UINT64_C(0xfe80000000000000), "... its prefix");
	is_u64(cl_ntoh64(r->sgid.unicast.interface_id), 0x100001, "... SGID");
	is_u64(cl_ntoh16(r->dlid), h2, "... DLID");
	is_u64(cl_ntoh16(r->slid), d->from.lid, "... SLID");
	is_u64(cl_ntoh16(r->pkey), 0xffff, "... P_Key");
	is_u64(ib_path_rec_mtu(r), 2, "... the least MTU, between the switches");
	is_u64(ib_path_rec_mtu_sel(r), 2, "... exactly");
	is_u64(ib_path_rec_rate(r), IB_PATH_RECORD_RATE_100_GBS, "... the least rate, at h1: 4X EDR");
	is_u64(ib_path_rec_pkt_life(r), 18, "... a life time");
	is_u64(ib_path_rec_sl(r), 0, "... SL");
	ok(r->num_path & 0x80, "... and back");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, h3), 0, "by LIDs");
	is_u64(field(d, "PathRecord", 0, "MTU"), 5, "... not by way of the other switch");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, h2 + 1), 0, "to a second LID");
	is_u64(field(d, "PathRecord", 0, "DLID"), h2 + 1, "... which is told");
	is_int(desk_ask(d, GET, "PathRecord", "SGID=fe80::10:1 DLID=%u", d->from.lid), 0, "to oneself");
	is_u64(field(d, "PathRecord", 0, "PacketLifeTime"), 0, "... takes no time");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, desk_lid(d, "B", 0)), 0,
	       "to a switch");
	is_u64(field(d, "PathRecord", 0, "MTU"), 2, "... its links count");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", desk_lid(d, "A", 0), h3), 0,
	       "from a switch");

	is_int(desk_ask(d, GET, "PathRecord", "SGID=fe80::10:1 DGID=fe80::99"), NO_RECORDS,
	       "an unknown GUID");
	is_int(desk_ask(d, GET_TABLE, "PathRecord", "SGID=fe80::10:1 DGID=fe80::99"), 0, "... a table");
	is_u64(d->count, 0, "... of none");
	is_int(desk_ask(d, GET, "PathRecord", "SGID=fe80::10:1 DGID=fec0::10:3"), NO_RECORDS,
	       "another prefix");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=999", d->from.lid), NO_RECORDS, "an unknown LID");
	is_int(desk_ask(d, GET_TABLE, "PathRecord", "SLID=999"), 0, "... a table");
	is_u64(d->count, 0, "... of none");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u SGID=fe80::10:3", d->from.lid, h3), INVALID,
	       "a LID and the GID of another");
	put_be64(d->s.ports[desk_port(d, "h3", 1)].guids + 8, 0xabc);
	is_int(desk_ask(d, GET, "PathRecord", "SGID=fe80::10:1 DGID=fe80::abc"), 0, "a second GID");
	is_u64(field(d, "PathRecord", 0, "DLID"), h3, "... of h3");

	/* components without a meaning for a path are 0, as in opensm */
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u ServiceID=0x1234 TClass=7 QoSClass=9",
			d->from.lid, h3),
	       0, "a service, a traffic class");
	is_u64(cl_ntoh64(sim_sa_path_rec(d, 0)->service_id), 0, "... do not matter");
	is_u64(sim_sa_path_rec(d, 0)->tclass, 0, "... both");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u SL=3", d->from.lid, h3), 0, "another SL");
	is_u64(field(d, "PathRecord", 0, "SL"), 3, "... will do");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u P_Key=0x7fff", d->from.lid, h3), 0,
	       "the partition as a limited member of it");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u P_Key=0x8005", d->from.lid, h3), NO_RECORDS,
	       "another partition");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u P_Key=0x8000", d->from.lid, h3), NO_RECORDS,
	       "a P_Key that is none");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u Reversible=0", d->from.lid, h3), 0,
	       "a way back is not asked for");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u RawTraffic=1", d->from.lid, h3), NO_RECORDS,
	       "raw traffic");
	desk_write(d, GET, "PathRecord", "PathRecord", "DGID=fe80::10:3");
	d->message[55] |= 1;
	is_int(desk_send(d), INSUFFICIENT, "half of a ServiceID");
}

/* Selectors: 0 greater, 1 less, 2 exactly, 3 the best. MTU 512 and 100 Gbit/s. */
static void selectors(struct desk *d)
{
	static const struct {
		unsigned int selector, value, told;
	} mtus[] = {
		{ 0, 1, 2 }, { 0, 2, 0 }, { 0, 3, 0 }, { 1, 1, 0 }, { 1, 2, 1 }, { 1, 3, 2 },
		{ 1, 5, 2 }, { 2, 1, 1 }, { 2, 2, 2 }, { 2, 3, 0 }, { 3, 4, 2 }, { 3, 1, 2 },
	}, rates[] = {
		/* 80, 100, 112, 120, 56 Gbit/s */
		{ 0, 9, 16 }, { 0, 16, 0 }, { 0, 10, 0 }, { 1, 16, 9 }, { 1, 13, 16 }, { 1, 2, 0 },
		{ 2, 12, 12 }, { 2, 16, 16 }, { 2, 10, 0 }, { 3, 2, 16 },
	}, times[] = {
		{ 0, 17, 18 }, { 0, 18, 0 }, { 1, 19, 18 }, { 1, 18, 17 }, { 2, 18, 18 },
		{ 2, 17, 17 }, { 2, 19, 0 },
		{ 3, 0, 18 },
	};

#define each(list, name) \
	for (unsigned int i = 0; i < ARRAY_SIZE(list); i++) { \
		int status = desk_ask(d, GET, "PathRecord", \
				      "SLID=%u DLID=%u " name "Selector=%u " name "=%u", d->from.lid, \
				      desk_lid(d, "h2", 1), list[i].selector, list[i].value); \
		is_int(status, list[i].told ? 0 : NO_RECORDS, name " %u, %u", list[i].selector, \
		       list[i].value); \
		if (list[i].told) \
			is_u64(field(d, "PathRecord", 0, name), list[i].told, "... is told"); \
	}
	each(mtus, "MTU")
		each(rates, "Rate")
			each(times, "PacketLifeTime")
				is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u MTUSelector=2 MTU=9",
						d->from.lid, desk_lid(d, "h2", 1)),
				       INVALID, "an MTU that is none");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u RateSelector=0 Rate=40", d->from.lid,
			desk_lid(d, "h2", 1)),
	       INVALID, "a rate that is none");
}

static void sim_sa_path_many(struct desk *d)
{
	unsigned int h2 = desk_lid(d, "h2", 1), wrong = 0;
	uint8_t *linear;

	is_int(desk_ask(d, GET_TABLE, "PathRecord", "SGID=fe80::10:1"), 0, "all paths from h1");
	is_u64(d->count, 7, "... to 6 end ports, one of them with two LIDs");
	is_int(desk_ask(d, GET_TABLE, "PathRecord", "SGID=fe80::10:1 NumbPath=1"), 0, "one path each");
	is_u64(d->count, 6, "... to 6");
	is_int(desk_ask(d, GET, "PathRecord", "SGID=fe80::10:1"), 0, "a Get of all is for one");
	is_int(desk_ask(d, GET_TABLE, "PathRecord", "DGID=fe80::10:1 NumbPath=1"), 0, "all paths to h1");
	is_u64(d->count, 6, "... from 6");
	is_int(desk_ask(d, GET_TABLE, "PathRecord", "NumbPath=1"), 0, "all pairs");
	is_u64(d->count, 36, "... 6 times 6");
	for (unsigned int i = 0; i < d->count; i++)
		wrong += !sim_sa_path_rec(d, i)->dlid || !sim_sa_path_rec(d, i)->slid ||
			 !ib_path_rec_rate(sim_sa_path_rec(d, i));
	is_u64(wrong, 0, "... each with LIDs and a rate");
	is_int(desk_ask(d, GET_TABLE, "PathRecord", "NumbPath=1 SGID=fe80::10:1 RateSelector=0 Rate=16"), 0,
	       "faster ones from h1");
	is_u64(d->count, 0, "... none");
	is_int(desk_ask(d, GET_TABLE, "PathRecord", "SLID=%u DGID=fe80::10:3 NumbPath=127", d->from.lid), 0,
	       "both paths to h2");
	is_u64(d->count, 2, "... two");
	is_u64(cl_ntoh16(sim_sa_path_rec(d, 0)->dlid) + cl_ntoh16(sim_sa_path_rec(d, 1)->dlid), 2 * h2 + 1,
	       "... of its two LIDs");

	/* a switch that sends it back, one that sends it nowhere */
	linear = d->s.nodes[net_node(&d->n, "B")].linear;
	linear[h2] = 2;
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, h2), NO_RECORDS, "in a circle");
	linear[h2] = 0xff;
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, h2), NO_RECORDS, "no route");
	linear[h2] = 7;
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, h2), NO_RECORDS,
	       "a port without a link");
	linear[h2] = 4;
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, h2), NO_RECORDS,
	       "the wrong port");
	linear[h2] = 1;
	linear = d->s.nodes[net_node(&d->n, "A")].linear;
	linear[d->from.lid] = 0xff;
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u Reversible=1", d->from.lid, h2), NO_RECORDS,
	       "no way back");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, h2), 0,
	       "... where none is asked for");
	is_u64(field(d, "PathRecord", 0, "Reversible"), 0, "... it is told");
	linear[d->from.lid] = 1;
}

static void sim_sa_path_groups(struct desk *d)
{
	is_int(desk_ask(d, GET, "PathRecord", "SGID=fe80::10:1 DGID=ff12:401b:ffff::ffff:ffff"), NO_RECORDS,
	       "a path to the broadcast group from a port that is no member");
	is_int(desk_ask(d, GET, "PathRecord", "DGID=ff12:401b:ffff::ffff:ffff"), 0, "... from nowhere");
	is_u64(cl_ntoh16(sim_sa_path_rec(d, 0)->dlid), 0xc000, "... its MLID");
	is_u64(ib_path_rec_mtu(sim_sa_path_rec(d, 0)), 4, "... its MTU");
	is_u64(ib_path_rec_rate(sim_sa_path_rec(d, 0)), 3, "... its rate");
	is_int(desk_ask(d, GET, "PathRecord", "DGID=ff12:401b:ffff::1"), NO_RECORDS, "to no group");
}

static void multi(struct desk *d)
{
	const uint8_t *mad;

#define GIDS "SDGID[0]=fe80::10:1 SDGID[1]=fe80::10:6 SDGID[2]=fe80::10:3"
	is_int(desk_ask(d, GET_MULTI, "MultiPathRecord", "SGIDCount=2 DGIDCount=1 " GIDS), 0,
	       "MultiPathRecord: two sources, one destination");
	mad = (const uint8_t *)d->out.data;
	is_u64(mad[3], 0x94, "... GetMultiResp");
	is_u64(get_be16(mad + 16), 0x35, "... of PathRecords");
	is_u64(madkit_rmpp_get_flags(mad), MADKIT_RMPP_ACTIVE, "... by RMPP");
	is_u64(d->count, 2, "... two");
	is_u64(cl_ntoh64(sim_sa_path_rec(d, 1)->sgid.unicast.interface_id), 0x100006,
	       "... the second from h3");
	is_u64(cl_ntoh64(sim_sa_path_rec(d, 1)->dgid.unicast.interface_id), 0x100003, "... to h2");
	is_int(desk_ask(d, GET_MULTI, "MultiPathRecord", "SGIDCount=1 DGIDCount=2 NumbPath=1 " GIDS), 0,
	       "one of two");
	is_u64(d->count, 1, "... one");
	is_int(desk_ask(d, GET_MULTI, "MultiPathRecord", "SGIDCount=1 DGIDCount=2 MTUSelector=0 MTU=2 " GIDS),
	       0, "MTUs above 512");
	is_u64(d->count, 1, "... the one to h3");
	is_int(desk_ask(d, GET_MULTI, "MultiPathRecord", "SGIDCount=2 " GIDS), INSUFFICIENT, "no DGIDCount");
	is_int(desk_ask(d, GET_MULTI, "MultiPathRecord", "SGIDCount=0 DGIDCount=2 " GIDS), INVALID,
	       "no source");
	is_int(desk_ask(d, GET_MULTI, "MultiPathRecord", "SGIDCount=9 DGIDCount=9 " GIDS), INVALID,
	       "more GIDs than the message holds");
	is_int(desk_ask(d, GET_MULTI, "MultiPathRecord", "SGIDCount=2 DGIDCount=2 " GIDS), INVALID_GID,
	       "a GID of nobody");
	is_int(desk_ask(d, GET_TABLE, "MultiPathRecord", "SGIDCount=2 DGIDCount=1 " GIDS), 0x000c,
	       "GetTable(MultiPathRecord)");
}

static void sim_sa_path_trace(struct desk *d)
{
	static const struct {
		unsigned int type, in, out;
		uint64_t node, entry, exit;
	} way[] = {
		{ 1, 0, 1, 0x100000, 0, 0x100001 },
		{ 2, 1, 3, 0x200000, 0, 0 },
		{ 2, 2, 1, 0x200001, 0, 0 },
		{ 1, 1, 0, 0x100002, 0x100003, 0 },
	};

	desk_write(d, GET_TRACE, "TraceRecord", "PathRecord", "SGID=fe80::10:1 DGID=fe80::10:3");
	is_int(desk_send(d), 0, "GetTraceTable from h1 to h2");
	is_u64((uint8_t)d->out.data[3], 0x92, "... GetTableResp");
	is_u64(d->stride, 48, "... of TraceRecords");
	is_u64(d->count, 4, "... four nodes");
	for (unsigned int i = 0; i < d->count && i < 4; i++) {
		is_u64(field(d, "TraceRecord", i, "NodeType"), way[i].type, "node %u: type", i);
		is_u64(field(d, "TraceRecord", i, "EntryPort"), way[i].in, "... entry");
		is_u64(field(d, "TraceRecord", i, "ExitPort"), way[i].out, "... exit");
		is_u64(field(d, "TraceRecord", i, "NodeID"),
		       d->s.nodes[d->s.ports[desk_port(d, (const char *[]){ "h1", "A", "B", "h2" }[i], 1)]
					  .node]
			       .guid,
		       "... node");
		is_u64(field(d, "TraceRecord", i, "EntryPortID"), way[i].entry, "... entry port's GUID");
		is_u64(field(d, "TraceRecord", i, "ExitPortID"), way[i].exit, "... exit port's GUID");
	}
	desk_write(d, GET_TRACE, "TraceRecord", "PathRecord", "SGID=fe80::10:1");
	is_int(desk_send(d), INSUFFICIENT, "a trace to nowhere");
	desk_write(d, GET_TABLE, "TraceRecord", "PathRecord", "SGID=fe80::10:1 DGID=fe80::10:3");
	is_int(desk_send(d), 0x000c, "GetTable(TraceRecord)");
}

/* "2.5 Gbps" */
static double gbps(unsigned int rate)
{
	const char *name = madkit_value_name(madkit_values_rate, rate);

	return name ? strtod(name, NULL) : -1;
}

/* Rates by what PortInfo holds: width, speed, extended, second extended. */
static void rates(void)
{
	static const struct {
		unsigned int width, speed, ext, ext2, rate;
	} rows[] = {
		{ 1, 1, 0, 0, IB_PATH_RECORD_RATE_2_5_GBS },
		{ 2, 1, 0, 0, IB_PATH_RECORD_RATE_10_GBS },
		{ 8, 1, 0, 0, IB_PATH_RECORD_RATE_30_GBS },
		{ 1, 2, 0, 0, IB_PATH_RECORD_RATE_5_GBS },
		{ 2, 2, 0, 0, IB_PATH_RECORD_RATE_20_GBS },
		{ 2, 4, 0, 0, IB_PATH_RECORD_RATE_40_GBS },
		{ 8, 2, 0, 0, IB_PATH_RECORD_RATE_60_GBS },
		{ 4, 4, 0, 0, IB_PATH_RECORD_RATE_80_GBS },
		{ 8, 4, 0, 0, IB_PATH_RECORD_RATE_120_GBS },
		{ 1, 4, 1, 0, IB_PATH_RECORD_RATE_14_GBS },
		{ 2, 4, 1, 0, IB_PATH_RECORD_RATE_56_GBS },
		{ 4, 4, 1, 0, IB_PATH_RECORD_RATE_112_GBS },
		{ 8, 4, 1, 0, IB_PATH_RECORD_RATE_168_GBS },
		{ 1, 4, 2, 0, IB_PATH_RECORD_RATE_25_GBS },
		{ 2, 4, 2, 0, IB_PATH_RECORD_RATE_100_GBS },
		{ 4, 4, 2, 0, IB_PATH_RECORD_RATE_200_GBS },
		{ 8, 4, 2, 0, IB_PATH_RECORD_RATE_300_GBS },
		{ 16, 4, 1, 0, IB_PATH_RECORD_RATE_28_GBS },
		{ 16, 4, 2, 0, IB_PATH_RECORD_RATE_50_GBS },
		{ 2, 4, 4, 0, IB_PATH_RECORD_RATE_200_GBS },
		{ 2, 4, 8, 0, IB_PATH_RECORD_RATE_400_GBS },
		{ 8, 4, 4, 0, IB_PATH_RECORD_RATE_600_GBS },
		/* newer than ib_types.h */
		{ 2, 4, 0, 1, 23 },
		{ 4, 4, 0, 1, 25 },
		{ 8, 4, 8, 0, 24 },
	};
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t pi[64] = { 0 };

		mad_set_field(pi, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, rows[i].width);
		mad_set_field(pi, 0, IB_PORT_LINK_SPEED_ACTIVE_F, rows[i].speed);
		mad_set_field(pi, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, rows[i].ext);
		field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, pi, rows[i].ext2);
		wrong += sa_rate_of(pi) != rows[i].rate;
	}
	is_u64(wrong, 0, "rates of widths and speeds");
	wrong = 0;
	for (unsigned int a = 2; a <= 25; a++)
		for (unsigned int b = 2; b <= 25; b++) {
			int ours = sa_step(SA_RATES, a) - sa_step(SA_RATES, b);

			double theirs = gbps(a) - gbps(b);

			wrong += (ours > 0) - (ours < 0) != (theirs > 0) - (theirs < 0);
		}
	is_u64(wrong, 0, "... in the order of their names");
}

int main(void)
{
	static struct desk d;

	desk_open(&d, LINE_NET, "h1", true);
	rates();
	one(&d);
	selectors(&d);
	sim_sa_path_many(&d);
	sim_sa_path_groups(&d);
	multi(&d);
	sim_sa_path_trace(&d);
	desk_close(&d);
	return tap_done();
}
