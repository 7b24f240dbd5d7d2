/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fabric under test, with the latest packets that arrived at its hosts. Responses are read with
 * libibmad, whose tables are independent. */
#ifndef TESTS_UNIT_SIM_NET_H
#define TESTS_UNIT_SIM_NET_H

#include <errno.h>
#include <stdlib.h>
#include <infiniband/mad.h>
#include <madkit/addr.h>
#include "sim/fabric/fabric.h"
#include "tests/tap.h"
#include "topology/generate.h"

/* h1[1]-[1]A, h3[1]-[2]A, A[3]-[2]B, h2[1]-[1]B, and the second port of h2 to B[4] */
#define LINE_NET \
	"Switch 8 \"A\"\n[1] \"h1\"[1] w=3 s=7 e=7\n[2] \"h3\"[1]\n[3] \"B\"[2]\n" \
	"Switch 20 \"B\" # \"B of two\" enhanced port 0\n[1] \"h2\"[1]\n[2] \"A\"[3]\n[4] \"h2\"[2]\n" \
	"Ca 1 \"h1\"\n[1] \"A\"[1] w=3 s=7 e=3\n" \
	"sysimgguid=0x77\nvendid=0x2c9\ndevid=0x1011\nCa 2 \"h2\"\n[1] \"B\"[1]\n[2] \"B\"[4]\n" \
	"Ca 1 \"h3\"\n[1] \"A\"[2]\n"

enum { HOP_NS = 100, ANSWER_NS = 1000 };

struct net {
	struct topology *t;
	struct fabric *f;
	uint64_t now;
	unsigned int arrived, dropped;
	unsigned int disorder; /* arrived behind one with a higher transaction ID */
	uint64_t tid;
	/* the latest of each */
	uint32_t node;
	unsigned int port;
	struct fabric_head head;
	uint8_t mad[256];
	uint32_t drop_node;
	unsigned int drop_port;
	enum fabric_drop why;
	uint64_t sum; /* of all that happened */
};

static void net_see(struct net *n, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		n->sum = (n->sum ^ p[i]) * UINT64_C(0x100000001b3);
}

static void net_arrive(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
		       const uint8_t *mad)
{
	struct net *n = context;

	n->arrived++;
	n->disorder += get_be64(mad + 8) < n->tid;
	n->tid = get_be64(mad + 8);
	n->node = node;
	n->port = port;
	n->head = *head;
	memcpy(n->mad, mad, sizeof(n->mad));
	net_see(n, &node, sizeof(node));
	net_see(n, mad, sizeof(n->mad));
}

static void net_event(void *context, const struct sim_event *event)
{
	struct net *n = context;

	if (event->kind != EVENT_DROP || !event->mad)
		return;
	n->dropped++;
	n->drop_node = event->node;
	n->drop_port = event->port;
	n->why = event->why;
	net_see(n, &event->node, sizeof(event->node));
	net_see(n, event->mad, MADKIT_MAD_BYTES);
}

static void net_open_with(struct net *n, const char *text, struct fabric_vl15 vl15, uint64_t training_ns)
{
	struct madkit_error error = { .text = "" };
	struct fabric_options options = {
		.hop_ns = HOP_NS,
		.answer_ns = ANSWER_NS,
		.training_ns = training_ns,
		.vl15 = vl15,
		.watcher = { .arrive = net_arrive, .event = net_event, .context = n },
	};
	int ret;

	memset(n, 0, sizeof(*n));
	n->sum = 1;
	ret = strncmp(text, "fat-tree:", 9) ? topology_read(text, strlen(text), &n->t, &error) :
					      topology_generate(text, &n->t, &error);
	if (!ret)
		n->f = fabric_new(n->t, &options);
	if (!n->f) {
		printf("Bail out! no fabric: %s\n", error.text);
		exit(1);
	}
}

__attribute__((unused)) static void net_open(struct net *n, const char *text)
{
	net_open_with(n, text, (struct fabric_vl15){ 0 }, 0);
}

__attribute__((unused)) static void net_close(struct net *n)
{
	fabric_free(n->f);
	topology_free(n->t);
}

static uint32_t net_node(const struct net *n, const char *name)
{
	return topology_find(n->t, name, strlen(name));
}

