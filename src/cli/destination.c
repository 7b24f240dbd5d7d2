/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "destination.h"

bool destination_given(const struct destination *d)
{
	return d->have_lid || d->have_guid || d->have_gid || d->name || d->have_direct;
}

bool destination_is_resolved(const struct destination *d)
{
	return d->have_guid || d->name || (d->have_gid && !d->have_lid);
}

void destination_take_json(struct destination *d, const struct madkit_json_message *m)
{
	unsigned int given = m->given;
	bool path = given & MADKIT_JSON_PATH;
	bool other = given & (MADKIT_JSON_GID | MADKIT_JSON_GUID | MADKIT_JSON_NAME);
	/* a directed route is printed with the permissive LID at its start; an address without a LID (RoCE)
	 * is printed with LID 0 */
	bool lid = given & MADKIT_JSON_LID && !((path || other) && !m->remote.lid) &&
		   !(path && m->remote.lid == MADKIT_LID_PERMISSIVE);

	if (path || lid || other) {
		d->have_lid = lid;
		d->lid = m->remote.lid;
		d->have_guid = given & MADKIT_JSON_GUID;
		d->guid = m->guid;
		d->have_gid = given & MADKIT_JSON_GID;
		memcpy(d->addr.gid, m->remote.gid, sizeof(d->addr.gid));
		d->name = given & MADKIT_JSON_NAME ? m->name : NULL;
		d->have_direct = path;
		if (path) {
			d->addr.direct = true;
			d->addr.hops = m->remote.hops;
			memcpy(d->addr.path, m->remote.path, sizeof(d->addr.path));
		}
	}
	if (given & MADKIT_JSON_QP) {
		d->have_qp = true;
		d->addr.qp = m->remote.qp;
	}
	if (given & MADKIT_JSON_SL) {
		d->have_sl = true;
		d->addr.sl = m->remote.sl;
	}
	if (given & MADKIT_JSON_PKEY_INDEX)
		d->addr.pkey_index = m->remote.pkey_index;
}

void destination_show(const struct destination *d, const struct madkit_addr *addr,
		      struct madkit_unresolved *to, struct madkit_message *message)
{
	/* omit an unknown address: a batch would send a line that has LID 0 to LID 0 */
	message->remote = destination_given(d) || addr->direct || addr->lid ? addr : NULL;
	*to = (struct madkit_unresolved){ .guid = d->guid, .name = d->name, .sl_given = d->have_sl };
	message->unresolved = d->have_guid || d->name ? to : NULL;
}
