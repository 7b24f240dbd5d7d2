/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses the command line according to the table of options. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli.h"
#include "config_file.h"
#include "modifiers.h"
#include "option_table.h"
#include "wait.h"

const char *cli_device(const struct cli_options *options, char buf[128])
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
	n = snprintf(buf, 128, "umad:%.100s", ca ? ca : "");
	if (port)
		snprintf(buf + n, 128 - (size_t)n, "/%u", port);
	return buf;
}

/* ---- parsing -------------------------------------------------------------------- */

static int take_key(const char *what, const char *text, uint64_t *key, struct madkit_error *error)
{
	if (!madkit_parse_number(text, strlen(text), UINT64_MAX, what, key, NULL))
		return 0;
	/* a mistyped number is an error, not a request for a prompt */
	if (*text >= '0' && *text <= '9')
		return madkit_error_set(error, -EINVAL, -1, "%s is not a valid number (not shown)", what);
	return cli_prompt_key(what, key, error);
}

static int take_format(struct cli_options *o, const char *text, struct madkit_error *error)
{
	static const char *const names[] = { "text", "table", "json", "hex", "raw" };

	for (int i = 0; i < 5; i++)
		if (!strcmp(text, names[i])) {
			o->output.format = (enum cli_format)i;
			return 0;
		}
	return madkit_error_set(error, -EINVAL, 0, "unknown format '%.32s': text, table, json, hex or raw",
				text);
}

static int take_deadline(struct cli_options *o, const char *text, struct madkit_error *error)
{
	uint64_t value;
	int ret = 0;

	o->timing.deadline_ms = -1;
	if (strcmp(text, "-1")) {
		ret = madkit_parse_number(text, strlen(text), INT32_MAX, "--deadline", &value, error);
		if (!ret)
			o->timing.deadline_ms = (int64_t)value;
	}
	return ret;
}

static int take_timeout(struct cli_options *o, const char *text, struct madkit_error *error)
{
	uint64_t value;
	int ret;

	o->timing.have_timeout = true;
	if (!strcmp(text, "-1")) {
		o->timing.timeout_ms = MADKIT_FOREVER;
		return 0;
	}
	ret = madkit_parse_number(text, strlen(text), INT32_MAX, "--timeout", &value, error);
	if (!ret && !value)
		return madkit_error_set(error, -ERANGE, 0, "--timeout '%.64s' is less than 1", text);
	if (!ret)
		o->timing.timeout_ms = (uint32_t)value;
	return ret;
}

/* BYTES[,BYTES...][,needed] */
static int take_buffer(struct cli_options *o, const char *text, struct madkit_error *error)
{
	o->nbuffers = 0;
	o->buffer_needed = false;
	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		uint64_t size;
		int ret;

		if (o->nbuffers && len == strlen("needed") && !strncmp(p, "needed", len) && !p[len]) {
			o->buffer_needed = true;
			return 0;
		}
		ret = madkit_parse_number(p, len, 1 << 30, "--buffer", &size, error);
		if (ret)
			return ret;
		if (!size || (o->nbuffers && size <= o->buffers[o->nbuffers - 1]))
			return madkit_error_set(error, -ERANGE, (int)(p - text),
						"--buffer '%.64s' is not a list of ascending sizes above 0",
						text);
		if (o->nbuffers == CLI_BUFFERS_MAX)
			return madkit_error_set(error, -E2BIG, -1, "--buffer '%.64s' has more than %d sizes",
						text, CLI_BUFFERS_MAX);
		o->buffers[o->nbuffers++] = (uint32_t)size;
		p += len;
		if (!*p)
			return 0;
	}
}

static int take_rmpp(struct cli_options *o, const char *text, struct madkit_error *error)
{
	if (!strcmp(text, "kernel"))
		o->class.rmpp = RMPP_KERNEL;
	else if (!strcmp(text, "user"))
		o->class.rmpp = RMPP_USER;
	else if (!strcmp(text, "none"))
		o->class.rmpp = RMPP_NONE;
	else
		return madkit_error_set(error, -EINVAL, 0, "--rmpp '%.32s' is not one of kernel, user, none",
					text);
	return 0;
}

/* Sets an address. In infiniband-diags, the letter has no argument and the address is a separate word: if
 * the argument is another word, the error explains that. */
