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

struct net {
	struct topology *t;
	struct simulation *s;
	struct fabric *f;
	struct madkit_error error;
};

static void net_begin(struct net *n, struct topology *t)
{
	const struct simulation_options options = { .hop_ns = 1, .answer_ns = 1 };

	*n = (struct net){ .t = t };
	if (!t || simulation_new(t, &options, &n->s)) {
		printf("Bail out! no simulation\n");
		exit(1);
	}
	n->f = n->s->fabric;
}

static void net_read(struct net *n, const char *text)
{
	struct topology *t = NULL;

	topology_read(text, strlen(text), &t, NULL);
	net_begin(n, t);
}

static void net_end(struct net *n)
{
	simulation_free(n->s);
	topology_free(n->t);
}

static int net_do(struct net *n, const char *text)
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

static struct node *net_node(const struct net *n, const char *name)
{
	return &n->f->nodes[topology_find(n->t, name, strlen(name))];
}

/* The end port of a node at which requests arrive. */
static struct port *net_end_port(const struct net *n, const struct node *node)
{
	return node_port(n->f, node, is_switch(node) ? 0 : arrival);
}

/* ---- requests ------------------------------------------------------------------------------ */

static void request(uint16_t attribute, uint32_t modifier)
{
	mad_begin(mad, MADKIT_CLASS_MLNX, 1, MADKIT_METHOD_GET, attribute, modifier, 7);
}

/* Sends the request. Returns the status, or -1 if it is not answered. */
static int answer(const struct net *n, const struct node *node)
{
	if (!vendor_is_asked(node, mad))
		return -2;
	return vendor_answer(n->f, net_end_port(n, node), mad) ? get_be16(mad + MADKIT_MAD_STATUS) : -1;
}

/* Gets a page of PDDR, a group of PPCNT (page: it), or another register of a port. */
static int get(const struct net *n, const struct node *node, uint32_t id, unsigned int page,
	       unsigned int port, bool ib)
{
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, id);
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
	return answer(n, node);
}

/* The local port of an IB port, by PLIB; 0: none. */
static unsigned int local_of(const struct net *n, const struct node *node, unsigned int number)
{
	unsigned int found = 0;

	if (!is_switch(node))
		return 1;
	for (unsigned int local = 1; !get(n, node, PLIB, 0, local, false); local++)
		if (field_get(MADKIT_PORT_MAPPING_IB_PORT, data) == number)
			found = found ? ~0u : local;
	return found;
}

