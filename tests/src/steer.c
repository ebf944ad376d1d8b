// SPDX-License-Identifier: GPL-2.0
/*
 * steer: tell tasks their node and see, without a shell's delay, where they are.
 *
 * Each WORD is written to the file as it is, all at the same instant by a thread each. Where a word
 * begins with a pid and a node, the task's place is read as soon as the write has returned. A line
 * a word:
 *
 *	errno=0 us=812 from=1 was=0 cpu=2 on=1 state=R [home_ms=2] [woke_on=1]
 *
 * errno is the name of the error, or 0; us the length of the write and from the writer's CPU; was
 * the task's node before, cpu and on where it was when the write returned. home_ms counts from the
 * start of the write (or from the kill) until the task was seen on its node, woke_on is the node
 * that a sleeper ran on next. "never" stands for what did not happen in the time watched. With
 * several words a last line says when each task had a CPU of its node to itself: apart_ms=3.
 *
 * With -i, arguments are read from standard input, a line a run, with tabs between them; each run's
 * output ends with an empty line. Status otherwise: 0, or 1 if a write failed.
 */

#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <numa.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORDS	64

struct place {
	int cpu, node;
	char state;
};

struct telling {
	const char *word;
	int pid, node;			/* pid 0: not a word that names a task */
	int stat, schedstat, file;

	struct place was, is;
	long turns;			/* times on a CPU, before the write */
	int from;			/* the writer's CPU */
	int error;
	double us, home_ms;
	int woke_on;
};

static struct telling tellings[MAX_WORDS];
static int count;
static pthread_barrier_t together;
static double start;

struct options {
	const char *path;
	char *victims;
	int from, silent, watch_ms, asleep;
};

static const struct options defaults = {
	.path = "/sys/kernel/softaff/preferred_node",
	.from = -1,
};
static struct options opt;

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int open_proc(int pid, const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "/proc/%d/%s", pid, name);
	return open(file, O_RDONLY | O_CLOEXEC);
}

/* Field 39 of stat is the CPU; the second may hold anything, so count from its end. */
static struct place look(struct telling *t)
{
	struct place p = { -1, -1, '-' };
	char buf[1024], *s;
	ssize_t n;
	int field;

	n = pread(t->stat, buf, sizeof(buf) - 1, 0);
	if (n <= 0)
		return p;
	buf[n] = 0;
	s = strrchr(buf, ')');
	if (!s)
		return p;
	p.state = s[2];
	for (field = 2; s && field < 39; field++)
		s = strchr(s + 1, ' ');
	if (s) {
		p.cpu = atoi(s);
		p.node = numa_node_of_cpu(p.cpu);
	}
	return p;
}

static long turns(struct telling *t)
{
	char buf[128];
	long n = -1;
	ssize_t len = pread(t->schedstat, buf, sizeof(buf) - 1, 0);

	if (len > 0) {
		buf[len] = 0;
		sscanf(buf, "%*s %*s %ld", &n);
	}
	return n;
}

static void *tell(void *arg)
{
	struct telling *t = arg;
	size_t len = strlen(t->word);
	double begin;

	t->was = look(t);
	t->turns = turns(t);
	pthread_barrier_wait(&together);
	t->from = sched_getcpu();
	begin = now_us();
	if (t->file >= 0 && write(t->file, t->word, len) != (ssize_t)len)
		t->error = errno;
	t->us = now_us() - begin;
	t->is = look(t);
	return NULL;
}

/* Watch until every task has been seen at home (and has woken, if asked), and all are apart. */
static double watch(void)
{
	double apart = -1, ms;
	int i, j, open, crowded;

	for (;;) {
		ms = (now_us() - start) / 1e3;
		open = crowded = 0;
		for (i = 0; i < count; i++) {
			struct telling *t = &tellings[i];
			struct place p = look(t);

			if (opt.asleep && t->woke_on < 0 && turns(t) > t->turns)
				t->woke_on = look(t).node;
			if (t->home_ms < 0 && p.node == t->node)
				t->home_ms = ms;
			crowded |= p.node != t->node;
			for (j = 0; j < i; j++)
				crowded |= tellings[j].is.cpu == p.cpu;
			open |= t->home_ms < 0 || (opt.asleep && t->woke_on < 0);
			t->is = p;
		}
		if (apart < 0 && !crowded)
			apart = ms;
		if (ms > opt.watch_ms || (!open && (apart >= 0 || opt.asleep)))
			return apart;
		usleep(500);
	}
}

static void print_ms(const char *name, double ms)
{
	if (ms < 0)
		printf(" %s=never", name);
	else
		printf(" %s=%.0f", name, ms);
}

