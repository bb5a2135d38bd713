/** The parts of a message: as they are sent, and as they are read. */
import type { ContentPart } from '../tool/content.ts';
import type { Json } from '../tool/json.ts';

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
