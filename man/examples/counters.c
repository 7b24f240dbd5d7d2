/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* counters DEVICE LID PORT: print what a port counts in a second. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The port that is read, and what of it. */
struct meter {
	struct madkit_port *port;
	struct madkit_addr to;
	uint8_t number;
	struct madkit_counters *counters;
};

/* Queries an attribute of the port. */
static int meter_get(const struct meter *m, uint16_t attribute,
		     struct madkit_reply *reply, struct madkit_message *message)
{
	struct madkit_send *send = madkit_send_request(&m->to, MADKIT_CLASS_PERF,
						       MADKIT_METHOD_GET, attribute, 0);
	int ret = 0;

	*reply = (struct madkit_reply){ 0 };
	if (attribute != MADKIT_ATTR_CLASS_PORT_INFO)
		ret = madkit_send_put(send, MADKIT_PORT_COUNTERS_PORT_SELECT, m->number);
	ret = ret || madkit_port_request(m->port, send, UINT64_MAX, reply, NULL) ||
	      madkit_reply_message(reply, message);
	madkit_send_free(send);
	return ret;
}

/* Finds out which counters the port has. */
static int meter_open(struct meter *m)
{
	const struct madkit_attribute *attribute =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF,
				     MADKIT_ATTR_PORT_COUNTERS);
	struct madkit_reply reply;
	struct madkit_message message;
	struct madkit_record cpi;
	unsigned int has = 0;

	if (!meter_get(m, MADKIT_ATTR_CLASS_PORT_INFO, &reply, &message)) {
		madkit_record_get(&message, 0, &cpi);
		if (cpi.len >= MADKIT_CPI_BYTES)
			has = madkit_cpi_get_counters(cpi.data);
	}
	madkit_recv_free(reply.recv);
	return madkit_counters_new(attribute, has, &m->counters);
}

static int meter_read(const struct meter *m, struct madkit_reading *readings)
{
	const struct madkit_attribute *attribute;
	struct madkit_reply reply;
	struct madkit_message message;
	int ret = 0;

	for (unsigned int i = 0;
	     !ret && (attribute = madkit_counters_attribute(m->counters, i)); i++) {
		ret = meter_get(m, attribute->id, &reply, &message);
		if (!ret)
			ret = madkit_reading_take(&readings[i], &message,
						  reply.recv->time_ns);
		madkit_recv_free(reply.recv);
	}
	return ret;
}

static int meter_compare(const struct meter *m)
{
	struct madkit_reading before[MADKIT_COUNTERS_ATTRIBUTES];
	struct madkit_reading now[MADKIT_COUNTERS_ATTRIBUTES];
	const struct madkit_change *change;

	if (meter_read(m, before) || madkit_port_wait(m->port, 1000) < 0 ||
	    meter_read(m, now))
		return -1;
	madkit_counters_compare(m->counters, before, now);
	for (size_t i = 0; (change = madkit_counters_change(m->counters, i)); i++) {
		if (change->rated && change->delta)
			printf("%s: +%" PRIu64 ", %.0f/s\n", change->field->name,
			       change->delta, change->rate);
		if (!change->rated)
			printf("%s: %s\n", change->field->name,
			       change->reset ? "reset" : "full");
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct meter m = { .number = argc == 4 ? (uint8_t)atoi(argv[3]) : 0 };
	int ret;

	if (argc != 4 || madkit_parse_lid(argv[2], &m.to.lid, NULL))
		return 2;
	ret = madkit_port_open(argv[1], &m.port, NULL) || meter_open(&m) ||
	      meter_compare(&m);
	madkit_counters_free(m.counters);
	madkit_port_close(m.port);
	return ret;
}
