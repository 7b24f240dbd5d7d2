/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* FNM_CASEFOLD */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "cli/lines.h"
#include "cli/text_file.h"
#include "cli/wait.h"
#include "plan.h"

enum { PLAN_KINDS_MAX = 32, PLAN_NAME_MAX = 256 };

/* A node of a subnet. */
struct plan_origin {
	const struct check_net *net;
	uint32_t node;
};

struct plan {
	const struct madcheck_options *options;
	struct madkit_cabling *before, *after;
	struct madkit_comparison *comparison;
	struct plan_origin *origins;     /* of the nodes of after */
	struct madkit_problem *problems; /* the differences in their order */
	size_t nproblems;
	struct madkit_rule rules[PLAN_KINDS_MAX]; /* of the kinds */
	struct madkit_plan *reader;
};

uint8_t plan_kind(const char *name)
{
	size_t count;
	const struct madkit_difference_kind *kinds = madkit_difference_kinds(&count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(kinds[i].name, name))
			return (uint8_t)(i + 1);
	return 0;
}

bool plan_judges(const struct check *c, uint8_t kind)
{
	return c->plan && (kind != MADKIT_DIFFERENCE_LID || c->options->lids);
}

/* ---- --names ------------------------------------------------------------------------------- */

/* Copies a word. Returns NULL if the line has none, or if it is too long. */
static const char *plan_copy_word(struct text_word word, char text[PLAN_NAME_MAX])
{
	if (!word.len || word.len >= PLAN_NAME_MAX)
		return NULL;
	memcpy(text, word.text, word.len);
	text[word.len] = 0;
	return text;
}

/* Divides "NODE/PORT"; a node without a port stays. "*" is the same node. */
static int plan_split_place(const struct text_line *line, struct text_word word, char *place,
			    const char **node)
{
	char *slash = strrchr(place, '/');
	uint64_t port;

	*node = place;
	if (!slash || madkit_parse_number(slash + 1, strlen(slash + 1), UINT8_MAX - 1, "port", &port, NULL) ||
	    !port)
		return -text_line_error(line, word.column, "'%.40s' is not NODE/PORT", place);
	*slash = 0;
	if (!strcmp(place, "*"))
		*node = NULL;
	return (int)port;
}

/* Takes a line "NAME NODE" or "NAME PORT NODE/PORT". */
static int plan_take_name(void *context, const struct text_line *line)
{
	struct plan *plan = context;
	size_t at = 0;
	const struct text_word first = text_word_next(line, &at), second = text_word_next(line, &at),
			       third = text_word_next(line, &at), rest = text_word_next(line, &at);
	char texts[3][PLAN_NAME_MAX];
	const char *name = plan_copy_word(first, texts[0]), *to = plan_copy_word(second, texts[1]);
	const bool port = third.len;
	int number = -1, ret;

	if (!first.len)
		return EXIT_DONE;
	if (!name || !to || (port && !plan_copy_word(third, texts[2])) || rest.len)
		return cli_usage_error_in(
			"madkit-plan(7)", "%s:%u:%u: expected NAME NODE or NAME PORT NODE/PORT%s", line->path,
			line->number, first.column,
			memchr(line->text, ',', line->len) ? ", with blanks in place of commas" : "");
	if (port) {
		number = plan_split_place(line, third, texts[2], &to);
		if (number < 0)
			return -number;
	}
	ret = madkit_plan_rename(plan->reader, name, port ? texts[1] : NULL, to, number);
	if (ret == -EEXIST)
		return text_line_error(line, first.column, "'%.40s' is in the file twice", name);
	return ret ? cli_no_memory() : EXIT_DONE;
}

/* ---- --plan -------------------------------------------------------------------------------- */

static const char plan_names_hint[] =
	"hint: --names FILE says which node a name of the plan means (see madkit-plan(7))";

static int plan_malformed(const struct plan *plan, int ret, const struct madkit_error *error)
{
	if (ret == -ENOMEM)
		return cli_no_memory();
	cli_insist("%s: %s", plan->options->plan, error->text);
	if (ret == -ENOENT)
		cli_insist("%s", plan_names_hint);
	if (ret == -ENOTSUP)
		cli_insist("hint: CSV: node,port,node,port or NODE/PORT,NODE/PORT; "
			   "header: start device,start port,end device,end port");
	return EXIT_MALFORMED;
}

/* Passes the lines that have been read. Returns EXIT_DONE, or another exit status after a report. */
static int plan_pass(struct plan *plan, struct lines *lines)
{
	struct madkit_error error = { .text = "" };
	const char *line;
	size_t len;
	int ret;

	while ((ret = lines_next(lines, &line, &len)) > 0) {
		ret = madkit_plan_line(plan->reader, line, len, &error);
		if (ret)
			return plan_malformed(plan, ret, &error);
	}
	if (!ret)
		return EXIT_DONE;
	cli_insist("%s: line %llu is too long", plan->options->plan, (unsigned long long)lines->number);
	return EXIT_MALFORMED;
}

