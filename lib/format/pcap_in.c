/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads classic pcap: a record is its time, two lengths and the packet. */
#include <errno.h>
#include "format/capture_int.h"

enum { RECORD_BYTES = 16 };

int pcap_next(struct madkit_capture *c, struct capture_bytes *b, struct madkit_packet *packet,
	      struct madkit_error *error)
{
	const uint8_t *p = b->p + b->done;
	size_t have = b->len - b->done;
	uint32_t captured, most, fraction;

	if (have < RECORD_BYTES)
		return capture_short(b, "a record's header", have, RECORD_BYTES, error);
	captured = capture_32(c, p + 8);
	/* some writers exceed their own limit */
	most = c->snapshot > CAPTURE_PACKET_USUAL ? c->snapshot : CAPTURE_PACKET_USUAL;
	if (captured > most || captured > CAPTURE_PACKET_MAX)
		return madkit_error_set(error, -EBADMSG, -1, "a record claims a packet of %u bytes",
					captured);
	have -= RECORD_BYTES;
	if (have < captured && !b->last)
		return 0;
	fraction = capture_32(c, p + 4);
	packet->time.tv_sec = capture_32(c, p);
	packet->time.tv_nsec = fraction < 1000000000 / c->nanoseconds ? (long)(fraction * c->nanoseconds) :
									-1;
	packet->link_type = c->link_type;
	packet->data = p + RECORD_BYTES;
	packet->len = have < captured ? have : captured;
	packet->wire = capture_32(c, p + 12);
	packet->missing = captured - packet->len;
	b->done += RECORD_BYTES + packet->len;
	return 1;
}
