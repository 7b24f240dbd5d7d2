/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Explains an option that the command does not have. */
#include <stdio.h>
#include <string.h>
#include "options.h"
#include "suggest.h"
#include "util/array_size.h"
#include "util/nearest.h"

/* The options of all commands. Arrays instead of pointers, which would have to be relocated at each start. */
static const struct option_name {
	char command[10];
	char letter; /* 0: none */
	char name[16];
} option_names[] = {
#include "cli/option_names.h"
};

/* Checks if a word, "--name", "--name=VALUE" or "-x", is this option. */
static bool option_name_matches(const struct option_name *o, const char *word)
{
	if (word[1] != '-')
		return o->letter && o->letter == word[1];
	for (size_t i = 0; i < OPTION_ALIASES; i++)
		if (option_name_is(word, option_aliases[i].name))
			return !strcmp(o->name, option_aliases[i].of);
	return option_name_is(word, o->name);
}

bool option_is_known(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_names); i++)
		if (option_name_matches(&option_names[i], word))
			return true;
	return false;
}

/* Suggests a long option of the command; word begins with its dashes. Returns buf. */
static const char *option_suggest(const char *word, const struct option_table *table,
				  char buf[SUGGESTION_MAX])
{
	char name[NEAREST_WORD_MAX];
	struct nearest n;

	buf[0] = 0;
	if (strncmp(word, "--", 2))
		return buf;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	n = nearest_begin(name);
	for (size_t i = 0; i < table->n; i++)
		nearest_try(&n, table->rows[i].name);
	if (nearest_word(&n))
		snprintf(buf, SUGGESTION_MAX, "; did you mean '--%s'?", nearest_word(&n));
	return buf;
}

enum { FOREIGN_MAX = 16 };

/* Lists the options in argv that the command does not have: "-x", "--name=VALUE". letters holds the short
 * ones. Returns their number. */
static size_t options_foreign(const struct option_table *table, char **argv, char letters[FOREIGN_MAX][3],
			      char *words[FOREIGN_MAX])
{
	const struct option_row *row;
	size_t n = 0;

	for (char **word = argv + 1; *word && strcmp(*word, "--") && n < FOREIGN_MAX; word++) {
		bool is_long = !strncmp(*word, "--", 2);

		for (const char *p = *word + 1; **word == '-' && *p && n < FOREIGN_MAX; p++) {
			snprintf(letters[n], sizeof(letters[n]), "-%c", *p);
			row = option_find(table, is_long ? *word : letters[n]);
			if (!row) {
				words[n] = is_long ? *word : letters[n];
				n++;
			} else if (row->arg) {
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
static bool option_is_address(const char *word)
{
	static const struct option_name addresses[] = {
		{ "", 'L', "Lid" }, { "", 'D', "Direct" }, { "", 'G', "Guid" },
		{ "", 0, "name" },  { "", 0, "gid" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		if (option_name_matches(&addresses[i], word))
			return true;
	return false;
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

int option_unknown(const char *program, const struct option_table *table, const char *word, char **argv)
{
	char letters[FOREIGN_MAX][3], *words[FOREIGN_MAX];
	bool uses_ports = option_row(table, "device");
	unsigned int left = 0, n = 0;
	char list[128] = "", near[SUGGESTION_MAX], instead[800] = "", others[160] = "";
	char have[sizeof(list) + 8] = "";
	size_t used = 0;

	if (!strcmp(program, "madsweep") && option_is_address(word))
		snprintf(instead, sizeof(instead),
			 "--from chooses where the sweep begins, --select which ports are shown");
	else if (uses_ports && option_is_diag(word))
		option_diag_combined(word, words, options_foreign(table, argv, letters, words), instead,
				     sizeof(instead));
	if (uses_ports && !*instead)
		option_diag_text(word, program, instead, sizeof(instead), others, sizeof(others));
	for (size_t i = 0; i < ARRAY_SIZE(option_names); i++)
		left += option_name_matches(&option_names[i], word);
	n = left;
	for (size_t i = 0; i < ARRAY_SIZE(option_names); i++)
		if (option_name_matches(&option_names[i], word))
			used = option_list_add(list, sizeof(list), used, --left ? NULL : " and ", "",
					       option_names[i].command);
	if (n)
		snprintf(have, sizeof(have), "%s %s it", list, n > 1 ? "have" : "has");
	if (n || *instead)
		return option_explain(program, word, have, instead, others);
	return cli_usage_error("unknown option '%s'%s", word, option_suggest(word, table, near));
}
