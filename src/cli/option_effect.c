/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rejects options that have no effect: in the command, in its mode, or together with the other options. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "option_table.h"
#include "suggest.h"

const struct option_def *option_find(int id)
{
	for (size_t i = 0; i < n_option_defs; i++)
		if (option_defs[i].id == id)
			return &option_defs[i];
	return NULL;
}

unsigned int option_modes(const char *program)
{
	unsigned int modes = 0;

	for (size_t i = 0; i < n_command_modes; i++)
		if (!strcmp(command_modes[i].program, program))
			modes |= command_modes[i].mode;
	return modes;
}

bool cli_given(const struct cli_options *o, int option)
{
	const struct option_def *def = option_find(option);

	return def && o->given[def - option_defs];
}

int cli_refuse(const struct cli_options *o, int option, const char *why, ...)
{
	char text[200];
	va_list args;

	if (!cli_given(o, option))
		return EXIT_DONE;
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	return cli_usage_error("--%s has no effect: %s", option_find(option)->name, text);
}

/* Appends before and word to a list: "a", "a or b", "a, b or c". last: the text between the last two words if
 * no word follows, else NULL. Returns the length of the list. */
static size_t option_list_add(char *list, size_t size, size_t used, const char *last, const char *before,
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

/* Returns the number of modes of a command in which the option has an effect. */
static unsigned int count_modes(const char *program, const struct option_def *def)
{
	unsigned int n = 0;

	for (size_t i = 0; i < n_command_modes; i++)
		n += !strcmp(command_modes[i].program, program) && command_modes[i].mode & def->modes;
	return n;
}

/* ---- modes ---------------------------------------------------------------------- */

static bool is_selected(const struct command_mode *m, const char *program, const struct cli_options *o)
{
	return m->option && !strcmp(m->program, program) && cli_given(o, m->option);
}

/* Reports which options would give an option an effect: those that select the modes of the program that have
 * it. */
static int without_selector(const char *program, const struct option_def *def)
{
	char list[200] = "";
	size_t used = 0;
	unsigned int left = count_modes(program, def);

	for (size_t i = 0; i < n_command_modes; i++) {
		const struct command_mode *m = &command_modes[i];

		if (!strcmp(m->program, program) && m->mode & def->modes)
			used = option_list_add(list, sizeof(list), used, --left ? NULL : " or ", "--",
					       option_find(m->option)->name);
	}
	return cli_usage_error("--%s has no effect without %s", def->name, list);
}

static int check_needs(const struct cli_options *o)
{
	for (size_t i = 0; i < n_option_needs; i++) {
		const struct option_need *need = &option_needs[i];
		const char *other = need->with[1] ? option_find(need->with[1])->name : "";

		if (!(need->modes & o->mode) || !cli_given(o, need->option) || cli_given(o, need->with[0]) ||
		    (need->with[1] && cli_given(o, need->with[1])))
			continue;
		return cli_usage_error("--%s has no effect without --%s%s%s", option_find(need->option)->name,
				       option_find(need->with[0])->name, *other ? " or --" : "", other);
	}
	return EXIT_DONE;
}

int option_check(const char *program, bool words, struct cli_options *o)
{
	const struct option_def *selector = NULL;

	for (size_t i = 0; i < n_command_modes; i++) {
		const struct command_mode *m = &command_modes[i];

		if (!m->option && !strcmp(m->program, program))
			o->mode = m->mode;
	}
	for (size_t i = 0; i < n_command_modes; i++) {
		const struct command_mode *m = &command_modes[i];

		if (!is_selected(m, program, o))
			continue;
		if (selector)
			return cli_usage_error("--%s and --%s exclude each other", selector->name,
					       option_find(m->option)->name);
		selector = option_find(m->option);
		o->mode = m->mode;
	}
	/* before the options of a request are rejected, because the missing selector is what prevents the
	 * request */
	if (words && o->mode == MODE_AWAIT)
		return cli_usage_error(
			"--until EXPR or --delta is missing: madpoll sends a request again and again, madsend sends it once");
	for (size_t i = 0; i < n_option_defs; i++) {
		const struct option_def *def = &option_defs[i];

		if (!o->given[i] || def->modes & o->mode)
			continue;
		return !selector ? without_selector(program, def) :
				   cli_usage_error("--%s has no effect with --%s", def->name, selector->name);
	}
	return check_needs(o);
}

/* ---- formats -------------------------------------------------------------------- */

int option_check_format(const struct cli_options *o)
{
	bool json = cli_given(o, OPT_JSON) || cli_given(o, OPT_PRETTY) || o->output.format == FORMAT_JSON;
	bool bytes = o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW;
	int status = EXIT_DONE;

	if (json && cli_given(o, OPT_FORMAT) && o->output.format != FORMAT_JSON)
		return cli_usage_error("--%s is JSON, and --format is not",
				       cli_given(o, OPT_PRETTY) ? "pretty" : "json");
	/* outside these modes, -v only adds headers to text output; in them it also reports failures */
	if ((json || bytes) && !(o->mode & (MODE_READ | MODE_SUBSCRIBE | MODE_BATCH)) &&
	    !(o->mode == MODE_SEND && o->timing.have_count))
		status = cli_refuse(o, OPT_VERBOSE, json ? "JSON has the headers" : "all bytes are shown");
	if (o->output.format == FORMAT_TABLE &&
	    o->mode & (MODE_REGISTER | MODE_LIST | MODE_SNOOP | MODE_DELTA | MODE_DESCRIBE))
		return cli_usage_error("--format 'table': there is no record to show: use text or JSON");
	if (!status && o->output.format == FORMAT_TABLE &&
	    !(o->mode & (MODE_READ | MODE_SUBSCRIBE | MODE_BATCH)) &&
	    !(o->mode == MODE_SEND && o->timing.have_count))
		status = cli_refuse(o, OPT_VERBOSE, "a table has the columns of --fields");
	if (!status && bytes)
		status = cli_refuse(o, OPT_FIELDS, "hex and raw show whole MADs");
	if (!status && !json && o->mode & (MODE_REGISTER | MODE_LIST))
		status = cli_refuse(o, OPT_FIELDS, "it selects from the lines of --json");
	/* without -K, the keys are zeroed in captures and in the hex dumps of --debug */
	if (!status && bytes && !o->output.write_path && o->output.debug < 2)
		status = cli_refuse(o, OPT_SHOW_KEYS, "hex and raw show all bytes");
	if (!status && o->mode & (MODE_REGISTER | MODE_DELTA) && !o->output.write_path && o->output.debug < 2)
		status = cli_refuse(o, OPT_SHOW_KEYS, "no key is shown without --write, or --debug twice");
	return status;
}

/* ---- other commands --------------------------------------------------------------- */

const struct option_def *option_named(const char *word)
{
	for (size_t i = 0; i < n_option_defs; i++) {
		const struct option_def *def = &option_defs[i];

		if (word[1] != '-' ? def->id == word[1] : option_name_is(word, def->name))
			return def;
	}
	for (size_t i = 0; i < OPTION_ALIASES; i++)
		if (option_name_is(word, option_aliases[i].name))
			return option_find(option_aliases[i].id);
	return NULL;
}

/* Checks if a command uses ports, as the programs of infiniband-diags do. */
static bool option_needs_device(const char *program)
{
	return option_modes(program) & option_find(OPT_DEVICE)->modes;
}

enum { FOREIGN_MAX = 16 };

/* Lists the options in argv that the command does not have: "-x", "--name=VALUE". letters holds the short
 * ones. Returns their number. */
static size_t options_foreign(unsigned int modes, char **argv, char letters[FOREIGN_MAX][3],
			      char *words[FOREIGN_MAX])
{
	const struct option_def *def;
	size_t n = 0;

	for (char **word = argv + 1; *word && strcmp(*word, "--") && n < FOREIGN_MAX; word++) {
		bool is_long = !strncmp(*word, "--", 2);

		for (const char *p = *word + 1; **word == '-' && *p && n < FOREIGN_MAX; p++) {
			snprintf(letters[n], sizeof(letters[n]), "-%c", *p);
			def = option_named(is_long ? *word : letters[n]);
			if (!def || !(def->modes & modes)) {
				words[n] = is_long ? *word : letters[n];
				n++;
			} else if (def->arg) {
				/* the rest of the word is its value, or else the next word */
				if (word[1] && (is_long ? !strchr(*word, '=') : !p[1]))
					word++;
				break;
			}
			if (is_long)
				break;
		}
	}
	return n;
}

/* Checks if an option names the port that a request is sent to. */
static bool option_is_address(const struct option_def *def)
{
	return def && (def->id == OPT_LID || def->id == OPT_DIRECT || def->id == OPT_GUID ||
		       def->id == OPT_NAME || def->id == OPT_GID);
}

/* Reports the commands that have an option (have) and its replacement (instead), each of which may be "", on
 * one line if they fit. others: programs of infiniband-diags in which the option has other meanings. Returns
 * EXIT_USAGE. */
static int option_explain(const char *program, const char *word, const char *have, const char *instead,
			  const char *others)
{
	enum { LINE = 120 };
	size_t len = strlen(program) + sizeof(": unknown option '': ") + strcspn(word, "=") + strlen(have) +
		     strlen(instead);
	int n = (int)strcspn(word, "=");
	bool fits = len + sizeof("; ") <= LINE;

	if (*have && *instead && !fits) {
		cli_usage_error("unknown option '%.*s': %s", n, word, have);
		cli_insist("hint: %s", instead);
		return EXIT_USAGE;
	}
	/* the reference to the manual page is not worth a second line on a terminal */
	if (len + sizeof("; (see madsweep(1))") > LINE)
		cli_insist("unknown option '%.*s': %s%s%s", n, word, have, *have ? "; " : "", instead);
	else
		cli_usage_error("unknown option '%.*s': %s%s%s", n, word, have, *have && *instead ? "; " : "",
				instead);
	if (*others)
		cli_insist("hint: %.*s of %s: see madkit-migration(7)", n, word, others);
	return EXIT_USAGE;
}

int option_unknown(const char *program, const char *word, char **argv)
{
	char letters[FOREIGN_MAX][3], *words[FOREIGN_MAX];
	const struct option_def *def = option_named(word);
	unsigned int left = 0, n = 0;
	char list[128] = "", near[SUGGESTION_MAX], instead[800] = "", others[160] = "";
	char have[sizeof(list) + 8] = "";
	size_t used = 0;

	if (!strcmp(program, "madsweep") && option_is_address(def))
		snprintf(instead, sizeof(instead),
			 "--from chooses where the sweep begins, --select which ports are shown");
	else if (!strcmp(program, "madsweep") && option_name_is(word, "errors"))
		snprintf(instead, sizeof(instead),
			 "use a filter: 'madsweep Get PortCounters --filter \"SymbolErrorCounter > 0\"'");
	else if (option_needs_device(program) && option_is_diag(word))
		option_diag_combined(word, words,
				     options_foreign(option_modes(program), argv, letters, words), instead,
				     sizeof(instead));
	if (option_needs_device(program) && !*instead)
		option_diag_text(word, program, instead, sizeof(instead), others, sizeof(others));
	/* the modes of a command are adjacent in the table, so that each command is named once */
	for (int pass = 0; def && pass < 2; pass++) {
		const char *seen = "";

		for (size_t i = 0; i < n_command_modes; i++) {
			const char *name = command_modes[i].program;

			if (!strcmp(name, seen) || !count_modes(name, def))
				continue;
			seen = name;
			if (!pass)
				n = ++left;
			else
				used = option_list_add(list, sizeof(list), used, --left ? NULL : " and ", "",
						       name);
		}
	}
	if (n)
		snprintf(have, sizeof(have), "%s %s it", list, n > 1 ? "have" : "has");
	if (n || *instead)
		return option_explain(program, word, have, instead, others);
	return cli_usage_error("unknown option '%s'%s", word,
			       suggest_option(word, option_modes(program), near));
}
