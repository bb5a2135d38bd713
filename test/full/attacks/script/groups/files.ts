/** Files: wrong media types, ranges, oversized forms, and content that a browser would execute. */
import {
  type Attack,
  type Check,
  containsPart,
  formatResponse,
  hasStatus,
  isProblem,
  lacksText,
  passesAll,
} from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import type { Scene } from '../scene.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
).toString('base64');

const createPart = (mediaType: string, data: string, more: object = {}): object => ({
  type: 'file',
  mediaType,
  data,
  ...more,
});

const send = ({ ann, own }: Scene, ...parts: readonly object[]): Promise<ReceivedResponse> =>
  ann.post(`${own}/messages`, { message: [{ type: 'text', text: 'Look.' }, ...parts] });

const isInvalidBody = (detail: string): Check =>
  isProblem(422, 'invalid-body', `The body is not valid: ${detail}.`);

/** Form parts that are not files, or not accepted. */
const parts: readonly (readonly [what: string, part: object, comes: Check])[] = [
  ['a script', createPart('application/javascript', btoa('alert(1)')), hasStatus(415)],
  ['HTML with its type in capitals', createPart('APPLICATION/XHTML+XML', btoa('<x>')), hasStatus(415)],
  ['a program', createPart('application/x-msdownload', btoa('MZ')), hasStatus(415)],
  [
    'a type with a line break',
    createPart('image/png\r\nx-evil: 1', PNG),
    isInvalidBody('message[1].mediaType: must be a media type such as image/png'),
  ],
  ['a wildcard type', createPart('image/*', PNG), hasStatus(415, 422)],
  [
    'invalid base64',
    createPart('image/png', '!!!'),
    isInvalidBody('message[1].data: must be base64: A-Z a-z 0-9 + / and its padding, without white space'),
  ],
  ['base64 with line breaks', createPart('image/png', `${PNG.slice(0, 8)}\n${PNG.slice(8)}`), hasStatus(422)],
  ['an empty file', createPart('image/png', ''), hasStatus(422)],
  [
    'both data and a URL',
    createPart('image/png', PNG, { url: 'https://example.com/x.png' }),
    isInvalidBody('message[1]: must have data or url, not both'),
  ],
  [
    'a data URL of another type',
    createPart('image/png', 'data:text/html;base64,PGI+'),
    isInvalidBody('message[1].mediaType: is image/png, and its data URL says text/html'),
  ],
  [
    'a data URL without base64',
    { type: 'file', mediaType: 'text/plain', data: 'data:text/plain,x' },
    hasStatus(422),
  ],
  [
    'an http URL',
    { type: 'file', mediaType: 'image/png', url: 'http://169.254.169.254/x' },
    isInvalidBody('message[1].url: must be a data URL, or an https URL without a user in it'),
  ],
  [
    'a URL with a password',
    { type: 'file', mediaType: 'image/png', url: 'https://a:b@example.com/x' },
    isInvalidBody('message[1].url: must be a data URL, or an https URL without a user in it'),
  ],
  [
    'a file URL',
    { type: 'file', mediaType: 'image/png', url: 'file:///etc/passwd' },
    isInvalidBody('message[1].url: must be a data URL, or an https URL without a user in it'),
  ],
  [
    'a javascript URL',
    { type: 'file', mediaType: 'image/png', url: 'javascript:alert(1)' },
    isInvalidBody('message[1].url: must be a data URL, or an https URL without a user in it'),
  ],
  [
    'a URL of excessive length',
    { type: 'file', mediaType: 'image/png', url: `https://example.com/${'x'.repeat(9000)}` },
    isInvalidBody('message[1].url: must have at most 8192 characters'),
  ],
  ['the id of a file', { type: 'file', file: 'a'.repeat(64), mediaType: 'image/png' }, hasStatus(422)],
  ['a file of nine megabytes', createPart('image/png', 'A'.repeat(12_000_000)), hasStatus(413)],
];

const BOUNDARY = 'b';
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

