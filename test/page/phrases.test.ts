import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PHRASES, vietnamese, WORDS } from '../../src/page/cockpit/phrases.ts';

const SOURCE = ['daemon', 'engine', 'operator', 'page/cockpit']
  .flatMap((room) => {
    const dir = join('src', room);
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('phrases.ts'))
      .map((file) => readFileSync(join(dir, file), 'utf8'));
  })
  .join('\n');
/** Names of jobs and phases are shown as words. */
const SAID = SOURCE + SOURCE.replaceAll('_', ' ');

test.each(PHRASES)('the program still says “%s”', (phrase, translated) => {
  for (const part of phrase.split(/\{\}|[,;:()] ?/)) expect(SAID.includes(part.trim()), part).toBe(true);
  expect(translated.split('{}').length).toBeLessThanOrEqual(phrase.split('{}').length);
});

test.each(Object.keys(WORDS))('the journal still has lines of the word “%s”', (word) => {
  expect(SOURCE).toContain(`'${word}'`);
});

test.each([
  [
    'next session close 11-26 14:45, backup and report 11-26 15:00; last session open 11-26 08:45, at its time',
    'tới: đóng phiên 11-26 14:45, báo cáo và sao lưu 11-26 15:00; vừa qua: mở phiên 11-26 08:45, đúng giờ',
  ],
  [
    '2N3 sell 1 VN30F1M (41I1GC000) at 1,299.0, when the price falls to 1,299.5 (reduce)',
    '2N3 bán 1 VN30F1M (41I1GC000) giá 1,299.0, khi giá giảm đến 1,299.5 (giảm vị thế)',
  ],
  ['flattening VN30F1M (41I1GC000) -2: reading', 'đang đóng VN30F1M (41I1GC000) -2: đang đọc vị thế'],
  ['entries are off', 'đã ngừng mở vị thế'],
  [
    'positions are not proven: ours 2, broker 3',
    'vị thế chưa được xác nhận: của ta 2, công ty chứng khoán 3',
  ],
  ['the price stream is waiting', 'luồng giá: chờ kết nối lại'],
  [
    'the position of alpha is to be closed; entries of alpha are off until tickwright resume --strategy alpha',
    'đang đóng vị thế của alpha; đã ngừng mở vị thế của alpha cho đến khi bấm Tiếp tục',
  ],
  ['a sentence that nobody listed', 'a sentence that nobody listed'],
])('“%s” reads “%s” in Vietnamese', (text, translated) => {
  expect(vietnamese(text)).toBe(translated);
});
