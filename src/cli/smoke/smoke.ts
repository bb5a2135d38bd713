import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import { parseArgs } from 'node:util';
import { type Command, parseDeploymentUrl, UsageError } from '../command.ts';
import { type Answer, createCaller, type SmokeTarget, StepError } from './deployed.ts';

const HELP = `Usage: npx holdfast smoke --url URL [--token TOKEN] [OPTIONS]

Sends a deployed Worker one message, sends it again, decides one approval, and reads the journal of both.
Its sessions are erased at the end. Exits with 1 if a step fails.

  --url URL          the URL of the Worker, with its base path if it has one
  --token TOKEN      the bearer token; defaults to the environment variable HOLDFAST_TOKEN
  --agent NAME       the agent to ask; defaults to the first one
  --message TEXT     the message; defaults to 'Say hello in one word.'
  --approve TEXT     a message for which the agent asks for an approval, which this command gives.
                     Without it, the approval is not checked
  --timeout SECONDS  how long one step may take; defaults to 60`;

interface Options {
  readonly url: URL;
  readonly token: string | undefined;
  readonly agent: string | undefined;
  readonly message: string;
  readonly approve: string | undefined;
  readonly timeoutMs: number;
}

/** The finding of a step. `skipped`: the reason why it did not run. */
type Step = (deployed: SmokeTarget) => Promise<string | { readonly skipped: string }>;

/** `npx holdfast smoke`. */
export const smoke: Command = {
  summary: 'sends a deployed Worker a message and an approval, and reads its journal',
  help: HELP,
  async run(args, { out }) {
    const options = parseOptions(args);
    const deployed: SmokeTarget = {
      call: createCaller(options),
      agent: options.agent,
      sessions: [`smoke-${randomUUID()}`, `smoke-${randomUUID()}`],
    };
    const counts = { ok: 0, failed: 0, skipped: 0 };
    for (const [name, step] of listSteps(options)) {
      const startedAt = Date.now();
      const found = await step(deployed).catch((failure: unknown) => {
        if (failure instanceof StepError) return failure;
        throw failure;
      });
      const kind = found instanceof StepError ? 'failed' : typeof found === 'string' ? 'ok' : 'skipped';
      counts[kind] += 1;
      const text =
        found instanceof StepError ? found.message : typeof found === 'string' ? found : found.skipped;
      out(`${kind.padEnd(9)}${name.padEnd(12)}${text} (${Date.now() - startedAt} ms)`);
      // Without an agent or a Worker, the next steps would fail in the same way.
      if (kind === 'failed' && (name === 'health' || name === 'agents')) break;
    }
    out(`${counts.ok} ok, ${counts.failed} failed, ${counts.skipped} not checked`);
    return counts.failed > 0 ? 1 : 0;
  },
};

function parseOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        token: { type: 'string' },
        agent: { type: 'string' },
        message: { type: 'string', default: 'Say hello in one word.' },
        approve: { type: 'string' },
        timeout: { type: 'string', default: '60' },
      },
    });
    const { url = '', timeout, message } = values;
    const address = parseDeploymentUrl(url);
    if (!/^[1-9]\d{0,4}$/.test(timeout))
      throw new UsageError('--timeout must be a whole number of seconds above 0');
    return {
      url: address,
      token: values.token ?? env.HOLDFAST_TOKEN,
      agent: values.agent,
      message,
      approve: values.approve,
      timeoutMs: Number(timeout) * 1000,
    };
  } catch (failure) {
    if (failure instanceof UsageError) throw failure;
    throw new UsageError(failure instanceof Error ? failure.message : String(failure));
  }
}

function listSteps({ token, message, approve }: Options): readonly (readonly [string, Step])[] {
  return [
    ['health', checkHealth],
    ['token', (deployed) => checkWrongToken(deployed, token)],
    ['agents', findAgent],
    ['message', (deployed) => checkAnswer(deployed, message)],
    ['repeat', (deployed) => checkRepeat(deployed, message)],
    ['approval', (deployed) => checkApproval(deployed, approve)],
    ['journal', checkJournal],
    ['erase', checkErasure],
  ];
}

async function checkHealth({ call }: SmokeTarget): Promise<string> {
  const { status, body } = await call('GET', '/health', { isAnonymous: true });
  if (status !== 200)
    throw new StepError(`GET /health returned ${status}: ${body.detail ?? body.title ?? ''}`);
  const warnings = Array.isArray(body.warnings) ? body.warnings : [];
  return warnings.length === 0 ? 'no warnings' : `${warnings.length} warnings: ${warnings.join(' ')}`;
}

async function checkWrongToken(
  { call }: SmokeTarget,
  token: string | undefined,
): Promise<string | { skipped: string }> {
  if (token === undefined) return { skipped: 'no --token' };
  const { status } = await call('GET', '/agents', { isAnonymous: true });
  if (status !== 401 && status !== 403) {
    throw new StepError(`GET /agents without a token returned ${status}, but should return 401`);
  }
  return `without it a request returns ${status}`;
}

