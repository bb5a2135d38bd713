import * as v from 'valibot';
import type { CallContext, JsonObject } from '../../index.ts';

/** `owner/name` as GitHub allows it, which cannot change the path of a URL. */
const repositoryName = v.pipe(
  v.string(),
  v.regex(/^[\w-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/, 'A repository is named owner/name.'),
);

export const subjectSchema = v.object({
  repository: repositoryName,
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
});

/** The issue that a turn is about. */
export type Subject = v.InferOutput<typeof subjectSchema>;

/** The key of the subject in the tool-call context. */
export const SUBJECT_KEY = 'issue';

/** Returns the tool-call context of a turn about this issue. */
export const createSubjectContext = (subject: Subject): JsonObject => ({ [SUBJECT_KEY]: subject });

/**
 * Returns the issue of a call. It comes from the start of the turn, never from the model. So text that
 * manipulates the model cannot point its tools at another issue or repository.
 *
 * @throws ToolCallContextError if the turn started without an issue.
 */
export const getSubject = ({ context }: Pick<CallContext, 'context'>): Subject =>
  context.get(SUBJECT_KEY, subjectSchema);

/** Formats the issue in GitHub's notation, such as `octocat/Hello-World#1347`. */
export const formatIssueName = ({ repository, number }: Subject): string => `${repository}#${number}`;
