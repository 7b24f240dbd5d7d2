/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the command line according to the table of the command: getopt_long() collects the options; those that
 * have no effect are refused; then the values are read, and keys last. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "config_file.h"
#include "options.h"
#include "wait.h"

/* ---- refusing, for the commands ---------------------------------------------------- */

bool cli_given(const struct cli_options *o, const char *name)
{
	const struct option_row *row = option_row(o->table, name);

	return row && o->given[row - o->table->rows];
}

bool cli_accepts(const struct cli_options *o, const char *name)
{
	const struct option_row *row = option_row(o->table, name);

	return row && row->forms & o->mode;
}

int cli_refuse(const struct cli_options *o, const char *name, const char *why, ...)
{
	char text[200];
	va_list args;

	if (!cli_given(o, name))
		return EXIT_DONE;
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	return cli_usage_error("--%s has no effect: %s", name, text);
}

int cli_refuse_without(const struct cli_options *o, const char *name, const char *other)
{
	return cli_given(o, name) && !cli_given(o, other) ?
		       cli_usage_error("--%s has no effect without --%s", name, other) :
		       EXIT_DONE;
}

/* ---- collecting ------------------------------------------------------------------- */

/* getopt_long() returns OPTION_ID + i for row i of the table. Lower values are a word (1) and errors. */
enum { OPTION_ID = 256 };

/* The two descriptions of the options that getopt_long() needs, generated from the table. */
struct getopt_tables {
	char letters[3 + 2 * OPTION_ROWS_MAX];
	struct option longs[OPTION_ROWS_MAX + OPTION_ALIASES + 1];
};

/* The options of the command line, in their order. */
struct collected {
	const struct option_row **rows;
	char **values;
	size_t n;
	const struct option_row *twice; /* the first option with a value that is given again */
};

static struct option getopt_long_option(const struct option_table *table, const struct option_row *row,
					const char *name)
{
	return (struct option){ name, row->arg ? required_argument : no_argument, NULL,
				OPTION_ID + (int)(row - table->rows) };
}

static void getopt_tables_fill(struct getopt_tables *t, const struct option_table *table)
{
	char *letter = t->letters;
	size_t n = 0;

	/* '-' keeps the order: words before "--" stay apart from a command after it */
	*letter++ = '-';
	*letter++ = ':';
	for (size_t i = 0; i < table->n; i++) {
		const struct option_row *row = &table->rows[i];

		t->longs[n++] = getopt_long_option(table, row, row->name);
		if (row->letter) {
			*letter++ = row->letter;
			if (row->arg)
				*letter++ = ':';
		}
	}
	*letter = 0;
	for (size_t i = 0; i < OPTION_ALIASES; i++) {
		const struct option_row *row = option_row(table, option_aliases[i].of);

		if (row)
			t->longs[n++] = getopt_long_option(table, row, option_aliases[i].name);
	}
	memset(&t->longs[n], 0, sizeof(t->longs[n]));
}

/* Checks if the word would be the abbreviation of an option, but is the whole name of an option that only
 * infiniband-diags has: saquery's --pkey is not --pkey-index. */
static bool option_is_foreign(const struct option *longs, const char *word)
{
	for (; longs->name; longs++)
		if (option_name_is(word, longs->name))
			return false;
	return option_is_diag(word);
}

/* Returns the next option or word, as getopt_long() does, an option by its number in the table. In the name of
 * a long option, '_' is equivalent to '-'. */
