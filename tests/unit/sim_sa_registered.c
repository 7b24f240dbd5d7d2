/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registrations at subnet administration: multicast members, services, subscriptions; and the reports that
 * follow. */
#include "tests/unit/sim_sa.h"
#include "util/array_size.h"
#include <iba/ib_types.h>

enum {
	INVALID = 0x0200,
	NO_RECORDS = 0x0300,
	TOO_MANY = 0x0400,
	INVALID_GID = 0x0500,
	INSUFFICIENT = 0x0600,
};
#define SECOND    UINT64_C(1000000000)
#define H1        "PortGID=fe80::10:1 "
#define H2        "PortGID=fe80::10:3 "
#define H3        "PortGID=fe80::10:6 "
#define BROADCAST "MGID=ff12:401b:ffff::ffff:ffff "
#define OTHER     "MGID=ff12:401b:ffff::77 "
#define MADE      "Q_Key=0xb1b P_Key=0xffff SL=0 FlowLabel=0 TClass=0 "

static void ask_as(struct desk *d, const char *node, unsigned int port)
{
	d->from.lid = desk_lid(d, node, port);
}

/* ---- multicast ------------------------------------------------------------------- */

static const ib_member_rec_t *sim_sa_registered_member(const struct desk *d)
{
	return (const void *)d->records;
}

static unsigned int sim_sa_registered_state(const struct desk *d)
{
	return sim_sa_registered_member(d)->scope_state & 0xf;
}

