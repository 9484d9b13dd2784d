/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tools/top.h"

#define ENTER "\033[?1049h\033[?25l" /* the other screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"

static struct termios before;
static volatile sig_atomic_t over;
static volatile sig_atomic_t resized;

static void end(int number)
{
	(void)number;
	over = 1;
}

static void resize(int number)
{
	(void)number;
	resized = 1;
}

static void say(const char *text)
{
	size_t len = strlen(text);

	while (len) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
}

static void raw(void)
{
	struct termios t = before;

	t.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG | IEXTEN);
	t.c_iflag &= (tcflag_t) ~(IXON | ICRNL);
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
	say(ENTER);
}

int top_terminal_begin(void)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGHUP };
	const char *term = getenv("TERM");
	struct sigaction ending = { .sa_handler = end }, sizing = { .sa_handler = resize };
	sigset_t set;

	if (!term || !*term || !strcmp(term, "dumb") || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before))
		return -1;
	/* They come while we wait, and at no other time. */
	sigemptyset(&set);
	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		sigaddset(&set, ends[i]);
		sigaction(ends[i], &ending, NULL);
	}
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGWINCH, &sizing, NULL);
	raw();
	return 0;
}

void top_terminal_end(void)
{
	say(LEAVE);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

void top_terminal_suspend(void)
{
	top_terminal_end();
	raise(SIGTSTP);
	raw();
}

void top_terminal_size(unsigned int *rows, unsigned int *columns)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col) {
		size.ws_row = 24;
		size.ws_col = 80;
	}
	*rows = size.ws_row;
	*columns = size.ws_col;
}

bool top_terminal_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

struct sequence {
	const char *text;
	enum top_key key;
};

static const struct sequence sequences[] = {
	{ "\033[A", TOP_UP }, { "\033OA", TOP_UP }, { "\033[B", TOP_DOWN }, { "\033OB", TOP_DOWN },
	{ "\033[5~", TOP_PAGE_UP }, { "\033[6~", TOP_PAGE_DOWN },
	{ "\033[H", TOP_HOME }, { "\033OH", TOP_HOME }, { "\033[1~", TOP_HOME },
	{ "\033[F", TOP_END }, { "\033OF", TOP_END }, { "\033[4~", TOP_END },
	{ "\033OP", TOP_HELP }, { "\033[11~", TOP_HELP }, { "\033[[A", TOP_HELP }, { "\033[21~", TOP_QUIT },
	{ "q", TOP_QUIT }, { "Q", TOP_QUIT }, { "\003", TOP_QUIT }, { "\032", TOP_SUSPEND }, { "\014", TOP_REDRAW },
	{ "h", TOP_HELP }, { "?", TOP_HELP }, { "k", TOP_UP }, { "j", TOP_DOWN }, { "+", TOP_SLOWER },
	{ "-", TOP_FASTER }, { "Z", TOP_PAUSE }, { " ", TOP_PAUSE }, { "a", TOP_ALL },
};

static enum top_key key_of(const char *text)
{
	for (unsigned int i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (!strncmp(text, sequences[i].text, strlen(sequences[i].text)))
			return sequences[i].key;
	return TOP_OTHER;
}

enum top_key top_terminal_wait(int timeout_ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	const struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	char text[16] = "";
	sigset_t none;
	int ready;

	sigemptyset(&none);
	ready = over ? 0 : ppoll(&p, 1, &timeout, &none);
	if (over)
		return TOP_QUIT;
	if (resized) {
		resized = 0;
		return TOP_REDRAW;
	}
	if (ready <= 0)
		return TOP_NONE;
	/* A terminal that has gone */
	if (read(STDIN_FILENO, text, sizeof(text) - 1) <= 0)
		return TOP_QUIT;
	return key_of(text);
}
