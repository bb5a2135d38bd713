/** A session's refusals from code, in full, with the text of the same HTTP problem. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { type Caller, ConfigurationError, sessionOf } from '../../../../src/create-holdfast.ts';
import { content, image } from '../../../../src/index.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { deleteFile, files } from '../../../../src/modules/files/entry.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { wrapObjects } from '../http/app.ts';
import { createSessionPath, getSessionId, post, readJson, send } from '../http/client.ts';
import { answer, createProblem } from '../http/waiting.ts';
import {
  catchRefusal,
  createCodeApp,
  createRefusal,
  LOCAL_CALLER,
  openNewSession,
  openSession,
  type Refusal,
} from './from-code.ts';

/** Returns the HTTP problem without its status. */
async function readProblem(response: Response): Promise<Record<string, unknown>> {
  const { status, ...said } = await readJson(response);
  expect(status).toBe(response.status);
  return { ...said, retryAfter: response.headers.get('retry-after') };
}

/** Returns the refusal in its HTTP form. */
const toHttpRefusal = ({ type, message, retryAfter, more }: Refusal): Record<string, unknown> => {
  const { status: _, ...said } = createProblem(type, 0, message, more);
  return { ...said, retryAfter: retryAfter === undefined ? null : String(retryAfter) };
};

/** Returns a waiting turn of the clerk, and its call. */
async function startWaitingTurn(tool: string, principal = LOCAL_CALLER) {
  const path = createSessionPath('clerk');
  const chat = openSession(path, principal);
  const input = tool === 'look_up' ? { id: 'o1' } : { to: 'nobody', amount: 1 };
  const asked = await chat.send(registerScript({ calls: [{ name: tool, input }] }, 'Done.').message());
  const pending = asked.outcome === 'suspended' ? asked.pending : [];
  return { path, chat, turn: asked.turn, pending, call: pending[0]?.call ?? '' };
}

