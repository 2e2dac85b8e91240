/** Names our rooms agree on. */

export const RUN_CODE = "ptc_run_code";
export const WORKFLOW = "ptc_workflow";
export const SUBAGENT = "ptc_subagent";
export const TASK_LIST = "ptc_task_list";
export const TASK_OUTPUT = "ptc_task_output";
export const TASK_STOP = "ptc_task_stop";
export const CHILD_REPORT = "ptc_child_report";
/** A binding, no tool. */
export const DISPATCH = "pi.dispatch";
