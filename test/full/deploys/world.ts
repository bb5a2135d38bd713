import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gate, type Hold } from '../../../src/examples/demo/gate.ts';
import { listen, readJson } from '../../../src/examples/demo/loopback.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../../../src/model/entry.ts';

/** One reply of a script: a text, or calls with the names of their tools. */
export type Line = string | readonly (readonly [tool: string, input?: object])[];

/** An effect of a tool. */
export interface RecordedEffect {
  readonly tool: string;
  readonly input: unknown;
  readonly key: string;
}

/**
 * The external services that outlive the Workers: the model, and the services that tools call. The fixtures
 * give each agent a scene, which separates its requests.
 */
export interface World {
  readonly url: string;
  /**
   * Sets the replies of a scene's model, in order. The number of replies in the conversation selects the next
   * one, so a repeated request receives the same reply. `to` limits the script to the conversation that begins
   * with these words.
   */
  plays(scene: string, lines: readonly Line[], to?: string): void;
  /** Holds responses of a tool or of the `model` from now on. The effects of the tool still happen. */
  hold(scene: string, what: string): Hold;
  /** Returns the requests to the model of a scene, oldest first. */
  asked(scene: string): readonly ModelRequest[];
  done(scene: string): readonly RecordedEffect[];
  stop(): Promise<void>;
}

interface WorldState {
  readonly gate: Gate;
  readonly scripts: Map<string, readonly Line[]>;
  readonly asked: Map<string, ModelRequest[]>;
  readonly done: Map<string, RecordedEffect[]>;
}

/** Starts a world on a local port. */
export async function openWorld(): Promise<World> {
  const kept: WorldState = { gate: new Gate(), scripts: new Map(), asked: new Map(), done: new Map() };
  const { server, url } = await listen((request, response) => {
    answerRequest(kept, request, response).catch((failure: unknown) =>
      response.writeHead(500).end(String(failure)),
    );
  });
  return {
    url,
    plays: (scene, lines, to) => void kept.scripts.set(formatScriptName(scene, to), lines),
    hold: (scene, what) => kept.gate.hold(`${scene} ${what}`),
    asked: (scene) => kept.asked.get(scene) ?? [],
    done: (scene) => kept.done.get(scene) ?? [],
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const formatScriptName = (scene: string, to?: string): string =>
  JSON.stringify(to === undefined ? [scene] : [scene, to]);

/**
 * `POST /{scene}/model` is a model request, and `POST /{scene}/{tool}` is an effect. `GET` returns whether an
 * effect with the same key happened.
 */
async function answerRequest(
  kept: WorldState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [scene = '', what = ''] = (request.url ?? '').split('/').slice(1).map(decodeURIComponent);
  const { 'idempotency-key': key = '' } = request.headers;
  if (request.method === 'GET') {
    const isDone = kept.done.get(scene)?.some((deed) => deed.tool === what && deed.key === key) ?? false;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(isDone));
    return;
  }
  const body = await readJson(request);
  const said = what === 'model' ? findReply(kept, scene, body as ModelRequest) : { did: what }; // sent by the fixtures
  if (what !== 'model') put(kept.done, scene, { tool: what, input: body, key: String(key) });
  await kept.gate.pass(`${scene} ${what}`);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
}

function findReply({ scripts, asked }: WorldState, scene: string, request: ModelRequest): ModelReply {
  put(asked, scene, request);
  const { messages } = request;
  const begun = messages.find(({ role }) => role === 'user');
  const script =
    scripts.get(formatScriptName(scene, begun && getText(begun))) ??
    scripts.get(formatScriptName(scene)) ??
    [];
  const place = messages.filter(({ role }) => role === 'assistant').length;
  const line = script[place];
  if (line === undefined) throw new Error(`The script of ${scene} has no reply ${place + 1}.`);
  return toReply(line, place);
}

const getText = (message: ModelMessage): string => ('text' in message ? message.text : '');

function toReply(line: Line, place: number): ModelReply {
  const usage = { inputTokens: 1, outputTokens: 1 };
  if (typeof line === 'string') return { text: line, toolCalls: [], finish: 'stop', usage };
  const toolCalls = line.map(([name, input = {}], index) => ({
    id: `call_${place}_${index}`,
    name,
    input: JSON.stringify(input),
  }));
  return { text: '', toolCalls, finish: 'tool-calls', usage };
}

const put = <T>(lists: Map<string, T[]>, name: string, one: T): unknown =>
  lists.set(name, [...(lists.get(name) ?? []), one]);

/** Returns the tool messages of a request, with the name of each tool, in order. */
export function listAnswers(
  request: ModelRequest | undefined,
): readonly (readonly [tool: string, text: string])[] {
  const messages = request?.messages ?? [];
  const names = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id, name }) => [id, name] as const) : [],
    ),
  );
  return messages.flatMap((message) =>
    message.role === 'tool' ? [[names.get(message.id) ?? '', message.text] as const] : [],
  );
}
