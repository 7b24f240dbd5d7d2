/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The control commands of a simulation. A new command is a row of commands[]. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <madkit/addr.h>
#include <madkit/num.h>
#include <madkit/registry.h>
#include "sim/control.h"
#include "sim/control_registers.h"
#include "sim/control_take.h"
#include "util/array_size.h"
#include "util/nearest.h"
#include "util/time.h"

enum { CONTROL_SLOW_MS_MAX = 3600000, CONTROL_FLAP_MS_MAX = 3600000, CONTROL_FLAP_NS_MIN = 10000 };

#define MILLION UINT64_C(1000000)
#define GIGA    UINT64_C(1000000000)

enum {
	ERRORS_MAX = 1000000000, /* per second */
	GBPS_MAX = 100000,
	HEADERS_MIN = 28, /* LRH, BTH, ICRC and four more octets */
	HEADERS_MAX = 128,
};

/* The IPoIB broadcast group of the default partition (RFC 4391), which every subnet has. */
#define BROADCAST_GROUP "ff12:401b:ffff::ffff:ffff"

/* ---- words ------------------------------------------------------------------------------- */

/* Removes the quotes from the first word of the line, in place. Returns the rest of the line, or NULL if a
 * quote is not closed. */
static char *control_unquote(char *line)
{
	char *from = line, *to = line, quote = '\0';

	for (; *from && (quote || !strchr(" \t", *from)); from++) {
		if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? '\0' : *from;
		else
			*to++ = *from;
	}
	if (*from)
		*from++ = '\0';
	*to = '\0';
	return quote ? NULL : from;
}

int control_split(char *line, struct control_words *words, struct madkit_error *error)
{
	words->n = 0;
	for (char *at = line + strspn(line, " \t"); *at;) {
		char *word = at;

		if (words->n == CONTROL_WORDS_MAX)
			return madkit_error_set(error, -EINVAL, -1, "more than %d words", CONTROL_WORDS_MAX);
		at = control_unquote(word);
		if (!at)
			return madkit_error_set(error, -EINVAL, -1, "a quote of '%.80s' is not closed", word);
		words->at[words->n++] = word;
		at += strspn(at, " \t");
	}
	return 0;
}

/* ---- links, nodes and agents ------------------------------------------------------------- */

/* Joins the names of the bits of mask (widths, speeds, or MTUs as bits 1 to 5): "1x, 4x". */
static const char *rate_names(unsigned int mask, const char *(*name_of)(unsigned int bit), char text[80])
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int bit = 1; bit && bit <= mask && used < 80; bit <<= 1)
		if (mask & bit)
			used += (size_t)snprintf(text + used, 80 - used, "%s%s", used ? ", " : "",
						 name_of(bit));
	return text;
}