static void joining(struct desk *d)
{
	struct sa_group group;
	uint32_t place = 0;

	is_int(desk_ask(d, GET_TABLE, "MCMemberRecord", ALL), 0, "groups at the beginning");
	is_u64(d->count, 1, "... one");
	is_u64(d->stride, sizeof(ib_member_rec_t), "... as long as opensm's");
	is_u64(cl_ntoh16(sim_sa_registered_member(d)->mlid), 0xc000, "... the first MLID");
	is_u64(cl_ntoh32(sim_sa_registered_member(d)->qkey), 0xb1b, "... IPoIB's Q_Key");
	ok(!sa_next_group(&d->sa, &place, &group), "... nobody is in it");

	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H1 "JoinState=1"), 0, "h1 joins");
	is_u64(d->out.data[3] & 0xff, 0x81, "... GetResp");
	is_u64(sim_sa_registered_state(d), 1, "... a full member");
	is_u64(cl_ntoh16(sim_sa_registered_member(d)->mlid), 0xc000, "... at this MLID");
	is_u64(cl_ntoh16(sim_sa_registered_member(d)->pkey), 0xffff, "... of this partition");
	is_u64(sim_sa_registered_member(d)->mtu, 0x84, "... MTU 2048");
	is_u64(d->told, 1, "the manager is told");
	is_u64(d->group.nmembers, 1, "... of one");
	is_u64(d->members[0], desk_port(d, "h1", 1), "... h1");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H1 "JoinState=2"), 0, "h1 is a non-member, too");
	is_u64(sim_sa_registered_state(d), 3, "... both");
	is_u64(d->told, 1, "... which is no news");
	ask_as(d, "h3", 1);
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=4"), 0, "h3 sends only");
	is_u64(d->group.nmembers, 2, "... two");
	place = 0;
	ok(sa_next_group(&d->sa, &place, &group) && group.nmembers == 2 &&
		   !sa_next_group(&d->sa, &place, &group),
	   "... and the manager finds them by itself");

	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST "JoinState=1"), INSUFFICIENT, "no PortGID");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3), INSUFFICIENT, "no JoinState");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=0"), INVALID, "JoinState 0");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST "PortGID=fe80::99 JoinState=1"), INVALID,
	       "a port that is not there");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST "PortGID=fec0::10:6 JoinState=1"), INVALID_GID,
	       "another prefix");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=1 Q_Key=5"), INVALID,
	       "another Q_Key");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=1 P_Key=0x8001"), INVALID,
	       "another partition");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=1 MTUSelector=0 MTU=4"), INVALID,
	       "more than its MTU");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=1 MTUSelector=2 MTU=4"), 0,
	       "its MTU");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=1 MTUSelector=2 MTU=9"), INVALID,
	       "an MTU that is none");
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H1 "JoinState=4"), INVALID,
	       "h3 for h1, which is there by itself");

	/* for another: a proxy */
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H2 "JoinState=1"), 0, "h3 for h2");
	is_u64(field(d, "MCMemberRecord", 0, "ProxyJoin"), 1, "... a proxy");
	ask_as(d, "h1", 1);
	is_int(desk_ask(d, DELETE, "MCMemberRecord", BROADCAST H2 "JoinState=1"), 0, "... undone by h1");
	is_u64(d->group.nmembers, 2, "... two are left");

	/* who is a member is not for everybody */
	is_int(desk_ask(d, GET, "MCMemberRecord", BROADCAST), 0, "the group");
	is_u64(sim_sa_registered_state(d), 0, "... without a member");
	ok(bytes_are_zero(sim_sa_registered_member(d)->port_gid.raw, 16), "... or a port");
	d->key = KEY;
	is_int(desk_ask(d, GET_TABLE, "MCMemberRecord", BROADCAST), 0, "the trusted");
	is_u64(d->count, 2, "... see both");
	is_int(desk_ask(d, GET, "MCMemberRecord", BROADCAST H3), 0, "... one by its port");
	is_u64(sim_sa_registered_state(d), 5, "... and its state");
	is_int(desk_ask(d, GET, "MCMemberRecord", "JoinState=3"), 0, "... or by its state");
	is_u64(cl_ntoh64(sim_sa_registered_member(d)->port_gid.unicast.interface_id), 0x100001, "... h1");
	d->key = 0;

	is_int(desk_ask(d, DELETE, "MCMemberRecord", BROADCAST H1 "JoinState=4"), INVALID,
	       "h1 leaves what it is not in");
	is_int(desk_ask(d, DELETE, "MCMemberRecord", BROADCAST H1 "JoinState=1"), 0,
	       "h1 is a full member no more");
	is_u64(d->out.data[3] & 0xff, 0x95, "... DeleteResp");
	is_u64(sim_sa_registered_state(d), 2, "... still a non-member");
	is_int(desk_ask(d, DELETE, "MCMemberRecord", BROADCAST H1 "JoinState=2"), 0, "... nor that");
	is_u64(d->group.nmembers, 1, "... one is left");
	is_int(desk_ask(d, DELETE, "MCMemberRecord", BROADCAST H1 "JoinState=2"), INVALID, "... once");
	is_int(desk_ask(d, DELETE, "MCMemberRecord", "MGID=ff12::1 " H1 "JoinState=2"), INVALID,
	       "a group that is not there");
	ask_as(d, "h3", 1);
	is_int(desk_ask(d, DELETE, "MCMemberRecord", BROADCAST H3 "JoinState=5"), 0, "h3 leaves");
	ask_as(d, "h1", 1);
	is_int(desk_ask(d, GET, "MCMemberRecord", BROADCAST), 0, "... the broadcast group stays");
}

