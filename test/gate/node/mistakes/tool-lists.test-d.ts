/** Tests that the compiler rejects values that are not tools, wherever tools are listed. */
import { defineAgent, defineTool, type ToolSource } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { toolTable } from '../../../../src/modules/tool-objects/entry.ts';

const tool = defineTool({ name: 'pay', description: 'Pays.', effect: 'read', run: () => 'ok' });

class Calculator {
  static readonly tools = { add: { description: 'Adds.' } };
  add() {
    return 2;
  }
}
class Files {
  static readonly unfolding = { name: 'files', description: 'Files.' };
  readonly root = '/';
}
class Sums {
  static readonly tools = toolTable<{ sum(): number }>({ sum: { description: 'Adds.' } });
  static sum() {
    return 2;
  }
  readonly start = 0;
}
class Plain {
  add() {
    return 2;
  }
}

class Bare {
  static readonly tools = { sum: { description: 'Adds.' } };
  static sum() {
    return 2;
  }
  readonly start = 0;
}

// Instances, and classes that have static tools.
export const mixedSources: readonly ToolSource[] = [tool, new Calculator(), new Files(), Sums, new Plain()];

const agent = { name: 'clerk', description: 'Pays.', instructions: 'Pay.' };
defineAgent({ ...agent, tools: mixedSources });

// @ts-expect-error a function that makes one
defineAgent({ ...agent, tools: [() => tool] });
// @ts-expect-error the same, of an object with tools
defineAgent({ ...agent, tools: [() => new Calculator()] });
// @ts-expect-error a class without tools of its own, in place of its instance
defineAgent({ ...agent, tools: [Plain] });
// @ts-expect-error a class whose table carries nothing that reads it
defineAgent({ ...agent, tools: [Bare] });
// @ts-expect-error a promise of one
defineAgent({ ...agent, tools: [Promise.resolve(tool)] });
// @ts-expect-error what answers a promise of one
defineAgent({ ...agent, tools: [async () => tool] });
// @ts-expect-error a list of them
defineAgent({ ...agent, tools: [[tool]] });
// @ts-expect-error its name
defineAgent({ ...agent, tools: ['pay'] });
// @ts-expect-error the literal of one
defineAgent({ ...agent, tools: [{ name: 'pay', description: 'Pays.', run: () => 'ok' }] });

const group = { role: 'web', description: 'Web.' };
// @ts-expect-error a function that makes one
defineToolGroup({ ...group, tools: [() => tool] });
// @ts-expect-error a class without tools of its own
defineToolGroup({ ...group, tools: [Plain] });
// @ts-expect-error a promise of one
defineToolGroup({ ...group, tools: [Promise.resolve(tool)] });

// @ts-expect-error a function that makes one
defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [() => tool] });
// @ts-expect-error a class
defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [Plain] });
// @ts-expect-error a promise of one
defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [Promise.resolve(tool)] });
