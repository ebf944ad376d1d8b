// SPDX-License-Identifier: GPL-2.0
/*
 * prctlfuzz: hostile calls of softaff's interfaces, while children come and go.
 *
 *	prctlfuzz SECONDS SEED VICTIM			the prctls, as whoever runs it
 *	prctlfuzz -w SECONDS SEED VICTIM GROUP		writes to /sys/kernel/softaff, as root
 *
 * Arguments are drawn from those that are likely to be mishandled. Every second prctl is aimed at
 * VICTIM, a task of somebody else. The writer names it never, and of cgroups only GROUP, that is made
 * and removed meanwhile. Prints what came back, by errno:
 *
 *	calls=91822 told=0 done=1533 EPERM=... EINVAL=...
 *
 * done counts the calls that succeeded, told those of them that set or read VICTIM.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <softaff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN 6

static unsigned int seed;
static int victim;
static pid_t child[CHILDREN];
static long calls, told, count[200];	/* by errno, 0: done */

static unsigned int any(unsigned int n)
{
	return rand_r(&seed) % n;
}

#define ONE_OF(list) ((list)[any(sizeof(list) / sizeof(*(list)))])

/* A child lives for up to 4 ms, with a thread of its own, and tells itself a node as it ends. */
static void *thread(void *arg)
{
	prctl(PR_PREFERRED_NID, PR_PREFERRED_NID_SET, 0, 0, 0);
	return arg;
}

static void replace_child(void)
{
	pid_t *one = &child[any(CHILDREN)];
	unsigned int us = any(4000);
	pthread_t id;

	if (*one) {
		if (any(2))
			kill(*one, SIGKILL);
		waitpid(*one, NULL, 0);
	}
	*one = fork();
	if (*one < 0)
		err(2, "fork");
	if (*one)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_create(&id, NULL, thread, NULL);
	usleep(us);
	prctl(PR_PREFERRED_NID, PR_PREFERRED_NID_SET, 0, 1, 0);
	_exit(0);
}

static void counted(long result)
{
	int error = result < 0 ? errno : 0;

	calls++;
	count[error < 200 ? error : 199]++;
}

/* --- the prctls */

static unsigned long any_place(char *page)
{
	/* the last int of a page, one that reaches out of it, a page that may only be read, none */
	const unsigned long places[] = {
		(unsigned long)page + 4092, (unsigned long)page + 4094, (unsigned long)page + 1,
		(unsigned long)page + 4096, (unsigned long)page + 8192, 0, 4, ULONG_MAX, ULONG_MAX - 3,
		0xffff888000000000, 0xffffffff81000000, 0x00007ffffffffffc, 0x0000800000000000,
	};

	return ONE_OF(places);
}

static void call(char *page)
{
	static const unsigned long commands[] = { 0, 0, 1, 1, 1, 1, 2, 3, 4, INT_MAX, ULONG_MAX, 1ul << 32 };
	static const long nodes[] = { 0, 1, 0, 1, -1, -2, 2, 63, 64, 1023, 1024, 65535, 65536, 32768, INT_MAX,
		INT_MIN, 1l << 32, LONG_MIN };
	const long pids[] = { victim, 0, child[any(CHILDREN)], getpid(), getppid(), 1, 2, -1, INT_MAX, INT_MIN,
		LONG_MIN, 1l << 32, 4194304, 4194305, child[any(CHILDREN)] | 1l << 40 };
	unsigned long command = ONE_OF(commands);
	long pid = any(2) ? victim : ONE_OF(pids), node = ONE_OF(nodes);
	long result;

	if (any(4)) {
		result = prctl(PR_PREFERRED_NID, command, pid, node, any_place(page));
		told += !result && (int)pid == victim;
	} else {
		result = prctl(PR_NUMA_BALANCING, command, any(2) ? any_place(page) : (unsigned long)pid,
			       node, pid);
	}
	counted(result);
}

/* --- the files */

static const char *const files[] = {
	"preferred_node", "process_node", "numa_balancing", "scan_period", "inherit", "cgroup_node",
	"preferred_node", "process_node", "cgroup_node", "default_balancing", "cpuset_skip", "placement",
	"rehome_ms", "hooks", "state", "version",
};

static const char *group;

static int word(char *to)
{
	static const char *const words[] = {
		"0", "1", "0", "1", "none", "-1", "on", "off", "default", "threads", "children", "smart",
		"active", "passive", "100", "5000", "60000", "60001", "65536", "2147483648", "-2",
		"18446744073709551616", "4194305", "", "/", "//", "%s%n", "\xa0", "\x7f", "0x1", "+1", "1x",
		"/nowhere", "/../..", "1023", "1024", "threadsthreadsthreadsthreadsthreadsthreadsthreadsthreads",
	};

	switch (any(4)) {
	case 0: return sprintf(to, "%d", child[any(CHILDREN)]);
	case 1: return sprintf(to, "%s%s", any(2) ? "/sys/fs/cgroup" : "", group);
	default: return sprintf(to, "%s", ONE_OF(words));
	}
}