static void creating(struct desk *d)
{
	const uint8_t *mgid;

	is_int(desk_ask(d, SET, "MCMemberRecord", OTHER H1 "JoinState=1"), INSUFFICIENT,
	       "a new group, of which nothing is told");
	is_int(desk_ask(d, SET, "MCMemberRecord", OTHER H1 "JoinState=4 " MADE), INVALID,
	       "a new group that is only sent to");
	is_int(desk_ask(d, SET, "MCMemberRecord", "MGID=fe12:401b::1 " H1 "JoinState=1 " MADE), INVALID,
	       "an MGID that is none");
	is_int(desk_ask(d, SET, "MCMemberRecord", "MGID=ff12:a01b::1 " H1 "JoinState=1 " MADE), INVALID,
	       "an MGID that the manager gives itself");
	is_int(desk_ask(d, SET, "MCMemberRecord",
			OTHER H1 "JoinState=1 MTUSelector=1 MTU=4 RateSelector=2 "
				 "Rate=2 " MADE),
	       0, "a new group");
	is_u64(cl_ntoh16(sim_sa_registered_member(d)->mlid), 0xc001, "... at the next MLID");
	is_u64(sim_sa_registered_member(d)->mtu, 0x83, "... MTU 1024, below 2048");
	is_u64(sim_sa_registered_member(d)->rate, 0x82, "... of 2.5 Gbit/s");
	is_u64(field(d, "MCMemberRecord", 0, "Scope"), 2, "... scope");
	is_u64(d->group.mlid, 0xc001, "the manager is told");
	is_u64(d->group.nmembers, 1, "... of its member");
	is_int(desk_ask(d, SET, "MCMemberRecord", "MGID=:: " H1 "JoinState=1 " MADE), 0,
	       "an MGID to be given");
	mgid = sim_sa_registered_member(d)->mgid.raw;
	is_u64(get_be16(mgid), 0xff12, "... begins so");
	is_u64(get_be16(mgid + 2), 0xa01b, "... and so");
	is_u64(cl_ntoh16(sim_sa_registered_member(d)->mlid), 0xc002, "... at the third MLID");
	is_int(desk_ask(d, GET_TABLE, "MCMemberRecord", ALL), 0, "all groups");
	is_u64(d->count, 3, "... three");
	is_int(desk_ask(d, GET_TABLE, "MCMemberRecord", "MLID=0xc001"), 0, "one by its MLID");
	is_u64(d->count, 1, "... one");
	is_int(desk_ask(d, GET_TABLE, "MCMemberRecord", "RateSelector=1 Rate=3"), 0, "slow ones");
	is_u64(d->count, 1, "... one");

	/* a port that is not capable of it, or not in its partition */
	mad_set_field(d->s.ports[desk_port(d, "h3", 1)].info, 0, IB_PORT_NEIGHBOR_MTU_F, 2);
	ask_as(d, "h3", 1);
	is_int(desk_ask(d, SET, "MCMemberRecord", OTHER H3 "JoinState=1"), INVALID, "h3 has a small MTU");
	mad_set_field(d->s.ports[desk_port(d, "h3", 1)].info, 0, IB_PORT_NEIGHBOR_MTU_F, 5);
	put_be16(d->s.ports[desk_port(d, "h3", 1)].pkeys, 0x8003);
	is_int(desk_ask(d, SET, "MCMemberRecord", OTHER H3 "JoinState=1"), INVALID,
	       "h3 is in another partition");
	is_int(desk_ask(d, GET_TABLE, "MCMemberRecord", ALL), 0, "... from where");
	is_u64(d->count, 0, "... no group is seen");
	put_be16(d->s.ports[desk_port(d, "h3", 1)].pkeys, 0xffff);
	is_int(desk_ask(d, SET, "MCMemberRecord", OTHER H3 "JoinState=2"), 0, "h3 is a non-member");
	ask_as(d, "h1", 1);
	is_int(desk_ask(d, DELETE, "MCMemberRecord", OTHER H1 "JoinState=1"), 0, "the full member leaves");
	is_u64(d->group.mlid, 0xc001, "the manager is told");
	is_u64(d->group.nmembers, 0, "... that the group is gone");
	is_int(desk_ask(d, GET, "MCMemberRecord", OTHER), NO_RECORDS, "... it is");
	is_int(desk_ask(d, SET, "MCMemberRecord", OTHER H1 "JoinState=1 " MADE), 0, "and comes again");
	is_u64(cl_ntoh16(sim_sa_registered_member(d)->mlid), 0xc001, "... at the MLID that is free");
}