static int take_address(const struct option_def *def, struct cli_options *o, const char *text,
			struct madkit_error *error)
{
	struct madkit_addr path = { .hops = 0 };
	static const char *const examples[] = { "-L 5", "-D 0,1", "-G 0x2c90300000001" };
	struct madkit_error inner = { .text = "" };
	int ret;

	if (def->id == OPT_LID) {
		o->to.have_lid = true;
		ret = madkit_parse_lid(text, &o->to.lid, &inner);
		if (!ret && !o->to.lid)
			ret = madkit_error_set(&inner, -EINVAL, 0, "0 is not a LID");
	} else if (def->id == OPT_GUID) {
		o->to.have_guid = true;
		ret = madkit_parse_guid(text, &o->to.guid, &inner);
	} else {
		ret = madkit_parse_path(text, &path, &inner);
		if (!ret) {
			o->to.have_direct = true;
			o->to.addr.hops = path.hops;
			memcpy(o->to.addr.path, path.path, sizeof(path.path));
		}
	}
	if (!ret)
		return 0;
	if (!isalpha((unsigned char)*text))
		return madkit_error_set(error, ret, inner.position, "%s", inner.text);
	return madkit_error_set(error, ret, inner.position, "%.120s; -%c takes the address: %s Get NodeInfo",
				inner.text, def->id,
				examples[def->id == OPT_LID    ? 0 :
					 def->id == OPT_DIRECT ? 1 :
								 2]);
}

/* Sets a modifier or a list of modifiers. */
static int take_modifier(struct cli_options *o, const char *text, struct madkit_error *error)
{
	struct modifiers list;
	uint64_t value;
	int ret;

	if (modifiers_is_list(text)) {
		o->request.modifiers = text;
		return modifiers_parse(text, &list, error);
	}
	ret = madkit_parse_number(text, strlen(text), UINT32_MAX, "--mod", &value, error);
	if (!ret)
		o->request.modifier = (uint32_t)value;
	return ret;
}

static int take_own(const struct option_def *def, struct cli_options *o, const char *text,
		    struct madkit_error *error)
{
	switch (def->id) {
	case OPT_DEVICE:
		if (o->port.ndevices == CLI_DEVICES_MAX)
			return madkit_error_set(error, -E2BIG, -1, "--device '%.80s': there are %d already",
						text, CLI_DEVICES_MAX);
		o->port.devices[o->port.ndevices++] = text;
		return 0;
	case OPT_SM_PORT:
		return madkit_parse_lid(text, &o->manager.sm_lid, error);
	case OPT_LID:
	case OPT_GUID:
	case OPT_DIRECT:
		return take_address(def, o, text, error);
	case OPT_GID:
		o->to.have_gid = true;
		return madkit_parse_gid(text, o->to.addr.gid, error);
	case OPT_CLASS:
		o->class.given = true;
		return madkit_class_find(text, &o->class.id, error);
	case OPT_DEADLINE:
		return take_deadline(o, text, error);
	case OPT_MOD:
		return take_modifier(o, text, error);
	case OPT_TIMEOUT:
		return take_timeout(o, text, error);
	case OPT_M_KEY:
		o->manager.have_m_key = true;
		if (*text == '@' && o->mode & (MODE_SWEEP | MODE_CLEAR | MODE_TOPOLOGY)) {
			o->m_keys_path = text + 1;
			return 0;
		}
		if (*text == '@')
			return madkit_error_set(error, -EINVAL, -1, "M_Key: only madsweep accepts @FILE");
		return take_key("M_Key", text, &o->manager.m_key, error);
	case OPT_SM_KEY:
		o->manager.have_sm_key = true;
		return take_key("SM_Key", text, &o->manager.sm_key, error);
	case OPT_FORMAT:
		return take_format(o, text, error);
	case OPT_PRETTY:
		o->output.pretty = true;
		return 0;
	case OPT_RMPP:
		return take_rmpp(o, text, error);
	case OPT_BUFFER:
		return take_buffer(o, text, error);
	case OPT_DEBUG:
		o->output.debug++;
		return 0;
	default:
		return 0;
	}
}

static void store(void *to, size_t size, uint64_t value)
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

