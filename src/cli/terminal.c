/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "terminal.h"
#include "wait.h"

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

int terminal_confirm(const char *question)
{
	int fd = wait_open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY, 0);
	char text[64];
	ssize_t n;

	if (fd < 0 && cli_stopped())
		return cli_stopped_status();
	if (fd < 0)
		return cli_usage_error("cannot ask for confirmation without a terminal; use --yes");
	n = wait_write(fd, question, strlen(question));
	if (!n)
		n = wait_read(fd, text, sizeof(text));
	close(fd);
	if (cli_stopped())
		return cli_stopped_status();
	if (n < 0)
		return cli_failed((int)n, "no answer");
	return n && (text[0] == 'y' || text[0] == 'Y') ? EXIT_DONE : EXIT_NOTHING;
}