static bool sim_sa_registered_crowd(struct desk *d, unsigned int method, unsigned int lid)
{
	unsigned int guid = (unsigned int)d->s.ports[d->s.lids[lid]].guid;

	return desk_ask(d, method, "MCMemberRecord", BROADCAST "PortGID=fe80::%x:%x JoinState=1", guid >> 16,
			guid & 0xffff) != 0;
}

/* Many join and leave; each is found among them. */
static void sim_sa_registered_crowds(void)
{
	static struct desk d;
	unsigned int wrong = 0;

	desk_open(&d, "fat-tree:10,50,1", "h1-1", false);
	d.key = KEY;
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 1; i < d.s.nlids; i++)
			wrong += sim_sa_registered_crowd(&d, SET, i);
		wrong += d.group.nmembers != d.s.nlids - 1;
		for (unsigned int i = 1; i < d.s.nlids; i++)
			if (i * 7 % d.s.nlids)
				wrong += sim_sa_registered_crowd(&d, DELETE, i * 7 % d.s.nlids);
	}
	is_u64(wrong, 0, "%u ports join and leave in another order", d.s.nlids - 1);
	is_u64(d.group.nmembers, 0, "... and nobody is left");
	desk_close(&d);
}

/* ---- services -------------------------------------------------------------------- */

static const ib_service_record_t *sim_sa_registered_service(const struct desk *d)
{
	return (const void *)d->records;
}

