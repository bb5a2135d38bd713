/** Files in loops: the seam by which a module keeps them and shows them to models. Without it a loop names files in words. */
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

/** A loop whose model is about to be asked. */
export interface ShowingLoop {
  readonly frame: FrameState;
  readonly spec: { readonly model: ChatModel; readonly accepts?: readonly string[] | undefined };
  readonly log: Log;
}

/** What is sent of a message or of a result that has files. */
export interface ShownContent {
  /** What it says as words alone. */
  readonly text: string;
  /** Absent where no file is sent. */
  readonly parts?: readonly MessagePart[];
}

/** The files that one request of a loop carries. */
export interface ShownFiles {
  /** Returns what is sent of a message of the user's. */
  message(message: Pick<Extract<HistoryMessage, { role: 'user' }>, 'text' | 'parts'>): ShownContent;
  /** Returns what is sent of a result that is shown as `text`. Its words and those of its text files have about `most` characters together. */
  result(text: string, parts: readonly ContentPart[], most: number): ShownContent;
  /** Returns the messages with the files that the model takes, where it takes them, and all others in words. */
  fitted(messages: readonly ModelMessage[]): readonly ModelMessage[];
  /** Returns whether the loop asks again with fewer files after this failure, once for each loop. */
  isRefused(request: Pick<ModelRequest, 'messages'>, failure: unknown): boolean;
}

/** The files of loops that share them, such as those of a turn. */
export interface LoopFiles {
  /**
   * Returns the result as data: its new files are kept, and stored with the first event that names them. A file that is not kept is told
   * in words in its place, and reported by `onLost`.
   *
   * @throws Interrupted if the session cannot be reached: the turn is left to another invocation.
   */
  keep(result: ToolResult, secrets: Secrets, onLost: (problem: string) => void): Promise<ToolResult>;
  /** Reads the files for the next request of a loop; `undefined` if its conversation names none. Throws as `keep` does. */
  show(loop: ShowingLoop): Promise<ShownFiles | undefined>;
  /** Returns a file that is kept, with its bytes. */
  find(id: string): Promise<NewFile | undefined>;
}

/** The files of a session while one invocation holds it. */
export interface HeldFiles extends LoopFiles {
  /** Returns the files that an event names and that are not stored yet: they are stored with it. `undefined`: there are none. */
  namedBy(event: SessionEvent): readonly KeptBlob[] | undefined;
  /** Returns the same for parts that are left for the next lease holder. */
  namedIn(parts: readonly ContentPart[]): readonly KeptBlob[] | undefined;
  /** These events are stored, and so are the files that they name. */
  stored(events: readonly StoredEvent[]): void;
  /** A message was taken in while the session was held, and may have brought files again that had been deleted. */
  refresh(): void;
}

/** A session that is held. */
export interface HoldingSession {
  readonly port: Pick<SessionPort, 'blob' | 'blobStates'>;
  /** The session's name. */
  readonly name: string;
  /** Returns the session's incarnation. */
  readonly incarnation: () => string;
  /** The blobs that the session keeps already. Absent if it never kept any. */
  readonly kept?: BlobLoad | undefined;
  /** Counts requests. */
  readonly count: (subrequests: number) => void;
  readonly log: Log;
  readonly env: GivenEnv;
}

/** A message whose files are named, and what is to be kept with it. */
export interface NamedFiles {
  readonly parts: readonly ContentPart[];
  /** Each once; absent if the message brings no bytes. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /** How many bytes of blobs the session may keep. */
  readonly room?: number | undefined;
}

/** What a module brings that keeps files. */
export interface FileKeeper {
  /** Names the new files of a message by the hashes of their bytes. @throws FileRefusedError if one is empty or too large. */
  named(parts: readonly ContentPart[]): Promise<NamedFiles>;
  /** Opens the files of a session for the invocation that holds it. */
  open(session: HoldingSession): HeldFiles;
  /** Makes the files of a loop without a session. */
  inMemory(): LoopFiles;
}

/** The seam of files: the use of an app that keeps them. */
export const FILES = defineSeam<FileKeeper>();

/** Returns what keeps files among the uses, or `undefined`. */
export function keeperIn(uses: readonly ModuleUse[]): FileKeeper | undefined {
  const use = uses.find((one) => FILES.of(one));
  return use && FILES.of(use);
}

/** Tells a developer that something needs the module of files. */
export const needsFiles = (what: string): string =>
  `${what} needs the module \`files()\`${literals?.mending.files ?? '.'}`;
