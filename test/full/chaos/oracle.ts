import { judgeCalls } from './judge-calls.ts';
import { judgeLog } from './judge-log.ts';
import { collectHomes, judgeMessages } from './judge-messages.ts';
import type { Finding, Ledger } from './ledger.ts';

/** Returns all violations in a run, or an empty list. */
export function judge(ledger: Ledger): readonly Finding[] {
  const homes = collectHomes(ledger);
  return [
    ...judgeMessages(ledger, homes),
    ...judgeStrangers(ledger, [...homes.keys()]),
    ...judgeCalls(ledger, homes),
    ...judgeJournals(ledger),
    ...judgeLog(ledger.log),
  ];
}

/** Checks that every message in a turn was sent by a user. */
function judgeStrangers({ sent }: Ledger, messages: readonly string[]): Finding[] {
  const known = new Set(sent.map(({ errand }) => errand.plan.message));
  return messages
    .filter((message) => !known.has(message))
    .map((message) => ({ rule: 'stranger', where: message, what: 'A turn has it, and nobody sent it.' }));
}

/** Checks that no journal has a gap. */
function judgeJournals({ journals }: Ledger): Finding[] {
  return [...journals].flatMap(([session, events]) => {
    const gap = events.findIndex(({ seq }, at) => seq !== at + 1);
    return gap === -1
      ? []
      : { rule: 'gap', where: session, what: `Event ${gap + 1} is ${events[gap]?.seq}.` };
  });
}
