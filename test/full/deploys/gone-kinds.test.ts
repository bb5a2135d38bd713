/**
 * The next build lacks some sources of tools: an unfolding tool, a domain type, a playbook's tool, a subagent
 * and an agent.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../../src/examples/demo/ports.ts';
import { openSite, type Site } from './site.ts';
import { formatToolNotFound, formatUnknownOutcome } from './texts.ts';
import { type Line, listAnswers, type RecordedEffect } from './world.ts';

let site: Site;
const buildBefore = { constants: { BUILD: 'before' } };
const order: Line = [['clerk', { message: 'Send the order.' }]];
const research: Line = [['research', { topic: 'kelp' }]];
const innerInput = '{"topic":"kelp"}';

/**
 * Returns the tools of the scene's last request and the results that it contains. `begun` selects the
 * conversation by its first words.
 */
function getLastRequest(scene: string, begun = 'Go.') {
  const requests = site.world
    .asked(scene)
    .filter(({ messages }) => messages.some((one) => 'text' in one && one.text === begun));
  const request = requests.at(-1);
  return { offered: request?.tools.map(({ name }) => name), answers: listAnswers(request) };
}
const listEffects = (scene: string, what: string): readonly RecordedEffect[] =>
  site.world.done(scene).filter(({ tool }) => tool === what);
const readOutcome = async (agent: string): Promise<unknown> => (await site.visit(agent).ended()).at(-1);
const turnCompleted = { type: 'turn-ended', outcome: 'completed' };

beforeAll(async () => {
  site = await openSite('gone-kinds.ts');
  const { world } = site;
  await site.deploy(buildBefore);
  world.plays('facade', [[['files']], [['write_file'], ['delete_file']], 'Done.']);
  world.plays('regrouped', [[['files']], [['write_file']], 'Done.']);
  world.plays('kept', [[['files']], 'Opened.', [['write_file']], 'Done.']);
  world.plays('chained', [[['find_customer']], [['greet']], 'Done.', 'Yes.', 'Again.']);
  world.plays('playbook', [research, 'Done.']);
  world.plays('playbook', [[['search']], [['search'], ['report']], 'So.'], innerInput);
  for (const scene of ['subagent', 'named']) {
    world.plays(scene, [order, 'Done.']);
    world.plays(`${scene}-clerk`, [[['send_order']], 'Sent.']);
  }
  world.plays('gone-running', [[['send_order']], 'Here again.']);
  world.plays('gone-waiting', [[['send_order']], 'Sent.']);
  await site.visit('kept').say('Go.');
  await site.visit('gone-waiting').say('Go.');
  const searching = world.hold('playbook', 'search');
  const running = [
    world.hold('facade', 'write_file'),
    world.hold('regrouped', 'write_file'),
    world.hold('chained', 'greet'),
    world.hold('subagent', 'send_order'),
    world.hold('named', 'send_order'),
    world.hold('gone-running', 'send_order'),
  ];
  for (const scene of ['facade', 'regrouped', 'chained', 'playbook', 'subagent', 'named', 'gone-running'])
    await site.visit(scene).start('Go.');
  await searching.reached;
  const searchingAgain = letNextWait();
  await Promise.all([...running, searchingAgain].map(({ reached }) => reached));
  await site.deploy({ constants: { BUILD: 'after' } });
  for (const { release } of [...running, searchingAgain]) release();

  /** The first search unlocks the report. The model requests the second search and the report in one reply. */
  function letNextWait() {
    searching.release();
    return world.hold('playbook', 'search');
  }
});
afterAll(() => site.close());

