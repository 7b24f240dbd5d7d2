/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses against libibmad's ib_portid_t: its own parser, its own text, and
 * the packet that it builds. */
#include <stdlib.h>
#include <infiniband/umad.h>
#include <madkit/madkit.h>
#include <madkit/portid.h>
#include "tests/tap.h"
#include "util/array_size.h"

/* libibmad's destination for the portid: its LID, class and DrSLID. */
static void test_portid_build(ib_portid_t *portid, uint16_t *lid, uint8_t *mgmt_class, uint8_t mad[256])
{
	void *umad = umad_alloc(1, umad_size() + 256);
	ib_rpc_t rpc = { .method = 1, .attr = { .id = 0x11 }, .datasz = 64, .dataoffs = 64, .trid = 1 };

	if (!umad)
		abort();
	/* smp_query_via()'s choice */
	rpc.mgtclass = portid->lid <= 0 || portid->drpath.drslid == 0xffff ||
				       portid->drpath.drdlid == 0xffff ?
			       0x81 :
			       0x01;
	mad_build_pkt(umad, &rpc, portid, NULL, NULL);
	memcpy(mad, umad_get_mad(umad), 256);
	*lid = be16toh(umad_get_mad_addr(umad)->lid);
	*mgmt_class = mad[1];
	umad_free(umad);
}

static void test_routes(void)
{
	static const char *const routes[] = { "0", "0,1", "0,1,2,254", "0,3,3,3,3,3,3,3" };

	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		char text[64], *ours, buf[MADKIT_PATH_TEXT_MAX];
		ib_portid_t theirs, back;
		struct madkit_addr addr, again;

		memset(&theirs, 0, sizeof(theirs));
		memset(&back, 0, sizeof(back));
		strcpy(text, routes[i]);
		str2drpath(&theirs.drpath, text, 0, 0);
		is_int(madkit_addr_from_portid(&addr, &theirs), 0, "libibmad's route %s", routes[i]);
		ok(addr.direct && !addr.lid, "is a directed route");
		ours = madkit_path_text(&addr, buf);
		is_str(ours, routes[i], "the same one");
		is_int(madkit_parse_path(routes[i], &addr, NULL), 0, "our route");
		is_int(madkit_addr_to_portid(&back, &addr), 0, "to libibmad's");
		ok(back.drpath.cnt == theirs.drpath.cnt && back.lid == theirs.lid &&
			   back.drpath.drslid == theirs.drpath.drslid &&
			   back.drpath.drdlid == theirs.drpath.drdlid &&
			   !memcmp(back.drpath.p, theirs.drpath.p, 64),
		   "what its parser makes of it");
		is_int(madkit_addr_from_portid(&again, &back), 0, "and back");
		is_mem(&again, &addr, sizeof(addr), "the same address");
	}
}

static void test_lids(void)
{
	struct madkit_addr addr = { .lid = 77, .qp = 1, .qkey = MADKIT_QKEY_GSI, .sl = 3, .pkey_index = 9 },
			   again;
	ib_portid_t portid;

	is_int(madkit_addr_to_portid(&portid, &addr), 0, "a LID");
	is_str(portid2str(&portid), "Lid 77", "libibmad's text of it");
	ok(portid.qp == 1 && portid.qkey == MADKIT_QKEY_GSI && portid.sl == 3 && portid.pkey_idx == 9 &&
		   !portid.grh_present,
	   "QP, Q_Key, SL, P_Key index");
	is_int(madkit_addr_from_portid(&again, &portid), 0, "and back");
	is_mem(&again, &addr, sizeof(addr), "the same address");

	addr.grh = true;
	addr.hop_limit = 0xff;
	addr.gid[0] = 0xfe;
	addr.gid[15] = 7;
	is_int(madkit_addr_to_portid(&portid, &addr), 0, "with a GID");
	is_str(portid2str(&portid), "Lid 77 Gid fe00::7", "libibmad's text of it");
	madkit_addr_from_portid(&again, &portid);
	is_mem(&again, &addr, sizeof(addr), "and back");
}

static void test_wire(void)
{
	struct madkit_addr addr = { .lid = 0 };
	ib_portid_t portid;
	uint8_t mad[256], mgmt_class;
	uint16_t lid;

	madkit_parse_path("0,4", &addr, NULL);
	madkit_addr_to_portid(&portid, &addr);
	test_portid_build(&portid, &lid, &mgmt_class, mad);
	ok(lid == 0xffff && mgmt_class == 0x81 && mad[7] == 1 && mad[129] == 4,
	   "libibmad sends a route to the permissive LID");

	addr.lid = 5;
	is_int(madkit_addr_to_portid(&portid, &addr), -EINVAL,
	       "a route behind a LID needs its DrSLID written down");
	addr.dr_slid = 2;
	is_int(madkit_addr_to_portid(&portid, &addr), 0, "with it");
	test_portid_build(&portid, &lid, &mgmt_class, mad);
	ok(lid == 5 && mgmt_class == 0x81 && mad[33] == 2 && mad[34] == 0xff,
	   "libibmad sends it to the LID first");

	struct madkit_addr again;

	madkit_addr_from_portid(&again, &portid);
	is_mem(&again, &addr, sizeof(addr), "and back");
}

static void test_ranges(void)
{
	struct madkit_addr addr;
	ib_portid_t portid = { .lid = 0x10000 };

	is_int(madkit_addr_from_portid(&addr, &portid), -ERANGE, "a LID of 17 bits");
	portid.lid = 0;
	portid.drpath.cnt = 64;
	is_int(madkit_addr_from_portid(&addr, &portid), -ERANGE, "64 hops");
	portid.drpath.cnt = -1;
	is_int(madkit_addr_from_portid(&addr, &portid), -ERANGE, "-1 hops");
	portid.drpath.cnt = 63;
	is_int(madkit_addr_from_portid(&addr, &portid), 0, "63 hops");
	portid.pkey_idx = 0x10000;
	is_int(madkit_addr_from_portid(&addr, &portid), -ERANGE, "a P_Key index of 17 bits");
	addr = (struct madkit_addr){ .lid = 0x10000 };
	is_int(madkit_addr_to_portid(&portid, &addr), -ERANGE, "a LID of 17 bits the other way");
	addr = (struct madkit_addr){ .direct = true, .hops = 64 };
	is_int(madkit_addr_to_portid(&portid, &addr), -ERANGE, "64 hops the other way");
	memset(&portid, 0, sizeof(portid));
	madkit_addr_from_portid(&addr, &portid);
	ok(addr.direct && !addr.hops, "an empty portid is libibmad's own node: route 0");
}

int main(void)
{
	test_routes();
	test_lids();
	test_wire();
	test_ranges();
	return tap_done();
}
