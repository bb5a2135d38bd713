import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds that this process's workerds have used so far, or only the one of this id; `NaN` where the machine does not tell. */
export function workerdCpu(pid?: string): number {
  try {
    const pids = pid === undefined ? workerdPids() : [pid];
    return pids.length === 0 ? Number.NaN : pids.reduce((sum, one) => sum + cpuOf(one), 0);
  } catch {
    return Number.NaN;
  }
}

/** The most memory that this process's workerd has had since it started, in bytes, or `NaN` where the machine does not tell. */
export function workerdMost(): number {
  try {
    const most = workerdPids().map((pid) => memoryOf(pid, 'VmHWM'));
    return most.length === 0 ? Number.NaN : Math.max(...most);
  } catch {
    return Number.NaN;
  }
}

/** The memory that a process has now, or the most that it has had, in bytes. @throws Error if the machine does not tell. */
export function memoryOf(pid: string, which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/** The ids of this process's workerds; none where the machine does not tell. */
export function workerdPids(): readonly string[] {
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
    return false; // it has ended since it was listed
  }
}

/** The CPU time of a process's threads, in seconds. The scheduler counts nanoseconds. */
const cpuOf = (pid: string): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + cpuOfThread(`/proc/${pid}/task/${thread}`),
    0,
  );

function cpuOfThread(folder: string): number {
  try {
    const [nanoseconds] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e9;
  } catch {
    return 0; // it has ended since it was listed
  }
}
