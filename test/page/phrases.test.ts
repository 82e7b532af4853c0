import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PHRASES, vietnamese, vietnameseLine, WORDS } from '../../src/page/cockpit/phrases.ts';

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
  for (const part of phrase.split(/\{\}|<>|[,;:()] ?/)) expect(SAID.includes(part.trim()), part).toBe(true);
  const holes = phrase.match(/\{\}|<>/g) ?? [];
  expect(holes.join('')).toContain((translated.match(/\{\}|<>/g) ?? []).join(''));
});

test.each([...WORDS.keys()])('the journal still has lines of the word “%s”', (word) => {
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
  [
    "the account's loss of the day, 304,489 since the resume (day: -1,568,142), has reached 300,000 (risk.dailyLossMax)",
    'lỗ của tài khoản từ lúc bấm Tiếp tục, 304,489 (cả ngày: -1,568,142), đã chạm 300,000 (risk.dailyLossMax)',
  ],
  ['the price stream is waiting', 'luồng giá: chờ kết nối lại'],
  [
    'the position of alpha is to be closed; entries of alpha are off until tickwright resume --strategy alpha',
    'đang đóng vị thế của alpha; đã ngừng mở vị thế của alpha cho đến khi bấm Tiếp tục',
  ],
  [
    'entries are allowed again, as far as limits and risk allow them; the loss of the day of 1,242,688 VND is accepted, and the limit is measured from there',
    'được mở vị thế lại, trong hạn mức và rủi ro cho phép; chấp nhận khoản lỗ trong ngày 1,242,688 VND, hạn mức tính lại từ đó',
  ],
  ['a sentence that nobody listed', 'a sentence that nobody listed'],
])('“%s” reads “%s” in Vietnamese', (text, translated) => {
  expect(vietnamese(text)).toBe(translated);
});

test.each([
  ['accepted', '#01000007 no. 3', 'được nhận', '#01000007 số 3'],
  [
    'filled',
    '#01000007 buy 1 VN30F1M (41I1GC000) at avg 1898.5',
    'khớp',
    '#01000007 mua 1 VN30F1M (41I1GC000) giá TB 1898.5',
  ],
  [
    'change',
    '#01000007 to 1 VN30F1M (41I1GC000) at 1898.5',
    'sửa lệnh',
    '#01000007 thành 1 VN30F1M (41I1GC000) giá 1898.5',
  ],
  [
    'refused',
    '#01000007 change rejected by the broker: -8004 Order already fully matched',
    'bị từ chối',
    '#01000007 sửa lệnh bị công ty chứng khoán từ chối: -8004 Order already fully matched',
  ],
  [
    'remains',
    '#01000007 no. 3 is accepted again, the change came to nothing: Order already fully matched',
    'giữ nguyên',
    '#01000007 số 3 trở lại được nhận, sửa lệnh không thành: Order already fully matched',
  ],
  [
    'position',
    '+1 VN30F1M (41I1GC000) at 1898.5, value 189,850,000: carried over from the last session',
    'vị thế',
    '+1 VN30F1M (41I1GC000) giá 1898.5, giá trị 189,850,000: chuyển từ phiên trước',
  ],
  ['command', 'stop, by process: SIGINT', 'điều khiển', 'dừng, bởi process: SIGINT'],
  ['note', 'the mean is crossed', 'ghi chú', 'the mean is crossed'],
])('the line “%s %s” is Vietnamese from its word to its end', (word, text, inWord, inText) => {
  expect(vietnameseLine(word, text)).toEqual({ word: inWord, text: inText });
});

test.each([
  ['info', 'started_with_a_position: held: busy +1 VN30F1M at 1898.5, last 1904.7, open +620,000 VND'],
  ['stop', 'ready to stop, with a word that nobody listed'],
  ['canceled', '#01000007: with words of nobody, entries are off'],
])('the line “%s %s” stays wholly English', (word, text) => {
  expect(vietnameseLine(word, text)).toEqual({ word, text });
});
