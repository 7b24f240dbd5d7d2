/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses fault rules. */
#include <errno.h>
#include <string.h>
#include <madkit/num.h>
#include <madkit/registry.h>
#include "sim/fabric/fault.h"
#include "topology/find.h"
#include "util/array_size.h"

enum { WORD_MAX = 128 };

struct words {
	const struct topology *t;
	struct fault_rule *rule;
	const char *begin; /* start of the text, for positions in errors */
	const char *separators;
	struct madkit_error *error;
};

/* A word, in most cases KEY=VALUE; value is NULL without '='. */
struct word {
	const char *at;
	const char *value;
	char text[WORD_MAX];
};

static int fault_parse_bad(const struct words *w, const struct word *word, int code, const char *what)
{
	return madkit_error_set(w->error, code, (int)(word->at - w->begin), "fault: '%s' %s", word->text,
				what);
}

int fault_millionths(const char *text, size_t len, uint64_t max, uint64_t *value)
{
	const char *point = memchr(text, '.', len);
	size_t whole = point ? (size_t)(point - text) : len;
	size_t digits = point ? len - whole - 1 : 0;
	uint64_t n = 0, part = 0;

	if ((point && (!digits || digits > 6)) || (len > 1 && text[1] == 'x'))
		return -EINVAL;
	if (madkit_parse_number(text, whole, max, "number", &n, NULL))
		return -EINVAL;
	for (size_t i = 0; i < 6; i++) {
		char c = i < digits ? point[1 + i] : '0';

		if (c < '0' || c > '9')
			return -EINVAL;
		part = part * 10 + (uint64_t)(c - '0');
	}
	*value = n * 1000000 + part;
	return 0;
}

static int fault_number(const struct words *w, const struct word *word, size_t len, uint64_t max,
			uint64_t *value)
{
	return madkit_parse_number(word->value, len, max, "number", value, NULL) ?
		       fault_parse_bad(w, word, -EINVAL, "is not a valid number") :
		       0;
}

/* ---- keys -------------------------------------------------------------------------- */

static int fault_parse_node(const struct words *w, const struct word *word)
{
	return find_node(w->t, word->value, &w->rule->node, w->error);
}

static int fault_parse_port(const struct words *w, const struct word *word)
{
	uint64_t n;
	int ret = fault_number(w, word, strlen(word->value), TOPOLOGY_NODE_PORTS_MAX, &n);

	if (!ret)
		w->rule->port = (int)n;
	return ret;
}

static int fault_parse_class(const struct words *w, const struct word *word)
{
	uint8_t id;

	if (madkit_class_find(word->value, &id, NULL))
		return fault_parse_bad(w, word, -ENOENT, "is not a class");
	w->rule->mgmt_class = id;
	return 0;
}

static int fault_parse_attribute(const struct words *w, const struct word *word)
{
	const struct madkit_attribute *known;
	struct madkit_error why = { .text = "" };
	uint64_t n;
	uint16_t id;
	uint8_t id_class;
	int ret;

	/* Without a class, the number is for any class. */
	if (w->rule->mgmt_class < 0 &&
	    !madkit_parse_number(word->value, strlen(word->value), 0xffff, "attribute", &n, NULL)) {
		w->rule->attribute = (int)n;
		return 0;
	}
	ret = madkit_attribute_find(word->value, w->rule->mgmt_class, &id_class, &id, &known, &why);
	if (ret)
		return madkit_error_set(w->error, ret, (int)(word->at - w->begin), "fault: '%s': %s",
					word->text, why.text);
	w->rule->mgmt_class = id_class;
	w->rule->attribute = id;
	return 0;
}

static int fault_parse_method(const struct words *w, const struct word *word)
{
	int of = w->rule->mgmt_class;
	uint8_t id;

	if (madkit_method_find(of < 0 ? 0 : (uint8_t)of, word->value, &id))
		return fault_parse_bad(w, word, -ENOENT, "is not a method");
	w->rule->method = id;
	return 0;
}

static int fault_parse_rate(const struct words *w, const struct word *word)
{
	size_t len = strlen(word->value);
	bool percent = len && word->value[len - 1] == '%';
	uint64_t v;

	if (fault_millionths(word->value, len - percent, 100, &v))
		return fault_parse_bad(w, word, -EINVAL, "is not a rate, such as 0.01 or 1%");
	v = percent ? v / 100 : v;
	if (!v || v > FAULT_RATE_ALL)
		return fault_parse_bad(w, word, -ERANGE, "is not between 0.000001 and 1");
	w->rule->rate = (uint32_t)v;
	return 0;
}

