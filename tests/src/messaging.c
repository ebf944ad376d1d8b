// SPDX-License-Identifier: GPL-2.0
/*
 * messaging GROUPS LOOPS: in each group 20 processes send LOOPS messages of 100 bytes to each of 20 others
 * over sockets, as "perf bench sched messaging" and hackbench do.
 */
#include <err.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PEERS 20

static void send_all(int (*ends)[2], int loops)
{
	char message[100] = "";
	int loop, i;

	for (loop = 0; loop < loops; loop++)
		for (i = 0; i < PEERS; i++)
			if (write(ends[i][1], message, sizeof(message)) != sizeof(message))
				err(1, "write");
	_exit(0);
}

static void receive_all(int fd, int loops)
{
	char message[100];
	long left = (long)loops * PEERS * sizeof(message);
	ssize_t len;

	while (left > 0) {
		len = read(fd, message, sizeof(message));
		if (len <= 0)
			err(1, "read");
		left -= len;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	int groups, loops, ends[PEERS][2], i, status, bad = 0;

	if (argc != 3)
		errx(2, "usage: messaging GROUPS LOOPS");
	loops = atoi(argv[2]);
	for (groups = atoi(argv[1]); groups > 0; groups--) {
		for (i = 0; i < PEERS; i++) {
			if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]))
				err(1, "socketpair");
			if (!fork())
				receive_all(ends[i][0], loops);
		}
		for (i = 0; i < PEERS; i++)
			if (!fork())
				send_all(ends, loops);
		for (i = 0; i < PEERS; i++) {
			close(ends[i][0]);
			close(ends[i][1]);
		}
	}
	while (wait(&status) > 0)
		bad |= status;
	return bad != 0;
}
