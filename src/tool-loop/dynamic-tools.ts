import { ROOT } from '../journal/events.ts';
import { withProvided } from '../tools/resolution/resolve-tools.ts';
import type { ToolProvider } from '../tools/resolution/tool-source.ts';
import type { InjectionStrategy } from './loop.ts';

/** Offers what an agent's tool providers answer now, beside its own tools; nested loops have theirs (AEV-07). */
export const dynamicTools = (providers: readonly ToolProvider[]): InjectionStrategy => ({
  name: 'dynamic-tools',
  offer: (tools, _, frame) => (frame.id === ROOT ? withProvided(tools, providers) : tools),
});
