import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  type ArtifactType,
  artifact,
  defineDomainType,
  defineTool,
  error,
  exitEarly,
  type Json,
} from '../../../../../src/index.ts';
import {
  conditionalReplan,
  type ReplanContext,
  replanAlways,
  replanAndAdd,
  replanning,
  replanWhen,
} from '../../../../../src/modules/decorators/entry.ts';
import { createFakeCall } from '../fake-call.ts';
import { callTools, getShownResults, startSession } from './turns.ts';

const Route = defineDomainType({ name: 'Route', schema: v.object({ hours: v.number() }) });
const route = artifact('Two hours.', Route, { hours: 2 });
const createReturningTool = (value: unknown): AnyTool =>
  defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => value });

/** Runs a turn with one call of the tool. Without a signal, the model replies 'Done.' */
async function runToolTurn(tool: AnyTool) {
  const session = startSession([tool], [callTools('look'), 'Done.']);
  const { outcome, text, signal } = await session.send('Go.');
  const ended = (await session.events()).flatMap((event) =>
    event.type === 'tool-call-ended' ? [event.result] : [],
  );
  return { outcome, text, signal, result: ended[0], board: (await session.state()).blackboard, session };
}

const createReplannedOutcome = (reason: string) => ({
  outcome: 'completed',
  text: '',
  signal: { type: 'replan', reason },
});
const continuedOutcome = { outcome: 'completed', text: 'Done.', signal: undefined, board: [] };

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a replanning tool', () => {
  it('ends its loop with the result and its reason, and puts its text on the blackboard (DEC-12)', async () => {
    const end = await runToolTurn(replanning(createReturningTool(route), 'There is a route.'));
    expect(end).toMatchObject(createReplannedOutcome('There is a route.'));
    expect(end.result).toEqual({
      type: 'artifact',
      content: 'Two hours.',
      value: { hours: 2 },
      artifactType: 'Route',
      signal: { type: 'replan', reason: 'There is a route.' },
    });
    expect(end.board).toEqual([{ value: 'Two hours.' }]);
    expect(end.session.requests).toHaveLength(1);
  });

  it('adds entries with its updater instead, if it has one (DEC-12)', async () => {
    const tool = replanning(createReturningTool(route), 'There is a route.', (result, { blackboard }) =>
      blackboard.add({ told: result.text() }, { name: 'news' }),
    );
    expect((await runToolTurn(tool)).board).toEqual([{ name: 'news', value: { told: 'Two hours.' } }]);
  });

  it('also ends its loop after an error, and discards the additions of its updater (DEC-12)', async () => {
    const told: string[] = [];
    const tool = replanning(
      createReturningTool(error('The road is closed.')),
      'Find another.',
      (result, call) => {
        told.push(result.text());
        call.blackboard.add(result.text());
      },
    );
    const end = await runToolTurn(tool);
    expect(end).toMatchObject({ ...createReplannedOutcome('Find another.'), board: [] });
    expect(end.result).toMatchObject({ type: 'error', message: 'The road is closed.' });
    expect(told).toEqual(['The road is closed.']);
  });

  it('returns an error for an invalid input to the model without replanning', async () => {
    const strict = defineTool({
      name: 'look',
      description: 'Looks.',
      input: v.object({ at: v.string() }),
      effect: 'read',
      run: () => 'seen',
    });
    const end = await runToolTurn(replanning(strict, 'News.'));
    expect(end).toMatchObject({ ...continuedOutcome, result: { type: 'error', reason: 'invalid-input' } });
  });

  it('keeps a signal that its tool sends', async () => {
    const leaves = defineTool({
      name: 'look',
      description: 'Leaves.',
      effect: 'read',
      run: () => {
        throw exitEarly('Enough.');
      },
    });
    expect(await runToolTurn(replanning(leaves, 'News.'))).toMatchObject({
      outcome: 'cancelled',
      signal: { type: 'exit', reason: 'Enough.' },
      board: [],
    });
  });

  it('ends its loop even if its updater fails, and logs the failure', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('no');
    const tool = replanning(createReturningTool('seen'), 'News.', () => {
      throw failure;
    });
    expect(await runToolTurn(tool)).toMatchObject({
      ...createReplannedOutcome('News.'),
      result: { content: 'seen' },
    });
    expect(log.mock.calls).toEqual([["holdfast: the blackboard updater of tool 'look' failed", failure]]);
  });
});

describe('replanAlways', () => {
  it('ends the loop with a reason that names the tool, and puts the artifact on the blackboard (DEC-13)', async () => {
    const end = await runToolTurn(replanAlways(createReturningTool(route)));
    expect(end).toMatchObject(createReplannedOutcome('look replans'));
    expect(end.board).toEqual([{ type: 'Route', value: { hours: 2 } }]);
  });

  it('adds no entry if there is no artifact (DEC-13)', async () => {
    const end = await runToolTurn(replanAlways(createReturningTool('words')));
    expect(end).toMatchObject({ ...createReplannedOutcome('look replans'), board: [] });
  });
});

const isLong = (found: unknown): boolean =>
  typeof found === 'object' && found !== null && 'hours' in found && Number(found.hours) > 1;
const Other: ArtifactType = { name: 'Other' };

