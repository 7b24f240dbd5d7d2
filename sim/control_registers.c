/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/num.h>
#include <madkit/registry.h>
#include "sim/control_registers.h"
#include "sim/fabric/misbehaviour.h"
#include "sim/fabric/settings.h"
#include "util/array_size.h"

static int register_no_memory(const struct control *c)
{
	return madkit_error_set(c->error, -ENOMEM, -1, "out of memory");
}

/* Parses the value of a field of a PDDR page: a number, or a name that it has. */
static int register_take_value(const struct control *c, unsigned int page, const char *field, uint64_t at,
			       const char *text, uint64_t *value)
{
	enum { PDDR = 0x5031 };
	uint8_t mad[MADKIT_MAD_BYTES], *data = mad + MADKIT_MLNX_DATA;

	mad_begin(mad, MADKIT_CLASS_MLNX, 1, MADKIT_METHOD_GET, MADKIT_ATTR_ACCESS_REGISTER_GMP, PDDR, 0);
	field_put(MADKIT_MODULE_INFO_PAGE_SELECT, data, page);
	if (madkit_attribute_set(madkit_attribute_of(mad, sizeof(mad), NULL), data,
				 sizeof(mad) - MADKIT_MLNX_DATA, field, text, NULL, c->error))
		return -EINVAL;
	*value = field_get(at, data);
	return 0;
}

/* Parses NODE PORT, which begins at word 1, and finds the port, which must have a cable. */
static int register_take_port(const struct control *c, struct port **port)
{
	unsigned int number;
	uint32_t node;
	int ret = control_take_node_port(c, 1, &node, &number);

	if (ret)
		return ret;
	*port = control_port(c, node, number);
	if (!number || (*port)->peer == TOPOLOGY_NONE)
		return wrong(c, "no cable is at %s, port %u", word_at(c, 1), number);
	return 0;
}

/* Finds the settings of a port, and parses NODE PORT as above. */
static int register_take_settings(const struct control *c, struct settings **settings)
{
	struct port *port;
	int ret = register_take_port(c, &port);

	if (ret)
		return ret;
	*settings = settings_make(port);
	return *settings ? 0 : register_no_memory(c);
}

/* ---- cables and modules -------------------------------------------------------------------- */

enum { REGISTER_LENGTH_MAX = 6300 }; /* m */

/* Sets a part of the cable. */
static int cable_take_word(const struct control *c, const char *word, struct cable *cable)
{
	const struct {
		const char *name;
		char *to;
	} texts[] = { { "vendor", cable->vendor }, { "part", cable->part }, { "serial", cable->serial } };
	const struct {
		const char *name, *field;
		uint64_t at;
		uint8_t *to;
	} numbers[] = {
		{ "type", "CableType", MADKIT_MODULE_INFO_CABLE_TYPE, &cable->type },
		{ "technology", "CableTechnology", MADKIT_MODULE_INFO_CABLE_TECHNOLOGY, &cable->technology },
		{ "identifier", "CableIdentifier", MADKIT_MODULE_INFO_CABLE_IDENTIFIER, &cable->identifier },
	};
	char name[64];
	const char *text = control_split_word(word, name);
	uint64_t value;
	int32_t length;

	for (size_t i = 0; text && i < ARRAY_SIZE(texts); i++) {
		if (strcmp(name, texts[i].name))
			continue;
		if (!*text || strlen(text) > CABLE_TEXT)
			return wrong(c, "'%.60s' does not have 1 to %d characters", word, CABLE_TEXT);
		strcpy(texts[i].to, text);
		return 0;
	}
	for (size_t i = 0; text && i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(name, numbers[i].name))
			continue;
		if (register_take_value(c, 3, numbers[i].field, numbers[i].at, text, &value))
			return -EINVAL;
		*numbers[i].to = (uint8_t)value;
		return 0;
	}
	if (!text || strcmp(name, "length"))
		return wrong(
			c,
			"expected none, vendor=, part=, serial=, length=, type=, technology= or identifier=, found '%.40s'",
			word);
	if (control_take_decimal(text, REGISTER_LENGTH_MAX, 10, &length) || length < 0)
		return wrong(c, "'%s' is not a length from 0 to %d m", word, REGISTER_LENGTH_MAX);
	cable->length = (uint16_t)length;
	return 0;
}

int control_cable(struct control *c)
{
	struct cable cable = { .type = CABLE_UNPLUGGED };
	struct port *port;
	int ret = register_take_port(c, &port);
	const bool none = !strcmp(word_at(c, 3), "none");

	if (ret)
		return ret;
	if (none && c->words->n > 4)
		return wrong(c, "'%s' after none", word_at(c, 4));
	if (!none && !cable_get(c->s->fabric, port, &cable))
		cable_derive(c->s->fabric, port, &cable);
	for (size_t i = 3; !none && !ret && i < c->words->n; i++)
		ret = cable_take_word(c, word_at(c, i), &cable);
	if (ret)
		return ret;
	return cable_set(c->s->fabric, port, &cable) ? register_no_memory(c) : 0;
}

