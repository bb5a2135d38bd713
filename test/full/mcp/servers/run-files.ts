/** The initial files of every run's folder, in base64. */
export const FILES = {
  'notes.txt': btoa('One line.\nAnother line.\nThe last line.\n'),
  'plans/garden.md': btoa('# Garden\n\nPlant the beans.\n'),
  'media/dot.png':
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'media/beep.wav': btoa('RIFF$\0\0\0WAVEfmt '),
  'media/blob.bin': btoa('\x00\x01\x02\x03'),
};
