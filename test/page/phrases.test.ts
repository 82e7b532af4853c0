import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PHRASES, vietnamese } from '../../src/page/cockpit/phrases.ts';

const SOURCE = ['daemon', 'engine', 'page/cockpit']
  .flatMap((room) => {
    const dir = join('src', room);
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('phrases.ts'))
      .map((file) => readFileSync(join(dir, file), 'utf8'));
  })
  .join('\n');

test.each(PHRASES)('the program still says “%s”', (phrase, translated) => {
  for (const part of phrase.split(/\{\}|[,;:] /)) expect(SOURCE.includes(part.trim()), part).toBe(true);
  expect(translated.split('{}').length).toBeLessThanOrEqual(phrase.split('{}').length);
});

test.each([
  ['entries are off', 'đã ngừng mở vị thế'],
  ['positions are not proven: ours 2, broker 3', 'vị thế chưa được xác nhận: ours 2, broker 3'],
  ['the price stream is waiting', 'luồng giá: chờ kết nối lại'],
  [
    'the position of alpha is to be closed; entries of alpha are off until tickwright resume --strategy alpha',
    'đang đóng vị thế của alpha; đã ngừng mở vị thế của alpha cho đến khi bấm Tiếp tục',
  ],
  ['a sentence that nobody listed', 'a sentence that nobody listed'],
])('“%s” reads “%s” in Vietnamese', (text, translated) => {
  expect(vietnamese(text)).toBe(translated);
});
