import * as v from 'valibot';
import type { CallContext, JsonObject } from '../../index.ts';

/** `owner/name` as GitHub allows it: nothing that could climb out of a path it is put into. */
const repositoryName = v.pipe(
  v.string(),
  v.regex(/^[\w-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/, 'A repository is named owner/name.'),
);

/** The issue that a turn is about. */
export const subjectSchema = v.object({
  repository: repositoryName,
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
});

/** The issue that a turn is about. */
export type Subject = v.InferOutput<typeof subjectSchema>;

/** The key of the tool-call context that holds the subject. */
export const SUBJECT_KEY = 'issue';

/** The tool-call context of a turn about this issue. */
export const aboutIssue = (subject: Subject): JsonObject => ({ [SUBJECT_KEY]: subject });

/**
 * The issue that a call is about. It comes from whoever started the turn, never from the model: a text in an issue that
 * talks the model into something still cannot point its tools at another issue or another repository.
 *
 * @throws ToolCallContextError when the turn was started without one.
 */
export const subjectOf = ({ context }: Pick<CallContext, 'context'>): Subject =>
  context.get(SUBJECT_KEY, subjectSchema);

/** As GitHub itself writes it: `octocat/Hello-World#1347`. */
export const nameOf = ({ repository, number }: Subject): string => `${repository}#${number}`;
