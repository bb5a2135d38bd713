/**
 * `npx holdfast sessions` and other commands that query a deployment, with a Worker and with other servers.
 */
import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../doors/cli.ts';
import { buildCliProgram } from './cli-program.ts';
import { type RunningWorker, startWorker } from './start-worker.ts';

const program = await buildCliProgram();
const TOKEN = 'a-token-of-these-tests-0123456789';
const TEAM_TOKEN = 'a-token-of-the-team-0123456789012';

let worker: RunningWorker;
let bare: RunningWorker;
beforeAll(async () => {
  const vars = { HOLDFAST_TOKEN: TOKEN, TEAM_TOKEN };
  const createVariant = (VARIANT: string) => ({ build: { constants: { VARIANT } }, vars });
  worker = await startWorker('test/fixtures/operated-worker.ts', {
    ...createVariant('whole'),
    deployedAs: { hasIndex: true },
  });
  bare = await startWorker('test/fixtures/operated-worker.ts', createVariant('bare'));
}, 60_000);
afterAll(async () => {
  await worker.stop();
  await bare.stop();
});

interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program as `npx holdfast` does, without a terminal. */
async function run(
  args: readonly string[],
  { url = worker.url.href, token = TOKEN }: { url?: string; token?: string } = {},
): Promise<CommandResult> {
  const { HOLDFAST_URL: _, HOLDFAST_TOKEN: __, ...rest } = process.env;
  const env = { ...rest, ...(url && { HOLDFAST_URL: url }), ...(token && { HOLDFAST_TOKEN: token }) };
  const result = await new Promise<CommandResult>((resolved) => {
    execFile(process.execPath, [program, ...args], { env }, (failure, out, err) =>
      resolved({ code: Number(failure?.code ?? 0), out: out.trim(), err: err.trim() }),
    );
  });
  for (const text of [result.out, result.err]) {
    expect(text).not.toMatch(UNSEEN_CHARACTER);
    if (token) expect(text).not.toContain(token);
  }
  return result;
}