static const char *control_mtu_name(unsigned int bit)
{
	static const char *const names[] = { "256", "512", "1024", "2048", "4096" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (bit == 2u << i)
			return names[i];
	return "?";
}

/* Parses WHAT=VALUE. VALUE is the name of a bit of can, the bits that the link supports. */
static int control_take_rate(const struct control *c, const char *what, const char *value, unsigned int can,
			     const char *(*name_of)(unsigned int bit), unsigned int *rate)
{
	char names[80];

	if (*rate)
		return wrong(c, "%s= is given twice", what);
	for (unsigned int bit = 1; bit <= can; bit <<= 1)
		if ((can & bit) && !strcasecmp(name_of(bit), value)) {
			*rate = bit;
			return 0;
		}
	return wrong(c, "'%s=%s': both ends of this link support %s", what, value,
		     rate_names(can, name_of, names));
}

/* Parses width=, speed= and mtu=, from word 3 on. */
static int control_take_rates(const struct control *c, const struct fabric_rate *can,
			      struct fabric_rate *rate)
{
	unsigned int width = 0, speed = 0, mtu = 0;
	int ret = 0;

	for (size_t i = 3; !ret && i < c->words->n; i++) {
		const char *word = word_at(c, i);

		if (!strncmp(word, "width=", 6))
			ret = control_take_rate(c, "width", word + 6, can->width, topology_width_name,
						&width);
		else if (!strncmp(word, "speed=", 6))
			ret = control_take_rate(c, "speed", word + 6, can->speed, topology_speed_name,
						&speed);
		else if (!strncmp(word, "mtu=", 4))
			ret = control_take_rate(c, "mtu", word + 4, (2u << can->mtu) - 2, control_mtu_name,
						&mtu);
		else
			ret = wrong(
				c,
				i > 3 ? "expected width=, speed= or mtu=, found '%s'" :
					"expected down, up, best, flap=, width=, speed=, mtu=, supported=, enabled= or shows=, found '%s'",
				word);
	}
	*rate = (struct fabric_rate){ .width = (uint8_t)width, .speed = (uint16_t)speed };
	while (mtu >> (rate->mtu + 1))
		rate->mtu++;
	return ret;
}

/* Parses WORD=WIDTH,SPEED. */
static int control_take_pair(const struct control *c, const char *word, struct fabric_rate *rate)
{
	const char *value = strchr(word, '=') + 1;
	const size_t name = (size_t)(value - word), len = strcspn(value, ",");
	char names[80];

	if (rate->width)
		return wrong(c, "%.*s is given twice", (int)name, word);
	for (unsigned int bit = 1; bit <= TOPOLOGY_2X; bit <<= 1)
		if (strlen(topology_width_name(bit)) == len &&
		    !strncasecmp(topology_width_name(bit), value, len))
			rate->width = (uint8_t)bit;
	for (unsigned int bit = 1; value[len] && bit <= TOPOLOGY_XDR; bit <<= 1)
		if (!strcasecmp(topology_speed_name(bit), value + len + 1))
			rate->speed = (uint16_t)bit;
	if (!rate->width)
		return wrong(c, "'%s': the widths are %s", word,
			     rate_names(2 * TOPOLOGY_2X - 1, topology_width_name, names));
	if (!rate->speed)
		return wrong(c, "'%s': expected a width and a speed, such as %.*s4x,HDR", word, (int)name,
			     word);
	return 0;
}

/* Parses and applies supported=, enabled= and shows=, from word 3 on. */
static int control_end(const struct control *c, uint32_t node, unsigned int port)
{
	struct fabric_end end = { .shows = { .width = 0 } };
	struct {
		const char *name;
		struct fabric_rate *rate;
		const char *word;
	} words[] = {
		{ "supported=", &end.supported, NULL },
		{ "enabled=", &end.enabled, NULL },
		{ "shows=", &end.shows, NULL },
	};
	int ret = 0;

	for (size_t i = 3; !ret && i < c->words->n; i++) {
		const char *word = word_at(c, i);
		size_t w = 0;

		while (w < ARRAY_SIZE(words) && strncmp(word, words[w].name, strlen(words[w].name)))
			w++;
		if (w == ARRAY_SIZE(words))
			return wrong(c, "expected supported=, enabled= or shows=, found '%s'", word);
		words[w].word = word;
		ret = control_take_pair(c, word, words[w].rate);
	}
	if (!ret)
		ret = fabric_set_end(c->s->fabric, node, port, &end);
	if (ret == -ENOTSUP)
		return wrong(c, "'%s': only devices of Mellanox have FDR10", words[0].word);
	return ret == -ERANGE ? wrong(c, "'%s': %s, port %u does not support that", words[1].word,
				      word_at(c, 1), port) :
				ret;
}

/* Parses and runs flap=MS, which may be a fraction. */
static int control_flap(const struct control *c, uint32_t node, unsigned int port)
{
	const char *word = word_at(c, 3), *text = word + strlen("flap=");
	uint64_t ns;
	int ret;

	if (c->words->n > 4)
		return wrong(c, "'%s' after flap=", word_at(c, 4));
	/* A millionth of a millisecond is a nanosecond. */
	if (fault_millionths(text, strlen(text), CONTROL_FLAP_MS_MAX, &ns) || ns < CONTROL_FLAP_NS_MIN ||
	    ns > CONTROL_FLAP_MS_MAX * NS_PER_MS)
		return wrong(c, "'%s' is not a number of milliseconds from 0.01 to %d", word,
			     CONTROL_FLAP_MS_MAX);
	ret = fabric_flap(c->s->fabric, node, port, ns);
	return ret ? madkit_error_set(c->error, ret, -1, "out of memory") : 0;
}

static int control_link(struct control *c)
{
	static const char *const of_end[] = { "supported=", "enabled=", "shows=" };
	struct fabric_rate can, rate;
	unsigned int port;
	uint32_t node;
	int ret = control_take_node_port(c, 1, &node, &port);
	bool up = !strcmp(word_at(c, 3), "up");

	if (ret)
		return ret;
	if (fabric_link_supports(c->s->fabric, node, port, &can))
		return wrong(c, "no cable is at %s, port %u", word_at(c, 1), port);
	if (up || !strcmp(word_at(c, 3), "down"))
		return c->words->n > 4 ? wrong(c, "'%s' after %s", word_at(c, 4), word_at(c, 3)) :
					 fabric_cable(c->s->fabric, node, port, up);
	if (!strncmp(word_at(c, 3), "flap=", strlen("flap=")))
		return control_flap(c, node, port);
	for (size_t i = 0; i < ARRAY_SIZE(of_end); i++)
		if (!strncmp(word_at(c, 3), of_end[i], strlen(of_end[i])))
			return control_end(c, node, port);
	if (!strcmp(word_at(c, 3), "best"))
		return c->words->n > 4 ? wrong(c, "'%s' after best", word_at(c, 4)) :
					 fabric_restore(c->s->fabric, node, port);
	ret = control_take_rates(c, &can, &rate);
	return ret ? ret : fabric_degrade(c->s->fabric, node, port, &rate);
}

/* Parses MAJOR.MINOR.SUB. Returns false if it is anything else. */
static bool control_take_version(const char *text, uint32_t version[3])
{
	for (size_t i = 0; i < 3; i++) {
		const size_t len = strcspn(text, ".");
		uint64_t n;

		if (!text[len] != (i == 2) || madkit_parse_number(text, len, UINT32_MAX, "", &n, NULL))
			return false;
		version[i] = (uint32_t)n;
		text += len + 1;
	}
	return true;
}

/* Parses and runs firmware= and psid=, from word 2 on; a value that is not given is empty. */
static int control_firmware(const struct control *c, uint32_t node)
{
	static const char version[] = "firmware=", psid[] = "psid=";
	struct fabric_firmware firmware = { .known = true };
	bool given[2] = { false, false };

	for (size_t i = 2; i < c->words->n; i++) {
		const char *word = word_at(c, i), *name = psid;

		if (!strncmp(word, version, strlen(version)))
			name = version;
		else if (strncmp(word, psid, strlen(psid)))
			return wrong(c, "expected gone, back, firmware= or psid=, found '%s'", word);
		if (given[name == psid])
			return wrong(c, "%s is given twice", name);
		given[name == psid] = true;
		word += strlen(name);
		if (name == version && !control_take_version(word, firmware.version))
			return wrong(c, "'%s%s' is not a version, such as 20.41.1000", name, word);
		if (name == psid && (!*word || strlen(word) > sizeof(firmware.psid)))
			return wrong(c, "'%s%.40s' does not have 1 to %zu characters", name, word,
				     sizeof(firmware.psid));
		if (name == psid)
			memcpy(firmware.psid, word, strlen(word));
	}
	return fabric_set_firmware(c->s->fabric, node, &firmware) ?
		       wrong(c, "%s: '%s' is not a device of Mellanox", word_at(c, 2), word_at(c, 1)) :
		       0;
}

static int control_node(struct control *c)
{
	const char *word = word_at(c, 2);
	uint32_t node;
	int ret = control_take_node(c, word_at(c, 1), &node);

	if (ret)
		return ret;
	if (strcmp(word, "gone") && strcmp(word, "back"))
		return control_firmware(c, node);
	if (c->words->n > 3)
		return wrong(c, "'%s' after %s", word_at(c, 3), word);
	return fabric_power(c->s->fabric, node, !strcmp(word, "back")) ?
		       wrong(c, "'%s' cannot be switched", word_at(c, 1)) :
		       0;
}

/* Parses mute, slow=MS or normal. *ns is the MS of slow=MS in nanoseconds, else 0. */
static int control_take_pace(const struct control *c, const char *word, bool *mute, uint64_t *ns)
{
	uint64_t ms;

	*mute = !strcmp(word, "mute");
	*ns = 0;
	if (*mute || !strcmp(word, "normal"))
		return 0;
	if (strncmp(word, "slow=", 5))
		return wrong(c, "'%.40s' is not mute, slow=MS or normal", word);
	if (madkit_parse_number(word + 5, strlen(word + 5), CONTROL_SLOW_MS_MAX, "slow", &ms, c->error))
		return -EINVAL;
	*ns = ms * NS_PER_MS;
	return ms ? 0 : wrong(c, "slow=0 is not slow: write normal");
}

static int control_agent(struct control *c)
{
	static const char *const names[FABRIC_AGENTS] = { [AGENT_SMI] = "smi", [AGENT_GSI] = "gsi" };
	const char *one = c->words->n == 4 ? word_at(c, 3) : NULL;
	uint32_t node;
	uint64_t ns;
	bool mute, any = false;
	int ret = control_take_node(c, word_at(c, 1), &node);

	if (!ret)
		ret = control_take_pace(c, word_at(c, 2), &mute, &ns);
	for (unsigned int i = 0; !ret && i < FABRIC_AGENTS; i++) {
		if (one && strcmp(one, names[i]))
			continue;
		any = true;
		ret = fabric_set_agent(c->s->fabric, node, (enum fabric_agent)i, mute, ns);
		if (ret)
			ret = madkit_error_set(c->error, ret, -1, "out of memory");
	}
	return ret || any ? ret : wrong(c, "'%.40s' is neither smi nor gsi", one);
}

/* ---- PortInfo and P_KeyTable ------------------------------------------------------------- */

static int control_set_field(const struct control *c, uint16_t attribute, uint8_t *data, const char *name,
			     const char *text)
{
	if (!data)
		return madkit_error_set(c->error, -ENOMEM, -1, "out of memory");
	return madkit_attribute_set(madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SUBN,
							 attribute),
				    data, FABRIC_INFO_BYTES, name, text, NULL, c->error) ?
		       -EINVAL :
		       0;
}

