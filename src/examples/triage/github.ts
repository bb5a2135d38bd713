import type { CallContext } from '../../index.ts';
import type { Subject } from './subject.ts';

/** One issue, as far as a triage looks at it. Whoever opened it wrote its title and body. */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly author: string;
  readonly labels: readonly string[];
}

/** An issue in a list of several. */
export type IssueSummary = Pick<Issue, 'number' | 'title' | 'state'>;

/** A label that a repository has, as the triage agent is told of it. */
export interface Label {
  readonly name: string;
  readonly description: string;
}

/** A comment that was written. */
export interface Written {
  /** Where people read it. */
  readonly url: string;
}

/** Why an issue is closed; GitHub's own words. */
export type CloseReason = 'completed' | 'not_planned';

/**
 * What the agent may do on GitHub. Each method acts for one call, with that call's signal and secrets, and rejects with a
 * `TimeoutError` when nobody can know whether it was done, with another error when GitHub refused.
 */
export interface GitHub {
  /** `undefined` when there is none, or none any more. */
  issue(subject: Subject, call: CallContext): Promise<Issue | undefined>;
  /** The labels that the repository has, at most 100. */
  labels(subject: Subject, call: CallContext): Promise<readonly Label[]>;
  /** Adds a label, which may be there already. Answers all labels of the issue. */
  addLabel(subject: Subject, label: string, call: CallContext): Promise<readonly string[]>;
  /** Writes a comment that can be found again by the call's idempotency key. */
  comment(subject: Subject, text: string, call: CallContext): Promise<Written>;
  /** What came of an earlier `comment` of the same call. `not-done`: nothing, and nothing can come of it any more. */
  recall(subject: Subject, call: CallContext): Promise<Written | 'not-done' | 'unknown'>;
  close(subject: Subject, reason: CloseReason, call: CallContext): Promise<void>;
  /** Issues of the subject's repository that hold all of these words, the best first; the subject is not among them. */
  search(subject: Subject, words: readonly string[], call: CallContext): Promise<readonly IssueSummary[]>;
  /** The text of a file on the default branch; `undefined` when there is no such file. */
  file(subject: Subject, path: string, call: CallContext): Promise<string | undefined>;
}
