/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "terminal.h"

enum { TERMINAL_LEAST = 80 };

size_t terminal_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= TERMINAL_LEAST ? size.ws_col :
											   TERMINAL_LEAST;
}

/* Checks if a variable is set and not empty. */
static bool terminal_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool terminal_colors(enum cli_color color)
{
	const char *wanted = getenv("CLICOLOR");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	if (terminal_is_set("NO_COLOR"))
		return false;
	if (terminal_is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
		return true;
	return isatty(STDOUT_FILENO) && !(wanted && !strcmp(wanted, "0"));
}

size_t terminal_width(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}
