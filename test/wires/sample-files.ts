/** Small files of several types. Their first bytes match their type, because the strict servers check this. */
import type { MessageFile } from '../../src/model/entry.ts';

const encodeBase64 = (text: string): string => btoa(text);

/** A base64 file of each type. */
export const SAMPLE_FILES = {
  'image/png':
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'image/gif': 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'image/jpeg': encodeBase64('\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9'),
  'image/webp': encodeBase64(
    'RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00',
  ),
  'application/pdf': encodeBase64('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
  'audio/wav': encodeBase64('RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00'),
  'audio/mpeg': encodeBase64('ID3\x04\x00\x00\x00\x00\x00\x00'),
} as const;

export type SampleType = keyof typeof SAMPLE_FILES;

/** Returns a file of a type for a model request. */
export const createSampleFile = (mediaType: SampleType, name?: string): MessageFile => ({
  type: 'file',
  mediaType,
  data: SAMPLE_FILES[mediaType],
  ...(name !== undefined && { name }),
});

/** Returns a file with this URL in place of bytes. */
export const createLinkedSample = (mediaType: string, data = 'https://files.test/one'): MessageFile => ({
  type: 'file',
  mediaType,
  data,
});
