/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "input.h"
#include "text_file.h"
#include "wait.h"

int text_line_error(const struct text_line *line, unsigned int column, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return cli_usage_error("%s:%u:%u: %s", line->path, line->number, column, text);
}

struct text_word text_word_next(const struct text_line *line, size_t *at)
{
	struct text_word word;

	while (*at < line->len && (line->text[*at] == ' ' || line->text[*at] == '\t'))
		++*at;
	word = (struct text_word){ .text = line->text + *at, .column = (unsigned int)*at + 1 };
	if (*at < line->len && line->text[*at] == '#') {
		*at = line->len;
		return word;
	}
	if (*at < line->len && line->text[*at] == '"') {
		const char *end = memchr(word.text + 1, '"', line->len - *at - 1);

		if (end) {
			word.text++;
			word.len = (size_t)(end - word.text);
			*at += word.len + 2;
			return word;
		}
	}
	while (*at < line->len && line->text[*at] != ' ' && line->text[*at] != '\t')
		++*at;
	word.len = (size_t)(line->text + *at - word.text);
	return word;
}

static int text_file_too_long(const struct text_line *line)
{
	return text_line_error(line, 1, "the line has more than %d bytes", TEXT_FILE_LINE_MAX);
}

/* Passes on the whole lines that were read; at the end of the file, also the rest. */
static int text_file_pass(struct input *in, struct text_line *line,
			  int (*take)(void *context, const struct text_line *line), void *context)
{
	const char *text, *end;
	int status = EXIT_DONE;

	while (!status && (text = (const char *)input_bytes(in)) && input_have(in) &&
	       ((end = memchr(text, '\n', input_have(in))) || in->eof)) {
		line->text = text;
		line->len = end ? (size_t)(end - text) : input_have(in);
		line->number++;
		in->used += line->len + (end != NULL);
		if (line->len && text[line->len - 1] == '\r')
			line->len--;
		if (line->len > TEXT_FILE_LINE_MAX)
			return text_file_too_long(line);
		end = memchr(line->text, 0, line->len);
		if (end)
			return text_line_error(line, (unsigned int)(end - line->text) + 1,
					       "a byte of value 0");
		status = take(context, line);
	}
	if (!status && input_have(in) > TEXT_FILE_LINE_MAX) {
		line->number++;
		return text_file_too_long(line);
	}
	return status;
}

int text_file_read(const char *path, bool keys, int (*take)(void *context, const struct text_line *line),
		   void *context)
{
	struct text_line line = { .path = path };
	int fd = wait_open(path, O_RDONLY | O_CLOEXEC, 0), ret = fd, status = EXIT_DONE;
	struct input in;

	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", path);
	if (keys)
		input_check_keys(fd, path);
	input_init(&in, fd);
	while (ret >= 0 && !status && !(in.eof && !input_have(&in))) {
		/* reading a file that never ends does not block */
		ret = wait_error();
		if (!ret)
			ret = input_read(&in);
		if (ret >= 0)
			status = text_file_pass(&in, &line, take, context);
	}
	input_close(&in);
	return ret < 0 ? cli_failed(ret, "cannot read '%s'", path) : status;
}
