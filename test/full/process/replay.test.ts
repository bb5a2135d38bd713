import { afterEach, describe, expect, it } from 'vitest';
import { toSessionName } from '../../doors/session.ts';
import { createChance } from './chance.ts';
import {
  type Conversation,
  countTotals,
  listExchanges,
  listReplies,
  type Recording,
  readRecording,
} from './recording.ts';
import { API_KEY, type FlippedByte, type ReplayServer, startReplayServer } from './replay-server.ts';
import { type RunningWorker, startWorker } from './start-worker.ts';
import { parseAnswer, say, type TurnResponse } from './talk.ts';

const recording = readRecording();
if (!recording) console.log('replay: skipped, there is no ../shared/data/airline-conversations.json');

/** The Worker, and the server that plays its model and services. */
interface Stage {
  readonly server: ReplayServer;
  readonly worker: RunningWorker;
  /** Returns the number of starts of session objects. */
  objectStarts(): number;
}

interface ReplayOptions {
  /** If `true`, a session's object is evicted before each of its requests. */
  readonly evicted: boolean;
  readonly flip?: FlippedByte | undefined;
}

const runningServers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of runningServers.splice(0).reverse()) await one.stop();
});

async function startStage(recorded: Recording, { evicted, flip }: ReplayOptions): Promise<Stage> {
  const evict = (conversation: string): Promise<void> => worker.evict(toObjectName(conversation));
  const server = await startReplayServer(recorded, { before: evicted ? evict : undefined, flip });
  runningServers.push(server);
  const worker: RunningWorker = await startWorker('test/fixtures/replay-worker.ts', {
    vars: {
      OPENAI_BASE_URL: `${server.url}/v1`,
      OPENAI_API_KEY: API_KEY,
      MODEL: 'gpt-4o',
      REPLAY_URL: server.url,
      REPLAY_SYSTEM: recorded.system,
      // A high limit of subrequests prevents hand-overs, because a turn that is handed over is not streamed in
      // pieces. Other tests cover hand-overs.
      SUBREQUESTS: '10000',
    },
  });
  runningServers.push(worker);
  return {
    server,
    worker,
    objectStarts: () => worker.logs.filter((log) => log === 'session object started').length,
  };
}

const toSessionId = (conversation: string): string => `conversation-${conversation}`;

/** Without authentication, the owner of a local request is `local`. */
const toObjectName = (conversation: string): string =>
  toSessionName({ owner: { id: 'local' }, agent: 'airline', session: toSessionId(conversation) });

interface SentMessage {
  readonly message: string;
  readonly as: 'json' | 'events';
}

function sendMessage(
  { worker }: Stage,
  conversation: string,
  { message, as }: SentMessage,
): Promise<TurnResponse> {
  const session = new URL(`/agents/airline/sessions/${toSessionId(conversation)}`, worker.url);
  return say(session, { message, context: { conversation } }, as);
}

/** Sends all messages of a customer. Returns the differences between the answers and the recording. */
async function replayConversation(
  stage: Stage,
  conversation: Conversation,
  evicted: boolean,
): Promise<string[]> {
  const { id } = conversation;
  const chance = createChance(Number(id));
  const differences: string[] = [];
  for (const { message, answer } of listExchanges(conversation)) {
    if (evicted) await stage.worker.evict(toObjectName(id));
    const as = chance.between(0, 1) === 0 ? 'json' : 'events';
    const heard = await sendMessage(stage, id, { message, as });
    const { text, outcome } = parseAnswer(heard);
    // If a tool's output ends the turn, it is not streamed as a reply.
    const streamed = as === 'events' && outcome === 'completed' ? heard.streamed.at(-1) : text;
    if (text !== answer || streamed !== answer) {
      differences.push(`${id}: '${answer}' was recorded, '${text}' answered and '${streamed}' streamed`);
    }
  }
  return differences;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

describe.skipIf(!recording)('the recorded conversations', () => {
  const recorded = recording ?? { system: '', conversations: [] };
  const { conversations } = recorded;
  const totals = countTotals(conversations);
  const replies = new Map(conversations.map((one) => [one.id, listReplies(one).length]));

  it('have the expected size and content', () => {
    expect(conversations).toHaveLength(14);
    expect(totals).toEqual({ exchanges: 105, replies: 228, calls: 125 });
  });

  it.each([
    { name: 'warm', evicted: false },
    { name: 'evicted', evicted: true },
  ])('are replayed without a difference, with objects that are $name', async ({ name, evicted }) => {
    const stage = await startStage(recorded, { evicted });
    const { answered, served, differences: refused } = stage.server;
    const heard = await Promise.all(
      conversations.map((conversation) => replayConversation(stage, conversation, evicted)),
    );

    const differences = [...refused, ...heard.flat()];
    const held = conversations.filter(
      ({ id }, at) => heard[at]?.length === 0 && answered.get(id) === replies.get(id),
    );
    console.log(
      `replay (${name}): ${held.length}/${conversations.length} conversations, ` +
        `${served.size}/${totals.calls} calls, ${differences.length} differences`,
    );
    expect(differences).toEqual([]);
    expect(answered).toEqual(replies);
    expect(served.size).toBe(totals.calls);
    expect(sum(served.values())).toBe(totals.calls);
    if (evicted) expect(stage.objectStarts()).toBeGreaterThanOrEqual(totals.exchanges + totals.replies);
    else expect(stage.objectStarts()).toBe(conversations.length);
  });

  it('fail to replay if a single bit of one output differs', async () => {
    const [conversation] = conversations;
    if (!conversation) throw new Error('The recording contains no conversations.');
    const { id, messages } = conversation;
    const position = messages.findIndex(({ role }) => role === 'tool');
    const stage = await startStage(recorded, { evicted: false, flip: { conversation: id, position } });

    let heard: TurnResponse | undefined;
    for (const { message } of listExchanges(conversation)) {
      heard = await sendMessage(stage, id, { message, as: 'json' });
      if (heard.status !== 200) break;
    }
    expect(heard).toMatchObject({
      status: 502,
      body: { outcome: 'failed', error: { type: 'model-failure' } },
    });
    const repliesBefore = messages.slice(0, position).filter(({ role }) => role === 'assistant').length;
    expect(stage.server.answered).toEqual(new Map([[id, repliesBefore]]));
    expect(stage.server.served.size).toBe(1);
    expect(stage.server.differences[0]).toMatch(`${id}: message ${position + 1} was recorded as ...`);
  });
});
