/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of all commands from one table: parsing, and --help. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"
#include "config_file.h"

#define DIAG_CONFIG "/etc/infiniband-diags/ibdiag.conf"

/* ---- the table --------------------------------------------------------------- */

enum value {
	VALUE_OWN,	/* take_own() knows */
	VALUE_FLAG,	/* a bit of flags */
	VALUE_BOOL,
	VALUE_STRING,
	VALUE_NUMBER,	/* size bytes at offset, min to max */
};

struct option_def {
	int id;
	const char *name;
	const char *arg;	/* NULL: takes none */
	const char *help;
	unsigned int sets;
	enum value value;
	size_t offset;
	size_t size;
	size_t have;		/* offset of a bool to set; 0: none */
	uint64_t min, max;
};

#define OWN		VALUE_OWN, 0, 0, 0, 0, 0
#define FLAG		VALUE_FLAG, 0, 0, 0, 0, 0
#define MEMBER(m)	offsetof(struct cli_options, m), \
			sizeof(((struct cli_options *)0)->m)
#define BOOL(m)		VALUE_BOOL, MEMBER(m), 0, 0, 0
#define STRING(m)	VALUE_STRING, MEMBER(m), 0, 0, 0
#define NUMBER(m, have, lo, hi)	VALUE_NUMBER, MEMBER(m), have, lo, hi
#define HAVE(m)		offsetof(struct cli_options, m)

