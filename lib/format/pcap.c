/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes capture files: classic pcap with nanoseconds, little-endian, link type ERF (197), records of type
 * 21. Link headers are synthesised from the address (IBA volume 1, chapters 7 to 9), because umad does not
 * report them.
 */
#include <madkit/format.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "format/redact.h"
#include "util/bits.h"

enum {
	RECORD_BYTES = 16, /* of pcap */
	ERF_BYTES = 16,
	LRH_BYTES = 8,
	GRH_BYTES = 40,
	BTH_BYTES = 12,
	DETH_BYTES = 8,
	CRC_BYTES = 6, /* invariant 4, variant 2 */
	FRAME_MAX = RECORD_BYTES + ERF_BYTES + LRH_BYTES + GRH_BYTES + BTH_BYTES + DETH_BYTES +
		    MADKIT_FRAME_BYTES + CRC_BYTES,
	LINKTYPE_ERF = 197,
	ERF_INFINIBAND = 21,
	ERF_VARYING = 0x04, /* records of varying length */
	OPCODE_UD_SEND = 0x64,
	PKEY_DEFAULT = 0xffff,
	NEXT_BTH = 2,
	NEXT_GRH = 3,
	GRH_NEXT_IBA = 0x1b,
};

static void put_le16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void put_le32(uint8_t *p, uint32_t v)
{
	put_le16(p, (uint16_t)v);
	put_le16(p + 2, (uint16_t)(v >> 16));
}

void madkit_pcap_begin(struct madkit_buf *buf)
{
	uint8_t h[24] = { 0 };

	put_le32(h, 0xa1b23c4d); /* nanoseconds */
	put_le16(h + 4, 2);
	put_le16(h + 6, 4);
	put_le32(h + 16, 65535); /* snapshot length */
	put_le32(h + 20, LINKTYPE_ERF);
	madkit_buf_add(buf, h, sizeof(h));
}

/* The ends between which packets are sent. */
struct ends {
	const struct madkit_addr *far, *near;
	bool sent; /* from near to far */
};

static void put_lrh(uint8_t *p, const struct ends *e, bool smp, size_t words)
{
	const struct madkit_addr *far = e->far, *near = e->near;
	uint16_t there = far->direct && !far->lid ? MADKIT_LID_PERMISSIVE : (uint16_t)far->lid;
	uint16_t here = there == MADKIT_LID_PERMISSIVE || far->direct ? MADKIT_LID_PERMISSIVE :
									(uint16_t)near->lid;

	p[0] = smp ? 0xf0 : 0; /* VL 15 is only for SMPs */
	p[1] = (uint8_t)((far->sl & 15) << 4 | (far->grh ? NEXT_GRH : NEXT_BTH));
	put_be16(p + 2, e->sent ? there : here);
	put_be16(p + 4, (uint16_t)(words & 0x7ff));
	put_be16(p + 6, e->sent ? here : there);
}

static void put_grh(uint8_t *p, const struct ends *e, size_t inner)
{
	const struct madkit_addr *far = e->far;

	put_be32(p, 6u << 28 | (uint32_t)far->traffic_class << 20 | (far->flow_label & 0xfffff));
	put_be16(p + 4, (uint16_t)inner);
	p[6] = GRH_NEXT_IBA;
	p[7] = far->hop_limit;
	memcpy(p + 8, e->sent ? e->near->gid : far->gid, 16);
	memcpy(p + 24, e->sent ? far->gid : e->near->gid, 16);
}

/* Writes LRH, GRH if any, BTH and DETH. Returns the end. bytes: length of the MAD. */
static uint8_t *pcap_put_headers(uint8_t *p, const struct ends *e, bool smp, size_t bytes)
{
	const struct madkit_addr *far = e->far;
	uint32_t usual = smp ? 0 : 1, there = far->qp ? far->qp : usual;
	uint32_t here = e->near->qp ? e->near->qp : usual;
	size_t inner = BTH_BYTES + DETH_BYTES + bytes + 4;
	size_t words = (LRH_BYTES + (far->grh ? GRH_BYTES : 0) + inner) / 4;

	put_lrh(p, e, smp, words);
	p += LRH_BYTES;
	if (far->grh) {
		put_grh(p, e, inner);
		p += GRH_BYTES;
	}
	memset(p, 0, BTH_BYTES + DETH_BYTES);
	p[0] = OPCODE_UD_SEND;
	put_be16(p + 2, far->pkey ? far->pkey : PKEY_DEFAULT);
	put_be32(p + 4, e->sent ? there : here);
	p += BTH_BYTES;
	put_be32(p, smp ? 0 : far->qkey ? far->qkey : MADKIT_QKEY_GSI);
	put_be32(p + 4, e->sent ? here : there);
	return p + DETH_BYTES;
}

