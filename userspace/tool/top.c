// SPDX-License-Identifier: GPL-2.0
/* top: where steered tasks and their memory are, live. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

/* --- the terminal ------------------------------------------------------------------------ */

static struct termios saved;
static bool raw;

static void leave_screen(void)
{
	if (raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	printf("\033[?7h\033[?25h\033[?1049l");
	fflush(stdout);
}

/* Another screen, without a cursor and without folding of long lines; keys one by one and unseen */
static void enter_screen(void)
{
	struct termios keys;

	raw = !tcgetattr(STDIN_FILENO, &saved);
	if (raw) {
		keys = saved;
		keys.c_lflag &= ~(ICANON | ECHO);
		tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	}
	printf("\033[?1049h\033[?25l\033[?7l");
	atexit(leave_screen);
}

/* Wait for the next frame: false if that shall be none. */
static bool wait_frame(double delay, bool screen)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	char key;

	if (poll(&in, screen && raw ? 1 : 0, delay * 1000) > 0 &&
	    (read(STDIN_FILENO, &key, 1) != 1 || key == 'q'))
		return false;
	return !stopped;
}

/* --- a frame ----------------------------------------------------------------------------- */

static unsigned long long counter(const char *stats, const char *name)
{
	const char *at = strstr(stats, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

struct flow {
	unsigned long long home, away, spilled;
};

static struct flow read_flow(void)
{
	char stats[ROOT_TEXT] = "";

	root_read(stats, SOFTAFF_DEBUGFS "/stats");
	return (struct flow){ counter(stats, "moved_home "), counter(stats, "moved_away "),
			      counter(stats, "lb_spilled ") };
}

/* Those that are away first. */
static void sort_away_first(struct table *tasks)
{
	char **sorted = need(reallocarray(NULL, tasks->nr_rows * tasks->nr_names + 1, sizeof(char *)));
	size_t row, to = 0;
	int home;

	for (home = 0; home <= 1; home++) {
		for (row = 0; row < tasks->nr_rows; row++) {
			if (table_at_home(tasks, row) != home)
				continue;
			memcpy(sorted + to++ * tasks->nr_names, tasks->rows + row * tasks->nr_names,
			       tasks->nr_names * sizeof(char *));
		}
	}
	free(tasks->rows);
	tasks->rows = sorted;
}

/* A line for each node that tasks have been given; returns the number of lines. */
static size_t print_nodes(const struct table *tasks)
{
	struct view view = { .standard = "node,steered,home,away" };
	struct table nodes = {};
	size_t lines;

	table_by_node(tasks, &nodes);
	if (nodes.nr_rows)
		table_print(&nodes, &view);
	lines = nodes.nr_rows ? nodes.nr_rows + 1 : 0;
	table_free(&nodes);
	return lines;
}

static int print_frame(struct flow *last, double seconds, bool screen)
{
	struct view view = { .standard = "pid,comm,node,curnode,cpu,home_pct,reason,memory" };
	struct table tasks = {};
	char state[ROOT_TEXT] = "";
	struct winsize size;
	struct flow flow;
	size_t rows, lines;
	int err = table_tasks(&tasks);
	char clock[16];
	time_t t = time(NULL);

	if (err) {
		table_free(&tasks);
		return err;
	}
	patch_state(state);
	flow = read_flow();
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime(&t));
	if (screen)
		printf("\033[H\033[2J");
	printf("%s patch %s, %zu tasks; in %.1f s %llu came home, %llu left, %llu spilled\n\n",
	       clock, state, tasks.nr_rows, seconds, flow.home - last->home, flow.away - last->away,
	       flow.spilled - last->spilled);
	*last = flow;
	sort_away_first(&tasks);
	lines = 5 + print_nodes(&tasks);
	putchar('\n');
	rows = tasks.nr_rows;
	/* As many tasks as the screen has room for. */
	if (screen && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row &&
	    rows > (size.ws_row > lines ? size.ws_row - lines : 0))
		tasks.nr_rows = size.ws_row > lines ? size.ws_row - lines : 0;
	table_print(&tasks, &view);
	tasks.nr_rows = rows;
	table_free(&tasks);
	fflush(stdout);
	return 0;
}

static int top(int argc, char **argv)
{
	unsigned int delay = 2, count = 0, frame;
	bool screen = isatty(STDOUT_FILENO);
	struct sigaction action = { .sa_handler = on_signal };
	struct flow last;
	int option, err = 0;

	while ((option = next_option(argc, argv)) != -1) {
		switch (option) {
		case 'd':
			delay = parse_count("a number of seconds", optarg, 1, 3600);
			break;
		case 'n':
			count = parse_count("a number of frames", optarg, 1, UINT_MAX);
			break;
		case 'b':
			screen = false;
			break;
		}
	}
	if (argv[optind])
		usage_error("unexpected argument '%s'", argv[optind]);
	if (!root_exists(SOFTAFF_SYSFS))
		return refused(-ENOSYS, "top");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (screen)
		enter_screen();
	last = read_flow();
	for (frame = 0; !err && !stopped; frame++) {
		err = print_frame(&last, frame ? delay : 0, screen);
		if ((count && frame + 1 == count) || err || !wait_frame(delay, screen))
			break;
		if (!screen)
			putchar('\n');
	}
	return err ? refused(err, "top") : EXIT_SUCCESS;
}

static const struct option longs[] = {
	{ "delay", required_argument, NULL, 'd' },
	{ "iterations", required_argument, NULL, 'n' },
	{ "batch", no_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_top = {
	.name = "top",
	.synopsis = "[options]",
	.summary = "Show where steered tasks and their memory are, live; q quits",
	.options = " -d, --delay SECONDS  between two frames; 2 by default\n"
		   " -n, --iterations N   end after so many frames\n"
		   " -b, --batch          plain text, as when the output is no terminal\n",
	.shorts = "d:n:bh",
	.longs = longs,
	.run = top,
};
