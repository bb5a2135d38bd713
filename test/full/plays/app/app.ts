/** The app for the plays. It has every kind of tool, and its model follows the plans in messages. */
import { consumeTurns, createHoldfast, type LogEntry } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { logTo } from '../../../../src/modules/app/entry.ts';
import { branches } from '../../../../src/modules/branches/entry.ts';
import { retry } from '../../../../src/modules/retry/entry.ts';
import { createPlannedModel } from './planned-model.ts';
import type { AppOptions } from './port.ts';
import { createAppTools } from './tools.ts';

export { SessionObject } from '../../../../durable-objects/index.ts';

/** Creates the Worker of one version. */
export function createApp(options: AppOptions) {
  const { tools, kinds } = createAppTools(options);
  const agent = defineAgent({
    name: 'player',
    description: 'Does what plays ask for.',
    instructions: 'Do every step of the plan, in order.',
    tools,
    limits: { iterations: 60 },
  });
  const log = (entry: LogEntry): void =>
    options.log(
      entry.event === 'turn' && entry.level === 'info'
        ? `info ${entry.outcome}`
        : `${entry.level} ${entry.event} ${entry.message} ${entry.thrown ?? ''}`,
    );
  const appWide = [...kinds, branches(), retry()];
  const holdfast = createHoldfast({
    agents: [agent],
    use: [...appWide, logTo(log)],
    model: createPlannedModel(options.outside),
    auth: () => ({ id: 'player' }),
  });
  const worker = { ...holdfast.worker, queue: consumeTurns(holdfast) };
  return { ...holdfast, worker, uses: [...appWide, ...agent.uses] };
}