static int fault_parse_nth(const struct words *w, const struct word *word)
{
	const char *plus = strchr(word->value, '+');
	size_t len = plus ? (size_t)(plus - word->value) : strlen(word->value);
	struct word count = *word;
	int ret = fault_number(w, word, len, UINT64_MAX, &w->rule->first);

	if (!ret && !w->rule->first)
		return fault_parse_bad(w, word, -ERANGE, "counts from 1");
	w->rule->count = 1;
	if (ret || !plus)
		return ret;
	w->rule->count = 0;
	if (!plus[1])
		return 0;
	count.value = plus + 1;
	ret = fault_number(w, &count, strlen(plus + 1), UINT64_MAX, &w->rule->count);
	return !ret && !w->rule->count ? fault_parse_bad(w, word, -ERANGE, "is for no packet") : ret;
}

static int fault_parse_delay(const struct words *w, const struct word *word)
{
	if (fault_millionths(word->value, strlen(word->value), FAULT_DELAY_MAX_NS / 1000000,
			     &w->rule->delay_ns))
		return fault_parse_bad(w, word, -EINVAL, "is not a number of milliseconds");
	return w->rule->delay_ns > FAULT_DELAY_MAX_NS ?
		       fault_parse_bad(w, word, -ERANGE, "is more than an hour") :
		       0;
}

/* ---- keys of the action ANSWER ------------------------------------------------------- */

static int fault_parse_attribute_of(const struct words *w, const struct word *word)
{
	const struct madkit_attribute *known;
	struct madkit_error why = { .text = "" };
	uint16_t id;
	uint8_t id_class;
	int ret = madkit_attribute_find(word->value, w->rule->mgmt_class, &id_class, &id, &known, &why);

	if (ret)
		return madkit_error_set(w->error, ret, (int)(word->at - w->begin), "fault: '%s': %s",
					word->text, why.text);
	w->rule->mgmt_class = id_class;
	w->rule->as = id;
	return 0;
}

static int fault_parse_modifier(const struct words *w, const struct word *word)
{
	uint64_t n;
	int ret = fault_number(w, word, strlen(word->value), UINT32_MAX, &n);

	if (!ret)
		w->rule->as_modifier = (int64_t)n;
	return ret;
}

/* Returns true if the attribute of the response selects a port. */
static bool fault_selects_port(const struct fault_rule *r)
{
	const struct madkit_attribute *a = NULL;
	int id = r->as >= 0 ? r->as : r->attribute;

	if (r->mgmt_class >= 0 && id >= 0)
		a = madkit_attribute_get(MADKIT_BASE_VERSION_IB, (uint8_t)r->mgmt_class, (uint16_t)id);
	return a && (madkit_attribute_port(a) == MADKIT_PORT_FIELD || (a->instances && a->instances->ports));
}

static int fault_parse_port_of(const struct words *w, const struct word *word)
{
	uint64_t n;
	int ret = fault_number(w, word, strlen(word->value), TOPOLOGY_NODE_PORTS_MAX, &n);

	if (ret)
		return ret;
	if (!fault_selects_port(w->rule))
		return fault_parse_bad(w, word, -EINVAL, "needs the attribute= of a port");
	w->rule->as_port = (int)n;
	return 0;
}

/* In the order of parsing: attributes and methods depend on the class. */
/* clang-format off */
static const struct {
	const char *key;
	int (*set)(const struct words *w, const struct word *word);
} keys[] = {
	{ "class", fault_parse_class },
	{ "attribute", fault_parse_attribute },
	{ "method", fault_parse_method },
	{ "node", fault_parse_node },
	{ "port", fault_parse_port },
	{ "rate", fault_parse_rate },
	{ "nth", fault_parse_nth },
	{ "delay", fault_parse_delay },
	{ "as", fault_parse_attribute_of },
	{ "as-modifier", fault_parse_modifier },
	{ "as-port", fault_parse_port_of },
};
/* clang-format on */

/* ---- words -------------------------------------------------------------------------- */

/* Gets the next word after *at. Returns false if there is none. */
static bool next_word(const struct words *w, const char **at, struct word *word)
{
	size_t len;
	char *equals;

	*at += strspn(*at, w->separators);
	len = strcspn(*at, w->separators);
	word->at = *at;
	*at += len;
	if (len >= sizeof(word->text))
		len = sizeof(word->text) - 1;
	memcpy(word->text, word->at, len);
	word->text[len] = '\0';
	equals = strchr(word->text, '=');
	word->value = equals ? equals + 1 : NULL;
	return len > 0;
}

