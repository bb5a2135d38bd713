import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool, error, text } from '../../../../../src/index.ts';
import { defineStateMachine, defineUnfolding, nest } from '../../../../../src/kinds/entry.ts';
import { decorate, oneShotPerLoop } from '../../../../../src/modules/decorators/entry.ts';
import { slidingWindow } from '../../../../../src/modules/transformers/entry.ts';
import { createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';
import { fakeCall } from '../fake-call.ts';
import { calls, createCrashingTool, sessionWith, shownResults } from './turns.ts';

const ADVICE = 'Write your script now using the skill body above.';
const LOADED =
  "ALREADY LOADED. The body of 'skill' was returned earlier in this turn — read it from your conversation history " +
  'above. Do not call this tool again.\nWrite your script now using the skill body above.';

/** A skill whose body states how often it was loaded. */
function skillTool(ran: string[] = []) {
  const tool = defineTool({
    name: 'skill',
    description: 'Loads the skill.',
    effect: 'read',
    run: (_, { id }) => `body ${ran.push(id)}`,
  });
  return oneShotPerLoop(tool, ADVICE);
}

/** A tool that runs other tools in a nested loop with its own conversation. */
const diggingTool = (tools: readonly AnyTool[]): AnyTool => ({
  name: 'dig',
  description: 'Digs.',
  inputSchema: { type: 'object' },
  effect: 'none',
  returnDirect: false,
  metadata: {},
  check: async (input) => ({ ok: true, value: input }),
  call: async (_, call) => {
    const frame = { name: 'dig', instructions: 'You dig.', message: 'Dig.', tools };
    return text((await nest(call, frame)).calls.map(({ result }) => result.text()).join(' | '));
  },
});

describe('a one-shot tool', () => {
  it('returns directly with its body, and reports a second call to the model (ONE-08)', async () => {
    const direct = oneShotPerLoop({ ...skillTool(), returnDirect: true }, ADVICE);
    const session = sessionWith([direct], [calls('skill'), calls('skill'), 'Done.']);
    const first = await session.send('Go.', { loopId: 'l' });
    expect(first).toMatchObject({ outcome: 'returned-direct', text: 'body 1' });
    const second = await session.send('Again.', { loopId: 'l' });
    expect(second).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toBe(LOADED);
  });

  it('runs once per loop, and then returns a message with its advice (ONE-05, ONE-06, ONE-07)', async () => {
    const ran: string[] = [];
    const session = sessionWith([skillTool(ran)], [calls('skill'), calls('skill'), calls('skill'), 'Done.']);
    const answer = await session.send('Go.');
    expect(shownResults(session)).toEqual(['body 1', LOADED, LOADED]);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(ran).toHaveLength(1);
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    const repeated = { type: 'text', content: LOADED, withheld: true };
    expect(ended).toEqual([{ type: 'text', content: 'body 1' }, repeated, repeated]);
  });

  it('does not move a state machine when it is called again, because it did not run', async () => {
    const ran: string[] = [];
    const check = skillTool(ran);
    const machine = defineStateMachine({
      name: 'orders',
      description: 'Processes orders.',
      initial: 'draft',
      states: {
        draft: [{ tool: check, to: 'checked' }],
        checked: [{ tool: check, to: 'approved' }],
        approved: [],
      },
    });
    const session = sessionWith([machine], [calls('orders'), calls('skill'), calls('skill'), 'So.', 'Done.']);
    await session.send('Go.');
    expect(ran).toHaveLength(1);
    expect((await session.state()).memories.get('state-machines')).toEqual({
      'clerk/orders': { '': 'checked' },
    });
  });

  it('runs for only one of several parallel calls (ONE-04)', async () => {
    const session = sessionWith([skillTool()], [calls('skill', 'skill', 'skill'), 'Done.']);
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['body 1', LOADED, LOADED]);
  });

  it('runs again in another turn, unless that turn continues the same loop (ONE-07, ONE-10)', async () => {
    const replies = [calls('skill'), 'A.', calls('skill'), 'B.', calls('skill'), 'A.'];
    const session = sessionWith([skillTool()], replies);
    await session.send('Go.', { loopId: 'a' });
    await session.send('Go.', { loopId: 'b' });
    session.restart();
    await session.send('Go on.', { loopId: 'a' });
    expect(shownResults(session)).toEqual(['body 1', 'body 2', LOADED]);
  });

  it('runs once per turn, however many replies the turn has (ONE-10)', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
    const replies = [calls('skill'), calls('look'), calls('look'), calls('skill'), 'Done.'];
    const session = sessionWith([skillTool(), look], replies);
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['body 1', 'seen', 'seen', LOADED]);
  });

  it('runs once in a turn that another Worker resumes', async () => {
    const ran: string[] = [];
    const session: TestSession = sessionWith(
      [skillTool(ran), createCrashingTool(() => session)],
      [calls('skill'), calls('crash'), calls('skill'), 'Done.'],
    );
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['body 1', 'crashed', LOADED]);
    expect(ran).toHaveLength(1);
    const causes = (await session.events()).flatMap((event) =>
      event.type === 'turn-resumed' ? event.cause : [],
    );
    expect(causes.filter((cause) => cause === 'expired')).toHaveLength(1);
  });

  it('counts as used only after a success (ONE-09)', async () => {
    const answers = [error('The shelf is empty.'), text('body'), text('another')];
    const flaky = defineTool({
      name: 'skill',
      description: 'Loads.',
      effect: 'read',
      run: () => answers.shift(),
    });
    const session = sessionWith(
      [oneShotPerLoop(flaky, ADVICE)],
      [calls('skill'), calls('skill'), calls('skill'), 'Done.'],
    );
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['Error: The shelf is empty.', 'body', LOADED]);
  });

  it('runs again only after a window has dropped its result from the conversation', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [skillTool(), look],
      use: [slidingWindow({ maxMessages: 4 })],
    });
    const replies = [calls('skill'), calls('skill'), calls('look'), calls('look'), calls('skill'), 'Done.'];
    const session = createTestSession(agent, { replies });
    await session.send('Go.');
    const shown = session.requests.map(({ messages }) =>
      messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])),
    );
    expect(shown).toEqual([[], ['body 1'], [LOADED], ['seen'], ['seen'], ['body 2']]);
  });

  it('does not count as used if it failed, even if a decorator around it returns another result (ONE-09)', async () => {
    const answers = [error('The shelf is empty.'), text('body')];
    const flaky = defineTool({
      name: 'skill',
      description: 'Loads.',
      effect: 'read',
      run: () => answers.shift(),
    });
    const once = oneShotPerLoop(flaky, ADVICE);
    const mild = decorate(once, {
      call: async (input, call) => text((await once.call(input, call)).text()),
    });
    const session = sessionWith([mild], [calls('skill'), calls('skill'), 'Done.']);
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['The shelf is empty.', 'body']);
  });

  it('runs again in a nested loop, which does not see the content loaded outside', async () => {
    const tool = skillTool();
    const session = sessionWith(
      [tool, diggingTool([tool])],
      [
        calls('skill'),
        calls('dig'),
        calls('skill'),
        calls('skill'),
        'Dug.',
        calls('dig'),
        calls('skill'),
        'Dug.',
        calls('skill'),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['body 1', `body 2 | ${LOADED}`, 'body 3', LOADED]);
  });

  it('runs every time without a loop id (ONE-07)', async () => {
    const ran: string[] = [];
    const { call } = fakeCall({ tool: 'skill' });
    expect((await skillTool(ran).call({}, call)).text()).toBe('body 1');
    expect((await skillTool(ran).call({}, call)).text()).toBe('body 2');
  });

  it('runs every time for an agent that generates no loop ids (ONE-02, ONE-07)', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [skillTool()],
      policies: { loopIds: 'as-sent' },
    });
    const session = createTestSession(agent, { replies: [calls('skill'), calls('skill'), 'Done.'] });
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['body 1', 'body 2']);
    expect((await session.state()).callState.size).toBe(0);
  });

  it('counts as used under the name that the model knows', async () => {
    const renamed = { ...skillTool(), name: 'load_skill' };
    const session = sessionWith(
      [skillTool(), renamed],
      [calls('skill', 'load_skill'), calls('load_skill'), 'Done.'],
    );
    await session.send('Go.');
    expect(shownResults(session)).toEqual(['body 1', 'body 1', LOADED.replace("'skill'", "'load_skill'")]);
  });

  it('keeps the properties of its tool, and returns directly if its tool does (ONE-07, ONE-08)', async () => {
    const tool = defineTool({
      name: 'skill',
      description: 'Loads.',
      returnDirect: true,
      metadata: { group: 'skills' },
      effect: 'idempotent',
      run: () => 'body',
    });
    const once = oneShotPerLoop(tool, ADVICE);
    expect(once).toMatchObject({ returnDirect: true, metadata: { group: 'skills' }, effect: 'idempotent' });
    expect(once.delegate).toBe(tool);
    expect(once.serial).toBe('skill');
    expect(oneShotPerLoop({ ...tool, serial: 'shelf' }, ADVICE).serial).toBe('shelf');
    const session = sessionWith([once], [calls('skill')]);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'returned-direct', text: 'body' });
  });
});

