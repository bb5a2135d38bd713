import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  resolveTools,
  type ToolSource,
  toolProvider,
} from '../../../../../src/index.ts';

import { defineToolGroup } from '../../../../../src/modules/tool-groups/entry.ts';
import { toolFactory, toolTable } from '../../../../../src/modules/tool-objects/entry.ts';

const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'seen' });

class Calculator {
  static readonly tools = toolTable<Calculator>({
    add: { description: 'Adds.', input: v.object({ a: v.number() }) },
  });
  add({ a }: { a: number }) {
    return a;
  }
}

/** A tool object may have a method called `run`. */
class Job {
  static readonly tools = toolTable<Job>({ run: { description: 'Runs.' } });
  run() {
    return 'done';
  }
}

/** A tool object may also have a member called `tools`. */
class Toolbox {
  static readonly tools = toolTable<Toolbox>({ open: { description: 'Opens.' } });
  private readonly tools: string[] = [];
  open() {
    return this.tools;
  }
}

export const sources: readonly ToolSource[] = [
  look,
  new Calculator(),
  Calculator,
  new Job(),
  new Toolbox(),
  toolProvider({ toolsNow: () => [look] }),
];
expectTypeOf(resolveTools(sources).tools).toEqualTypeOf<readonly AnyTool[]>();
defineAgent({ name: 'a', description: 'b', instructions: 'c', tools: sources });

// @ts-expect-error a definition is not a tool: use defineTool
resolveTools([{ name: 'pay', description: 'Pays.', run: () => 'paid' }]);

const math = defineToolGroup({ role: 'math', description: 'Calculates.', tools: [look] });
resolveTools([math, toolFactory(() => new Calculator()), toolFactory(() => [look, new Calculator()])]);
// @ts-expect-error a factory must be synchronous
toolFactory(async () => look);
// @ts-expect-error a factory cannot return a provider
toolFactory(() => toolProvider({ toolsNow: () => [look] }));
// @ts-expect-error the function must create an instance of the class
toolFactory(Calculator);
defineAgent({ name: 'a', description: 'b', instructions: 'c', tools: [math] });
const other = defineAgent({ name: 'a', description: 'b', instructions: 'c' });
// @ts-expect-error an agent is not a tool
resolveTools([other]);

// @ts-expect-error a name is not a tool
resolveTools(['look']);

// @ts-expect-error a provider must return tools, and synchronously
resolveTools([toolProvider({ toolsNow: async () => [look] })]);

// @ts-expect-error a definition is not a provider: use toolProvider
resolveTools([{ toolsNow: () => [look] }]);

// @ts-expect-error there is no such option
resolveTools([look], { strict: true });
