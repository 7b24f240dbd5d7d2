/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <madkit/buf.h>
#include <madkit/num.h>
#include "sim/simulation.h"
#include "sim/transport/spec.h"
#include "topology/generate.h"
#include "transport/limit.h"
#include "util/array_size.h"
#include "util/time.h"

enum { SEED_DEFAULT = 1 };

static const char prefix[] = "sim:";

/* ---- options ---------------------------------------------------------------------- */

static int set_seed(struct sim_spec *s, char *value, struct madkit_error *error)
{
	return madkit_parse_number(value, strlen(value), UINT64_MAX, "seed", &s->seed, error) ? -EINVAL : 0;
}

static int set_clock(struct sim_spec *s, char *value, struct madkit_error *error)
{
	s->real = !strcmp(value, "real");
	return s->real || !strcmp(value, "virtual") ?
		       0 :
		       madkit_error_set(error, -EINVAL, -1, "clock '%.40s' is not real or virtual", value);
}

static int set_sm(struct sim_spec *s, char *value, struct madkit_error *error)
{
	(void)error;
	s->no_sm = !strcmp(value, "none");
	s->sm = s->no_sm ? NULL : value;
	return 0;
}

static int set_fault(struct sim_spec *s, char *value, struct madkit_error *error)
{
	if (s->nfaults == SIM_SPEC_FAULTS)
		return madkit_error_set(error, -EINVAL, -1, "more than %d faults", SIM_SPEC_FAULTS);
	s->faults[s->nfaults++] = value;
	return 0;
}

static int set_control(struct sim_spec *s, char *value, struct madkit_error *error)
{
	if (s->ncontrols == SIM_SPEC_CONTROLS)
		return madkit_error_set(error, -EINVAL, -1, "more than %d times control=", SIM_SPEC_CONTROLS);
	s->controls[s->ncontrols++] = value;
	return 0;
}

static int set_vl15(struct sim_spec *s, char *value, struct madkit_error *error)
{
	return fabric_vl15_parse(value, &s->vl15, error);
}

static int set_training(struct sim_spec *s, char *value, struct madkit_error *error)
{
	uint64_t ms;

	if (madkit_parse_number(value, strlen(value), FABRIC_TRAINING_MS_MAX, "training", &ms, error))
		return -EINVAL;
	s->training_ns = ms * NS_PER_MS;
	return 0;
}

static int set_sweep(struct sim_spec *s, char *value, struct madkit_error *error)
{
	uint64_t seconds;

	if (madkit_parse_number(value, strlen(value), SM_SWEEP_S_MAX, "sweep", &seconds, error))
		return -EINVAL;
	s->sweep_ns = seconds * NS_PER_S;
	s->have_sweep = true;
	return 0;
}

static const struct {
	const char *key; /* with the comma before it */
	int (*set)(struct sim_spec *s, char *value, struct madkit_error *error);
} options[] = {
	{ ",seed=", set_seed },         { ",clock=", set_clock },     { ",sm=", set_sm },
	{ ",fault=", set_fault },       { ",control=", set_control }, { ",vl15=", set_vl15 },
	{ ",training=", set_training }, { ",sweep=", set_sweep },
};

/* Returns the first known option in text, or NULL. Names of files and nodes may also contain commas. */
static char *next_option(char *text, unsigned int *which)
{
	for (char *comma = text; (comma = strchr(comma, ',')); comma++)
		for (unsigned int i = 0; i < ARRAY_SIZE(options); i++)
			if (!strncmp(comma, options[i].key, strlen(options[i].key))) {
				*which = i;
				return comma;
			}
	return NULL;
}

static int spec_take_options(struct sim_spec *s, struct madkit_error *error)
{
	unsigned int which = 0, following = 0;
	char *at = next_option(s->text, &which), *next;
	int ret = 0;

	for (; at && !ret; at = next, which = following) {
		char *value = at + strlen(options[which].key);

		next = next_option(value, &following);
		*at = '\0';
		if (next)
			*next = '\0';
		ret = options[which].set(s, value, error);
	}
	return ret;
}

/* Returns the last ",WORD=" in text, and sets *len to the length of WORD; NULL: there is none. */
static const char *spec_last_option(const char *text, size_t *len)
{
	const char *found = NULL;

	for (const char *comma = text; (comma = strchr(comma, ',')); comma++) {
		size_t n = strspn(comma + 1, "abcdefghijklmnopqrstuvwxyz0123456789_-");

		if (n && comma[1 + n] == '=') {
			found = comma;
			*len = n;
		}
	}
	return found;
}

int sim_spec_unknown_option(const char *text, bool (*is_whole)(const char *text, const void *context),
			    const void *context, struct madkit_error *error)
{
	char list[120], *before;
	size_t len = 0, used = 0;
	const char *option = spec_last_option(text, &len);
	bool whole;

	if (!option)
		return 0;
	before = strndup(text, (size_t)(option - text));
	whole = before && is_whole(before, context);
	free(before);
	if (!whole)
		return 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(options) && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.*s", i ? ", " : "",
					 (int)strlen(options[i].key) - 2, options[i].key + 1);
	return madkit_error_set(error, -EINVAL, -1, "unknown option '%.*s': sim:TOPOLOGY has %s",
				len > 40 ? 40 : (int)len, option + 1, list);
}

