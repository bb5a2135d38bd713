import type { CallContext } from '../../index.ts';
import type { Subject } from './subject.ts';

/**
 * The properties of an issue that a triage reads. Its author wrote the title and body, so they are untrusted.
 */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly author: string;
  readonly labels: readonly string[];
}

/** An issue in a list. */
export type IssueSummary = Pick<Issue, 'number' | 'title' | 'state'>;

/** A label of a repository, for the triage agent. */
export interface Label {
  readonly name: string;
  readonly description: string;
}

/** A written comment. */
export interface Written {
  /** The address of its web page. */
  readonly url: string;
}

/** The reason for closing an issue, in GitHub's words. */
export type CloseReason = 'completed' | 'not_planned';

/**
 * The agent's actions on GitHub. Each method acts for one call, with that call's signal and secrets. It
 * rejects with a `TimeoutError` if the outcome is unknown, and with another error if GitHub refused.
 */
export interface GitHub {
  /** Returns the issue, or `undefined` if it does not exist or no longer exists. */
  issue(subject: Subject, call: CallContext): Promise<Issue | undefined>;
  /** Returns the labels of the repository, at most 100. */
  labels(subject: Subject, call: CallContext): Promise<readonly Label[]>;
  /** Adds a label, which may exist already. Returns all labels of the issue. */
  addLabel(subject: Subject, label: string, call: CallContext): Promise<readonly string[]>;
  /** Writes a comment that can be found again by the call's idempotency key. */
  comment(subject: Subject, text: string, call: CallContext): Promise<Written>;
  /**
   * Returns the outcome of an earlier `comment` of the same call. `not-done`: it was not written, and can no
   * longer be.
   */
  recall(subject: Subject, call: CallContext): Promise<Written | 'not-done' | 'unknown'>;
  close(subject: Subject, reason: CloseReason, call: CallContext): Promise<void>;
  /**
   * Returns issues of the subject's repository that contain all of these words, the best first, without the
   * subject.
   */
  search(subject: Subject, words: readonly string[], call: CallContext): Promise<readonly IssueSummary[]>;
  /** Returns the text of a file on the default branch, or `undefined` if it does not exist. */
  file(subject: Subject, path: string, call: CallContext): Promise<string | undefined>;
}