async function findAgent(deployed: SmokeTarget): Promise<string> {
  const { status, body } = await deployed.call('GET', '/agents');
  if (status !== 200) throw new StepError(`GET /agents returned ${status}: ${body.detail ?? ''}`);
  const names = (Array.isArray(body.agents) ? body.agents : []).map((one) => String(Object(one).name));
  deployed.agent ??= names[0];
  if (deployed.agent === undefined || !names.includes(deployed.agent)) {
    throw new StepError(`there is no agent '${deployed.agent ?? ''}' among: ${names.join(', ')}`);
  }
  return `asks '${deployed.agent}'`;
}

const send = ({ call, agent, sessions }: SmokeTarget, which: 0 | 1, message: string): Promise<Answer> =>
  call('POST', `/agents/${agent}/sessions/${sessions[which]}/messages`, {
    body: { message },
    headers: { 'idempotency-key': `${sessions[which]}-1` },
  });

const describeRefusal = ({ status, body }: Answer): string =>
  `returned ${status}, ${body.outcome ?? body.type ?? ''}: ${body.detail ?? ''}`;

async function checkAnswer(deployed: SmokeTarget, message: string): Promise<string> {
  const answer = await send(deployed, 0, message);
  if (answer.status === 202 && answer.body.outcome === 'suspended') {
    throw new StepError(
      'the turn waits for an answer. Use another --message, and pass this one as --approve',
    );
  }
  if (answer.status !== 200 || answer.body.outcome !== 'completed')
    throw new StepError(describeRefusal(answer));
  deployed.turn = String(answer.body.turn);
  return `completed, ${answer.body.iterations} model calls, ${answer.body.toolCalls} tool calls`;
}

async function checkRepeat(deployed: SmokeTarget, message: string): Promise<string | { skipped: string }> {
  if (deployed.turn === undefined) return { skipped: 'there is no answer to compare with' };
  const again = await send(deployed, 0, message);
  if (again.status !== 200) throw new StepError(describeRefusal(again));
  if (again.body.turn !== deployed.turn)
    throw new StepError('the same message under the same key ran a second turn');
  return 'the same message under the same key is the same turn';
}

async function checkApproval(
  deployed: SmokeTarget,
  message: string | undefined,
): Promise<string | { skipped: string }> {
  if (message === undefined)
    return { skipped: 'no --approve: a message for which the agent asks for approval' };
  const waiting = await send(deployed, 1, message);
  const pending: unknown = Array.isArray(waiting.body.pending) ? waiting.body.pending[0] : undefined;
  const address: unknown = Object(Object(pending).links).approvals;
  if (waiting.status !== 202 || typeof address !== 'string') {
    throw new StepError(`did not ask for approval: the message ${describeRefusal(waiting)}`);
  }
  const decision = { body: { decision: 'approve' } };
  const answer = await deployed.call('POST', address, { ...decision, isLink: true });
  if (answer.status !== 200 || answer.body.outcome !== 'completed')
    throw new StepError(`the decision ${describeRefusal(answer)}`);
  const second = await deployed.call('POST', address, { ...decision, isLink: true });
  if (second.status !== 409)
    throw new StepError(`a second decision returned ${second.status}, but should return 409`);
  return `${String(Object(pending).tool)} was approved and ran; a second decision returns 409`;
}

/** Checks that each call has started at most once and ended once, and that each turn has ended once. */
async function checkJournal(deployed: SmokeTarget): Promise<string | { skipped: string }> {
  const { call, agent, sessions, turn } = deployed;
  if (turn === undefined) return { skipped: 'no turn has ended' };
  const counts = { events: 0, calls: 0, turns: 0 };
  for (const session of sessions) {
    const seen = new Map<string, number>();
    let after = 0;
    for (;;) {
      const { status, body } = await call(
        'GET',
        `/agents/${agent}/sessions/${session}/events?after=${after}`,
      );
      if (status === 404) break;
      const events = Array.isArray(body.events) ? body.events.map(Object) : undefined;
      if (status !== 200 || !events) throw new StepError(`the journal ${describeRefusal({ status, body })}`);
      if (events.length === 0) break;
      for (const { seq, type, turn: of, call: id } of events) {
        if (seq !== after + 1) throw new StepError(`event ${after + 1} of ${session} is missing`);
        after = seq;
        counts.events += 1;
        const key =
          type === 'turn-ended'
            ? `${type} ${of}`
            : /^tool-call-(started|ended)$/.test(type)
              ? `${type} ${id}`
              : undefined;
        if (key !== undefined) seen.set(key, (seen.get(key) ?? 0) + 1);
      }
    }
    for (const [key, count] of seen) {
      if (count > 1) throw new StepError(`'${key}' is in the journal of ${session} ${count} times`);
      if (key.startsWith('turn-ended')) counts.turns += 1;
      if (!key.startsWith('tool-call-started')) continue;
      counts.calls += 1;
      if (!seen.has(key.replace('started', 'ended')))
        throw new StepError(`'${key}' of ${session} did not end`);
    }
  }
  return `${counts.events} events without a gap: ${counts.turns} turns ended once, ${counts.calls} calls started and ended once`;
}

async function checkErasure({ call, agent, sessions }: SmokeTarget): Promise<string> {
  for (const session of sessions) {
    const { status } = await call('DELETE', `/agents/${agent}/sessions/${session}`);
    if (status !== 204 && status !== 200 && status !== 404)
      throw new StepError(`DELETE of ${session} returned ${status}`);
  }
  return 'the sessions of this check are erased';
}
