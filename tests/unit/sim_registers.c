/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers of a simulated fabric, compared with what the fabric says elsewhere and with the other end of each cable. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/registry.h>
#include "sim/control.h"
#include "sim/fabric/internal.h"
#include "sim/fabric/pma.h"
#include "tests/tap.h"
#include "topology/generate.h"
#include "util/array_size.h"
#include "util/time.h"

enum {
	PMLP = 0x5002,
	PTYS = 0x5004,
	PPCNT = 0x5008,
	PLIB = 0x500a,
	PMAOS = 0x5012,
	PDDR = 0x5031,
	MFCR = 0x9001,
	MTCAP = 0x9009,
	MTMP = 0x900a,
	MTBR = 0x900f,
	MGIR = 0x9020,
	MGPIR = 0x9100,
	UNKNOWN = 20,
	BAD = 28,
};

static uint8_t mad[MADKIT_MAD_BYTES], *const data = mad + MADKIT_MLNX_DATA;
/* the port of an adapter at which requests arrive */
static unsigned int arrival = 1;

struct registers_net {
	struct topology *t;
	struct simulation *s;
	struct fabric *f;
	struct madkit_error error;
};

static void registers_begin(struct registers_net *n, struct topology *t)
{
	const struct simulation_options options = { .hop_ns = 1, .answer_ns = 1 };

	*n = (struct registers_net){ .t = t };
	if (!t || simulation_new(t, &options, &n->s)) {
		printf("Bail out! no simulation\n");
		exit(1);
	}
	n->f = n->s->fabric;
}

static void registers_read(struct registers_net *n, const char *text)
{
	struct topology *t = NULL;

	topology_read(text, strlen(text), &t, NULL);
	registers_begin(n, t);
}

static void registers_end(struct registers_net *n)
{
	simulation_free(n->s);
	topology_free(n->t);
}

static int registers_do(struct registers_net *n, const char *text)
{
	struct control_words words;
	struct madkit_buf output;
	char line[200];
	int ret;

	madkit_buf_init(&output, 0);
	snprintf(line, sizeof(line), "%s", text);
	ret = control_split(line, &words, &n->error);
	ret = ret ? ret : control_do(n->s, &words, &output, &n->error);
	madkit_buf_free(&output);
	return ret;
}

static struct node *registers_node(const struct registers_net *n, const char *name)
{
	return &n->f->nodes[topology_find(n->t, name, strlen(name))];
}

/* The end port of a node at which requests arrive. */
static struct port *registers_end_port(const struct registers_net *n, const struct node *node)
{
	return node_port(n->f, node, is_switch(node) ? 0 : arrival);
}

/* ---- requests ------------------------------------------------------------------------------ */

static void registers_request(uint16_t attribute, uint32_t modifier)
{
	mad_begin(mad, MADKIT_CLASS_MLNX, 1, MADKIT_METHOD_GET, attribute, modifier, 7);
}

/* Sends the request. Returns the status, or -1 if it is not answered. */
static int registers_answered(const struct registers_net *n, const struct node *node)
{
	if (!vendor_is_asked(node, mad))
		return -2;
	return vendor_answer(n->f, registers_end_port(n, node), mad) ? get_be16(mad + MADKIT_MAD_STATUS) : -1;
}

/* Gets a page of PDDR, a group of PPCNT (page: it), or another register of a port. */
static int registers_get(const struct registers_net *n, const struct node *node, uint32_t id,
			 unsigned int page, unsigned int port, bool ib)
{
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, id);
	field_put(MADKIT_MODULE_INFO_PORT_SELECT, data, port & 0xff);
	field_put(MADKIT_MODULE_INFO_PORT_SELECT_MSB, data, port >> 8);
	if (id == PDDR)
		field_put(MADKIT_MODULE_INFO_PAGE_SELECT, data, page);
	if (id == PPCNT)
		field_put(MADKIT_PHY_COUNTERS_GROUP, data, page);
	if (id == PTYS)
		field_put(MADKIT_LINK_MODES_PROTOCOL_MASK, data, 1);
	if (ib)
		field_put(MADKIT_MODULE_INFO_PORT_NUMBERING, data, 1);
	return registers_answered(n, node);
}

/* The local port of an IB port, by PLIB; 0: none. */
static unsigned int registers_local_of(const struct registers_net *n, const struct node *node,
				       unsigned int number)
{
	unsigned int found = 0;

	if (!is_switch(node))
		return 1;
	for (unsigned int local = 1; !registers_get(n, node, PLIB, 0, local, false); local++)
		if (field_get(MADKIT_PORT_MAPPING_IB_PORT, data) == number)
			found = found ? ~0u : local;
	return found;
}

