/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of a table: finds the option that a word names, and reads values. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "modifiers.h"
#include "options.h"
#include "util/array_size.h"

const struct option_row *option_row(const struct option_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->rows[i].name, name))
			return &table->rows[i];
	return NULL;
}

const struct option_row *option_find(const struct option_table *table, const char *word)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct option_row *row = &table->rows[i];

		if (word[1] != '-' ? row->letter && row->letter == word[1] : option_name_is(word, row->name))
			return row;
	}
	for (size_t i = 0; i < OPTION_ALIASES; i++)
		if (option_name_is(word, option_aliases[i].name))
			return option_row(table, option_aliases[i].of);
	return NULL;
}

size_t option_list_add(char *list, size_t size, size_t used, const char *last, const char *before,
		       const char *word)
{
	if (used >= size)
		return used;
	return used + (size_t)snprintf(list + used, size - used, "%s%s%s",
				       !used ? "" :
				       last  ? last :
					       ", ",
				       before, word);
}

const char *cli_device(const struct cli_options *options, char buf[CLI_DEVICE_MAX])
{
	const char *ca = options->port.ca ? options->port.ca : options->port.default_ca;
	/* a default port belongs to the default adapter only */
	unsigned int port = options->port.number ? options->port.number :
			    options->port.ca     ? 0 :
						   options->port.default_number;
	int n;

	if (options->port.ndevices)
		return options->port.devices[0];
	if (!options->port.ca && !options->port.number && options->port.default_device)
		return options->port.default_device;
	if (!ca && !port)
		return NULL;
	n = snprintf(buf, CLI_DEVICE_MAX, "umad:%.100s", ca ? ca : "");
	if (port)
		snprintf(buf + n, CLI_DEVICE_MAX - (size_t)n, "/%u", port);
	return buf;
}

/* ---- values ------------------------------------------------------------------------ */

static int option_take_key(const char *what, const char *text, uint64_t *key, struct madkit_error *error)
{
	if (!madkit_parse_number(text, strlen(text), UINT64_MAX, what, key, NULL))
		return 0;
	/* a mistyped number is an error, not a request for a prompt */
	if (*text >= '0' && *text <= '9')
		return madkit_error_set(error, -EINVAL, -1, "%s is not a valid number (not shown)", what);
	return cli_prompt_key(what, key, error);
}

int take_flag(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	(void)row;
	(void)text;
	(void)error;
	*(bool *)member = true;
	return 0;
}

int take_more(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	(void)row;
	(void)text;
	(void)error;
	++*(int *)member;
	return 0;
}

int take_string(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	if (!*text)
		return madkit_error_set(error, -EINVAL, 0, "--%s is empty", row->name);
	*(const char **)member = text;
	return 0;
}

static void option_store(void *to, size_t size, uint64_t value)
{
	switch (size) {
	case 1:
		*(uint8_t *)to = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)to = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)to = (uint32_t)value;
		break;
	default:
		*(uint64_t *)to = value;
	}
}

/* Stores the value of an option, unless it is too small. hint: behind the limit in the message. */
static int option_store_least(const struct option_row *row, void *member, const char *text, uint64_t value,
			      const char *hint, struct madkit_error *error)
{
	if (value < row->min)
		return madkit_error_set(error, -ERANGE, 0, "--%s '%.64s' is less than %llu%s", row->name,
					text, (unsigned long long)row->min, hint);
	option_store(member, row->size, value);
	return 0;
}

int take_number(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	char what[40];
	uint64_t value;
	int ret;

	snprintf(what, sizeof(what), "--%s", row->name);
	ret = madkit_parse_number(text, strlen(text), row->max, what, &value, error);
	return ret ? ret : option_store_least(row, member, text, value, "", error);
}

/* Reads a time in milliseconds, or with a unit. */
static int option_parse_ms(const char *text, const char *what, uint64_t max, uint64_t *ms,
			   struct madkit_error *error)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = { { "ms", 1 }, { "s", 1000 }, { "min", 60000 }, { "h", 3600000 }, { "d", 86400000 } };
	const size_t len = strlen(text), digits = strspn(text, "0123456789");
	int ret;

	/* "0x1d" is a number */
	for (size_t i = 0; digits && i < ARRAY_SIZE(units); i++)
		if (!strcmp(text + digits, units[i].name)) {
			ret = madkit_parse_number(text, digits, max / units[i].ms, what, ms, error);
			if (ret)
				return madkit_error_set(error, ret, 0, "%s '%.64s' is more than %llu ms",
							what, text, (unsigned long long)max);
			*ms *= units[i].ms;
			return 0;
		}
	return madkit_parse_number(text, len, max, what, ms, error);
}

int take_time(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	char what[40];
	uint64_t value;
	int ret;

	snprintf(what, sizeof(what), "--%s", row->name);
	ret = option_parse_ms(text, what, row->max, &value, error);
	if (ret)
		return ret;
	return option_store_least(row, member, text, value,
				  strspn(text, "0123456789") == strlen(text) ? " ms: add a unit, as in 60s" :
									       " ms",
				  error);
}

/* ---- ports and destinations ------------------------------------------------------- */

int take_device(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct port_options *port = member;

	(void)row;
	if (port->ndevices == CLI_DEVICES_MAX)
		return madkit_error_set(error, -E2BIG, -1, "--device '%.80s': there are %d already", text,
					CLI_DEVICES_MAX);
	port->devices[port->ndevices++] = text;
	return 0;
}

int take_sm_lid(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	(void)row;
	return madkit_parse_lid(text, &((struct manager_options *)member)->sm_lid, error);
}

/* Reports that an argument is not an address. In infiniband-diags the letter has no argument, and the address is
 * a separate word: if the argument is another word, the message explains that. */