static void sim_sa_registered_services(struct desk *d)
{
#define SERVICE "ServiceID=0x1234 ServiceGID=fe80::10:1 "
	is_int(desk_ask(d, SET, "ServiceRecord",
			SERVICE "ServiceName=storage ServiceLease=10 ServiceData16[3]=7"),
	       0, "a service");
	is_u64(d->stride, sizeof(ib_service_record_t), "... as long as opensm's");
	is_u64(cl_ntoh32(sim_sa_registered_service(d)->service_lease), 10, "... its lease");
	is_u64(cl_ntoh16(sim_sa_registered_service(d)->service_pkey), 0xffff, "... the default P_Key");
	is_u64(cl_ntoh16(sim_sa_registered_service(d)->service_data16[3]), 7, "... its data");
	is_u64(d->sa.first_expires, d->now + 10 * SECOND, "the end of the lease");
	is_int(desk_ask(d, GET, "ServiceRecord", "ServiceName=storage"), 0, "it is found by its name");
	is_u64(cl_ntoh64(sim_sa_registered_service(d)->service_id), 0x1234, "... its ID");
	is_int(desk_ask(d, GET, "ServiceRecord", "ServiceData16[3]=7"), 0, "... by its data");
	is_int(desk_ask(d, GET, "ServiceRecord", "ServiceData16[3]=8"), NO_RECORDS, "... which are these");
	d->now += 4 * SECOND + 1;
	is_int(desk_ask(d, GET, "ServiceRecord", "ServiceID=0x1234"), 0, "4 seconds later");
	is_u64(cl_ntoh32(sim_sa_registered_service(d)->service_lease), 6,
	       "... the sixth second of the lease is left");
	is_int(desk_ask(d, SET, "ServiceRecord", SERVICE "ServiceLease=10"), 0, "it is told again");
	is_int(desk_ask(d, GET_TABLE, "ServiceRecord", ALL), 0, "... all");
	is_u64(d->count, 1, "... it is the same");
	is_u64(sim_sa_registered_service(d)->service_name[0], 0, "... without its name");
	is_int(desk_ask(d, SET, "ServiceRecord", "ServiceID=0x1234 ServiceGID=fe80::10:6"), 0,
	       "of another port");
	is_u64(cl_ntoh32(sim_sa_registered_service(d)->service_lease), 0xffffffff, "... for ever");
	is_int(desk_ask(d, GET, "ServiceRecord", "ServiceID=0x1234"), TOO_MANY, "... two");
	d->now += 10 * SECOND;
	is_int(desk_ask(d, GET, "ServiceRecord", "ServiceID=0x1234"), 0, "one when the lease is over");
	is_u64(cl_ntoh64(sim_sa_registered_service(d)->service_gid.unicast.interface_id), 0x100006,
	       "... that of h3");
	is_u64(d->sa.first_expires, UINT64_MAX, "... which does not end");

	is_int(desk_ask(d, SET, "ServiceRecord", "ServiceID=0x1234"), INVALID, "no GID");
	is_int(desk_ask(d, SET, "ServiceRecord", "ServiceID=0x1 ServiceGID=fe80::99 ServiceP_Key=0xffff"),
	       INVALID, "nobody's GID");
	is_int(desk_ask(d, SET, "ServiceRecord", "ServiceID=0x1 ServiceGID=::10:6 ServiceP_Key=0xffff"), 0,
	       "without a prefix");
	is_int(desk_ask(d, DELETE, "ServiceRecord", "ServiceID=0x1 ServiceGID=::10:6"), 0, "... taken away");
	is_int(desk_ask(d, SET, "ServiceRecord", SERVICE "ServiceP_Key=0x8005"), INVALID,
	       "a P_Key that it has not");
	is_int(desk_ask(d, DELETE, "ServiceRecord", SERVICE), NO_RECORDS,
	       "one that is over cannot be taken away");

	is_int(desk_ask(d, SET, "ServiceRecord",
			SERVICE "ServiceName=secret "
				"ServiceKey=000102030405060708090a0b0c0d0e0f"),
	       0, "a service with a key");
	ok(bytes_are_zero(sim_sa_registered_service(d)->service_key, 16), "... which is not told");
	is_int(desk_ask(d, GET, "ServiceRecord", "ServiceKey=000102030405060708090a0b0c0d0e0f"), 0,
	       "... is found by it");
	is_int(desk_ask(d, GET, "ServiceAssociationRecord", ALL), INVALID,
	       "names and keys are for the trusted");
	d->key = KEY;
	is_int(desk_ask(d, GET, "ServiceAssociationRecord", "ServiceName=secret"), 0, "... who get them");
	is_u64(d->stride, 80, "... as long as they are");
	is_u64(d->records[15], 0x0f, "... the key");
	is_str((const char *)d->records + 16, "secret", "... the name");
	d->key = 0;
	is_int(desk_ask(d, DELETE, "ServiceRecord", SERVICE), 0, "it is taken away without the key");
	is_u64(d->out.data[3] & 0xff, 0x95, "... DeleteResp");
	is_int(desk_ask(d, GET, "ServiceRecord", SERVICE), NO_RECORDS, "... it is");
}

/* ---- subscriptions --------------------------------------------------------------- */

#define EVERYWHERE "LIDRangeBegin=0xffff IsGeneric=1 Type=0xffff QPN=1 ProducerType=0xffffff "

static void sim_sa_registered_notice_of(uint8_t notice[80], unsigned int trap, unsigned int type,
					unsigned int lid)
{
	memset(notice, 0, 80);
	field_put(MADKIT_NOTICE_IS_GENERIC, notice, 1);
	field_put(MADKIT_NOTICE_TYPE, notice, type);
	field_put(MADKIT_NOTICE_PRODUCER_TYPE, notice, 2);
	field_put(MADKIT_NOTICE_TRAP_NUMBER, notice, trap);
	field_put(MADKIT_NOTICE_ISSUER_LID, notice, lid);
}

/* How many reports a notice leads to, all of which are answered. */
static unsigned int reported(struct desk *d, unsigned int trap, unsigned int type, unsigned int lid,
			     uint8_t mad[256])
{
	struct madkit_addr to;
	uint8_t notice[80];
	unsigned int n = 0;

	sim_sa_registered_notice_of(notice, trap, type, lid);
	sa_notice(&d->sa, notice);
	for (; sa_report_next(&d->sa, mad, &to); n++)
		sa_report_done(&d->sa, get_be32(mad + 12), true);
	return n;
}

