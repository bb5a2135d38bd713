import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second, as Linux counts CPU time. */
const TICKS = 100;

/** CPU seconds that this process's workerd has used so far, or `NaN` where the machine does not tell. */
export function workerdCpu(): number {
  try {
    const stats = workerds();
    return stats.length === 0 ? Number.NaN : stats.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS;
  } catch {
    return Number.NaN;
  }
}

/** The most memory that this process's workerd has had since it started, in bytes, or `NaN` where the machine does not tell. */
export function workerdMost(): number {
  try {
    const most = workerds().map(({ pid }) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    });
    return most.length === 0 ? Number.NaN : Math.max(...most);
  } catch {
    return Number.NaN;
  }
}

interface Stat {
  readonly pid: string;
  readonly name: string;
  readonly parent: number;
  readonly ticks: number;
}

const workerds = (): Stat[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(statOf)
    .filter(({ name, parent }) => name === 'workerd' && parent === process.pid);

function statOf(pid: string): Stat[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return [
      {
        pid,
        name,
        parent: Number(fields[1]),
        ticks: Number(fields[11]) + Number(fields[12]),
      },
    ];
  } catch {
    return []; // it has ended since it was listed
  }
}