static void registers_serial_of(const struct registers_net *n, const struct port *port, char serial[17])
{
	const struct node *node = &n->f->nodes[port->node];

	serial[0] = serial[16] = '\0';
	arrival = is_switch(node) ? 1 : port->number;
	if (!registers_get(n, node, PDDR, 3, registers_local_of(n, node, port->number), false))
		memcpy(serial, data + field_at(MADKIT_MODULE_INFO_VENDOR_SERIAL_NUMBER), 16);
	arrival = 1;
}

/* ---- cables -------------------------------------------------------------------------------- */

/* A fabric of switches and hosts that are linked at random, with speeds at random. */
static struct topology *random_topology(unsigned int seed)
{
	enum { NODES = 14, PORTS = 9 };
	static const unsigned int speeds[] = { TOPOLOGY_QDR, TOPOLOGY_FDR, TOPOLOGY_EDR,
					       TOPOLOGY_HDR, TOPOLOGY_NDR, TOPOLOGY_XDR };
	char text[NODES * PORTS * 40 + NODES * 60] = "";
	unsigned int peers[NODES][PORTS + 1] = { 0 };
	struct topology *t = NULL;
	size_t used = 0;

	srand(seed);
	for (unsigned int i = 0; i < 400; i++) {
		const unsigned int a = (unsigned int)rand() % NODES, b = (unsigned int)rand() % NODES;
		const unsigned int p = 1 + (unsigned int)rand() % (a % 3 ? PORTS : 1),
				   q = 1 + (unsigned int)rand() % (b % 3 ? PORTS : 1);

		if (a == b || peers[a][p] || peers[b][q])
			continue;
		peers[a][p] = 1 + b * 16 + q;
		peers[b][q] = 1 + a * 16 + p;
	}
	for (unsigned int a = 0; a < NODES; a++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %u \"n%u\"\n",
					 a % 3 ? "Switch" : "Ca", a % 3 ? PORTS : 1, a);
		for (unsigned int p = 1; p <= PORTS; p++)
			if (peers[a][p])
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 "[%u] \"n%u\"[%u]\n", p, (peers[a][p] - 1) / 16,
							 (peers[a][p] - 1) % 16);
	}
	if (topology_read(text, strlen(text), &t, NULL))
		return NULL;
	for (uint32_t i = 0; i < t->nports; i++) {
		const unsigned int speed = speeds[(unsigned int)rand() % ARRAY_SIZE(speeds)];

		t->ports[i].speeds = t->ports[i].speeds_supported = (uint16_t)topology_speeds_up_to(speed);
		t->ports[i].widths = t->ports[i].widths_supported =
			(uint8_t)topology_widths_up_to(TOPOLOGY_4X, speed);
	}
	return t;
}

static int test_registers_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Checks if a port is a further plane of an adapter's port. */
static bool registers_is_plane(const struct registers_net *n, const struct port *port)
{
	const struct node *node = &n->f->nodes[port->node];

	return !is_switch(node) && port->number > 1 && node_port(n->f, node, 1)->guid == port->guid;
}

/* Both ends of a cable have one serial number, and no two cables have the same one. */
static void test_registers_serials(struct topology *t, const char *name)
{
	struct registers_net n;
	char(*serials)[17];
	size_t count = 0, differ = 0, same = 0, empty = 0, planes = 0;

	registers_begin(&n, t);
	serials = calloc(n.f->nports, sizeof(*serials));
	for (uint32_t i = 0; i < n.f->nports; i++) {
		const struct port *port = &n.f->ports[i];
		char other[17];

		if (port->peer == TOPOLOGY_NONE || port->peer < i)
			continue;
		registers_serial_of(&n, port, serials[count]);
		registers_serial_of(&n, &n.f->ports[port->peer], other);
		differ += strcmp(serials[count], other) != 0;
		planes += registers_is_plane(&n, port) || registers_is_plane(&n, &n.f->ports[port->peer]);
		empty += !*serials[count];
		count++;
	}
	qsort(serials, count, sizeof(*serials), test_registers_compare);
	for (size_t i = 1; i < count; i++)
		same += !strcmp(serials[i - 1], serials[i]);
	ok(count > 5, "%s: %zu cables", name, count);
	is_u64(empty, 0, "... all have a serial number");
	is_u64(differ, 0, "... the same at both ends");
	is_u64(same, planes, "... and another one than the others, except for planes of one port");
	free(serials);
	registers_end(&n);
}

