import type { Agent } from '../agent/define-agent.ts';
import { type Answer, ROOT } from '../journal/events.ts';
import type { Posted, SessionPort } from '../journal/session-port.ts';
import { bindingOf } from '../tool-loop/call-questions.ts';
import { routed } from '../tool-loop/offer-tools.ts';
import { facadeIn } from '../tools/facades/facade.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { AnswerNote } from './notes.ts';
import type { Question } from './questions.ts';

/**
 * What became of an answer. `void`: the tool is no longer the one that was asked about, so the call is answered by
 * nothing but that. `no-such-turn`: the turn is over.
 */
export type AnswerPosted = Posted | 'void';

interface Place {
  readonly port: Pick<SessionPort, 'post'>;
  readonly agent: Pick<Agent, 'tools'>;
}

/**
 * Leaves a checked answer for the holder of the session; it is taken once, and durable when this resolves. The turn
 * goes on after it, by whoever resumes it first. `hash` tells a sender's own repetition from another answer.
 */
export async function postAnswer(
  { port, agent }: Place,
  question: Question,
  { answer, hash }: { readonly answer: Answer; readonly hash: string },
): Promise<AnswerPosted> {
  const isVoid = question.standing === 'open' && (await hasChanged(agent, question));
  const note: AnswerNote = { wait: question.id, answer: isVoid ? nothing(answer) : answer };
  const bodyHash = isVoid ? `void ${hash}` : hash;
  const posted = await port.post('answer', question.turn, JSON.stringify(note), {
    wait: question.id,
    bodyHash,
  });
  return isVoid && (posted === 'posted' || posted === 'known') ? 'void' : posted;
}

/** The loop looks too, for tools that are not the agent's own; what is said here is said before anything is consumed. */
async function hasChanged(
  { tools }: Pick<Agent, 'tools'>,
  { frame, call, wait }: Question,
): Promise<boolean> {
  if (wait.for === 'result') return false; // it has been run, whatever the tool is now
  const known = frame === ROOT ? named(tools, call.name) : [];
  const bindings = await Promise.all(known.map((tool) => bindingOf(call, routed(tool, call).tool, wait)));
  return bindings.length > 0 && !bindings.includes(wait.binding);
}

/** Those of this name that the model may have been offered: what a facade unfolds into may take the place of another. */
const named = (tools: readonly AnyTool[], name: string): readonly AnyTool[] =>
  tools.flatMap((tool) => [
    ...(tool.name === name ? [tool] : []),
    ...(facadeIn(tool) ? named(tool.inner ?? [], name) : []),
  ]);

/** Acts on nothing, even if the tool became again what it was before the call finds this. */
function nothing({ type, by }: Answer): Answer {
  const who = by === undefined ? {} : { by };
  const reason = 'The tool has changed since this was asked.';
  if (type === 'decision') return { type, decision: 'reject', reason, ...who };
  return { type, result: { type: 'error', message: reason, reason: 'declined' }, ...who };
}