static const struct option_def option_defs[] = {
	{ OPT_MOD, "mod", "N", "attribute modifier (a port, a block ...)",
	  SET_SEND, NUMBER(modifier, 0, 0, UINT32_MAX) },
	{ OPT_CLASS, "class", "CLASS", "management class, by name or number",
	  SET_SEND | SET_CLASS, OWN },
	{ OPT_CLASS_VERSION, "class-version", "N", "class version (default: the class's own)",
	  SET_SEND | SET_CLASS, NUMBER(class_version, 0, 1, 255) },
	{ OPT_OUI, "oui", "OUI", "organisation of a vendor class from 0x30 on, 24 bits",
	  SET_SEND | SET_CLASS, NUMBER(oui, HAVE(have_oui), 0, UINT32_MAX) },
	{ OPT_METHOD, "method", "M,..", "methods to receive, by name or number",
	  SET_METHODS, STRING(methods) },
	{ OPT_COMP_MASK, "comp-mask", "MASK", "SA component mask (default: of the fields given)",
	  SET_SEND, NUMBER(comp_mask, HAVE(have_comp_mask), 0, UINT64_MAX) },
	{ OPT_RMPP, "rmpp", "HOW", "kernel or none: who segments and reassembles",
	  SET_SEND | SET_MADRECV, OWN },

	{ OPT_NO_RESPONSE, "no-response", NULL, "send and do not wait for an answer",
	  SET_MADSEND, FLAG },
	{ OPT_DRY_RUN, "dry-run", NULL, "show the MAD instead of sending it",
	  SET_MADSEND, FLAG },
	{ OPT_MERGE, "merge", NULL, "Set: get first, change only the fields given",
	  SET_MADSEND, FLAG },
	{ OPT_ZERO_REST, "zero-rest", NULL, "Set: I mean zeroes in the fields not given",
	  SET_MADSEND, FLAG },
	{ OPT_LOCATE, "locate", NULL, "no answer by direct route: find the last node that answers",
	  SET_MADSEND, FLAG },
	{ OPT_DESCRIBE, "describe", NULL, "list classes, or the fields of ATTRIBUTE, and exit",
	  SET_MADSEND, FLAG },

	{ OPT_READ, "read", "FILE", "decode FILE (- is standard input): raw MADs or hex text",
	  SET_MADRECV, STRING(read_path) },
	{ OPT_BANNER, "banner", NULL, "one line on standard error when listening",
	  SET_MADRECV, FLAG },
	{ OPT_SUBSCRIBE, "subscribe", "TRAP,..", "have the SA report these traps, show each report",
	  SET_MADRECV, STRING(subscribe) },

	{ OPT_UNTIL, "until", "EXPR", "ask again until EXPR holds of the answer",
	  SET_MADPOLL, STRING(until) },
	{ OPT_DELTA, "delta", NULL, "show differences and rates of the counters",
	  SET_MADPOLL, FLAG },

	{ OPT_LIST, "list", NULL, "list ports, their device nodes and who has them open",
	  SET_MADREG, FLAG },
	{ OPT_HOLD, "hold", NULL, "keep the registration until stopped, or while COMMAND runs",
	  SET_MADREG, FLAG },
	{ OPT_RMPP_VERSION, "rmpp-version", "N", "1: the kernel does RMPP for the agent (default 0)",
	  SET_MADREG, NUMBER(rmpp_version, 0, 0, 255) },
	{ OPT_USER_RMPP, "user-rmpp", NULL, "the agent does RMPP itself",
	  SET_MADREG, FLAG },

	{ OPT_LID, "Lid", "LID", "to this LID", SET_DEST, OWN },
	{ OPT_DIRECT, "Direct", "PATH", "by this direct route: 0,1,2; with -L from that LID on",
	  SET_DEST, OWN },
	{ OPT_GUID, "Guid", "GUID", "to this port GUID, which the SA resolves", SET_DEST, OWN },
	{ OPT_GID, "gid", "GID", "to this GID; with -L the SA is not asked", SET_DEST, OWN },
	{ OPT_NAME, "name", "NAME", "to the node with this description, all of it", SET_DEST, STRING(name) },
	{ OPT_NODE_NAME_MAP, "node-name-map", "FILE", "names of nodes by GUID",
	  SET_DEST | SET_NAMES, STRING(node_name_map) },

	{ OPT_CA, "Ca", "NAME", "channel adapter to use", SET_PORT, STRING(ca) },
	{ OPT_PORT, "Port", "N", "port to use", SET_PORT, NUMBER(port, 0, 1, 255) },
	{ OPT_DEVICE, "device", "SPEC", "umad:CA/PORT (default: $MADKIT_DEVICE, else the first fit)",
	  SET_PORT, OWN },
	{ OPT_SM_PORT, "sm-port", "LID", "LID of the subnet administrator", SET_REQUEST, OWN },

	{ OPT_TIMEOUT, "timeout", "MS", "for each try (default 1000)",
	  SET_REQUEST, NUMBER(timeout_ms, HAVE(have_timeout), 1, INT32_MAX) },
	{ OPT_RETRIES, "retries", "N", "resends after the first (default 2)",
	  SET_REQUEST, NUMBER(retries, 0, 0, 1000) },
	{ OPT_DEADLINE, "deadline", "MS", "for the whole command; -1 for ever, 0 do not wait",
	  SET_DEADLINE, OWN },
	{ OPT_COUNT, "count", "N", "so many, then end",
	  SET_COUNT, NUMBER(count, HAVE(have_count), 1, UINT64_MAX) },
	{ OPT_INTERVAL, "interval", "MS", "from one round to the next (default 1000)",
	  SET_INTERVAL, NUMBER(interval_ms, HAVE(have_interval), 0, INT32_MAX) },

	{ OPT_M_KEY, "m-key", "KEY", "M_Key of SMPs (not a number: ask for it)", SET_REQUEST, OWN },
	{ OPT_SM_KEY, "sm-key", "KEY", "SM_Key of SA requests (not a number: ask for it)",
	  SET_REQUEST, OWN },
	{ OPT_PKEY_INDEX, "pkey-index", "N", "index of the P_Key to send with",
	  SET_REQUEST, NUMBER(addr.pkey_index, 0, 0, UINT16_MAX) },
	{ OPT_SL, "sl", "N", "service level",
	  SET_REQUEST, NUMBER(addr.sl, HAVE(have_sl), 0, 15) },
	{ OPT_QP, "qp", "N", "queue pair of the receiver (default 0 for SMPs, else 1)",
	  SET_REQUEST, NUMBER(addr.qp, HAVE(have_qp), 0, 0xffffff) },
	{ OPT_QKEY, "qkey", "N", "Q_Key; umad takes 0x80010000 alone",
	  SET_REQUEST, NUMBER(addr.qkey, 0, 0, UINT32_MAX) },
	{ OPT_GID_INDEX, "gid-index", "N", "GRH: index of the own GID",
	  SET_REQUEST, NUMBER(addr.gid_index, HAVE(have_grh_field), 0, 255) },
	{ OPT_HOP_LIMIT, "hop-limit", "N", "GRH: hop limit",
	  SET_REQUEST, NUMBER(addr.hop_limit, HAVE(have_grh_field), 0, 255) },
	{ OPT_TRAFFIC_CLASS, "traffic-class", "N", "GRH: traffic class",
	  SET_REQUEST, NUMBER(addr.traffic_class, HAVE(have_grh_field), 0, 255) },
	{ OPT_FLOW_LABEL, "flow-label", "N", "GRH: flow label",
	  SET_REQUEST, NUMBER(addr.flow_label, HAVE(have_grh_field), 0, 0xfffff) },

	{ OPT_FORMAT, "format", "FMT", "text, json, hex or raw", SET_OUTPUT, OWN },
	{ OPT_JSON, "json", NULL, "the same as -f json: one object a line", SET_OUTPUT, OWN },
	{ OPT_PRETTY, "pretty", NULL, "JSON over several lines; implies -j", SET_OUTPUT, OWN },
	{ OPT_FIELDS, "fields", "A,B.C", "show only these fields", SET_MADS, STRING(fields) },
	{ OPT_FILTER, "filter", "EXPR", "show only what matches", SET_MADS, STRING(filter) },
	{ OPT_ASSERT, "assert", "EXPR", "exit 6 unless it held of all that was shown",
	  SET_MADS, STRING(assert_) },
	{ OPT_WRITE, "write", "FILE", "also write every MAD sent and received to FILE as pcap",
	  SET_MADS, STRING(write_path) },
	{ OPT_SHOW_KEYS, "show-keys", NULL, "show M_Keys, SM_Keys and the like",
	  SET_MADS, BOOL(show_keys) },

	{ OPT_CONFIG, "config", "FILE", "configuration (default: " DIAG_CONFIG ")",
	  SET_GENERAL, STRING(config_path) },
	{ OPT_DEBUG, "debug", NULL, "tell what is sent and received; twice: in hex",
	  SET_GENERAL, OWN },
	{ OPT_VERBOSE, "verbose", NULL, "show headers too", SET_GENERAL, BOOL(verbose) },
	{ OPT_HELP, "help", NULL, "this text", SET_GENERAL, OWN },
	{ OPT_VERSION, "version", NULL, "the version", SET_GENERAL, OWN },
};

