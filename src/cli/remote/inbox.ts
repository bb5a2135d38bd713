/** The command `inbox`: lists the questions that wait for the caller, and answers them. */
import type { ClientAnswer } from '../../client/follow.ts';
import type { Inbox } from '../../worker/index-views.ts';
import { UsageError } from '../command.ts';
import { NO_INDEX_MESSAGE, PAGE_OPTIONS, parsePage, printPage, type Row } from './lists.ts';
import {
  CannotAsk,
  type CommandInput,
  checkPathName,
  createRemoteCommand,
  EXIT_MISUSED,
  EXIT_OK,
  readList,
} from './remote-command.ts';
import { type Column, formatWhen, indentLines, toJsonLine, toOneLine } from './terminal.ts';

export const inbox = createRemoteCommand({
  name: 'inbox',
  session: 'maybe',
  summary: 'lists the calls that wait for the caller, and decides one',
  about: `Lists the calls that wait for the caller, in all sessions. With --approve or --reject, it decides one of them,
waits for its turn, and prints the outcome. The app needs sessionIndex(), but not for a decision with a SESSION.`,
  options: {
    'approve CALL': 'runs the call; the list shows its id in the column CALL',
    'reject CALL': 'does not run the call',
    'reason TEXT': 'with --reject: the reason, which the model reads',
    'agent NAME': 'with a SESSION: its agent; not needed if there is only one',
    ...PAGE_OPTIONS,
  },
  lacking: NO_INDEX_MESSAGE,
  async run(asked) {
    const { session, texts } = asked;
    const { approve, reject, reason } = texts;
    if (approve !== undefined && reject !== undefined)
      throw new UsageError('use --approve or --reject, not both');
    if (reason !== undefined && reject === undefined) throw new UsageError('--reason requires --reject');
    const call = approve ?? reject;
    if (call !== undefined) return decide(asked, checkPathName('a call', call));
    if (session !== undefined || texts.agent !== undefined)
      throw new UsageError('a session and --agent require --approve or --reject');
    return listWaiting(asked);
  },
});

async function listWaiting(asked: CommandInput): Promise<number> {
  const answer = await asked.deployment.index.pending(parsePage(asked));
  const rows = readList(answer, 'waiting').flatMap((session) =>
    readList(session, 'pending').map((call) => ({ ...call, session })),
  );
  const columns: readonly Column<Row & { readonly session: Row }>[] = [
    { name: 'SESSION', of: ({ session }) => session.session },
    { name: 'AGENT', of: ({ session }) => session.agent },
    { name: 'TITLE', of: ({ session }) => session.title, isLong: true },
    { name: 'TOOL', of: ({ tool }) => tool },
    { name: 'QUESTION', of: ({ message }) => message, isLong: true },
    { name: 'CALL', of: formatCallName },
    { name: 'SINCE', of: ({ session }) => formatWhen(session.lastActivity) },
    { name: 'EXPIRES', of: ({ expiresAt }) => formatWhen(expiresAt) },
  ];
  return printPage(asked, { answer, rows, columns, none: 'No waiting calls.' });
}

/** A suffix that names a question after the id of its call. */
const QUESTION_SUFFIX = /:(\d{1,6})$/;

/**
 * Returns the name of a call's current question. A call can ask several questions, and each answer must apply
 * to one only.
 */
const formatCallName = ({ call, question = 1 }: Row): string =>
  question === 1 && !QUESTION_SUFFIX.test(String(call)) ? String(call) : `${call}:${question}`;

/** The question to decide and its session. */
interface QuestionPlace {
  readonly agent: string;
  readonly session: string;
}

async function decide(asked: CommandInput, name: string): Promise<number> {
  const { deployment, texts, isJson, out } = asked;
  const { agent, session } = await findQuestionPlace(asked, name);
  const [suffix, number] = QUESTION_SUFFIX.exec(name) ?? [];
  const call = { call: name.slice(0, name.length - (suffix?.length ?? 0)), question: Number(number ?? 1) };
  const { reason } = texts;
  const isApproval = texts.approve !== undefined;
  const decision = isApproval
    ? ({ decision: 'approve' } as const)
    : ({ decision: 'reject', ...(reason !== undefined && { reason }) } as const);
  const answer: ClientAnswer = await deployment.sessions(agent).session(session).decide(call, decision);
  if (isJson) out(toJsonLine(answer));
  else {
    out(
      `The call ${toOneLine(name)} of session ${toOneLine(session)} is ${isApproval ? 'approved' : 'rejected'}.`,
    );
    out(`Turn ${toOneLine(answer.turn)}: ${toOneLine(answer.outcome ?? answer.status)}`);
    if ('error' in answer && answer.error) out(indentLines(answer.error.message, '  '));
    else if ('text' in answer && answer.text) out(indentLines(answer.text, '  '));
  }
  return EXIT_OK;
}

/** Returns the session of a call. @throws CannotAsk if the inbox has no such call or several. */
async function findQuestionPlace(
  { session, deployment }: CommandInput,
  name: string,
): Promise<QuestionPlace> {
  if (session !== undefined)
    return { agent: await deployment.agent(), session: checkPathName('a session', session) };
  const found: QuestionPlace[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Inbox = await deployment.index.pending({ cursor });
    for (const { agent, session, pending } of page.waiting)
      if (pending.some((one) => formatCallName({ ...one }) === name)) found.push({ agent, session });
    cursor = page.next;
  }
  const [place, ...others] = found;
  if (!place) throw new CannotAsk(`no call ${name} waits for you. Name its SESSION to see why.`);
  if (others.length > 0) {
    const names = found.map(({ session }) => session).join(', ');
    throw new CannotAsk(`call ${name} waits in several sessions. Name one of them: ${names}.`, EXIT_MISUSED);
  }
  return place;
}
