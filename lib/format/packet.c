/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the MAD in a packet, from the link header down to the payload (IBA volume 1, chapters 7 to 9 for LRH,
 * GRH, BTH and DETH, annexes A16 and A17 for RoCE).
 */
#include <errno.h>
#include <stddef.h>
#include <madkit/capture.h>
#include <madkit/mad.h>
#include "util/array_size.h"
#include "util/bits.h"

enum {
	ERF_BYTES = 16,
	ERF_EXTENSION_BYTES = 8,
	ERF_MORE = 0x80, /* in a type: an extension follows */
	ERF_ETHERNET = 2,
	ERF_COLOR_ETHERNET = 11,
	ERF_DSM_ETHERNET = 16,
	ERF_HASH_ETHERNET = 20,
	ERF_INFINIBAND = 21,
	ERF_IPV4 = 22,
	ERF_IPV6 = 23,
	LRH_BYTES = 8,
	GRH_BYTES = 40, /* also of an IPv6 header, which has the same format */
	BTH_BYTES = 12,
	DETH_BYTES = 8,
	IMMEDIATE_BYTES = 4,
	ICRC_BYTES = 4,
	VCRC_BYTES = 2,
	NEXT_BTH = 2,
	NEXT_GRH = 3,
	GRH_NEXT_IBA = 0x1b,
	OPCODE_UD_SEND = 0x64,
	OPCODE_UD_SEND_IMMEDIATE = 0x65,
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_IPV6 = 0x86dd,
	ETHERTYPE_ROCE = 0x8915,
	IP_UDP = 17,
	IP_HOP_OPTIONS = 0,
	IP_ROUTING = 43,
	IP_DESTINATION = 60,
	UDP_BYTES = 8,
	UDP_ROCE = 4791,
};

/* The rest of a packet, and what has been found in it. */
struct reader {
	const uint8_t *p;
	size_t len;
	size_t wire;                   /* bytes left on the wire: len or more */
	const uint8_t *lrh, *grh, *ip; /* NULL: none */
	uint8_t sl;
	struct madkit_packet_mad *mad;
	struct madkit_error *error;
};

/* Takes the next n bytes. Returns 1; 0 if the packet is too short for them, and so has no MAD; -ENODATA if it
 * was cut. */
static int packet_take_bytes(struct reader *r, size_t n, const char *what, const uint8_t **p)
{
	*p = r->p;
	if (r->wire < n)
		return 0;
	if (r->len < n)
		return madkit_error_set(r->error, -ENODATA, -1, "the packet is cut within its %s", what);
	r->p += n;
	r->len -= n;
	r->wire -= n;
	return 1;
}

/* Drops everything after the next n bytes of the wire. */
static void packet_truncate(struct reader *r, size_t n)
{
	if (r->wire > n)
		r->wire = n;
	if (r->len > n)
		r->len = n;
}

/* ---- addresses ------------------------------------------------------------------- */

static void put_ends(const struct reader *r, const uint8_t *bth, const uint8_t *deth)
{
	struct madkit_packet_mad *m = r->mad;
	struct madkit_addr *s = &m->source, *d = &m->destination;

	memset(s, 0, sizeof(*s));
	s->sl = r->sl;
	s->qkey = get_be32(deth);
	s->pkey = get_be16(bth + 2);
	if (r->ip && *r->ip >> 4 == 4) {
		s->grh = true;
		s->gid[10] = s->gid[11] = 0xff;
		s->traffic_class = r->ip[1];
		s->hop_limit = r->ip[8];
	} else if (r->grh) {
		s->grh = true;
		s->traffic_class = (uint8_t)(get_be16(r->grh) >> 4);
		s->flow_label = get_be32(r->grh) & 0xfffff;
		s->hop_limit = r->grh[7];
	}
	*d = *s;
	d->qp = get_be32(bth + 4) & 0xffffff;
	s->qp = get_be32(deth + 4) & 0xffffff;
	if (r->lrh) {
		d->lid = get_be16(r->lrh + 2);
		s->lid = get_be16(r->lrh + 6);
	}
	if (r->ip && *r->ip >> 4 == 4) {
		memcpy(s->gid + 12, r->ip + 12, 4);
		memcpy(d->gid + 12, r->ip + 16, 4);
	} else if (r->grh) {
		memcpy(s->gid, r->grh + 8, 16);
		memcpy(d->gid, r->grh + 24, 16);
	}
	if (!madkit_smp_get_route(m->mad, m->len, s)) {
		madkit_smp_get_route(m->mad, m->len, d);
		if (s->lid == MADKIT_LID_PERMISSIVE)
			s->lid = 0;
		if (d->lid == MADKIT_LID_PERMISSIVE)
			d->lid = 0;
	}
}

