/**
 * A position that does not exist in the next build is reported by name and kept until a build maps it to a
 * state.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, type Site } from './site.ts';
import { type Line, listAnswers } from './world.ts';

let site: Site;
const openingInput = '{"order":"41"}';
const call: Line = [['orders', { order: '41' }]];

const removedStateText =
  "The position of 'orders' for '41' is 'packed', a state that it no longer has. No call can change that: the developer " +
  "must map it to a current state in 'renamed'.";

/** Returns the positions of the state machines in the session's memory. */
const readPositions = async (agent: string): Promise<unknown> => {
  const { body } = await site.visit(agent).get();
  return (body as { readonly memory: Readonly<Record<string, unknown>> }).memory['state-machines']; // the state of a session, documented in docs/http.md
};

beforeAll(async () => {
  site = await openSite('gone-states.ts');
  const { world } = site;
  await site.deploy({ constants: { BUILD: 'before' } });
  world.plays('between', [call, 'Packed.'], 'Pack order 41.');
  world.plays('between', [[['pack']], 'So.'], openingInput);
  await site.visit('between').say('Pack order 41.');
  world.plays('inside', [call, 'Done.']);
  world.plays('inside', [[['pack']], [['ship']], [['ship']], 'So.'], openingInput);
  const shipping = world.hold('inside', 'ship');
  await site.visit('inside').start('Pack and ship order 41.');
  await shipping.reached;
  await site.deploy({ constants: { BUILD: 'after' } });
  shipping.release();
});
afterAll(() => site.close());

it('a call in a removed state fails with an error that includes the state, and does not run the nested loop', async () => {
  site.world.plays('between', [call, 'Packed.', call, 'No.'], 'Pack order 41.');
  expect(await site.visit('between').say('Ship it.')).toMatchObject({ body: { text: 'No.' } });
  expect(listAnswers(site.world.asked('between').at(-1)).at(-1)).toEqual([
    'orders',
    `Error: Tool 'orders' did not run. ${removedStateText}`,
  ]);
  expect(await readPositions('between')).toEqual({ 'between/orders': { 41: 'packed' } });
});

it('an open loop in a removed state finishes started calls, and fails other calls with an error about the state', async () => {
  const events = await site.visit('inside').ended();
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  const inside = site.world.asked('inside').filter(({ messages }) => messages.some(isOpening));
  expect(listAnswers(inside.at(-1))).toEqual([
    ['pack', 'pack is done'],
    ['ship', 'ship is done'],
    ['ship', `Error: Tool 'ship' did not run. ${removedStateText}`],
  ]);
  expect(inside.at(-1)?.messages[0]).toMatchObject({
    role: 'system',
    text: expect.stringContaining(removedStateText),
  });
  expect(new Set(site.world.done('inside').map(({ key }) => key)).size).toBe(2);
  expect(await readPositions('inside')).toEqual({ 'inside/orders': { 41: 'packed' } });
});

it('an object in a removed state continues from the state to which a build maps it', async () => {
  await site.deploy({ constants: { BUILD: 'mapped' } });
  site.world.plays('between', [call, 'Packed.', call, 'No.', call, 'Shipped.'], 'Pack order 41.');
  site.world.plays('between', [[['ship']], 'So.'], openingInput);
  expect(await site.visit('between').say('Ship it now.')).toMatchObject({ body: { text: 'Shipped.' } });
  expect(site.world.done('between').map(({ tool }) => tool)).toEqual(['pack', 'ship']);
  expect(await readPositions('between')).toEqual({ 'between/orders': { 41: 'shipped' } });
});

const isOpening = (message: object): boolean => 'text' in message && message.text === openingInput;
