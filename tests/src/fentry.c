// SPDX-License-Identifier: GPL-2.0
/*
 * fentry FUNCTION...: BPF programs at the entry of these kernel functions, for as long as this runs.
 * They do nothing; run_cnt counts them, as kernel.bpf_stats_enabled is 1. A signal to end prints
 *
 *	FUNCTION=CALLS ...
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 16

int main(int argc, char **argv)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int prog[MAX], i, got, id;
	__u32 len;
	sigset_t set;

	if (argc < 2 || argc > MAX)
		errx(2, "usage: fentry FUNCTION...");
	for (i = 1; i < argc; i++) {
		LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);

		id = libbpf_find_vmlinux_btf_id(argv[i], BPF_TRACE_FENTRY);
		if (id < 0)
			errx(4, "no BTF of %s()", argv[i]);
		opts.attach_btf_id = id;
		prog[i] = bpf_prog_load(BPF_PROG_TYPE_TRACING, "nothing", "GPL", nothing,
					sizeof(nothing) / sizeof(nothing[0]), &opts);
		if (prog[i] < 0)
			err(1, "a program for %s()", argv[i]);
		if (bpf_raw_tracepoint_open(NULL, prog[i]) < 0)
			err(1, "%s()", argv[i]);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	sigwait(&set, &got);
	for (i = 1; i < argc; i++) {
		struct bpf_prog_info info = {};

		len = sizeof(info);
		if (bpf_obj_get_info_by_fd(prog[i], &info, &len))
			err(1, "bpf_obj_get_info_by_fd");
		printf("%s=%llu ", argv[i], (unsigned long long)info.run_cnt);
	}
	puts("");
	return 0;
}
