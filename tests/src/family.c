// SPDX-License-Identifier: GPL-2.0
/*
 * family: at each SIGUSR1 makes one descendant by every way there is, and says who they are:
 *
 *	thread=TID fork=PID grandchild=PID vfork=PID spawn=PID vm=PID ... made
 *
 * vfork and spawn end in an exec, grandchild is the fork of a fork, vm is clone(CLONE_VM) without
 * CLONE_THREAD. With -c DIR there is one that is born into that cgroup, with -u one of io_uring's
 * workers, with -v one of vhost's (0 where it is no thread of the process). All of them sleep, and
 * end with the first process.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <linux/vhost.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

static char self[256];
static const char *cgroup;
static int uring, vhost;

static void sleep_on(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static int sleep_in(void *arg)
{
	(void)arg;
	sleep_on();
	return 0;
}

static void *thread(void *tid)
{
	*(atomic_int *)tid = gettid();
	for (;;)
		pause();
	return NULL;
}

static int make_thread(void)
{
	static atomic_int tid;
	pthread_t id;

	tid = 0;
	if (pthread_create(&id, NULL, thread, &tid))
		errx(1, "cannot make a thread");
	while (!tid)
		sched_yield();
	return tid;
}

static int make_grandchild(void)
{
	int pipes[2], pid;

	if (pipe(pipes))
		err(1, "pipe");
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pid = fork();
		if (!pid)
			sleep_on();
		if (write(pipes[1], &pid, sizeof(pid)) != sizeof(pid))
			err(1, "pipe");
		sleep_on();
	}
	if (read(pipes[0], &pid, sizeof(pid)) != sizeof(pid))
		err(1, "pipe");
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

static int make_fork(void)
{
	int pid = fork();

	if (!pid)
		sleep_on();
	return pid;
}

static int make_vfork(void)
{
	int pid = vfork();

	if (!pid) {
		execl(self, self, "-s", NULL);
		_exit(1);
	}
	return pid;
}

static int make_spawn(void)
{
	char *argv[] = { self, "-s", NULL };
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
		errx(1, "posix_spawn");
	return pid;
}

static int make_vm(void)
{
	size_t size = 64 << 10;
	char *stack = malloc(size);

	return stack ? clone(sleep_in, stack + size, CLONE_VM | SIGCHLD, NULL) : -1;
}

static int make_in_cgroup(void)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = open(cgroup, O_PATH | O_CLOEXEC),
	};
	int pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0)
		err(1, "clone3 into %s", cgroup);
	if (!pid)
		sleep_on();
	close(args.cgroup);
	return pid;
}

/* The thread of this process whose name begins so, or 0. */
static int find_thread(const char *name)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	char path[300], comm[64];
	int tid = 0;
	FILE *file;

	while (!tid && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(comm, sizeof(comm), file) && !strncmp(comm, name, strlen(name)))
			tid = atoi(entry->d_name);
		fclose(file);
	}
	closedir(dir);
	return tid;
}

/* A read that has to be made by a worker. */
static int make_uring(void)
{
	struct io_uring_params p = { 0 };
	struct io_uring_sqe *sqes;
	static char buf[4096];
	unsigned int *array, *tail;
	char *ring;
	int fd = syscall(SYS_io_uring_setup, 4, &p);

	if (fd < 0)
		return 0;
	ring = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(int), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqes == MAP_FAILED)
		err(1, "io_uring");
	array = (unsigned int *)(ring + p.sq_off.array);
	tail = (unsigned int *)(ring + p.sq_off.tail);
	sqes[0] = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ,
		.flags = IOSQE_ASYNC,
		.fd = open(self, O_RDONLY | O_CLOEXEC),
		.addr = (uintptr_t)buf,
		.len = sizeof(buf),
	};
	array[0] = 0;
	atomic_store((atomic_uint *)tail, *tail + 1);
	if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		err(1, "io_uring_enter");
	return find_thread("iou-wrk");
}

static int make_vhost(void)
{
	int fd = open("/dev/vhost-net", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, VHOST_SET_OWNER))
		err(1, "vhost-net");
	return find_thread("vhost-");
}

int main(int argc, char **argv)
{
	sigset_t signals;
	int c;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "my own name");
	while ((c = getopt(argc, argv, "c:suv")) != -1) {
		switch (c) {
		case 'c': cgroup = optarg; break;
		case 's': sleep_on(); break;
		case 'u': uring = 1; break;
		case 'v': vhost = 1; break;
		default: return 2;
		}
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGCHLD, SIG_IGN);
	printf("ready\n");
	fflush(stdout);
	while (sigwaitinfo(&signals, NULL) == SIGUSR1) {
		printf("thread=%d", make_thread());
		fflush(stdout);	/* or the forks print it too */
		printf(" fork=%d", make_fork());
		fflush(stdout);
		printf(" grandchild=%d", make_grandchild());
		printf(" vfork=%d", make_vfork());
		printf(" spawn=%d", make_spawn());
		printf(" vm=%d", make_vm());
		fflush(stdout);
		if (cgroup)
			printf(" cgroup=%d", make_in_cgroup());
		if (uring)
			printf(" uring=%d", make_uring());
		if (vhost)
			printf(" vhost=%d", make_vhost());
		printf(" made\n");
		fflush(stdout);
	}
	return 1;
}
