/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which rules are judged, and their limits. */
#include <stdio.h>
#include <string.h>
#include "check.h"
#include "cli/text_file.h"
#include "plan.h"
#include "util/array_size.h"
#include "util/nearest.h"

const char *check_severity_name(uint8_t severity)
{
	static const char *const names[] = {
		[MADKIT_SEVERITY_INFO] = "info",
		[MADKIT_SEVERITY_WARNING] = "warning",
		[MADKIT_SEVERITY_CRITICAL] = "critical",
	};

	return severity < ARRAY_SIZE(names) ? names[severity] : NULL;
}

/* Returns the number of the rule with this name; -1: there is none, and *nearest is a similar name or NULL. */
static int settings_find(const char *name, size_t len, const char **nearest)
{
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);
	char word[NEAREST_WORD_MAX + 1] = "";
	struct nearest best;

	memcpy(word, name, len < NEAREST_WORD_MAX ? len : NEAREST_WORD_MAX);
	best = nearest_begin(word);
	for (size_t i = 0; i < count; i++) {
		if (strlen(rules[i].name) == len && !strncasecmp(rules[i].name, name, len))
			return (int)i;
		nearest_try(&best, rules[i].name);
	}
	*nearest = nearest_word(&best);
	return -1;
}

/* Checks if a rule cannot be judged, because only the ports of this host are read. */
static bool settings_needs_subnet(const struct check *c, int rule)
{
	size_t count;

	return c->options->shared.mode == MODE_CHECK_LOCAL && madkit_health_rules(&count)[rule].subnet;
}

/* ---- --rules ------------------------------------------------------------------------------- */

static int settings_add_rule(struct check *c, const char *name, size_t len)
{
	struct madkit_health_settings standard;
	const char *nearest;
	size_t count;
	int rule;

	if (len == strlen("standard") && !strncasecmp(name, "standard", len)) {
		madkit_health_settings_init(&standard);
		c->settings.rules |= standard.rules;
		return EXIT_DONE;
	}
	rule = settings_find(name, len, &nearest);
	if (rule < 0)
		return cli_usage_error("--rules: there is no rule '%.*s'%s%s%s; --list-rules lists them",
				       len < 32 ? (int)len : 32, name, nearest ? "; did you mean '" : "",
				       nearest ? nearest : "", nearest ? "'?" : "");
	if (settings_needs_subnet(c, rule)) {
		cli_usage_error("--local does not judge the rule %s: it needs the whole subnet",
				madkit_health_rules(&count)[rule].name);
		if (madkit_health_rules(&count)[rule].compares)
			cli_insist("%s", MADCHECK_LOCAL_HINT);
		if (madkit_health_rules(&count)[rule].registers)
			cli_insist("%s", MADCHECK_REGISTERS_HINT);
		return EXIT_USAGE;
	}
	c->settings.rules |= UINT32_C(1) << rule;
	c->named |= UINT32_C(1) << rule;
	return EXIT_DONE;
}

static int settings_choose_rules(struct check *c, const char *list)
{
	int status = EXIT_DONE;

	c->settings.rules = 0;
	for (const char *p = list; !status; p++) {
		const size_t len = strcspn(p, ",");

		status = settings_add_rule(c, p, len);
		p += len;
		if (!*p)
			break;
	}
	return status;
}

/* A limit that limits nothing. */
static const char settings_none[] = "none";

/* ---- --limits ------------------------------------------------------------------------------ */

/* Reads a value: a number, and the unit of the limit or nothing. */
static int settings_take_value(struct check *c, const struct text_line *line, struct text_word word, int rule,
			       size_t key)
{
	size_t count, digits = 0;
	const struct madkit_rule_limit *limit = &madkit_health_rules(&count)[rule].limits[key];
	uint64_t value;

	c->settings.given[rule] |= UINT32_C(1) << key;
	if (limit->max == MADKIT_HEALTH_NO_LIMIT && word.len == strlen(settings_none) &&
	    !strncasecmp(word.text, settings_none, word.len)) {
		c->settings.limits[rule][key] = MADKIT_HEALTH_NO_LIMIT;
		return EXIT_DONE;
	}
	while (digits < word.len && word.text[digits] >= '0' && word.text[digits] <= '9')
		digits++;
	if (!digits || madkit_parse_number(word.text, digits, UINT64_MAX, limit->key, &value, NULL))
		return text_line_error(line, word.column, "'%.*s' is not a number from %llu to %llu",
				       word.len < 40 ? (int)word.len : 40, word.text,
				       (unsigned long long)limit->min, (unsigned long long)limit->max);
	if (digits < word.len && (word.len - digits != strlen(limit->unit) ||
				  memcmp(word.text + digits, limit->unit, word.len - digits) != 0))
		return text_line_error(line, word.column + (unsigned int)digits,
				       "'%.*s' is not the unit of %s %s%s%s",
				       (int)(word.len - digits < 16 ? word.len - digits : 16),
				       word.text + digits, madkit_health_rules(&count)[rule].name, limit->key,
				       *limit->unit ? ", which is " : ", which has none", limit->unit);
	if (value < limit->min || value > limit->max)
		return text_line_error(line, word.column, "'%.*s' is not from %llu to %llu",
				       word.len < 40 ? (int)word.len : 40, word.text,
				       (unsigned long long)limit->min, (unsigned long long)limit->max);
	c->settings.limits[rule][key] = value;
	return EXIT_DONE;
}

