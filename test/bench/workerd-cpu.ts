import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second, as Linux counts CPU time. */
const TICKS = 100;

/** CPU seconds that this process's workerd has used so far, or `NaN` where the machine does not tell. */
export function workerdCpu(): number {
  try {
    const stats = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(statOf)
      .filter(({ name, parent }) => name === 'workerd' && parent === process.pid);
    return stats.length === 0 ? Number.NaN : stats.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS;
  } catch {
    return Number.NaN;
  }
}

function statOf(pid: string): { name: string; parent: number; ticks: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return [
      {
        name,
        parent: Number(fields[1]),
        ticks: Number(fields[11]) + Number(fields[12]),
      },
    ];
  } catch {
    return []; // it has ended since it was listed
  }
}