describe('a message', () => {
  it.each<
    [string, string | Parameters<ReturnType<typeof openSession>['send']>[0], object, readonly string[]]
  >([
    ['that is blank', ' ', {}, ['message: must be text that is not blank']],
    ['without parts', [], {}, ['message: must contain a file, or text that is not blank']],
    [
      'with invalid files',
      [
        { type: 'file', mediaType: 'image/png', bytes: new Uint8Array() },
        { type: 'file', mediaType: 'png', url: 'http://a.example' },
        { type: 'file', mediaType: 'image/png', id: 'x', size: 3 },
      ],
      {},
      [
        'message[0]: is empty',
        'message[1].url: must be a data URL, or an https URL without a user in it',
        'message[1].mediaType: must be a media type such as image/png',
        'message[2].id: is not known here',
        'message[2].size: is not known here',
        'message[2]: must have data or url',
      ],
    ],
    [
      'with invalid options',
      'Hello',
      { loopId: 'a b', delaySeconds: -1 },
      [
        'loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -',
        'delaySeconds: must be a number from 0 to 31536000 (365 days)',
      ],
    ],
  ])('%s is refused with every problem', async (_, message, options, problems) => {
    const chat = openSession(createSessionPath(), LOCAL_CALLER, createCodeApp({ use: [files()] }));
    expect(await catchRefusal(chat.send(message, options))).toEqual(
      createRefusal('invalid-body', `The body is not valid: ${problems.join('; ')}.`, { more: { problems } }),
    );
    expect((await catchRefusal(chat.state())).type).toBe('unknown-session');
  });

  const picture = content(['What is this?', image(new Uint8Array([1]), 'image/png')]).parts;

  it('with a file is refused by an app without the `files` module', async () => {
    const { chat } = openNewSession();
    const detail = 'message[1] is a file, but this app accepts no files. Send text.';
    expect(await catchRefusal(chat.send(picture))).toEqual(
      createRefusal('unsupported-media-type', detail, { more: { accepts: { data: [], url: [] } } }),
    );
  });

  it('with a file of a type that the agent does not accept is refused', async () => {
    const chat = openSession(createSessionPath(), LOCAL_CALLER, createCodeApp({ use: [files()] }));
    const problems = ['message[1] is image/png, sent as bytes'];
    expect(await catchRefusal(chat.send(picture))).toEqual(
      createRefusal('unsupported-media-type', `${problems[0]}. The agent accepts no files.`, {
        more: { problems, accepts: { data: [], url: [] } },
      }),
    );
  });

  it('is refused if it is too long', async () => {
    const chat = openSession(
      createSessionPath(),
      LOCAL_CALLER,
      createCodeApp({ http: { maxBodyBytes: 10 } }),
    );
    const detail =
      'Without its files, the body is larger than 10 bytes. Send less, or send long text as a file.';
    expect(await catchRefusal(chat.send('Hello, hello'))).toEqual(createRefusal('body-too-large', detail));
  });

  it('with an invalid idempotency key, or a key of another message, is refused', async () => {
    const { chat } = openNewSession();
    expect(await catchRefusal(chat.send('Hello', { idempotencyKey: 'a b' }))).toEqual(
      createRefusal('invalid-header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.'),
    );
    const { message } = registerScript('One.', 'Two.');
    await chat.send(message(), { idempotencyKey: 'k' });
    expect(await catchRefusal(chat.send('Another', { idempotencyKey: 'k' }))).toEqual(
      createRefusal(
        'idempotency-key-reused',
        'This Idempotency-Key was used with another body. Use a new key for a new message.',
      ),
    );
  });

  it('is refused if it both steers and is scheduled', async () => {
    const { chat } = openNewSession();
    expect(await catchRefusal(chat.send('Hello', { whenBusy: 'steer', delaySeconds: 1 }))).toEqual(
      createRefusal('invalid-query', 'A message with delaySeconds cannot steer.'),
    );
  });

  it('for a busy session is refused with the open turn, as over HTTP', async () => {
    const { path, chat } = openNewSession();
    const slow = createHeldReply('Done.');
    const first = chat.send(registerScript(slow.reply).message());
    await slow.asked();
    const { openTurn } = await chat.state();
    const refused = await catchRefusal(chat.send('Hello?', { whenBusy: 'reject' }));
    expect(refused).toEqual(
      createRefusal(
        'session-busy',
        `The session is busy with turn ${openTurn}. Send the message again when it has ended (GET ${path} shows it), or now with ?whenBusy=queue, to wait, or ?whenBusy=steer, to be read by that turn.`,
        { retryAfter: expect.any(Number), more: { turn: openTurn } },
      ),
    );
    expect(await readProblem(await post(path, { message: 'Hello?' }))).toEqual({
      ...toHttpRefusal(refused),
      retryAfter: expect.any(String),
    });
    slow.release();
    await first;
  });

  it('for a session with a waiting turn is refused with the pending calls, as over HTTP', async () => {
    const { path, chat, turn, pending } = await startWaitingTurn('pay');
    const refused = await catchRefusal(chat.send('Hello?'));
    const detail = `Turn ${turn} waits for an answer from outside. Answer its pending calls, or send the message with ?pending=decline.`;
    expect(refused).toEqual(createRefusal('turn-suspended', detail, { more: { turn, pending } }));
    expect(await readProblem(await post(path, { message: 'Hello?' }))).toEqual(toHttpRefusal(refused));
  });

  it('whose acceptance is unknown rejects with the id of its turn', async () => {
    const SESSIONS = wrapObjects(() => ({
      begin: async () => {
        throw Object.assign(new Error('down'), { overloaded: true });
      },
    }));
    const path = createSessionPath();
    const app = createCodeApp({ log: false });
    const named = { agent: 'scripted', session: getSessionId(path), principal: LOCAL_CALLER };
    const refused = await catchRefusal(sessionOf(app, { ...env, SESSIONS }, named).send('Hello'));
    const turn = String(refused.more.turn);
    expect(refused).toEqual(
      createRefusal(
        'session-unavailable',
        `The session did not answer, and may have stored the message as turn ${turn}. Send it again only if GET ${path}/turns/${turn} returns 404.`,
        { retryAfter: 1, more: { turn: expect.stringMatching(/^[0-9a-f]{16}$/) } },
      ),
    );
  });
});