static int options_set(const struct option_def *def, struct cli_options *o, char *text,
		       struct madkit_error *error)
{
	char *base = (char *)o;
	char what[40];
	uint64_t value;
	int ret;

	switch (def->value) {
	case VALUE_FLAG:
		o->flags[(def->id - OPT_LONG) / 64] |= UINT64_C(1) << (def->id - OPT_LONG) % 64;
		return 0;
	case VALUE_BOOL:
		*(bool *)(base + def->offset) = true;
		return 0;
	case VALUE_STRING:
		if (!*text)
			return madkit_error_set(error, -EINVAL, 0, "--%s is empty", def->name);
		*(const char **)(base + def->offset) = text;
		return 0;
	case VALUE_NUMBER:
		snprintf(what, sizeof(what), "--%s", def->name);
		ret = madkit_parse_number(text, strlen(text), def->max, what, &value, error);
		if (ret)
			return ret;
		if (value < def->min)
			return madkit_error_set(error, -ERANGE, 0, "%s '%.64s' is less than %llu", what, text,
						(unsigned long long)def->min);
		store(base + def->offset, def->size, value);
		if (def->have)
			*(bool *)(base + def->have) = true;
		return 0;
	case VALUE_OWN:
		break;
	}
	return take_own(def, o, text, error);
}

/* The two descriptions of the options that getopt_long() needs, generated from the table. */
struct getopt_tables {
	char letters[3 + 2 * OPTION_DEFS_MAX];
	struct option longs[OPTION_DEFS_MAX + OPTION_ALIASES + 1];
};

static struct option getopt_long_option(const struct option_def *def, const char *name)
{
	return (struct option){ name, def->arg ? required_argument : no_argument, NULL, def->id };
}

static void getopt_tables_fill(struct getopt_tables *t, unsigned int modes)
{
	char *letter = t->letters;
	size_t n = 0;

	/* '-' keeps the order: words before "--" stay apart from a command after it */
	*letter++ = '-';
	*letter++ = ':';
	for (size_t i = 0; i < n_option_defs; i++) {
		const struct option_def *def = &option_defs[i];

		if (!(def->modes & modes))
			continue;
		t->longs[n++] = getopt_long_option(def, def->name);
		if (def->id < OPT_LONG) {
			*letter++ = (char)def->id;
			if (def->arg)
				*letter++ = ':';
		}
	}
	*letter = 0;
	for (size_t i = 0; i < OPTION_ALIASES; i++) {
		const struct option_def *def = option_find(option_aliases[i].id);

		if (def->modes & modes)
			t->longs[n++] = getopt_long_option(def, option_aliases[i].name);
	}
	memset(&t->longs[n], 0, sizeof(t->longs[n]));
}

/* Checks if the word would be the abbreviation of an option, but is the whole name of an option that only
 * infiniband-diags has: saquery's --pkey is not --pkey-index. */
static bool option_is_foreign(const struct option *longs, const char *word)
{
	if (!option_is_diag(word))
		return false;
	for (; longs->name; longs++)
		if (option_name_is(word, longs->name))
			return false;
	return true;
}

/* Overwrites a key in argv, because other users can see the command line of the process. "@FILE" stays. */
static void option_hide_key(const struct option_def *def, char *text)
{
	if ((def->id == OPT_M_KEY || def->id == OPT_SM_KEY) && *text != '@')
		memset(text, 'x', strlen(text));
}

/* Returns the next option or word, as getopt_long() does. In the name of a long option, '_' is equivalent to
 * '-'. */
static int option_next(const struct getopt_tables *t, int argc, char **argv)
{
	int at = optind ? optind : 1, id;
	char *word = at < argc ? argv[at] : NULL, typed[48];
	size_t n = word ? strcspn(word, "=") : 0;

	/* while getopt is within letters that share a word, this is that word */
	if (n < 3 || n > sizeof(typed) || strncmp(word, "--", 2))
		return getopt_long(argc, argv, t->letters, t->longs, NULL);
	if (option_is_foreign(t->longs, word)) {
		optind = at + 1;
		optopt = 0;
		return '?';
	}
	memcpy(typed, word, n);
	for (size_t i = 2; i < n; i++)
		if (word[i] == '_')
			word[i] = '-';
	id = getopt_long(argc, argv, t->letters, t->longs, NULL);
	/* restore the word as it was typed, for messages */
	memcpy(word, typed, n);
	return id;
}

