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

/** A tool object can have a method called `run`. */
class Job {
  static readonly tools = toolTable<Job>({ run: { description: 'Runs.' } });
  run() {
    return 'done';
  }
}

/** It can also have a member called `tools`. */
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

// @ts-expect-error a tool is made by defineTool
resolveTools([{ name: 'pay', description: 'Pays.', run: () => 'paid' }]);

const math = defineToolGroup({ role: 'math', description: 'Calculates.', tools: [look] });
resolveTools([math, toolFactory(() => new Calculator()), toolFactory(() => [look, new Calculator()])]);
// @ts-expect-error a factory makes what it makes at once
toolFactory(async () => look);
// @ts-expect-error a provider is listed beside a factory
toolFactory(() => toolProvider({ toolsNow: () => [look] }));
// @ts-expect-error a class is made by the function
toolFactory(Calculator);
defineAgent({ name: 'a', description: 'b', instructions: 'c', tools: [math] });
const other = defineAgent({ name: 'a', description: 'b', instructions: 'c' });
// @ts-expect-error an agent is no tool
resolveTools([other]);

// @ts-expect-error names are not tools
resolveTools(['look']);

// @ts-expect-error a provider answers with tools, at once
resolveTools([toolProvider({ toolsNow: async () => [look] })]);

// @ts-expect-error the literal of a provider is none yet
resolveTools([{ toolsNow: () => [look] }]);

// @ts-expect-error there is no such option
resolveTools([look], { strict: true });
