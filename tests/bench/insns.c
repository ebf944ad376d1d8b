// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that counts the guest's instructions by where they are, between two marks.
 *
 *	-plugin insns.so,out=FILE
 *
 * A mark is the execution of the byte at MARK (begin) or at MARK + 64 (end), a page that the guest's
 * program "mark" maps for it. At the end one line is added to FILE for each block of code in the kernel
 * that ran in between, and one for all of user space:
 *
 *	begin
 *	ADDRESS INSTRUCTIONS-OF-THE-BLOCK INSTRUCTIONS-RUN
 *	user 0 INSTRUCTIONS-RUN
 *
 * A block that an interrupt cuts
 * short counts as a whole. QEMU's qemu-plugin.h is not packaged by Debian: what is used of it stands here.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct { void *score; size_t offset; } qemu_plugin_u64;
struct qemu_plugin_tb;
struct qemu_plugin_scoreboard;
typedef struct qemu_info_t qemu_info_t;
typedef void (*tb_trans_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*vcpu_udata_cb)(unsigned int vcpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, vcpu_udata_cb cb, int flags, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op, qemu_plugin_u64 entry,
						       uint64_t imm);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
uint64_t qemu_plugin_u64_sum(qemu_plugin_u64 entry);

#define INLINE_ADD	0
#define NO_REGS		0

EXPORT int qemu_plugin_version = 3;

#define MARK		0x534f4654000ul	/* as in mark.c */
#define KERNEL		0xffff800000000000ul
#define BLOCKS		(1u << 19)

/* Blocks, by hashing; the first is all of user space. */
static struct block {
	uint64_t address, insns, before;
} blocks[BLOCKS];

static struct qemu_plugin_scoreboard *runs;	/* BLOCKS counters a CPU */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *path = "/dev/null";

static qemu_plugin_u64 counter(unsigned int i)
{
	return (qemu_plugin_u64){ runs, i * sizeof(uint64_t) };
}

static unsigned int find_block(uint64_t address, uint64_t insns)
{
	unsigned int i = (address * 0x9e3779b97f4a7c15ul + insns) >> 45;

	pthread_mutex_lock(&lock);
	for (i = i % BLOCKS ?: 1; blocks[i].address; i = (i + 1) % BLOCKS ?: 1)
		if (blocks[i].address == address && blocks[i].insns == insns)
			break;
	blocks[i].address = address;
	blocks[i].insns = insns;
	pthread_mutex_unlock(&lock);
	return i;
}

static void on_begin(unsigned int vcpu, void *data)
{
	unsigned int i;

	(void)vcpu;
	(void)data;
	pthread_mutex_lock(&lock);
	for (i = 0; i < BLOCKS; i++)
		if (!i || blocks[i].address)
			blocks[i].before = qemu_plugin_u64_sum(counter(i));
	pthread_mutex_unlock(&lock);
}

static void on_end(unsigned int vcpu, void *data)
{
	FILE *out = fopen(path, "a");
	uint64_t run;
	unsigned int i;

	(void)vcpu;
	(void)data;
	if (!out)
		return;
	fprintf(out, "begin\n");
	pthread_mutex_lock(&lock);
	for (i = 0; i < BLOCKS; i++) {
		if (i && !blocks[i].address)
			continue;
		run = qemu_plugin_u64_sum(counter(i)) - blocks[i].before;
		if (!i)
			fprintf(out, "user 0 %lu\n", run);
		else if (run)
			fprintf(out, "%lx %lu %lu\n", blocks[i].address, blocks[i].insns, run);
	}
	pthread_mutex_unlock(&lock);
	fprintf(out, "end\n");
	fclose(out);
}

static void on_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb), insns = qemu_plugin_tb_n_insns(tb);
	unsigned int i = address >= KERNEL ? find_block(address, insns) : 0;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, INLINE_ADD, counter(i), insns);
	if (address == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_begin, NO_REGS, NULL);
	else if (address == MARK + 64)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_end, NO_REGS, NULL);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			path = strdup(argv[i] + 4);
	runs = qemu_plugin_scoreboard_new(BLOCKS * sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
	return 0;
}
