// SPDX-License-Identifier: GPL-2.0
/*
 * hog: threads that walk memory, with an account of where they ran and where the memory is.
 *
 *	main thread, each further thread	walk their own memory until the end
 *	a thread of its own			sleeps until a signal asks for something:
 *
 *	SIGUSR1		start the account anew
 *	SIGUSR2		report
 *	SIGHUP		one thread more, made by the main thread and with memory of its own
 *	SIGTERM		report and end
 *
 * A report is a line for each thread and one for all of them, which comes last:
 *
 *	thread tid=N elapsed=MS cpu=MS node0=MS node1=MS wakes0=N wakes1=N passes=N
 *	sum elapsed=MS cpu=MS node0=MS node1=MS wakes0=N wakes1=N passes=N pages0=N pages1=N
 *
 * MS are milliseconds: elapsed on the clock, all others of CPU time. "ready tid=N" is printed when
 * the memory is in place and the walk begins.
 */

#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK		(128 << 10)	/* walked between two looks at the clock */
#define LINE		64
#define BURST		0.02		/* seconds of CPU time between two sleeps */
#define MAX_THREADS	256
#define MAX_NODES	128

struct account {
	double cpu[MAX_NODES];
	long wakes[MAX_NODES];
	long passes;
	struct timespec start;
};

struct walker {
	pthread_mutex_t lock;		/* of the account */
	struct account account;
	double last;			/* CPU time of the last look */
	char *mem;
	pid_t tid;
};

static struct {
	size_t size;
	int threads, node, sleep_ms;
	double seconds;
	int lock, nohuge;
	const char *file;
} opt = { .size = 64 << 20, .threads = 1, .node = -1 };

static struct walker walkers[MAX_THREADS];
static atomic_int nr_walkers;
static atomic_int wanted;		/* threads that the main thread has yet to make */
static cpu_set_t everywhere;
static int node_of[CPU_SETSIZE];
static int nodes;
static size_t page_size;
static const char *shared;		/* the file of -r, and how long it is */
static size_t shared_size;