/* The measurements of a module, in the units of the words. */
static const struct {
	const char *name, *unit;
	uint16_t max, times;
	uint8_t setting;
} module_words[] = {
	{ "temperature", "degrees Celsius", 127, 256, SETTING_TEMPERATURE },
	{ "voltage", "volts", 6, 10000, SETTING_VOLTAGE },
	{ "rx", "microwatts", 60000, 1, SETTING_RECEIVED },
	{ "tx", "microwatts", 60000, 1, SETTING_SENT },
	{ "bias", "milliamperes", 131, 500, SETTING_BIAS },
	{ "state", "module states", 3, 1, SETTING_STATE },
	{ "error", "errors", 31, 1, SETTING_ERROR },
};

static int module_take_word(const struct control *c, const char *word, struct settings *settings)
{
	char name[64];
	const char *text = control_split_word(word, name);
	uint64_t opcode;
	size_t i = 0;
	int32_t value;

	if (text && !strcmp(name, "diagnosis")) {
		if (register_take_value(c, 1, "Diagnosis", MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, text, &opcode))
			return -EINVAL;
		settings->values[SETTING_DIAGNOSIS] = (int32_t)opcode;
		settings->known[SETTING_DIAGNOSIS] = true;
		return 0;
	}
	while (text && i < ARRAY_SIZE(module_words) && strcmp(name, module_words[i].name))
		i++;
	if (!text || i == ARRAY_SIZE(module_words))
		return wrong(
			c,
			"expected temperature=, voltage=, rx=, tx=, bias=, state=, error= or diagnosis=, found '%.40s'",
			word);
	if (control_take_decimal(text, module_words[i].max, module_words[i].times, &value) ||
	    (value < 0 && module_words[i].setting != SETTING_TEMPERATURE))
		return wrong(c, "'%.60s' is not a number of %s up to %u", word, module_words[i].unit,
			     module_words[i].max);
	settings->values[module_words[i].setting] = value;
	settings->known[module_words[i].setting] = true;
	return 0;
}

int control_module(struct control *c)
{
	struct settings *settings;
	int ret = register_take_settings(c, &settings);

	for (size_t i = 3; !ret && i < c->words->n; i++)
		ret = module_take_word(c, word_at(c, i), settings);
	return ret;
}

/* Parses NODE [PORT] DEGREES: without a port, the temperature of the ASIC. */
int control_temperature(struct control *c)
{
	const bool of_port = c->words->n > 3;
	const char *word = word_at(c, of_port ? 3 : 2);
	struct settings *settings;
	int32_t value;
	uint32_t node;
	int ret = of_port ? register_take_settings(c, &settings) : control_take_node(c, word_at(c, 1), &node);

	if (ret)
		return ret;
	if (control_take_decimal(word, 127, of_port ? 256 : 8, &value))
		return wrong(c, "'%.40s' is not a number of degrees Celsius from -127 to 127", word);
	if (!of_port) {
		c->s->fabric->nodes[node].temperature = (int16_t)value;
		return 0;
	}
	settings->values[SETTING_TEMPERATURE] = value;
	settings->known[SETTING_TEMPERATURE] = true;
	return 0;
}

/* ---- links --------------------------------------------------------------------------------- */

/* Parses a number of the form 1.5e-15, the coefficient of which is at most 15 without the point; 0; or none: no error
 * was seen. */
static int ber_take(const char *text, struct ber *ber)
{
	const bool point = *text && text[1] == '.';
	unsigned int coefficient = (unsigned int)*text - '0';
	uint64_t magnitude;

	*ber = (struct ber){ 15, 255 };
	if (!strcmp(text, "none"))
		return 0;
	if (!strcmp(text, "0")) {
		*ber = (struct ber){ 0, 0 };
		return 0;
	}
	if (coefficient > 9)
		return -EINVAL;
	if (point) {
		if (text[2] < '0' || text[2] > '9')
			return -EINVAL;
		coefficient = 10 * coefficient + (unsigned int)(text[2] - '0');
		text += 2;
	}
	if (strncmp(text + 1, "e-", 2) ||
	    madkit_parse_number(text + 3, strlen(text + 3), 250, "", &magnitude, NULL))
		return -EINVAL;
	if (point && coefficient % 10 == 0) {
		coefficient /= 10;
		magnitude--;
	}
	if (!coefficient || coefficient > 15)
		return -EINVAL;
	*ber = (struct ber){ (uint8_t)coefficient, (uint8_t)(magnitude + point) };
	return 0;
}

int control_ber(struct control *c)
{
	static const char *const names[PHY_BERS] = { "raw", "effective", "symbol" };
	struct settings *settings;
	int ret = register_take_settings(c, &settings);

	for (size_t i = 3; !ret && i < c->words->n; i++) {
		char name[64];
		const char *text = control_split_word(word_at(c, i), name);
		size_t which = 0;

		while (text && which < PHY_BERS && strcmp(name, names[which]))
			which++;
		if (!text || which == PHY_BERS)
			return wrong(c, "expected raw=, effective= or symbol=, found '%.40s'", word_at(c, i));
		if (ber_take(text, &settings->ber[which]))
			return wrong(c, "'%.40s' is not a bit error rate, such as 3e-8 or 1.5e-15, none or 0",
				     word_at(c, i));
		settings->ber_known[which] = true;
	}
	return ret;
}

