// SPDX-License-Identifier: GPL-2.0
/*
 * The module's part in tests of the tool without a kernel: preloaded, it answers for the files of a
 * made tree, $SOFTAFF_ROOT, and for the prctl with the number 101.
 *
 *	write to FILE                refused with the errno that FILE.errno holds
 *	... of "PID NODE" to _node   nodes/PID = NODE as well
 *	write of PID to .../task     from then on the descriptor reads .../task.PID; ENOENT without it,
 *				     ESRCH without proc/PID
 *	prctl(101, SET, tid, node)   refused with the errno that prctl.errno holds, or nodes/TID = node
 *	prctl(101, GET, tid)         what nodes/TID holds, -1 without it; ESRCH without proc/TID
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_number(const char *fmt, const char *name, int fallback)
{
	char path[PATH_MAX];
	int number = fallback;
	FILE *f;

	snprintf(path, sizeof(path), fmt, name);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%d", &number) != 1)
			number = fallback;
		fclose(f);
	}
	return number;
}

static int store_node(int tid, int node)
{
	char file[PATH_MAX];
	FILE *f;

	snprintf(file, sizeof(file), "%s/nodes/%d", getenv("SOFTAFF_ROOT"), tid);
	f = fopen(file, "w");
	if (!f)
		return -1;
	fprintf(f, "%d\n", node);
	return fclose(f);
}

static ssize_t open_task(int fd, const char *path, const char *pid, size_t count)
{
	char other[2 * PATH_MAX];
	int task;

	snprintf(other, sizeof(other), "%s.%d", path, atoi(pid));
	task = open(other, O_RDONLY);
	if (task < 0) {
		snprintf(other, sizeof(other), "%s/proc/%d", getenv("SOFTAFF_ROOT"), atoi(pid));
		errno = access(other, F_OK) ? ESRCH : ENOENT;
		return -1;
	}
	dup2(task, fd);
	close(task);
	return count;
}

ssize_t write(int fd, const void *buf, size_t count)
{
	ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
	const char *root = getenv("SOFTAFF_ROOT");
	char link[32], path[PATH_MAX];
	int err, tid, node;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (!root || len < 0)
		return real(fd, buf, count);
	path[len] = '\0';
	if (strncmp(path, root, strlen(root)))
		return real(fd, buf, count);
	if (len > 5 && !strcmp(path + len - 5, "/task"))
		return open_task(fd, path, buf, count);
	err = read_number("%s.errno", path, 0);
	if (err) {
		errno = err;
		return -1;
	}
	if (len > 5 && !strcmp(path + len - 5, "_node") && sscanf(buf, "%d %d", &tid, &node) == 2)
		store_node(tid, node);
	return real(fd, buf, count);
}

int prctl(int option, ...)
{
	int (*real)(int, unsigned long, unsigned long, unsigned long, unsigned long) =
		dlsym(RTLD_NEXT, "prctl");
	const char *root = getenv("SOFTAFF_ROOT");
	unsigned long a[4];
	char file[PATH_MAX];
	va_list args;
	int i, tid;

	va_start(args, option);
	for (i = 0; i < 4; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	if (!root || option != 101)
		return real(option, a[0], a[1], a[2], a[3]);
	tid = (int)a[1] ? (int)a[1] : gettid();
	errno = read_number("%s/prctl.errno", root, 0);
	if (errno)
		return -1;
	snprintf(file, sizeof(file), "%s/proc/%d", root, tid);
	if (a[1] && access(file, F_OK)) {
		errno = ESRCH;
		return -1;
	}
	snprintf(file, sizeof(file), "%s/nodes/%d", root, tid);
	if (a[0] == 0) {
		*(int *)a[3] = read_number("%s", file, -1);
		return 0;
	}
	return store_node(tid, a[2]);
}