static void subscribing(struct desk *d)
{
	unsigned int a = desk_lid(d, "A", 0), b = desk_lid(d, "B", 0);
	const ib_inform_info_record_t *r;
	const ib_mad_notice_attr_t *n;
	uint8_t mad[256];
	struct madkit_addr to;

	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=128"), 0, "h1 subscribes");
	is_u64(d->out.data[3] & 0xff, 0x81, "... GetResp");
	is_u64(((const ib_inform_info_t *)d->records)->subscribe, 1, "... it has");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=128"), 0, "... again");
	is_int(desk_ask(d, GET_TABLE, "InformInfoRecord", ALL), 0, "InformInfoRecords");
	is_u64(d->count, 1, "... one");
	is_u64(d->stride, sizeof(*r), "... as long as opensm's");
	r = (const void *)d->records;
	is_u64(cl_ntoh64(r->subscriber_gid.unicast.interface_id), 0x100001, "... of h1");
	is_u64(cl_ntoh16(r->inform_info.g_or_v.generic.trap_num), 128, "... of trap 128");
	is_u64(field(d, "InformInfoRecord", 0, "InformInfo.QPN"), 0, "... without its QPN");

	is_u64(reported(d, 128, 1, a, mad), 1, "trap 128 of A is reported");
	is_u64(mad[1] << 16 | mad[2] << 8 | mad[3], 0x030206, "... Report of class SubnAdm, version 2");
	is_u64(get_be16(mad + 16), 2, "... Notice");
	n = (const void *)(mad + 56);
	is_u64(cl_ntoh16(n->g_or_v.generic.trap_num), 128, "... trap 128");
	is_u64(cl_ntoh16(n->issuer_lid), a, "... of A");
	is_u64(cl_ntoh64(n->issuer_gid.unicast.interface_id), 0x200000, "... whose GID is filled in");
	is_u64(reported(d, 129, 1, a, mad), 0, "trap 129 is not");

	/* the GID range, the type, the producer */
	is_int(desk_ask(d, SET, "InformInfo",
			"LIDRangeBegin=%u LIDRangeEnd=%u IsGeneric=1 Type=1 Subscribe=1 "
			"TrapNumber=0xffff ProducerType=2 QPN=1",
			b, b + 1),
	       0, "all that is urgent, of some LIDs");
	is_u64(reported(d, 130, 1, b, mad), 1, "... is reported");
	is_u64(reported(d, 130, 1, a, mad), 0, "... of other LIDs it is not");
	is_u64(reported(d, 130, 4, b, mad), 0, "... nor of another type");
	is_int(desk_ask(d, SET, "InformInfo",
			"GID=fe80::20:0 IsGeneric=1 Type=0xffff Subscribe=1 "
			"TrapNumber=0xffff ProducerType=0xffffff QPN=1"),
	       0, "all of A by its GID");
	is_u64(reported(d, 131, 4, a, mad), 1, "... is reported");
	is_u64(reported(d, 131, 4, b, mad), 0, "... of B it is not");
	is_u64(reported(d, 128, 1, a, mad), 2, "what two subscriptions want comes twice");

	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=2 TrapNumber=128"), INVALID,
	       "Subscribe 2");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=256"), INVALID,
	       "traps of security");
	is_u64(((const ib_inform_info_t *)(d->out.data + 56))->subscribe, 0, "... it has not");
	d->key = KEY;
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=256"), 0,
	       "... for the trusted");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=0 TrapNumber=256"), 0,
	       "... and no longer");
	d->key = 0;
	is_int(desk_ask(d, SET, "InformInfo",
			"GID=fe80::99 IsGeneric=1 Type=0xffff Subscribe=1 TrapNumber=128 QPN=1"),
	       INVALID, "a GID of nobody");
	is_int(desk_ask(d, SET, "InformInfo",
			"LIDRangeBegin=500 IsGeneric=1 Type=0xffff Subscribe=1 TrapNumber=128"),
	       INVALID, "LIDs of nobody");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=0 TrapNumber=99"), INVALID,
	       "what was not subscribed cannot end");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=0 TrapNumber=128"), 0, "h1 unsubscribes");
	is_u64(reported(d, 128, 1, a, mad), 1, "... and gets one report");

	/* groups that come and go */
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=66"), 0, "new groups");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=67"), 0, "gone ones");
	is_int(desk_ask(d, SET, "MCMemberRecord", "MGID=ff12:401b:ffff::88 " H1 "JoinState=1 " MADE), 0,
	       "a group");
	ok(sa_report_next(&d->sa, mad, &to), "... is reported");
	is_u64(to.lid, d->from.lid, "... to h1");
	is_u64(to.qp, 1, "... QP 1");
	n = (const void *)(mad + 56);
	is_u64(cl_ntoh16(n->g_or_v.generic.trap_num), 66, "... as trap 66");
	is_u64(n->data_details.ntc_64_67.gid.raw[15], 0x88, "... its MGID");
	is_u64(cl_ntoh16(n->issuer_lid), d->from.lid, "... of the manager");
	sa_report_done(&d->sa, get_be32(mad + 12), true);
	is_int(desk_ask(d, DELETE, "MCMemberRecord", "MGID=ff12:401b:ffff::88 " H1 "JoinState=1"), 0,
	       "... is gone");
	ok(sa_report_next(&d->sa, mad, &to), "... is reported");
	is_u64(cl_ntoh16(n->g_or_v.generic.trap_num), 67, "... as trap 67");

	/* who does not answer */
	is_u64(d->sa.nsubscriptions, 4, "four subscriptions");
	sa_report_done(&d->sa, get_be32(mad + 12), false);
	is_u64(d->sa.nsubscriptions, 3, "three when a report was not answered");
	sa_report_done(&d->sa, get_be32(mad + 12), false);
	is_u64(d->sa.nsubscriptions, 3, "... once");
	is_u64(d->sa.nreports, 0, "nothing waits");
	for (unsigned int i = 0; i < 200; i++) {
		uint8_t notice[80];

		sim_sa_registered_notice_of(notice, 130, 1, b);
		sa_notice(&d->sa, notice);
	}
	for (unsigned int i = 0; i < 64; i++)
		sa_report_next(&d->sa, mad, &to);
	ok(!sa_report_next(&d->sa, mad, &to), "so many wait for an answer at one time");
	sa_report_done(&d->sa, get_be32(mad + 12), true);
	ok(sa_report_next(&d->sa, mad, &to), "... one answer, one more");
	sa_report_done(&d->sa, get_be32(mad + 12), false);
	is_u64(d->sa.nreports, 0, "without an answer all of them are gone");
	is_u64(d->sa.nsent, 0, "... those that were sent, too");
}

