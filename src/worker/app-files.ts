/**
 * The part of the seam `APP` by which an app accepts files in messages. Without it messages contain only
 * text.
 */
import type { Agent } from '../agent/define-agent.ts';
import type { AgendaOwner } from '../journal/agenda.ts';
import type { DeferredTurn } from '../journal/event-page.ts';
import type {
  AcceptedTurn,
  LeaseGrant,
  SessionPort,
  StartRefusal,
  TurnStart,
} from '../journal/session-port.ts';
import type { AcceptedMedia, ChatModel } from '../model/chat-model.ts';
import type { Meter } from '../session/meter.ts';
import type { Owner } from '../tool/call-origin.ts';
import type { ContentPart, StoredFile } from '../tool/content.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';

/** The rules for files in messages to one agent. */
export interface MessageFiles {
  /** The media types that the agent accepts. */
  readonly types: AcceptedMedia;
  /** The maximum number of bytes of a body. */
  readonly mostBytes: number;
  /** Reads a message that is sent as a form. @throws Problem if the body is too large or not a form. */
  readForm(request: Request, limits: BodyLimits): Promise<MessageForm>;
  /**
   * Checks the size of a body's text before it is parsed. @throws SessionError if it is too large even
   * without the content of its strings.
   */
  readonly mustFit: (text: string) => void;
  /** Reads a file part. If it adds problems to `place`, the result is invalid. */
  parseFile(part: JsonObject, place: PartPlace): readonly PlacedPart[];
  /**
   * @throws SessionError that names each file that is too large or of a type that the agent does not accept.
   */
  check(parts: readonly PlacedPart[]): void;
}

export interface MessageForm {
  /** The fields, like the properties of a JSON body. */
  readonly fields: Readonly<Record<string, FormField>>;
  /** The files, in order. */
  readonly files: readonly PlacedPart[];
  /** Problems found so far. */
  readonly problems: readonly string[];
}

/** The maximum size of a body in bytes, with and without its files. */
export interface BodyLimits {
  readonly most: number;
  readonly besides: number;
}

/** A session whose files are stored or read. */
export interface FilesAccess {
  readonly env: Readonly<Record<string, unknown>>;
  readonly host: { readonly meter: Pick<Meter, 'spend'>; readonly log: Log };
  readonly target: { readonly name: string; readonly port: Pick<SessionPort, 'blob' | 'blobStates'> };
  readonly requestId?: string | undefined;
}

/** The response of a session to a message. */
export interface MessageReceipt {
  readonly answer: AcceptedTurn | DeferredTurn | LeaseGrant | StartRefusal;
}

/** The metadata of a session's file, and a function to read its bytes. */
export interface SessionFile {
  readonly file: Omit<StoredFile, 'type'>;
  /**
   * Returns bytes starting at `from`: at least one, and at most `length`. @throws SessionError if they are
   * unavailable.
   */
  read(from: number, length: number): Promise<Uint8Array>;
}

/** Stores the files of a message, then sends it. @throws SessionError if the session cannot store them. */
export type SendWithFiles = <Taken extends MessageReceipt>(
  at: FilesAccess,
  start: TurnStart,
  taking: (placed: TurnStart) => Promise<Taken>,
) => Promise<Taken>;

/** The app's functions to accept, store and find files. */
export interface AppFiles {
  /**
   * Returns the rules for files in messages to an agent with this model. `most`: the maximum bytes of bodies
   * without files.
   */
  takenBy(agent: Pick<Agent, 'accepts'>, model: ChatModel, most: number): MessageFiles;
  readonly take: SendWithFiles;
  /**
   * Returns the file with this id, or `undefined` if the session does not have it. Reads the first `ahead`
   * bytes at once, unless the file is in an external store.
   */
  find(
    at: FilesAccess,
    query: { readonly id: string; readonly ahead: number },
  ): Promise<SessionFile | undefined>;
  /**
   * Returns the query of a URL that shows the file without a token for a limited time, or `undefined` if the
   * environment has no signing key. Absent if the module does not create such URLs.
   *
   * @throws DeploymentError if the key is too easy to guess.
   */
  sign?(app: SigningApp, place: FileAddress): Promise<string | undefined>;
  /** The external store. Absent if sessions store their files themselves. */
  readonly store?: ExternalFileStore | undefined;
}

export interface FileAddress {
  readonly owner: Owner;
  readonly agent: string;
  readonly session: string;
  /** The id of the file. */
  readonly file: string;
}

/** An app that signs URLs of files. */
interface SigningApp {
  readonly env: Readonly<Record<string, unknown>>;
  /** The time in milliseconds since the epoch. */
  readonly now: number;
}

interface ExternalFileStore {
  /** The module use that deletes old files from the store. */
  readonly owner: AgendaOwner;
}

/** A part of a message: from `content` or `file`, or a file in the format of a client, as base64 or a URL. */
export type SentPart =
  | ContentPart
  | {
      readonly type: 'file';
      /** The media type, such as `image/png`. Optional if a data URL contains it. */
      readonly mediaType?: string | undefined;
      readonly name?: string | undefined;
      /** Base64, or a data URL. */
      readonly data: string;
    }
  | {
      readonly type: 'file';
      readonly mediaType?: string | undefined;
      readonly name?: string | undefined;
      /** A data URL, or an https URL. An https URL is passed on and not fetched. */
      readonly url: string;
    };

/** A property of a message: JSON or, from code, parts that contain the bytes of their files. */
export type FormField = Json | readonly SentPart[] | undefined;

/** A part of a message, with its place in the body. */
export interface PlacedPart {
  /** The place in the body, such as `message[1]`. */
  readonly at: string;
  readonly part: ContentPart;
}

/** A place in a body, with the problems found so far. */
export interface PartPlace {
  readonly at: string;
  readonly problems: string[];
}