/* ---- transport -------------------------------------------------------------------- */

static int packet_contradicts(const struct reader *r, const char *what, size_t n)
{
	return madkit_error_set(r->error, -EBADMSG, -1, "%s %zu bytes", what, n);
}

/* Reads the BTH and what follows. size: bytes from the BTH through the invariant CRC. */
static int packet_transport(struct reader *r, size_t size)
{
	const uint8_t *bth, *deth;
	struct madkit_packet_mad *m = r->mad;
	size_t head = BTH_BYTES + DETH_BYTES, tail, frame;
	bool management;
	int ret;

	ret = packet_take_bytes(r, BTH_BYTES, "transport headers", &bth);
	if (ret <= 0)
		return ret;
	if (bth[0] != OPCODE_UD_SEND && bth[0] != OPCODE_UD_SEND_IMMEDIATE)
		return 0;
	ret = packet_take_bytes(r, DETH_BYTES, "transport headers", &deth);
	if (ret <= 0)
		return ret;
	management = (get_be32(bth + 4) & 0xfffffe) == 0;
	if (!management && get_be32(deth) != MADKIT_QKEY_GSI)
		return 0;
	if (bth[0] == OPCODE_UD_SEND_IMMEDIATE) {
		head += IMMEDIATE_BYTES;
		ret = packet_take_bytes(r, IMMEDIATE_BYTES, "transport headers", &m->mad);
		if (ret <= 0)
			return ret;
	}
	tail = ICRC_BYTES + (bth[1] >> 4 & 3); /* and the padding */
	if (size < head + tail)
		return packet_contradicts(r, "the headers leave no room: by them the packet has", size);
	m->bytes = size - head - tail;
	m->mad = r->p;
	m->len = r->len < m->bytes ? r->len : m->bytes;
	if (m->len && !management && m->mad[0] != MADKIT_BASE_VERSION_IB &&
	    m->mad[0] != MADKIT_BASE_VERSION_OPA)
		return 0;
	frame = m->len ? madkit_mad_bytes(m->mad[0]) : MADKIT_MAD_BYTES;
	if (m->bytes > frame)
		m->bytes = frame;
	if (m->len > frame)
		m->len = frame;
	if (m->bytes < MADKIT_HEADER_BYTES)
		return packet_contradicts(r, "a MAD of", m->bytes);
	put_ends(r, bth, deth);
	return 1;
}

/* Reads a GRH, or RoCE version 1, which begins with one. */
static int packet_global(struct reader *r)
{
	size_t size;
	int ret;

	ret = packet_take_bytes(r, GRH_BYTES, "GRH", &r->grh);
	if (ret <= 0)
		return ret;
	size = get_be16(r->grh + 4);
	return r->grh[6] == GRH_NEXT_IBA ? packet_transport(r, size) : 0;
}