static void test_registers_cables(void)
{
	static const char *const rules[] = { "fat-tree:4,4,2", "fat-tree:24,20,8", "fat-tree:2,2,1+planes" };
	struct topology *t = NULL;
	char name[20];

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		topology_generate(rules[i], &t, NULL);
		test_registers_serials(t, rules[i]);
	}
	for (unsigned int seed = 1; seed <= 5; seed++) {
		snprintf(name, sizeof(name), "random %u", seed);
		test_registers_serials(random_topology(seed), name);
	}
}

/* Copper measures nothing; optical modules do, the same as the sensor. */
static void test_registers_module(struct registers_net *n, const struct port *port)
{
	const struct node *node = &n->f->nodes[port->node];
	const bool copper = !is_switch(node) || !is_switch(&n->f->nodes[n->f->ports[port->peer].node]);
	const unsigned int local = registers_local_of(n, node, port->number);
	unsigned int module;
	uint64_t celsius;

	is_int(registers_get(n, node, PMLP, 0, local, false), 0, "lanes of %u/%u", port->node, port->number);
	module = (unsigned int)element_get(MADKIT_LANE_MAPPING_LANE_MODULE, 0, data);
	registers_get(n, node, PDDR, 3, local, false);
	celsius = field_get(MADKIT_MODULE_INFO_TEMPERATURE, data);
	is_u64(field_get(MADKIT_MODULE_INFO_CABLE_TYPE, data) == MADKIT_CABLE_TYPE_PASSIVE, copper,
	       "... copper or not");
	is_u64(celsius >= 40 * 256 && celsius < 55 * 256, !copper, "... and its temperature");
	is_u64(!field_get(MADKIT_MODULE_INFO_VOLTAGE, data), copper, "... its voltage");
	is_u64(!element_get(MADKIT_MODULE_INFO_TX_BIAS, 0, data), copper, "... its bias");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTMP);
	field_put(MADKIT_SENSOR_SENSOR_INDEX, data, 64 + module);
	is_int(registers_answered(n, node), copper ? BAD : 0, "... its sensor");
	if (!copper)
		is_u64(field_get(MADKIT_SENSOR_TEMPERATURE, data), celsius / 32, "... has the temperature");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, PMAOS);
	field_put(MADKIT_MODULE_STATE_MODULE, data, module);
	is_int(registers_answered(n, node), 0, "... its state");
	is_u64(field_get(MADKIT_MODULE_STATE_MODULE_STATE, data), MADKIT_MODULE_STATE_PLUGGED,
	       "... is plugged in");
}

/* ---- registers that repeat other attributes ------------------------------------------------ */

static unsigned int test_registers_widths(uint64_t info)
{
	/* 1x, 4x, 8x, 12x, 2x as in PortInfo, to 1x, 2x, 4x, 8x, 12x */
	return (info & 1) | (info & 16) >> 3 | (info & 2) << 1 | (info & 4) << 1 | (info & 8) << 1;
}

/* PTYS, PhyOperation and the two numberings of ports, for all ports that are up. */
static void test_registers_modes(struct registers_net *n, const struct port *port)
{
	const struct node *node = &n->f->nodes[port->node];
	const unsigned int local = registers_local_of(n, node, port->number);
	uint8_t page[220];

	ok(local && local != ~0u, "port %u/%u has one local port", port->node, port->number);
	is_int(registers_get(n, node, PTYS, 0, local, false), 0, "... and modes");
	is_u64(field_get(MADKIT_LINK_MODES_WIDTH_ACTIVE, data),
	       test_registers_widths(field_get(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, port->info)),
	       "... active width");
	is_u64(field_get(MADKIT_LINK_MODES_WIDTH_ENABLED, data),
	       test_registers_widths(field_get(MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, port->info)),
	       "... enabled");
	is_u64(field_get(MADKIT_LINK_MODES_WIDTH_CAPABILITY, data),
	       test_registers_widths(field_get(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, port->info)),
	       "... supported");
	is_u64(field_get(MADKIT_LINK_MODES_SPEED_ACTIVE, data), port_speed(port), "... active speed");
	is_u64(field_get(MADKIT_LINK_MODES_SPEED_CAPABILITY, data) & 7,
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED, port->info), "... supported");
	is_u64(field_get(MADKIT_LINK_MODES_SPEED_CAPABILITY, data) >> 4,
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, port->info) |
		       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, port->info) << 4,
	       "... and extended");
	is_int(registers_get(n, node, PDDR, 3, local, false), 0, "... by local port");
	memcpy(page, data + 4 + 8, sizeof(page) - 8);
	is_int(registers_get(n, node, PDDR, 3, port->number, true), 0, "... by IB port");
	is_mem(data + 4 + 8, page, sizeof(page) - 8, "... the same");
	is_int(registers_get(n, node, PDDR, 0, local, false), 0, "... its state");
	is_u64(field_get(MADKIT_PHY_OPERATION_SPEED_ACTIVE, data), port_speed(port), "... its speed");
	is_u64(field_get(MADKIT_PHY_OPERATION_IB_PHY_STATE, data), 7, "... it is up");
}