static bool fault_has_key(const struct word *word, const char *key)
{
	size_t len = strlen(key);

	return word->value && !strncmp(word->text, key, len) && word->text[len] == '=';
}

static int set_key(const struct words *w, const char *at, size_t key)
{
	struct word word;
	unsigned int seen = 0;

	while (next_word(w, &at, &word)) {
		int ret;

		if (!fault_has_key(&word, keys[key].key))
			continue;
		ret = seen++ ? fault_parse_bad(w, &word, -EINVAL, "is given twice") : keys[key].set(w, &word);
		if (ret)
			return ret;
	}
	return 0;
}

static int fault_parse_known_words(const struct words *w, const char *at)
{
	struct word word;

	while (next_word(w, &at, &word)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(keys) && !fault_has_key(&word, keys[i].key))
			i++;
		if (i == ARRAY_SIZE(keys))
			return fault_parse_bad(
				w, &word, -EINVAL,
				"is not one of node=, port=, class=, method=, attribute=, rate=, nth=, delay=, as=, as-modifier=, as-port=");
		if (at - word.at >= WORD_MAX)
			return fault_parse_bad(w, &word, -EINVAL, "... is too long");
	}
	return 0;
}

static int find_action(const struct words *w, const char **at, struct fault_rule *rule)
{
	struct word word;

	if (!next_word(w, at, &word))
		return madkit_error_set(w->error, -EINVAL, 0, "fault: words are missing");
	for (unsigned int a = 0; a < FAULT_ACTIONS; a++) {
		if (strcmp(word.text, fault_action_name(a)))
			continue;
		rule->action = a;
		return 0;
	}
	return fault_parse_bad(w, &word, -EINVAL,
			       "is not one of drop, delay, duplicate, reorder, corrupt, garble, answer");
}

/* Checks the rule as a whole. */
static int fault_check(const struct words *w, const struct fault_rule *rule, bool rate_given)
{
	bool waits = rule->action == FAULT_DELAY || rule->action == FAULT_REORDER;
	bool answers = rule->as >= 0 || rule->as_modifier >= 0 || rule->as_port >= 0;
	const struct topology_node *n;

	if (waits && !rule->delay_ns)
		return madkit_error_set(w->error, -EINVAL, 0,
					"fault: %s needs a delay=", fault_action_name(rule->action));
	if (!waits && rule->action != FAULT_DUPLICATE && rule->delay_ns)
		return madkit_error_set(w->error, -EINVAL, 0,
					"fault: %s has no delay=", fault_action_name(rule->action));
	if (answers && rule->action != FAULT_ANSWER)
		return madkit_error_set(w->error, -EINVAL, 0,
					"fault: as=, as-modifier= and as-port= are only for answer");
	if (!answers && rule->action == FAULT_ANSWER)
		return madkit_error_set(w->error, -EINVAL, 0,
					"fault: answer needs as=, as-modifier= or as-port=");
	if (rule->first && rate_given)
		return madkit_error_set(w->error, -EINVAL, 0, "fault: rate= or nth=, not both");
	n = rule->node != TOPOLOGY_NONE ? &w->t->nodes[rule->node] : NULL;
	if (n && rule->port > n->nports)
		return madkit_error_set(w->error, -ENOENT, 0, "fault: '%s' has no port %d: it has %u port%s",
					n->name, rule->port, n->nports, n->nports == 1 ? "" : "s");
	return 0;
}

int fault_parse(const struct topology *t, const char *words, struct fault_rule *rule,
		struct madkit_error *error)
{
	const struct words w = { .t = t,
				 .rule = rule,
				 .begin = words,
				 .error = error,
				 .separators = strchr(words, '\n') ? "\n" : " \t" };
	const char *at = words;
	bool rate_given;
	int ret;

	*rule = (struct fault_rule){
		.node = TOPOLOGY_NONE,
		.port = -1,
		.mgmt_class = -1,
		.method = -1,
		.attribute = -1,
		.as_modifier = -1,
		.as = -1,
		.as_port = -1,
	};
	ret = find_action(&w, &at, rule);
	if (!ret)
		ret = fault_parse_known_words(&w, at);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(keys); i++)
		ret = set_key(&w, at, i);
	rate_given = rule->rate;
	if (!rate_given)
		rule->rate = FAULT_RATE_ALL;
	return ret ? ret : fault_check(&w, rule, rate_given);
}
