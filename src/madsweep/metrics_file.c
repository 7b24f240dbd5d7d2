/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <madkit/madkit.h>
#include "cli/create_file.h"
#include "cli/lines.h"
#include "cli/wait.h"
#include "metrics_file.h"
#include "util/array_size.h"

/* The first line, by which the file is known. */
static const char metrics_title[] = "# metrics of madsweep, with the names of infiniband_exporter 2.0.1\n";

/* ---- the earlier run --------------------------------------------------------------------- */

/* The rest of a line. */
struct metrics_line {
	const char *at;
	size_t len;
};

/* Skips a text. Returns false if the line does not continue with it. */
static bool metrics_line_skip(struct metrics_line *line, const char *text)
{
	const size_t len = strlen(text);

	if (line->len < len || memcmp(line->at, text, len) != 0)
		return false;
	line->at += len;
	line->len -= len;
	return true;
}

/* Reads a number up to a quote. */
static bool metrics_line_number(struct metrics_line *line, uint64_t max, uint64_t *number)
{
	const char *end = memchr(line->at, '"', line->len);
	const char *text = line->at;
	const size_t len = end ? (size_t)(end - text) : 0;

	line->at += len;
	line->len -= len;
	return !madkit_parse_number(text, len, max, "number", number, NULL);
}

/* Appends the name up to a quote, without its escapes. */
static bool metrics_line_name(struct metrics_line *line, struct madkit_buf *texts)
{
	while (line->len && *line->at != '"') {
		char c = *line->at;

		if (c == '\\') {
			if (line->len < 2 || !strchr("\\\"n", line->at[1]) || !line->at[1])
				return false;
			c = line->at[1] == 'n' ? '\n' : line->at[1];
			line->at++;
			line->len--;
		}
		madkit_buf_char(texts, c);
		line->at++;
		line->len--;
	}
	return line->len && !texts->error;
}

/* Reads what follows the name of an info metric: {guid="0x1",switch="leaf1",lid="4"} 1 */
static bool metrics_line_device(struct metrics_line line, const char *label, struct metrics_file *f,
				struct metrics_known *k)
{
	uint64_t lid;

	k->name = f->texts.len;
	if (!metrics_line_skip(&line, "{guid=\"") || !metrics_line_number(&line, UINT64_MAX, &k->guid) ||
	    !metrics_line_skip(&line, "\",") || !metrics_line_skip(&line, label) ||
	    !metrics_line_skip(&line, "=\"") || !metrics_line_name(&line, &f->texts))
		return false;
	k->len = f->texts.len - k->name;
	if (!metrics_line_skip(&line, "\",lid=\"") || !metrics_line_number(&line, UINT16_MAX, &lid) ||
	    !metrics_line_skip(&line, "\"} 1\n"))
		return false;
	k->lid = (uint16_t)lid;
	return !line.len;
}

/* Takes a line. Returns 1; 0 if the devices have ended; -EINVAL; or -ENOMEM. */
static int metrics_file_take(struct metrics_file *f, struct metrics_line line)
{
	static const struct {
		const char *name, *label;
		uint8_t type;
	} families[] = { { "infiniband_switch_info", "switch", MADKIT_NODE_TYPE_SWITCH },
			 { "infiniband_hca_info", "hca", MADKIT_NODE_TYPE_CHANNEL_ADAPTER } };

	if (line.len && *line.at == '#')
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		struct metrics_known k = { .type = families[i].type };

		if (!metrics_line_skip(&line, families[i].name))
			continue;
		if (!metrics_line_device(line, families[i].label, f, &k))
			return f->texts.error ? f->texts.error : -EINVAL;
		madkit_buf_add(&f->devices, &k, sizeof(k));
		return f->devices.error ? f->devices.error : 1;
	}
	return 0;
}

static int metrics_known_compare(const void *a, const void *b)
{
	const uint64_t p = ((const struct metrics_known *)a)->guid,
		       q = ((const struct metrics_known *)b)->guid;

	return p < q ? -1 : p > q;
}

/* Reads the lines up to the last device. Returns 0; -EINVAL for the line lines->number; or another error. */
static int metrics_file_parse(struct metrics_file *f, struct lines *lines)
{
	struct metrics_line line;
	int ret = 1;

	while (ret > 0) {
		int got = lines_next(lines, &line.at, &line.len);

		if (got == -EFBIG)
			return -EINVAL;
		if (!got && lines_done(lines))
			return lines->number ? 0 : -ENODATA;
		if (!got)
			ret = lines_fill(lines, -1);
		else if (lines->number == 1)
			ret = line.len == sizeof(metrics_title) - 1 &&
					      !memcmp(line.at, metrics_title, line.len) ?
				      1 :
				      -ENODATA;
		else
			ret = metrics_file_take(f, line);
		if (!got && !ret)
			ret = 1;
	}
	return ret;
}

int metrics_file_read(struct metrics_file *f, const char *path)
{
	struct lines lines;
	struct stat st;
	int fd, ret;

	f->path = path;
	madkit_buf_init(&f->texts, 0);
	madkit_buf_init(&f->devices, 0);
	fd = path ? wait_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) : -ENOENT;
	if (fd == -ENOENT)
		return EXIT_DONE;
	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return cli_insist("--output '%s' is not a regular file", path);
	}
	lines_init(&lines, fd);
	ret = metrics_file_parse(f, &lines);
	f->known = (struct metrics_known *)(void *)f->devices.data;
	f->n = ret ? 0 : f->devices.len / sizeof(*f->known);
	if (ret == -EINVAL)
		cli_say("%s:%" PRIu64 ": not as madsweep wrote it: its names are not used", path,
			lines.number);
	else if (ret == -ENODATA && lines.number)
		cli_say("'%s' was not written by madsweep: its names are not used", path);
	else if (ret < 0 && ret != -ENODATA)
		ret = cli_failed(ret, "cannot read '%s'", path);
	lines_close(&lines);
	if (f->n)
		qsort(f->known, f->n, sizeof(*f->known), metrics_known_compare);
	return ret > 0 ? ret : EXIT_DONE;
}

void metrics_file_free(struct metrics_file *f)
{
	madkit_buf_free(&f->devices);
	madkit_buf_free(&f->texts);
}

struct metrics_known *metrics_file_find(const struct metrics_file *f, uint64_t guid)
{
	const struct metrics_known key = { .guid = guid };

	return f->n ? bsearch(&key, f->known, f->n, sizeof(key), metrics_known_compare) : NULL;
}

/* ---- this run ---------------------------------------------------------------------------- */

/* Writes a part. Returns 0 or -errno. */
static int metrics_file_put(struct madkit_buf *buf, int fd)
{
	int ret = buf->error ? buf->error : wait_write(fd, buf->data, buf->len);

	madkit_buf_reset(buf);
	return ret;
}

int metrics_file_write(const struct metrics_file *f, struct madkit_metrics *metrics,
		       const struct madkit_metrics_run *run, struct output *out)
{
	struct create_temporary new;
	bool more = true;
	int ret = 0;

	if (f->path && create_temporary(&new, f->path))
		return EXIT_LOCAL;
	madkit_buf_str(&out->buf, metrics_title);
	while (more && !ret) {
		more = madkit_metrics_write(metrics, run, &out->buf);
		ret = f->path ? metrics_file_put(&out->buf, new.fd) : output_flush(out);
	}
	return f->path ? create_rename(&new, ret) : ret;
}