static void kill_victims(void)
{
	char *pid;

	for (pid = strtok(opt.victims, " "); pid; pid = strtok(NULL, " "))
		kill(atoi(pid), SIGKILL);
}

static void read_options(int argc, char **argv)
{
	int c;

	opt = defaults;
	optind = 0;
	while ((c = getopt(argc, argv, "+c:f:k:nw:z")) != -1) {
		switch (c) {
		case 'c': opt.from = atoi(optarg); break;
		case 'f': opt.path = optarg; break;
		case 'k': opt.victims = optarg; break;
		case 'n': opt.silent = 1; break;
		case 'w': opt.watch_ms = atoi(optarg); break;
		case 'z': opt.asleep = 1; break;
		default:
			fprintf(stderr, "usage: steer -i | [-nz] [-c CPU] [-f FILE] [-k PIDS]"
				" [-w MS] WORD...\n"
				"  -i  take arguments from standard input\n"
				"  -c  do it all on this CPU\n"
				"  -f  write here (%s)\n"
				"  -k  kill these first\n"
				"  -n  write nothing, only look\n"
				"  -w  watch up to so many ms until the tasks are at home\n"
				"  -z  and until each has run once more, where it was asleep\n",
				opt.path);
			exit(2);
		}
	}
	count = argc - optind;
	if (count < 1 || count > MAX_WORDS)
		errx(2, "1 to %d words", MAX_WORDS);
}

static void run_on(int cpu)
{
	cpu_set_t set;
	int c;

	CPU_ZERO(&set);
	for (c = 0; c < CPU_SETSIZE; c++)
		if (cpu < 0 || c == cpu)
			CPU_SET(c, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static void prepare(struct telling *t, const char *word)
{
	memset(t, 0, sizeof(*t));
	t->word = word;
	t->home_ms = t->woke_on = -1;
	t->file = t->stat = t->schedstat = -1;
	if (sscanf(word, "%d%*[ /]%d", &t->pid, &t->node) == 2 && t->pid > 0) {
		t->stat = open_proc(t->pid, "stat");
		t->schedstat = open_proc(t->pid, "schedstat");
	} else {
		t->pid = 0;
	}
	if (!opt.silent) {
		t->file = open(opt.path, O_WRONLY | O_CLOEXEC);
		if (t->file < 0)
			t->error = errno;
	}
}

static void finish(struct telling *t)
{
	close(t->file);
	close(t->stat);
	close(t->schedstat);
}

static void print(const struct telling *t, const struct place *p)
{
	printf("errno=%s us=%.0f from=%d", t->error ? strerrorname_np(t->error) : "0",
	       t->us, t->from);
	if (t->pid)
		printf(" was=%d cpu=%d on=%d state=%c", t->was.node, p->cpu, p->node, p->state);
	if (opt.watch_ms)
		print_ms("home_ms", t->home_ms);
	if (opt.asleep && t->woke_on < 0)
		printf(" woke_on=never");
	else if (opt.asleep)
		printf(" woke_on=%d", t->woke_on);
	putchar('\n');
}

static int run(int argc, char **argv)
{
	pthread_t threads[MAX_WORDS];
	struct place at_return[MAX_WORDS];
	double apart = -1;
	int i, failed = 0;

	read_options(argc, argv);
	run_on(opt.from);
	pthread_barrier_init(&together, NULL, count + 1);
	for (i = 0; i < count; i++) {
		prepare(&tellings[i], argv[optind + i]);
		if (pthread_create(&threads[i], NULL, tell, &tellings[i]))
			errx(1, "cannot make a thread");
	}
	start = now_us();
	if (opt.victims)
		kill_victims();
	pthread_barrier_wait(&together);
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < count; i++)
		at_return[i] = tellings[i].is;
	if (opt.watch_ms)
		apart = watch();

	for (i = 0; i < count; i++) {
		failed |= tellings[i].error;
		print(&tellings[i], &at_return[i]);
		finish(&tellings[i]);
	}
	if (opt.watch_ms && count > 1) {
		print_ms("apart_ms", apart);
		putchar('\n');
	}
	pthread_barrier_destroy(&together);
	return !!failed;
}

static void serve(char *name)
{
	char *argv[MAX_WORDS + 16], *line = NULL;
	size_t size = 0;
	int argc;

	while (getline(&line, &size, stdin) > 0) {
		argv[0] = name;
		argc = 1;
		for (argv[1] = strtok(line, "\t\n"); argc < MAX_WORDS + 15 && argv[argc];)
			argv[++argc] = strtok(NULL, "\t\n");
		run(argc, argv);
		putchar('\n');
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-i"))
		serve(argv[0]);
	else
		return run(argc, argv);
}