static void serial_of(const struct net *n, const struct port *port, char serial[17])
{
	const struct node *node = &n->f->nodes[port->node];

	serial[0] = serial[16] = '\0';
	arrival = is_switch(node) ? 1 : port->number;
	if (!get(n, node, PDDR, 3, local_of(n, node, port->number), false))
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

/* Both ends of a cable have one serial number, and no two cables have the same one. */
static void test_registers_serials(struct topology *t, const char *name)
{
	struct net n;
	char(*serials)[17];
	size_t count = 0, differ = 0, same = 0, empty = 0;

	net_begin(&n, t);
	serials = calloc(n.f->nports, sizeof(*serials));
	for (uint32_t i = 0; i < n.f->nports; i++) {
		const struct port *port = &n.f->ports[i];
		char other[17];

		if (port->peer == TOPOLOGY_NONE || port->peer < i)
			continue;
		serial_of(&n, port, serials[count]);
		serial_of(&n, &n.f->ports[port->peer], other);
		differ += strcmp(serials[count], other) != 0;
		empty += !*serials[count];
		count++;
	}
	qsort(serials, count, sizeof(*serials), test_registers_compare);
	for (size_t i = 1; i < count; i++)
		same += !strcmp(serials[i - 1], serials[i]);
	ok(count > 5, "%s: %zu cables", name, count);
	is_u64(empty, 0, "... all have a serial number");
	is_u64(differ, 0, "... the same at both ends");
	is_u64(same, 0, "... and another one than the others");
	free(serials);
	net_end(&n);
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
static void test_registers_module(struct net *n, const struct port *port)
{
	const struct node *node = &n->f->nodes[port->node];
	const bool copper = !is_switch(node) || !is_switch(&n->f->nodes[n->f->ports[port->peer].node]);
	const unsigned int local = local_of(n, node, port->number);
	unsigned int module;
	uint64_t celsius;

	is_int(get(n, node, PMLP, 0, local, false), 0, "lanes of %u/%u", port->node, port->number);
	module = (unsigned int)element_get(MADKIT_LANE_MAPPING_LANE_MODULE, 0, data);
	get(n, node, PDDR, 3, local, false);
	celsius = field_get(MADKIT_MODULE_INFO_TEMPERATURE, data);
	is_u64(field_get(MADKIT_MODULE_INFO_CABLE_TYPE, data) == MADKIT_CABLE_TYPE_PASSIVE, copper,
	       "... copper or not");
	is_u64(celsius >= 40 * 256 && celsius < 55 * 256, !copper, "... and its temperature");
	is_u64(!field_get(MADKIT_MODULE_INFO_VOLTAGE, data), copper, "... its voltage");
	is_u64(!element_get(MADKIT_MODULE_INFO_TX_BIAS, 0, data), copper, "... its bias");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTMP);
	field_put(MADKIT_SENSOR_SENSOR_INDEX, data, 64 + module);
	is_int(answer(n, node), copper ? BAD : 0, "... its sensor");
	if (!copper)
		is_u64(field_get(MADKIT_SENSOR_TEMPERATURE, data), celsius / 32, "... has the temperature");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, PMAOS);
	field_put(MADKIT_MODULE_STATE_MODULE, data, module);
	is_int(answer(n, node), 0, "... its state");
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
static void test_registers_modes(struct net *n, const struct port *port)
{
	const struct node *node = &n->f->nodes[port->node];
	const unsigned int local = local_of(n, node, port->number);
	uint8_t page[220];

	ok(local && local != ~0u, "port %u/%u has one local port", port->node, port->number);
	is_int(get(n, node, PTYS, 0, local, false), 0, "... and modes");
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
	is_int(get(n, node, PDDR, 3, local, false), 0, "... by local port");
	memcpy(page, data + 4 + 8, sizeof(page) - 8);
	is_int(get(n, node, PDDR, 3, port->number, true), 0, "... by IB port");
	is_mem(data + 4 + 8, page, sizeof(page) - 8, "... the same");
	is_int(get(n, node, PDDR, 0, local, false), 0, "... its state");
	is_u64(field_get(MADKIT_PHY_OPERATION_SPEED_ACTIVE, data), port_speed(port), "... its speed");
	is_u64(field_get(MADKIT_PHY_OPERATION_IB_PHY_STATE, data), 7, "... it is up");
}

static void test_registers_links(void)
{
	struct topology *t = random_topology(9);
	struct net n;

	net_begin(&n, t);
	for (uint32_t i = 0; i < n.f->nports; i++) {
		const struct port *port = &n.f->ports[i];
		uint64_t fec;

		if (port->peer == TOPOLOGY_NONE ||
		    field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) < PORT_INIT)
			continue;
		test_registers_modes(&n, port);
		test_registers_module(&n, port);
		get(&n, &n.f->nodes[port->node], PDDR, 0, port->number, is_switch(&n.f->nodes[port->node]));
		fec = field_get(MADKIT_PHY_OPERATION_FEC_ACTIVE, data);
		port = &n.f->ports[port->peer];
		get(&n, &n.f->nodes[port->node], PDDR, 0, port->number, is_switch(&n.f->nodes[port->node]));
		is_u64(field_get(MADKIT_PHY_OPERATION_FEC_ACTIVE, data), fec, "... one FEC at both ends");
	}
	net_end(&n);
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
	struct net n;
	uint8_t pma[MADKIT_MAD_BYTES];
	unsigned int count = 0;

	net_read(&n, pair);
	of = counters_attribute(MADKIT_ATTR_PORT_COUNTERS);
	is_int(madkit_attribute_find("RegisterPortCounters", MADKIT_CLASS_MLNX, &class, &id, &registers,
				     NULL),
	       0, "PPCNT 0x20");
	layout = registers->layout;
	for (unsigned int i = 0; i < of->layout->nfields; i++) {
		char line[100];

		snprintf(line, sizeof(line), "counter s 1 %s=%u", of->layout->fields[i].name, i % 13 + 1);
		if (of->layout->fields[i].kind == MADKIT_KIND_COUNTER)
			is_int(net_do(&n, line), 0, "%s", line);
	}
	mad_begin(pma, MADKIT_CLASS_PERF, 1, MADKIT_METHOD_GET, MADKIT_ATTR_PORT_COUNTERS, 0, 1);
	field_put(MADKIT_PORT_COUNTERS_PORT_SELECT, pma + MADKIT_PERF_DATA, 1);
	ok(pma_handle(n.f, node_port(n.f, net_node(&n, "s"), 0), pma), "PortCounters");
	is_int(get(&n, net_node(&n, "s"), PPCNT, 0x20, 1, true), 0, "... and PPCNT");
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
	net_end(&n);
}

