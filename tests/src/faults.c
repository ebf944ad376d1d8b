// SPDX-License-Identifier: GPL-2.0
/*
 * faults N load FILE | faults N write FILE TEXT: let the N-th allocation fail that this task makes in
 * loading a module, or in writing that text, and say what came of it:
 *
 *	injected=1 errno=NAME	it failed, and so did the whole
 *	injected=1 errno=0	it failed, and was not needed
 *	injected=0 errno=...	there are not so many
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int nth, fd, error;
	char left[32];
	ssize_t len;
	long result;

	if (argc != 4 && argc != 5)
		errx(2, "usage: faults N load FILE | faults N write FILE TEXT");
	fd = open(argv[3], argc == 4 ? O_RDONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[3]);
	nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth < 0 || write(nth, argv[1], strlen(argv[1])) < 0)
		err(1, "fail-nth");
	if (argc == 4)
		result = syscall(SYS_finit_module, fd, "", 0);
	else
		result = write(fd, argv[4], strlen(argv[4]));
	error = errno;
	len = pread(nth, left, sizeof(left) - 1, 0);
	if (write(nth, "0", 1) < 0 || len < 0)
		err(1, "fail-nth");
	left[len] = '\0';
	printf("injected=%d errno=%s\n", atoi(left) == 0, result < 0 ? strerrorname_np(error) : "0");
	return 0;
}