/* Lists the long options that begin with the word, each by one of its names: "--sl, --sm-key". Returns their
 * number. */
static unsigned int completions(const struct option *longs, const char *word, char *buf, size_t size)
{
	size_t len = strcspn(word, "="), used = 0;
	bool listed[OPT_END] = { false };
	unsigned int n = 0;

	buf[0] = 0;
	/* the names of infiniband-diags come last */
	for (; longs->name; longs++) {
		size_t i = 0;

		while (i < len && longs->name[i] == (word[i] == '_' ? '-' : word[i]))
			i++;
		if (i < len || listed[longs->val])
			continue;
		listed[longs->val] = true;
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s--%s", n ? ", " : "",
						 longs->name);
		n++;
	}
	return n;
}

/* Returns the first word of a COMMAND that has no -- before it, or NULL. An unknown option after it may
 * belong to COMMAND. */
static const char *options_command(const char *program, const struct cli_options *o,
				   const struct cli_words *w)
{
	unsigned int modes = option_modes(program);
	bool serves = modes & MODE_SERVE && !cli_given(o, OPT_CONTROL) && !cli_given(o, OPT_GENERATE);

	if (serves && w->nwords > 1)
		return w->words[1];
	return modes & MODE_REGISTER && cli_given(o, OPT_HOLD) && w->nwords ? w->words[0] : NULL;
}

/* Returns the long option that a word such as "-port" means, which getopt reads as letters; NULL: none. */
static const char *option_meant(const struct option *longs, const char *word)
{
	if (!word || word[0] != '-' || word[1] == '-' || strlen(word) < 4)
		return NULL;
	while (longs->name && strcasecmp(longs->name, word + 1))
		longs++;
	return longs->name;
}

/* Reports the option that getopt refused. Returns EXIT_USAGE. */
static int options_refused(const char *program, int how, const struct option *longs, char **argv, int before)
{
	const char *word = before < optind ? argv[before] : NULL;
	char letter[3] = { '-', (char)optopt, 0 };
	const char *name;
	char known[200];

	if (!word || strncmp(word, "--", 2))
		word = letter;
	if (how == ':')
		return cli_usage_error("option '%s' needs a value", word);
	name = option_meant(longs, argv[before]);
	if (name)
		return cli_usage_error("unknown option '%s': write --%s", argv[before], name);
	if (word != letter && optopt)
		return cli_usage_error("option '%s' takes no value", word);
	if (word != letter && !option_named(word) && !option_is_diag(word) &&
	    completions(longs, word + 2, known, sizeof(known)) > 1)
		return cli_usage_error("option '%s' is one of %s", word, known);
	return option_unknown(program, word, argv);
}

/*
 * Notes which options are given, and rejects those without an effect before any value is read: reading a key
 * may prompt on the terminal. Also sets the deadline, because it limits the prompt. Other errors are reported
 * when the option is parsed. Returns EXIT_DONE or EXIT_USAGE.
 */
static int options_scan(const char *program, struct getopt_tables *tables, int argc, char **argv,
			struct cli_options *o)
{
	struct cli_options scanned = { .timing.deadline_ms = -1 };
	bool help = false, words = false;
	int id;

	while ((id = option_next(tables, argc, argv)) != -1 && id != ':' && id != '?') {
		const struct option_def *def = option_find(id);

		help |= id == OPT_HELP || id == OPT_VERSION;
		words |= id == 1;
		if (id == OPT_DEADLINE && !take_deadline(&scanned, optarg, NULL))
			wait_set_deadline(scanned.timing.deadline_ms);
		if (def)
			o->given[def - option_defs] = true;
	}
	optind = 0; /* restart getopt from the beginning */
	return id != -1 || help ? EXIT_DONE : option_check(program, words, o);
}

static int parse_words(const struct cli_usage *usage, int argc, char **argv, struct cli_options *o,
		       struct cli_words *w, int *status)
{
	struct getopt_tables tables;
	struct madkit_error error;
	bool taken[OPTION_DEFS_MAX] = { false };