int control_fec(struct control *c)
{
	struct settings *settings;
	uint64_t value;
	int ret = register_take_settings(c, &settings);

	if (!ret)
		ret = register_take_value(c, 0, "FECActive", MADKIT_PHY_OPERATION_FEC_ACTIVE, word_at(c, 3),
					  &value);
	if (ret)
		return ret;
	settings->values[SETTING_FEC] = (int32_t)value;
	settings->known[SETTING_FEC] = true;
	return 0;
}

int control_reason(struct control *c)
{
	uint64_t local, remote = 0;
	struct port *port;
	int ret = register_take_port(c, &port);

	if (!ret)
		ret = register_take_value(c, 6, "LocalReason", MADKIT_LINK_DOWN_INFO_LOCAL_REASON,
					  word_at(c, 3), &local);
	if (!ret && c->words->n > 4)
		ret = register_take_value(c, 6, "RemoteReason", MADKIT_LINK_DOWN_INFO_REMOTE_REASON,
					  word_at(c, 4), &remote);
	if (ret)
		return ret;
	fabric_set_loss(port, (uint8_t)local, (uint8_t)remote);
	return 0;
}

/* ---- answers of nodes ---------------------------------------------------------------------- */

/* Parses refuse=STATUS and the ID of a register, which may follow. */
static int register_take_refusal(const struct control *c, struct misbehaviour *m)
{
	const char *text = word_at(c, 2) + strlen("refuse="), *id = c->words->n > 3 ? word_at(c, 3) : NULL;
	uint64_t status, number;

	if (madkit_parse_number(text, strlen(text), 0x7fff, "status", &status, c->error))
		return -EINVAL;
	if (!id) {
		m->status = (uint16_t)status;
		return 0;
	}
	if (madkit_parse_number(id, strlen(id), UINT16_MAX, "register", &number, c->error))
		return -EINVAL;
	return misbehaviour_refuse(m, (uint16_t)number, (uint16_t)status) ?
		       wrong(c, "%d registers are refused already", MISBEHAVIOUR_REFUSED) :
		       0;
}

static int register_apply(const struct control *c, struct misbehaviour *m)
{
	static const char *const kinds[] = { [WRONG_REGISTER] = "register",
					     [WRONG_BLOCK] = "block",
					     [WRONG_PORT] = "port",
					     [WRONG_PAGE] = "page" };
	const char *word = word_at(c, 2);

	if (!strncmp(word, "refuse=", strlen("refuse=")))
		return register_take_refusal(c, m);
	if (c->words->n > 3)
		return wrong(c, "'%.40s' after %.40s", word_at(c, 3), word);
	if (!strcmp(word, "normal"))
		*m = (struct misbehaviour){ .keyed = m->keyed, .key = m->key, .key_status = m->key_status };
	else if (!strcmp(word, "off"))
		m->off = true;
	else if (!strcmp(word, "noecho"))
		m->no_echo = true;
	else if (!strncmp(word, "wrong=", strlen("wrong="))) {
		for (size_t i = 1; i < ARRAY_SIZE(kinds); i++)
			if (!strcmp(word + strlen("wrong="), kinds[i])) {
				m->wrong = (uint8_t)i;
				return 0;
			}
		return wrong(c, "'%.40s': expected register, block, port or page", word);
	} else
		return wrong(c, "expected refuse=, noecho, wrong=, off or normal, found '%.40s'", word);
	return 0;
}

/* Parses NODE or all, and applies a function to each node. */
static int register_each(const struct control *c,
			 int (*apply)(const struct control *c, struct misbehaviour *m))
{
	const bool all = !strcmp(word_at(c, 1), "all");
	struct fabric *f = c->s->fabric;
	uint32_t first = 0, last = f->nnodes - 1;
	int ret = all ? 0 : control_take_node(c, word_at(c, 1), &first);

	if (!all)
		last = first;
	for (uint32_t i = first; !ret && i <= last && i < f->nnodes; i++) {
		struct misbehaviour *m = misbehaviour_make(&f->nodes[i]);

		ret = m ? apply(c, m) : register_no_memory(c);
	}
	return ret;
}

int control_register(struct control *c)
{
	return register_each(c, register_apply);
}

static int register_apply_vkey(const struct control *c, struct misbehaviour *m)
{
	const char *key = word_at(c, 2), *text = c->words->n > 3 ? word_at(c, 3) : "0";
	uint64_t status;

	if (madkit_parse_number(key, strlen(key), UINT64_MAX, "key", &m->key, c->error) ||
	    madkit_parse_number(text, strlen(text), 0x7fff, "status", &status, c->error))
		return -EINVAL;
	m->key_status = (uint16_t)status;
	m->keyed = m->key;
	return 0;
}

int control_vkey(struct control *c)
{
	return register_each(c, register_apply_vkey);
}
