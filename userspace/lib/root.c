// SPDX-License-Identifier: LGPL-2.1
/* Files of /sys and /proc, below one root. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "root.h"

static char *vpath(char *buf, const char *fmt, va_list args)
{
	const char *root = secure_getenv("SOFTAFF_ROOT");
	int len = snprintf(buf, PATH_MAX, "%s", root ? root : "");

	if (len < PATH_MAX)
		vsnprintf(buf + len, PATH_MAX - len, fmt, args);
	return buf;
}

#define ROOT_VPATH(buf, fmt)			\
	do {					\
		va_list args;			\
						\
		va_start(args, fmt);		\
		vpath(buf, fmt, args);		\
		va_end(args);			\
	} while (0)

/**
 * root_path - the path of a file below the root
 * @buf: PATH_MAX bytes
 * @fmt: its absolute path
 *
 * Return: @buf.
 */
char *root_path(char *buf, const char *fmt, ...)
{
	ROOT_VPATH(buf, fmt);
	return buf;
}

/**
 * root_open - open a file
 * @flags: as for open()
 * @fmt: its path
 *
 * Return: a descriptor or a negative errno.
 */
int root_open(int flags, const char *fmt, ...)
{
	char path[PATH_MAX];
	int fd;

	ROOT_VPATH(path, fmt);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/** root_fopen - open a file for reading; NULL with errno if that fails */
FILE *root_fopen(const char *fmt, ...)
{
	char path[PATH_MAX];

	ROOT_VPATH(path, fmt);
	return fopen(path, "re");
}

/** root_opendir - open a directory; NULL with errno if that fails */
DIR *root_opendir(const char *fmt, ...)
{
	char path[PATH_MAX];

	ROOT_VPATH(path, fmt);
	return opendir(path);
}

/** root_exists - is there such a file, whoever may read it? */
int root_exists(const char *fmt, ...)
{
	char path[PATH_MAX];

	ROOT_VPATH(path, fmt);
	return access(path, F_OK) == 0;
}

static int read_text(int fd, char *text)
{
	ssize_t len = 0, got;

	do {
		got = read(fd, text + len, ROOT_TEXT - 1 - len);
		if (got < 0)
			return -errno;
		len += got;
	} while (got && len < ROOT_TEXT - 1);
	while (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	return len;
}

/**
 * root_read - read a small file
 * @text: ROOT_TEXT bytes; what the file holds, without newlines at its end
 * @fmt: its path
 *
 * Return: the length or a negative errno.
 */
int root_read(char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	int fd, len;

	ROOT_VPATH(path, fmt);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read_text(fd, text);
	close(fd);
	return len;
}

/** root_read_int - read a file that holds a number; 0 or a negative errno */
int root_read_int(int *value, const char *fmt, ...)
{
	char path[PATH_MAX], *end;
	FILE *f;
	char text[32];
	int err = 0;

	ROOT_VPATH(path, fmt);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	errno = 0;
	if (!fgets(text, sizeof(text), f))
		err = errno ? -errno : -ENODATA;
	fclose(f);
	if (err)
		return err;
	*value = strtol(text, &end, 0);
	return end == text ? -EINVAL : 0;
}

/**
 * root_write - write a setting
 * @line: the line, in one write as the module wants it
 * @fmt: the file
 *
 * Return: 0 or a negative errno, what the file's owner says of the line included.
 */
int root_write(const char *line, const char *fmt, ...)
{
	char path[PATH_MAX];
	int fd, err = 0;

	ROOT_VPATH(path, fmt);
	/* Appended, which sysfs does not care about, so that a plain file keeps every line. */
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, line, strlen(line)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/**
 * root_read_task - what debugfs says of one task
 * @tid: the task
 * @text: ROOT_TEXT bytes: a line of column names, one of values, and more lines
 *
 * Return: the length or a negative errno: -ENOENT nothing is set, -ESRCH no such task, -EACCES
 * debugfs is not mounted, or not for the caller.
 */
int root_read_task(pid_t tid, char *text)
{
	int fd = root_open(O_RDWR, SOFTAFF_DEBUGFS "/task"), len;
	char word[16];

	if (fd < 0)
		return fd == -ENOENT ? -EACCES : fd;
	snprintf(word, sizeof(word), "%d\n", tid);
	len = write(fd, word, strlen(word)) < 0 ? -errno : read_text(fd, text);
	close(fd);
	return len;
}
