/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What subnet administration answers: records are read with opensm's ib_types.h and with
 * the library's tables; statuses are those of opensm and of the IBA. */
#include "tests/unit/sim_sa.h"
#include <iba/ib_types.h>

enum {
	VERSION = 0x0004, METHOD = 0x0008, ATTRIBUTE = 0x000c, NO_RESOURCES = 0x0100,
	INVALID = 0x0200, NO_RECORDS = 0x0300, TOO_MANY = 0x0400, INVALID_GID = 0x0500,
	INSUFFICIENT = 0x0600,
};

/* ---- headers ------------------------------------------------------------------------- */

static void headers(struct desk *d)
{
	const uint8_t *mad;

	is_int(ask(d, GET, "NodeRecord", "LID=%u", d->from.lid), 0, "Get(NodeRecord)");
	mad = (const uint8_t *)d->out.data;
	is_u64(d->out.len, 256, "... is one MAD");
	is_u64(mad[3], 0x81, "... GetResp");
	is_u64(get_be64(mad + 8), 0x1234567800000007, "... of this transaction");
	is_u64(get_be16(mad + 44), 14, "... AttributeOffset");
	ok(bytes_are_zero(mad + 24, 12), "... without RMPP");
	is_int(ask(d, GET_TABLE, "NodeRecord", ALL), 0, "GetTable(NodeRecord)");
	mad = (const uint8_t *)d->out.data;
	is_u64(mad[3], 0x92, "... GetTableResp");
	is_u64(madkit_rmpp_get_flags(mad), MADKIT_RMPP_ACTIVE, "... by RMPP");
	is_u64(madkit_rmpp_get_version(mad), 1, "... version 1");
	is_u64(madkit_rmpp_get_type(mad), MADKIT_RMPP_DATA, "... DATA");
	is_u64(d->out.len, 56 + 6 * sizeof(ib_node_record_t), "... of six records");
	is_int(ask(d, GET_TABLE, "NodeRecord", "LID=999"), 0, "a table of none");
	is_u64(d->out.len, 56, "... is its headers");
	is_u64(madkit_rmpp_get_flags((const uint8_t *)d->out.data), MADKIT_RMPP_ACTIVE,
	       "... by RMPP too");
	is_int(ask(d, GET, "NodeRecord", "LID=999"), NO_RECORDS, "a Get of none");
	is_int(ask(d, GET, "NodeRecord", ALL), TOO_MANY, "a Get of six");
	is_u64(d->out.len, 256, "... is one MAD");
	d->key = KEY + 1;
	is_int(ask(d, GET_TABLE, "NodeRecord", ALL), SILENCE, "a wrong SM_Key");
	d->key = KEY;
	is_int(ask(d, GET_TABLE, "NodeRecord", ALL), 0, "the right one");
	ok(bytes_are_zero((const uint8_t *)d->out.data + 36, 8), "... does not come back");
	d->key = 0;
	d->class_version = 1;
	is_int(ask(d, GET_TABLE, "NodeRecord", ALL), VERSION, "class version 1");
	d->class_version = 2;
	is_int(ask(d, 0x16, "NodeRecord", ALL), METHOD, "a method that there is not");
	is_int(ask(d, SET, "NodeRecord", ALL), ATTRIBUTE, "Set(NodeRecord)");
	is_int(ask(d, DELETE, "PathRecord", ALL), ATTRIBUTE, "Delete(PathRecord)");
	is_u64(d->out.data[3] & 0xff, 0x95, "... DeleteResp");
	is_int(ask(d, GET, "HierarchyInfoRecord", ALL), ATTRIBUTE, "an attribute that it has not");
	is_int(ask(d, GET_TABLE, "ClassPortInfo", ALL), ATTRIBUTE, "GetTable(ClassPortInfo)");
	is_int(ask(d, 5, "Notice", ALL), SILENCE, "a Trap");
	is_int(ask(d, 0x81, "NodeRecord", ALL), SILENCE, "a response");
	desk_write(d, GET, "NodeRecord", "NodeRecord", ALL);
	put_be64(d->message + 48, UINT64_C(1) << 40);
	is_int(desk_send(d), INVALID, "a component that there is none of");
	d->len = 55;
	is_int(desk_send(d), SILENCE, "a message without its headers");
	d->from.lid = 999;
	is_int(ask(d, GET_TABLE, "NodeRecord", ALL), SILENCE, "from nowhere");
	d->from.lid = desk_lid(d, "h1", 1);
}

int main(void)
{
	static struct desk d;

	desk_open(&d, LINE_NET, "h1", true);
	headers(&d);
	desk_close(&d);
	return tap_done();
}
