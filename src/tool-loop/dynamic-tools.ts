import type { InjectionStrategy } from '../tools/injection.ts';
import { withProvided } from '../tools/resolution/resolve-tools.ts';
import type { ToolProvider } from '../tools/resolution/tool-source.ts';

/** Offers what an agent's tool providers answer now, beside its own tools (AEV-07). */
export const dynamicTools = (providers: readonly ToolProvider[]): InjectionStrategy => ({
  name: 'dynamic-tools',
  offer: (tools) => withProvided(tools, providers),
});
