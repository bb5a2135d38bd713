import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool, error, text } from '../../../../../src/index.ts';
import { defineStateMachine, defineUnfolding, nest } from '../../../../../src/kinds/entry.ts';
import { decorate, oneShotPerLoop } from '../../../../../src/modules/decorators/entry.ts';
import { slidingWindow } from '../../../../../src/modules/transformers/entry.ts';
import { createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';
import { createFakeCall } from '../fake-call.ts';
import { callTools, createCrashingTool, getShownResults, startSession } from './turns.ts';

const ADVICE = 'Write your script now using the skill body above.';
const ALREADY_LOADED =
  "ALREADY LOADED. The body of 'skill' was returned earlier in this turn — read it from your conversation history " +
  'above. Do not call this tool again.\nWrite your script now using the skill body above.';

/** A skill whose body states how often it was loaded. */
function createSkillTool(ran: string[] = []) {
  const tool = defineTool({
    name: 'skill',
    description: 'Loads the skill.',
    effect: 'read',
    run: (_, { id }) => `body ${ran.push(id)}`,
  });
  return oneShotPerLoop(tool, ADVICE);
}

/** A tool that runs other tools in a nested loop with its own conversation. */
const createDiggingTool = (tools: readonly AnyTool[]): AnyTool => ({
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
  it('returns its result directly, and reports a second call to the model (ONE-08)', async () => {
    const direct = oneShotPerLoop({ ...createSkillTool(), returnDirect: true }, ADVICE);
    const session = startSession([direct], [callTools('skill'), callTools('skill'), 'Done.']);
    const first = await session.send('Go.', { loopId: 'l' });
    expect(first).toMatchObject({ outcome: 'returned-direct', text: 'body 1' });
    const second = await session.send('Again.', { loopId: 'l' });
    expect(second).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toBe(ALREADY_LOADED);
  });

  it('runs once per loop, and then returns a message with its advice (ONE-05, ONE-06, ONE-07)', async () => {
    const ran: string[] = [];
    const session = startSession(
      [createSkillTool(ran)],
      [callTools('skill'), callTools('skill'), callTools('skill'), 'Done.'],
    );
    const answer = await session.send('Go.');
    expect(getShownResults(session)).toEqual(['body 1', ALREADY_LOADED, ALREADY_LOADED]);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(ran).toHaveLength(1);
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    const repeated = { type: 'text', content: ALREADY_LOADED, withheld: true };
    expect(ended).toEqual([{ type: 'text', content: 'body 1' }, repeated, repeated]);
  });

  it('does not move a state machine when it is called again, because it did not run', async () => {
    const ran: string[] = [];
    const check = createSkillTool(ran);
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
    const session = startSession(
      [machine],
      [callTools('orders'), callTools('skill'), callTools('skill'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect(ran).toHaveLength(1);
    expect((await session.state()).memories.get('state-machines')).toEqual({
      'clerk/orders': { '': 'checked' },
    });
  });

  it('runs for only one of several parallel calls (ONE-04)', async () => {
    const session = startSession([createSkillTool()], [callTools('skill', 'skill', 'skill'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['body 1', ALREADY_LOADED, ALREADY_LOADED]);
  });

  it('runs again in another turn, unless that turn continues the same loop (ONE-07, ONE-10)', async () => {
    const replies = [callTools('skill'), 'A.', callTools('skill'), 'B.', callTools('skill'), 'A.'];
    const session = startSession([createSkillTool()], replies);
    await session.send('Go.', { loopId: 'a' });
    await session.send('Go.', { loopId: 'b' });
    session.restart();
    await session.send('Go on.', { loopId: 'a' });
    expect(getShownResults(session)).toEqual(['body 1', 'body 2', ALREADY_LOADED]);
  });

  it('runs once per turn, however many replies the turn has (ONE-10)', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
    const replies = [callTools('skill'), callTools('look'), callTools('look'), callTools('skill'), 'Done.'];
    const session = startSession([createSkillTool(), look], replies);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['body 1', 'seen', 'seen', ALREADY_LOADED]);
  });

  it('runs once in a turn that another Worker resumes', async () => {
    const ran: string[] = [];
    const session: TestSession = startSession(
      [createSkillTool(ran), createCrashingTool(() => session)],
      [callTools('skill'), callTools('crash'), callTools('skill'), 'Done.'],
    );
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['body 1', 'crashed', ALREADY_LOADED]);
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
    const session = startSession(
      [oneShotPerLoop(flaky, ADVICE)],
      [callTools('skill'), callTools('skill'), callTools('skill'), 'Done.'],
    );
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['Error: The shelf is empty.', 'body', ALREADY_LOADED]);
  });

  it('runs again after a window has dropped its result from the conversation, but not before', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [createSkillTool(), look],
      use: [slidingWindow({ maxMessages: 4 })],
    });
    const replies = [
      callTools('skill'),
      callTools('skill'),
      callTools('look'),
      callTools('look'),
      callTools('skill'),
      'Done.',
    ];
    const session = createTestSession(agent, { replies });
    await session.send('Go.');
    const shown = session.requests.map(({ messages }) =>
      messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])),
    );
    expect(shown).toEqual([[], ['body 1'], [ALREADY_LOADED], ['seen'], ['seen'], ['body 2']]);
  });

  it('does not count as used if it failed, even if a decorator around it returns a success (ONE-09)', async () => {
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
    const session = startSession([mild], [callTools('skill'), callTools('skill'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['The shelf is empty.', 'body']);
  });

  it('runs again in a nested loop, because that loop does not see the content loaded outside', async () => {
    const tool = createSkillTool();
    const session = startSession(
      [tool, createDiggingTool([tool])],
      [
        callTools('skill'),
        callTools('dig'),
        callTools('skill'),
        callTools('skill'),
        'Dug.',
        callTools('dig'),
        callTools('skill'),
        'Dug.',
        callTools('skill'),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getShownResults(session)).toEqual([
      'body 1',
      `body 2 | ${ALREADY_LOADED}`,
      'body 3',
      ALREADY_LOADED,
    ]);
  });

  it('runs every time without a loop id (ONE-07)', async () => {
    const ran: string[] = [];
    const { call } = createFakeCall({ tool: 'skill' });
    expect((await createSkillTool(ran).call({}, call)).text()).toBe('body 1');
    expect((await createSkillTool(ran).call({}, call)).text()).toBe('body 2');
  });

  it('runs every time for an agent that generates no loop ids (ONE-02, ONE-07)', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [createSkillTool()],
      policies: { loopIds: 'as-sent' },
    });
    const session = createTestSession(agent, { replies: [callTools('skill'), callTools('skill'), 'Done.'] });
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['body 1', 'body 2']);
    expect((await session.state()).callState.size).toBe(0);
  });

  it('counts as used separately under each name that the model knows', async () => {
    const renamed = { ...createSkillTool(), name: 'load_skill' };
    const session = startSession(
      [createSkillTool(), renamed],
      [callTools('skill', 'load_skill'), callTools('load_skill'), 'Done.'],
    );
    await session.send('Go.');
    expect(getShownResults(session)).toEqual([
      'body 1',
      'body 1',
      ALREADY_LOADED.replace("'skill'", "'load_skill'"),
    ]);
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
    const session = startSession([once], [callTools('skill')]);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'returned-direct', text: 'body' });
  });
});

describe('a one-shot unfolding tool', () => {
  const createFilesTool = () =>
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
    const session = startSession([createFilesTool()], [callTools('files'), callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session).at(-1)).toBe(LOADED);
  });

  it('counts as used for a second call in the same reply', async () => {
    const session = startSession([createFilesTool()], [callTools('files', 'files'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual([expect.stringMatching(/^Tools now available: read\./), LOADED]);
  });

  it('opens again in the next turn of its loop, because it closed at the end of the turn', async () => {
    const replies = [callTools('files'), 'Done.', callTools('files'), callTools('read'), 'Done.'];
    const session = startSession([createFilesTool()], replies);
    await session.send('Go.', { loopId: 'l' });
    await session.send('Again.', { loopId: 'l' });
    expect(getShownResults(session).slice(1)).toEqual([
      expect.stringMatching(/^Tools now available: read\./),
      'Read.',
    ]);
  });
});