#define N_DEFS (sizeof(option_defs) / sizeof(option_defs[0]))

static const struct {
	unsigned int sets;
	const char *title;
} help_groups[] = {
	{ SET_SEND | SET_CLASS | SET_METHODS | SET_MADSEND | SET_MADRECV |
	  SET_MADPOLL | SET_MADREG, "Options" },
	{ SET_DEST, "Destination" },
	{ SET_PORT | SET_REQUEST | SET_DEADLINE | SET_COUNT | SET_INTERVAL,
	  "Sending and waiting" },
	{ SET_OUTPUT | SET_MADS, "Output" },
	{ SET_GENERAL, "General" },
};

/* The options of a group that are in one of those sets, and in none of these. */
static void print_options(struct madkit_buf *out, const char *title,
			  unsigned int group, unsigned int in, unsigned int but_not)
{
	bool titled = false;

	for (size_t i = 0; i < N_DEFS; i++) {
		const struct option_def *def = &option_defs[i];
		char head[64];

		if (!(def->sets & group) || !(def->sets & in) || (def->sets & but_not))
			continue;
		if (!titled)
			madkit_buf_printf(out, "\n%s:\n", title);
		titled = true;
		snprintf(head, sizeof(head), "%c%c%s --%s%s%s",
			 def->id < OPT_LONG ? '-' : ' ',
			 def->id < OPT_LONG ? def->id : ' ',
			 def->id < OPT_LONG ? "," : " ", def->name,
			 def->arg ? " " : "", def->arg ? def->arg : "");
		madkit_buf_printf(out, "  %-27s %s\n", head, def->help);
	}
}