/** Matches characters that must not reach a terminal. */
const UNSEEN_CHARACTER = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Runs a turn in a session of the clerk, and returns the response. */
async function say(session: string, message: string, at = worker): Promise<Record<string, unknown>> {
  const response = await fetch(new URL(`/agents/clerk/sessions/${session}/messages`, at.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  return (await response.json()) as Record<string, unknown>; // the tests assert the members of the response
}

const clerk = ['--agent', 'clerk'];
const parseOutput = ({ out, code }: CommandResult): unknown => {
  expect(code).toBe(0);
  return JSON.parse(out);
};

it('the operator commands list sessions and waiting calls, and show and cancel a session', async () => {
  await say('s1', 'Hello \u202e there');
  expect(await say('s2', 'pay now')).toMatchObject({ outcome: 'suspended' });
  const waiting = ['sessions', ...clerk, '--status', 'waiting', '--since', '1h', '--json'];
  await expect
    .poll(async () => parseOutput(await run(waiting)), { timeout: 30_000 })
    .toMatchObject({ sessions: [{ session: 's2', title: 'pay now' }], next: null });
  const readSessionStatuses = async () =>
    Object(parseOutput(await run(['sessions', ...clerk, '--json']))).sessions;
  await expect
    .poll(readSessionStatuses, { timeout: 30_000 })
    .toMatchObject([{ session: 's2' }, { status: 'idle' }]);
  const list = await run(['sessions', ...clerk]);
  expect(list.out.split('\n')).toEqual([
    expect.stringMatching(/^SESSION {2}STATUS {3}TITLE +LAST ACTIVITY +TURNS +INPUT +OUTPUT +COST$/),
    expect.stringMatching(/^s2 {7}waiting {2}pay now +20\d\d-\d\d-\d\d \d\d:\d\d, .+ 0 /),
    expect.stringMatching(/^s1 {7}idle {5}Hello .* +20\d\d-\d\d-\d\d \d\d:\d\d, .+ 1 +\d+ +\d+ +-$/),
  ]);
  const page = await run(['sessions', ...clerk, '--limit', '1']);
  expect(page.out.split('\n')).toHaveLength(2);
  const [, cursor = ''] = /^There may be more: --cursor "(.+)"$/.exec(page.err) ?? [];
  expect((await run(['sessions', ...clerk, '--cursor', cursor])).out).toContain('\ns1 ');

  const { out: inbox } = await run(['inbox']);
  expect(inbox).toMatch(
    /^SESSION +AGENT +TITLE +TOOL +QUESTION +CALL +SINCE +EXPIRES\ns2 +clerk +pay now +pay +May I\? /,
  );
  expect(inbox.split('\n')).toHaveLength(2);
  expect(parseOutput(await run(['inbox', '--json']))).toMatchObject({
    waiting: [{ session: 's2', pending: [{ tool: 'pay' }] }],
  });

  const { out: shown } = await run(['show', 's2', ...clerk]);
  expect(shown).toMatch(
    /^clerk \/ s2, \d+ events\nused {6}\d+ input, \d+ output tokens, -\nturn {6}\S+: open\nwaits {5}pay: May I\? /,
  );
  expect(shown).toMatch(/\nuser\n {2}pay now\n\nassistant\n {2}> pay \{\} \((asked|started)\)$/);
  expect((await run(['show', 's1', ...clerk])).out).toMatch(
    /assistant\n {2}Hello\. \\u\{1b\}\[2J\\u\{202e\}evil\\u\{9b\}1A\n {2}next line$/,
  );
  expect(parseOutput(await run(['show', 's1', ...clerk, '--json']))).toMatchObject({
    messages: [{}, { text: 'Hello. \u001b[2J\u202eevil\u009b1A\r\nnext line' }],
  });

  expect((await run(['cancel', 's2', ...clerk])).out).toMatch(/^Turn \S+ will stop\.$/);
  await expect.poll(async () => (await run(['show', 's2', ...clerk])).out).toContain(': cancelled');
  expect(await run(['cancel', 's2', ...clerk])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^holdfast cancel: [^\n]+ \(no-open-turn\)$/),
  });
}, 120_000);

/** Returns the pending call of a session, as listed in the inbox. */
async function findWaiting(session: string): Promise<string> {
  const row = new RegExp(`^${session} .* (\\S+) +20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d, .*$`, 'm');
  const findPendingCall = async (): Promise<string> => row.exec((await run(['inbox'])).out)?.[1] ?? '';
  await expect.poll(findPendingCall, { timeout: 30_000 }).not.toBe('');
  return findPendingCall();
}

describe('inbox --approve and --reject', { timeout: 120_000 }, () => {
  it('decide about a listed call and print the outcome of its turn', async () => {
    await say('i1', 'pay this');
    await say('i2', 'pay that');
    const [first, second] = [await findWaiting('i1'), await findWaiting('i2')];
    const approved = await run(['inbox', 'i1', ...clerk, '--approve', first]);
    expect(approved).toMatchObject({ code: 0, err: '' });
    expect(approved.out).toMatch(
      new RegExp(`^The call ${first} of session i1 is approved\\.\\nTurn \\S+: completed\\n  Hello\\.`),
    );
    const rejected = await run([
      'inbox',
      'i2',
      ...clerk,
      '--reject',
      second,
      '--reason',
      'Too dear.',
      '--json',
    ]);
    expect(parseOutput(rejected)).toMatchObject({ session: 'i2', outcome: 'completed' });
    const { out } = await run(['journal', 'i2', ...clerk, '--json']);
    expect(out).toContain('Too dear.');
  });

  it('find the session of a call, and report a call that is not waiting', async () => {
    await say('i3', 'pay here');
    const call = await findWaiting('i3');
    expect(await run(['inbox', '--approve', call])).toMatchObject({
      code: 0,
      out: expect.stringContaining('of session i3 is approved.'),
    });
    expect(await run(['inbox', '--approve', call])).toEqual({
      code: 1,
      out: '',
      err: `holdfast inbox: no call ${call} waits for you. Name its SESSION to see why.`,
    });
  });

  it('do not approve a question that was not listed', async () => {
    await say('i4', 'twice please');
    const first = await findWaiting('i4');
    expect((await run(['inbox', 'i4', ...clerk, '--approve', first])).out).toMatch(/: suspended$/);
    // A repeat of this answer still refers to the first question.
    expect(await run(['inbox', 'i4', ...clerk, '--reject', first])).toMatchObject({ code: 1, out: '' });
    const second = await findWaiting('i4');
    expect(second).toBe(`${first}:2`);
    expect((await run(['inbox', 'i4', ...clerk, '--approve', second])).out).toMatch(/: completed\n/);
  });

  it('print the reason for a refused decision on one line', async () => {
    const approveAndGetProblem = async (session: string, call: string) => {
      const { code, out, err } = await run(['inbox', session, ...clerk, '--approve', call]);
      expect([code, out, err.split('\n').length]).toEqual([1, '', 1]);
      return /\((\S+)\)$/.exec(err)?.[1];
    };
    const startPendingCall = async (session: string, message: string) =>
      String(Object(Object(await say(session, message)).pending?.[0]).call);
    expect(await approveAndGetProblem('i5', await startPendingCall('i5', 'sign this'))).toBe('role-required');
    expect(await approveAndGetProblem('i6', await startPendingCall('i6', 'audit this'))).toBe(
      'another-person-required',
    );
    const call = await startPendingCall('i7', 'pay this');
    await run(['inbox', 'i7', ...clerk, '--reject', call]);
    expect(await approveAndGetProblem('i7', call)).toBe('already-answered');
    expect(await approveAndGetProblem('i7', 'no-such-call')).toBe('unknown-call');
    expect(await approveAndGetProblem('no-such-session', call)).toBe('unknown-session');
  });
});

it('`retry` sends a message again and prints the outcome', async () => {
  expect(await say('r1', 'fail once')).toMatchObject({ outcome: 'failed' });
  const retried = await run(['retry', 'r1', ...clerk]);
  expect(retried).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Turn \S+: completed\n {2}Well again\.$/),
  });
  expect(await say('r2', 'fail always')).toMatchObject({ outcome: 'failed' });
  const failed = await run(['retry', 'r2', ...clerk]);
  expect(failed).toMatchObject({ code: 1, out: expect.stringMatching(/^Turn \S+: failed\n {2}/) });
}, 60_000);

