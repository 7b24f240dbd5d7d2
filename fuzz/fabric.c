/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as MADs that the hosts of a small fabric send. No MAD may cause an invalid access or an endless
 * loop, each packet has an end, and the same bytes produce the same run.
 *
 * Input: messages. Each has one byte for its kind (the host, QP 0 or 1, directed route or not), three for the
 * DLID and for the number of bytes of the MAD that follow, then these bytes. The rest of the MAD is that of a
 * Get of NodeInfo along 0,1,3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/fabric.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

static const char net[] =
	"Switch 8 \"A\"\n[1] \"h1\"[1] w=3\n[2] \"h3\"[1]\n[3] \"B\"[2]\n[4] \"B\"[5]\n[6] \"A\"[6]\n"
	"Switch 20 \"B\" # \"B\" enhanced port 0\n[1] \"h2\"[1]\n[2] \"A\"[3]\n[4] \"h2\"[2]\n[5] \"A\"[4]\n"
	"Ca 1 \"h1\"\n[1] \"A\"[1] w=3\nCa 2 \"h2\"\n[1] \"B\"[1]\n[2] \"B\"[4]\nCa 1 \"h3\"\n[1] \"A\"[2]\n";

struct sight {
	uint64_t sum;
	unsigned int arrived, dropped;
};

static void fuzz_fabric_see(struct sight *s, const uint8_t *mad)
{
	for (size_t i = 0; i < MADKIT_MAD_BYTES; i++)
		s->sum = (s->sum ^ mad[i]) * UINT64_C(0x100000001b3);
}

static void fuzz_fabric_arrive(void *context, uint32_t node, unsigned int port,
			       const struct fabric_head *head, const uint8_t *mad)
{
	struct sight *s = context;

	hold(node < 5 && port < 3 && head);
	s->arrived++;
	fuzz_fabric_see(s, mad);
}

static void fuzz_fabric_event(void *context, const struct sim_event *event)
{
	struct sight *s = context;

	if (event->kind != EVENT_DROP)
		return;
	hold(event->node < 5 && event->port < 21 && event->head && fabric_drop_name(event->why));
	s->dropped++;
	fuzz_fabric_see(s, event->mad);
}

static struct sight fuzz_fabric_run(const struct topology *t, const uint8_t *data, size_t size)
{
	struct sight s = { .sum = 1 };
	struct fabric_options options = {
		.hop_ns = 10,
		.watcher = { .arrive = fuzz_fabric_arrive, .event = fuzz_fabric_event, .context = &s }
	};
	struct fabric *f = fabric_new(t, &options);
	uint64_t now = 0;
	unsigned int sent = 0;

	hold(f);
	while (size >= 4 && sent++ < 200) {
		uint8_t mad[MADKIT_MAD_BYTES] = { 1, 0x81, 1, 1, 0, 0, 0, 2 };
		struct fabric_head head = {
			.dlid = (uint16_t)(data[1] | data[2] << 8),
			.pkey = 0xffff,
			.qkey = data[0] & 8 ? 0x80010000 : 0,
			.qp = data[0] >> 2 & 1,
		};
		uint32_t node = data[0] & 3;
		size_t n = data[3];

		mad[MADKIT_MAD_ATTRIBUTE + 1] = 0x11;
		memset(mad + MADKIT_SMP_DR_SLID, 0xff, 4);
		mad[MADKIT_SMP_INITIAL_PATH + 1] = 1;
		mad[MADKIT_SMP_INITIAL_PATH + 2] = 3;
		if (data[0] & 16) /* a cable */
			fabric_cable(f, data[1] % 6, data[2] % 22, data[0] & 32);
		data += 4;
		size -= 4;
		n = n < size ? n : size;
		memcpy(mad, data, n);
		data += n;
		size -= n;
		/* hosts are nodes 2 to 4; a switch sends from its port 0 */
		fabric_send(f, node + 1, node ? 1 : 0, &head, mad, sizeof(mad), now);
		for (int steps = 0; fabric_deadline(f) != UINT64_MAX; steps++) {
			hold(steps < 100000);
			now = fabric_deadline(f);
			fabric_process(f, now);
		}
	}
	fabric_free(f);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology *t = NULL;
	struct sight first, second;

	hold(!topology_read(net, strlen(net), &t, NULL));
	first = fuzz_fabric_run(t, data, size);
	second = fuzz_fabric_run(t, data, size);
	hold(first.sum == second.sum && first.arrived == second.arrived && first.dropped == second.dropped);
	topology_free(t);
	return 0;
}