static int print_help(const struct cli_usage *usage)
{
	struct madkit_buf out;
	int ret;

	madkit_buf_init(&out, 0);
	for (const char *const *line = usage->synopsis; *line; line++)
		madkit_buf_printf(&out, "%s %s %s\n",
				  line == usage->synopsis ? "Usage:" : "      ",
				  usage->program, *line);
	madkit_buf_printf(&out, "%s", usage->text);
	for (size_t g = 0; g < sizeof(help_groups) / sizeof(help_groups[0]); g++)
		print_options(&out, help_groups[g].title, help_groups[g].sets,
			      usage->sets, 0);
	print_options(&out, "Accepted, without effect here", SET_COMMON, SET_COMMON,
		      usage->sets);
	madkit_buf_str(&out,
		"\nExit status: 0 done, 1 local failure, 2 usage, 3 no response in time,\n"
		"4 the MAD came back with a status, 5 damaged or cut, 6 nothing to show.\n");
	ret = out.error ? out.error : cli_write(STDOUT_FILENO, out.data, out.len);
	madkit_buf_free(&out);
	if (ret)
		cli_say("cannot write to standard output: %s", strerror(-ret));
	return ret ? EXIT_LOCAL : EXIT_DONE;
}

static int print_version(const char *program)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%s (madkit) %s\n", program,
			 PACKAGE_VERSION);
	int ret = cli_write(STDOUT_FILENO, line, (size_t)n);

	if (ret)
		cli_say("cannot write to standard output: %s", strerror(-ret));
	return ret ? EXIT_LOCAL : EXIT_DONE;
}

const char *cli_device(const struct cli_options *options, char buf[128])
{
	const char *ca = options->ca ? options->ca : options->default_ca;
	/* the port of another adapter is not this one's */
	unsigned int port = options->port ? options->port :
			    options->ca ? 0 : options->default_port;
	int n;

	if (options->ndevices)
		return options->devices[0];
	if (!options->ca && !options->port && options->default_device)
		return options->default_device;
	if (!ca && !port)
		return NULL;
	n = snprintf(buf, 128, "umad:%.100s", ca ? ca : "");
	if (port)
		snprintf(buf + n, 128 - (size_t)n, "/%u", port);
	return buf;
}

/* ---- parsing -------------------------------------------------------------------- */

static int take_key(const char *what, const char *text, uint64_t *key,
		    struct madkit_error *error)
{
	if (!madkit_parse_number(text, strlen(text), UINT64_MAX, what, key, NULL))
		return 0;
	/* a mistyped number is a mistake, not a wish to be asked */
	if (*text >= '0' && *text <= '9')
		return madkit_error_set(error, -EINVAL, -1,
			"%s begins as a number and is none (not shown)", what);
	return cli_prompt_key(what, key, error);
}

static int take_format(struct cli_options *o, const char *text,
		       struct madkit_error *error)
{
	static const char *const names[] = { "text", "json", "hex", "raw" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(text, names[i])) {
			o->format = (enum cli_format)i;
			return 0;
		}
	return madkit_error_set(error, -EINVAL, 0,
		"unknown format '%.32s': text, json, hex or raw", text);
}

static int take_deadline(struct cli_options *o, const char *text,
			 struct madkit_error *error)
{
	uint64_t value;
	int ret = 0;

	o->have_deadline = true;
	o->deadline_ms = -1;
	if (strcmp(text, "-1")) {
		ret = madkit_parse_number(text, strlen(text), INT32_MAX,
					  "--deadline", &value, error);
		if (!ret)
			o->deadline_ms = (int64_t)value;
	}
	return ret;
}

static int take_rmpp(struct cli_options *o, const char *text,
		     struct madkit_error *error)
{
	if (!strcmp(text, "kernel"))
		o->rmpp = RMPP_KERNEL;
	else if (!strcmp(text, "none"))
		o->rmpp = RMPP_NONE;
	else if (!strcmp(text, "user"))
		return madkit_error_set(error, -EOPNOTSUPP, 0,
			"--rmpp 'user' is not supported yet: kernel or none");
	else
		return madkit_error_set(error, -EINVAL, 0,
			"--rmpp '%.32s' is neither kernel nor none", text);
	return 0;
}