/* Writes one packet with a MAD of the given bytes, of which len are available. Returns the place of the MAD,
 * so that its header can be changed. */
static uint8_t *pcap_put_packet(struct madkit_buf *buf, const struct madkit_message *m,
				const struct ends *ends, const uint8_t *mad, size_t len, size_t bytes)
{
	uint8_t *record = (uint8_t *)madkit_buf_room(buf, FRAME_MAX), *erf, *p;
	uint32_t seconds = 0, nanoseconds = 0;
	size_t wire;

	if (!record)
		return NULL;
	if (m->time.tv_nsec >= 0) {
		seconds = (uint32_t)m->time.tv_sec;
		nanoseconds = (uint32_t)m->time.tv_nsec;
	}
	erf = record + RECORD_BYTES;
	p = pcap_put_headers(erf + ERF_BYTES, ends, madkit_class_is_smi(m->mad[MADKIT_MAD_CLASS]), bytes);
	memcpy(p, mad, len);
	memset(p + len, 0, bytes - len + CRC_BYTES);
	wire = (size_t)(p - erf) - ERF_BYTES + bytes + CRC_BYTES;

	put_le32(record, seconds);
	put_le32(record + 4, nanoseconds);
	put_le32(record + 8, (uint32_t)(ERF_BYTES + wire));
	put_le32(record + 12, (uint32_t)(ERF_BYTES + wire));
	/* seconds and a binary fraction */
	put_le32(erf, (uint32_t)(((uint64_t)nanoseconds << 32) / 1000000000));
	put_le32(erf + 4, seconds);
	erf[8] = ERF_INFINIBAND;
	erf[9] = ERF_VARYING;
	put_be16(erf + 10, (uint16_t)(ERF_BYTES + wire));
	put_be16(erf + 12, 0);
	put_be16(erf + 14, (uint16_t)wire);
	buf->len += RECORD_BYTES + ERF_BYTES + wire;
	return p;
}

/* Writes a message as several segments, as on the wire, with the headers in each. */
static void put_segments(struct madkit_buf *buf, const struct madkit_message *m, const struct ends *ends,
			 const uint8_t *mad, size_t begin, size_t frame)
{
	size_t room = frame - begin, head = begin - MADKIT_RMPP_END;
	size_t data = m->len - begin, segments = (data + room - 1) / room;

	for (size_t i = 0; i < segments; i++) {
		size_t at = i * room, n = data - at < room ? data - at : room;
		bool first = !i, last = i + 1 == segments;
		uint8_t *p = pcap_put_packet(buf, m, ends, mad, begin, frame);

		if (!p)
			return;
		memcpy(p + begin, mad + begin + at, n);
		madkit_rmpp_set_version(p, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(p, MADKIT_RMPP_DATA);
		madkit_rmpp_set_status(p, 0);
		madkit_rmpp_set_flags(p, MADKIT_RMPP_ACTIVE | (first ? MADKIT_RMPP_FIRST : 0) |
						 (last ? MADKIT_RMPP_LAST : 0));
		madkit_rmpp_set_segment(p, (uint32_t)i + 1);
		madkit_rmpp_set_length(p, (uint32_t)(first ? data + segments * head : last ? n + head : 0));
	}
}

int madkit_pcap_add(struct madkit_buf *buf, const struct madkit_message *message,
		    const struct madkit_addr *near, bool sent, bool show_keys)
{
	static const struct madkit_addr nowhere;
	const struct ends ends = {
		.far = message->remote ? message->remote : &nowhere,
		.near = near ? near : &nowhere,
		.sent = sent,
	};
	const uint8_t *mad = message->mad;
	size_t begin = buf->len, len = message->len, frame, data;
	struct madkit_buf copy;

	if (buf->error)
		return buf->error;
	if (!mad || len < MADKIT_HEADER_BYTES)
		return 0;
	madkit_buf_init(&copy, 0);
	if (!show_keys) {
		madkit_buf_add(&copy, mad, len);
		if (copy.error) {
			buf->error = copy.error;
			return buf->error;
		}
		redact(message, (uint8_t *)copy.data);
		mad = (const uint8_t *)copy.data;
	}
	frame = madkit_mad_bytes(mad[MADKIT_MAD_BASE_VERSION]);
	data = madkit_class_data_offset(mad[MADKIT_MAD_CLASS]);
	if (len > frame && madkit_class_is_rmpp(mad[MADKIT_MAD_CLASS]))
		put_segments(buf, message, &ends, mad, data, frame);
	else
		pcap_put_packet(buf, message, &ends, mad, len < frame ? len : frame, frame);
	madkit_buf_free(&copy);
	if (buf->error) {
		buf->len = begin;
		return buf->error;
	}
	return 0;
}