static void test_registers_links(void)
{
	struct topology *t = random_topology(9);
	struct registers_net n;

	registers_begin(&n, t);
	for (uint32_t i = 0; i < n.f->nports; i++) {
		const struct port *port = &n.f->ports[i];
		uint64_t fec;

		if (port->peer == TOPOLOGY_NONE ||
		    field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) < PORT_INIT)
			continue;
		test_registers_modes(&n, port);
		test_registers_module(&n, port);
		registers_get(&n, &n.f->nodes[port->node], PDDR, 0, port->number,
			      is_switch(&n.f->nodes[port->node]));
		fec = field_get(MADKIT_PHY_OPERATION_FEC_ACTIVE, data);
		port = &n.f->ports[port->peer];
		registers_get(&n, &n.f->nodes[port->node], PDDR, 0, port->number,
			      is_switch(&n.f->nodes[port->node]));
		is_u64(field_get(MADKIT_PHY_OPERATION_FEC_ACTIVE, data), fec, "... one FEC at both ends");
	}
	registers_end(&n);
}

static const char pair[] =
	"Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n[3] \"r\"[1]\n"
	"Switch 4 \"r\"\n[1] \"s\"[3]\nCa 1 \"a\"\n[1] \"s\"[1]\nCa 1 \"b\"\n[1] \"s\"[2]\n";

/* Each counter of PPCNT 0x20 is that of PortCounters with its name. */
static void test_registers_counters(void)
{
	const struct madkit_attribute *of, *registers;
	const struct madkit_layout *layout;
	uint8_t class;
	uint16_t id;
	struct registers_net n;
	uint8_t pma[MADKIT_MAD_BYTES];
	unsigned int count = 0;

	registers_read(&n, pair);
	of = counters_attribute(MADKIT_ATTR_PORT_COUNTERS);
	is_int(madkit_attribute_find("RegisterPortCounters", MADKIT_CLASS_MLNX, &class, &id, &registers,
				     NULL),
	       0, "PPCNT 0x20");
	layout = registers->layout;
	for (unsigned int i = 0; i < of->layout->nfields; i++) {
		char line[100];

		snprintf(line, sizeof(line), "counter s 1 %s=%u", of->layout->fields[i].name, i % 13 + 1);
		if (of->layout->fields[i].kind == MADKIT_KIND_COUNTER)
			is_int(registers_do(&n, line), 0, "%s", line);
	}
	mad_begin(pma, MADKIT_CLASS_PERF, 1, MADKIT_METHOD_GET, MADKIT_ATTR_PORT_COUNTERS, 0, 1);
	field_put(MADKIT_PORT_COUNTERS_PORT_SELECT, pma + MADKIT_PERF_DATA, 1);
	ok(pma_handle(n.f, node_port(n.f, registers_node(&n, "s"), 0), pma), "PortCounters");
	is_int(registers_get(&n, registers_node(&n, "s"), PPCNT, 0x20, 1, true), 0, "... and PPCNT");
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i],
					  *same = counters_field(of, field->name);

		if (field->kind != MADKIT_KIND_COUNTER)
			continue;
		count++;
		ok(same, "... %s", field->name);
		is_u64(bits_get(data, field->offset, field->width),
		       same ? bits_get(pma + MADKIT_PERF_DATA, same->offset, same->width) : 0,
		       "... is the same");
	}
	is_u64(count, 17, "... all of them");
	registers_end(&n);
}