static void test_registers_device(void)
{
	uint8_t general[224];
	struct net n;

	net_read(&n, pair);
	request(MADKIT_ATTR_GENERAL_INFO, 0);
	is_int(answer(&n, net_node(&n, "s")), 0, "GeneralInfo");
	ok(field_get(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data) == 1 << 20, "... has registers");
	memcpy(general, data, sizeof(general));
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MGIR);
	is_int(answer(&n, net_node(&n, "s")), 0, "MGIR");
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
	request(MADKIT_ATTR_CONFIG_SPACE_ACCESS, 0x0f010014);
	is_int(answer(&n, net_node(&n, "s")), 0, "the ID of the device");
	is_u64(get_be32(data) >> 16, 0xa0, "... has a revision");
	request(MADKIT_ATTR_CONFIG_SPACE_ACCESS, 0x00010000);
	is_int(answer(&n, net_node(&n, "s")), 12, "another address");
	request(0xff52, 0);
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_SET;
	is_int(answer(&n, net_node(&n, "s")), 12, "Set of a register");
	net_end(&n);
}

/* ---- statuses and blocks ------------------------------------------------------------------- */

static void test_registers_statuses(void)
{
	struct node *s, *a;
	struct net n;
	unsigned int local = 1, mapped = 0;

	net_read(&n, pair);
	s = net_node(&n, "s");
	a = net_node(&n, "a");
	is_int(get(&n, s, 0x5003, 0, 1, false), UNKNOWN, "an unknown register");
	is_int(get(&n, s, PDDR, 9, 1, true), BAD, "latched flags");
	is_int(get(&n, s, PDDR, 3, 0, false), BAD, "local port 0");
	is_int(get(&n, s, PDDR, 3, 5, true), BAD, "an IB port beyond the last");
	is_int(get(&n, s, PDDR, 3, 1023, false), BAD, "a local port beyond the last");
	is_int(get(&n, a, PDDR, 3, 1, false), 0, "an adapter has local port 1");
	is_int(get(&n, a, PDDR, 3, 2, false), BAD, "... and no other");
	is_int(get(&n, a, PLIB, 0, 1, false), UNKNOWN, "... nor PLIB");
	is_int(get(&n, a, MFCR, 0, 0, false), UNKNOWN, "... nor fans");
	is_int(get(&n, s, MFCR, 0, 0, false), 0, "a switch has them");
	is_int(get(&n, s, PLIB, 0, 0, false), BAD, "PLIB of 0");
	for (; !get(&n, s, PLIB, 0, local, false); local++)
		mapped += field_get(MADKIT_PORT_MAPPING_IB_PORT, data) != 0;
	is_u64(mapped, 4, "all IB ports have a local port");
	ok(local - 1 > mapped, "... and other local ports have no IB port");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTBR);
	field_put(MADKIT_SENSORS_RECORDS, data, 2);
	field_put(MADKIT_SENSORS_BLOCK, data, 4);
	is_int(answer(&n, s), 0, "the last block of MTBR");
	is_u64(field_get(MADKIT_SENSORS_BLOCK, data), 4, "... has its number");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTBR);
	field_put(MADKIT_SENSORS_BLOCK, data, 5);
	is_int(answer(&n, s), BAD, "... and no further one");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTCAP);
	is_int(answer(&n, s), 0, "sensors");
	is_u64(field_get(MADKIT_SENSOR_LIST_SENSOR_COUNT, data), 3, "... as many as");
	is_u64(field_get(MADKIT_SENSOR_LIST_SENSOR_MAP, data), 7, "... are in the map");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MGPIR);
	is_int(answer(&n, s), 0, "modules");
	is_u64(field_get(MADKIT_SLOTS_NUM_MODULES, data), 4, "... by port");
	is_int(get(&n, s, PTYS, 0, 4, false), BAD, "a local port without IB port");
	net_end(&n);
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
	struct net n;
	char serial[17];

	net_read(&n, pair);
	s = net_node(&n, "s");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		is_int(net_do(&n, lines[i]), 0, "%s", lines[i]);
	serial_of(&n, node_port(n.f, net_node(&n, "r"), 1), serial);
	is_str(serial, "ABC             ", "the other end has the serial number");
	get(&n, s, PDDR, 3, 3, true);
	is_u64(field_get(MADKIT_MODULE_INFO_TEMPERATURE, data), 715 * 256 / 10, "the temperature");
	is_u64(element_get(MADKIT_MODULE_INFO_RX_POWER, 0, data), (uint16_t)-13, "50 uW are -13 dBm");
	get(&n, s, PDDR, 1, 3, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 1030, "the diagnosis");
	get(&n, s, PPCNT, 0x16, 3, true);
	is_u64(field_get(MADKIT_BIT_ERRORS_RAW_PHYSICAL_BER, data), 6 << 8 | 15, "the raw BER");
	is_u64(field_get(MADKIT_BIT_ERRORS_SYMBOL_BER, data), 13 << 8 | 2, "the symbol BER");
	is_u64(field_get(MADKIT_BIT_ERRORS_EFFECTIVE_PHYSICAL_BER, data), 0, "the effective BER");
	is_u64(field_get(MADKIT_BIT_ERRORS_SYMBOL_ERRORS, data) / 10,
	       field_get(MADKIT_BIT_ERRORS_RECEIVED_BITS, data) / UINT64_C(50000000000000),
	       "symbol errors fit");
	get(&n, s, PDDR, 0, 3, true);
	is_u64(field_get(MADKIT_PHY_OPERATION_FEC_ACTIVE, data), 7, "the FEC");
	get(&n, s, PDDR, 6, 3, true);
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_REMOTE_REASON, data), 23, "the reason");
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_DOWN_BLAME, data), 2, "... of the other end");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, MTMP);
	answer(&n, s);
	is_u64(field_get(MADKIT_SENSOR_TEMPERATURE, data), 91 * 8, "the ASIC");
	is_int(net_do(&n, "cable s 3 none"), 0, "no cable");
	get(&n, net_node(&n, "r"), PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_CABLE_TYPE, data), MADKIT_CABLE_TYPE_UNPLUGGED,
	       "... at the other end");
	net_end(&n);
}