	getopt_tables_fill(&tables, option_modes(usage->program));
	opterr = 0;
	*status = options_scan(usage->program, &tables, argc, argv, o);
	if (*status)
		return -1;
	for (;;) {
		int before = optind ? optind : 1;
		int id = option_next(&tables, argc, argv);

		const struct option_def *def;
		const char *command;
		int refused;

		if (id == -1) {
			w->command_missing = before < optind && optind == argc;
			break;
		}
		if (id == 1) {
			w->words[w->nwords++] = optarg;
			continue;
		}
		command = id == '?' ? options_command(usage->program, o, w) : NULL;
		if (command) {
			*status = cli_usage_error("'%s' is an unexpected word: write -- before COMMAND",
						  command);
			return -1;
		}
		if (id == ':' || id == '?') {
			*status = options_refused(usage->program, id, tables.longs, argv, before);
			return -1;
		}
		if (id == OPT_HELP || id == OPT_VERSION) {
			*status = id == OPT_HELP ? print_help(usage) : print_version(usage->program);
			return -1;
		}
		def = option_find(id);
		if (def->arg && def->id != OPT_DEVICE && taken[def - option_defs]) {
			*status = cli_usage_error("option '--%s' is given twice", def->name);
			return -1;
		}
		taken[def - option_defs] = true;
		error = (struct madkit_error){ .text = "" };
		refused = options_set(def, o, optarg, &error);
		option_hide_key(def, optarg);
		if (refused) {
			*status = error.code == -ETIMEDOUT ? cli_failed(error.code, "%s", error.text) :
				  cli_stopped()            ? cli_stopped_status() :
							     cli_usage_error("%s", error.text);
			return -1;
		}
	}
	if (optind < argc)
		w->command = argv + optind;
	*status = option_check_format(o);
	if (cli_given(o, OPT_JSON) || cli_given(o, OPT_PRETTY))
		o->output.format = FORMAT_JSON;
	return *status ? -1 : 0;
}

/* Checks if a device belongs to this machine: "umad:mlx5_0/1", "/dev/infiniband/umad0". */
static bool options_is_local(const char *device)
{
	return !strchr(device, ':') || !strncmp(device, "umad:", 5) || !strncmp(device, "verbs:", 6);
}

int cli_parse(const struct cli_usage *usage, int argc, char **argv, struct cli_options *options,
	      struct cli_words *words, int *status)
{
	struct madkit_error error;
	const char *device;
	int ret;

	cli_begin(usage->program);
	memset(options, 0, sizeof(*options));
	memset(words, 0, sizeof(*words));
	options->timing.timeout_ms = 1000;
	options->timing.retries = 2;
	options->timing.redirects = 1;
	options->timing.deadline_ms = -1;
	options->timing.interval_ms = 1000;
	options->to.addr.hop_limit = 255;
	options->to.addr.qkey = MADKIT_QKEY_GSI;
	words->words = calloc((size_t)argc + 1, sizeof(*words->words));
	if (!words->words) {
		*status = cli_no_memory();
		return -1;
	}
	if (parse_words(usage, argc, argv, options, words, status))
		return -1;
	if (options->port.ndevices && (options->port.ca || options->port.number)) {
		*status =
			options_is_local(options->port.devices[0]) ?
				cli_usage_error("--device names the port: -C and -P are not for it") :
				cli_usage_error(
					"-C and -P are not for simulated devices: @NODE selects the CA and port, as in "
					"'@node1 mlx5_1:2' (see madkit-sim(7))");
		return -1;
	}
	if (options->output.quiet)
		cli_set_quiet();
	device = secure_getenv("MADKIT_DEVICE");
	if (device && *device)
		options->port.default_device = device;
	if (!(option_find(OPT_CONFIG)->modes & options->mode))
		return 0;
	ret = config_file_read(options->config_path ? options->config_path : DIAG_CONFIG, options, &error);
	if (ret && (ret != -ENOENT || options->config_path)) {
		if (!cli_stopped())
			cli_insist("%s", error.text);
		*status = ret == -EINVAL ? EXIT_USAGE : cli_status_of(ret);
		return -1;
	}
	return 0;
}

int cli_check_oui(const struct cli_options *o)
{
	return o->class.oui <= 0xffffff ?
		       EXIT_DONE :
		       cli_usage_error("--oui 0x%x: an OUI has 24 bits, at most 0xffffff", o->class.oui);
}