/* Sets an entry of the SL-to-VL maps to a port, from all ports. */
static int control_set_lane(const struct control *c, struct port *port, const char *name, const char *text)
{
	struct node *node = &c->s->fabric->nodes[port->node];
	unsigned int in = 0;
	int ret;

	do {
		uint8_t block[FABRIC_INFO_BYTES] = { 0 }, *map = fabric_lanes(node, in, port->number);

		if (map)
			memcpy(block, map, FABRIC_LANES_BYTES);
		ret = control_set_field(c, MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE, map ? block : NULL, name,
					text);
		if (!ret)
			memcpy(map, block, FABRIC_LANES_BYTES);
	} while (!ret && node->type == MADKIT_NODE_TYPE_SWITCH && in++ < node->nports);
	return ret;
}

/* Sets FIELD=VALUE in PortInfo, in the first block of P_KeyTable, or in SLtoVLMappingTable. */
static int control_set(const struct control *c, struct port *port, const char *word)
{
	const bool external = c->s->fabric->nodes[port->node].type == MADKIT_NODE_TYPE_SWITCH && port->number;
	char name[64];
	const char *text = control_split_word(word, name);
	int ret;

	if (!text)
		return wrong(c, "'%s' is not FIELD=VALUE", word);
	if (!strncasecmp(name, "Link", 4) || !strcasecmp(name, "PhysLinkState"))
		return wrong(c, "%s: the word link changes the state and the rate of a link", name);
	if (!strncasecmp(name, "SLtoVL", 6))
		return control_set_lane(c, port, name, text);
	if (!strncasecmp(name, "PKey[", 5))
		return control_set_field(c, MADKIT_ATTR_P_KEY_TABLE, fabric_pkeys(port), name, text);
	ret = control_set_field(c, MADKIT_ATTR_PORT_INFO, port->info, name, text);
	if (!ret && external)
		fabric_enforce(port);
	return ret;
}

