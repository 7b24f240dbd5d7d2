/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madkit/buf.h>
#include <madkit/num.h>
#include "sim/generate.h"
#include "transport/sim_spec.h"

enum { SEED_DEFAULT = 1 };

static const char prefix[] = "sim:";

/* ---- options ---------------------------------------------------------------------- */

static int set_seed(struct sim_spec *s, char *value, struct madkit_error *error)
{
	return madkit_parse_number(value, strlen(value), UINT64_MAX, "seed", &s->seed, error) ?
	       -EINVAL : 0;
}

static int set_clock(struct sim_spec *s, char *value, struct madkit_error *error)
{
	s->real = !strcmp(value, "real");
	return s->real || !strcmp(value, "virtual") ? 0 :
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
		return madkit_error_set(error, -EINVAL, -1, "more than %d faults",
					SIM_SPEC_FAULTS);
	s->faults[s->nfaults++] = value;
	return 0;
}

static const struct {
	const char *key;	/* and what stands before it */
	int (*set)(struct sim_spec *s, char *value, struct madkit_error *error);
} options[] = {
	{ ",seed=", set_seed },
	{ ",clock=", set_clock },
	{ ",sm=", set_sm },
	{ ",fault=", set_fault },
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

/* The first of them in text, or NULL: names of files and nodes may have commas, too. */
static char *next_option(char *text, unsigned int *which)
{
	for (char *comma = text; (comma = strchr(comma, ',')); comma++)
		for (unsigned int i = 0; i < OPTIONS; i++)
			if (!strncmp(comma, options[i].key, strlen(options[i].key))) {
				*which = i;
				return comma;
			}
	return NULL;
}

static int take_options(struct sim_spec *s, struct madkit_error *error)
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

int sim_spec_parse(const char *spec, struct sim_spec *s, struct madkit_error *error)
{
	char *at;
	int ret;

	*s = (struct sim_spec) { .seed = SEED_DEFAULT };
	if (strncmp(spec, prefix, sizeof(prefix) - 1))
		return madkit_error_set(error, -EINVAL, 0, "device '%.80s' is not sim:TOPOLOGY",
					spec);
	s->text = strdup(spec + sizeof(prefix) - 1);
	if (!s->text)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	ret = take_options(s, error);
	if (ret) {
		sim_spec_free(s);
		return ret;
	}
	s->topology = s->text;
	at = strrchr(s->text, '@');
	/* in the name of a folder it is none of ours */
	if (at && !strchr(at, '/')) {
		*at = '\0';
		s->node = at + 1;
	}
	if (*s->topology)
		return 0;
	sim_spec_free(s);
	return madkit_error_set(error, -EINVAL, 4, "device '%.80s': the topology is missing", spec);
}

void sim_spec_free(struct sim_spec *s)
{
	free(s->text);
	s->text = NULL;
}

/* ---- topologies ------------------------------------------------------------------- */

static int read_all(int fd, struct madkit_buf *buf)
{
	enum { PIECE = 65536 };

	for (;;) {
		char *room = madkit_buf_room(buf, PIECE);
		ssize_t n;

		if (!room)
			return buf->error;
		n = read(fd, room, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		buf->len += (size_t)n;
	}
}

static int read_file(const char *name, struct topology **topology, struct madkit_error *error)
{
	struct madkit_error inside = { .text = "" };
	struct madkit_buf buf;
	int fd = open(name, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0) {
		ret = -errno;
		return madkit_error_set(error, ret == -ENOENT || ret == -EACCES ? ret : -EIO, -1,
					"cannot open the topology '%.120s': %s", name,
					strerror(-ret));
	}
	madkit_buf_init(&buf, TOPOLOGY_BYTES_MAX);
	ret = read_all(fd, &buf);
	close(fd);
	if (ret) {
		ret = madkit_error_set(error, ret == -ENOMEM ? ret : -EIO, -1,
				       "cannot read the topology '%.120s': %s", name,
				       ret == -EFBIG ? "it has more than 256 MiB" : strerror(-ret));
	} else {
		ret = topology_read(buf.data ? buf.data : "", buf.len, topology, &inside);
		if (ret)
			ret = madkit_error_set(error, ret == -ENOMEM ? ret : -EBADMSG,
					       inside.position, "%.100s: %s", name, inside.text);
	}
	madkit_buf_free(&buf);
	return ret;
}

int sim_topology(const char *name, struct topology **topology, struct madkit_error *error)
{
	int ret;

	if (!topology_is_rule(name))
		return read_file(name, topology, error);
	ret = topology_generate(name, topology, error);
	return !ret || ret == -ENOMEM ? ret : -EINVAL;
}