static int option_next(const struct getopt_tables *t, const struct option_table *table, int argc, char **argv)
{
	int at = optind ? optind : 1, id;
	char *word = at < argc ? argv[at] : NULL, typed[48];
	size_t n = word ? strcspn(word, "=") : 0;

	/* while getopt is within letters that share a word, this is that word */
	if (n < 3 || n > sizeof(typed) || strncmp(word, "--", 2)) {
		id = getopt_long(argc, argv, t->letters, t->longs, NULL);
		for (size_t i = 0; i < table->n && id > 1 && id < OPTION_ID && id != '?' && id != ':'; i++)
			if (table->rows[i].letter == id)
				id = OPTION_ID + (int)i;
		return id;
	}
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
static unsigned int option_completions(const struct option *longs, const char *word, char *buf, size_t size)
{
	size_t len = strcspn(word, "="), used = 0;
	bool listed[OPTION_ROWS_MAX] = { false };
	unsigned int n = 0;

	buf[0] = 0;
	/* the names of infiniband-diags come last */
	for (; longs->name; longs++) {
		size_t i = 0;

		while (i < len && longs->name[i] == (word[i] == '_' ? '-' : word[i]))
			i++;
		if (i < len || listed[longs->val - OPTION_ID])
			continue;
		listed[longs->val - OPTION_ID] = true;
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s--%s", n ? ", " : "",
						 longs->name);
		n++;
	}
	return n;
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
static int options_refused(const struct cli_usage *usage, int how, const struct option *longs, char **argv,
			   int before)
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
	if (word != letter && !option_is_known(word) && !option_is_diag(word) &&
	    option_completions(longs, word + 2, known, sizeof(known)) > 1)
		return cli_usage_error("option '%s' is one of %s", word, known);
	return option_unknown(usage->program, usage->options, word, argv);
}

/* Notes an option. A deadline applies from now on: also to the help text, and to a prompt for a key. */
static void collected_add(struct collected *c, const struct option_row *row, struct cli_options *o)
{
	bool *given = &o->given[row - o->table->rows];

	if (*given && row->arg && !row->repeated && !c->twice)
		c->twice = row;
	*given = true;
	c->rows[c->n] = row;
	c->values[c->n++] = optarg;
	if (row->take == take_deadline && !take_deadline(row, &o->timing, optarg, NULL))
		wait_set_deadline(o->timing.deadline_ms);
}

/* Calls getopt_long() for each word. Returns EXIT_DONE, or -1 with *status if the command ends here. */
static int options_collect(const struct cli_usage *usage, int argc, char **argv, struct cli_options *o,
			   struct cli_words *w, struct collected *c, int *status)
{
	struct getopt_tables tables;

	getopt_tables_fill(&tables, o->table);
	opterr = 0;
	for (;;) {
		int before = optind ? optind : 1;
		int id = option_next(&tables, o->table, argc, argv);
		const char *command;

		if (id == -1) {
			w->command_missing = before < optind && optind == argc;
			break;
		}
		if (id == 1) {
			w->words[w->nwords++] = optarg;
			continue;
		}
		/* an unknown option after a COMMAND that has no -- before it may belong to COMMAND */
		command = id == '?' && usage->command ? usage->command(o, w) : NULL;
		if (command)
			*status = cli_usage_error("'%s' is an unexpected word: write -- before COMMAND",
						  command);
		else if (id == ':' || id == '?')
			*status = options_refused(usage, id, tables.longs, argv, before);
		else if (!strcmp(o->table->rows[id - OPTION_ID].name, "help"))
			*status = print_help(usage);
		else if (!strcmp(o->table->rows[id - OPTION_ID].name, "version"))
			*status = print_version(usage->program);
		else {
			collected_add(c, &o->table->rows[id - OPTION_ID], o);
			continue;
		}
		return -1;
	}
	if (optind < argc)
		w->command = argv + optind;
	return EXIT_DONE;
}

/* ---- refusing --------------------------------------------------------------------- */

/* Reports which options would give an option an effect: those that select the forms that have it. */
static int option_without_form(const struct option_table *table, const struct option_row *row)
{
	char list[200] = "";
	size_t used = 0;
	unsigned int left = 0;

	for (size_t i = 0; i < table->nforms; i++)
		left += (table->forms[i].form & row->forms) != 0;
	for (size_t i = 0; i < table->nforms; i++)
		if (table->forms[i].form & row->forms)
			used = option_list_add(list, sizeof(list), used, --left ? NULL : " or ", "--",
					       table->forms[i].selector);
	return cli_usage_error("--%s has no effect without %s", row->name, list);
}

/* Sets the form of the command, and refuses options that it does not have. words: there are words before "--".
 * Returns EXIT_DONE or EXIT_USAGE. */
