/**
 * The seam through which a module stores files and shows them to models. Without such a module, a loop only
 * mentions files in text.
 */
import type { BlobLoad, KeptBlob } from '../journal/blob.ts';
import type { SessionEvent, StoredEvent } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { FrameState } from '../journal/state.ts';
import type { ChatModel, ModelMessage, ModelRequest } from '../model/chat-model.ts';
import type { MessagePart } from '../model/parts.ts';
import type { HistoryMessage } from '../tool/call.ts';
import type { ContentPart, NewFile } from '../tool/content.ts';
import type { GivenEnv } from '../tool/env.ts';
import { literals } from '../tool/literals.ts';
import type { Log } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** A loop that is about to ask its model. */
export interface ShowingLoop {
  readonly frame: FrameState;
  readonly spec: { readonly model: ChatModel; readonly accepts?: readonly string[] | undefined };
  readonly log: Log;
}

/** The content to send for a message or result with files. */
export interface ShownContent {
  /** The content as text alone. */
  readonly text: string;
  /** Absent if no file is sent. */
  readonly parts?: readonly MessagePart[];
}

/** The files in one request of a loop. */
export interface ShownFiles {
  message(message: Pick<Extract<HistoryMessage, { role: 'user' }>, 'text' | 'parts'>): ShownContent;
  /**
   * Returns the content to send for a result whose shown text is `text`. Its text and its text files together
   * have about `most` characters.
   */
  result(text: string, parts: readonly ContentPart[], most: number): ShownContent;
  /**
   * Returns the messages with the files that the model accepts, in the places where it accepts them. All
   * other files are mentioned in text.
   */
  fitMessages(messages: readonly ModelMessage[]): readonly ModelMessage[];
  /**
   * Returns whether the loop should ask again with fewer files after this failure. `true` at most once for
   * each loop.
   */
  isRefused(request: Pick<ModelRequest, 'messages'>, failure: unknown): boolean;
}

/** The files of the loops that share them, such as those of a turn. */
export interface LoopFiles {
  /**
   * Retains the new files of a result, to be stored with the first event that refers to them, and returns the
   * result as data. Replaces a file that cannot be stored with text, and reports it to `onLost`.
   *
   * @throws InterruptionError if the session cannot be reached. Another invocation then continues the turn.
   */
  keep(result: ToolResult, secrets: Secrets, onLost: (problem: string) => void): Promise<ToolResult>;
  /**
   * Reads the files for the next request of a loop. Returns `undefined` if its conversation has no files.
   *
   * @throws InterruptionError if the session cannot be reached.
   */
  show(loop: ShowingLoop): Promise<ShownFiles | undefined>;
  /** Returns a stored file with its bytes, or `undefined`. */
  find(id: string): Promise<NewFile | undefined>;
}

/** The files of a session while an invocation holds it. */
export interface HeldSessionFiles extends LoopFiles {
  /** Returns the unsaved files in an event, to store with it, or `undefined`. */
  blobsOfEvent(event: SessionEvent): readonly KeptBlob[] | undefined;
  /** Returns the unsaved files in these parts, for a message that is left for the next lease holder. */
  blobsOfParts(parts: readonly ContentPart[]): readonly KeptBlob[] | undefined;
  /** Marks the files in these events as stored. */
  stored(events: readonly StoredEvent[]): void;
  /** Reads the stored files again, after a message arrived that may have restored deleted files. */
  refresh(): void;
}

/** A session that an invocation holds. */
export interface HeldSessionScope {
  readonly port: Pick<SessionPort, 'blob' | 'blobStates'>;
  /** The session's name. */
  readonly name: string;
  /** Returns the session's incarnation. */
  readonly incarnation: () => string;
  /** The blobs that the session already has. Absent if it never had any. */
  readonly kept?: BlobLoad | undefined;
  readonly count: (subrequests: number) => void;
  readonly log: Log;
  readonly env: GivenEnv;
}

/** A message whose files have ids, and the bytes to store with it. */
export interface NamedFiles {
  readonly parts: readonly ContentPart[];
  /** Each blob once. Absent if the message has no new bytes. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /** The maximum bytes of blobs that the session can store. */
  readonly room?: number | undefined;
}

/** The functions of a module that stores files. */
export interface FileKeeper {
  /**
   * Names the new files of a message by the hashes of their bytes.
   *
   * @throws FileRefusedError if a file is empty or too large.
   */
  nameFiles(parts: readonly ContentPart[]): Promise<NamedFiles>;
  /** Opens the files of a session for the invocation that holds it. */
  open(session: HeldSessionScope): HeldSessionFiles;
  /** Returns the files of a loop without a session. */
  inMemory(): LoopFiles;
}

/** The seam of modules that store files. */
export const FILES = defineSeam<FileKeeper>();

export function findFileKeeper(uses: readonly ModuleUse[]): FileKeeper | undefined {
  const use = uses.find((one) => FILES.of(one));
  return use && FILES.of(use);
}

/** Returns an error message for a feature that needs the `files` module. */
export const formatMissingFilesModuleMessage = (what: string): string =>
  `${what} needs the module \`files()\`${literals?.mending.files ?? '.'}`;