static double seconds(clockid_t clock, const struct timespec *since)
{
	struct timespec now;

	clock_gettime(clock, &now);
	if (since) {
		now.tv_sec -= since->tv_sec;
		now.tv_nsec -= since->tv_nsec;
	}
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void look(struct walker *w, int woken)
{
	double now = seconds(CLOCK_THREAD_CPUTIME_ID, NULL);
	int node = node_of[sched_getcpu()];

	pthread_mutex_lock(&w->lock);
	w->account.cpu[node] += now - w->last;
	w->account.wakes[node] += woken;
	pthread_mutex_unlock(&w->lock);
	w->last = now;
}

static void restart_account(struct walker *w)
{
	pthread_mutex_lock(&w->lock);
	memset(&w->account, 0, sizeof(w->account));
	clock_gettime(CLOCK_MONOTONIC, &w->account.start);
	pthread_mutex_unlock(&w->lock);
}

static void rest(struct walker *w, double *burst)
{
	struct timespec ms = { opt.sleep_ms / 1000, opt.sleep_ms % 1000 * 1000000L };

	if (!opt.sleep_ms || w->last - *burst < BURST)
		return;
	nanosleep(&ms, NULL);
	look(w, 1);
	*burst = w->last;
}

static void *walk(void *arg);

static void make_wanted(void)
{
	pthread_t thread;
	int n;

	while (wanted) {
		n = nr_walkers;
		wanted--;
		if (n == MAX_THREADS || pthread_create(&thread, NULL, walk, &walkers[n]))
			errx(1, "cannot make thread %d", n);
		while (nr_walkers == n)
			sched_yield();
	}
}

static void prepare(struct walker *w)
{
	size_t i, align = 2 << 20;

	w->tid = gettid();
	pthread_mutex_init(&w->lock, NULL);
	w->mem = aligned_alloc(align, (opt.size + align - 1) / align * align);
	if (!w->mem)
		err(1, "no memory");
	if (opt.nohuge && madvise(w->mem, opt.size, MADV_NOHUGEPAGE))
		err(1, "madvise");
	if (opt.lock && mlock(w->mem, opt.size))
		err(1, "mlock");
	for (i = 0; i < opt.size; i += page_size)
		w->mem[i] = 1;
	restart_account(w);
	w->last = seconds(CLOCK_THREAD_CPUTIME_ID, NULL);
	nr_walkers++;
}

static void map_file(void)
{
	struct stat st;
	int fd = open(opt.file, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", opt.file);
	shared_size = st.st_size;
	shared = mmap(NULL, shared_size, PROT_READ, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		err(1, "%s", opt.file);
	close(fd);
}

/* Most of the work of a hog that has a file: four times what it walks of its own memory. */
static void read_file(size_t *at)
{
	size_t i;

	if (!shared_size)
		return;
	for (i = 0; i < 4 * CHUNK; i += LINE, *at = (*at + LINE) % shared_size)
		*(volatile const char *)(shared + *at);
}

static void *walk(void *arg)
{
	struct walker *w = arg;
	double burst;
	size_t i = 0, end, at = 0;

	prepare(w);
	if (w == walkers)
		make_wanted();
	if (opt.node >= 0 && sched_setaffinity(0, sizeof(everywhere), &everywhere))
		err(1, "sched_setaffinity");
	if (w == walkers) {
		printf("ready tid=%d\n", w->tid);
		fflush(stdout);
	}
	burst = w->last;
	for (;;) {
		end = i + CHUNK < opt.size ? i + CHUNK : opt.size;
		for (; i < end; i += LINE)
			(*(volatile long *)(w->mem + i))++;
		read_file(&at);
		look(w, 0);
		rest(w, &burst);
		if (end == opt.size) {
			w->account.passes++;
			i = 0;
		}
		if (w == walkers && wanted)
			make_wanted();
	}
	return NULL;
}

static void print_account(const struct account *a)
{
	double cpu = 0;
	int n;

	for (n = 0; n < nodes; n++)
		cpu += a->cpu[n];
	printf(" elapsed=%.0f cpu=%.0f", seconds(CLOCK_MONOTONIC, &a->start) * 1e3, cpu * 1e3);
	for (n = 0; n < nodes; n++)
		printf(" node%d=%.0f", n, a->cpu[n] * 1e3);
	for (n = 0; n < nodes; n++)
		printf(" wakes%d=%ld", n, a->wakes[n]);
	printf(" passes=%ld", a->passes);
}

static void add_account(struct account *sum, const struct account *a)
{
	int n;

	for (n = 0; n < nodes; n++) {
		sum->cpu[n] += a->cpu[n];
		sum->wakes[n] += a->wakes[n];
	}
	sum->passes += a->passes;
}

static void print_pages(void)
{
	size_t i, pages = opt.size / page_size;
	long on[MAX_NODES] = { 0 };
	int *status = calloc(pages, sizeof(*status));
	void **addr = calloc(pages, sizeof(*addr));
	int n, w;

	for (w = 0; w < nr_walkers; w++) {
		for (i = 0; i < pages; i++)
			addr[i] = walkers[w].mem + i * page_size;
		if (move_pages(0, pages, addr, NULL, status, 0))
			err(1, "move_pages");
		for (i = 0; i < pages; i++)
			if (status[i] >= 0 && status[i] < nodes)
				on[status[i]]++;
	}
	for (n = 0; n < nodes; n++)
		printf(" pages%d=%ld", n, on[n]);
	free(addr);
	free(status);
}

static void report(void)
{
	struct account sum = { .start = walkers[0].account.start }, a;
	int i;

	for (i = 0; i < nr_walkers; i++) {
		pthread_mutex_lock(&walkers[i].lock);
		a = walkers[i].account;
		pthread_mutex_unlock(&walkers[i].lock);
		printf("thread tid=%d", walkers[i].tid);
		print_account(&a);
		putchar('\n');
		add_account(&sum, &a);
	}
	printf("sum");
	print_account(&sum);
	print_pages();
	putchar('\n');
	fflush(stdout);
}

static void *serve(void *arg)
{
	sigset_t *signals = arg;
	struct timespec start, left;
	double s = INT_MAX;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		if (opt.seconds)
			s = opt.seconds - seconds(CLOCK_MONOTONIC, &start);
		if (s < 0)
			s = 0;
		left.tv_sec = s;
		left.tv_nsec = (s - left.tv_sec) * 1e9;
		switch (sigtimedwait(signals, NULL, &left)) {
		case SIGUSR1:
			for (i = 0; i < nr_walkers; i++)
				restart_account(&walkers[i]);
			break;
		case SIGUSR2:
			report();
			break;
		case SIGHUP:
			wanted++;
			break;
		default:
			report();
			_exit(0);
		}
	}
	return NULL;
}

static void read_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "m:t:n:s:z:r:lH")) != -1) {
		switch (c) {
		case 'm': opt.size = atol(optarg) << 20; break;
		case 't': opt.threads = atoi(optarg); break;
		case 'n': opt.node = atoi(optarg); break;
		case 's': opt.seconds = atof(optarg); break;
		case 'z': opt.sleep_ms = atoi(optarg); break;
		case 'r': opt.file = optarg; break;
		case 'l': opt.lock = 1; break;
		case 'H': opt.nohuge = 1; break;
		default:
			fprintf(stderr, "usage: hog [-lH] [-m MIB] [-t N] [-n NODE] [-s S]"
				" [-z MS] [-r FILE]\n"
				"  -m  MiB that each thread walks (64)\n"
				"  -t  threads (1)\n"
				"  -n  start on this node, memory and all; then free to go\n"
				"  -s  end after so many seconds\n"
				"  -z  sleep so long after each 20 ms of CPU time\n"
				"  -r  read this file as well, mapped so that it cannot be written\n"
				"  -l  lock the memory\n"
				"  -H  no huge pages\n");
			exit(2);
		}
	}
	if (opt.size < 1 << 20 || opt.threads < 1 || opt.threads > MAX_THREADS)
		errx(2, "-m and -t want at least 1, and -t at most %d", MAX_THREADS);
}

int main(int argc, char **argv)
{
	pthread_t server;
	sigset_t signals;
	int cpu;

	read_options(argc, argv);
	if (opt.file)
		map_file();
	page_size = sysconf(_SC_PAGESIZE);
	if (numa_available() < 0)
		errx(1, "no NUMA here");
	nodes = numa_max_node() + 1;
	if (nodes > MAX_NODES)
		errx(1, "more than %d nodes", MAX_NODES);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		node_of[cpu] = cpu < numa_num_possible_cpus() ? numa_node_of_cpu(cpu) : -1;
		if (node_of[cpu] < 0)
			node_of[cpu] = 0;
	}

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);

	sched_getaffinity(0, sizeof(everywhere), &everywhere);
	wanted = opt.threads - 1;
	if (pthread_create(&server, NULL, serve, &signals))	/* not bound to the node */
		errx(1, "cannot make a thread");
	if (opt.node >= 0 && numa_run_on_node(opt.node))
		err(1, "node %d", opt.node);
	walk(&walkers[0]);
}