static void test_registers_misbehaviour(void)
{
	struct node *s;
	struct net n;

	net_read(&n, pair);
	s = net_node(&n, "s");
	is_int(net_do(&n, "register s refuse=20 0x5031"), 0, "PDDR is refused");
	is_int(get(&n, s, PDDR, 3, 1, true), 20, "... so");
	is_int(get(&n, s, PTYS, 0, 1, false), 0, "... alone");
	is_int(net_do(&n, "register all refuse=1"), 0, "all are busy");
	is_int(get(&n, s, PTYS, 0, 1, false), 1, "... so");
	is_int(get(&n, net_node(&n, "a"), PTYS, 0, 1, false), 1, "... everywhere");
	is_int(net_do(&n, "register s normal"), 0, "normal");
	is_int(get(&n, s, PDDR, 3, 1, true), 0, "... again");
	is_int(net_do(&n, "register s noecho"), 0, "no echo");
	get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_PORT_SELECT, data) |
		       field_get(MADKIT_MODULE_INFO_PAGE_SELECT, data),
	       0, "... of indices");
	ok(field_get(MADKIT_MODULE_INFO_CABLE_TYPE, data), "... but the values");
	net_do(&n, "register s normal");
	net_do(&n, "register s wrong=page");
	get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_PAGE_SELECT, data), 4, "another page");
	net_do(&n, "register s wrong=port");
	get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_PORT_SELECT, data), 2, "another port");
	net_do(&n, "register s wrong=block");
	get(&n, s, PDDR, 3, 1, true);
	is_u64(field_get(MADKIT_MODULE_INFO_BLOCK, data), 1, "another block");
	net_do(&n, "register s wrong=register");
	get(&n, s, PDDR, 3, 1, true);
	is_u64(get_be32(mad + MADKIT_MAD_MODIFIER), PMLP, "another register");
	net_do(&n, "register s normal");
	is_int(net_do(&n, "vkey s 0x1234"), 0, "a V_Key");
	is_int(get(&n, s, PDDR, 3, 1, true), -1, "... is needed");
	request(MADKIT_ATTR_GENERAL_INFO, 0);
	field_put(MADKIT_HEADER_MLNX_V_KEY, mad, 0x1234);
	is_int(answer(&n, s), 0, "... and sent");
	is_int(net_do(&n, "vkey s 0x1234 28"), 0, "a V_Key with a status");
	is_int(get(&n, s, PDDR, 3, 1, true), 28, "... is needed");
	net_do(&n, "vkey s 0");
	is_int(net_do(&n, "register s off"), 0, "no registers");
	is_int(get(&n, s, PDDR, 3, 1, true), 12, "... to get");
	request(MADKIT_ATTR_GENERAL_INFO, 0);
	is_int(answer(&n, s), 0, "GeneralInfo");
	is_u64(field_get(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data), 0, "... says so");
	net_end(&n);
}