static int settings_unknown_key(const struct text_line *line, struct text_word word,
				const struct madkit_rule *rule)
{
	char keys[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < rule->nlimits && used < sizeof(keys); i++)
		used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s", i ? ", " : "",
					 rule->limits[i].key);
	if (!rule->nlimits)
		return text_line_error(line, word.column, "rule %s has no limits", rule->name);
	return text_line_error(line, word.column, "'%.*s' is not a limit of %s: %s",
			       word.len < 40 ? (int)word.len : 40, word.text, rule->name, keys);
}

/* Takes a line "COUNTER=VALUE", as in error_thresholds of infiniband-diags: a limit of the rule counters. */
static int settings_take_threshold(struct check *c, const struct text_line *line, struct text_word word,
				   size_t len)
{
	const char *nearest;
	const int rule = settings_find("counters", strlen("counters"), &nearest);
	struct text_word value = { word.text + len + 1, word.len - len - 1,
				   word.column + (unsigned int)len + 1 };
	size_t count, key = 0;
	const struct madkit_rule *r = &madkit_health_rules(&count)[rule];

	while (key < r->nlimits &&
	       (strlen(r->limits[key].key) != len || strncasecmp(r->limits[key].key, word.text, len) != 0))
		key++;
	if (key == r->nlimits)
		return text_line_error(line, word.column, "'%.*s' is not a counter of errors",
				       len < 40 ? (int)len : 40, word.text);
	if (settings_needs_subnet(c, rule))
		return text_line_error(line, word.column, "--local does not judge the rule %s", r->name);
	c->settings.rules |= UINT32_C(1) << rule;
	return settings_take_value(c, line, value, rule, key);
}

/* Takes a line "RULE KEY VALUE". */
static int settings_take_limit(void *context, const struct text_line *line)
{
	struct check *c = context;
	size_t at = 0, count, key = 0;
	struct text_word name = text_word_next(line, &at), word, value;
	const struct madkit_rule *rule;
	const char *nearest;
	int number, status;

	if (!name.len)
		return EXIT_DONE;
	if (memchr(name.text, '=', name.len) && !text_word_next(line, &at).len)
		return settings_take_threshold(
			c, line, name, (size_t)((const char *)memchr(name.text, '=', name.len) - name.text));
	number = settings_find(name.text, name.len, &nearest);
	if (number < 0)
		return text_line_error(line, name.column, "there is no rule '%.*s'%s%s%s",
				       name.len < 40 ? (int)name.len : 40, name.text,
				       nearest ? "; did you mean '" : "", nearest ? nearest : "",
				       nearest ? "'?" : "");
	rule = &madkit_health_rules(&count)[number];
	word = text_word_next(line, &at);
	while (key < rule->nlimits && (strlen(rule->limits[key].key) != word.len ||
				       strncasecmp(rule->limits[key].key, word.text, word.len) != 0))
		key++;
	if (!word.len && rule->nlimits)
		return text_line_error(line, word.column, "expected RULE KEY VALUE");
	if (key == rule->nlimits)
		return settings_unknown_key(line, word.len ? word : name, rule);
	value = text_word_next(line, &at);
	if (!value.len)
		return text_line_error(line, value.column, "expected a value of %s %s", rule->name,
				       rule->limits[key].key);
	status = settings_take_value(c, line, value, number, key);
	word = text_word_next(line, &at);
	if (!status && word.len)
		return text_line_error(line, word.column, "'%.*s' is an unexpected word",
				       word.len < 40 ? (int)word.len : 40, word.text);
	return status;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int settings_read_severity(struct check *c, const char *text)
{
	for (uint8_t i = MADKIT_SEVERITY_INFO; i <= MADKIT_SEVERITY_CRITICAL; i++)
		if (!strcasecmp(text, check_severity_name(i))) {
			c->severity = i;
			return EXIT_DONE;
		}
	return cli_usage_error("--severity '%.40s' is not info, warning or critical", text);
}

uint64_t settings_window_ms(const struct check *c, const char *rule)
{
	const char *nearest;
	const int number = settings_find(rule, strlen(rule), &nearest);

	return number < 0 ? 0 : madkit_health_window_ms(&c->settings, (size_t)number);
}

uint64_t settings_longest_ms(const struct check *c)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < MADKIT_HEALTH_RULES_MAX; i++) {
		const uint64_t ms = c->settings.rules >> i & 1 ? madkit_health_window_ms(&c->settings, i) : 0;

		longest = ms > longest ? ms : longest;
	}
	return longest;
}