/* In infiniband-diags the letter stands alone, and the address behind it. */
static int take_address(const struct option_def *def, struct cli_options *o,
			const char *text, struct madkit_error *error)
{
	struct madkit_addr path = { .hops = 0 };
	static const char *const examples[] = { "-L 5", "-D 0,1", "-G 0x2c90300000001" };
	struct madkit_error inner = { .text = "" };
	int ret;

	if (def->id == OPT_LID) {
		o->have_lid = true;
		ret = madkit_parse_lid(text, &o->lid, &inner);
		if (!ret && !o->lid)
			ret = madkit_error_set(&inner, -EINVAL, 0, "LID 0 is none");
	} else if (def->id == OPT_GUID) {
		o->have_guid = true;
		ret = madkit_parse_guid(text, &o->guid, &inner);
	} else {
		ret = madkit_parse_path(text, &path, &inner);
		if (!ret) {
			o->have_direct = true;
			o->addr.hops = path.hops;
			memcpy(o->addr.path, path.path, sizeof(path.path));
		}
	}
	if (!ret)
		return 0;
	if (!isalpha((unsigned char)*text))
		return madkit_error_set(error, ret, inner.position, "%s", inner.text);
	return madkit_error_set(error, ret, inner.position,
		"%.120s; -%c takes the address: %s Get NodeInfo", inner.text, def->id,
		examples[def->id == OPT_LID ? 0 : def->id == OPT_DIRECT ? 1 : 2]);
}

