// SPDX-License-Identifier: GPL-2.0
/*
 * crowd SLEEPERS RUNNERS: that many threads, all told node 1. What stdin asks for is done to them:
 *
 *	set		one by one, a thousand sleepers lose their node and get it again, between two marks
 *	read		the table of tasks is read, between two marks
 *	run SECONDS	let the runners run, between two marks
 *
 * Each answers with a line.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mark.h"

#define STACK	4096
#define SETS	1000

static pid_t *tids;
static volatile int running;

static int sleeper(void *unused)
{
	for (;;)
		pause();
	return 0;
}

static int runner(void *unused)
{
	for (;;) {
		while (!running)
			usleep(10000);
		for (volatile int i = 0; i < 100000; i++)
			;
	}
	return 0;
}

static void tell(int fd, pid_t tid, const char *node)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "%d %s\n", tid, node);

	if (write(fd, line, len) != len)
		err(1, "preferred_node: %d %s", tid, node);
}

static void do_set(int nr)
{
	int fd = open("/sys/kernel/softaff/preferred_node", O_WRONLY), i;

	mark(MARK_BEGIN);
	for (i = 0; i < SETS && i < nr; i++) {
		tell(fd, tids[(long)i * nr / SETS % nr], "none");
		tell(fd, tids[(long)i * nr / SETS % nr], "1");
	}
	mark(MARK_END);
	close(fd);
	printf("%d settings\n", 2 * i);
}

static void do_read(void)
{
	static char buf[1 << 16];
	int fd = open("/sys/kernel/debug/softaff/tasks", O_RDONLY);
	long lines = 0;
	ssize_t len, i;

	mark(MARK_BEGIN);
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		for (i = 0; i < len; i += 512)
			lines += buf[i] != 0;
	mark(MARK_END);
	close(fd);
	printf("%ld blocks\n", lines);
}

int main(int argc, char **argv)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	int sleepers, all, i, fd;
	char word[16], *stacks;

	if (argc != 3)
		errx(2, "usage: crowd SLEEPERS RUNNERS");
	sleepers = atoi(argv[1]);
	all = sleepers + atoi(argv[2]);
	tids = calloc(all + 1, sizeof(*tids));
	stacks = mmap(NULL, (size_t)(all + 1) * STACK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!tids || stacks == MAP_FAILED)
		err(1, "memory");
	for (i = 0; i < all; i++) {
		tids[i] = clone(i < sleepers ? sleeper : runner, stacks + (size_t)(i + 1) * STACK, flags, NULL);
		if (tids[i] < 0)
			err(1, "thread %d", i);
	}
	fd = open("/sys/kernel/softaff/preferred_node", O_WRONLY);
	for (i = 0; i < all; i++)
		tell(fd, tids[i], "1");
	close(fd);
	printf("ready\n");
	fflush(stdout);
	while (scanf("%15s", word) == 1) {
		if (!strcmp(word, "set")) {
			do_set(sleepers);
		} else if (!strcmp(word, "read")) {
			do_read();
		} else if (!strcmp(word, "run") && scanf("%d", &i) == 1) {
			mark(MARK_BEGIN);
			running = 1;
			sleep(i);
			running = 0;
			mark(MARK_END);
			printf("ran\n");
		}
		fflush(stdout);
	}
	syscall(SYS_exit_group, 0);
}