static int control_info(struct control *c)
{
	unsigned int number;
	uint32_t node;
	int ret = control_take_node_port(c, 1, &node, &number);

	for (size_t i = 3; !ret && i < c->words->n; i++)
		ret = control_set(c, control_port(c, node, number), word_at(c, i));
	return ret;
}

/* ---- multicast groups ------------------------------------------------------------------- */

/* Parses NODE PORT [MGID] and makes this end port join or leave the group. The default is BROADCAST_GROUP. */
static int control_member(struct control *c, bool joins)
{
	uint8_t mgid[16];
	struct port *port;
	unsigned int number;
	uint32_t node;
	int ret = control_take_node_port(c, 1, &node, &number);

	if (ret)
		return ret;
	if (madkit_parse_gid(c->words->n > 3 ? word_at(c, 3) : BROADCAST_GROUP, mgid, c->error))
		return -EINVAL;
	port = fabric_end_port(c->s->fabric, node, number);
	if (!port)
		return wrong(c,
			     "port '%s': only end ports can join groups; the end port of a switch is port 0",
			     word_at(c, 2));
	if (!c->s->sm)
		return wrong(c, "there is no built-in subnet manager");
	ret = sm_join(c->s->sm, port->guid, mgid, joins);
	switch (ret) {
	case -ENOTCONN:
		return wrong(c, "the built-in subnet manager is not master");
	case -ENOENT:
		return wrong(c, "the subnet does not have %s, port %u", word_at(c, 1), number);
	case -EDOM:
		return wrong(c, "'%s' cannot be the MGID of a group", word_at(c, 3));
	case -EINVAL:
		return joins ? wrong(c,
				     "%s, port %u cannot join: its rate, MTU or P_Keys do not fit the group",
				     word_at(c, 1), number) :
			       wrong(c, "%s, port %u is not in the group", word_at(c, 1), number);
	case -ENOMEM:
		return madkit_error_set(c->error, ret, -1, "out of memory or MLIDs");
	default:
		return ret;
	}
}

