import type { CallContext } from '../../index.ts';
import type { Subject } from './subject.ts';

/**
 * The properties of an issue that the triage agent reads. Its author wrote the title and body, so they are
 * untrusted.
 */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly author: string;
  readonly labels: readonly string[];
}

export type IssueSummary = Pick<Issue, 'number' | 'title' | 'state'>;

/** A label of a repository, for the triage agent. */
export interface Label {
  readonly name: string;
  readonly description: string;
}

export interface WriteReceipt {
  readonly url: string;
}

/** The reason for closing an issue, in GitHub's terms. */
export type CloseReason = 'completed' | 'not_planned';

/**
 * The agent's actions on GitHub. Each method acts for one call, with its signal and secrets. It rejects with
 * a `TimeoutError` if the outcome is unknown, and with another error if GitHub refuses.
 */
export interface GitHub {
  /** Returns the issue, or `undefined` if it does not exist or no longer exists. */
  issue(subject: Subject, call: CallContext): Promise<Issue | undefined>;
  /** Returns the labels of the repository, at most 100. */
  labels(subject: Subject, call: CallContext): Promise<readonly Label[]>;
  /** Adds a label, which the issue may already have. Returns all labels of the issue. */
  addLabel(subject: Subject, label: string, call: CallContext): Promise<readonly string[]>;
  /** Writes a comment that `recall` can find by the call's idempotency key. */
  comment(subject: Subject, text: string, call: CallContext): Promise<WriteReceipt>;
  /**
   * Returns the outcome of an earlier `comment` of the same call. `not-done` means that it was not written
   * and can no longer be written.
   */
  recall(subject: Subject, call: CallContext): Promise<WriteReceipt | 'not-done' | 'unknown'>;
  close(subject: Subject, reason: CloseReason, call: CallContext): Promise<void>;
  /**
   * Returns the issues of the subject's repository that contain all of these words, the best match first.
   * Excludes the subject.
   */
  search(subject: Subject, words: readonly string[], call: CallContext): Promise<readonly IssueSummary[]>;
  /** Returns the text of a file on the default branch, or `undefined` if it does not exist. */
  file(subject: Subject, path: string, call: CallContext): Promise<string | undefined>;
}
