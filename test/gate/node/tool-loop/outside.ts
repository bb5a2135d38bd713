import type { AnyTool, ToolProvider } from '../../../../src/index.ts';
import { toolProvider } from '../../../../src/index.ts';
import type { Discovery, LoopView } from '../../../../src/kinds/entry.ts';
import { LISTINGS, listings } from '../../../../src/modules/listings/entry.ts';
import { createFact } from '../../../doors/tools.ts';
import { createReadingTool } from './scenes.ts';

/** Returns the tool names of a source, given the number of requests so far. */
export type ToolLister = (
  asked: number,
  discovery: Discovery,
) => readonly string[] | Promise<readonly string[]>;

export interface OutsideSource {
  readonly provider: ToolProvider;
  /** The number of requests so far. */
  asked(): number;
}

interface SourceOptions {
  /** Returns `true` to request the tools again, although the session knows them. */
  readonly isStale?: (view: LoopView) => boolean;
}

/**
 * Returns a tool source that is asked once per session, and again after a failure or if its tools are stale.
 */
export function createOutsideSource(
  key: string,
  told: ToolLister,
  { isStale = () => false }: SourceOptions = {},
): OutsideSource {
  const tools = new Map<string, AnyTool>();
  const getTool = (name: string): AnyTool => {
    const tool = tools.get(name) ?? createReadingTool(name);
    tools.set(name, tool);
    return tool;
  };
  let asked = 0;
  const getKnownNames = (view: LoopView): readonly string[] | undefined =>
    view.recall(LISTINGS).find((one) => one.key === key)?.told as readonly string[] | undefined; // `discover` records this below.
  return {
    asked: () => asked,
    provider: toolProvider({
      toolsNow: (view) => (view ? (getKnownNames(view) ?? []).map(getTool) : []),
      uses: [listings],
      async discover(discovery) {
        if (getKnownNames(discovery.view) && !isStale(discovery.view)) return [];
        asked += 1;
        const names = [...(await told(asked, discovery))];
        return [createFact(LISTINGS, { key, told: names })];
      },
    }),
  };
}

/** Returns a promise that never settles. */
export const neverResolve = (): Promise<never> => new Promise(() => {});