describe('an opened unfolding tool that a deployment removed', () => {
  it('is forgotten, so a started inner call has an unknown outcome and an unstarted call reports a missing tool', async () => {
    expect(await readOutcome('facade')).toMatchObject(turnCompleted);
    const { offered, answers } = getLastRequest('facade');
    expect(answers.slice(1)).toEqual([
      ['write_file', formatUnknownOutcome('write_file')],
      ['delete_file', formatToolNotFound('delete_file', 'look_up')],
    ]);
    expect(offered).toEqual(['look_up']);
  });

  it('does not affect calls of inner tools that the agent now offers directly, which resume under their keys', async () => {
    expect(await readOutcome('regrouped')).toMatchObject(turnCompleted);
    expect(getLastRequest('regrouped')).toMatchObject({
      offered: ['write_file'],
      answers: [expect.anything(), ['write_file', 'write_file is done']],
    });
    const keys = listEffects('regrouped', 'write_file').map(({ key }) => key);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('removes the inner tools that the session had stored', async () => {
    expect(await site.visit('kept').say('Write it.')).toMatchObject({ body: { text: 'Done.' } });
    expect(getLastRequest('kept')).toEqual({
      offered: ['look_up'],
      answers: [expect.anything(), ['write_file', formatToolNotFound('write_file', 'look_up')]],
    });
    expect(listEffects('kept', 'write_file')).toEqual([]);
  });
});

it('an object of a removed domain type offers no tools, and its call has an unknown outcome', async () => {
  expect(await readOutcome('chained')).toMatchObject(turnCompleted);
  expect(getLastRequest('chained')).toEqual({
    offered: ['find_customer'],
    answers: [expect.anything(), ['greet', formatUnknownOutcome('greet')]],
  });
  expect(await site.visit('chained').say('Are you there?')).toMatchObject({ body: { text: 'Yes.' } });
});

it('an unlocked tool of a removed playbook does not exist, and the progress of the playbook is kept', async () => {
  expect(await readOutcome('playbook')).toMatchObject(turnCompleted);
  expect(getLastRequest('playbook', innerInput)).toEqual({
    offered: ['search'],
    answers: [
      ['search', 'search is done'],
      ['search', 'search is done'],
      ['report', formatToolNotFound('report', 'search')],
    ],
  });
  const { body } = await site.visit('playbook').get();
  expect(body).toMatchObject({
    memory: { playbooks: { 'playbook/research': { '': { toolExecutions: 2, tools: { search: 2 } } } } },
  });
});

describe('a subagent whose loop has had effects', () => {
  it('has an unknown outcome if its tool is removed', async () => {
    expect(await readOutcome('subagent')).toMatchObject(turnCompleted);
    expect(getLastRequest('subagent')).toEqual({
      offered: ['look_up'],
      answers: [['clerk', formatUnknownOutcome('clerk')]],
    });
  });

  it('fails if its agent is removed, and the model sees that the call had started', async () => {
    expect(await readOutcome('named')).toMatchObject(turnCompleted);
    expect(getLastRequest('named').answers).toEqual([
      [
        'clerk',
        "Error: Agent 'named-clerk' not found. Available agents: chained, facade, kept, named, playbook, regrouped, " +
          'subagent. The work had begun, and its outcome is unknown.',
      ],
    ]);
  });
});

describe('a removed agent', () => {
  const error = { type: 'misconfigured', message: "This deployment has no agent 'gone-running'." };

  it('returns 404 for its sessions', async () => {
    for (const agent of ['gone-running', 'gone-waiting']) {
      expect(await site.visit(agent).get()).toMatchObject({
        status: 404,
        body: {
          type: 'urn:holdfast:problem:unknown-agent',
          detail: `There is no agent '${agent}'. GET /agents lists the agents.`,
        },
      });
      expect(await site.visit(agent).say('Hello?')).toMatchObject({ status: 404 });
    }
  });

  it('fails its open turn, and its session is available when the agent is restored', async () => {
    const hasLeft = async (): Promise<boolean> => listEffects('gone-running', 'runner-left').length > 0;
    await pollUntil('the turn is taken over', 10_000, hasLeft);
    await site.deploy(buildBefore);
    const { status, body } = await site.visit('gone-running').get();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      openTurn: null,
      turn: { outcome: 'failed', error },
      messages: [
        { role: 'user', text: 'Go.' },
        { toolCalls: [{ result: formatUnknownOutcome('send_order') }] },
      ],
    });
    expect(await site.visit('gone-running').say('Are you there?')).toMatchObject({
      body: { text: 'Here again.', outcome: 'completed' },
    });
    expect(listEffects('gone-running', 'send_order')).toHaveLength(1);
  });

  it('keeps a waiting turn, and accepts its decision when the agent is restored', async () => {
    const [pending] = await site.visit('gone-waiting').pending();
    const heard = await site
      .visit('gone-waiting')
      .post(`/approvals/${pending?.call}`, { decision: 'approve' });
    expect(heard).toMatchObject({ status: 200, body: { outcome: 'completed', text: 'Sent.' } });
    expect(listEffects('gone-waiting', 'send_order')).toHaveLength(1);
  });

  it('a restored domain type offers the object that the session had before', async () => {
    expect(await site.visit('chained').say('And now?')).toMatchObject({ body: { text: 'Again.' } });
    expect(getLastRequest('chained').offered).toEqual(['find_customer', 'greet']);
  });
});