/* GeneralInfo has the version that was set; a device of another vendor has neither. */
static void test_registers_firmware(void)
{
	struct registers_net n;

	registers_read(
		&n, "vendid=0x8f1\ndevid=0x5a30\nSwitch 4 \"v\"\nvendid=0x2c9\ndevid=0x1003\nCa 1 \"old\"\n"
		    "vendid=0x2c9\ndevid=0xd2f2\nSwitch 4 \"q\"\nvendid=0\ndevid=0\nCa 1 \"any\"\n");
	registers_request(MADKIT_ATTR_GENERAL_INFO, 0);
	is_int(registers_answered(&n, registers_node(&n, "v")), -2, "another vendor");
	is_int(registers_answered(&n, registers_node(&n, "old")), -2, "a device without registers");
	is_int(registers_do(&n, "node v firmware=1.2.3"), -EINVAL, "no firmware");
	ok(strstr(n.error.text, "firmware=1.2.3: 'v' is not a device of Mellanox"), "... says so");
	is_int(registers_do(&n, "node old firmware=2.42.5000"), 0, "its firmware");
	is_int(registers_answered(&n, registers_node(&n, "old")), 0, "... GeneralInfo");
	is_u64(field_get(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data), 0, "... without registers");
	is_int(registers_get(&n, registers_node(&n, "old"), PDDR, 3, 1, false), -2, "... which it has not");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MGIR);
	is_int(registers_answered(&n, registers_node(&n, "q")), 0, "a device with registers");
	is_u64(field_get(MADKIT_DEVICE_INFO_DEVICE_ID, data), 0xd2f2, "... its ID");
	is_u64(field_get(MADKIT_DEVICE_INFO_FW_MAJOR, data), 31, "... the default");
	is_int(registers_do(&n, "node any firmware=20.40.1000 psid=X"), 0, "a node without a vendor");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MGIR);
	is_int(registers_answered(&n, registers_node(&n, "any")), 0, "... also has them");
	is_u64(field_get(MADKIT_DEVICE_INFO_FW_MINOR, data), 40, "... with this version");
	is_mem(data + field_at(MADKIT_DEVICE_INFO_PSID), "X\0", 2, "... and PSID");
	registers_end(&n);
}

static void test_registers_device(void)
{
	uint8_t general[224];
	struct registers_net n;

	registers_read(&n, pair);
	registers_request(MADKIT_ATTR_GENERAL_INFO, 0);
	is_int(registers_answered(&n, registers_node(&n, "s")), 0, "GeneralInfo");
	ok(field_get(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data) == 1 << 20, "... has registers");
	memcpy(general, data, sizeof(general));
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MGIR);
	is_int(registers_answered(&n, registers_node(&n, "s")), 0, "MGIR");
	is_u64(field_get(MADKIT_DEVICE_INFO_DEVICE_ID, data),
	       field_get(MADKIT_GENERAL_INFO_HW_DEVICE_ID, general), "... device");
	is_u64(field_get(MADKIT_DEVICE_INFO_FW_MAJOR, data),
	       field_get(MADKIT_GENERAL_INFO_FW_EXT_MAJOR, general), "... major");
	is_u64(field_get(MADKIT_DEVICE_INFO_FW_MINOR, data),
	       field_get(MADKIT_GENERAL_INFO_FW_EXT_MINOR, general), "... minor");
	is_u64(field_get(MADKIT_DEVICE_INFO_FW_SUB_MINOR, data),
	       field_get(MADKIT_GENERAL_INFO_FW_EXT_SUB_MINOR, general), "... sub");
	is_mem(data + field_at(MADKIT_DEVICE_INFO_PSID), general + field_at(MADKIT_GENERAL_INFO_FWPSID), 16,
	       "... PSID");
	is_u64(field_get(MADKIT_DEVICE_INFO_NUM_PORTS, data), 4, "... ports");
	registers_request(MADKIT_ATTR_CONFIG_SPACE_ACCESS, 0x0f010014);
	is_int(registers_answered(&n, registers_node(&n, "s")), 0, "the ID of the device");
	is_u64(get_be32(data) >> 16, 0xa0, "... has a revision");
	registers_request(MADKIT_ATTR_CONFIG_SPACE_ACCESS, 0x00010000);
	is_int(registers_answered(&n, registers_node(&n, "s")), 12, "another address");
	registers_request(0xff52, 0);
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_SET;
	is_int(registers_answered(&n, registers_node(&n, "s")), 12, "Set of a register");
	registers_end(&n);
}

/* ---- statuses and blocks ------------------------------------------------------------------- */