/* ---- links that go down -------------------------------------------------------------------- */

static void test_registers_loss(struct net *n, const char *name, unsigned int port, unsigned int blame,
				unsigned int intent, unsigned int local, unsigned int remote)
{
	get(n, net_node(n, name), PDDR, 6, port, is_switch(net_node(n, name)));
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_DOWN_BLAME, data), blame, "%s: blame", name);
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_DOWN_INTENT, data), intent, "... intent");
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_LOCAL_REASON, data), local, "... local reason");
	is_u64(field_get(MADKIT_LINK_DOWN_INFO_REMOTE_REASON, data), remote, "... remote reason");
}

static void test_registers_losses(void)
{
	struct port *port;
	struct net n;

	net_read(&n, pair);
	test_registers_loss(&n, "a", 1, 0, 0, 0, 0);
	is_int(net_do(&n, "link a 1 down"), 0, "unplugged");
	test_registers_loss(&n, "a", 1, 1, 2, 23, 0);
	test_registers_loss(&n, "s", 1, 1, 2, 23, 0);
	get(&n, net_node(&n, "s"), PDDR, 1, 1, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 1024, "... which is the diagnosis");
	is_int(net_do(&n, "link a 1 up"), 0, "plugged in");
	get(&n, net_node(&n, "s"), PDDR, 1, 1, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 0, "... no issue");
	port = node_port(n.f, net_node(&n, "s"), 1);
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info, PHYS_DISABLED);
	link_train(n.f, port, port);
	test_registers_loss(&n, "s", 1, 1, 1, 22, 0);
	test_registers_loss(&n, "a", 1, 2, 1, 33, 22);
	get(&n, net_node(&n, "s"), PDDR, 1, 1, true);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 1, "closed");
	get(&n, net_node(&n, "a"), PDDR, 1, 1, false);
	is_u64(field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data), 2, "no partner");
	is_int(net_do(&n, "node r gone"), 0, "powered off");
	test_registers_loss(&n, "s", 3, 2, 2, 3, 0);
	get(&n, net_node(&n, "s"), PPCNT, 0x1a, 3, true);
	is_u64(field_get(MADKIT_RECOVERY_COUNTERS_UNINTENTIONAL_LINK_DOWN_EVENTS, data), 1, "... counted");
	get(&n, net_node(&n, "s"), PPCNT, 0x12, 1, true);
	is_u64(field_get(MADKIT_PHY_COUNTERS_LINK_DOWN_EVENTS, data), 2, "two losses");
	request(MADKIT_ATTR_ACCESS_REGISTER_GMP, PPCNT);
	field_put(MADKIT_PHY_COUNTERS_PORT_SELECT, data, 1);
	field_put(MADKIT_PHY_COUNTERS_PORT_NUMBERING, data, 1);
	field_put(MADKIT_PHY_COUNTERS_GROUP, data, 0x12);
	field_put(MADKIT_PHY_COUNTERS_BLOCK, data, 1);
	is_int(answer(&n, net_node(&n, "s")), 0, "the second block");
	is_u64(get_be32(data + 4 + 1984 / 8 - 220), 1, "... one unintended");
	is_u64(get_be32(data + 4 + 2016 / 8 - 220), 1, "... one intended");
	net_end(&n);
}

int main(void)
{
	test_registers_cables();
	test_registers_links();
	test_registers_counters();
	test_registers_device();
	test_registers_statuses();
	test_registers_words();
	test_registers_misbehaviour();
	test_registers_losses();
	return tap_done();
}
