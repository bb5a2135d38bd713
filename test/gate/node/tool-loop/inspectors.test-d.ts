import { defineAgent } from '../../../../src/index.ts';
import {
  inspect,
  type LoopInspector,
  loggingInspector,
  metricsInspector,
  NO_METRICS,
} from '../../../../src/modules/inspect/entry.ts';

export const inspectors: readonly LoopInspector[] = [
  loggingInspector(),
  loggingInspector({ level: 'debug', truncate: -1, log: ({ logger, message }) => `${logger} ${message}` }),
  loggingInspector({ level: undefined, truncate: undefined, log: undefined }),
  metricsInspector(),
  metricsInspector(NO_METRICS),
  metricsInspector({ count: (name, by, { tool }) => [name, by, tool], value: () => {} }),
];
defineAgent({ name: 'a', description: 'b', instructions: 'c', use: [inspect(...inspectors)] });

// @ts-expect-error a function is no inspector
inspect(() => {});

// @ts-expect-error there is no such level
loggingInspector({ level: 'loud' });

// @ts-expect-error metrics take values too
metricsInspector({ count: () => {} });