static int control_join(struct control *c)
{
	return control_member(c, true);
}

static int control_leave(struct control *c)
{
	return control_member(c, false);
}

/* ---- counters ---------------------------------------------------------------------------- */

static int counter_unknown(const struct control *c, const struct port *port, const char *name)
{
	struct nearest nearest = nearest_begin(name);
	const char *best;

	pma_try_names(port, &nearest);
	for (unsigned int i = 0;
	     port->end && !is_switch(&c->s->fabric->nodes[port->node]) && hardware_name(i); i++)
		nearest_try(&nearest, hardware_name(i));
	best = nearest_word(&nearest);
	return wrong(c, "unknown counter '%s'%s%s%s", name, best ? "; did you mean '" : "", best ? best : "",
		     best ? "'?" : "");
}

static int counter_result(const struct control *c, int ret, const struct port *port, const char *name)
{
	if (ret == -ENOENT)
		return counter_unknown(c, port, name);
	return ret == -ENOMEM ? madkit_error_set(c->error, ret, -1, "out of memory") : ret;
}

/* Splits NODE PORT NAME=VALUE. form: the name of VALUE in error messages. */
static int control_take_setting(const struct control *c, const char *form, struct port **port, char name[64],
				const char **text)
{
	unsigned int number;
	uint32_t node;
	int ret = control_take_node_port(c, 1, &node, &number);

	if (ret)
		return ret;
	if (!number && !is_switch(&c->s->fabric->nodes[node]))
		return wrong(c, "port '%s': %s is not a switch, its ports begin with 1", word_at(c, 2),
			     c->s->topology->nodes[node].name);
	*port = control_port(c, node, number);
	*text = control_split_word(word_at(c, 3), name);
	return *text ? 0 : wrong(c, "'%s' is not NAME=%s", word_at(c, 3), form);
}

static int control_counter(struct control *c)
{
	struct port *port;
	const char *text;
	char name[64];
	uint64_t value;
	int ret = control_take_setting(c, "VALUE", &port, name, &text);

	if (ret)
		return ret;
	if (madkit_parse_number(text, strlen(text), UINT64_MAX, name, &value, c->error))
		return -EINVAL;
	ret = pma_set(c->s->fabric, port, name, value);
	if (ret == -ENOENT)
		ret = hardware_set(c->s->fabric, port, name, value);
	return ret == -ERANGE ? wrong(c, "'%s' is more than the counter can hold", word_at(c, 3)) :
				counter_result(c, ret, port, name);
}

static int control_errors(struct control *c)
{
	struct port *port;
	const char *text;
	char name[64];
	uint64_t rate;
	int ret = control_take_setting(c, "RATE", &port, name, &text);

	if (ret)
		return ret;
	if (fault_millionths(text, strlen(text), ERRORS_MAX, &rate) || rate > ERRORS_MAX * MILLION)
		return wrong(c, "'%s' is not a rate: a number of errors per second up to %d, such as 0.5",
			     word_at(c, 3), ERRORS_MAX);
	ret = pma_set_rate(c->s->fabric, port, name, rate);
	if (ret == -ENOENT)
		ret = hardware_set_rate(c->s->fabric, port, name, rate);
	return ret == -EINVAL ? wrong(c, "'%s' counts traffic, not errors: say traffic", name) :
				counter_result(c, ret, port, name);
}