const formatField = (disposition: string, value: string, type = ''): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n${type && `content-type: ${type}\r\n`}\r\n${value}\r\n`;

const END = `--${BOUNDARY}--\r\n`;

/** Invalid or oversized forms. */
const forms: readonly (readonly [what: string, body: string, comes: Check, type?: string])[] = [
  ['a truncated form', formatField('name="message"', 'x'), isProblem(400, 'bad-form')],
  ['a form with another boundary', END, isProblem(400, 'bad-form'), 'multipart/form-data; boundary=other'],
  ['a form without a boundary', END, isProblem(400, 'bad-form'), 'multipart/form-data'],
  [
    'a repeated message',
    `${formatField('name="message"', 'x')}${formatField('name="message"', 'y')}${END}`,
    isInvalidBody('message: appears more than once'),
  ],
  [
    'a message that is a file',
    `${formatField('name="message"; filename="x.txt"', 'x', 'text/plain')}${END}`,
    isInvalidBody('message: must be text. Send files in other fields; message: is missing'),
  ],
  [
    'a hundred and one files',
    `${formatField('name="message"', 'x')}${Array.from({ length: 101 }, (_, at) => formatField(`name="f${at}"; filename="f"`, 'x', 'text/plain')).join('')}${END}`,
    hasStatus(422),
  ],
  [
    'thousands of fields',
    `${Array.from({ length: 5_000 }, (_, at) => formatField(`name="f${at}"`, 'x')).join('')}${END}`,
    hasStatus(422),
  ],
  [
    'a field that is larger than a body',
    `${formatField('name="message"', 'x'.repeat(250_000))}${END}`,
    hasStatus(413),
  ],
  [
    'a file whose type is a script',
    `${formatField('name="message"', 'x')}${formatField('name="f"; filename="x.js"', 'alert(1)', 'application/javascript')}${END}`,
    hasStatus(415),
  ],
  [
    'a field with the name __proto__',
    `${formatField('name="message"', 'x')}${formatField('name="__proto__"', '{"tenant":"zeta"}')}${END}`,
    isInvalidBody('__proto__: is not known here'),
  ],
];

/** Stores a file of this type, and returns the response that serves it. */
async function uploadAndGet(
  scene: Scene,
  mediaType: string,
  name: string,
  bytes: string,
): Promise<ReceivedResponse> {
  const came = await send(scene, createPart(mediaType, btoa(bytes), { name }));
  const state = await scene.ann.get(scene.own);
  const [id] = /[0-9a-f]{64}/.exec(`${state.text}${came.text}`) ?? ['none'];
  return scene.ann.get(`${scene.own}/files/${id}`);
}

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Content that a browser would execute if it displayed it. */
const activeFiles: readonly (readonly [type: string, name: string, bytes: string])[] = [
  ['text/html', 'x.html', '<script>alert(1)</script>'],
  ['image/svg+xml', 'x.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['text/xml', 'x.xml', '<?xml-stylesheet href="javascript:1"?><x/>'],
  ['application/pdf', 'x.pdf', '%PDF-1.4'],
];

/** Names that could break out of a header or a folder. */
const names = [
  '../../etc/passwd',
  'a"; filename="evil.exe',
  'a\r\nset-cookie: x=1',
  'x\u202egnp.exe',
  '%2e%2e%2fx',
  'C:\\x\\y.txt',
  '.',
];

/** Ranges that are outside of the file, or that ask for several parts. */
const ranges: readonly (readonly [range: string, code: number])[] = [
  ['bytes=0-', 206],
  ['bytes=-5', 206],
  ['bytes=-0', 416],
  ['bytes=99999-', 416],
  ['bytes=5-2', 200],
  ['bytes=0-0,1-1,2-2', 200],
  [`bytes=${Array.from({ length: 500 }, () => '0-').join()}`, 200],
  ['bytes=-99999999999999999999', 206],
  ['bytes=18446744073709551616-', 416],
  ['bytes=0x0-0x5', 200],
  ['pages=1-2', 200],
];

export const listFileAttacks = (): readonly Attack[] => [
  ...parts.map(
    ([what, one, comes]): Attack => ({
      name: `${what} is refused as a file of a message`,
      act: (scene) => send(scene, one),
      comes,
    }),
  ),
  ...forms.map(
    ([what, body, comes, type = FORM]): Attack => ({
      name: `${what} is refused`,
      act: ({ ann, own }) => ann.post(`${own}/messages`, body, { 'content-type': type }),
      comes,
    }),
  ),
  ...activeFiles.map(
    ([type, name, bytes]): Attack => ({
      name: `a file of the type ${type} is served as a download that does not run on this origin`,
      async act(scene) {
        const { headers } = await uploadAndGet(scene, type, name, bytes);
        return { ...headers, kind: String(headers['content-disposition']).split(';')[0] };
      },
      comes: containsPart({ ...SAFE_HEADERS, kind: 'attachment' }),
    }),
  ),
  ...names.map(
    (name): Attack => ({
      name: `the file name ${JSON.stringify(name)} cannot break out of its header or folder`,
      async act(scene) {
        const { headers, status: code } = await uploadAndGet(scene, 'text/plain', name, 'x');
        return `${code} ${headers['content-disposition']} ${headers['set-cookie']}`;
      },
      comes: passesAll(lacksText(/[/\\\r\n]|filename="[^"]*"[^;]*filename="|\u202e/), checkStatus),
    }),
  ),
  ...ranges.map(
    ([range, code]): Attack => ({
      name: `the range ${range.slice(0, 32)} returns ${code} without additional bytes`,
      async act(scene) {
        const first = await uploadAndGet(scene, 'text/plain', 'x.txt', '0123456789');
        const [id] = /[0-9a-f]{64}/.exec(String(first.headers.etag)) ?? ['none'];
        const came = await scene.ann.get(`${scene.own}/files/${id}`, { range });
        return [came.status, came.text.length <= 10 || came.status === 416];
      },
      comes: [code, true],
    }),
  ),
  ...['x', '0'.repeat(63), '0'.repeat(64), 'A'.repeat(64), '%2e%2e%2fevents', '__proto__'].map(
    (id): Attack => ({
      name: `the file ${id.slice(0, 24)} does not exist`,
      async act(scene) {
        await send(scene);
        return scene.ann.get(`${scene.own}/files/${id}`);
      },
      comes: hasStatus(404),
    }),
  ),
  {
    name: 'a file of one session does not exist in another session of the same owner',
    async act(scene) {
      const first = await uploadAndGet(scene, 'text/plain', 'x.txt', 'mine');
      const [id] = /[0-9a-f]{64}/.exec(String(first.headers.etag)) ?? ['none'];
      const other = scene.at(`${scene.session}-b`);
      await scene.ann.post(`${other}/messages`, { message: 'Hello.' });
      return formatResponse(await scene.ann.get(`${other}/files/${id}`));
    },
    comes: '404 unknown-file',
  },
  {
    name: 'the tag of a file does not reveal whether other owners have the file',
    async act({ ann, at, session }) {
      const id = 'a'.repeat(64);
      await ann.post(`${at(session)}/messages`, { message: 'Hello.' });
      return formatResponse(await ann.get(`${at(session)}/files/${id}`, { 'if-none-match': `"${id}"` }));
    },
    comes: '404 unknown-file',
  },
  {
    name: 'an agent that accepts no files also refuses files in a form',
    act: ({ ann, at, session }) =>
      ann.post(
        `${at(session, 'plain')}/messages`,
        `${formatField('name="message"', 'x')}${formatField('name="f"; filename="x.png"', 'x', 'image/png')}${END}`,
        { 'content-type': FORM },
      ),
    comes: hasStatus(415),
  },
];

function checkStatus(came: unknown): string | undefined {
  return /^200 attachment; .* undefined$/.test(String(came)) ? undefined : `was answered ${came}`;
}