/* Without two readings, the rules that compare them are not judged. */
static int settings_check_window(struct check *c)
{
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);
	const struct madcheck_options *o = c->options;
	bool compares = false;

	c->settings.window_ms = o->window_ms;
	for (size_t i = 0; i < count; i++)
		compares |= rules[i].compares && c->settings.rules >> i & 1;
	if (!compares && (o->window_ms || o->since))
		return cli_usage_error("--%s has no effect: neither rises nor flapping is judged",
				       o->since ? "since" : "for");
	if (o->window_ms || o->since)
		return EXIT_DONE;
	for (size_t i = 0; i < count; i++) {
		if (!rules[i].compares || !(c->named >> i & 1))
			continue;
		if (!o->state)
			return cli_usage_error(
				"--rules: %s needs --for, --since or --state, to compare counters",
				rules[i].name);
		c->keeps = true;
	}
	for (size_t i = 0; i < count && !c->keeps; i++)
		if (rules[i].compares)
			c->settings.rules &= ~(UINT32_C(1) << i);
	return EXIT_DONE;
}

int settings_read(struct check *c)
{
	const struct madcheck_options *o = c->options;
	int status = EXIT_DONE;

	madkit_health_settings_init(&c->settings);
	c->severity = MADKIT_SEVERITY_WARNING;
	if (o->severity)
		status = settings_read_severity(c, o->severity);
	if (!status && o->rules)
		status = settings_choose_rules(c, o->rules);
	if (!status && o->limits)
		status = text_file_read(o->limits, false, settings_take_limit, c);
	return status ? status : settings_check_window(c);
}

bool settings_judge(const struct check *c, const char *name)
{
	const char *nearest;
	const int rule = settings_find(name, strlen(name), &nearest);

	if (rule < 0 && plan_kind(name))
		return plan_judges(c, plan_kind(name));
	/* the others are those of local.c */
	if (rule < 0)
		return c->options->shared.mode == MODE_CHECK_LOCAL;
	return c->settings.rules >> rule & 1 && !settings_needs_subnet(c, rule);
}

static void settings_put_limit(struct madkit_buf *buf, const struct madkit_rule *rule,
			       const struct madkit_rule_limit *limit)
{
	madkit_buf_printf(buf, "%24s%s %s ", "", rule->name, limit->key);
	if (limit->value == MADKIT_HEALTH_NO_LIMIT)
		madkit_buf_str(buf, settings_none);
	else
		madkit_buf_printf(buf, "%llu%s", (unsigned long long)limit->value, limit->unit);
	madkit_buf_printf(buf, ": %s\n", limit->text);
}

/* Lists the kinds of differences, which are judged as rules are. */
static void settings_list_kinds(struct madkit_buf *buf)
{
	size_t count;
	const struct madkit_difference_kind *kinds = madkit_difference_kinds(&count);

	for (size_t i = 0; i < count; i++)
		madkit_buf_printf(buf, "%-14s %-9sonly with --plan: %s\n%24snext: %s\n", kinds[i].name,
				  check_severity_name(kinds[i].severity), kinds[i].condition, "",
				  kinds[i].next);
}

int settings_list(struct output *out)
{
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);

	for (size_t i = 0; i < count; i++) {
		const struct madkit_rule *r = &rules[i];

		madkit_buf_printf(&out->buf, "%-14s %-9s%s%s\n", r->name, check_severity_name(r->severity),
				  r->standard ? "" : "only by --rules: ", r->condition);
		if (r->registers)
			madkit_buf_printf(&out->buf, "%24sreads registers: not yet tried on hardware\n", "");
		madkit_buf_printf(&out->buf, "%24snext: %s\n", "", r->next);
		for (size_t j = 0; j < r->nlimits; j++)
			settings_put_limit(&out->buf, r, &r->limits[j]);
	}
	settings_list_kinds(&out->buf);
	return output_flush(out);
}
