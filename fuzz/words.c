/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words of madsend's command line, one per line: options, METHOD, ATTRIBUTE and Field=value. A refusal ends
 * with status 1 or 2; a request has the length that its parts add up to. Each word is also passed to the
 * suggestions.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include "fuzz/file.h"
#include "cli/config_file.h"
#include "cli/options.h"
#include "madsend/madsend_options.h"
#include "request/request_args.h"
#include "cli/suggest.h"

#define WORDS_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_config_file_read(const char *path, struct cli_options *options, struct madkit_error *error);
int __wrap_cli_prompt_key(const char *what, uint64_t *key, struct madkit_error *error);
void __wrap_cli_begin(const char *name);

/* No file, no terminal, no signals. */
int __wrap_config_file_read(const char *path, struct cli_options *options, struct madkit_error *error)
{
	(void)path;
	(void)options;
	return madkit_error_set(error, -ENOENT, -1, "no file");
}

int __wrap_cli_prompt_key(const char *what, uint64_t *key, struct madkit_error *error)
{
	*key = 0;
	return madkit_error_set(error, -EINVAL, -1, "no terminal for %s", what);
}

void __wrap_cli_begin(const char *name)
{
	(void)name;
}

static void suggest(const char *word)
{
	char buf[SUGGESTION_MAX];
	const struct madkit_attribute *a = madkit_attribute_get(MADKIT_BASE_VERSION_IB, 0x81, 0x15);

	suggest_attribute(word, -1, buf);
	suggest_method(word, MADKIT_CLASS_SA, buf);
	suggest_field(word, a->layout, buf);
	suggest_record(word, a, buf);
	is_attribute_name(word);
}

static void fuzz_words_build(const struct cli_options *o, const struct cli_words *w)
{
	struct request r;
	int status = request_build(o, w->words, w->nwords, &r);
	volatile uint8_t sum = 0;

	if (status != EXIT_DONE && status != EXIT_LOCAL && status != EXIT_USAGE)
		fuzz_die("not an exit status");
	for (size_t i = 0; !status && i < r.len; i++)
		sum = (uint8_t)(sum + r.mad[i]);
	if (!status &&
	    (r.len < madkit_mad_bytes(r.header.base_version) || r.data_offset + r.data_len > r.len))
		fuzz_die("a request of another length");
	request_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const synopsis[] = { "WORD..", NULL };
	const struct cli_usage usage = {
		.program = "madsend",
		.synopsis = synopsis,
		.text = "\n",
		.options = &program_options,
	};
	char *argv[WORDS_MAX + 2] = { (char *)"words" }, *text, *end;
	struct cli_words words = { .nwords = 0 };
	struct madsend_options o = { .batch = NULL };
	int argc = 1, status = EXIT_DONE;

	fuzz_quiet();
	text = malloc(size + 1);
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	/* no files of this machine; --help and --version write to standard output */
	if (strstr(text, "@/") || strstr(text, "@.") || strstr(text, "-h") || strstr(text, "-V") ||
	    strstr(text, "--v"))
		goto out;
	for (char *p = text; argc <= WORDS_MAX && p; p = end) {
		end = strchr(p, '\n');
		if (end)
			*end++ = 0;
		argv[argc++] = p;
	}
	/* one of them: each is compared with every name of the tables */
	suggest(argv[1 + size % (size_t)(argc - 1)]);
	optind = 0;
	if (!cli_parse(&usage, argc, argv, &o.shared, &words, &status)) {
		fuzz_words_build(&o.shared, &words);
	} else if (status != EXIT_USAGE && status != EXIT_LOCAL && status != EXIT_DONE) {
		fuzz_die("not an exit status");
	}
	free(words.words);
out:
	free(text);
	return 0;
}