static int take_own(const struct option_def *def, struct cli_options *o,
		    const char *text, struct madkit_error *error)
{
	switch (def->id) {
	case OPT_DEVICE:
		if (o->ndevices == CLI_DEVICES_MAX)
			return madkit_error_set(error, -E2BIG, -1,
				"more than %d devices", CLI_DEVICES_MAX);
		o->devices[o->ndevices++] = text;
		return 0;
	case OPT_SM_PORT:
		return madkit_parse_lid(text, &o->sm_lid, error);
	case OPT_LID:
	case OPT_GUID:
	case OPT_DIRECT:
		return take_address(def, o, text, error);
	case OPT_GID:
		o->have_gid = true;
		return madkit_parse_gid(text, o->addr.gid, error);
	case OPT_CLASS:
		o->have_class = true;
		return madkit_class_find(text, &o->mgmt_class, error);
	case OPT_DEADLINE:
		return take_deadline(o, text, error);
	case OPT_M_KEY:
		o->have_m_key = true;
		return take_key("M_Key", text, &o->m_key, error);
	case OPT_SM_KEY:
		o->have_sm_key = true;
		return take_key("SM_Key", text, &o->sm_key, error);
	case OPT_FORMAT:
		return take_format(o, text, error);
	case OPT_PRETTY:
		o->pretty = true;
		o->format = FORMAT_JSON;
		return 0;
	case OPT_JSON:
		o->format = FORMAT_JSON;
		return 0;
	case OPT_RMPP:
		return take_rmpp(o, text, error);
	case OPT_DEBUG:
		o->debug++;
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

static int take(const struct option_def *def, struct cli_options *o,
		char *text, struct madkit_error *error)
{
	char *base = (char *)o;
	char what[40];
	uint64_t value;
	int ret;

	switch (def->value) {
	case VALUE_FLAG:
		o->flags |= UINT64_C(1) << (def->id - OPT_LONG);
		return 0;
	case VALUE_BOOL:
		*(bool *)(base + def->offset) = true;
		return 0;
	case VALUE_STRING:
		if (!*text)
			return madkit_error_set(error, -EINVAL, 0, "--%s is empty",
						def->name);
		*(const char **)(base + def->offset) = text;
		return 0;
	case VALUE_NUMBER:
		snprintf(what, sizeof(what), "--%s", def->name);
		ret = madkit_parse_number(text, strlen(text), def->max, what,
					  &value, error);
		if (ret)
			return ret;
		if (value < def->min)
			return madkit_error_set(error, -ERANGE, 0,
				"%s '%.64s' is less than %llu", what, text,
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

/* getopt's two descriptions, made from the table. */
struct getopt_tables {
	char letters[3 + 2 * N_DEFS];
	struct option longs[N_DEFS + 1];
};

static void getopt_tables_fill(struct getopt_tables *t, unsigned int sets)
{
	char *letter = t->letters;
	size_t n = 0;

	/* in order: words before "--" and a command after it stay apart */
	*letter++ = '-';
	*letter++ = ':';
	for (size_t i = 0; i < N_DEFS; i++) {
		const struct option_def *def = &option_defs[i];

		if (!(def->sets & sets))
			continue;
		t->longs[n++] = (struct option){ def->name,
			def->arg ? required_argument : no_argument, NULL, def->id };
		if (def->id < OPT_LONG) {
			*letter++ = (char)def->id;
			if (def->arg)
				*letter++ = ':';
		}
	}
	*letter = 0;
	memset(&t->longs[n], 0, sizeof(t->longs[n]));
}

static const struct option_def *def_find(int id)
{
	for (size_t i = 0; i < N_DEFS; i++)
		if (option_defs[i].id == id)
			return &option_defs[i];
	return NULL;
}

/* The long options that begin as word does: "--sl, --sm-key". How many. */
static unsigned int completions(const struct option *longs, const char *word,
				char *buf, size_t size)
{
	size_t len = strcspn(word, "="), used = 0;
	unsigned int n = 0;

	buf[0] = 0;
	for (; longs->name; longs++) {
		if (strncmp(longs->name, word, len))
			continue;
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s--%s",
						 n ? ", " : "", longs->name);
		n++;
	}
	return n;
}

/* What getopt refused, named. */
static int refused(int how, const struct option *longs, char **argv, int before)
{
	const char *word = before < optind ? argv[before] : NULL;
	char letter[3] = { '-', (char)optopt, 0 };
	char known[200];

	if (!word || strncmp(word, "--", 2))
		word = letter;
	if (how == ':')
		return cli_usage_error("option '%s' needs a value", word);
	if (word != letter && optopt)
		return cli_usage_error("option '%s' takes no value", word);
	if (word != letter && completions(longs, word + 2, known, sizeof(known)) > 1)
		return cli_usage_error("option '%s' is one of %s", word, known);
	return cli_usage_error("unknown option '%s'", word);
}

static int parse_words(const struct cli_usage *usage, int argc, char **argv,
		       struct cli_options *o, struct cli_words *w, int *status)
{
	struct getopt_tables tables;
	struct madkit_error error;

	bool given[N_DEFS] = { false };

	getopt_tables_fill(&tables, usage->sets | SET_COMMON);
	opterr = 0;
	for (;;) {
		int before = optind;
		int id = getopt_long(argc, argv, tables.letters, tables.longs, NULL);

		const struct option_def *def;

		if (id == -1) {
			w->command_missing = before < optind && optind == argc;
			break;
		}
		if (id == 1) {
			w->words[w->nwords++] = optarg;
			continue;
		}
		if (id == ':' || id == '?') {
			*status = refused(id, tables.longs, argv, before);
			return -1;
		}
		if (id == OPT_HELP || id == OPT_VERSION) {
			*status = id == OPT_HELP ? print_help(usage) :
						     print_version(usage->program);
			return -1;
		}
		def = def_find(id);
		if (def->arg && def->id != OPT_DEVICE && given[def - option_defs]) {
			*status = cli_usage_error("option '--%s' is given twice", def->name);
			return -1;
		}
		given[def - option_defs] = true;
		error.text[0] = 0;
		if (take(def, o, optarg, &error)) {
			*status = cli_stopped() ? cli_stopped_status() :
				cli_usage_error("%s", error.text);
			return -1;
		}
	}
	if (optind < argc)
		w->command = argv + optind;
	return 0;
}

int cli_parse(const struct cli_usage *usage, int argc, char **argv,
	      struct cli_options *options, struct cli_words *words, int *status)
{
	struct madkit_error error;
	const char *device;
	int ret;

	cli_begin(usage->program);
	memset(options, 0, sizeof(*options));
	memset(words, 0, sizeof(*words));
	options->timeout_ms = 1000;
	options->retries = 2;
	options->deadline_ms = -1;
	options->interval_ms = 1000;
	options->addr.hop_limit = 255;
	options->addr.qkey = MADKIT_QKEY_GSI;
	words->words = calloc((size_t)argc + 1, sizeof(*words->words));
	if (!words->words) {
		cli_say("out of memory");
		*status = EXIT_LOCAL;
		return -1;
	}
	if (parse_words(usage, argc, argv, options, words, status))
		return -1;
	if (options->ndevices && (options->ca || options->port)) {
		*status = cli_usage_error("--device and -C or -P say the same thing twice");
		return -1;
	}
	device = secure_getenv("MADKIT_DEVICE");
	if (device && *device)
		options->default_device = device;
	ret = config_file_read(options->config_path ? options->config_path :
			       DIAG_CONFIG, options, &error);
	if (ret && (ret != -ENOENT || options->config_path)) {
		cli_say("%s", error.text);
		*status = ret == -EINVAL ? EXIT_USAGE : EXIT_LOCAL;
		return -1;
	}
	return 0;
}
