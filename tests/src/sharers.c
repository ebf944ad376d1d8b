// SPDX-License-Identifier: GPL-2.0
/*
 * sharers MIB NAME...: processes of these names that walk one and the same memory, a memfd.
 *
 *	NAME --.
 *	        memfd		each page touched in turn, without end
 *	NAME --'
 *
 * Prints "NAME=PID" of each and "ready" when the memory is there. SIGHUP to one of them: one
 * thread more that walks. They end with the first process.
 *
 * The kernel scans shared memory only under a policy that asks for it, so it gets one.
 */

#define _GNU_SOURCE
#include <err.h>
#include <numaif.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef MPOL_F_NUMA_BALANCING
#define MPOL_F_NUMA_BALANCING	(1 << 13)
#endif

static volatile char *mem;
static size_t size;

static void *walk(void *arg)
{
	size_t i, page = sysconf(_SC_PAGESIZE);

	(void)arg;
	for (;;)
		for (i = 0; i < size; i += page)
			mem[i]++;
	return NULL;
}

static void serve(const char *name)
{
	pthread_t thread;
	sigset_t hup;
	int sig;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	sigprocmask(SIG_BLOCK, &hup, NULL);
	do {
		if (pthread_create(&thread, NULL, walk, NULL))
			errx(1, "cannot make a thread");
	} while (!sigwait(&hup, &sig));
}

int main(int argc, char **argv)
{
	unsigned long nodes = 3;
	int fd, pid, i;
	size_t at;

	if (argc < 3)
		errx(2, "usage: sharers MIB NAME...");
	size = atol(argv[1]) << 20;
	fd = memfd_create("shared", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, size))
		err(1, "memfd");
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		err(1, "mmap");
	if (mbind((void *)mem, size, MPOL_BIND | MPOL_F_NUMA_BALANCING, &nodes, 8, 0))
		err(1, "mbind");
	for (at = 0; at < size; at += 4096)
		mem[at] = 1;
	for (i = 2; i < argc; i++) {
		pid = fork();
		if (!pid)
			serve(argv[i]);
		printf("%s=%d\n", argv[i], pid);
		fflush(stdout);
	}
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