static void test_registers_statuses(void)
{
	struct node *s, *a;
	struct registers_net n;
	unsigned int local = 1, mapped = 0;

	registers_read(&n, pair);
	s = registers_node(&n, "s");
	a = registers_node(&n, "a");
	is_int(registers_get(&n, s, 0x5003, 0, 1, false), UNKNOWN, "an unknown register");
	is_int(registers_get(&n, s, PDDR, 9, 1, true), BAD, "latched flags");
	is_int(registers_get(&n, s, PDDR, 3, 0, false), BAD, "local port 0");
	is_int(registers_get(&n, s, PDDR, 3, 5, true), BAD, "an IB port beyond the last");
	is_int(registers_get(&n, s, PDDR, 3, 1023, false), BAD, "a local port beyond the last");
	is_int(registers_get(&n, a, PDDR, 3, 1, false), 0, "an adapter has local port 1");
	is_int(registers_get(&n, a, PDDR, 3, 2, false), BAD, "... and no other");
	is_int(registers_get(&n, a, PDDR, 3, 1, true), 0, "... its IB port");
	is_int(registers_get(&n, a, PLIB, 0, 1, false), UNKNOWN, "... nor PLIB");
	is_int(registers_get(&n, a, MFCR, 0, 0, false), UNKNOWN, "... nor fans");
	is_int(registers_get(&n, s, MFCR, 0, 0, false), 0, "a switch has them");
	is_int(registers_get(&n, s, PLIB, 0, 0, false), BAD, "PLIB of 0");
	for (; !registers_get(&n, s, PLIB, 0, local, false); local++)
		mapped += field_get(MADKIT_PORT_MAPPING_IB_PORT, data) != 0;
	is_u64(mapped, 4, "all IB ports have a local port");
	ok(local - 1 > mapped, "... and other local ports have no IB port");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTBR);
	field_put(MADKIT_SENSORS_NUM_RECORDS, data, 2);
	field_put(MADKIT_SENSORS_BLOCK, data, 4);
	is_int(registers_answered(&n, s), 0, "the last block of MTBR");
	is_u64(field_get(MADKIT_SENSORS_BLOCK, data), 4, "... has its number");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTBR);
	field_put(MADKIT_SENSORS_BLOCK, data, 5);
	is_int(registers_answered(&n, s), BAD, "... and no further one");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTCAP);
	is_int(registers_answered(&n, s), 0, "sensors");
	is_u64(field_get(MADKIT_SENSOR_LIST_SENSOR_COUNT, data), 3, "... as many as");
	is_u64(field_get(MADKIT_SENSOR_LIST_SENSOR_MAP, data), 7, "... are in the map");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MGPIR);
	is_int(registers_answered(&n, s), 0, "modules");
	is_u64(field_get(MADKIT_SLOTS_NUM_MODULES, data), 4, "... by port");
	is_int(registers_get(&n, s, PTYS, 0, 4, false), BAD, "a local port without IB port");
	registers_end(&n);
}

/* Random indices of all registers, at a switch and an adapter, get a status of the list. */
static void test_registers_random(void)
{
	static const uint16_t ids[] = { PMLP, PTYS, PPCNT, PLIB,   PMAOS,  PDDR,   MFCR,   MTCAP,  MTMP,
					MTBR, MGIR, MGPIR, 0x9003, 0x9007, 0x900d, 0x9021, 0x902a, 0x5003 };
	unsigned int answered = 0, refused = 0, others = 0;
	struct registers_net n;

	registers_read(&n, pair);
	srand(1);
	for (unsigned int i = 0; i < 20000; i++) {
		int status;

		registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP,
				  ids[(unsigned int)rand() % ARRAY_SIZE(ids)]);
		for (unsigned int j = i % 2 ? 2 : 0; j < 16; j++)
			data[j] = (uint8_t)(rand() & rand() & rand());
		status = registers_answered(&n, registers_node(&n, i % 3 ? "s" : "a"));
		answered += !status;
		refused += status == UNKNOWN || status == BAD;
		others += status && status != UNKNOWN && status != BAD;
	}
	is_u64(others, 0, "random requests have no other status");
	ok(answered > 1000 && refused > 1000, "... %u of them are answered, %u refused", answered, refused);
	registers_end(&n);
}

/* ---- words --------------------------------------------------------------------------------- */