/** Starts a proxy for the Worker that can break its connections. */
async function startProxy(): Promise<{ readonly url: string; breakAll(): void }> {
  const server = createServer(async (request, response) => {
    try {
      const { accept = '*/*', authorization = '', 'last-event-id': last } = request.headers;
      const answer = await fetch(new URL(request.url ?? '/', worker.url), {
        headers: { accept, authorization, ...(typeof last === 'string' && { 'last-event-id': last }) },
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    breakAll: () => server.closeAllConnections(),
  };
}

it('`follow` prints a journal and reconnects after a lost connection, until it is interrupted', async () => {
  await say('j1', 'Hello');
  const lines = (await run(['journal', 'j1', ...clerk])).out.split('\n');
  expect(lines[0]).toMatch(/^1 {2}20\d\d-\d\d-\d\d \d\d:\d\d:\d\d {2}session-opened {8}\{"incarnation"/);
  const after = await run(['journal', 'j1', ...clerk, '--after', '1', '--json']);
  expect(after.out.split('\n').map((line) => JSON.parse(line).seq)).toEqual(
    lines.slice(1).map((_, at) => at + 2),
  );

  const { url, breakAll } = await startProxy();
  const journal = spawn(process.execPath, [program, 'journal', 'j1', ...clerk, '--follow', '--json'], {
    env: { ...process.env, HOLDFAST_URL: url, HOLDFAST_TOKEN: TOKEN },
  });
  const ended = new Promise((resolved) => journal.once('exit', resolved));
  onTestFinished(() => void journal.kill('SIGKILL'));
  const seen: number[] = [];
  const said: string[] = [];
  createInterface(journal.stdout).on('line', (line) => seen.push(JSON.parse(line).seq));
  createInterface(journal.stderr).on('line', (line) => said.push(line));
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(lines.length);
  await say('j1', 'More');
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(2 * lines.length - 1);
  breakAll();
  await say('j1', 'And more');
  await expect.poll(() => seen.length, { timeout: 30_000 }).toBe(3 * lines.length - 2);
  expect(seen).toEqual(seen.map((_, at) => at + 1));
  expect(said).toEqual(['The connection was lost and restored.']);
  journal.kill('SIGINT');
  expect(await ended).toBe(0);
}, 120_000);

describe('erase', () => {
  it('is refused without a terminal, and asks for confirmation in a terminal', async () => {
    await say('e1', 'Hello');
    expect(await run(['erase', 'e1', ...clerk])).toEqual({
      code: 1,
      out: '',
      err: 'holdfast erase: the command cannot ask first, since this is not a terminal. Use --yes.',
    });
    const asked: string[] = [];
    const printed: string[] = [];
    const eraseWithAnswer = (answer: string) =>
      runCli(['erase', 'e1', ...clerk, '--url', worker.url.href, '--token', TOKEN], '', {
        out: (text) => printed.push(text),
        err: (text) => printed.push(text),
        async ask(question) {
          asked.push(question);
          return answer;
        },
      });
    expect(await eraseWithAnswer('y')).toBe(1);
    expect((await run(['show', 'e1', ...clerk])).code).toBe(0);
    expect(await eraseWithAnswer('yes')).toBe(0);
    expect(printed).toEqual(['holdfast erase: nothing was erased.', 'The session e1 is erased.']);
    expect(asked[0]).toBe("Erase the session e1 of clerk? This cannot be undone. Type 'yes': ");
    expect(await run(['show', 'e1', ...clerk])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^holdfast show: There is no session 'e1'\.[^\n]+ \(unknown-session\)$/),
    });
  }, 60_000);

  it('lets an operator show, cancel and erase a session of another owner without affecting sessions of the operator', async () => {
    await say('o1', 'Hello');
    await say('o2', 'pay now');
    const owner = [...clerk, '--owner', 'id:token'];
    const team = { token: TEAM_TOKEN };
    expect((await run(['show', 'o1', ...owner], team)).out).toMatch(/^clerk \/ o1, /);
    expect((await run(['cancel', 'o2', ...owner], team)).out).toMatch(/^Turn \S+ will stop\.$/);
    const events = (await run(['journal', 'o1', ...owner, '--json'], team)).out.split('\n');
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
      facts: [{ slice: 'operator-access', fact: { by: { id: 'team' }, action: 'read' } }],
    });
    expect(await run(['show', 'o1', ...clerk, '--owner', 'id:eve'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^holdfast show: Only operators may do this: [^\n]+ \(role-required\)$/),
    });
    expect(await run(['erase', 'o1', ...owner, '--yes'], team)).toEqual({
      code: 0,
      out: 'The session o1 is erased.',
      err: '',
    });
    expect((await run(['show', 'o1', ...clerk])).code).toBe(1);
    expect(await run(['erase', 'o1', ...owner, '--yes'], { ...team, url: bare.url.href })).toEqual({
      code: 1,
      out: '',
      err: 'holdfast erase: operators cannot access sessions of this deployment, since its app does not use operators(). See docs/operators.md.',
    });
  }, 60_000);

  it('erases all sessions of an owner only for an operator, after it has shown their usage', async () => {
    await say('e2', 'Hello');
    const owner = ['--owner', 'id:token'];
    const list = ['sessions', ...clerk, ...owner];
    const listAsTeam = async () => (await run(list, { token: TEAM_TOKEN })).out;
    await expect.poll(listAsTeam, { timeout: 30_000 }).toMatch(/^e2 +idle /m);
    const { out } = await run(['usage', '--by', 'agent']);
    expect(out).toMatch(/^AGENT +TURNS +INPUT +OUTPUT +COST\nclerk +\d+ [^\n]+\ntotal +\d+ [^\n]+$/);
    expect(await run(['erase', ...owner, '--yes'])).toEqual({
      code: 1,
      out: '',
      err: 'holdfast erase: Only operators may do this: callers for whom `auth` returns operator: true. Send the token of a person with this role. (role-required)',
    });
    const erased = await run(['erase', ...owner, '--yes', '--wait'], { token: TEAM_TOKEN });
    expect(erased).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^All sessions of id:token are erased: \d+\.$/),
    });
    expect(await run(list, { token: TEAM_TOKEN })).toEqual({ code: 0, out: '', err: 'No sessions.' });
  }, 120_000);
});

