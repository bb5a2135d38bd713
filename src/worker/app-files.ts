/** How an app takes files: the part of the seam `APP` for which messages are read. Without it messages are words. */
import type { Agent } from '../agent/define-agent.ts';
import type { AgendaOwner } from '../journal/agenda.ts';
import type { Deferred } from '../journal/event-page.ts';
import type { Accepted, Leased, NotStarted, SessionPort, TurnStart } from '../journal/session-port.ts';
import type { ChatModel, MediaTaken } from '../model/chat-model.ts';
import type { Meter } from '../session/meter.ts';
import type { Owner } from '../tool/call-origin.ts';
import type { ContentPart, StoredFile } from '../tool/content.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';

/** How messages to one agent hold files. */
export interface MessageFiles {
  /** The media types that the agent takes. */
  readonly types: MediaTaken;
  /** What a body may weigh, in bytes. */
  readonly mostBytes: number;
  /** Reads a message that is sent as a form. @throws Problem if the body is too large, or no form. */
  readForm(request: Request, limits: BodyLimits): Promise<MessageForm>;
  /** Checks the text of a body before it is parsed. @throws SessionError if it is too large besides what is inside of its texts. */
  readonly mustFit: (text: string) => void;
  /** Reads a part that is a file. Adds what is wrong to the problems of its place; the result is of no use then. */
  parseFile(part: JsonObject, place: PartPlace): readonly PlacedPart[];
  /** @throws SessionError that names each file which the agent does not take, or which is too large. */
  check(parts: readonly PlacedPart[]): void;
}

/** What is in a form. */
export interface MessageForm {
  /** As the properties of a JSON body. */
  readonly fields: Readonly<Record<string, FormField>>;
  /** In their order. */
  readonly files: readonly PlacedPart[];
  /** What is wrong with them so far. */
  readonly problems: readonly string[];
}

/** What a body may weigh, in bytes: with its files, and besides them. */
export interface BodyLimits {
  readonly most: number;
  readonly besides: number;
}

/** A session whose files are stored or read. */
export interface FilesAt {
  readonly env: Readonly<Record<string, unknown>>;
  readonly host: { readonly meter: Pick<Meter, 'spend'>; readonly log: Log };
  readonly target: { readonly name: string; readonly port: Pick<SessionPort, 'blob' | 'blobStates'> };
  readonly requestId?: string | undefined;
}

/** What a session answers to a message. */
export interface TakenMessage {
  readonly answer: Accepted | Deferred | Leased | NotStarted;
}

/** What is known of a file of a session, and how its bytes are read. */
export interface SessionFile {
  readonly file: Omit<StoredFile, 'type'>;
  /** Returns bytes from `from` on: at least one, and at most `length`. @throws SessionError if they are not to be had. */
  read(from: number, length: number): Promise<Uint8Array>;
}

/** Takes a message once its files are where they are to be kept. @throws SessionError if the session keeps none of them. */
export type TakeWithFiles = <Taken extends TakenMessage>(
  at: FilesAt,
  start: TurnStart,
  taking: (placed: TurnStart) => Promise<Taken>,
) => Promise<Taken>;

/** How an app takes, keeps and finds files. */
export interface AppFiles {
  /** Returns how messages to an agent with this model hold files. `most`: what other bodies may weigh, in bytes. */
  takenBy(agent: Pick<Agent, 'accepts'>, model: ChatModel, most: number): MessageFiles;
  /** Has a message with files taken. */
  readonly take: TakeWithFiles;
  /**
   * Returns the file of this id, or `undefined` if the session keeps none. Its first `ahead` bytes are there already when they are read,
   * unless a store has them.
   */
  find(at: FilesAt, query: { readonly id: string; readonly ahead: number }): Promise<SessionFile | undefined>;
  /**
   * Returns the query of an address at which the file is shown without a token for a while; `undefined` if the environment has no key for
   * that. Absent: there are no such addresses.
   *
   * @throws DeploymentError if the key can be guessed.
   */
  sign?(app: SigningApp, place: FilePlace): Promise<string | undefined>;
  /** The store outside; absent: sessions keep their files. */
  readonly store?: OutsideStore | undefined;
}

/** A file of a session. */
export interface FilePlace {
  readonly owner: Owner;
  readonly agent: string;
  readonly session: string;
  /** Its id. */
  readonly file: string;
}

/** An app that signs addresses of files. */
interface SigningApp {
  readonly env: Readonly<Record<string, unknown>>;
  /** In ms since the epoch. */
  readonly now: number;
}

/** A store outside that has the files of an app. */
interface OutsideStore {
  /** The use of a module that deletes in it what is stale. */
  readonly owner: AgendaOwner;
}

/** A part of a message: as `content` and `file` make it, or a file as a client sends it, in base64 or by its address. */
export type SentPart =
  | ContentPart
  | {
      readonly type: 'file';
      /** Such as `image/png`; not needed where a data URL says it. */
      readonly mediaType?: string | undefined;
      readonly name?: string | undefined;
      /** Base64, or a data URL. */
      readonly data: string;
    }
  | {
      readonly type: 'file';
      readonly mediaType?: string | undefined;
      readonly name?: string | undefined;
      /** A data URL, or an https URL, which is handed on and not fetched. */
      readonly url: string;
    };

/** A property of a message: JSON, or, from code, parts with the bytes of their files. */
export type FormField = Json | readonly SentPart[] | undefined;

/** A part of a message, and where in its body it stands. */
export interface PlacedPart {
  /** Such as `message[1]`. */
  readonly at: string;
  readonly part: ContentPart;
}

/** Where something stands in a body, and what is wrong in it. */
export interface PartPlace {
  readonly at: string;
  readonly problems: string[];
}