static int plan_read_lines(struct plan *plan)
{
	const char *path = plan->options->plan;
	const bool input = !strcmp(path, "-");
	const int fd = input ? 0 : wait_open(path, O_RDONLY | O_CLOEXEC, 0);
	struct lines lines;
	int ret = fd < 0 ? fd : 0, status = EXIT_DONE;

	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", path);
	lines_init(&lines, fd);
	while (!ret && !status && !lines_done(&lines)) {
		ret = wait_error();
		if (!ret)
			ret = lines_fill(&lines, -1);
		if (!ret)
			status = plan_pass(plan, &lines);
	}
	lines_close(&lines);
	return ret ? cli_failed(ret, "cannot read '%s'", path) : status;
}

static void plan_make_rules(struct plan *plan)
{
	size_t count;
	const struct madkit_difference_kind *kinds = madkit_difference_kinds(&count);

	for (size_t i = 0; i < count && i < PLAN_KINDS_MAX; i++)
		plan->rules[i] = (struct madkit_rule){
			.name = kinds[i].name,
			.severity = kinds[i].severity,
			.condition = kinds[i].condition,
			.next = kinds[i].next,
		};
}

int plan_read(const struct madcheck_options *o, struct plan **result)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct madkit_error error = { .text = "" };
	int status = EXIT_DONE, ret;

	*result = plan;
	if (!plan || madkit_plan_new(&plan->reader))
		return cli_no_memory();
	plan->options = o;
	plan_make_rules(plan);
	if (o->names)
		status = text_file_read(o->names, false, plan_take_name, plan);
	if (!status)
		status = plan_read_lines(plan);
	if (status)
		return status;
	ret = madkit_plan_end(plan->reader, &plan->before, &error);
	madkit_plan_free(plan->reader);
	plan->reader = NULL;
	return ret ? plan_malformed(plan, ret, &error) : EXIT_DONE;
}

void plan_release(struct plan *plan)
{
	if (!plan)
		return;
	madkit_comparison_free(plan->comparison);
	madkit_cabling_free(plan->before);
	madkit_cabling_free(plan->after);
	madkit_plan_free(plan->reader);
	free(plan->origins);
	free(plan->problems);
	free(plan);
}

bool plan_has_link(void *context, uint64_t guid, unsigned int port)
{
	const struct plan *plan = context;

	return madkit_cabling_has_link(plan->before, guid, port);
}

/* ---- comparison ---------------------------------------------------------------------------- */

/* Copies the next glob of a list that is separated by commas. Returns false at its end, and for one that is too long. */
static bool plan_next_glob(const char **list, char glob[PLAN_NAME_MAX])
{
	size_t len;

	*list += strspn(*list, ",");
	len = strcspn(*list, ",");
	if (!len || len >= PLAN_NAME_MAX)
		return false;
	memcpy(glob, *list, len);
	glob[len] = 0;
	*list += len;
	return true;
}

static bool plan_fits(const char *glob, const struct madkit_cabling_node *node)
{
	return !fnmatch(glob, node->name, FNM_CASEFOLD | FNM_NOESCAPE) ||
	       !fnmatch(glob, node->label, FNM_CASEFOLD | FNM_NOESCAPE);
}

/* --scope: globs for the name of a node. */
static bool plan_in_scope(void *context, const struct madkit_cabling_node *node)
{
	const struct plan *plan = context;
	const char *list = plan->options->scope;
	char glob[PLAN_NAME_MAX];

	while (plan_next_glob(&list, glob))
		if (plan_fits(glob, node))
			return true;
	return false;
}

static bool plan_has_fit(const char *glob, const struct madkit_cabling *cabling)
{
	for (uint32_t i = 0; i < madkit_cabling_count(cabling); i++)
		if (plan_fits(glob, madkit_cabling_node(cabling, i)))
			return true;
	return false;
}

/* Checks that each glob of --scope has a node: with a mistyped one, nothing would differ. */
static int plan_check_scope(const struct plan *plan)
{
	const char *list = plan->options->scope;
	char glob[PLAN_NAME_MAX];

	while (plan_next_glob(&list, glob))
		if (!plan_has_fit(glob, plan->before) && !plan_has_fit(glob, plan->after))
			return cli_usage_error("--scope '%.80s' matches no node of the plan or the subnet",
					       glob);
	if (*list)
		return cli_usage_error("--scope '%.40s...' is too long", list);
	return EXIT_DONE;
}

/* Adds a subnet to the cabling, and notes where its nodes are. */
static int plan_add_net(struct plan *plan, const struct check_net *n)
{
	const uint32_t total = n->net.counts.nodes, before = madkit_cabling_count(plan->after);
	uint32_t *nodes = calloc(total + 1, sizeof(*nodes)), count;
	struct plan_origin *origins;
	int ret = nodes ? madkit_cabling_add_sweep(plan->after, n->net.sweep, nodes) : -ENOMEM;

	count = madkit_cabling_count(plan->after);
	origins = ret ? NULL : calloc(count + 1, sizeof(*origins));
	if (origins) {
		if (before)
			memcpy(origins, plan->origins, before * sizeof(*origins));
		free(plan->origins);
		plan->origins = origins;
		for (uint32_t i = 0; i < total; i++)
			if (nodes[i] >= before)
				origins[nodes[i]] = (struct plan_origin){ n, i };
	}
	free(nodes);
	return ret ? ret : origins ? 0 : -ENOMEM;
}