/** Starts a server that sends this response to every request. */
async function runAgainst(status: number, body: string, type = 'application/json'): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:9/' });
    response.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${Object(server.address()).port}`;
}

const describeMissingIndex = (name: string): string =>
  `holdfast ${name}: this deployment has no index of sessions. See docs/index-of-sessions.md.`;

describe('a command prints its error on one line', () => {
  it.each<[string, readonly string[], string]>([
    ['sessions', ['sessions'], describeMissingIndex('sessions')],
    ['inbox', ['inbox'], describeMissingIndex('inbox')],
    ['usage', ['usage'], describeMissingIndex('usage')],
    ['erase', ['erase', '--owner', 'id:token', '--yes'], describeMissingIndex('erase')],
    [
      'retry',
      ['retry', 's1'],
      'holdfast retry: this deployment cannot retry, since its app does not use retry(). See docs/turns.md.',
    ],
  ])('if the app does not support %s', async (_, args, err) => {
    await say('s1', 'Hello', bare);
    expect(await run(args, { url: bare.url.href })).toEqual({ code: 1, out: '', err });
  });

  const REFUSED = 'the deployment rejects the token. Check --token and HOLDFAST_TOKEN.';
  const WANTED =
    'the deployment requires a token. Use --token, or set the environment variable HOLDFAST_TOKEN.';
  it('if a Worker returns an error', async () => {
    const getError = async (args: readonly string[], more = {}) => {
      const { code, out, err } = await run(args, more);
      expect(out).toBe('');
      return [code, err];
    };
    expect(await getError(['inbox'], { token: 'a-wrong-token' })).toEqual([1, `holdfast inbox: ${REFUSED}`]);
    expect(await getError(['inbox'], { token: '' })).toEqual([1, `holdfast inbox: ${WANTED}`]);
    expect(await getError(['sessions'])).toEqual([
      2,
      'holdfast sessions: this deployment has several agents. Name one with --agent: clerk, other.',
    ]);
    expect(await getError(['inbox'], { url: `${worker.url.href}below/` })).toEqual([
      1,
      'holdfast inbox: this --url has no such route. Check that it includes the base path of the app.',
    ]);
    const [code, err] = await getError(['sessions', '--agent', 'nobody']);
    expect(code).toBe(1);
    expect(err).toMatch(/^holdfast sessions: [^\n]+ \(unknown-agent\)$/);
  }, 60_000);

  it('if the server is not a Worker', async () => {
    const getError = async (url: string) => {
      const { code, out, err } = await run(['inbox'], { url });
      expect([code, out]).toEqual([1, '']);
      return err;
    };
    const hostile = `${TOKEN} \u001b]0;x\u0007\u202e\nnext`;
    const problem = JSON.stringify({ type: 'urn:holdfast:problem:x\u202e', detail: hostile });
    expect(await getError(await runAgainst(400, problem, 'application/problem+json'))).toBe(
      'holdfast inbox: *** \\u{1b}]0;x\\u{7}\\u{202e} next (x\\u{202e})',
    );
    const begins = 'holdfast inbox: The server returned';
    expect(await getError(await runAgainst(302, ''))).toMatch(`${begins} 302 without a Holdfast response.`);
    expect(await getError(await runAgainst(200, '<html>'))).toMatch(
      `${begins} 200 without a Holdfast response`,
    );
    expect(await getError(await runAgainst(200, '{}'))).toMatch(
      "holdfast inbox: The server's response has no 'waiting'. Check --url.",
    );
    expect(await getError('http://127.0.0.1:9')).toMatch(
      /^holdfast inbox: The connection to the server was lost in GET \/pending: [^\n]+ \(connection-lost\)$/,
    );
  }, 60_000);

  it.each<[readonly string[], string]>([
    [
      ['inbox', '--url', 'ftp://a'],
      'inbox: --url must be an http or https URL, such as https://clerk.example.workers.dev',
    ],
    [['inbox', '--url', 'http://a:b@c'], 'inbox: --url must not contain a user name or password'],
    [['inbox', '--token', 'a€b'], 'inbox: --token contains a character that is not allowed in a header'],
    [['inbox', 'x', 'y'], 'inbox: name only one session'],
    [['inbox', 'x'], 'inbox: a session and --agent require --approve or --reject'],
    [['inbox', '--approve', 'a', '--reject', 'b'], 'inbox: use --approve or --reject, not both'],
    [['inbox', '--approve', 'a', '--reason', 'b'], 'inbox: --reason requires --reject'],
    [['inbox', '--approve', '..'], "inbox: '..' is not a valid name for a call"],
    [['inbox', '--limit', '101'], 'inbox: --limit must be a whole number from 1 to 100'],
    [
      ['sessions', '--status', 'x', ...clerk],
      'sessions: --status must be one of running, waiting, failed, idle',
    ],
    [['sessions', '--agent', '..'], "sessions: '..' is not a valid name for --agent"],
    [['usage', '--by', 'x'], 'usage: --by must be day, agent or model'],
    [['show'], 'show: the session id is missing'],
    [['show', 'a', 'b'], 'show: name only one session'],
    [['show', '..', ...clerk], "show: '..' is not a valid name for a session"],
    [['journal', 'a', '--after', 'x'], 'journal: --after must be the sequence number of an event'],
    [['erase'], 'erase: name a session, or use --owner'],
    [['usage', '--bye'], "usage: Unknown option '--bye'"],
  ])('if its arguments are %j', async (args, line) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([2, '']);
    // For an unknown option, Node adds a second sentence to the error.
    expect(err.split('\n')[0]?.slice(0, `holdfast ${line}`.length)).toBe(`holdfast ${line}`);
    expect(err).toContain(`\n\nUsage: npx holdfast ${args[0]}`);
  });
});