/* Parses the words of traffic that follow NODE PORT. */
static int control_take_traffic(const struct control *c, const struct port *port, struct fabric_traffic *t)
{
	unsigned int mtu = 128u << field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, port->info);
	bool have_sl = false;
	uint64_t n;

	*t = (struct fabric_traffic){ .rate = UINT64_MAX };
	for (size_t i = 3; i < c->words->n; i++) {
		const char *word = word_at(c, i), *text;
		char name[64];

		text = control_split_word(word, name);
		if (text && ((!strcmp(name, "gbps") && t->rate != UINT64_MAX) ||
			     (!strcmp(name, "packets") && t->bytes) || (!strcmp(name, "sl") && have_sl)))
			return wrong(c, "%s= is given twice", name);
		if (!strcmp(word, "gbps") || !strcmp(word, "gbps="))
			return wrong(c, "gbps= has no value: expected a rate in Gb/s, such as gbps=12.5");
		if (text && !strcmp(name, "gbps")) {
			if (fault_millionths(text, strlen(text), GBPS_MAX, &n))
				return wrong(c, "'%s' is not a rate in Gb/s, such as 12.5", word);
			t->rate = n * (GIGA / MILLION);
		} else if (text && !strcmp(name, "packets")) {
			if (madkit_parse_number(text, strlen(text), mtu + HEADERS_MAX, name, &n, c->error))
				return -EINVAL;
			if (n < HEADERS_MIN || n % 4)
				return wrong(c, "'%s' is not a multiple of 4 from %d to %u", word,
					     HEADERS_MIN, mtu + HEADERS_MAX);
			t->bytes = (unsigned int)n;
		} else if (text && !strcmp(name, "sl")) {
			if (madkit_parse_number(text, strlen(text), 15, name, &n, c->error))
				return -EINVAL;
			t->sl = (unsigned int)n;
			have_sl = true;
		} else {
			return wrong(c, "'%s' is not one of gbps=, packets=, sl=", word);
		}
	}
	if (!t->bytes)
		t->bytes = mtu;
	return t->rate == UINT64_MAX ? wrong(c, "gbps= is missing") : 0;
}

static int control_traffic(struct control *c)
{
	struct fabric_traffic t;
	const char *at;
	unsigned int port;
	uint64_t most;
	uint32_t node;
	int ret = control_take_node_port(c, 1, &node, &port);

	if (!ret)
		ret = control_take_traffic(c, control_port(c, node, port), &t);
	if (ret)
		return ret;
	at = word_at(c, 1);
	ret = fabric_traffic(c->s->fabric, node, port, &t);
	if (ret == -EINVAL)
		return wrong(c, "no cable is at %s, port %u", at, port);
	if (ret == -ENOTCONN)
		return wrong(c, "the link at %s, port %u is not active", at, port);
	most = fabric_data_rate(control_port(c, node, port)) / (GIGA / 100);
	return ret == -ERANGE ? wrong(c, "gbps=: the link at %s, port %u has a data rate of %u.%02u Gb/s", at,
				      port, (unsigned int)(most / 100), (unsigned int)(most % 100)) :
				counter_result(c, ret, control_port(c, node, port), at);
}

/* ---- faults ------------------------------------------------------------------------------ */

/* A requester does not notice a garbled response: sweep again to correct what such responses caused. */
static void control_sweep(const struct control *c)
{
	if (c->s->sm)
		sm_sweep(c->s->sm);
}

static int fault_end(struct control *c, const char *word)
{
	uint64_t id;

	if (madkit_parse_number(word, strlen(word), UINT32_MAX, "rule", &id, c->error))
		return -EINVAL;
	if (fault_remove(c->s->faults, (uint32_t)id))
		return wrong(c, "there is no rule %s", word);
	control_sweep(c);
	return 0;
}