/* Does a line begin with the pid of a task that is none of its children? Kernel threads are fair game. */
static int names_stranger(const char *line)
{
	int i;
	long pid;

	while (strchr(" \t\n\xa0", *line) && *line)
		line++;
	pid = strtol(line, NULL, 10);
	for (i = 0; i < CHILDREN; i++)
		if (pid == child[i])
			return 0;
	return pid > 0 && pid != 2 && pid < 4194304;
}

/* What makes sense if its child still lives */
static const struct {
	const char *file, *line;
} sense[] = {
	{ "preferred_node", "%d 1\n" }, { "preferred_node", "%d/0" }, { "preferred_node", "%d none" },
	{ "process_node", "%d 1" }, { "process_node", "%d -1" }, { "numa_balancing", "%d off" },
	{ "numa_balancing", "%d default" }, { "scan_period", "%d 100 5000" }, { "scan_period", "%d default" },
	{ "inherit", "%d children" }, { "inherit", "children" }, { "inherit", "threads" },
	{ "placement", "passive" }, { "placement", "active" }, { "cpuset_skip", "smart" }, { "cpuset_skip", "off" },
	{ "default_balancing", "off" }, { "default_balancing", "on" }, { "rehome_ms", "10" },
};

static void write_line(void)
{
	static const char *const between[] = { " ", " ", " ", "/", "\t", "  ", "\n", "" };
	const char *name = ONE_OF(files);
	char path[64], line[8192] = "", *at = line;
	unsigned int words = any(8) ? 1 + any(3) : any(200), i, whole = 0;
	int fd;

	/* Two of three begin as they should, so that not all is refused at the first word. */
	if (!strcmp(name, "cgroup_node"))
		at += sprintf(at, "%s ", group);	/* "/" would be everybody */
	else if (any(3))
		at += sprintf(at, "%d ", child[any(CHILDREN)]);
	while (words--) {
		at += word(at);
		at += sprintf(at, "%s", ONE_OF(between));
	}
	if (strcmp(name, "cgroup_node") && any(2)) {
		i = any(sizeof(sense) / sizeof(*sense));
		name = sense[i].file;
		at = line + snprintf(line, sizeof(line), sense[i].line, child[any(CHILDREN)]);
		whole = 1;
	} else if (any(2)) {
		at = line + sprintf(line, "%s %s", group, any(2) ? "1" : "none");
		name = "cgroup_node";
		whole = 1;
	}
	if (names_stranger(line))
		return;
	snprintf(path, sizeof(path), "/sys/kernel/softaff/%s", name);
	fd = open(path, any(8) ? O_WRONLY : O_RDWR | O_APPEND);
	if (fd < 0) {
		counted(-1);
		return;
	}
	counted(write(fd, line, whole || any(8) ? (size_t)(at - line) : any(4096)) < 0 ? -1 : 0);
	close(fd);
}

static void churn_group(void)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s", group);
	if (any(2)) {
		rmdir(path);
		return;
	}
	mkdir(path, 0755);
	strcat(path, "/cgroup.procs");
	f = fopen(path, "w");
	if (f) {
		fprintf(f, "%d", child[any(CHILDREN)]);
		fclose(f);
	}
}

int main(int argc, char **argv)
{
	int writes = argc > 1 && !strcmp(argv[1], "-w"), i;
	char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec now;
	time_t end;

	argv += writes;
	if (argc != 4 + 2 * writes || page == MAP_FAILED)
		errx(2, "usage: prctlfuzz [-w] SECONDS SEED VICTIM [GROUP]");
	seed = atoi(argv[2]);
	victim = atoi(argv[3]);
	group = argv[4];
	/* behind the first page one that may only be read, and behind that none */
	mprotect(page + 4096, 4096, PROT_READ);
	munmap(page + 8192, 4096);

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + atoi(argv[1]);
	while (now.tv_sec < end) {
		for (i = 0; i < 50; i++) {
			if (!any(writes ? 5 : 20))
				replace_child();
			if (writes && !any(10))
				churn_group();
			writes ? write_line() : call(page);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	for (i = 0; i < CHILDREN; i++)
		if (child[i] && !kill(child[i], SIGKILL))
			waitpid(child[i], NULL, 0);
	printf("calls=%ld told=%ld done=%ld", calls, told, count[0]);
	for (i = 1; i < 200; i++)
		if (count[i])
			printf(" %s=%ld", strerrorname_np(i) ?: "other", count[i]);
	putchar('\n');
	return 0;
}
