/** An agent whose turns have every kind of content that a chat can show. */

import * as v from 'valibot';
import { artifact, content, defineAgent, defineTool, image, text } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { askFirst } from '../../../fixtures/asks-first.ts';
import { modelBySession } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';

/** A one-pixel image. */
export const PIXEL_BYTES = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
);

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  effect: 'read',
  input: v.object({ a: v.number(), b: v.number() }),
  run: ({ a, b }, call) => {
    call.progress(`adding ${a} and ${b}`);
    return a + b;
  },
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: v.object({ amount: v.number() }),
  run: ({ amount }, call) => {
    call.say(`On its way: ${amount}.`);
    return artifact(`Paid ${amount}.`, { amount });
  },
});

const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  effect: 'read',
  run: () => content(['A pixel:', image(PIXEL_BYTES, 'image/png')]),
});

/** The start of this call is stored before it runs. */
const note = defineTool({
  name: 'note',
  description: 'Notes.',
  run: () => 'Noted.',
});

const whereTool = defineManualTool({
  name: 'where',
  description: 'Tells where the page is.',
  input: v.object({}),
});

/** Continues after any decision. */
const suggest = defineTool({
  name: 'suggest',
  description: 'Suggests.',
  effect: 'read',
  run: async (_, call) =>
    `They said: ${(await call.ask({ for: 'decision', message: 'Like this?' })).decision}.`,
});

/** Asks two questions. */
const confirm = defineTool({
  name: 'confirm',
  description: 'Confirms.',
  effect: 'read',
  run: async (_, call) => {
    const first = await call.ask({ for: 'decision', message: 'Sure?' });
    const second = await call.ask({ for: 'decision', message: 'Really?' });
    return `${first.decision}, ${second.decision}`;
  },
});

const look = askFirst(
  defineManualTool({ name: 'look', description: 'Looks around, in the page.', input: v.object({}) }),
);

const finish = defineTool({
  name: 'finish',
  description: 'Ends with its words.',
  effect: 'read',
  returnDirect: true,
  run: () => text('That is all.'),
});

/** The nested loop has a tool that asks. */
const helper = defineSubagent({
  agent: defineAgent({
    name: 'helper',
    description: 'Pays by itself.',
    instructions: 'Pay.',
    tools: [askFirst(pay)],
    model: modelBySession,
  }),
});

export const desk = defineAgent({
  name: 'desk',
  description: 'Does a bit of everything.',
  instructions: 'Follow the script.',
  tools: [add, askFirst(pay), draw, note, whereTool, suggest, confirm, look, finish, helper],
  model: {
    ...modelBySession,
    media: { message: { data: ['image/*'], url: ['image/*'] }, result: { data: [], url: [] } },
  },
});

export const via = createTestApp({
  agents: [desk],
  use: [aiSdkUi(), files()],
  http: { bodyContext: ['order'] },
});
