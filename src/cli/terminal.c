/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "terminal.h"
#include "wait.h"

enum { TERMINAL_COLUMNS = 80 }; /* if it does not report its own */

static size_t terminal_columns(void)
{
	const char *wanted = getenv("COLUMNS");
	struct winsize size;
	char *end;

	if (wanted && *wanted) {
		const unsigned long columns = strtoul(wanted, &end, 10);

		if (!*end && columns && columns <= UINT16_MAX)
			return columns;
	}
	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : TERMINAL_COLUMNS;
}

/* Checks if the locale of the environment has another codeset than UTF-8. The locale is not set: LC_CTYPE also affects how
 * names are compared. */
static bool terminal_is_ascii(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool ascii;

	/* a locale that is not installed: unknown */
	if (!locale)
		return false;
	ascii = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") != 0;
	freelocale(locale);
	return ascii;
}

/* Checks if a variable is set and not empty. */
static bool terminal_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static bool terminal_colors(enum cli_color color, bool terminal)
{
	const char *wanted = getenv("CLICOLOR");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	if (terminal_is_set("NO_COLOR"))
		return false;
	if (terminal_is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
		return true;
	return terminal && !(wanted && !strcmp(wanted, "0"));
}

struct madkit_terminal terminal_get(enum cli_color color)
{
	const bool terminal = isatty(STDOUT_FILENO);

	return (struct madkit_terminal){
		.columns = terminal ? terminal_columns() : 0,
		.color = terminal_colors(color, terminal),
		.ascii = terminal && terminal_is_ascii(),
	};
}

void terminal_put(struct madkit_buf *buf, const char *text, enum madkit_color color,
		  const struct madkit_terminal *terminal)
{
	madkit_buf_str(buf, color ? madkit_color(terminal, color) : "");
	madkit_buf_str(buf, text);
	madkit_buf_str(buf, color ? madkit_color(terminal, MADKIT_COLOR_NONE) : "");
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
	while (n && strchr("\r\n", text[n - 1]))
		n--;
	return (n == 1 && !strncasecmp(text, "y", 1)) || (n == 3 && !strncasecmp(text, "yes", 3)) ?
		       EXIT_DONE :
		       EXIT_NOTHING;
}