static int options_check_form(const struct cli_usage *usage, bool words, struct cli_options *o)
{
	const struct option_table *table = o->table;
	const char *selector = NULL;

	for (size_t i = 0; i < table->nforms; i++) {
		const struct option_form *f = &table->forms[i];

		if (f->selector && !cli_given(o, f->selector))
			continue;
		if (selector)
			return cli_usage_error("--%s and --%s exclude each other", selector, f->selector);
		selector = f->selector;
		o->mode = f->form;
	}
	/* before the options of a request are refused, because the missing selector is what prevents the
	 * request */
	if (words && !selector && usage->words_refused)
		return cli_usage_error("%s", usage->words_refused);
	for (size_t i = 0; i < table->n; i++) {
		const struct option_row *row = &table->rows[i];

		if (!o->given[i] || row->forms & o->mode)
			continue;
		if (!selector)
			return option_without_form(table, row);
		cli_usage_error("--%s has no effect with --%s", row->name, selector);
		if (row->hint)
			cli_insist("%s", row->hint);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* Rejects options that have no effect in the output format. Returns EXIT_DONE or EXIT_USAGE. */
static int options_check_format(const struct cli_options *o)
{
	bool json = cli_given(o, "json") || cli_given(o, "pretty") || o->output.format == FORMAT_JSON;
	bool bytes = o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW;
	int status = EXIT_DONE;

	if (json && cli_given(o, "format") && o->output.format != FORMAT_JSON)
		return cli_usage_error("--%s is JSON, and --format is not",
				       cli_given(o, "pretty") ? "pretty" : "json");
	/* outside these modes, -v only adds headers to text output; in them it also reports failures */
	if ((json || bytes) && !(o->mode & (MODE_READ | MODE_SUBSCRIBE | MODE_BATCH)) &&
	    !(o->mode == MODE_SEND && o->timing.have_count))
		status = cli_refuse(o, "verbose", json ? "JSON has the headers" : "all bytes are shown");
	if (o->output.format == FORMAT_TABLE &&
	    o->mode & (MODE_REGISTER | MODE_LIST | MODE_SNOOP | MODE_DELTA | MODE_DESCRIBE))
		return cli_usage_error("--format 'table': there is no record to show: use text or JSON");
	if (!status && o->output.format == FORMAT_TABLE &&
	    !(o->mode & (MODE_READ | MODE_SUBSCRIBE | MODE_BATCH)) &&
	    !(o->mode == MODE_SEND && o->timing.have_count))
		status = cli_refuse(o, "verbose", "a table has the columns of --fields");
	if (!status && bytes)
		status = cli_refuse(o, "fields", "hex and raw show whole MADs");
	if (!status && !json && o->mode & (MODE_REGISTER | MODE_LIST))
		status = cli_refuse(o, "fields", "it selects from the lines of --json");
	/* without -K, the keys are zeroed in captures and in the hex dumps of --debug */
	if (!status && bytes && !o->output.write_path && o->output.debug < 2)
		status = cli_refuse(o, "show-keys", "hex and raw show all bytes");
	if (!status && o->mode == MODE_REGISTER && o->output.show_keys && !o->output.write_path &&
	    !o->output.debug)
		return cli_usage_error("--show-keys has no effect without --write or --debug");
	if (!status && o->mode & (MODE_REGISTER | MODE_DELTA) && !o->output.write_path && o->output.debug < 2)
		status = cli_refuse(o, "show-keys", "no key is shown without --write, or --debug twice");
	return status;
}

/* ---- values ------------------------------------------------------------------------- */

/* Overwrites a key in argv, because other users can see the command line of the process. "@FILE" stays. */
static void option_hide_key(const struct option_row *row, char *text)
{
	if (row->stage == OPTION_KEY && *text != '@')
		memset(text, 'x', strlen(text));
}

/* Reads the values of one stage, in the order of the command line. Returns an exit status. */
static int options_read(const struct collected *c, enum option_stage stage, struct cli_options *o)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct option_row *row = c->rows[i];
		struct madkit_error error = { .text = "" };
		int refused;

		if (row->stage != stage || !row->take)
			continue;
		if (row->have)
			*(bool *)((char *)o + row->have) = true;
		refused = row->take(row, (char *)o + row->offset, c->values[i], &error);
		if (stage == OPTION_KEY)
			option_hide_key(row, c->values[i]);
		if (refused)
			return error.code == -ETIMEDOUT ? cli_failed(error.code, "%s", error.text) :
			       cli_stopped()            ? cli_stopped_status() :
							  cli_usage_error("%s", error.text);
	}
	return EXIT_DONE;
}