/* How many reports the same trap leads to, n times. */
static unsigned int sim_sa_registered_trap(struct desk *d, unsigned int trap, unsigned int lid,
					   unsigned int n)
{
	struct madkit_addr to;
	uint8_t notice[80], mad[256];
	unsigned int reports = 0;

	sim_sa_registered_notice_of(notice, trap, 1, lid);
	for (unsigned int i = 0; i < n; i++) {
		sa_trap(&d->sa, notice, d->now);
		for (; sa_report_next(&d->sa, mad, &to); reports++)
			sa_report_done(&d->sa, get_be32(mad + 12), true);
	}
	return reports;
}

static void traps(struct desk *d)
{
	static const struct {
		unsigned int trap, reports;
	} cases[] = { { 128, 1 }, { 129, 0 }, { 130, 0 }, { 131, 0 }, { 144, 1 }, { 145, 1 } };
	unsigned int a = desk_lid(d, "B", 0), b = desk_lid(d, "h2", 1);

	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=0xffff"), 0, "all traps");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_u64(sim_sa_registered_trap(d, cases[i].trap, a, 1), cases[i].reports, "trap %u",
		       cases[i].trap);
	is_u64(sim_sa_registered_trap(d, 128, a, 20), 9, "equal traps: nine more are reported");
	d->now += UINT64_C(4999999999);
	is_u64(sim_sa_registered_trap(d, 128, a, 1), 0, "... none within 5 s");
	is_u64(sim_sa_registered_trap(d, 128, b, 1), 1, "... those of another switch are");
	d->now += UINT64_C(4999999999);
	is_u64(sim_sa_registered_trap(d, 128, a, 1), 0, "each of them restarts the 5 s");
	d->now += UINT64_C(5000000000);
	is_u64(sim_sa_registered_trap(d, 128, a, 20), 10, "... which begin anew after 5 s of silence");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=0 TrapNumber=0xffff"), 0, "no traps");
}

