/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints, under events/softaff. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM softaff

#if !defined(_SOFTAFF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SOFTAFF_TRACE_H

#include <linux/sched.h>
#include <linux/tracepoint.h>

/* A task's forced node has changed; -1 is none. */
TRACE_EVENT(softaff_set,
	TP_PROTO(struct task_struct *p, int nid),
	TP_ARGS(p, nid),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(int, nid)
		__field(int, cpu)
	),
	TP_fast_assign(
		__entry->pid = p->pid;
		__entry->nid = nid;
		__entry->cpu = task_cpu(p);
	),
	TP_printk("pid=%d node=%d cpu=%d", __entry->pid, __entry->nid, __entry->cpu)
);

DECLARE_EVENT_CLASS(softaff_move,
	TP_PROTO(struct task_struct *p, int nid, int src_cpu, int dst_cpu),
	TP_ARGS(p, nid, src_cpu, dst_cpu),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(int, nid)
		__field(int, src_cpu)
		__field(int, dst_cpu)
	),
	TP_fast_assign(
		__entry->pid = p->pid;
		__entry->nid = nid;
		__entry->src_cpu = src_cpu;
		__entry->dst_cpu = dst_cpu;
	),
	TP_printk("pid=%d node=%d src_cpu=%d dst_cpu=%d",
		  __entry->pid, __entry->nid, __entry->src_cpu, __entry->dst_cpu)
);

/* softaff has brought a task home. */
DEFINE_EVENT(softaff_move, softaff_home,
	TP_PROTO(struct task_struct *p, int nid, int src_cpu, int dst_cpu),
	TP_ARGS(p, nid, src_cpu, dst_cpu)
);

/* A task that is away could not be brought home: no room; dst_cpu is -1. */
DEFINE_EVENT(softaff_move, softaff_no_room,
	TP_PROTO(struct task_struct *p, int nid, int src_cpu, int dst_cpu),
	TP_ARGS(p, nid, src_cpu, dst_cpu)
);

/* The load balancer wanted a task away from home and was refused. */
DEFINE_EVENT(softaff_move, softaff_refused,
	TP_PROTO(struct task_struct *p, int nid, int src_cpu, int dst_cpu),
	TP_ARGS(p, nid, src_cpu, dst_cpu)
);

/* The load balancer takes a task away from home, for its own good. */
DEFINE_EVENT(softaff_move, softaff_spill,
	TP_PROTO(struct task_struct *p, int nid, int src_cpu, int dst_cpu),
	TP_ARGS(p, nid, src_cpu, dst_cpu)
);

/* reason is enum softaff_scan_verdict. */
TRACE_EVENT(softaff_scan_skipped,
	TP_PROTO(struct task_struct *p, int reason),
	TP_ARGS(p, reason),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(int, reason)
	),
	TP_fast_assign(
		__entry->pid = p->pid;
		__entry->reason = reason;
	),
	TP_printk("pid=%d reason=%s", __entry->pid,
		  __print_symbolic(__entry->reason, { 1, "off" }, { 2, "default" }, { 3, "cpuset" }))
);

#endif /* _SOFTAFF_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