/* Checks if a device belongs to this machine: "umad:mlx5_0/1", "/dev/infiniband/umad0". */
static bool options_is_local(const char *device)
{
	return !strchr(device, ':') || !strncmp(device, "umad:", 5) || !strncmp(device, "verbs:", 6);
}

/* A device that is named by --device has no other name. */
static int options_check_port(const struct port_options *p)
{
	if (!p->ndevices || (!p->ca && !p->number))
		return EXIT_DONE;
	return options_is_local(p->devices[0]) ?
		       cli_usage_error("--device names the port: -C and -P are not for it") :
		       cli_usage_error_in(
			       "madkit-sim(7)",
			       "-C and -P are not for simulated devices: @NODE selects the CA and port, as in "
			       "'@node1 mlx5_1:2'");
}

/* Reads the configuration, if the form uses it. Returns an exit status. */
static int options_configure(struct cli_options *o)
{
	const struct option_row *config = option_row(o->table, "config");
	const char *device = secure_getenv("MADKIT_DEVICE");
	struct madkit_error error;
	int ret;

	if (device && *device)
		o->port.default_device = device;
	if (!config || !(config->forms & o->mode))
		return EXIT_DONE;
	ret = config_file_read(o->config_path ? o->config_path : DIAG_CONFIG, o, &error);
	if (!ret || (ret == -ENOENT && !o->config_path))
		return EXIT_DONE;
	if (!cli_stopped())
		cli_insist("%s", error.text);
	return ret == -EINVAL ? EXIT_USAGE : cli_status_of(ret);
}

/* Refuses, and reads the values. Returns an exit status. */
static int options_settle(const struct cli_usage *usage, const struct collected *c, struct cli_options *o,
			  const struct cli_words *w)
{
	int status = options_check_form(usage, w->nwords, o);

	if (!status && c->twice)
		status = cli_usage_error("option '--%s' is given twice", c->twice->name);
	if (!status)
		status = options_read(c, OPTION_VALUE, o);
	if (!status)
		status = options_check_format(o);
	if (!status)
		status = options_check_port(&o->port);
	if (o->output.json || o->output.pretty)
		o->output.format = FORMAT_JSON;
	if (!status && usage->check)
		status = usage->check(o, w);
	if (!status)
		status = options_read(c, OPTION_KEY, o);
	if (!status && o->output.quiet)
		cli_set_quiet();
	return status ? status : options_configure(o);
}

int cli_parse(const struct cli_usage *usage, int argc, char **argv, struct cli_options *o,
	      struct cli_words *words, int *status)
{
	struct collected c = { .n = 0 };
	bool ended = false;

	cli_begin(usage->program);
	memset(words, 0, sizeof(*words));
	*o = (struct cli_options){
		.table = usage->options,
		.timing = { .timeout_ms = 1000,
			    .retries = 2,
			    .redirects = 1,
			    .deadline_ms = -1,
			    .interval_ms = 1000 },
		.to.addr = { .hop_limit = 255, .qkey = MADKIT_QKEY_GSI },
	};
	words->words = calloc((size_t)argc + 1, sizeof(*words->words));
	/* letters share a word: each byte may be an option */
	for (int i = 1; i < argc; i++)
		c.n += strlen(argv[i]);
	c.rows = calloc(c.n + 1, sizeof(*c.rows));
	c.values = calloc(c.n + 1, sizeof(*c.values));
	c.n = 0;
	if (!words->words || !c.rows || !c.values)
		*status = cli_no_memory();
	else if (!options_collect(usage, argc, argv, o, words, &c, status))
		*status = options_settle(usage, &c, o, words);
	else
		ended = true;
	free(c.rows);
	free(c.values);
	return ended || *status ? -1 : 0;
}
