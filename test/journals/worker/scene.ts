/** What the agents of the stored sessions are made of: their model and what their tools do are outside of the Worker. */

import { env } from 'cloudflare:workers';
import {
  type Agent,
  type AgentConfig,
  type CallContext,
  type ChatModel,
  defineAgent,
  defineTool,
  type Effect,
  type InputDeclaration,
  type JsonSchema,
  type Prices,
} from '../../../src/index.ts';
import { openaiCompatible } from '../../../src/model/openai-compatible/entry.ts';
import { jsonSchema } from '../../../src/modules/json-schema/entry.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      /** Where the model and the tools' services answer. */
      readonly WORLD_URL: string;
    }
  }
}

/** The model of a scene: what it says is written beside the session. */
export const modelOf = (scene: string, prices?: Prices): ChatModel =>
  openaiCompatible({ baseURL: `${env.WORLD_URL}/${scene}/v1`, model: 'scripted', retries: 0, prices });

/** An agent that is a scene of its own. */
export const scene = <Declaration extends InputDeclaration = undefined>(
  name: string,
  more: Partial<AgentConfig<string, Declaration>> = {},
): Agent =>
  defineAgent({
    name,
    description: `Has the session of the journal ${name}.`,
    instructions: 'Work.',
    model: modelOf(name),
    ...more,
  });

interface Acting {
  readonly effect: Effect;
  readonly input?: JsonSchema | undefined;
  readonly serial?: string | undefined;
  readonly returnDirect?: boolean | undefined;
}

/** A tool that acts in the world, and can be held there. */
export const acting = <const Name extends string>(
  scene: string,
  name: Name,
  { input = { type: 'object' }, ...more }: Acting,
) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: jsonSchema(input),
    ...more,
    run: (sent, call) => act(`${scene}/${name}`, sent, call),
  });

/** A `once` tool that can find out what became of a call. */
export const reconciling = <const Name extends string>(scene: string, name: Name) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: jsonSchema({ type: 'object' }),
    effect: 'once',
    run: (sent, call) => act(`${scene}/${name}`, sent, call),
    reconcile: async (_, call) =>
      (await wasDone(`${scene}/${name}`, call)) ? { done: `${name} was done before` } : 'not-done',
  });

type Acts = Pick<CallContext, 'id' | 'idempotencyKey' | 'signal'>;

/** Does something in the world, at `{scene}/{what}`. */
export async function act(place: string, input: unknown, call: Acts): Promise<string> {
  const body = JSON.stringify(input);
  const response = await fetch(`${env.WORLD_URL}/${place}`, { method: 'POST', body, ...by(call) });
  await response.text();
  return `${place.split('/')[1]} is done`;
}

/** Whether it was done, by the call with this key. */
async function wasDone(place: string, call: Acts): Promise<boolean> {
  const response = await fetch(`${env.WORLD_URL}/${place}`, by(call));
  return (await response.json()) === true;
}

/** Who acts, for the world's books. */
const by = ({ id, idempotencyKey, signal }: Acts) => ({
  headers: { 'call-id': id, 'idempotency-key': idempotencyKey },
  signal,
});