static void test_registers_words(void)
{
	static const char *const lines[] = {
		"cable s 3 serial=ABC length=1.5 type=Passive",
		"module s 3 rx=50 diagnosis=1030",
		"temperature s 3 71.5",
		"temperature s 91",
		"ber s 3 raw=1.5e-5 symbol=2e-13 effective=0",
		"fec s 3 7",
		"reason s 3 0 'Cable unplugged'",
	};
	struct node *s;
	struct registers_net n;
	char serial[17];

	registers_read(&n, pair);
	s = registers_node(&n, "s");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		is_int(registers_do(&n, lines[i]), 0, "%s", lines[i]);
	registers_serial_of(&n, node_port(n.f, registers_node(&n, "r"), 1), serial);
	is_str(serial, "ABC             ", "the other end has the serial number");
	registers_get(&n, s, PDDR, 3, 3, true);
	is_u64(field_get(MADKIT_MODULE_INFO_TEMPERATURE, data), 715 * 256 / 10, "the temperature");
	is_u64(element_get(MADKIT_MODULE_INFO_RX_POWER, 0, data), (uint16_t)-13, "50 uW are -13 dBm");
	registers_get(&n, s, PDDR, 1, 3, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 1030, "the diagnosis");
	registers_get(&n, s, PPCNT, 0x16, 3, true);
	is_u64(field_get(MADKIT_BIT_ERRORS_RAW_PHYSICAL_BER, data), 6 << 8 | 15, "the raw BER");
	is_u64(field_get(MADKIT_BIT_ERRORS_SYMBOL_BER, data), 13 << 8 | 2, "the symbol BER");
	is_u64(field_get(MADKIT_BIT_ERRORS_EFFECTIVE_PHYSICAL_BER, data), 0, "the effective BER");
	is_u64(field_get(MADKIT_BIT_ERRORS_SYMBOL_ERRORS, data) / 10,
	       field_get(MADKIT_BIT_ERRORS_RECEIVED_BITS, data) / UINT64_C(50000000000000),
	       "symbol errors fit");
	registers_get(&n, s, PDDR, 0, 3, true);
	is_u64(field_get(MADKIT_PHY_OPERATION_FEC_ACTIVE, data), 7, "the FEC");
	registers_get(&n, s, PDDR, 6, 3, true);
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_REMOTE_REASON, data), 23, "the reason");
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_DOWN_BLAME, data), 2, "... of the other end");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTMP);
	registers_answered(&n, s);
	is_u64(field_get(MADKIT_SENSOR_TEMPERATURE, data), 91 * 8, "the ASIC");
	is_int(registers_do(&n, "cable s 3 none"), 0, "no cable");
	registers_get(&n, registers_node(&n, "r"), PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_CABLE_TYPE, data), MADKIT_CABLE_TYPE_UNPLUGGED,
	       "... at the other end");
	registers_end(&n);
}

static void test_registers_misbehaviour(void)
{
	struct node *s;
	struct registers_net n;

	registers_read(&n, pair);
	s = registers_node(&n, "s");
	is_int(registers_do(&n, "register s refuse=20 0x5031"), 0, "PDDR is refused");
	is_int(registers_get(&n, s, PDDR, 3, 1, true), 20, "... so");
	is_int(registers_get(&n, s, PTYS, 0, 1, false), 0, "... alone");
	is_int(registers_do(&n, "register all refuse=1"), 0, "all are busy");
	is_int(registers_get(&n, s, PTYS, 0, 1, false), 1, "... so");
	is_int(registers_get(&n, registers_node(&n, "a"), PTYS, 0, 1, false), 1, "... everywhere");
	is_int(registers_do(&n, "register s normal"), 0, "normal");
	is_int(registers_get(&n, s, PDDR, 3, 1, true), 0, "... again");
	is_int(registers_do(&n, "register s noecho"), 0, "no echo");
	registers_get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_PORT_SELECT, data) |
		       field_get(MADKIT_MODULE_INFO_PAGE_SELECT, data),
	       0, "... of indices");
	ok(field_get(MADKIT_MODULE_INFO_CABLE_TYPE, data), "... but the values");
	registers_do(&n, "register s normal");
	registers_do(&n, "register s wrong=page");
	registers_get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_PAGE_SELECT, data), 4, "another page");
	registers_do(&n, "register s wrong=port");
	registers_get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_PORT_SELECT, data), 2, "another port");
	registers_do(&n, "register s wrong=block");
	registers_get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_BLOCK, data), 1, "another block");
	registers_do(&n, "register s wrong=register");
	registers_get(&n, s, PDDR, 3, 1, true);
	is_u64(get_be32(mad + MADKIT_MAD_MODIFIER), PMLP, "another register");
	registers_do(&n, "register s normal");
	is_int(registers_do(&n, "vkey s 0x1234"), 0, "a V_Key");
	is_int(registers_get(&n, s, PDDR, 3, 1, true), -1, "... is needed");
	registers_request(MADKIT_ATTR_GENERAL_INFO, 0);
	field_put(MADKIT_HEADER_MLNX_V_KEY, mad, 0x1234);
	is_int(registers_answered(&n, s), 0, "... and sent");
	is_int(registers_do(&n, "vkey s 0x1234 28"), 0, "a V_Key with a status");
	is_int(registers_get(&n, s, PDDR, 3, 1, true), 28, "... is needed");
	registers_do(&n, "vkey s 0");
	is_int(registers_do(&n, "register s off"), 0, "no registers");
	is_int(registers_get(&n, s, PDDR, 3, 1, true), 12, "... to get");
	registers_request(MADKIT_ATTR_GENERAL_INFO, 0);
	is_int(registers_answered(&n, s), 0, "GeneralInfo");
	is_u64(field_get(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data), 0, "... says so");
	registers_end(&n);
}