static int control_fault(struct control *c)
{
	size_t n = c->words->n, used = 0;
	char line[1024] = "";
	struct fault_rule rule;
	uint32_t id;
	int ret;

	if (n <= 3 && !strcmp(word_at(c, 1), "clear")) {
		if (n == 3)
			return fault_end(c, word_at(c, 2));
		fault_clear(c->s->faults);
		control_sweep(c);
		return 0;
	}
	for (size_t i = 1; i < n; i++) {
		if (used + strlen(word_at(c, i)) + 2 > sizeof(line))
			return wrong(c, "the command is too long at '%s'", word_at(c, i));
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", i > 1 ? "\n" : "",
					 word_at(c, i));
	}
	ret = fault_parse(c->s->topology, line, &rule, c->error);
	if (ret)
		return ret;
	ret = fault_add(c->s->faults, &rule, &id);
	if (ret == -E2BIG)
		return wrong(c, "there are %d rules already", FAULT_RULES_MAX);
	if (ret)
		return madkit_error_set(c->error, ret, -1,
					ret == -EINVAL ? "the node has no such port" : "out of memory");
	madkit_buf_printf(c->text, "%u\n", id);
	return 0;
}

/* ---- commands ---------------------------------------------------------------------------- */

static const struct {
	const char *name, *arguments;
	size_t least, most; /* number of words, including the command */
	int (*run)(struct control *c);
} commands[] = {
	{ "link",
	  "NODE PORT down|up|best|flap=MS|width=WIDTH|speed=SPEED|mtu=MTU ...|supported=|enabled=|shows=WIDTH,SPEED ...",
	  4, CONTROL_WORDS_MAX, control_link },
	{ "node", "NODE gone|back|firmware=MAJOR.MINOR.SUB psid=STRING", 3, 4, control_node },
	{ "agent", "NODE mute|slow=MS|normal [smi|gsi]", 3, 4, control_agent },
	{ "info", "NODE PORT FIELD=VALUE ...", 4, CONTROL_WORDS_MAX, control_info },
	{ "join", "NODE PORT [MGID]", 3, 4, control_join },
	{ "leave", "NODE PORT [MGID]", 3, 4, control_leave },
	{ "fault", "ACTION [WORD=VALUE ...], fault clear [RULE], fault list", 2, CONTROL_WORDS_MAX,
	  control_fault },
	{ "counter", "NODE PORT NAME=VALUE", 4, 4, control_counter },
	{ "errors", "NODE PORT NAME=RATE", 4, 4, control_errors },
	{ "traffic", "NODE PORT gbps=N [packets=BYTES] [sl=N]", 4, CONTROL_WORDS_MAX, control_traffic },
	{ "cable", "NODE PORT none|vendor=|part=|serial=|length=|type=|technology=|identifier=VALUE ...", 4,
	  CONTROL_WORDS_MAX, control_cable },
	{ "module", "NODE PORT temperature=|voltage=|rx=|tx=|bias=|state=|error=|diagnosis=VALUE ...", 4,
	  CONTROL_WORDS_MAX, control_module },
	{ "temperature", "NODE [PORT] DEGREES", 3, 4, control_temperature },
	{ "ber", "NODE PORT raw=|effective=|symbol=RATE ...", 4, 6, control_ber },
	{ "fec", "NODE PORT FEC", 4, 4, control_fec },
	{ "reason", "NODE PORT LOCAL [REMOTE]", 4, 5, control_reason },
	{ "register", "NODE|all refuse=STATUS [ID]|noecho|wrong=register|block|port|page|off|normal", 3, 4,
	  control_register },
	{ "vkey", "NODE|all KEY [STATUS]", 3, 4, control_vkey },
};

static int control_unknown_word(const struct control *c)
{
	char names[160];
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(commands) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 commands[i].name);
	return madkit_error_set(c->error, -ENOSYS, -1, "'%.40s' is not one of %s",
				c->words->n ? word_at(c, 0) : "", names);
}

int control_do(struct simulation *s, const struct control_words *words, struct madkit_buf *text,
	       struct madkit_error *error)
{
	struct control c = { .s = s, .words = words, .text = text, .error = error };

	for (size_t i = 0; words->n && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, word_at(&c, 0)))
			continue;
		if (words->n > commands[i].most)
			return wrong(&c, "'%s' is too much; usage: %s %s", word_at(&c, commands[i].most),
				     commands[i].name, commands[i].arguments);
		if (words->n < commands[i].least)
			return wrong(&c, "usage: %s %s", commands[i].name, commands[i].arguments);
		return commands[i].run(&c);
	}
	return control_unknown_word(&c);
}
