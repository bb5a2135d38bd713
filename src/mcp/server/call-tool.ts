import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { openBatch } from '../../journal/conversation.ts';
import type { Principal } from '../../journal/events.ts';
import { replied } from '../../loop/ask-model.ts';
import type { Holder, Needs } from '../../loop/holder.ts';
import type { Loop, LoopJournal, LoopSpec } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { type MemoryLoop, type MemoryLoopConfig, memoryLoop } from '../../loop/memory-loop.ts';
import { offerTools } from '../../loop/offer-tools.ts';
import { runBatch } from '../../loop/run-loop.ts';
import { sha256Hex } from '../../tool/async.ts';
import type { JsonObject } from '../../tool/json.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import { Asking, mayAsk } from './ask-client.ts';
import { type AskingClient, type EndpointRequest, mintedFor } from './caller.ts';
import type { Notifier } from './stream-position.ts';
import { toCallResult } from './to-call-result.ts';

/** One call of a published tool. */
interface ToolCalling {
  readonly tool: AnyTool;
  readonly input: JsonObject;
  /** Names the call, when the client has given it a name. */
  readonly key: string | undefined;
  readonly notifier: Notifier;
  readonly client: AskingClient;
}

/** One that has a name of ours where the client has given it none. */
type NamedCall = ToolCalling & { readonly key: string };

/**
 * Runs a tool without a session, by the code that runs it in one: checked, with its timeout, and without secrets in what is
 * answered. Nothing is kept, so a request runs it once, whatever its effect, and a request that is sent again runs it
 * again: with the same input under the same key `call.idempotencyKey` is the same, for a receiver that deduplicates. It runs
 * to its end also when the client has gone: losing a connection is no cancellation (MCP specification, Transports). Where it asks
 * its client for more, that is answered, and it runs anew in the request that brings the answers.
 *
 * @throws RpcError when the client brings the state of another call; what the app's hooks for context and secrets do.
 */
export async function callTool(
  request: EndpointRequest,
  calling: ToolCalling,
): Promise<CallToolResult | InputRequiredResult> {
  const { tool, input, client, key = request.host.newId() } = calling;
  const asking = await Asking.of(client, { about: ['tools/call', tool.name, input], key });
  return asking.orAsked(() => runAlone(request, calling, asking));
}

async function runAlone(
  request: EndpointRequest,
  calling: ToolCalling,
  asking: Asking,
): Promise<CallToolResult> {
  const atEnd: (() => Promise<unknown>)[] = [];
  const { loop: silent } = await ownLoop(
    request,
    { ...calling, key: asking.key },
    {
      uses: [askingBy(asking)],
      atEnd: (work) => atEnd.push(work),
    },
  );
  const loop: Loop = {
    ...silent,
    journal: overheard(silent.journal, calling.notifier),
  };
  const toolCalls = [{ id: 'call', name: calling.tool.name, input: JSON.stringify(calling.input) }];
  const offered = offerTools(loop, 'now');
  loop.journal.emit(replied(loop, { text: '', toolCalls, finish: 'tool-calls' }, { last: false, offered }));
  const [call] = openBatch(loop.frame);
  await runBatch(loop).finally(() => request.host.waitUntil(Promise.allSettled(atEnd.map((work) => work()))));
  if (!call?.ended) throw new Error('A call without a session was left open.');
  return toCallResult(forClients(call.ended.result), async ({ id }) => (await loop.files?.find(id))?.bytes);
}

/** Lets the tool of a call ask its client. */
function askingBy(asking: Asking): ModuleUse {
  const use = useOf(ASKS_CLIENT);
  LOOPS.give(use, {
    run(call, next, { effect }) {
      mayAsk(call, asking, effect);
      return next();
    },
  });
  return use;
}

const ASKS_CLIENT = createModule({ name: 'mcp-ask-client' });

/** Makes a loop with this tool alone, for this caller, as this invocation can run it. */
async function ownLoop(
  request: EndpointRequest,
  calling: NamedCall,
  { uses, atEnd }: Pick<MemoryLoopConfig, 'uses'> & Pick<Holder, 'atEnd'>,
): Promise<MemoryLoop> {
  const { host, env } = request;
  const { tool, notifier } = calling;
  const ofCaller = await mintedFor(request);
  return memoryLoop({
    turn: await turnOf(calling, ofCaller.principal),
    ...ofCaller,
    tools: [tool],
    uses,
    model: NO_MODEL,
    env,
    files: host.modules.files?.inMemory(),
    log: host.log,
    live: { restarted: () => {}, progress: (_, status) => notifier.progress(status) },
    holder: {
      claim: (needs) => claim(request, needs),
      count: (subrequests) => host.meter.spend(subrequests),
      late: (_, answer) => host.waitUntil(answer),
      atEnd,
    },
  });
}

/**
 * What `idempotencyKey` of a call is made of. The input is in it, since nobody remembers it: a client that uses its key for
 * another input asks for something else, which a receiver must not take for what it has done. Roles are not: they may change.
 */
async function turnOf({ tool, input, key }: NamedCall, { roles: _, ...caller }: Principal): Promise<string> {
  return sha256Hex(JSON.stringify(['mcp', caller, tool.name, key, input]));
}

/** A published tool opens no loop, so that no model is asked. */
const NO_MODEL: LoopSpec['model'] = {
  name: 'none',
  ask: () => Promise.reject(new Error('A published tool asks no model.')),
};

/** Throws, before the tool has run, when too little is left of the invocation for what the tool says it needs. */
function claim({ host: { meter } }: EndpointRequest, needs: Needs): void {
  const short = meter.shortFor(needs);
  if (short) {
    throw new Error(`The invocation has too little left of its ${short} for what this tool needs.`);
  }
  meter.spend(needs.subrequests);
}

/** Hears what a tool says to the user, which is among the events that nobody keeps. */
function overheard(journal: LoopJournal, { say }: Notifier): LoopJournal {
  return {
    get state() {
      return journal.state;
    },
    get changed() {
      return journal.changed;
    },
    emit(...events) {
      journal.emit(...events);
      for (const event of events) if (event.type === 'message-sent') say(event.text);
    },
    durable: () => journal.durable(),
  };
}

/** Adds how a tool should be published that cannot run here: without a session nobody can be asked to approve a call. */
function forClients(result: ResultData): ResultData {
  if (result.type !== 'error' || result.signal?.type !== 'misconfigured') return result;
  return {
    ...result,
    message: `${result.message} An MCP endpoint has no session: publish an agent that has this tool.`,
  };
}