static int option_no_address(const struct option_row *row, const char *text, const char *example,
			     const struct madkit_error *inner, struct madkit_error *error)
{
	if (!isalpha((unsigned char)*text))
		return madkit_error_set(error, inner->code, inner->position, "%s", inner->text);
	return madkit_error_set(error, inner->code, inner->position,
				"%.120s; -%c takes the address: %s Get NodeInfo", inner->text, row->letter,
				example);
}

int take_lid(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct madkit_error inner = { .text = "" };
	struct destination *to = member;
	int ret = madkit_parse_lid(text, &to->lid, &inner);

	to->have_lid = true;
	if (!ret && !to->lid)
		ret = madkit_error_set(&inner, -EINVAL, 0, "0 is not a LID");
	return ret ? option_no_address(row, text, "-L 5", &inner, error) : 0;
}

int take_guid(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct madkit_error inner = { .text = "" };
	struct destination *to = member;

	to->have_guid = true;
	return madkit_parse_guid(text, &to->guid, &inner) ?
		       option_no_address(row, text, "-G 0x2c90300000001", &inner, error) :
		       0;
}

int take_direct(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct madkit_addr path = { .hops = 0 };
	struct madkit_error inner = { .text = "" };
	struct destination *to = member;

	if (madkit_parse_path(text, &path, &inner))
		return option_no_address(row, text, "-D 0,1", &inner, error);
	to->have_direct = true;
	to->addr.hops = path.hops;
	memcpy(to->addr.path, path.path, sizeof(path.path));
	return 0;
}

int take_gid(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct destination *to = member;

	(void)row;
	to->have_gid = true;
	return madkit_parse_gid(text, to->addr.gid, error);
}

/* ---- requests ---------------------------------------------------------------------- */

int take_class(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	(void)row;
	return madkit_class_find(text, &((struct class_options *)member)->id, error);
}

int take_rmpp(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	enum cli_rmpp *rmpp = member;

	(void)row;
	if (!strcmp(text, "kernel"))
		*rmpp = RMPP_KERNEL;
	else if (!strcmp(text, "user"))
		*rmpp = RMPP_USER;
	else if (!strcmp(text, "none"))
		*rmpp = RMPP_NONE;
	else
		return madkit_error_set(error, -EINVAL, 0, "--rmpp '%.32s' is not one of kernel, user, none",
					text);
	return 0;
}

int take_modifier(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct request_options *request = member;
	struct modifiers list;
	uint64_t value;
	int ret;

	(void)row;
	if (modifiers_is_list(text)) {
		request->modifiers = text;
		return modifiers_parse(text, &list, error);
	}
	ret = madkit_parse_number(text, strlen(text), UINT32_MAX, "--mod", &value, error);
	if (!ret)
		request->modifier = (uint32_t)value;
	return ret;
}

int take_deadline(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct timing_options *timing = member;
	uint64_t value;
	int ret = 0;

	(void)row;
	timing->deadline_ms = -1;
	if (strcmp(text, "-1")) {
		ret = option_parse_ms(text, "--deadline", INT32_MAX, &value, error);
		if (!ret)
			timing->deadline_ms = (int64_t)value;
	}
	return ret;
}

int take_timeout(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct timing_options *timing = member;
	uint64_t value;
	int ret;

	(void)row;
	if (!strcmp(text, "-1")) {
		timing->timeout_ms = MADKIT_FOREVER;
		return 0;
	}
	ret = option_parse_ms(text, "--timeout", INT32_MAX, &value, error);
	if (!ret && !value)
		return madkit_error_set(error, -ERANGE, 0, "--timeout '%.64s' is less than 1", text);
	if (!ret)
		timing->timeout_ms = (uint32_t)value;
	return ret;
}

int take_m_key(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	(void)row;
	if (*text == '@')
		return madkit_error_set(error, -EINVAL, -1,
					"M_Key: only madcheck, madport, madsweep and madwatch accept @FILE");
	return option_take_key("M_Key", text, &((struct manager_options *)member)->m_key, error);
}

int take_v_key(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	(void)row;
	if (*text == '@')
		return madkit_error_set(error, -EINVAL, -1,
					"V_Key: only madcheck, madport, madreg and madsweep accept @FILE");
	return option_take_key("V_Key", text, &((struct manager_options *)member)->v_key, error);
}

int take_sm_key(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	(void)row;
	return option_take_key("SM_Key", text, &((struct manager_options *)member)->sm_key, error);
}

/* ---- output ------------------------------------------------------------------------- */

int take_format(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	static const struct {
		const char *name;
		enum cli_format format;
	} names[] = {
		{ "text", FORMAT_TEXT }, { "table", FORMAT_TABLE }, { "csv", FORMAT_TABLE },
		{ "json", FORMAT_JSON }, { "hex", FORMAT_HEX },     { "raw", FORMAT_RAW },
	};
	struct output_options *output = member;

	(void)row;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i].name)) {
			output->format = names[i].format;
			output->csv = !strcmp(text, "csv");
			return 0;
		}
	return madkit_error_set(error, -EINVAL, 0,
				"unknown format '%.32s': text, table, csv, json, hex or raw", text);
}

int take_color(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	static const char *const names[] = { "auto", "always", "never" };

	(void)row;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i])) {
			*(enum cli_color *)member = (enum cli_color)i;
			return 0;
		}
	return madkit_error_set(error, -EINVAL, 0, "'%.32s' is not auto, always or never", text);
}

int cli_check_oui(const struct cli_options *o)
{
	return o->class.oui <= 0xffffff ?
		       EXIT_DONE :
		       cli_usage_error("--oui 0x%x: an OUI has 24 bits, at most 0xffffff", o->class.oui);
}