/* Until nothing is under way. */
static void net_run(struct net *n)
{
	n->arrived = n->dropped = 0;
	while (fabric_deadline(n->f) != UINT64_MAX) {
		n->now = fabric_deadline(n->f);
		fabric_process(n->f, n->now);
	}
}

/* The SMP that was prepared in mad, along the route, or by LID where that is NULL. */
static void net_send(struct net *n, const char *from, const char *route, const struct fabric_head *head,
		     uint8_t *mad)
{
	struct madkit_addr addr = { .direct = true };
	struct fabric_head none = { .dlid = 0xffff };

	if (route) {
		mad[1] = 0x81;
		madkit_parse_path(route, &addr, NULL);
		addr.dr_slid = head ? get_be16(mad + 32) : 0;
		addr.dr_dlid = head ? get_be16(mad + 34) : 0;
		madkit_smp_put_route(mad, &addr, 0);
	}
	if (fabric_send(n->f, net_node(n, from),
			n->t->nodes[net_node(n, from)].type == TOPOLOGY_SWITCH ? 0 : 1, head ? head : &none,
			mad, 256, n->now))
		ok(false, "%s sends", from);
	net_run(n);
}

__attribute__((unused)) static void smp(uint8_t mad[256], unsigned int method, unsigned int attribute,
					unsigned int modifier)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = 1,
		.class_version = 1,
		.method = (uint8_t)method,
		/* TrapRepress is of a trap of the node itself */
		.tid = method == 7 ? 1 : 0x1234567800000001,
		.attribute = (uint16_t)attribute,
		.modifier = modifier,
	};

	memset(mad, 0, 256);
	madkit_header_put(mad, 256, &h);
}

/* Asks and is answered: the status, or -1. The data is in n->mad. */
__attribute__((unused)) static int net_get(struct net *n, const char *from, const char *route,
					   unsigned int attribute, unsigned int modifier)
{
	uint8_t mad[256];

	smp(mad, 1, attribute, modifier);
	net_send(n, from, route, NULL, mad);
	return n->arrived == 1 && n->mad[3] == 0x81 && n->node == net_node(n, from) ?
		       (get_be16(n->mad + 4) & 0x7fff) :
		       -1;
}

/* Sets what data holds. */
__attribute__((unused)) static int net_set(struct net *n, const char *from, const char *route,
					   unsigned int attribute, unsigned int modifier, const uint8_t *data)
{
	uint8_t mad[256];

	smp(mad, 2, attribute, modifier);
	memcpy(mad + 64, data, 64);
	net_send(n, from, route, NULL, mad);
	return n->arrived == 1 && n->mad[3] == 0x81 ? (get_be16(n->mad + 4) & 0x7fff) : -1;
}

/* A field of the latest answer, as libibmad reads it. */
__attribute__((unused)) static uint64_t got(const struct net *n, enum MAD_FIELDS field)
{
	return field == IB_NODE_GUID_F || field == IB_NODE_SYSTEM_GUID_F || field == IB_NODE_PORT_GUID_F ||
			       field == IB_PORT_MKEY_F || field == IB_PORT_GID_PREFIX_F ||
			       field == IB_GUID_GUID0_F ?
		       mad_get_field64((void *)(n->mad + 64), 0, field) :
		       mad_get_field((void *)(n->mad + 64), 0, field);
}

/* Reads PortInfo and sets it with one field changed. */
__attribute__((unused)) static int port_set(struct net *n, const char *from, const char *route,
					    unsigned int port, enum MAD_FIELDS field, uint64_t value)
{
	uint8_t data[64];

	if (net_get(n, from, route, 0x15, port))
		return -2;
	memcpy(data, n->mad + 64, 64);
	/* setting the present value does not change the state or the enabled values */
	mad_set_field(data, 0, IB_PORT_STATE_F, 0);
	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, 0);
	if (!mad_get_field(data, 0, IB_PORT_LID_F))
		mad_set_field(data, 0, IB_PORT_LID_F, 1);
	if (field == IB_PORT_MKEY_F || field == IB_PORT_GID_PREFIX_F)
		mad_set_field64(data, 0, field, value);
	else
		mad_set_field(data, 0, field, (uint32_t)value);
	return net_set(n, from, route, 0x15, port, data);
}

#endif