describe('an answer to a call', () => {
  it('is refused if it is invalid, as over HTTP', async () => {
    const { path, chat, call } = await startWaitingTurn('pay');
    const problems = ['input: is missing'];
    const refused = await catchRefusal(chat.decide(call, 'edit'));
    expect(refused).toEqual(
      createRefusal('invalid-body', 'The body is not valid: input: is missing.', { more: { problems } }),
    );
    expect(await readProblem(await answer(`${path}/approvals/${call}`, { decision: 'edit' }))).toEqual(
      toHttpRefusal(refused),
    );
  });

  it('is refused if the call is unknown, does not wait, or waits for another answer', async () => {
    const { path, chat, call } = await startWaitingTurn('look_up');
    expect(await catchRefusal(chat.result('t.1.0', { text: 'x' }))).toEqual(
      createRefusal(
        'unknown-call',
        `There is no call 't.1.0' in this session. GET ${path} shows what the session waits for.`,
      ),
    );
    expect(await catchRefusal(chat.result(call, { text: 'x' }, { question: 2 }))).toEqual(
      createRefusal(
        'not-waiting',
        `Call ${call} is not waiting for this answer. It has not asked 2 questions.`,
      ),
    );
    expect(await catchRefusal(chat.decide(call, 'approve'))).toEqual(
      createRefusal(
        'wrong-answer',
        `Call ${call} waits for the result of its tool. POST it to ${path}/results/${call}.`,
      ),
    );
  });

  it('is accepted only once', async () => {
    const { path, chat, call } = await startWaitingTurn('look_up');
    const key = { idempotencyKey: 'k' };
    const first = await chat.result(call, { text: 'One.' }, key);
    expect(await chat.result(call, { text: 'One.' }, key)).toEqual(first);
    expect(await catchRefusal(chat.result(call, { text: 'Two.' }))).toEqual(
      createRefusal(
        'already-answered',
        `This question has already been answered. GET ${path} shows the state of the session.`,
      ),
    );
  });

  it('is refused without the required role, and so are a cancel and an erasure', async () => {
    const { chat, call, turn } = await startWaitingTurn('pay_as_manager');
    expect(await catchRefusal(chat.decide(call, 'approve'))).toEqual(
      createRefusal(
        'role-required',
        `Call ${call} must be answered by a person with the role 'manager'. Send the token of a person with this role.`,
        { more: { role: 'manager' } },
      ),
    );
    const formatEnding = (what: string) =>
      `waits for a person with the role 'manager', and only they may ${what} it.`;
    const more = { role: 'manager', turn };
    expect(await catchRefusal(chat.cancel())).toEqual(
      createRefusal(
        'role-required',
        `Turn ${turn} ${formatEnding('cancel')} Send the token of a person with this role.`,
        {
          more,
        },
      ),
    );
    expect(await catchRefusal(chat.erase())).toEqual(
      createRefusal(
        'role-required',
        `Turn ${turn} of this session ${formatEnding('erase')} Send the token of a person with this role.`,
        { more },
      ),
    );
    expect(await catchRefusal(deleteFile(chat, 'a'.repeat(64)))).toEqual(
      createRefusal(
        'role-required',
        `Turn ${turn} of this session ${formatEnding('delete files of')} Send the token of a person with this role.`,
        { more },
      ),
    );
    const manager = openSession(`/agents/clerk/sessions/${(await chat.state()).session}`, {
      ...LOCAL_CALLER,
      roles: ['manager'],
    });
    expect((await manager.decide(call, 'approve')).text).toBe('Done.');
  });
});

describe('a not-found error', () => {
  it('is thrown for a session of another owner, as for a session that does not exist', async () => {
    const { path, chat } = openNewSession();
    await chat.send(registerScript('Mine.').message());
    const strangers: readonly Caller[] = [
      { id: 'eve' },
      { id: 'local', tenant: 'acme' },
      { id: 'x', tenant: 'local' },
    ];
    const detail = `There is no session '${getSessionId(path)}'. POST ${path}/messages starts it.`;
    for (const stranger of strangers) {
      const theirs = openSession(path, stranger);
      const none = createRefusal('unknown-session', detail);
      expect(await catchRefusal(theirs.state())).toEqual(none);
      expect(await catchRefusal(theirs.events().next())).toEqual(none);
      expect(await catchRefusal(theirs.turn('t'))).toEqual(none);
      expect(await catchRefusal(theirs.cancel())).toEqual(none);
      await theirs.erase();
    }
    expect((await chat.state()).turn).toMatchObject({ text: 'Mine.' });
    const others = openSession(path, { id: 'eve' });
    expect((await others.send(registerScript('Theirs.').message())).text).toBe('Theirs.');
    expect((await chat.state()).turn).toMatchObject({ text: 'Mine.' });
  });

  it('is thrown for an unknown turn, and for a cancel without an open turn', async () => {
    const { path, chat } = openNewSession();
    const { turn } = await chat.send(registerScript('Done.').message());
    expect(await catchRefusal(chat.turn('t'))).toEqual(
      createRefusal(
        'unknown-turn',
        `There is no turn 't' in this session. GET ${path} shows the last turn and the waiting ones.`,
      ),
    );
    expect(await catchRefusal(chat.cancel())).toEqual(
      createRefusal('no-open-turn', 'No turn is open, so there is nothing to cancel.'),
    );
    expect(await catchRefusal(chat.cancel(turn))).toEqual(
      createRefusal('turn-over', `Turn ${turn} has ended. GET ${path}/turns/${turn} shows its answer.`),
    );
  });

  it('is thrown for an unknown agent, and for an invalid id', async () => {
    expect(await catchRefusal(openSession('/agents/nobody/sessions/s').state())).toEqual(
      createRefusal('unknown-agent', "There is no agent 'nobody'. GET /agents lists the agents."),
    );
    const refused = await catchRefusal(openSession('/agents/scripted/sessions/a b').state());
    const said = await readProblem(await send('/agents/scripted/sessions/a%20b'));
    expect(toHttpRefusal(refused)).toEqual(said);
    expect(refused.type).toBe('invalid-session-id');
  });
});

