/** What a loop does for a call that asks somebody outside. Without the module for it the call ends its turn as misconfigured. */
import { type AskOutside, askedOtherwise, askingOf } from '../journal/asking.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import { Interrupted } from './holder.ts';
import { inLoop } from './loop.ts';
import type { PermittedRun } from './tool-call-run.ts';

/** Makes what a call asks by. @throws Error outside of a session; ToolConfigurationError if no module of the app takes answers. */
export function askOutside({ loop, record, tool }: PermittedRun): AskOutside {
  const { journal, holder, secrets } = loop;
  if (!loop.inSession) throw new Error(cannotAsk(record.name));
  const asking = askingOf(loop.modules.uses);
  if (!asking)
    throw new ToolConfigurationError(needsAnswers(`Tool '${record.name}' asks somebody outside: it`));
  return asking.outside({
    record,
    tool,
    signal: holder.signal,
    secrets,
    changed: () => journal.changed,
    suspend(wait) {
      if (wait) journal.emit({ type: 'tool-call-suspended', ...inLoop(loop), call: record.id, wait });
      return new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
    },
  });
}

/** @throws Error if what a call asked before it restarted is not asked any more: its answer was for something else. */
export function mustAskAgain({ loop, record }: PermittedRun, asked = 0): void {
  const resumes = record.started !== undefined || loop.journal.state.turn?.frames.has(record.id);
  if (!resumes && asked < (record.waits?.length ?? 0)) throw new Error(askedOtherwise(record.name));
}

/** Returns the message that something needs the module of answers. */
export const needsAnswers = (what: string): string =>
  `${what} needs the module \`answers\`: import it from 'holdfast/answers' and add it to \`use\`.`;

const cannotAsk = (tool: string): string =>
  `Tool '${tool}' asks somebody outside: only in a session can it wait for the answer.`;
