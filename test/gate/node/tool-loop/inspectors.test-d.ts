import { defineAgent } from '../../../../src/index.ts';
import {
  type LoopInspector,
  loggingInspector,
  metricsInspector,
  NO_METRICS,
} from '../../../../src/inspect.ts';

export const inspectors: readonly LoopInspector[] = [
  loggingInspector(),
  loggingInspector({ level: 'debug', truncate: -1, log: ({ logger, message }) => `${logger} ${message}` }),
  loggingInspector({ level: undefined, truncate: undefined, log: undefined }),
  metricsInspector(),
  metricsInspector(NO_METRICS),
  metricsInspector({ count: (name, by, { tool }) => [name, by, tool], value: () => {} }),
];
defineAgent({ name: 'a', description: 'b', instructions: 'c', inspectors });

// @ts-expect-error there is no such level
loggingInspector({ level: 'loud' });

// @ts-expect-error metrics take values too
metricsInspector({ count: () => {} });