/* h3 goes, with all that it registered. */
static void going(struct desk *d)
{
	struct subnet old = d->s;
	uint8_t mad[256];
	struct madkit_addr to;

	ask_as(d, "h3", 1);
	desk_ask(d, SET, "MCMemberRecord", "MGID=ff12:401b:ffff::99 " H3 "JoinState=1 " MADE);
	desk_ask(d, SET, "MCMemberRecord", BROADCAST H3 "JoinState=1");
	desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=65");
	ask_as(d, "h1", 1);
	is_int(desk_ask(d, SET, "MCMemberRecord", BROADCAST H1 "JoinState=1"), 0, "h1 joins");
	is_int(desk_ask(d, SET, "InformInfo", EVERYWHERE "Subscribe=1 TrapNumber=67"), 0,
	       "... and subscribes");
	is_int(desk_ask(d, GET_TABLE, "ServiceRecord", "ServiceGID=fe80::10:6"), 0, "a service of h3");
	is_u64(d->count, 1, "... is there");
	unsigned int subscriptions = d->sa.nsubscriptions, told = d->told;

	/* a manager that has not found it any more */
	d->s.guids = (struct table){ 0 };
	for (uint32_t i = 0; i < d->s.nports; i++)
		if (d->s.ports[i].end && d->s.ports[i].guid != 0x100006)
			table_add_number(&d->s.guids, table_mix(0, d->s.ports[i].guid), i);
	sa_subnet_changed(&d->sa);
	table_free(&old.guids);
	is_u64(d->sa.nsubscriptions, subscriptions - 1, "its subscription is gone");
	ok(d->told >= told + 2, "the manager is told of both groups");
	ok(sa_report_next(&d->sa, mad, &to), "... and h1 of the one that is gone");
	is_u64(mad[56 + 16 + 15], 0x99, "... which was h3's");
	sa_report_done(&d->sa, get_be32(mad + 12), true);
	is_int(desk_ask(d, GET, "MCMemberRecord", "MGID=ff12:401b:ffff::99"), NO_RECORDS,
	       "its group is gone");
	is_int(desk_ask(d, GET_TABLE, "ServiceRecord", "ServiceGID=fe80::10:6"), 0, "its service");
	is_u64(d->count, 1, "... stays until its lease is over");
	d->key = KEY;
	is_int(desk_ask(d, GET_TABLE, "MCMemberRecord", BROADCAST), 0, "h1 has stayed");
	is_u64(d->count, 1, "... alone");
	d->key = 0;
}

int main(void)
{
	static struct desk d;

	desk_open(&d, LINE_NET, "h1", true);
	joining(&d);
	creating(&d);
	sim_sa_registered_crowds();
	sim_sa_registered_services(&d);
	subscribing(&d);
	traps(&d);
	going(&d);
	desk_close(&d);
	return tap_done();
}