/* ---- links that go down -------------------------------------------------------------------- */

static void test_registers_loss(struct registers_net *n, const char *name, unsigned int port,
				unsigned int blame, unsigned int intent, unsigned int local,
				unsigned int remote)
{
	registers_get(n, registers_node(n, name), PDDR, 6, port, is_switch(registers_node(n, name)));
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_DOWN_BLAME, data), blame, "%s: blame", name);
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_DOWN_INTENT, data), intent, "... intent");
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_LOCAL_REASON, data), local, "... local reason");
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_REMOTE_REASON, data), remote, "... remote reason");
}

static void test_registers_losses(void)
{
	struct port *port;
	struct registers_net n;

	registers_read(&n, pair);
	test_registers_loss(&n, "a", 1, 0, 0, 0, 0);
	is_int(registers_do(&n, "link a 1 down"), 0, "unplugged");
	test_registers_loss(&n, "a", 1, 1, 2, 23, 0);
	test_registers_loss(&n, "s", 1, 1, 2, 23, 0);
	registers_get(&n, registers_node(&n, "s"), PDDR, 1, 1, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 1024, "... which is the diagnosis");
	is_int(registers_do(&n, "link a 1 up"), 0, "plugged in");
	registers_get(&n, registers_node(&n, "s"), PDDR, 1, 1, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 0, "... no issue");
	port = node_port(n.f, registers_node(&n, "s"), 1);
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info, PHYS_DISABLED);
	link_train(n.f, port, port);
	test_registers_loss(&n, "s", 1, 1, 1, 22, 0);
	test_registers_loss(&n, "a", 1, 2, 1, 33, 22);
	registers_get(&n, registers_node(&n, "s"), PDDR, 1, 1, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 1, "closed");
	registers_get(&n, registers_node(&n, "a"), PDDR, 1, 1, false);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 2, "no partner");
	is_int(registers_do(&n, "node r gone"), 0, "powered off");
	test_registers_loss(&n, "s", 3, 2, 2, 3, 0);
	registers_get(&n, registers_node(&n, "s"), PPCNT, 0x1a, 3, true);
	is_u64(field_get(MADKIT_RECOVERY_COUNTERS_UNINTENTIONAL_LINK_DOWN_EVENTS, data), 1, "... counted");
	registers_get(&n, registers_node(&n, "s"), PPCNT, 0x12, 1, true);
	is_u64(field_get(MADKIT_PHY_COUNTERS_LINK_DOWN_EVENTS, data), 2, "two losses");
	registers_request(MADKIT_ATTR_ACCESS_REGISTER_GMP, PPCNT);
	field_put(MADKIT_PHY_COUNTERS_PORT_SELECT, data, 1);
	field_put(MADKIT_PHY_COUNTERS_PORT_NUMBERING, data, 1);
	field_put(MADKIT_PHY_COUNTERS_GROUP, data, 0x12);
	field_put(MADKIT_PHY_COUNTERS_BLOCK, data, 1);
	is_int(registers_answered(&n, registers_node(&n, "s")), 0, "the second block");
	is_u64(get_be32(data + 4 + 1984 / 8 - 220), 1, "... one unintended");
	is_u64(get_be32(data + 4 + 2016 / 8 - 220), 1, "... one intended");
	registers_end(&n);
}

int main(void)
{
	test_registers_cables();
	test_registers_links();
	test_registers_counters();
	test_registers_firmware();
	test_registers_device();
	test_registers_statuses();
	test_registers_random();
	test_registers_words();
	test_registers_misbehaviour();
	test_registers_losses();
	return tap_done();
}
