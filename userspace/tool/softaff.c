// SPDX-License-Identifier: GPL-2.0
/*
 * softaff - NUMA soft affinity of tasks: softaff(1).
 *
 * One command, one entry in the table below and one struct command in a file of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const struct command *const commands[] = {
	&cmd_run, &cmd_set, &cmd_get, &cmd_clear, &cmd_balancing, &cmd_inherit, &cmd_list, &cmd_show,
	&cmd_top, &cmd_suggest, &cmd_apply, &cmd_export, &cmd_status, &cmd_load,
	&cmd_unload,
};

static const struct command *command;	/* the one that runs */

const char *const balancing_words[] = {
	[SOFTAFF_BALANCING_OFF] = "off",
	[SOFTAFF_BALANCING_ON] = "on",
	[SOFTAFF_BALANCING_DEFAULT] = "default",
	NULL
};

const char *const inherit_words[] = {
	[SOFTAFF_INHERIT_DEFAULT] = "default",
	[SOFTAFF_INHERIT_THREADS] = "threads",
	[SOFTAFF_INHERIT_CHILDREN] = "children",
	[SOFTAFF_INHERIT_NONE] = "none",
	NULL
};

static void vcomplain(const char *fmt, va_list args, const char *reason)
{
	fflush(stdout);
	fputs("softaff: ", stderr);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "%s%s\n", reason ? ": " : "", reason ? reason : "");
}

/** complain - print a message: "softaff: what was asked: why not; what to do" */
void complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vcomplain(fmt, args, NULL);
	va_end(args);
}

/**
 * refused - say why something was refused
 * @err: what the library has returned
 * @fmt: what was asked
 *
 * Return: EXIT_FAILURE.
 */
int refused(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vcomplain(fmt, args, softaff_strerror(err));
	va_end(args);
	return EXIT_FAILURE;
}

static void exit_usage(void)
{
	fprintf(stderr, "Try 'softaff%s%s --help' for more information.\n", command ? " " : "",
		command ? command->name : "");
	exit(command && command->usage_status ? command->usage_status : EXIT_USAGE);
}

/** usage_error - the command line is wrong: say why, and exit */
void usage_error(const char *fmt, ...)
{
	char what[64] = "";
	va_list args;

	if (command)
		snprintf(what, sizeof(what), "%s: ", command->name);
	fprintf(stderr, "softaff: %s", what);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit_usage();
	abort();
}

/**
 * next_option - the next option of the command that runs
 * @argc: of the command
 * @argv: of the command
 *
 * Knows --help, and what to say of a wrong option.
 *
 * Return: the option's letter, or -1 at the end.
 */
int next_option(int argc, char **argv)
{
	int option = getopt_long(argc, argv, command->shorts, command->longs, NULL);

	if (option == '?')
		exit_usage();
	if (option != 'h')
		return option;
	printf("Usage:\n softaff %s %s\n\n%s.\n\nOptions:\n%s -h, --help           display this help\n",
	       command->name, command->synopsis, command->summary, command->options);
	if (command == &cmd_list)
		table_help();
	printf("\nFor more details see softaff(1).\n");
	exit(EXIT_SUCCESS);
}

/**
 * find_word - which of some words one is
 * @what: what it stands for, for the message
 * @word: the word
 * @words: NULL-terminated
 *
 * Return: its index; exits if it is none of them.
 */
int find_word(const char *what, const char *word, const char *const *words)
{
	char all[128] = "";
	int i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(word, words[i]))
			return i;
		strcat(strcat(all, i ? ", " : ""), words[i]);
	}
	usage_error("'%s' is not %s; use one of: %s", word, what, all);
}

/** parse_count - a number from @min to @max; exits if it is none */
unsigned int parse_count(const char *what, const char *word, unsigned int min, unsigned int max)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(word, &end, 10);
	if (word[0] < '0' || word[0] > '9' || *end || errno || value < min || value > max)
		usage_error("'%s' is not %s from %u to %u", word, what, min, max);
	return value;
}

/** need - memory that was got, or the end */
void *need(void *memory)
{
	if (!memory) {
		complain("out of memory");
		exit(EXIT_FAILURE);
	}
	return memory;
}

/** text - a formatted text, to be freed */
char *text(const char *fmt, ...)
{
	va_list args;
	char *s;

	va_start(args, fmt);
	if (vasprintf(&s, fmt, args) < 0)
		s = NULL;
	va_end(args);
	return need(s);
}

static int help(void)
{
	size_t i;

	printf("Usage:\n softaff COMMAND [options] [arguments]\n\n"
	       "NUMA soft affinity: tasks stay on their node while it has room.\n\nCommands:\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf(" %-10s  %s\n", commands[i]->name, commands[i]->summary);
	printf("\n -h, --help     display this help; 'softaff COMMAND --help' that of a command\n"
	       " -V, --version  display version\n\nFor more details see softaff(1).\n");
	return EXIT_SUCCESS;
}

/* What was printed must have arrived: a full disk is an error. */
static void close_stdout(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		if (errno == EPIPE)
			return;
		complain("write error: %s", strerror(errno));
		_Exit(EXIT_FAILURE);
	}
}

int main(int argc, char **argv)
{
	size_t i;

	atexit(close_stdout);
	if (argc < 2)
		usage_error("no command given");
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return help();
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version")) {
		printf("softaff %s\n", SOFTAFF_VERSION);
		return EXIT_SUCCESS;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[1], commands[i]->name)) {
			command = commands[i];
			argv[1] = "softaff";	/* getopt's messages begin with it */
			return command->run(argc - 1, argv + 1);
		}
	}
	usage_error("%s: no such command", argv[1]);
}