describe('a principal', () => {
  it.each<[unknown, string]>([
    [null, 'whose id or tenant is empty or not a string'],
    [{ id: '' }, 'whose id or tenant is empty or not a string'],
    [{ id: 'ann', tenant: 1 }, 'whose id or tenant is empty or not a string'],
    [{ id: 'ann', roles: 'buyer' }, 'whose roles are not a list of strings'],
    [{ id: 'webhook:github' }, "with the id 'webhook:github', which is reserved"],
  ])('is refused immediately if it is invalid: %j', (principal, problem) => {
    expect(() => openSession('/agents/scripted/sessions/s', principal as Caller)).toThrow(
      new ConfigurationError(`sessionOf received a principal ${problem}.`),
    );
  });
});

describe('a mistake of the developer', () => {
  it('is reported if the argument is not an app', () => {
    const copy = { ...createCodeApp() };
    expect(() => sessionOf(copy, env, { agent: 'scripted', session: 's', principal: LOCAL_CALLER })).toThrow(
      new ConfigurationError('sessionOf: an object is not an app. Pass the result of createHoldfast.'),
    );
  });

  const open = (options: object) => () =>
    sessionOf(createCodeApp(), env, { agent: 'scripted', session: 's', principal: LOCAL_CALLER, ...options });

  it.each<[object, string]>([
    [{ sessionId: 's' }, "has an unknown option 'sessionId'. Did you mean 'session'?"],
    [{ user: 'ann', principal: undefined }, "has 'user' instead of 'principal'. Rename it."],
    [{ session: undefined }, "has no 'session'. Use a string."],
    [{ session: 7 }, "has 7 as its 'session'. Use a string."],
    [{ agent: {} }, "has an object as its 'agent'. Use one of the app's agents, or its name."],
  ])('is reported when the session is created: %j', (options, problem) => {
    expect(open(options)).toThrow(new ConfigurationError(`sessionOf ${problem}`));
  });

  it.each<[object, string]>([
    [
      { idempotencykey: 'k' },
      "session.send has an unknown option 'idempotencykey'. Did you mean 'idempotencyKey'?",
    ],
    [{ idempotencyKey: 5 }, "session.send has 5 as its 'idempotencyKey'. Use a string."],
    [{ whenBusy: 'wait' }, "session.send has 'wait' as its 'whenBusy'. Use reject, queue, steer."],
    [{ pending: true }, "session.send has true as its 'pending'. Use decline."],
  ])('is reported by send, which does not accept the message: %j', async (options, problem) => {
    const { chat } = openNewSession();
    await expect(chat.send('Hello', options)).rejects.toThrow(new ConfigurationError(problem));
    expect((await catchRefusal(chat.state())).type).toBe('unknown-session');
  });

  it('is reported by answer and events', async () => {
    const { chat } = openNewSession();
    const options: object = { key: 'k' };
    const takes = 'Use one of question, idempotencyKey, background, signal, onEvent.';
    await expect(chat.decide('c', 'approve', options)).rejects.toThrow(
      new ConfigurationError(`session.decide has an unknown option 'key'. ${takes}`),
    );
    await expect(chat.events({ live: 'yes' } as object).next()).rejects.toThrow(
      new ConfigurationError("session.events has 'yes' as its 'live'. Use true or false."),
    );
    expect(await catchRefusal(chat.events({ after: -1 }).next())).toEqual(
      createRefusal('invalid-query', 'after must be the sequence number of an event, such as 12.'),
    );
  });
});

it('an incomplete deployment causes a ConfigurationError, and the message is not accepted', async () => {
  const { scripted } = await import('../../../fixtures/scripted-agent.ts');
  const { model: _, ...bare } = scripted;
  const chat = openSession(
    createSessionPath(),
    LOCAL_CALLER,
    createCodeApp({ agents: [bare], model: openaiCompatible(), log: false }),
  );
  await expect(chat.send('Hello')).rejects.toThrow(ConfigurationError);
});