static int packet_infiniband(struct reader *r)
{
	size_t wire = r->wire, size;
	int ret;

	ret = packet_take_bytes(r, LRH_BYTES, "LRH", &r->lrh);
	if (ret <= 0)
		return ret;
	r->sl = r->lrh[1] >> 4;
	size = (get_be16(r->lrh + 4) & 0x7ff) * 4u;
	switch (r->lrh[1] & 3) {
	case NEXT_GRH:
		return packet_global(r);
	case NEXT_BTH:
		/* 0: larger than the field can hold, so take everything */
		if (!size)
			size = wire > VCRC_BYTES ? wire - VCRC_BYTES : 0;
		return packet_transport(r, size > LRH_BYTES ? size - LRH_BYTES : 0);
	}
	return 0;
}

static int packet_udp(struct reader *r)
{
	const uint8_t *p;
	size_t size;
	int ret;

	ret = packet_take_bytes(r, UDP_BYTES, "UDP header", &p);
	if (ret <= 0)
		return ret;
	size = get_be16(p + 4);
	if (get_be16(p + 2) != UDP_ROCE)
		return 0;
	return size > UDP_BYTES ? packet_transport(r, size - UDP_BYTES) :
				  packet_contradicts(r, "a UDP datagram of", size);
}

static int packet_ipv4(struct reader *r)
{
	const uint8_t *p;
	size_t options;
	int ret;

	ret = packet_take_bytes(r, 20, "IP header", &r->ip);
	if (ret <= 0)
		return ret;
	options = (r->ip[0] & 15) * 4u;
	/* RoCE packets are never fragmented */
	if (options < 20 || r->ip[9] != IP_UDP || get_be16(r->ip + 6) & 0x3fff)
		return 0;
	ret = packet_take_bytes(r, options - 20, "IP header", &p);
	if (ret <= 0)
		return ret;
	return packet_udp(r);
}

static int packet_ipv6(struct reader *r)
{
	const uint8_t *p, *rest;
	uint8_t next;
	int ret;

	ret = packet_take_bytes(r, GRH_BYTES, "IPv6 header", &r->ip);
	if (ret <= 0)
		return ret;
	r->grh = r->ip;
	next = r->ip[6];
	while (next == IP_HOP_OPTIONS || next == IP_ROUTING || next == IP_DESTINATION) {
		ret = packet_take_bytes(r, 8, "IPv6 header", &p);
		if (ret > 0)
			ret = packet_take_bytes(r, p[1] * 8u, "IPv6 header", &rest);
		if (ret <= 0)
			return ret;
		next = p[0];
	}
	return next == IP_UDP ? packet_udp(r) : 0;
}

/* ---- links ------------------------------------------------------------------------- */

static int packet_ip(struct reader *r)
{
	if (!r->len)
		return 0;
	switch (r->p[0] >> 4) {
	case 4:
		return packet_ipv4(r);
	case 6:
		return packet_ipv6(r);
	}
	return 0;
}

/* Reads what follows an ethertype, after any VLAN tags. */
static int packet_ethertype(struct reader *r, uint16_t type)
{
	const uint8_t *tag;
	int ret;

	while (type == 0x8100 || type == 0x88a8 || type == 0x9100) {
		ret = packet_take_bytes(r, 4, "VLAN tag", &tag);
		if (ret <= 0)
			return ret;
		r->sl = tag[0] >> 5;
		type = get_be16(tag + 2);
	}
	switch (type) {
	case ETHERTYPE_IPV4:
		return packet_ipv4(r);
	case ETHERTYPE_IPV6:
		return packet_ipv6(r);
	case ETHERTYPE_ROCE:
		return packet_global(r);
	}
	return 0;
}

/* Reads a header with an ethertype at type_at. */
static int packet_after_header(struct reader *r, size_t bytes, size_t type_at)
{
	const uint8_t *p;
	int ret = packet_take_bytes(r, bytes, "link header", &p);

	return ret > 0 ? packet_ethertype(r, get_be16(p + type_at)) : ret;
}

static int packet_ethernet(struct reader *r)
{
	return packet_after_header(r, 14, 12);
}

static int packet_cooked(struct reader *r)
{
	return packet_after_header(r, 16, 14);
}

static int packet_cooked_2(struct reader *r)
{
	return packet_after_header(r, 20, 0);
}

