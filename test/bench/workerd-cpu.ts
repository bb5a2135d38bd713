import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the CPU seconds of the workerd processes that this process started, or of the one with this id.
 * Returns `NaN` if the machine does not report them.
 */
export function readWorkerdCpu(pid?: string): number {
  try {
    const pids = pid === undefined ? listWorkerdPids() : [pid];
    return pids.length === 0 ? Number.NaN : pids.reduce((sum, one) => sum + readCpu(one), 0);
  } catch {
    return Number.NaN;
  }
}

/**
 * Returns the peak memory in bytes of the workerd that this process started, or `NaN` if the machine does not
 * report it.
 */
export function readWorkerdPeakMemory(): number {
  try {
    const most = listWorkerdPids().map((pid) => readMemory(pid, 'VmHWM'));
    return most.length === 0 ? Number.NaN : Math.max(...most);
  } catch {
    return Number.NaN;
  }
}

/**
 * Returns the current or the peak memory of a process in bytes. @throws Error if the machine does not report
 * it.
 */
export function readMemory(pid: string, which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/**
 * Returns the ids of the workerd processes that this process started. The list is empty if the machine does not
 * report them.
 */
export function listWorkerdPids(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isWorkerd(name));
  } catch {
    return [];
  }
}

function isWorkerd(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    return name === 'workerd' && parent === String(process.pid);
  } catch {
    return false; // the process has ended since it was listed
  }
}

/** Returns the CPU time of all threads of a process in seconds. */
const readCpu = (pid: string): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + readThreadCpu(`/proc/${pid}/task/${thread}`),
    0,
  );

function readThreadCpu(folder: string): number {
  try {
    const [nanoseconds] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e9;
  } catch {
    return 0; // the thread has ended since it was listed
  }
}