describe('replanWhen', () => {
  it('ends the loop if the predicate matches the artifact (DEC-13)', async () => {
    const end = await runToolTurn(replanWhen(createReturningTool(route), isLong));
    expect(end).toMatchObject({ ...createReplannedOutcome('look replans based on result'), board: [] });
    const typed = replanWhen(createReturningTool(route), ({ hours }) => hours === 2, { type: Route });
    expect(await runToolTurn(typed)).toMatchObject(createReplannedOutcome('look replans based on result'));
  });

  it.each([
    ['the predicate is false', replanWhen(createReturningTool(route), () => false)],
    ['there is no artifact', replanWhen(createReturningTool('words'), () => true)],
    ['it is an error', replanWhen(createReturningTool(error('No.')), () => true)],
    ['it is of another type', replanWhen(createReturningTool(route), () => true, { type: Other })],
    [
      'its value does not match the type',
      replanWhen(createReturningTool(artifact('', Route, { hours: 'two' })), () => true, { type: Route }),
    ],
  ])('does not end the loop if %s (DEC-13)', async (_, tool) => {
    expect(await runToolTurn(tool)).toMatchObject(continuedOutcome);
  });

  it('passes a list to the predicate as a whole', async () => {
    const asked: Json[] = [];
    await runToolTurn(replanWhen(createReturningTool([1, 2]), (found) => asked.push(found) < 0));
    expect(asked).toEqual([[1, 2]]);
  });
});

describe('replanAndAdd', () => {
  it('ends the loop, and puts the value that it makes from the artifact on the blackboard (DEC-13)', async () => {
    const tool = replanAndAdd(createReturningTool(route), ({ hours }) => ({ minutes: 60 * hours }), {
      type: Route,
    });
    const end = await runToolTurn(tool);
    expect(end).toMatchObject(createReplannedOutcome('look replans based on result'));
    expect(end.board).toEqual([{ value: { minutes: 120 } }]);
  });

  it.each([
    ['it returns undefined', replanAndAdd(createReturningTool(route), () => undefined)],
    ['it returns null', replanAndAdd(createReturningTool(route), () => null)],
    ['there is no artifact', replanAndAdd(createReturningTool('words'), () => 1)],
    ['it is of another type', replanAndAdd(createReturningTool(route), () => 1, { type: Other })],
  ])('does not end the loop if %s (DEC-13)', async (_, tool) => {
    expect(await runToolTurn(tool)).toMatchObject(continuedOutcome);
  });
});

describe('conditionalReplan', () => {
  it('passes the result, the artifact, the call and the tool to its decider (DEC-14)', async () => {
    const tool = createReturningTool(route);
    const seen: ReplanContext<AnyTool>[] = [];
    const end = await runToolTurn(conditionalReplan(tool, (context) => void seen.push(context)));
    expect(end).toMatchObject(continuedOutcome);
    const [context] = seen;
    expect(context).toMatchObject({ content: 'Two hours.', artifact: { hours: 2 }, call: { tool: 'look' } });
    expect(context?.tool).toBe(tool);
    expect(context?.result).toMatchObject({ type: 'artifact', artifactType: 'Route' });
    expect(context?.artifactAs(Route)).toEqual({ hours: 2 });
    expect(context?.artifactAs(Other)).toBeUndefined();
  });

  it('ends the loop if its decider decides so, and adds entries by its updater (DEC-14)', async () => {
    const tool = conditionalReplan(createReturningTool('seen'), async ({ content }) => ({
      reason: `It has ${content}.`,
      updater: (_, { blackboard }) => blackboard.add('known'),
    }));
    const end = await runToolTurn(tool);
    expect(end).toMatchObject({ ...createReplannedOutcome('It has seen.'), board: [{ value: 'known' }] });
  });

  it('asks its decider about errors too, and continues if the decider returns no decision (DEC-13)', async () => {
    const failed = conditionalReplan(createReturningTool(error('No.')), ({ content }) => ({
      reason: content,
    }));
    expect(await runToolTurn(failed)).toMatchObject(createReplannedOutcome('No.'));
    expect(await runToolTurn(conditionalReplan(createReturningTool('seen'), () => null))).toMatchObject(
      continuedOutcome,
    );
  });

  it('continues with the result of the tool if its decider fails, and logs the failure', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('no');
    const tool = conditionalReplan(createReturningTool('seen'), () => Promise.reject(failure));
    const end = await runToolTurn(tool);
    expect(end).toMatchObject(continuedOutcome);
    expect(getShownResults(end.session)).toEqual(['seen']);
    expect(log.mock.calls).toEqual([["holdfast: the replan decider of tool 'look' failed", failure]]);
  });

  it('refuses to run without a session (DEC-14)', async () => {
    const ran: string[] = [];
    const look = defineTool({ name: 'look', description: 'Looks.', run: () => void ran.push('look') });
    const { call } = createFakeCall({ inSession: false, tool: 'look' });
    await expect(conditionalReplan(look, () => null).call({}, call)).rejects.toMatchObject({
      signal: {
        type: 'misconfigured',
        reason: "Tool 'look' can replan only in a session.",
      },
    });
    expect(ran).toEqual([]);
  });
});
