// SPDX-License-Identifier: GPL-2.0
/*
 * births [ROUNDS]: a process that makes threads without pause, told its node as a whole again and
 * again. Is any of its threads left behind?
 *
 *	the process:	thread --makes--> thread --makes--> thread ...	each ends after 20 ms
 *	this one:	process_node 0, look at all threads, process_node 1, look ...
 *
 * A thread that is there before the look at softaff's table and after it has to be in the table
 * with the node. Prints
 *
 *	rounds=N refused=N left=N unlisted=N seen=N born=N meanwhile=N
 *
 * the rounds, the writes that failed, the threads left behind, those that have the node by softaff's
 * file for one task but are missing in the table, those looked at in all rounds, the threads born in
 * all, and of those the ones born during the writes.
 *
 * births -b: only make them, threads and child processes, until the end.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CHAINS		2
#define MAX_ALIVE	40
#define MAX_CHILDREN	150
#define MAX_TIDS	1024

struct counts {
	atomic_long born;
	atomic_int alive;		/* threads */
	atomic_int children;
};

static struct counts *counts;

static void *live(void *arg);

static void make_one(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 64 << 10);
	counts->alive++;
	if (pthread_create(&thread, &attr, live, NULL))
		errx(1, "cannot make a thread");
	counts->born++;
}

static void *live(void *arg)
{
	(void)arg;
	while (counts->alive > MAX_ALIVE)
		usleep(200);
	make_one();
	usleep(20000);
	counts->alive--;
	return NULL;
}

static void make_child(void)
{
	if (counts->children >= MAX_CHILDREN) {
		usleep(200);
		return;
	}
	counts->children++;
	if (fork())
		return;
	usleep(300000);
	counts->children--;
	_exit(0);
}

static void breed(bool children)
{
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < CHAINS; i++)
		make_one();
	for (;;)
		if (children)
			make_child();
		else
			pause();
}

static int read_tids(const char *path, int *tids)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int n = 0;

	if (!dir)
		err(1, "%s", path);
	while ((entry = readdir(dir)) && n < MAX_TIDS)
		if (*entry->d_name != '.')
			tids[n++] = atoi(entry->d_name);
	closedir(dir);
	return n;
}

/* The table's first three columns are pid, tgid and node. Sets nodes of the tids; -2 is absent. */
static void read_table(const int *tids, int *nodes, int n)
{
	FILE *file = fopen("/sys/kernel/debug/softaff/tasks", "r");
	char *line = NULL;
	size_t size = 0;
	int pid, node, i;

	if (!file)
		err(1, "the table of tasks");
	for (i = 0; i < n; i++)
		nodes[i] = -2;
	while (getline(&line, &size, file) > 0) {
		if (sscanf(line, "%d %*d %d", &pid, &node) != 2)
			continue;
		for (i = 0; i < n; i++)
			if (tids[i] == pid)
				nodes[i] = node;
	}
	free(line);
	fclose(file);
}

/* The same of one task, by its own file. */
static int read_one(int tid)
{
	int file = open("/sys/kernel/debug/softaff/task", O_RDWR | O_CLOEXEC);
	char buf[1024], *line;
	int n, node = -2;

	n = snprintf(buf, sizeof(buf), "%d", tid);
	if (write(file, buf, n) == n) {
		n = read(file, buf, sizeof(buf) - 1);
		buf[n > 0 ? n : 0] = 0;
		line = strchr(buf, '\n');
		if (line)
			sscanf(line, "%*d %*d %d", &node);
	}
	close(file);
	return node;
}

/*
 * Is the thread on its way out, or gone? It is listed until it is reaped, which takes a while after
 * its state has gone. PF_EXITING in the ninth field of stat tells.
 */
static bool exiting(int pid, int tid)
{
	char path[64], buf[512], *s;
	unsigned int flags;
	ssize_t n = -1;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		n = read(file, buf, sizeof(buf) - 1);
		close(file);
	}
	if (n <= 0)
		return true;
	buf[n] = 0;
	s = strrchr(buf, ')');
	return !s || sscanf(s + 2, "%*c %*d %*d %*d %*d %*d %u", &flags) != 1 || flags & 0x4;
}

/*
 * Has the thread begun? It is listed a moment before the kernel tells of its birth, which is when it
 * inherits. The third number of schedstat counts the times that it ran.
 */
static bool begun(int pid, int tid)
{
	unsigned long times = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*u %*u %lu", &times) != 1)
		times = 0;
	fclose(file);
	return times;
}

int main(int argc, char **argv)
{
	int before[MAX_TIDS], after[MAX_TIDS], nodes[MAX_TIDS];
	bool old[MAX_TIDS];
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	bool only = argc > 1 && !strcmp(argv[1], "-b");
	int round, file, pid, n, m, i, j;
	long refused = 0, left = 0, unlisted = 0, seen = 0, meanwhile = 0, born;
	char path[64], word[64];

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (counts == MAP_FAILED)
		err(1, "mmap");
	if (only)
		breed(true);
	file = open("/sys/kernel/softaff/process_node", O_WRONLY | O_CLOEXEC);
	if (file < 0)
		err(1, "process_node");
	pid = fork();
	if (!pid)
		breed(false);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	usleep(200000);
	for (round = 0; round < rounds; round++) {
		n = snprintf(word, sizeof(word), "%d %d", pid, round % 2);
		born = counts->born;
		if (write(file, word, n) != n) {
			if (!refused++)
				warn("round %d, '%s'", round, word);
			continue;
		}
		meanwhile += counts->born - born;
		n = read_tids(path, before);
		for (i = 0; i < n; i++)
			old[i] = begun(pid, before[i]);
		read_table(before, nodes, n);
		m = read_tids(path, after);
		for (i = 0; i < n; i++) {
			for (j = 0; j < m && after[j] != before[i]; j++)
				;
			if (j == m)
				continue;
			seen++;
			if (nodes[i] == round % 2)
				continue;
			if (nodes[i] == -2) {
				/* Had it begun by the time the table was read, it would be there. */
				if (!old[i])
					continue;
				if (read_one(before[i]) == round % 2) {
					unlisted++;
					continue;
				}
			}
			if (exiting(pid, before[i]))
				continue;
			if (!left++)
				warnx("round %d: thread %d has node %d", round, before[i], nodes[i]);
		}
	}
	printf("rounds=%d refused=%ld left=%ld unlisted=%ld seen=%ld born=%ld meanwhile=%ld\n",
	       rounds, refused, left, unlisted, seen, counts->born, meanwhile);
	kill(pid, SIGKILL);
	return 0;
}