/* Sets the length on the wire, if the record has it. */
static void packet_on_wire(struct reader *r, size_t wire)
{
	if (!wire)
		return;
	packet_truncate(r, wire);
	r->wire = wire;
}

/* Reads time, type, flags, length of the record, loss counter, length on the wire. */
static int packet_erf_record(struct reader *r)
{
	const uint8_t *p, *extension;
	size_t record, head = ERF_BYTES, wire;
	uint8_t more, type;
	int ret;

	ret = packet_take_bytes(r, ERF_BYTES, "ERF header", &p);
	if (ret <= 0)
		return ret;
	record = get_be16(p + 10);
	wire = get_be16(p + 14);
	type = p[8] & (ERF_MORE - 1);
	for (more = p[8] & ERF_MORE; more && head < record; more = extension[0] & ERF_MORE) {
		ret = packet_take_bytes(r, ERF_EXTENSION_BYTES, "ERF header", &extension);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		head += ERF_EXTENSION_BYTES;
	}
	if (more || record < head)
		return packet_contradicts(r, "an ERF record that claims", record);
	/* records are padded at their end */
	packet_truncate(r, record - head);
	switch (type) {
	case ERF_INFINIBAND:
		packet_on_wire(r, wire);
		return packet_infiniband(r);
	case ERF_ETHERNET:
	case ERF_COLOR_ETHERNET:
	case ERF_DSM_ETHERNET:
	case ERF_HASH_ETHERNET:
		ret = packet_take_bytes(r, 2, "ERF header", &p);
		if (ret <= 0)
			return ret;
		packet_on_wire(r, wire);
		return packet_ethernet(r);
	case ERF_IPV4:
	case ERF_IPV6:
		packet_on_wire(r, wire);
		return packet_ip(r);
	}
	return 0;
}

/* Link types of tcpdump.org's list. Most of them cannot carry MADs. */
static const struct link_type {
	uint16_t id;
	const char *name;
	int (*read)(struct reader *r);
} link_types[] = {
	{ 0, "BSD loopback", NULL },
	{ 1, "Ethernet", packet_ethernet },
	{ 6, "token ring", NULL },
	{ 9, "PPP", NULL },
	{ 101, "IP", packet_ip },
	{ 105, "IEEE 802.11", NULL },
	{ 113, "Linux cooked", packet_cooked },
	{ 119, "Prism", NULL },
	{ 127, "radiotap", NULL },
	{ 189, "USB", NULL },
	{ 192, "PPI", NULL },
	{ 195, "IEEE 802.15.4", NULL },
	{ 197, "ERF", packet_erf_record },
	{ 201, "Bluetooth", NULL },
	{ 220, "USB", NULL },
	{ 228, "IPv4", packet_ip },
	{ 229, "IPv6", packet_ip },
	{ 239, "NFLOG", NULL },
	{ 242, "IP over InfiniBand", NULL },
	{ 247, "InfiniBand", packet_infiniband },
	{ 249, "USBPcap", NULL },
	{ 252, "Wireshark's upper PDUs", NULL },
	{ 253, "netlink", NULL },
	{ 276, "Linux cooked 2", packet_cooked_2 },
};

static const struct link_type *find_link_type(uint16_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(link_types); i++)
		if (link_types[i].id == id)
			return &link_types[i];
	return NULL;
}

int madkit_packet_get_mad(const struct madkit_packet *packet, struct madkit_packet_mad *mad,
			  struct madkit_error *error)
{
	const struct link_type *type = find_link_type(packet->link_type);
	struct reader r = {
		.p = packet->data,
		.len = packet->len,
		.wire = packet->wire > packet->len ? packet->wire : packet->len,
		.mad = mad,
		.error = error,
	};

	if (type && type->read)
		return type->read(&r);
	return madkit_error_set(error, -EOPNOTSUPP, -1, "link type %u%s%s%s is not read", packet->link_type,
				type ? " (" : "", type ? type->name : "", type ? ")" : "");
}