static struct madkit_health_place plan_place(const struct plan *plan, struct madkit_cabling_end at)
{
	if (at.node == MADKIT_CABLING_NONE)
		return (struct madkit_health_place){ MADKIT_SWEEP_NONE, -1 };
	return (struct madkit_health_place){ plan->origins[at.node].node, at.port };
}

/* Returns a number that differences with the same text have, and no problem of the rules. */
static uint32_t plan_kin(const struct madkit_difference *d)
{
	uint32_t hash = d->kind;

	for (const char *p = d->text; *p; p++)
		hash = hash * 31 + (unsigned char)*p;
	return hash | UINT32_C(1) << 31;
}

/* Makes a problem of each difference. */
static int plan_list(struct plan *plan)
{
	const struct madkit_difference *d;
	size_t n = 0;

	while (madkit_comparison_difference(plan->comparison, n))
		n++;
	plan->problems = calloc(n + 1, sizeof(*plan->problems));
	if (!plan->problems)
		return cli_no_memory();
	for (; (d = madkit_comparison_difference(plan->comparison, plan->nproblems)); plan->nproblems++)
		plan->problems[plan->nproblems] = (struct madkit_problem){
			.rule = &plan->rules[d->kind - 1],
			.severity = d->severity,
			.ends = { plan_place(plan, d->ends[0]), plan_place(plan, d->ends[1]) },
			.kin = plan_kin(d),
			.types = strstr(d->place, " <-> ") ? "link" :
				 strchr(d->place, '/')     ? "port" :
							     "node",
			.key = d->key,
			.place = d->place,
			.value = d->after,
			.limit = d->before,
			.text = d->text,
		};
	return EXIT_DONE;
}

/* Checks if a subnet was not read at all: all its nodes would be gone. */
static bool plan_is_blind(const struct check *c)
{
	const uint32_t blind = MADKIT_SWEEP_NO_START | MADKIT_SWEEP_NO_LINK | MADKIT_SWEEP_BAD_START;

	for (size_t i = 0; i < c->nnets; i++)
		if (!c->nets[i].skipped && (!c->nets[i].net.sweep || c->nets[i].net.counts.missing & blind))
			return true;
	return false;
}

/* Reports names that no node has: other nodes at their positions count as replaced. */
static void plan_report_names(const struct plan *plan)
{
	struct madkit_comparison_counts counts;

	madkit_comparison_count(plan->comparison, &counts);
	if (!counts.names)
		return;
	cli_say("%u name%s of the plan %s not in the subnet, such as '%.40s'", (unsigned int)counts.names,
		counts.names == 1 ? "" : "s", counts.names == 1 ? "is" : "are", counts.name);
	cli_say("%s", plan_names_hint);
}

int plan_compare(struct plan *plan, const struct check *c)
{
	const struct madkit_compare_options options = {
		.lids = plan->options->lids,
		.scope = plan->options->scope ? plan_in_scope : NULL,
		.context = plan,
	};
	struct madkit_error error = { .text = "" };
	int ret = madkit_cabling_new(&plan->after);

	if (!ret && plan_is_blind(c)) {
		cli_say("the plan is not compared: a subnet was not read");
		return EXIT_DONE;
	}
	for (size_t i = 0; i < c->nnets && !ret; i++)
		if (c->nets[i].net.sweep && !c->nets[i].skipped)
			ret = plan_add_net(plan, &c->nets[i]);
	if (!ret && !madkit_cabling_count(plan->after))
		return EXIT_DONE;
	if (!ret)
		ret = madkit_compare(plan->before, plan->after, &options, &plan->comparison, &error);
	if (ret)
		return plan_malformed(plan, ret, &error);
	/* the node may be in a part of the subnet that was not read */
	if (plan->options->scope && !c->cut && plan_check_scope(plan))
		return EXIT_USAGE;
	plan_report_names(plan);
	return plan_list(plan);
}

bool plan_problem(const struct plan *plan, size_t i, struct check_problem *problem)
{
	const struct madkit_difference *d;

	if (!plan || i >= plan->nproblems)
		return false;
	d = madkit_comparison_difference(plan->comparison, i);
	*problem = (struct check_problem){
		.problem = &plan->problems[i],
		/* of a node that is gone: any subnet */
		.net = plan->origins[d->ends[0].node != MADKIT_CABLING_NONE ? d->ends[0].node : 0].net,
		.kind = d->kind,
		.event = MADKIT_PROBLEM_EVENT_OPEN,
	};
	return true;
}

bool plan_count(const struct plan *plan, struct madkit_comparison_counts *counts)
{
	if (!plan || !plan->comparison)
		return false;
	madkit_comparison_count(plan->comparison, counts);
	return true;
}