/* ---- PATH@NODE -------------------------------------------------------------------- */

static bool spec_split_names_file(const char *path, mode_t type)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	return type ? (st.st_mode & S_IFMT) == type : !S_ISDIR(st.st_mode);
}

int sim_spec_split(const char *text, mode_t type, size_t *len, struct madkit_error *error)
{
	char *path = strdup(text), *at = path ? path + strlen(path) : NULL;
	const char *last = strrchr(text, '@');
	size_t found = SIZE_MAX;
	int ret = 0;

	if (!path)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	for (; at && !ret; at = strrchr(path, '@')) {
		size_t n = (size_t)(at - path);

		*at = '\0';
		if (!spec_split_names_file(path, type))
			continue;
		if (found != SIZE_MAX)
			ret = madkit_error_set(error, -EINVAL, -1,
					       "'%.80s': both '%.*s' and '%.80s' exist; rename one", text,
					       found > 80 ? 80 : (int)found, text, path);
		found = n;
	}
	free(path);
	if (found == SIZE_MAX)
		found = last && !strchr(last, '/') ? (size_t)(last - text) : strlen(text);
	*len = found;
	return ret;
}

/* A rule contains no "@". */
static int spec_split_topology(struct sim_spec *s, struct madkit_error *error)
{
	size_t len = strcspn(s->text, "@");
	int ret = topology_is_rule(s->text) ? 0 : sim_spec_split(s->text, 0, &len, error);

	s->topology = s->text;
	if (!ret && s->text[len]) {
		s->text[len] = '\0';
		s->node = s->text + len + 1;
	}
	return ret;
}

int sim_spec_parse(const char *spec, struct sim_spec *s, struct madkit_error *error)
{
	int ret;

	*s = (struct sim_spec){ .seed = SEED_DEFAULT };
	if (strncmp(spec, prefix, sizeof(prefix) - 1))
		return madkit_error_set(error, -EINVAL, 0, "device '%.80s' is not sim:TOPOLOGY", spec);
	s->text = strdup(spec + sizeof(prefix) - 1);
	if (!s->text)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	ret = spec_take_options(s, error);
	if (!ret)
		ret = spec_split_topology(s, error);
	if (!ret && !*s->topology)
		ret = madkit_error_set(error, -EINVAL, 4, "device '%.80s': the topology is missing", spec);
	if (ret)
		sim_spec_free(s);
	return ret;
}

void sim_spec_free(struct sim_spec *s)
{
	free(s->text);
	s->text = NULL;
}

/* ---- topologies ------------------------------------------------------------------- */

static int topology_error(const char *name, int ret, struct madkit_error *error)
{
	static const int own[] = { -ENOENT, -EACCES, -ENOMEM, -EINTR, -ETIMEDOUT };
	int code = -EIO;

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (ret == own[i])
			code = ret;
	return madkit_error_set(error, code, -1, "cannot read the topology '%.120s': %s", name,
				ret == -EFBIG     ? "it has more than 256 MiB" :
				ret == -ETIMEDOUT ? "nothing was written to it in time" :
						    strerror(-ret));
}

static bool spec_is_file(const char *text, const void *context)
{
	(void)context;
	return spec_split_names_file(text, 0);
}

static bool spec_is_rule(const char *text, const void *context)
{
	(void)context;
	return topology_is_rule(text);
}

static int sim_spec_read_file(const char *name, const struct madkit_limit *limit, struct topology **topology,
			      struct madkit_error *error)
{
	struct madkit_error inside = { .text = "" };
	struct madkit_buf buf;
	int ret;

	madkit_buf_init(&buf, TOPOLOGY_BYTES_MAX);
	ret = limit_read_file(limit, name, &buf);
	if (ret == -ENOENT && sim_spec_unknown_option(name, spec_is_file, NULL, error)) {
		ret = -EINVAL;
	} else if (ret) {
		ret = topology_error(name, ret, error);
	} else {
		ret = topology_read(buf.data ? buf.data : "", buf.len, topology, &inside);
		if (ret)
			ret = madkit_error_set(error, ret == -ENOMEM ? ret : -EBADMSG, inside.position,
					       "%.100s: %s", name, inside.text);
	}
	madkit_buf_free(&buf);
	return ret;
}

int sim_topology(const char *name, const struct madkit_limit *limit, struct topology **topology,
		 struct madkit_error *error)
{
	int ret;

	if (!topology_is_rule(name))
		return sim_spec_read_file(name, limit, topology, error);
	ret = topology_generate(name, topology, error);
	if (ret)
		sim_spec_unknown_option(name, spec_is_rule, NULL, error);
	return !ret || ret == -ENOMEM ? ret : -EINVAL;
}