describe('a one-shot unfolding tool', () => {
  const files = () =>
    oneShotPerLoop(
      defineUnfolding({
        name: 'files',
        description: 'Files.',
        tools: [defineTool({ name: 'read', description: 'Reads.', effect: 'read', run: () => 'Read.' })],
      }),
      'Use its tools.',
    );
  const LOADED =
    "ALREADY LOADED. The body of 'files' was returned earlier in this turn — read it from your conversation history " +
    'above. Do not call this tool again.\nUse its tools.';

  it('counts as used while it is open', async () => {
    const session = sessionWith([files()], [calls('files'), calls('files'), 'Done.']);
    await session.send('Go.');
    expect(shownResults(session).at(-1)).toBe(LOADED);
  });

  it('counts as used for a second call in the same reply', async () => {
    const session = sessionWith([files()], [calls('files', 'files'), 'Done.']);
    await session.send('Go.');
    expect(shownResults(session)).toEqual([expect.stringMatching(/^Tools now available: read\./), LOADED]);
  });

  it('opens again in the next turn of its loop, because it closed at the end of the turn', async () => {
    const replies = [calls('files'), 'Done.', calls('files'), calls('read'), 'Done.'];
    const session = sessionWith([files()], replies);
    await session.send('Go.', { loopId: 'l' });
    await session.send('Again.', { loopId: 'l' });
    expect(shownResults(session).slice(1)).toEqual([
      expect.stringMatching(/^Tools now available: read\./),
      'Read.',
    ]);
  });
});
