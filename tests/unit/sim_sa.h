/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Subnet administration without a host: requests are written by the names of fields. */
#ifndef TESTS_UNIT_SIM_SA_H
#define TESTS_UNIT_SIM_SA_H

#include <madkit/field.h>
#include <madkit/registry.h>
#include <madkit/rmpp.h>
#include "sim/sa/internal.h"
#include "tests/unit/sim_subnet.h"

enum {
	GET = 1,
	SET = 2,
	GET_TABLE = 0x12,
	GET_TRACE = 0x13,
	GET_MULTI = 0x14,
	DELETE = 0x15,
	KEY = 0x4242,
	SILENCE = -1
};

struct desk {
	struct net n;
	struct subnet s;
	struct sa sa;
	struct madkit_addr from; /* who asks */
	struct madkit_buf out;
	uint64_t now;
	uint64_t key; /* that is sent */
	uint32_t modifier;
	uint8_t class_version;
	/* the request, which the caller may change */
	uint8_t message[1024];
	size_t len;
	/* the latest answer */
	const uint8_t *records;
	unsigned int count;
	size_t stride;
	/* the latest call of the manager */
	unsigned int told;
	struct sa_group group;
	uint32_t members[64];
};

static void desk_group(void *context, const struct sa_group *group)
{
	struct desk *d = context;

	d->told++;
	d->group = *group;
	for (unsigned int i = 0; i < group->nmembers && i < 64; i++)
		d->members[i] = group->members[i];
}

/* The port (in ports) of a node. */
static uint32_t desk_port(const struct desk *d, const char *node, unsigned int port)
{
	return d->s.nodes[net_node(&d->n, node)].first + port;
}

static unsigned int desk_lid(const struct desk *d, const char *node, unsigned int port)
{
	return mad_get_field((void *)d->s.ports[desk_port(d, node, port)].info, 0, IB_PORT_LID_F);
}

/* On topology, asked from a node; h2's first port has two LIDs where there is one. */
static void desk_open(struct desk *d, const char *topology, const char *from, bool routes)
{
	struct sa_options options = {
		.subnet = &d->s,
		.sm_key = KEY,
		.priority = 5,
		.group = desk_group,
		.context = d,
	};
	uint32_t h2;

	memset(d, 0, sizeof(*d));
	net_open(&d->n, topology);
	h2 = net_node(&d->n, "h2");
	subnet_make(&d->s, d->n.f, h2 == TOPOLOGY_NONE ? SUBNET_NONE : d->n.t->nodes[h2].first + 1, routes);
	d->s.sm_port = desk_port(d, from, 1);
	d->from = (struct madkit_addr){ .lid = desk_lid(d, from, 1), .qp = 1 };
	d->class_version = 2;
	if (sa_init(&d->sa, &options)) {
		printf("Bail out! no SA\n");
		exit(1);
	}
	madkit_buf_init(&d->out, SA_RESPONSE_MAX);
}

static void desk_close(struct desk *d)
{
	madkit_buf_free(&d->out);
	sa_fini(&d->sa);
	subnet_free(&d->s);
	net_close(&d->n);
}

/* Sends the message in d. Returns its status, or SILENCE. */
static int desk_send(struct desk *d)
{
	const uint8_t *mad;

	madkit_buf_reset(&d->out);
	d->count = 0;
	if (!sa_answer(&d->sa, &d->from, d->message, d->len, d->now, &d->out))
		return SILENCE;
	mad = (const uint8_t *)d->out.data;
	d->stride = 8 * get_be16(mad + 44);
	d->records = mad + 56;
	if (!get_be16(mad + 4))
		d->count = mad[3] & 0x10 && mad[3] != 0x95 ?
				   d->stride ? (unsigned int)((d->out.len - 56) / d->stride) : 0 :
				   1;
	return get_be16(mad + 4);
}

static const struct madkit_attribute *sa_attribute_named(const char *name)
{
	const struct madkit_attribute *a;
	uint8_t mgmt_class;
	uint16_t id;

	if (madkit_attribute_find(name, 3, &mgmt_class, &id, &a, NULL) || !a) {
		printf("Bail out! no attribute %s\n", name);
		exit(1);
	}
	return a;
}

/* Fields: "Name=value Name=value", in the layout of the attribute or of another. */
static void desk_write(struct desk *d, unsigned int method, const char *attribute, const char *layout,
		       const char *fields)
{
	const struct madkit_attribute *l = sa_attribute_named(layout);
	struct madkit_error error = { .text = "" };
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = 3,
		.class_version = d->class_version,
		.method = (uint8_t)method,
		.tid = 0x1234567800000007,
		.modifier = d->modifier,
	};
	char words[1024], *save, *word;
	uint64_t mask = 0;

	memset(d->message, 0, sizeof(d->message));
	h.attribute = sa_attribute_named(attribute)->id;
	madkit_header_put(d->message, 256, &h);
	if (method == MADKIT_METHOD_GET_MULTI) {
		madkit_rmpp_set_version(d->message, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(d->message, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(d->message, MADKIT_RMPP_ACTIVE);
	}
	put_be64(d->message + 36, d->key);
	snprintf(words, sizeof(words), "%s", fields);
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		struct madkit_place place;
		char *value = strchr(word, '=');

		*value++ = '\0';
		if (madkit_set(l->layout, d->message + 56, 800, word, value, &place, &error))
			ok(false, "%s=%s: %s", word, value, error.text);
		else
			mask |= madkit_place_mask(&place);
	}
	put_be64(d->message + 48, mask);
	d->len = 256;
}

/* No field is named. */
#define ALL " "

__attribute__((format(printf, 4, 5))) static int desk_ask(struct desk *d, unsigned int method,
							  const char *attribute, const char *format, ...)
{
	char fields[600];
	va_list args;

	va_start(args, format);
	vsnprintf(fields, sizeof(fields), format, args);
	va_end(args);
	desk_write(d, method, attribute, attribute, fields);
	return desk_send(d);
}

/* A field of record n of the latest answer, by the library's tables. */
__attribute__((unused)) static uint64_t field(const struct desk *d, const char *attribute, unsigned int n,
					      const char *name)
{
	struct madkit_place place;
	uint64_t value = 0;

	if (madkit_place_find(sa_attribute_named(attribute)->layout, name, strlen(name), &place, NULL) ||
	    n >= d->count ||
	    madkit_field_get(place.field, place.index, d->records + n * d->stride + place.base / 8, 200,
			     &value))
		ok(false, "%s has %s", attribute, name);
	return value;
}

#endif
