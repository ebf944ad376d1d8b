// SPDX-License-Identifier: GPL-2.0
/*
 * pingpong CPU SECONDS: a server that sleeps until its client wakes it, and answers. The client is
 * bound to CPU. They begin at SIGUSR1, so that the server can be told a node before.
 *
 *	server ready
 *	woken=1234 node0=0 node1=1234     wakeups of the server, and on which node it then ran
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void client(int cpu, int ask, int answer)
{
	cpu_set_t set;
	char c = 0;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "sched_setaffinity");
	while (write(ask, &c, 1) == 1 && read(answer, &c, 1) == 1)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long woken = 0, on[2] = { 0 };
	int ask[2], answer[2], sig;
	sigset_t begin;
	struct timespec ts;
	unsigned int node;
	time_t end;
	pid_t pid;
	char c;

	if (argc != 3)
		errx(2, "usage: pingpong CPU SECONDS");
	sigemptyset(&begin);
	sigaddset(&begin, SIGUSR1);
	sigprocmask(SIG_BLOCK, &begin, NULL);
	puts("server ready");
	fflush(stdout);
	if (sigwait(&begin, &sig) || pipe(ask) || pipe(answer))
		err(1, "pipe");
	pid = fork();
	if (!pid)
		client(atoi(argv[1]), ask[1], answer[0]);
	if (pid < 0)
		err(1, "fork");
	clock_gettime(CLOCK_MONOTONIC, &ts);
	end = ts.tv_sec + atoi(argv[2]);
	do {
		if (read(ask[0], &c, 1) != 1)
			err(1, "read");
		if (getcpu(NULL, &node))
			err(1, "getcpu");
		on[node & 1]++;
		woken++;
		if (write(answer[1], &c, 1) != 1)
			err(1, "write");
		clock_gettime(CLOCK_MONOTONIC, &ts);
	} while (ts.tv_sec < end);
	kill(pid, SIGKILL);
	printf("woken=%lu node0=%lu node1=%lu\n", woken, on[0], on[1]);
	return 0;
}
