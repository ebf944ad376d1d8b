// SPDX-License-Identifier: GPL-2.0
/*
 * callprctl: call prctl as an application would, several times in one process.
 *
 *	callprctl node set 0 1 , node get 0 , 103 0 0 0 '&'
 *
 * "node set PID NODE", "node get PID", "balancing disable|enable|default" and "balancing get" are
 * the calls that the headers of applications document; anything else is five numbers. "&" stands
 * for the address of an int that holds 77, "&+1" for one in its midst, "&bad" for one that is not
 * there. -o NUMBER and -b NUMBER are the options' numbers where they are not the usual ones.
 *
 * Prints, with commas between the calls, the result or the error's name, and what the int holds if
 * it was asked for.
 */

#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <softaff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static unsigned long node_option = PR_PREFERRED_NID;
static unsigned long balancing_option = PR_NUMA_BALANCING;
static int value;
static int asked;

static unsigned long number(const char *word)
{
	if (*word == '&')
		asked = 1;
	if (!strcmp(word, "&"))
		return (unsigned long)&value;
	if (!strcmp(word, "&+1"))
		return (unsigned long)&value + 1;
	if (!strcmp(word, "&bad"))
		return 4096;
	return strtol(word, NULL, 0);
}

static unsigned long mode(const char *word)
{
	if (!strcmp(word, "disable"))
		return PR_SET_NUMA_BALANCING_DISABLED;
	if (!strcmp(word, "enable"))
		return PR_SET_NUMA_BALANCING_ENABLED;
	if (!strcmp(word, "default"))
		return PR_SET_NUMA_BALANCING_DEFAULT;
	errx(2, "no such mode: %s", word);
}

static void call(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int err;

	value = 77;
	asked = 0;
	if (!strcmp(argv[0], "node") && !strcmp(what, "set") && argc == 4) {
		err = prctl(node_option, PR_PREFERRED_NID_SET, atoi(argv[2]), atoi(argv[3]), 0);
	} else if (!strcmp(argv[0], "node") && !strcmp(what, "get") && argc == 3) {
		asked = 1;
		err = prctl(node_option, PR_PREFERRED_NID_GET, atoi(argv[2]), 0, &value);
	} else if (!strcmp(argv[0], "balancing") && !strcmp(what, "get") && argc == 2) {
		asked = 1;
		err = prctl(balancing_option, PR_GET_NUMA_BALANCING, &value, 0, 0);
	} else if (!strcmp(argv[0], "balancing") && argc == 2) {
		err = prctl(balancing_option, mode(what), 0, 0, 0);
	} else if (argc == 5) {
		err = prctl(number(argv[0]), number(argv[1]), number(argv[2]), number(argv[3]),
			    number(argv[4]));
	} else {
		errx(2, "'%s' with %d words", argv[0], argc);
	}
	if (err < 0)
		printf("%s", strerrorname_np(errno));
	else
		printf("%d", err);
	if (asked)
		printf(" %d", value);
}

int main(int argc, char **argv)
{
	const char *comma = "";
	int c, i, first;

	while ((c = getopt(argc, argv, "+o:b:")) != -1) {
		switch (c) {
		case 'o': node_option = atol(optarg); break;
		case 'b': balancing_option = atol(optarg); break;
		default: return 2;
		}
	}
	for (i = first = optind; i <= argc; i++) {
		if (i < argc && strcmp(argv[i], ","))
			continue;
		if (i > first) {
			printf("%s", comma);
			call(i - first, argv + first);
			comma = ", ";
		}
		first = i + 1;
	}
	putchar('\n');
	return 0;
}
