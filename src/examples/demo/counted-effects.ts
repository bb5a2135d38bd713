import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Hold } from './gate.ts';

export interface Effect {
  readonly service: string;
  readonly what: string;
}

/** One line of the counter's file. */
export interface Execution extends Effect {
  readonly call: string;
  readonly key: string;
}

/** A message from the demo to the process that counts effects. */
export type CounterCommand = { readonly type: 'hold' | 'release'; readonly service: string };

/** A message from the process that counts effects to the demo. */
export type CounterReport =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'holding' | 'reached'; readonly service: string };

/** The effects of a run, which another process counts. */
export interface CountedEffects {
  /** The address of the shop's services. */
  readonly url: string;
  /**
   * Holds back the responses of this service from now on. Requests are still executed and written to disk.
   */
  hold(service: string): Promise<Hold>;
  /** Returns the effects on disk. */
  executions(): readonly Execution[];
  stop(): void;
}

/** Starts the counter, which writes to `file`. It ends with this process at the latest. */
export async function countEffects(file: string): Promise<CountedEffects> {
  const child = fork(fileURLToPath(new URL('./effect-counter.ts', import.meta.url)), [file]);
  const listening = await receiveReport(child, ({ type }) => type === 'listening');
  if (listening.type !== 'listening') throw new Error('The effect counter did not report its address.');
  const sendCommand = (type: CounterCommand['type'], service: string): void =>
    void child.send({ type, service });
  return {
    url: listening.url,
    async hold(service) {
      const waitForReport = (type: CounterReport['type']): Promise<CounterReport> =>
        receiveReport(
          child,
          (told) => told.type === type && told.type !== 'listening' && told.service === service,
        );
      const reached = waitForReport('reached').then(() => {});
      const holding = waitForReport('holding');
      sendCommand('hold', service);
      await holding;
      return { reached, release: () => sendCommand('release', service) };
    },
    executions: () =>
      existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(toExecution) : [],
    stop: () => child.disconnect(),
  };
}

const toExecution = (line: string): Execution => JSON.parse(line);

/** Resolves with the next `wanted` report. @throws Error if the counter ends first. */
function receiveReport(
  child: ChildProcess,
  wanted: (report: CounterReport) => boolean,
): Promise<CounterReport> {
  return new Promise((resolve, reject) => {
    const take = (told: CounterReport): void => {
      if (!wanted(told)) return;
      child.off('message', take).off('exit', rejectOnEnd);
      resolve(told);
    };
    const rejectOnEnd = (code: number | null): void =>
      reject(new Error(`The effect counter exited with ${code}.`));
    child.on('message', take).on('exit', rejectOnEnd);
  });
}
